"""The output of commands about the matches of a home: lists, statistics, friends.

Each home is made for the test from matches played in the toy group: one home for each match, which
belongs to its host, and the home of a player with several friends. Files get fixed dates.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ginpeer.rules.ruleset import parse_ruleset
from ginpeer.store import Home
from ginpeer.store.log import log_bytes
from ginpeer.store.match_files import MatchNotes
from protocol.crypto.identity import IdentityKey
from protocol.messages import Disclosure
from tests.goldens.forms import run
from tests.goldens.logs import seeds
from tests.goldens.seeded import START
from tests.matches.recorded import plain_player
from tests.matches.table_pair import TablePair, seeded_rng

DAY = 86_400
FRIENDS = ("Ben", "Cleo", "Dora")
RULES = (
    "standard target=1",
    "oklahoma target=1",
    "hollywood target=1",
    "tedesco target=1",
    "standard hands=2",
)
EACH: dict[str, tuple[str, ...]] = {
    "stats": ("stats",),
    "stats-json": ("stats", "--json"),
    "logs": ("logs",),
}
"""The commands to run in a home with one match."""

ALL: dict[str, tuple[str, ...]] = {
    **EACH,
    "none": (),
    "logs-friend": ("logs", "Ben"),
    "logs-rules": ("logs", "--rules", "oklahoma"),
    "logs-limit": ("logs", "--limit", "2"),
    "logs-nobody": ("logs", "Zoe"),
    "stats-friend": ("stats", "Cleo"),
    "stats-friend-json": ("stats", "--json", "Cleo"),
    "friends": ("friends",),
    "id": ("id",),
    "resume": ("resume",),
    "tally": ("tally", f"{4:016x}", f"{9:016x}"),
}
"""The commands to run in a home with several matches."""


def of_one(name: str, log: bytes, folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the output in the home of this match's host. Call this in the toy group."""
    rng = seeded_rng(seeds()[name])
    host, guest = IdentityKey(rng(32)), IdentityKey(rng(32))
    with _home(folder, host) as home:
        home.known_peers(lambda: START).remember(guest.public, "", "Ben")
        _store(home, "0" * 16, log, guest.public, "host", 1)
        for form, arguments in EACH.items():
            yield f"home-{form}", _asked(arguments, folder)


def of_many(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the output in a home with several friends and finished and unfinished matches. Call
    this in the toy group."""
    rng = seeded_rng("homes")
    ours = IdentityKey(rng(32))
    with _home(folder, ours) as home:
        for number, rules in enumerate(RULES * len(FRIENDS)):
            name = FRIENDS[number % len(FRIENDS)]
            peer = IdentityKey(seeded_rng(f"homes {name}")(32))
            seat = number % 2
            pair = TablePair(
                f"homes {number}",
                parse_ruleset(rules),
                Disclosure.AFTER_MATCH,
                identities=(peer, ours) if seat else (ours, peer),
                names=(name, "Ada") if seat else ("Ada", name),
                started=int(START) + number * DAY,
            ).play(plain_player)
            entries = tuple(pair.host.seat.entries)
            kept = entries[: len(entries) // 2] if number % 4 == 3 else entries
            home.known_peers(lambda: START).remember(peer.public, "", name)
            role = "guest" if seat else "host"
            _store(home, f"{number:016x}", log_bytes(kept), peer.public, role, number)
        for form, arguments in ALL.items():
            yield form, _asked(arguments, folder)


def _asked(arguments: tuple[str, ...], folder: Path) -> str:
    return run([*arguments], folder).replace(str(folder), "FOLDER")


@contextmanager
def _home(folder: Path, key: IdentityKey) -> Iterator[Home]:
    """Make a home with this key where commands look for it, and remove it afterwards."""
    home = Home(folder / "home")
    shutil.rmtree(home.path, ignore_errors=True)
    home.path.mkdir()
    home.identity_file.create(key, None, os.urandom)
    try:
        yield home
    finally:
        shutil.rmtree(home.path)


def _store(home: Home, stem: str, log: bytes, peer: bytes, role: str, days: int) -> None:
    path = home.matches / f"{stem}.ginlog"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(log)
    notes = MatchNotes(bytes(32), role, "Ada", peer, (), 1)
    path.with_suffix(".match").write_bytes(notes.encode())
    for each in (path, path.with_suffix(".match")):
        os.utime(each, (START + days * DAY,) * 2)
