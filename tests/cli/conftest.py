"""The fixture `transcript`, for tests whose expected sentences are in told.txt."""

import pytest

from tests.cli.told import WRITTEN, as_lines, file_of, sections, title_of


@pytest.fixture
def transcript(request):
    """Return a function that compares lines with this test's section of its folder's told.txt."""
    test, written = request.node, request.config.stash.get(WRITTEN, None)

    def compare(*parts):
        lines = tuple(as_lines(parts))
        if written is not None:
            written.setdefault(file_of(test), {})[title_of(test)] = lines
        else:
            assert lines == sections(file_of(test)).get(title_of(test))

    return compare
