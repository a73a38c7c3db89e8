"""What the tests of the crypto floor share."""

from collections.abc import Iterator

import pytest

from protocol.crypto import group


@pytest.fixture(params=["sodium", "pure"])
def backend(request: pytest.FixtureRequest) -> Iterator[str]:
    """Run the test once on each of the two back-ends of the group."""
    before = group.backend_name()
    group.select(request.param)
    yield request.param
    group.select(before)
