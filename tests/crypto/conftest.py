"""Fixtures that the tests of the cryptography share."""

from collections.abc import Iterator

import pytest

from protocol.crypto import group
from tests.crypto.libraries import LIBRARIES


@pytest.fixture(params=[*LIBRARIES, "pure"])
def backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Run the test once on each back-end of the group: libsodium, loaded in each of the two ways,
    and plain Python.

    Yields the name of the back-end, which is `sodium` for both ways.
    """
    before = group._backend
    if request.param == "pure":
        group.select("pure")
    else:
        monkeypatch.setattr(group, "load_sodium", LIBRARIES[request.param])
        group.select("sodium")
    yield group._backend.name
    group._backend = before
