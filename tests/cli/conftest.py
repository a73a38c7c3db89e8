"""The fixture of the tests whose sentences stand in a file."""

import pytest

from tests.cli.told import WRITTEN, as_lines, file_of, sections, title_of


@pytest.fixture
def transcript(request):
    """Compares what a test is told with what stands in the file told.txt of its folder."""
    test, written = request.node, request.config.stash.get(WRITTEN, None)

    def compare(*parts):
        lines = tuple(as_lines(parts))
        if written is not None:
            written.setdefault(file_of(test), {})[title_of(test)] = lines
        else:
            assert lines == sections(file_of(test)).get(title_of(test))

    return compare
