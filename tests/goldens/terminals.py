"""Runs programs on pseudo-terminals, and types when none of them does anything any more.

A program rests when it has been silent for a while and has used no processor time meanwhile,
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
"""The longest time that a program may take until it rests."""
REST = 0.2  # seconds of silence, with or without a prompt
PLAY = "PLAY"

_PROMPT = re.compile(r"(?:^|[\r\n\x07]|\x1b\[K)([^\r\n\x07]*> )$")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class Program:
    """One program, and everything that its terminal got."""

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
        self.typed_at = 0
        """How much the program had printed when something was last typed."""
        self.ended = False

    @property
    def asked(self) -> str:
        """Return the program's current question, or "" if there is none."""
        found = None if self.ended else _PROMPT.search(self.got)
        return "" if found is None else _COLOUR.sub("", found[1])

    def text(self) -> str:
        """Return everything that the terminal got, and the exit status."""
        self._terminal.close(force=True)
        got = self.got.replace("\r\n", "\n")
        return f"{got}\n[exit status {self._terminal.exitstatus}]\n"

    def type(self, line: str) -> None:
        if not self.ended:
            self.typed_at = len(self.got)
            self._terminal.sendline(line)

    def end_input(self) -> None:
        if not self.ended:
            self._terminal.sendeof()

    def kill(self) -> None:
        """Kill the program, as a crash would."""
        self._terminal.close(force=True)
        self.ended = True

    def processor_time(self) -> int:
        """Return the processor time of all its threads, in nanoseconds; also read its output."""
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


def rest(*programs: Program) -> bool:
    """Wait until nothing more happens. Return False if all programs have ended."""
    deadline = time.monotonic() + SECONDS
    before: list[int] = []
    while time.monotonic() < deadline:
        now = [program.processor_time() for program in programs]
        if now == before or all(program.ended for program in programs):
            break
        before = now
        time.sleep(REST)
    return not all(program.ended for program in programs)


def await_text(text: str, program: Program, *others: Program) -> None:
    """Wait until the program has printed this text since its last prompt."""
    deadline = time.monotonic() + SECONDS
    while text not in program.got[program.typed_at :] and time.monotonic() < deadline:
        rest(program, *others)


def play(program: Program, *others: Program) -> None:
    """Play a turn: against the bot as `hint` advises; against a person, who gets no hints, discard
    the card drawn. Answer yes to questions."""
    asked = program.asked
    if asked.endswith("yes or no> "):
        program.type("yes")
    elif others:
        drawn = _DRAWN.findall(_COLOUR.sub("", program.got))
        if asked.startswith("discard") and drawn:
            program.type(f"discard {_typed(*drawn[-1])}")
        else:
            program.type("pass" if "or pass" in asked else "draw" if "draw" in asked else "done")
    else:
        before = len(program.got)
        program.type("hint")
        if rest(program):
            program.type(_advised(program.got[before:]))


def _typed(rank: str, suit: str) -> str:
    return f"{rank}{'shdc'['♠♥♦♣'.index(suit)]}"


def _advised(text: str) -> str:
    """Return the line to type on the advice in this text; Enter if there is none."""
    advice = _ADVICE.search(_COLOUR.sub("", text.replace("\r", "")))
    if advice is None:
        return ""
    verb = _VERBS[advice[1][:4]]
    if verb not in ("knock", "discard"):
        return verb
    return f"{verb} {_typed(advice[3], advice[4])}" if advice[3] else verb


_DRAWN = re.compile(r"^You draw (10|[A2-9JQK])([♠♥♦♣])", re.MULTILINE)
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
