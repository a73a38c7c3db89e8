"""A program that runs out of memory in the middle of a hand says so and ends."""

import os
import sys
from dataclasses import replace
from errno import EIO, ENOMEM

import pytest
from OpenSSL import SSL
from twisted.internet.task import Clock
from twisted.python.failure import Failure

from cli.main import main
from cli.program import OUR_FAULT, STATUS_OF
from ginpeer.net.close_reasons import fault_of, is_out_of_memory
from ginpeer.net.interfaces import PeerInfo
from ginpeer.net.session import Session
from ginpeer.net.timing import TimeGrid
from ginpeer.store import Home, Journal, read_log
from tests.net.support import HOST_KEY, a_guest
from tests.net.test_grid import Opened, a_host
from tests.net.test_session_alone import Wire, begun

linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc and sets RLIMIT_AS")

PLAYS = """
import resource, sys
import cli.match.bot_player

kept = [None] * 4_000_000
real, count = cli.match.bot_player.choose, 0

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


def says_so_and_ends(script):
    assert script.process.wait(60) == OUR_FAULT
    assert script.process.stderr.read() == (
        "ginpeer: this program has run out of memory; what was stored is safe. (out-of-memory)\n"
    )


@linux
@pytest.mark.parametrize("victim", ["host", "guest"])
@pytest.mark.deep(keep=1)
def test_a_player_out_of_memory_says_so_ends_and_can_resume_later(tmp_path, start_script, victim):
    homes = {role: tmp_path / role for role in ("host", "guest")}
    code = {role: PLAYS if role == victim else None for role in homes}
    host = start_script(
        *(homes["host"], "host", "--bot", "--name", "Ada", "--listen", "127.0.0.1:0"),
        *("--rules", "standard hands=2"),
        code=code["host"],
    )
    invite = host.invite()
    guest = start_script(
        homes["guest"], "join", "--bot", "--name", "Ben", invite, code=code["guest"]
    )
    scripts = {"host": host, "guest": guest}
    says_so_and_ends(scripts.pop(victim))
    (match,) = Home(homes[victim]).logs()
    before = read_log(match.path).entries
    assert len(before) > 10
    with Journal.reopen(match.path) as journal:  # no entry is lost, and the lock is released
        assert tuple(journal.entries) == before
    (other,) = scripts.values()
    end = other.wait_for("end")
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
    """Twisted closes a transport if reading raises any exception."""
    door = Opened(a_host(eager=False).side, Clock())
    session = door._session
    door.connectionLost(Failure(MemoryError()))
    assert (session.ending.code, session.ending.failure) == ("out-of-memory", "C")


def test_the_program_is_told_of_a_fault_first():
    told = []
    side, clock = replace(a_guest(eager=False).side, caught=told.append), Clock()
    peer = PeerInfo(HOST_KEY.public, "", "")
    session = Session(side, peer, Wire(), clock, TimeGrid(clock, 0))
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
    "a typed line": "Console._received",  # the reactor calls it and drops its exceptions
    "the thread that reads": "Console._read",
}


@pytest.mark.parametrize("what", DROPS)
@pytest.mark.deep(keep=1)
def test_a_lack_of_memory_where_errors_are_dropped_ends_the_program(tmp_path, start_script, what):
    code = f"""
import sys
from cli.terminal.console import Console

def short(*arguments):
    raise MemoryError

{DROPS[what]} = short
from cli.main import main
sys.exit(main())
"""
    script = start_script(tmp_path, "practice", code=code)
    script.send("hand")
    says_so_and_ends(script)
