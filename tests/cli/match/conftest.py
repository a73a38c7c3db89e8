import pytest

from tests.cli.match.sides import Side
from tests.cli.table.script import Script


@pytest.fixture
def sides(tmp_path):
    pair = Side(tmp_path / "ann"), Side(tmp_path / "ben")
    yield pair
    for side in pair:
        if side.process is not None and side.process.poll() is None:
            side.kill()


@pytest.fixture
def start_script():
    """Return a function that starts a program behind pipes in a home; the test's end kills it."""
    running = []

    def start(home, *arguments):
        running.append(Script(home, *arguments))
        return running[-1]

    yield start
    for script in running:
        script.kill()


@pytest.fixture
def start_terminal():
    """Return a function that starts a person's program in a home; the test's end closes it."""
    pytest.importorskip("pexpect")
    from tests.cli.table.test_terminal import Terminal

    running = []

    def start(home, *arguments):
        running.append(Terminal(home, *arguments))
        return running[-1]

    yield start
    for terminal in running:
        terminal.child.close(force=True)
