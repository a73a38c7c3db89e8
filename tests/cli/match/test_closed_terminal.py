"""A program always ends when its terminal closes or a signal tells it to, whatever it is waiting
for. If it kept running, no other program could use its match."""

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from functools import partial
from types import SimpleNamespace

import pytest
from twisted.internet.task import Clock

from cli.match import process as last_resort
from ginpeer.net.address import Address
from ginpeer.net.codes import Invite
from tests.cli.match.sides import PATIENCE, Side
from tests.cli.started import ROOT, named, start
from tests.cli.table.script import ginpeer
from tests.free_port import free_port

pexpect = pytest.importorskip("pexpect")
termios = pytest.importorskip("termios")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals there")

from tests.cli.table.test_terminal import ASKS, Terminal  # noqa: E402  # imports pexpect, too

SOON = 6.0
"""How many seconds a program may take to end on a busy machine; the last resort takes longer."""


def ended(process, seconds=SOON):
    """Return the exit status of a process or pexpect.spawn, even if its terminal is closed."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        pid, status = os.waitpid(process.pid, os.WNOHANG)
        if pid:
            process.terminated = True  # so that pexpect knows
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    os.waitpid(process.pid, 0)
    raise AssertionError(f"it is still there after {seconds} seconds")


def close(child):
    """Close the terminal, but do nothing else that pexpect's close() does."""
    child.ptyproc.fileobj.close()
    child.closed = child.ptyproc.closed = True


def fill(child, order):
    """Type *order* repeatedly without reading the output, until the terminal's buffer is full."""
    os.set_blocking(child.child_fd, False)
    with contextlib.suppress(BlockingIOError):
        for _ in range(100):
            os.write(child.child_fd, order * 20)
            time.sleep(0.02)
    time.sleep(0.3)


@pytest.fixture
def playing(tmp_path):
    """Return the host and a guest in the middle of a hand."""
    host = Side(tmp_path / "ann")
    where = ("--listen", f"127.0.0.1:{free_port()}")
    host.start("host", "--bot", *PATIENCE, "--rules", "standard hands=1", *where)
    guest = Terminal(tmp_path / "ben", "join", host.invite())
    guest.accepts()
    guest.asked()
    yield host, guest
    if host.process.poll() is None:
        host.kill()


def test_losing_the_terminal_and_the_other_player_at_once_ends_the_program(playing):
    """This happens when a desktop session closes. The program used to keep the table for the other
    player, and no signal ended it."""
    host, guest = playing
    guest.child.kill(signal.SIGSTOP)
    host.kill()
    close(guest.child)
    guest.child.kill(signal.SIGCONT)
    assert ended(guest.child) == 4


def test_a_terminal_closed_during_a_match_does_not_end_the_other_table(playing):
    """The terminal itself closes, so reading from it and writing to it fail, too."""
    host, guest = playing
    close(guest.child)
    host.wait_for("^event away")
    assert host.process.poll() is None
    assert "event end" not in host.text
    assert ended(guest.child) == 4


@pytest.mark.deep
def test_a_later_request_to_end_is_obeyed_while_waiting_for_the_terminal(playing):
    _, guest = playing
    child, terminal = guest.child, os.dup(guest.child.child_fd)
    try:
        assert not termios.tcgetattr(terminal)[3] & termios.ECHO
        fill(child, b"rules\r")
        begun = time.monotonic()
        child.kill(signal.SIGTERM)
        child.kill(signal.SIGHUP)  # at the same moment, as a service manager does
        time.sleep(last_resort.REPEATED_REQUEST / 2)
        assert os.waitpid(child.pid, os.WNOHANG)[0] == 0
        time.sleep(last_resort.REPEATED_REQUEST)
        child.kill(signal.SIGTERM)
        assert ended(child) == 128 + signal.SIGTERM
        assert time.monotonic() - begun < last_resort.MUST_END_WITHIN
        assert termios.tcgetattr(terminal)[3] & termios.ECHO
    finally:
        os.close(terminal)


def test_ctrl_break_is_obeyed_like_sigterm_and_ctrl_c_sets_no_time_limit(monkeypatch):
    handlers, called = {}, []
    monkeypatch.setattr(signal, "SIGBREAK", signal.SIGUSR1, raising=False)  # only Windows has it
    monkeypatch.setattr(signal, "signal", handlers.__setitem__)
    monkeypatch.setattr(signal, "getsignal", lambda number: signal.SIG_DFL)
    here = SimpleNamespace(
        callFromThread=lambda call, *given: call(*given), callLater=lambda *given: None
    )
    heard = partial(called.append, "heard")  # or the next Ctrl-C would end the program at once
    last = SimpleNamespace(signalled=lambda number, *, ends: called.append(ends), note_heard=heard)
    names = ("interrupt", "leave", "hang up")
    last_resort.obey_signals(here, *(partial(called.append, name) for name in names), last)
    handlers[signal.SIGUSR1](signal.SIGUSR1, None)
    handlers[signal.SIGINT](signal.SIGINT, None)
    assert called == [True, "heard", "leave", False, "heard", "interrupt"]


def run_resort(body):
    """Run a program that only the last resort can end; return its exit status."""
    program = textwrap.dedent(
        """\
        import os, signal, threading, time
        from types import SimpleNamespace
        from cli.match import process as last_resort
        last_resort.MUST_END_WITHIN = 0.3
        last = last_resort.LastResort(SimpleNamespace(seconds=time.monotonic), lambda: 1 / 0)
        signal.signal(signal.SIGTERM, lambda number, _: last.signalled(number, ends=True))
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", program + textwrap.dedent(body)],
        capture_output=True,
        timeout=20,
        cwd=ROOT,
    )
    return done.returncode


STUCK = """
os.kill(os.getpid(), 15)
lock = threading.Lock()
lock.acquire()
lock.acquire()
"""
OWN_TIMER = """
signal.signal(14, lambda *_: os._exit(8))
signal.setitimer(signal.ITIMER_REAL, 0.1)
os.kill(os.getpid(), 15)
time.sleep(5)
"""


@pytest.mark.parametrize(
    ("body", "status"),
    [
        pytest.param(OWN_TIMER, 8, id="a timer of the program's own that fires earlier is kept"),
        pytest.param(STUCK, 143, id="one request is enough, even if no terminal can be restored"),
    ],
)
@pytest.mark.deep(keep=1)
def test_the_last_resort_ends_a_program_that_waits_for_ever(body, status):
    assert run_resort(body) == status


@pytest.fixture
def last(monkeypatch):
    """Return a last resort that raises SystemExit instead of ending the program at once."""
    monkeypatch.setattr(os, "_exit", sys.exit)
    return last_resort.LastResort(Clock(), lambda: 1 / 0)


def interrupted(last, *, after=0.0):
    """Press Ctrl-C. Return the exit status if that ends the program, or None."""
    last._clock.advance(after)
    try:
        last.signalled(signal.SIGINT, ends=False)
    except SystemExit as end:
        return end.code
    return None


def test_ctrl_c_twice_ends_a_program_only_if_it_did_not_react_in_time(last):
    assert interrupted(last) is None
    assert interrupted(last, after=last_resort.REPEATED_REQUEST - 0.1) is None
    assert interrupted(last, after=0.1) == 130
    last.note_heard()
    assert interrupted(last) is None


def test_ctrl_c_ends_a_program_whose_end_takes_long(last):
    last.note_ending()
    assert interrupted(last, after=last_resort.REPEATED_REQUEST) == 130


NO_ANSWER = """
import socket, sys, time
real = socket.getaddrinfo
def ask(host, *given, **more):
    if host == "silent.example":
        time.sleep(60)
    return real(host, *given, **more)
socket.getaddrinfo = ask
from cli.main import main
sys.exit(main())
"""


def test_ending_does_not_wait_for_a_name_server(tmp_path):
    invite = Invite(b"h" * 16, b"s" * 10, (Address("silent.example", 9),))
    command = [sys.executable, "-c", NO_ANSWER, "--home", str(tmp_path), "join", str(invite)]
    done = subprocess.run(command, input=b"", capture_output=True, timeout=30, cwd=ROOT)
    assert done.returncode == 4


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
@pytest.mark.parametrize("order", ["kill %1", "kill -HUP %1"])
@pytest.mark.deep(keep=1)
def test_a_stopped_program_can_be_ended_by_its_shell(tmp_path, order):
    """The shell continues the program so that it can end. It used to stop again because it read
    from a terminal that belonged to the shell."""
    environ = {**os.environ, "TERM": "xterm", "NO_COLOR": "1", "PS1": "$ ", "COLUMNS": ""}
    shell = pexpect.spawn(
        "bash", ["--norc", "--noprofile", "--noediting", "-i"],
        env=environ, encoding="utf-8", timeout=30, cwd=ROOT, dimensions=(50, 200),
    )  # fmt: skip
    try:
        shell.expect(r"\$ ")
        shell.sendline(shlex.join(ginpeer(named(tmp_path), "practice")))
        shell.expect(list(ASKS.values()))
        pid = os.tcgetpgrp(shell.child_fd)
        shell.send("\x1a")
        shell.expect("Stopped")
        shell.sendline(order)
        deadline = time.monotonic() + SOON
        with contextlib.suppress(ProcessLookupError):  # the shell has reaped the process
            while time.monotonic() < deadline:
                os.kill(pid, 0)
                time.sleep(0.05)
            raise AssertionError("it is still there")
        shell.sendline("stty -a")  # bash has restored the terminal
        shell.expect(" echo ")
    finally:
        shell.close(force=True)


LINK = ("link", "--listen", "127.0.0.1:0")


def test_a_link_notices_a_closed_terminal_without_a_signal(tmp_path):
    """The link gets no signal because this isn't its controlling terminal."""
    master, slave = os.openpty()
    with open(slave, "wb", buffering=0) as on:
        link = start(ginpeer(tmp_path, *LINK), stdin=on, stdout=on, stderr=on)
    told = os.read(master, 100)
    os.close(master)
    assert ended(link) == 0
    assert told.startswith(b"invite: ")


def test_a_link_ends_once_its_output_is_no_longer_read(tmp_path):
    link = start(ginpeer(tmp_path / "ann", *LINK), stdout=subprocess.PIPE, text=True)
    invite = link.stdout.readline().split()[1]
    told = [link.stdout.readline() for _ in range(5)]
    assert told[-1].startswith("The other table hasn't sent anything yet.")
    link.stdout.close()
    friend = start(ginpeer(tmp_path / "ben", "link", invite), stdout=subprocess.DEVNULL)
    try:
        assert ended(link) == 141
        assert friend.wait(SOON) == 0
    finally:
        friend.kill()
        friend.wait()
