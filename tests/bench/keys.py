"""Measure how many bytes a real pseudo-terminal is sent for each key, by us and by other programs.

A screen reader speaks what changes, so each byte that repeats text already on screen may be heard
again. The same keys are typed at programs that have only a prompt: ours
(tests.cli.terminal.sitting), and one made with prompt_toolkit and one with twisted.conch's
recvline, if they can be imported. News arrives while a line is half typed, and each program shows
it in its own way: prompt_toolkit with its patch_stdout, recvline as conch's Manhole does.

Run by hand: `python -m tests.bench.keys`; it takes fifteen seconds for each program.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from tests.cli.terminal.sitting import NEWS, PROMPT
from tests.cli.terminal.sitting import main as ours

_LINE = "say well played, Bob"
_AT_MOST = 2.0  # the longest wait for a key to show, in seconds
_QUIET = 0.25  # seconds of silence after which the key has been shown
_CURSOR_ASKED, _CURSOR_TOLD = b"\x1b[6n", b"\x1b[1;1R"  # ECMA-48 8.3.35, which prompt_toolkit sends


@dataclass(frozen=True, slots=True)
class Step:
    """Keys to press one by one. If there are none, a message arrives instead."""

    name: str
    keys: tuple[str, ...] = ()


SCRIPT = (
    Step("20 letters", tuple(_LINE)),
    Step("5 times left", ("\x1b[D",) * 5),
    Step("a letter in the middle", ("x",)),
    Step("backspace in the middle", ("\x7f",)),
    Step("home", ("\x1b[H",)),
    Step("end", ("\x1b[F",)),
    Step("left once more", ("\x1b[D",)),
    Step("news"),
    Step("Enter", ("\r",)),
    Step("up: the line again", ("\x1b[A",)),
    Step("Ctrl-U", ("\x15",)),
)


def _prompt_toolkit() -> None:
    import asyncio

    from prompt_toolkit import PromptSession
    from prompt_toolkit.patch_stdout import patch_stdout

    async def sit() -> None:
        session: Any = PromptSession()
        asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, lambda: print(NEWS))
        with patch_stdout():
            while True:
                print(f"read: {await session.prompt_async(PROMPT)}")

    asyncio.run(sit())


def _recvline() -> None:
    from twisted.conch.recvline import HistoricRecvLine
    from twisted.conch.stdio import runWithProtocol
    from twisted.internet import reactor

    class Sitting(HistoricRecvLine):
        ps = (PROMPT.encode(), b"")

        def connectionMade(self) -> None:
            super().connectionMade()
            signal.signal(signal.SIGUSR1, lambda *_: reactor.callFromThread(self.news))

        def lineReceived(self, line: bytes) -> None:
            self.terminal.write(b"read: " + line)
            self.terminal.nextLine()
            self.terminal.write(self.ps[self.pn])

        def news(self) -> None:
            self.terminal.eraseLine()
            self.terminal.cursorBackward(len(self.lineBuffer) + len(self.ps[self.pn]))
            self.terminal.write(NEWS.encode())
            self.terminal.nextLine()
            self.terminal.write(self.ps[self.pn])
            typed, self.lineBuffer, self.lineBufferIndex = self.lineBuffer, [], 0
            self._deliverBuffer(b"".join(typed))  # a list, as in Manhole, can't be sent

    runWithProtocol(Sitting)


PROGRAMS: dict[str, tuple[str, Callable[[], None]]] = {
    "ours": ("cli", ours),
    "prompt_toolkit": ("prompt_toolkit", _prompt_toolkit),
    "recvline": ("twisted.conch", _recvline),
}
"""Each program with the package that it needs."""


class Terminal:
    """A program on a pseudo-terminal of 80 columns."""

    def __init__(self, program: str) -> None:
        import pty
        import termios

        self._pid, self._fd = pty.fork()
        if not self._pid:
            os.environ.update(TERM="xterm", PYTHONUNBUFFERED="1")
            command = [sys.executable, "-m", "tests.bench.keys", "--program", program]
            os.execv(command[0], command)
        termios.tcsetwinsize(self._fd, (24, 80))

    def shows(self, wanted: bytes = b"", patience: float = _AT_MOST) -> bytes:
        """Return everything sent from now on until the program is quiet."""
        told = b""
        deadline = time.monotonic() + patience
        while True:
            open_ = wanted not in told or (not told and time.monotonic() < deadline)
            if not select.select([self._fd], [], [], _AT_MOST if open_ else _QUIET)[0]:
                if wanted in told or time.monotonic() > deadline:
                    return told
                continue
            piece = os.read(self._fd, 65_536)
            told += piece
            if _CURSOR_ASKED in piece:
                os.write(self._fd, _CURSOR_TOLD)

    def press(self, key: str) -> bytes:
        os.write(self._fd, key.encode())
        return self.shows()

    def news(self) -> bytes:
        os.kill(self._pid, signal.SIGUSR1)
        return self.shows(NEWS.encode())

    def close(self) -> None:
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        os.close(self._fd)


def measured(program: str) -> Iterator[tuple[str, int, int]]:
    """Yield each step's name, its number of keys, and the bytes that they caused."""
    terminal = Terminal(program)
    try:
        yield "beginning", 1, len(terminal.shows(PROMPT.encode(), patience=20.0))
        for step in SCRIPT:
            pressed = [terminal.press(key) for key in step.keys] or [terminal.news()]
            yield step.name, len(pressed), sum(map(len, pressed))
    finally:
        terminal.close()


def importable(package: str) -> bool:
    """Return whether the package is installed here."""
    with contextlib.suppress(ImportError):
        return find_spec(package) is not None
    return False


def main() -> None:
    """Print the table."""
    if sys.argv[1:2] == ["--program"]:
        PROGRAMS[sys.argv[2]][1]()
        return
    programs = [name for name, (package, _) in PROGRAMS.items() if importable(package)]
    found = {program: list(measured(program)) for program in programs}
    print("bytes sent to the terminal".ljust(32) + "".join(name.rjust(16) for name in programs))
    for at, (name, keys, _) in enumerate(found["ours"]):
        amounts = [found[program][at][2] for program in programs]
        print(name.ljust(32) + "".join(str(amount).rjust(16) for amount in amounts))
        if keys > 1:
            each = (f"{amount / keys:.1f}".rjust(16) for amount in amounts)
            print("  each".ljust(32) + "".join(each))
    totals = (sum(amount for _, _, amount in found[program]) for program in programs)
    print("all of it".ljust(32) + "".join(str(total).rjust(16) for total in totals))
    for program, (package, _) in PROGRAMS.items():
        if program not in programs:
            print(f"{program} was not measured: {package} is not installed here.")


if __name__ == "__main__":
    main()
