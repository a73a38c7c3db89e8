"""Pages for tests: of golden logs, and of a match between players whose names are markup."""

from __future__ import annotations

from functools import cache

from cli.text import page_texts
from ginpeer.notation import write_sheet
from ginpeer.record import Record
from ginpeer.rules import parse_ruleset
from ginpeer.store.log import log_bytes
from tests.matches.golden_logs import FOLDER
from tests.matches.recorded import plain_player, recorded
from tests.matches.table_pair import TablePair
from tests.notation.played import played

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


@cache
def hostile() -> bytes:
    """Return the log of a match between players with the HOSTILE names."""
    pair = TablePair("hostile", parse_ruleset("standard target=1"), names=HOSTILE)
    return log_bytes(tuple(pair.play(plain_player).host.stored))


@cache
def page_of(log: bytes, *, analysed: bool = True) -> bytes:
    """Return the page of a log, as `ginpeer export` makes it."""
    return page_texts.page_of(Record.read(log), analysed=analysed)


@cache
def weak_match() -> bytes:
    """Return the log of two hands between players who make mistakes."""
    return log_bytes(recorded("standard target=100").entries)


def sheet_page() -> bytes:
    """Return the page of a typed match of ten hands."""
    rules = "standard target=none hands=10"
    match = played(rules, 10, hands=10, tags=(("Rules", rules),), chooser=plain_player)
    return page_of(write_sheet(match).encode())
