"""Run a program on a pseudo-terminal, and type whenever it is idle.

A program is idle when it has been silent for a while and has used no processor time meanwhile,
however busy the machine is. Its own clock is slow (seeded.py), so it prints nothing merely because
time has passed.
"""

from __future__ import annotations

import getpass
import os
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pexpect

from ginpeer.store.small_files import change_settings

ROOT = Path(__file__).parents[2]
SECONDS = 120.0
"""How long a program may take to become idle."""
REST = 0.2  # seconds of silence, with or without a prompt
PLAY = "PLAY"

_PROMPT = re.compile(r"(?:^|[\r\n\x07]|\x1b\[K)([^\r\n\x07]*> )$")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class Program:
    """One program, and everything that its terminal received."""

    def __init__(self, home: Path, arguments: Sequence[str], *, slower: int) -> None:
        home.mkdir()
        change_settings(home / "home", name=getpass.getuser())  # so that no program asks for it
        environ = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            "HOME": str(home),
            "GINPEER_HOME": "home",
            "TERM": "xterm",
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        command = ["-m", "tests.goldens.seeded", f"--slower={slower}", home.name, *arguments]
        self._terminal = pexpect.spawn(
            sys.executable, command, cwd=home, env=environ, dimensions=(24, 80), encoding="utf-8",
            timeout=SECONDS,
        )  # fmt: skip
        self.got = ""
        self.ended = False

    @property
    def asked(self) -> str:
        """Return the program's current question, or "" if there is none."""
        found = None if self.ended else _PROMPT.search(self.got)
        return "" if found is None else _COLOUR.sub("", found[1])

    def text(self) -> str:
        """Return everything that the terminal received, and the exit status."""
        self._terminal.close(force=True)
        got = self.got.replace("\r\n", "\n")
        return f"{got}\n[exit status {self._terminal.exitstatus}]\n"

    def type(self, line: str) -> None:
        if not self.ended:
            self._terminal.sendline(line)

    def end_input(self) -> None:
        if not self.ended:
            self._terminal.sendeof()

    def processor_time(self) -> int:
        """Read the output; return the processor time of all threads, in nanoseconds."""
        try:
            while not self.ended:
                self.got += self._terminal.read_nonblocking(65536, 0)
        except pexpect.TIMEOUT:
            pass
        except pexpect.EOF:
            self.ended = True
        threads = Path(f"/proc/{self._terminal.pid}/task").glob("*/schedstat")
        return len(self.got) + sum(_nanoseconds(thread) for thread in threads)


def _nanoseconds(path: Path) -> int:
    try:
        return int(path.read_text("ascii").split()[0])
    except (OSError, IndexError):
        return 0


def rest(program: Program) -> bool:
    """Wait until the program is idle. Return False if it has ended."""
    deadline = time.monotonic() + SECONDS
    before = -1
    while time.monotonic() < deadline:
        now = program.processor_time()
        if now == before or program.ended:
            break
        before = now
        time.sleep(REST)
    return not program.ended


def play(program: Program) -> None:
    """Play a turn as `hint` advises. Answer yes to questions."""
    if program.asked.endswith("yes or no> "):
        program.type("yes")
    else:
        before = len(program.got)
        program.type("hint")
        if rest(program):
            program.type(_advised(program.got[before:]))


def _advised(text: str) -> str:
    """Return the line that follows the advice in this text; "" (Enter) if there is none."""
    advice = _ADVICE.search(_COLOUR.sub("", text.replace("\r", "")))
    if advice is None:
        return ""
    verb = _VERBS[advice[1][:4]]
    if verb not in ("knock", "discard"):
        return verb
    return f"{verb} {advice[3]}{'shdc'['♠♥♦♣'.index(advice[4])]}" if advice[3] else verb


_ADVICE = re.compile(
    r"^(Draw|Tak|Pass|Throw|Discard|Knock|Go)(?:e|ing)?\b([^.,:;]*?(10|[A2-9JQK])([♠♥♦♣]))?",
    re.MULTILINE,
)
_VERBS = {
    "Draw": "draw",
    "Tak": "take",
    "Pass": "pass",
    "Thro": "discard",
    "Disc": "discard",
    "Knoc": "knock",
    "Go": "gin",
}
