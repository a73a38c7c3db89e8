"""The sentences that single tests expect, in the file told.txt of each folder.

A test calls the fixture `transcript` once, with lines or strings that must not change. To write the
files again after a deliberate change: python -m tests.cli.told [TESTS ...]
"""

import sys
from pathlib import Path

import pytest

from tests.cli.transcripts import transcripts

HERE = Path(__file__).parent
WRITTEN = pytest.StashKey[dict]()


def file_of(test):
    """Return the told.txt of this test's folder."""
    return Path(test.path).with_name("told.txt")


def title_of(test):
    return f"{Path(test.path).stem} {test.name}"


def sections(file):
    """Return the lines of each test, by its title."""
    return {title: tuple(lines) for title, lines in transcripts(file)} if file.exists() else {}


def as_lines(parts):
    """Yield the lines of strings, and of lists of strings, indented. "~" is an empty line."""
    for part in parts:
        if isinstance(part, str):
            text = part.replace("\x1b", "<esc>")
            yield from (f"  {line or '~'}" for line in text.split("\n"))
        else:
            yield from as_lines(part)


class Writer:
    """A pytest plugin that selects tests with transcripts, and writes these when the run ends."""

    def pytest_configure(self, config):
        config.stash[WRITTEN] = {}

    def pytest_collection_modifyitems(self, items):
        items[:] = [item for item in items if "transcript" in getattr(item, "fixturenames", ())]

    def pytest_sessionfinish(self, session):
        for file, told in session.config.stash[WRITTEN].items():
            ran = {title.split()[0] for title in told}
            kept = {t: lines for t, lines in sections(file).items() if t.split()[0] not in ran}
            parts = ["Expected sentences of single tests. Written by: python -m tests.cli.told\n"]
            for title, lines in sorted({**kept, **told}.items()):
                parts.append("\n".join((f"\n== {title}", *lines, "")))
            file.write_text("".join(parts), encoding="utf-8")


def main(tests):
    options = ["-q", "-n", "0", "--deep"]
    return pytest.main([*options, *(tests or [str(HERE)])], plugins=[Writer()])


if __name__ == "__main__":
    from tests.cli import told  # the fixture uses this module's WRITTEN

    sys.exit(told.main(sys.argv[1:]))
