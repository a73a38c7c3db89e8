"""`ginpeer demo`: it runs two real processes, writes one valid log and leaves nothing behind."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from cli.commands.demo import parse_event
from cli.failure import Failure
from cli.main import main
from tests.cli.started import COMMAND, start

SHORT = ("--rules", "standard target=1")


def _demo(folder, *arguments, **environment):
    """Start the demo as a process that keeps its temporary files in *folder*."""
    return start(
        [*COMMAND, "demo", *SHORT, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(folder), "PYTHONUNBUFFERED": "1", **environment},
    )


def _processes_of(folder):
    """Return the command lines of running processes that name this folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes()
        except OSError:  # the process has just ended
            continue
        if str(folder).encode() in line:
            found.append(line)
    return found


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="looks into /proc")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stopped_demo_leaves_nothing_behind(tmp_path, number):
    demo = _demo(tmp_path)
    with demo:
        demo.stdout.readline()
        while not _processes_of(tmp_path):
            assert demo.poll() is None
        demo.send_signal(number)
        _, err = demo.communicate(timeout=60)
    assert demo.returncode == 128 + number
    assert err.count("\n") == 1
    assert _processes_of(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_a_player_that_fails_is_told_and_ends_the_demo(tmp_path):
    """Without libsodium, neither player can start."""
    demo = _demo(tmp_path, GINPEER_GROUP="pure")
    _, err = demo.communicate(timeout=60)
    assert demo.returncode == 70
    assert "status 70" in err
    assert "libsodium" in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten(tmp_path, capsys):
    file = tmp_path / "precious"
    file.write_text("mine")
    assert main(["demo", "--keep", str(file)]) == 2
    assert "already exists" in capsys.readouterr().err
    assert file.read_text() == "mine"


def test_rules_that_cannot_be_played_are_wrong_usage(capsys):
    assert main(["demo", "--rules", "standard target=no"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_line_for_programs_is_read_back():
    line = r'event end code=finished text="It\u0027s \"over\"." status=0 log="/a b/c"'
    assert parse_event(line) == (
        "end",
        {"code": "finished", "text": 'It\'s "over".', "status": "0", "log": "/a b/c"},
    )
    assert parse_event("invite: gin1-abcd") == ("", {})


def test_where_the_log_is_to_go_is_looked_at_before_anything_is_played(tmp_path, capsys):
    for keep in (tmp_path / "no" / "folder", tmp_path / ("x" * 300), tmp_path):
        assert main(["demo", "--keep", str(keep)]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_match_that_fails_leaves_no_empty_log(tmp_path, monkeypatch, capsys):
    def failing(*_):
        raise Failure("too-slow", "It took too long.", 70)

    monkeypatch.setattr("cli.commands.demo._play", failing)
    assert main(["demo", "--keep", str(tmp_path / "log")]) == 70
    assert list(tmp_path.iterdir()) == []
