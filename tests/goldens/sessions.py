"""Typed sessions: the bytes that an 80-by-24 terminal receives while somebody types.

Each session is a real process on a pseudo-terminal, or two that play each other, with predictable
randomness (seeded.py). A line is typed when nothing more happens (terminals.py). ``PLAY`` stands
for a turn played as `hint` advises, so that a session continues with any cards.
"""

from __future__ import annotations

import fcntl
import re
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from tests.goldens.terminals import PLAY, Program, await_text, play, rest
from tests.matches import golden_logs

WALKED = golden_logs.FOLDER / "hollywood.ginlog"
AT_ONCE = 4
"""How many sessions run side by side: they mostly wait."""

SLOWER = 4
"""How much slower the clock of a practice match runs: the bot moves every 0.2 seconds."""
PAIRS_SLOWER = 20
"""The same for two programs that play each other: one can wait 40 seconds for the other before it
says that it is waiting."""

PLACE = "ginpeer-goldens"
"""Replaces the folder's name in a session; it has the same length."""
FIRST_PORT = 24466
_OUR_PORT = re.compile(r"(Connected to 127\.0\.0\.1:)\d{5}")
"""A guest's port, which the operating system chooses."""

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
"""By name: options of `practice`, and the lines to type."""

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
"""By name: the lines to type while walking through one match with `replay`."""


UNTIL, KILL = "UNTIL ", "KILL"
YES = ("guest", "yes")
PLAYED = ("both", PLAY)
PAIRS: dict[str, tuple[Sequence[str], Sequence[tuple[str, str]]]] = {
    "hand": (("--bot", "--hands", "1"), [YES, *[PLAYED] * 40]),
    "mahjong": (("--bot", "--rules", "mahjong"), [YES, *[PLAYED] * 12, ("guest", "table")]),
    "oklahoma": (
        ("--rules", "oklahoma target=1"),
        [("guest", "rules"), YES, *[PLAYED] * 12, ("host", "table"), ("guest", "score")],
    ),
    "decline": ((), [("guest", "what"), ("guest", "no"), ("host", "no"), ("host", "quit")]),
    "say": (
        (),
        [YES, ("host", "say hello"), ("guest", "say hello yourself"), ("host", "mute"),
         ("guest", "say can you hear me?"), ("host", "unmute"), PLAYED, ("guest", "7x"),
         ("host", "knok"), ("host", "help talk")],
    ),
    "pause": (
        (),
        [YES, PLAYED, ("host", "pause"), ("guest", "no"), PLAYED, ("guest", "pause"),
         ("host", "pause"), ("host", "yes"), YES],
    ),
    "another": (
        ("--rules", "target=1"),
        [YES, PLAYED, ("both", "resign"), ("both", "yes"), ("host", "UNTIL Another match"),
         ("host", "propose nonsense"), ("host", "propose oklahoma target=1"), ("host", "yes"),
         ("guest", "UNTIL accept the match"), ("guest", "no"), ("host", "UNTIL declined"),
         ("guest", "propose straight target=1"), YES, ("host", "no"), ("host", "quit"),
         ("host", "yes")],
    ),
    "series": (
        ("--rules", "target=1", "--matches", "2"),
        [YES, PLAYED, ("both", "resign"), ("both", "yes"), ("host", "UNTIL Another match"),
         ("host", "yes"), ("guest", "UNTIL accept the match"), YES, PLAYED, PLAYED,
         ("both", "resign"), ("both", "yes")],
    ),
    "killed": (
        (),
        [YES, PLAYED, ("guest", "KILL"), ("host", "say are you there?"), ("host", "table"),
         ("host", "wait"), ("host", "quit"), ("host", "yes")],
    ),
    "left": ((), [YES, PLAYED, PLAYED, ("host", "quit"), ("host", "yes"), ("guest", "table")]),
}  # fmt: skip
"""By name: options of `host`, and each line to type, with its program; "both" is the program that
asks. ``UNTIL`` waits until that program prints something, and ``KILL`` ends it."""


def typed() -> Iterator[tuple[str, str]]:
    """Yield each session with the terminal's output.

    Lines break by their length, so sessions always run in folders with names of the same length.
    """
    folders = {
        **{f"practice-{name}": name for name in PRACTICE},
        **{f"walk-{name}": name for name in WALKS},
        **{f"pair-{name}": name for name in PAIRS},
    }
    with (
        tempfile.TemporaryDirectory(prefix="goldens", dir="/tmp") as top,
        ThreadPoolExecutor(AT_ONCE) as pool,
    ):
        running: list[tuple[str, Future[dict[str, str]]]] = []
        for number, (folder, name) in enumerate(folders.items()):
            place = Path(top) / f"{number:02}"
            place.mkdir()
            kind = folder.partition("-")[0]
            running.append((folder, pool.submit(_SESSIONS[kind], place, name)))
        for folder, session in running:
            for suffix, text in session.result().items():
                yield f"sessions/{folder}{suffix}", text.replace(Path(top).name, PLACE)


def _practice(place: Path, name: str) -> dict[str, str]:
    options, lines = PRACTICE[name]
    return _sit(place / name.partition(" ")[0], ("practice", *options), lines)


def _walk(place: Path, name: str) -> dict[str, str]:
    return _sit(place / f"walk-{name}", ("replay", str(WALKED)), WALKS[name])


def _sit(home: Path, arguments: Sequence[str], lines: Sequence[str]) -> dict[str, str]:
    program = Program(home, arguments, slower=SLOWER)
    for line in lines:
        if not rest(program):
            break
        if line is PLAY:
            play(program)
        else:
            program.type(line)
    _leave(program)
    return {"": program.text()}


def _leave(program: Program, *others: Program) -> None:
    """End the input, and answer yes to any question that follows."""
    if rest(program, *others):
        program.end_input()
    while rest(program, *others) and not program.ended and program.asked:
        program.type("yes")


def _pair(place: Path, name: str) -> dict[str, str]:
    options, lines = PAIRS[name]
    number = list(PAIRS).index(name)
    with _port(number) as port:
        arguments = (
            "host", "--listen", f"127.0.0.1:{port}", "--no-mapping", "--no-stun", "--name", "Ann",
            *options,
        )  # fmt: skip
        host = Program(place / f"{name}-host", arguments, slower=PAIRS_SLOWER)
        rest(host)
        invite = re.search(r"invite: (gin1-\S+)", host.got)
        if invite is None:
            raise RuntimeError(f"no invite: {host.got}")
        arguments = ("join", invite[1], "--name", "Ben")
        guest = Program(place / f"{name}-guest", arguments, slower=PAIRS_SLOWER)
        for who, line in lines:
            if not rest(host, guest):
                break
            for program in _named(who, host, guest):
                _type(line, program, guest if program is host else host)
        _leave(guest, host)
        _leave(host, guest)
        return {"-host": _OUR_PORT.sub(r"\1PORT?", host.text()), "-guest": guest.text()}


def _named(who: str, host: Program, guest: Program) -> list[Program]:
    if who == "both":  # only one of the two asks
        return [each for each in (host, guest) if each.asked not in ("", "> ")][:1]
    return [host if who == "host" else guest]


def _type(line: str, program: Program, other: Program) -> None:
    if line is PLAY:
        play(program, other)
    elif line.startswith(UNTIL):
        await_text(line.removeprefix(UNTIL), program, other)
    elif line == KILL:
        program.kill()
    else:
        program.type(line)


@contextmanager
def _port(number: int) -> Iterator[int]:
    """Keep this port for ourselves, because the invite contains it and must not change."""
    port = FIRST_PORT + number
    with (Path(tempfile.gettempdir()) / f"ginpeer-goldens-{port}").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield port


_SESSIONS = {"practice": _practice, "walk": _walk, "pair": _pair}
