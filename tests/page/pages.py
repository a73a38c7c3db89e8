"""Pages for tests: of golden logs, and of a match between players whose names are markup."""

from __future__ import annotations

from functools import cache

from cli.text import page
from ginpeer.notation import write_sheet
from ginpeer.record import Record
from ginpeer.rules import parse_ruleset
from ginpeer.store.log import LogReader, log_bytes
from protocol.crypto.identity import IdentityKey
from tests.matches.golden_logs import FOLDER
from tests.matches.recorded import plain_player, recorded
from tests.matches.table_pair import TablePair
from tests.notation.played import played
from tests.toy_group import cached_by_group

HOSTILE = (
    "</script><img src=x onerror=alert(1)>{{log}}<!--'\"&lt;\\u003c]]>",
    "\u05e9\u05dc\u05d5\u05dd<b id=table>\u202f*/</style><svg onload=alert(2)>".replace(
        "\u202f", " "
    ),
)
"""Two names of at most 64 bytes, so they can be signed."""


@cache
def golden(name: str) -> bytes:
    """Return a golden log."""
    return (FOLDER / f"{name}.ginlog").read_bytes()


@cached_by_group
def hostile() -> bytes:
    """Return the log of a match between players with the HOSTILE names."""
    pair = TablePair("hostile", parse_ruleset("standard target=1"), names=HOSTILE)
    return log_bytes(tuple(pair.play(plain_player).host.stored))


def up_to_the_cut(names: tuple[str, str]) -> bytes:
    """Return the log of a match that has just begun, between players with these names."""
    pair = TablePair("names", parse_ruleset("standard"), names=names)
    while len(pair.host.stored) < 5 and pair.deliver():
        pass
    return log_bytes(pair.host.stored[:5])


@cached_by_group
def page_of(log: bytes, *, analysed: bool = True) -> bytes:
    """Return the page of a log, as `ginpeer export` makes it."""
    return page.page_of(Record.read(log), analysed=analysed)


@cached_by_group
def weak_match() -> bytes:
    """Return the log of two hands between players who make mistakes."""
    return log_bytes(recorded("standard target=100").entries)


PLAYERS = tuple(IdentityKey(bytes([number]) * 32) for number in (1, 2, 3))


@cached_by_group
def evening_match(
    number: int,
    host: int = 0,
    guest: int = 1,
    names: tuple[str, str] = ("Ada", "Ben"),
    *,
    resigned: bool = False,
) -> bytes:
    """Return the log of a short match between two of the PLAYERS, an hour after the last.
    *resigned*: the first player to move resigns instead."""
    pair = TablePair(
        f"saturday {number}",
        parse_ruleset("standard target=1"),
        identities=(PLAYERS[host], PLAYERS[guest]),
        names=names,
        started=1_700_000_000 + 3600 * number,
    )
    if resigned and (performer := pair.to_choose()) is not None:
        performer.perform(performer.seat.resign())
    return log_bytes(tuple(pair.play(plain_player).host.stored))


@cached_by_group
def evening_logs() -> tuple[bytes, ...]:
    """Return the logs of an evening: two matches of Ada and Ben, one with Cleo, and one that Ada
    and Ben haven't finished."""
    unfinished = LogReader.of_bytes(evening_match(4), "unfinished")
    return (
        evening_match(1),
        evening_match(2, 1, 0, ("Ben", "Ada")),
        evening_match(3, 0, 2, ("Ada", "Cleo")),
        log_bytes(list(unfinished)[:12]),
    )


@cached_by_group
def evening_of(*logs: bytes, analysed: bool = True) -> bytes:
    """Return the page of these logs, as `ginpeer export` makes it."""
    return page.evening_page_of([Record.read(log) for log in logs], analysed=analysed)


@cache
def sheet_page(hands: int = 10) -> bytes:
    """Return the page of a typed match of this many hands."""
    rules = f"standard target=none hands={hands}"
    match = played(rules, 10, hands=hands, tags=(("Rules", rules),), chooser=plain_player)
    return page_of(write_sheet(match).encode())
