"""Typed sessions: the bytes that a terminal of 80 by 24 is sent while somebody types.

Each session is a real process on a pseudo-terminal, with foreseeable randomness (seeded.py). A
line is typed when the program has come to rest at a prompt. ``PLAY`` stands for a turn played as
`hint` advises, so that a session goes on whatever cards come.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pexpect

from tests.matches import golden_logs

ROOT = Path(__file__).parents[2]
WALKED = golden_logs.FOLDER / "hollywood.ginlog"
PLAY = "PLAY"
SECONDS = 60.0
REST = 0.2  # of silence after a prompt, before anything is typed

_PROMPT = re.compile(r"(?:^|[\r\n\x07]|\x1b\[K)([^\r\n\x07]*> )$")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")

HAND = [PLAY] * 24
PRACTICE: dict[str, tuple[Sequence[str], Sequence[str]]] = {
    **{f"hand-level-{n}": (("--level", str(n)), [*HAND]) for n in (1, 3, 5)},
    **{
        f"hand-{name}": (("--rules", name), [PLAY] * 12)
        for name in (
            "oklahoma",
            "tedesco",
            "straight",
            "hollywood",
            "tournament",
            "multi-match",
            "mahjong",
            "standard target=250",
            "around-the-corner",
            "oklahoma hollywood target=150",
        )
    },
    "help": (
        (),
        [f"help{topic}" for topic in ("", " moves", " look", " settings", " talk", " keys")],
    ),
    "word-help": (
        (),
        [f"help {word}" for word in ("knock", "draw", "take", "pass", "hand", "say")],
    ),
    "rules": ((), ["rules", "rules knock", "rules 7d", "rules oklahoma", "rules 99"]),
    "switches": (
        (),
        ["words on", "hand", "brief on", "words off", "colours four", "bell on", "lines off"],
    ),
    "words": ((), ["words on", *[PLAY] * 8]),
    "brief": ((), ["brief on", *[PLAY] * 8]),
    "order": ((), ["order rank", "hand", "order suit", "hand", "order", "move 7d first"]),
    "nonsense": ((), ["7x", "hlep", "knok", "drawn", "", "....", "é", "take take", "discard", "!"]),
    "look": ((), ["hand", "table", "score", "where", "log", "hint", "hint", PLAY, "table", "hand"]),
    "undo": ((), ["undo", PLAY, "undo", "back", "takeback"]),
    "say": ((), ["say hello", "say", "mute", "say x", "pause"]),
    "resign": ((), [PLAY, "resign", "no", "resign", "yes"]),
    "quit": ((), [PLAY, "quit", "no", "quit", "yes"]),
    "nothing": ((), ["", "", PLAY, "", ""]),
    "wrong-cards": ((), ["7d", "knock", "gin", "discard 2c", PLAY, "t", "p", "knock 7d", "spread"]),
}
"""Name: options of `practice`, and what is typed."""

WALKS: dict[str, Sequence[str]] = {
    "steps": ["", "", "", "b", "b", "?", "table", "score", "where", "q"],
    "knocks": ["next knock", "k", "start", "end", "hand 1", "turn 3", "entry 12", "q"],
    "eyes": ["host", "guest", "both", "next discard", "deadwood", "highest deadwood", "q"],
    "slips": ["nxt", "hand 99", "turn 0", "7d", "help", "??", "q"],
    "words": ["words on", "", "", "", "words off", "", "q"],
}
"""Name: what is typed while walking through one match with `replay`."""


def typed() -> Iterator[tuple[str, str]]:
    """Yield each session with what the terminal got. Paths are printed, and lines break by their
    length, so the sessions always run in the same folder."""
    folder = Path(tempfile.gettempdir()) / "ginpeer-goldens"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        for name, (options, lines) in PRACTICE.items():
            yield f"sessions/practice-{name}", _sit(folder / name, ("practice", *options), lines)
        for name, lines in WALKS.items():
            yield (
                f"sessions/walk-{name}",
                _sit(folder / f"walk-{name}", ("replay", str(WALKED)), lines),
            )
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _sit(home: Path, arguments: Sequence[str], lines: Sequence[str]) -> str:
    home.mkdir()
    environ = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "HOME": str(home),
        "GINPEER_HOME": "home",
        "TERM": "xterm",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
    }
    command = ["-m", "tests.goldens.seeded", home.name, *arguments]
    terminal = pexpect.spawn(
        sys.executable, command, cwd=home, env=environ, dimensions=(24, 80), encoding="utf-8",
        timeout=SECONDS,
    )  # fmt: skip
    got: list[str] = []
    for line in lines:
        if not _rest(terminal, got):
            break
        if line is not PLAY:
            terminal.sendline(line)
        elif got[-1].endswith("yes or no> "):
            terminal.sendline("yes")
        else:
            terminal.sendline("hint")
            if _rest(terminal, got):
                terminal.sendline(_advised(got[-1]))
    if _rest(terminal, got):
        terminal.sendeof()
        while _rest(terminal, got):
            terminal.sendline("yes")
    terminal.close()
    return "".join(got).replace("\r\n", "\n") + f"\n[exit status {terminal.exitstatus}]\n"


def _advised(text: str) -> str:
    """Return what to type after the advice in this text; Enter where there is none."""
    advice = _ADVICE.search(_COLOUR.sub("", text))
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


def _rest(terminal: pexpect.spawn, got: list[str]) -> bool:
    """Wait until the program is at a prompt and silent. False if it has ended."""
    text = ""
    while True:
        try:
            text += terminal.read_nonblocking(65536, REST if _PROMPT.search(text) else SECONDS)
        except pexpect.TIMEOUT:
            got.append(text)
            return True
        except pexpect.EOF:
            got.append(text)
            return False
