"""What the console reads, even when its terminal is gone or belongs to a shell."""

import io
import os
import sys
from contextlib import suppress
from threading import Thread
from types import SimpleNamespace

import pytest

from cli.terminal.console import Console, KeyMode
from cli.terminal.line_input import EndOfInput, TypedLine

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals there")


@pytest.fixture
def terminal():
    """Return both ends of a pseudo-terminal that isn't our controlling terminal, the master's
    first."""
    master, slave = os.openpty()
    with open(master, "wb") as other, open(slave) as stdin:
        yield other, stdin


def console_of(stdin, call=lambda call, *arguments: call(*arguments)):
    return Console(stdin, io.StringIO(), call, {})


def test_a_terminal_is_gone_once_it_is_closed_or_can_no_longer_be_written(terminal):
    other, stdin = terminal
    console = console_of(stdin)
    console.interactive = True
    assert not console.terminal_gone
    console.broken = OSError()
    assert console.terminal_gone
    console.broken = None
    other.close()
    assert console.terminal_gone


def test_a_terminal_that_does_not_control_us_is_not_read_in_the_foreground(terminal):
    assert not console_of(terminal[1]).in_foreground


def read_all(console):
    """Read to the end, as the console's own thread does; return the events."""
    events = []

    def take(event):
        events.append(event)
        if len(events) > 9:
            sys.exit()  # nothing else would end this thread
        return True

    console._taker = take
    reader = Thread(target=console._read)
    reader.start()
    reader.join()
    return events


class _WindowsConsoleIO:
    """A Windows console: a read returns no bytes when Ctrl-C is pressed."""

    def __init__(self):
        self.reads = [b"", b"draw\n", OSError()]

    def read(self, size):
        data = self.reads.pop(0)
        if isinstance(data, OSError):
            raise data
        return data


def test_ctrl_c_at_a_windows_console_is_not_the_end_of_the_input(monkeypatch):
    monkeypatch.setattr(Console, "in_foreground", True)
    buffer = SimpleNamespace(raw=_WindowsConsoleIO())
    stdin = SimpleNamespace(isatty=lambda: True, buffer=buffer)
    assert read_all(console_of(stdin)) == [TypedLine("draw"), EndOfInput()]


@pytest.mark.parametrize("foreground", [True, False])
def test_only_a_program_in_the_background_waits_after_a_failed_read(monkeypatch, foreground):
    reads = [OSError(), b"draw\n", b""]

    def read(_):
        data = reads.pop(0)
        if isinstance(data, OSError):
            raise data
        return data

    monkeypatch.setattr(Console, "in_foreground", foreground)
    monkeypatch.setattr(Console, "_wait_for_foreground", lambda self: self._read_on.release())
    stdin = SimpleNamespace(
        isatty=lambda: True, buffer=SimpleNamespace(raw=SimpleNamespace(read=read))
    )
    events = read_all(console_of(stdin))
    assert events == ([] if foreground else [TypedLine("draw")]) + [EndOfInput()]


def test_the_lines_after_one_that_fails_are_obeyed_in_the_next_turn():
    calls, taken = [], []

    def take(event):
        taken.append(event)
        if event == TypedLine("bad"):
            raise ZeroDivisionError
        return True

    console = console_of(None, lambda *call: calls.append(call))
    console._taker = take
    for data in (b"bad\nbad\ndraw\n", b"bad\n"):  # also if "bad" is the last line of a read
        with pytest.raises(ZeroDivisionError):
            console._received(data)
        while calls:
            call, *arguments = calls.pop(0)
            with suppress(ZeroDivisionError):
                call(*arguments)
        assert console._read_on.acquire(blocking=False)  # so the next lines are read
    assert taken == [TypedLine(text) for text in ("bad", "bad", "draw", "bad")]


# --- key mode -------------------------------------------------------------------------------


def nothing():
    pass


def test_only_a_terminal_has_a_key_mode():
    import termios  # Windows has none

    with open(os.devnull) as stdin, pytest.raises(termios.error):
        KeyMode(stdin.fileno(), nothing, nothing)


def test_key_mode_returns_only_to_our_own_terminal(terminal, monkeypatch):
    ours, others = os.getpgrp(), os.getpgrp() + 1
    with open(os.devnull) as device:
        for stdin, group, returns in (
            (terminal[1], ours, True),
            (terminal[1], others, False),
            (device, ours, False),
            (device, None, False),
        ):
            mode = KeyMode.__new__(KeyMode)
            mode._fd = stdin.fileno()
            with monkeypatch.context() as patch:
                if group is not None:
                    patch.setattr(os, "tcgetpgrp", lambda fd, group=group: group)
                assert mode._take_back() is returns
