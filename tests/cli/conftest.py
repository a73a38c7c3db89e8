"""Fixtures: `transcript` for tests whose expected sentences are in told.txt, `run` for a command in
this process, `log` for a log file, and `start_script` and `start_terminal` for whole programs."""

import pytest

from cli.main import main
from tests.cli.table.script import Script
from tests.cli.told import WRITTEN, as_lines, file_of, sections, title_of
from tests.matches.recorded import recorded


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


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Return a function that runs a command with the home tmp_path/home, and returns its exit
    status, output and error text."""
    monkeypatch.setenv("GINPEER_HOME", str(tmp_path / "home"))

    def run(*arguments):
        status = main([*map(str, arguments)])
        return status, *capsys.readouterr()

    return run


@pytest.fixture
def log(tmp_path):
    """Return a function that writes a recorded match, or some of its entries, to a log file."""

    def write(*which, entries=None):
        return recorded(*which).write(tmp_path / "match.ginlog", entries)

    return write


@pytest.fixture
def start_script():
    """Return a function that starts a program behind pipes. When the test ends, it is killed."""
    running = []

    def start(home, *arguments, **more):
        running.append(Script(home, *arguments, **more))
        return running[-1]

    yield start
    for script in running:
        script.kill()


@pytest.fixture
def start_terminal():
    """Return a function that starts a program on a terminal. When the test ends, it is closed."""
    pytest.importorskip("pexpect")
    from tests.cli.table.test_terminal import Terminal

    running = []

    def start(home, *arguments, **environ):
        running.append(Terminal(home, *arguments, **environ))
        return running[-1]

    yield start
    for terminal in running:
        terminal.child.close(force=True)
