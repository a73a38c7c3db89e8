"""The stored matches of a home, and which of them can go on.

# House rules
#
# 1. Nothing is judged here but by the referee (judge), and by it only where the last entries leave
#    the end of a match in doubt: that takes seconds.
# 2. A log that cannot be read is in nobody's way, and one without an entry is no match: it was left
#    by a crash.
# 3. Where evidence against a player is kept, the match has ended.
# 4. A finished match goes on, too, for the sake of the other player, who may lack the end of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ginpeer.referee.table import Awaiting
from ginpeer.referee.verdict import judge
from ginpeer.seat.capacity import CAPACITY, Capacity, LogSize
from ginpeer.store import Home, MatchNotes, StoredMatch, UnreadableLog, read_own_log
from protocol.codec.entries import NotCanonical
from protocol.entry import NotAnEntry, RawEntry
from protocol.messages import (
    Accept,
    Discard,
    Disclose,
    Disclosure,
    Malformed,
    Message,
    Offer,
    Pass,
    Settle,
    Spread,
)

_ACCEPTED = 2
"""Entries of a match that both players have agreed to."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A stored match, our notes on it, and its log."""

    match: StoredMatch
    notes: MatchNotes
    entries: Sequence[bytes]


def over(entries: Sequence[bytes], capacity: Capacity = CAPACITY) -> bool:
    """Whether this log holds a match to its end, or so much of it that it cannot go on.

    Mostly its last four entries say so. Where no seed or many seeds were left to disclose there are
    fewer or more, and only the referee can tell, which takes seconds.
    """
    if settled(entries) is not None or full(entries, capacity):
        return True
    try:
        last = _message(entries[-1]) if entries else None
    except (NotAnEntry, NotCanonical, Malformed):
        return False
    return isinstance(last, Settle | Disclose) and judge(entries).table.finished


def full(entries: Sequence[bytes], capacity: Capacity = CAPACITY) -> bool:
    """Whether the match has stopped because its log is as long as a log may be, or is so but for
    what both sign at its end."""
    size = LogSize.of(entries)
    if capacity.takes_hand(size):
        return False
    if not capacity.takes_move(size):
        return True
    try:
        last = _message(entries[-1])
    except (NotAnEntry, NotCanonical, Malformed):
        return False
    if isinstance(last, Discard | Pass):  # which can have made the hand void
        return judge(entries).table.awaiting is Awaiting.DEAL_COMMIT
    return isinstance(last, Spread | Disclose)


def stored_matches(home: Home) -> Iterator[Stored]:
    """Every match that can be taken up, finished ones included, the latest first. Raises
    StoreError."""
    return readable(home)


def readable(home: Home, role: str | None = None, peer: bytes | None = None) -> Iterator[Stored]:
    """The matches whose log can be read, the latest first; those of one role, and with one player,
    where they are given. Raises StoreError."""
    for match in home.logs():
        notes = home.notes(match)
        if notes is None or role not in (None, notes.role) or peer not in (None, notes.peer):
            continue
        if home.evidence(match):
            continue
        try:
            entries = read_own_log(match.path).entries
        except UnreadableLog:
            continue
        if entries:
            yield Stored(match, notes, entries)


def unfinished(
    home: Home,
    role: str | None = None,
    peer: bytes | None = None,
    capacity: Capacity = CAPACITY,
) -> Iterator[Stored]:
    """The matches that can go on, the latest first. Raises StoreError."""
    for stored in readable(home, role, peer):
        if not over(stored.entries, capacity):
            yield stored


def accepted(stored: Stored) -> bool:
    """Whether this is more than an offer."""
    return len(stored.entries) >= _ACCEPTED


def settled(entries: Sequence[bytes]) -> tuple[Offer, Accept, Settle] | None:
    """The opening, and the score that both signed; None unless the end is certain."""
    try:
        opening = [_message(raw) for raw in entries[:2]]
        closing = [_message(raw) for raw in entries[-4:]]
    except (NotAnEntry, NotCanonical, Malformed):
        return None
    match opening, closing:
        case [Offer() as offer, Accept() as accept], [*_, Settle() as one, Settle() as two]:
            ended = one == two and offer.disclosure is not Disclosure.AFTER_MATCH
        case [Offer() as offer, Accept() as accept], [
            Settle() as one,
            Settle() as two,
            Disclose(),
            Disclose(),
        ]:
            ended = one == two
        case _:
            return None
    return (offer, accept, two) if ended else None


def _message(raw: bytes) -> Message:
    return RawEntry.split(raw).decode().message
