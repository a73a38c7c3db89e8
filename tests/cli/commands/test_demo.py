"""`ginpeer demo`: it runs two real processes, writes one valid log and leaves nothing behind."""

import errno
import os
import signal
import subprocess
from pathlib import Path
from unittest.mock import Mock

import pytest

from cli.commands import demo
from cli.commands.demo import parse_event
from cli.main import main
from cli.program import Failure
from tests.cli.started import COMMAND, start
from tests.matches.recorded import recorded

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
    """Return the command line of every running process that names this folder in it."""
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
def test_a_stopped_demo_leaves_nothing_behind(tmp_path):
    demo = _demo(tmp_path)
    with demo:
        demo.stdout.readline()
        while not _processes_of(tmp_path):
            assert demo.poll() is None
        demo.send_signal(signal.SIGTERM)
        _, err = demo.communicate(timeout=60)
    assert demo.returncode == 128 + signal.SIGTERM
    assert err.count("\n") == 1
    assert _processes_of(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_a_failing_player_is_reported_and_ends_the_demo(tmp_path, monkeypatch, capsys):
    """Without libsodium, neither player can start."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("GINPEER_GROUP", "pure")
    assert main(["demo", *SHORT]) == 70
    err = capsys.readouterr().err
    assert "status 70" in err
    assert "libsodium" in err
    assert "(player-failed)" in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten(tmp_path, capsys):
    file = tmp_path / "precious"
    file.write_text("mine")
    assert main(["demo", "--keep", str(file)]) == 2
    assert "already exists" in capsys.readouterr().err
    assert file.read_text() == "mine"


def test_unplayable_rules_are_a_usage_error(capsys):
    assert main(["demo", "--rules", "standard target=no"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_an_event_line_is_parsed_back():
    line = r'event end code=finished text="It\u0027s \"over\"." status=0 log="/a b/c"'
    assert parse_event(line) == (
        "end",
        {"code": "finished", "text": 'It\'s "over".', "status": "0", "log": "/a b/c"},
    )
    assert parse_event("invite: gin1-abcd") == ("", {})


def test_the_log_path_is_checked_before_anything_is_played(tmp_path, capsys):
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


def test_a_log_that_cannot_be_saved_is_reported_and_removed(tmp_path, monkeypatch, capsys):
    log, full = tmp_path / "log", OSError(errno.ENOSPC, "full")
    log.write_bytes(b"log")
    monkeypatch.setattr("cli.commands.demo._play", lambda *_: (log, log))
    monkeypatch.setattr(os, "write", Mock(side_effect=[1, full]))
    assert main(["demo", "--keep", str(tmp_path / "kept")]) == 2
    assert "full. (cannot-keep)" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [log]


class Player:
    """A player that has printed its invite and ended. Subclasses end differently, or not at all."""

    printed, has_ended, without_log, failing = ("invite: gin1",), True, "", ""

    def __init__(self, role, folder, *arguments):
        self.role = role
        self.log = None if role == self.without_log else "log"

    @property
    def ended(self):
        return self.has_ended or self.role == self.failing

    def lines(self):
        return self.printed

    def check(self):
        if self.role == self.failing:
            raise Failure("player-failed", "The player failed.")

    def stop(self):
        pass


@pytest.fixture
def outcome(monkeypatch, capsys):
    """Return a function that runs a demo whose players have these attributes of `Player`, and
    returns the exit status and the code of the error."""

    def outcome(**fate):
        monkeypatch.setattr(demo, "BotProcess", type("Fated", (Player,), fate))
        status = main(["demo"])
        return status, capsys.readouterr().err.rpartition("(")[2].rstrip(")\n")

    return outcome


@pytest.mark.parametrize(
    ("code", "fate"),
    [
        ("no-invite", {"printed": ()}),
        ("player-failed", {"printed": (), "failing": "host"}),
        ("player-failed", {"has_ended": False, "failing": "guest"}),
        ("not-finished", {"without_log": "host"}),
        ("not-finished", {"without_log": "guest"}),
    ],
)
def test_a_player_that_does_not_finish_ends_the_demo(outcome, code, fate):
    assert outcome(**fate) == (70, code)


def test_players_that_do_nothing_end_the_demo(outcome, monkeypatch):
    monkeypatch.setattr(demo, "TIMEOUT", 0)
    assert outcome(has_ended=False) == (70, "too-slow")


@pytest.mark.parametrize("when", ["waiting", "reading"])
def test_ctrl_c_is_not_reported_as_a_failure_of_the_players(outcome, monkeypatch, when):
    def interrupt(*_):
        signal.raise_signal(signal.SIGINT)
        demo.BotProcess.has_ended, demo.BotProcess.failing = True, "host"

    def lines(player):
        yield from player.printed
        if demo.BotProcess.printed:
            demo.BotProcess.printed = ()
        elif when == "reading":
            interrupt()

    monkeypatch.setattr(demo.time, "sleep", interrupt if when == "waiting" else lambda _: None)
    assert outcome(has_ended=False, lines=lines) == (130, "stopped")


@pytest.fixture
def played(tmp_path, monkeypatch):
    """Let a demo find its match already played; return the paths of the two logs."""
    logs = recorded().write(tmp_path / "host"), recorded().write(tmp_path / "guest")
    monkeypatch.setattr(demo, "_play", lambda *_: tuple(map(str, logs)))
    return logs


def test_logs_that_differ_are_a_failure(played, capsys):
    played[1].write_bytes(b"other")
    assert main(["demo"]) == 70
    assert "(logs-differ)" in capsys.readouterr().err


def test_a_signal_during_the_verification_stops_the_demo(played, monkeypatch, capsys):
    verdict_on = demo.verdict_on

    def interrupted(record):
        signal.raise_signal(signal.SIGTERM)
        return verdict_on(record)

    monkeypatch.setattr(demo, "verdict_on", interrupted)
    assert main(["demo"]) == 128 + signal.SIGTERM
    assert "(stopped)" in capsys.readouterr().err
