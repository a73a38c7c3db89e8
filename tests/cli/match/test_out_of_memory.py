"""A program that runs out of memory in the middle of a hand says so and ends."""

import os
import subprocess
import sys
import textwrap
import time
from contextlib import ExitStack
from dataclasses import replace
from errno import EIO, ENOMEM
from pathlib import Path

import pytest
from OpenSSL import SSL
from twisted.internet.task import Clock
from twisted.python.failure import Failure

from cli.commands.demo import parse_event
from cli.failure import OUR_FAULT, STATUS_OF
from cli.main import main
from ginpeer.net.close_reasons import fault_of, is_out_of_memory
from ginpeer.net.interfaces import PeerInfo
from ginpeer.net.session import Session
from ginpeer.store import Home, Journal, read_log
from tests.cli.started import COMMAND, start
from tests.net.support import HOST_KEY, a_guest
from tests.net.test_grid import Opened, a_host
from tests.net.test_session_alone import Wire, begun

linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc and sets RLIMIT_AS")
ROOT = Path(__file__).parents[3]

HOG = """
    import resource, sys

    kept = [None] * 4_000_000

    def hog():
        '''No more address space than there is, and none of it free.'''
        status = open('/proc/self/status').read()
        used = 1024 * int(status.partition('VmSize:')[2].split()[0])
        resource.setrlimit(resource.RLIMIT_AS, (used, used))
        at = 0
        for size in (1 << 20, 1 << 16, 1 << 12, 512, 256, 64, 16):
            try:
                while True:
                    kept[at] = bytes(size)
                    at += 1
            except MemoryError:
                pass
"""
PLAYS = (
    HOG
    + """
    import cli.match.bot_player

    real, count = cli.match.bot_player.choose, 0

    def choose(view):
        global count
        count += 1
        if count == 2:  # each hand has one at least
            hog()
        return real(view)

    cli.match.bot_player.choose = choose
    from cli.main import main
    sys.exit(main())
"""
)


class Program:
    """A child process whose output goes to files, and which is always stopped in the end."""

    def __init__(self, stack, folder, name, *arguments, script=None, typed=None):
        self.out, self.err = folder / f"{name}.out", folder / f"{name}.err"
        command = COMMAND if script is None else [sys.executable, "-c", textwrap.dedent(script)]
        with self.out.open("wb") as out, self.err.open("wb") as err:
            self.process = start(
                [*command, *arguments],
                cwd=ROOT,
                stdin=subprocess.DEVNULL if typed is None else subprocess.PIPE,
                stdout=out,
                stderr=err,
            )
        stack.callback(self.stop)
        if typed is not None:
            self.process.stdin.write(typed)
            self.process.stdin.flush()

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        if self.process.stdin is not None:
            self.process.stdin.close()
        self.process.wait()

    def until(self, line):
        """Return the rest of the first line that begins with *line*."""
        for _ in range(600):
            for printed in self.out.read_text().splitlines():
                if printed.startswith(line):
                    return printed.removeprefix(line)
            time.sleep(0.1)
        raise AssertionError(f"it never printed {line!r}: {self.err.read_text()}")

    def end(self):
        """Return the exit status and the fields of the last line."""
        status = self.process.wait(60)
        return status, parse_event(self.out.read_text().splitlines()[-1])[1]


def says_so_and_ends(program):
    assert program.process.wait(60) == OUR_FAULT
    assert program.err.read_text() == (
        "ginpeer: this program has run out of memory; what was stored is safe. (out-of-memory)\n"
    )


def said_and_ended(program, home):
    says_so_and_ends(program)
    (match,) = Home(home).logs()
    entries = read_log(match.path).entries
    assert len(entries) > 10
    with Journal.reopen(match.path) as journal:  # nothing is lost, and the lock is released
        assert tuple(journal.entries) == entries
    return entries


@linux
@pytest.mark.parametrize("victim", ["host", "guest"])
@pytest.mark.deep(keep=1)
def test_a_player_out_of_memory_says_so_ends_and_can_resume_later(tmp_path, victim):
    homes = {role: tmp_path / role for role in ("host", "guest")}
    scripts = {role: PLAYS if role == victim else None for role in homes}
    with ExitStack() as stack:
        host = Program(
            stack, tmp_path, "host", "--home", str(homes["host"]), "host", "--bot", "--name", "Ada",
            "--listen", "127.0.0.1:0", "--rules", "standard hands=2",
            script=scripts["host"],
        )  # fmt: skip
        guest = Program(
            stack, tmp_path, "guest", "--home", str(homes["guest"]), "join", "--bot",
            "--name", "Ben", host.until("invite: "),
            script=scripts["guest"],
        )  # fmt: skip
        before = said_and_ended({"host": host, "guest": guest}[victim], homes[victim])
        other = {"host": guest, "guest": host}[victim]
        _, end = other.end()
        assert end["code"] in ("connection-lost", "peer-silent")
        kept = read_log(end["log"]).entries
    shorter = min(len(before), len(kept))
    assert before[:shorter] == kept[:shorter]


# --- the error message --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (MemoryError(), True),
        (OSError(ENOMEM, os.strerror(ENOMEM)), True),
        (SSL.Error([("SSL routines", "", "malloc failure")]), True),
        (SSL.Error([("SSL routines", "", "wrong version number")]), False),
        (OSError(EIO, os.strerror(EIO)), False),
        (ValueError("malloc failure"), False),
    ],
)
def test_errors_that_mean_a_lack_of_memory_are_recognised(error, expected):
    assert is_out_of_memory(error) is expected
    closed = fault_of(error)
    assert closed.failure == "C"
    assert (closed.code == "out-of-memory") is expected


def test_a_connection_lost_for_lack_of_memory_is_reported_as_out_of_memory():
    """Twisted closes a transport when reading raises any exception."""
    door = Opened(a_host(eager=False).side, Clock())
    session = door._session
    door.connectionLost(Failure(MemoryError()))
    assert (session.ending.code, session.ending.failure) == ("out-of-memory", "C")


def test_the_program_is_told_of_a_fault_first():
    told = []
    party = a_guest(eager=False)
    side = replace(party.side, caught=told.append)
    session = Session(side, PeerInfo(HOST_KEY.public, "", "", ""), Wire(), Clock())
    error = MemoryError()
    session.fault(error)
    assert told == [error]
    assert session.ending.code == "out-of-memory"


def test_a_journal_failing_for_lack_of_memory_is_reported_as_such():
    party = a_guest(eager=False)
    party.journal.fail_at, party.journal.error = 0, MemoryError()
    session = begun(party)
    session.receive_entry(b"0 begin")
    assert (session.ending.code, session.ending.failure) == ("out-of-memory", "C")


def test_other_commands_report_a_lack_of_memory_in_one_line(monkeypatch, capsys):
    def short(args):
        raise MemoryError

    monkeypatch.setattr("cli.commands.logs.run_logs", short)
    assert main(["logs"]) == OUR_FAULT == STATUS_OF["out-of-memory"]
    assert capsys.readouterr().err == (
        "ginpeer: this program has run out of memory; what was stored is safe. (out-of-memory)\n"
    )


DROPS = {
    "a typed line": "Console._received",  # the reactor calls it, and drops its exceptions
    "the thread that reads": "Console._read",
}


@pytest.mark.parametrize("what", DROPS)
@pytest.mark.deep(keep=1)
def test_a_lack_of_memory_where_errors_are_dropped_ends_the_program(tmp_path, what):
    script = f"""
        import sys
        from cli.terminal.console import Console

        def short(*arguments):
            raise MemoryError

        {DROPS[what]} = short
        from cli.main import main
        sys.exit(main())
    """
    with ExitStack() as stack:
        program = Program(
            stack, tmp_path, "practice", "--home", str(tmp_path / "home"), "practice",
            script=script, typed=b"hand\n",
        )  # fmt: skip
        says_so_and_ends(program)
