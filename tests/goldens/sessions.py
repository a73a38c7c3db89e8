"""Typed sessions: the bytes that an 80-by-24 terminal receives while somebody types.

Each session is a real process on a pseudo-terminal, with predictable randomness (seeded.py). A line
is typed when nothing more happens (terminals.py). ``PLAY`` stands for a turn played as `hint`
advises, so that a session continues with any cards. tests/cli/match tests two programs that play
each other.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from tests.goldens.terminals import PLAY, Program, play, rest
from tests.matches import golden_logs

WALKED = golden_logs.FOLDER / "hollywood.ginlog"
AT_ONCE = 4
"""How many sessions run at the same time. They mostly wait."""

SLOWER = 4
"""How many times slower the clock of a practice match runs. The bot moves every 0.2 seconds."""
PLACE = "ginpeer-goldens"
"""The text that replaces the folder's name in a session; it has the same length."""

HAND = [PLAY] * 24
PRACTICE: dict[str, tuple[Sequence[str], Sequence[str]]] = {
    **{f"hand-level-{n}": (("--level", str(n)), [*HAND]) for n in (1, 2, 3, 4, 5)},
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
    "keys": (
        (),
        [
            "dr\t",
            "say h\u00e9llo\x7f\x7f",
            "\x1b[A\x1b[D\x1b[Dx",
            "zzz\x15hand",
            "\x01wo\x05rds on",
        ],
    ),
    "words-mahjong": (("--rules", "mahjong"), ["words on", *[PLAY] * 8, "table", "score"]),
    "legal": ((), ["legal", "may i knock", "may i draw", "why", PLAY, "legal", "melds", "where"]),
    "mistaken": ((), ["propose oklahoma", "accept", "yes", "no", "resume", "pause", "unmute"]),
}
"""For each session: options of `practice`, and the lines to type."""

WALKS: dict[str, Sequence[str]] = {
    "steps": ["", "", "", "b", "b", "?", "table", "score", "where", "q"],
    "knocks": ["next knock", "k", "start", "end", "hand 1", "turn 3", "entry 12", "q"],
    "eyes": ["host", "guest", "both", "next discard", "deadwood", "highest deadwood", "q"],
    "slips": ["nxt", "hand 99", "turn 0", "7d", "help", "??", "q"],
    "words": ["words on", "", "", "", "words off", "", "q"],
    "help": ["help moves", "help hand", "help next", "?", "commands", "", "q"],
    "far": ["hand 2", "turn 2", "entry 9999", "entry 40", "b", "end", "", "start", "b", "q"],
    "found": ["next gin", "next undercut", "next take", "next draw", "lowest deadwood", "q"],
}
"""For each session: the lines to type while walking through a match with `replay`."""


def typed() -> Iterator[tuple[str, str]]:
    """Yield each session with the terminal's output.

    Lines wrap by length, so sessions always run in folders whose names have the same length.
    """
    folders = {
        **{f"practice-{name}": name for name in PRACTICE},
        **{f"walk-{name}": name for name in WALKS},
    }
    with (
        tempfile.TemporaryDirectory(prefix="goldens", dir="/tmp") as top,
        ThreadPoolExecutor(AT_ONCE) as pool,
    ):
        running: list[tuple[str, Future[str]]] = []
        for number, (folder, name) in enumerate(folders.items()):
            place = Path(top) / f"{number:02}"
            place.mkdir()
            kind = folder.partition("-")[0]
            running.append((folder, pool.submit(_SESSIONS[kind], place, name)))
        for folder, session in running:
            yield f"sessions/{folder}", session.result().replace(Path(top).name, PLACE)


def _practice(place: Path, name: str) -> str:
    options, lines = PRACTICE[name]
    return _sit(place / name.partition(" ")[0], ("practice", *options), lines)


def _walk(place: Path, name: str) -> str:
    return _sit(place / f"walk-{name}", ("replay", str(WALKED)), WALKS[name])


def _sit(home: Path, arguments: Sequence[str], lines: Sequence[str]) -> str:
    program = Program(home, arguments, slower=SLOWER)
    for line in lines:
        if not rest(program):
            break
        if line is PLAY:
            play(program)
        else:
            program.type(line)
    if rest(program):
        program.end_input()
    while rest(program) and program.asked:
        program.type("yes")
    return program.text()


_SESSIONS = {"practice": _practice, "walk": _walk}
