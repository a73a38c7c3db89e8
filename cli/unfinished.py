"""The stored match that goes on with whoever is there: found by the key, reopened, taken up.

# House rules
#
# 1. A match goes on with the key that it was begun with, and with no other. Of several with one
#    player it is the one that the guest names, and the guest names its latest, finished or not: the
#    host may lack the end of it. What was offered and not accepted is no match: it goes on only
#    with a guest that holds its own acceptance, or where the player asks for it by `resume`.
# 2. Nothing is judged here. What was stored goes through the referee again when the seat is put
#    back (Seat.restore), as every log does.
# 3. Where evidence against a player is kept, the match has ended.
# 4. A finished match goes on, too, for the sake of the other player, who may lack the end of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cli.logs import settled
from ginpeer.referee.verdict import judge
from ginpeer.seat.catching_up import position_of
from ginpeer.store import (
    Home,
    Journal,
    MatchNotes,
    StoredMatch,
    StoreError,
    TableJournal,
    UnreadableLog,
    read_log,
)
from ginpeer.store.journal import file_stem
from protocol.codec.entries import NotCanonical
from protocol.entry import NotAnEntry, RawEntry
from protocol.frames import Position
from protocol.messages import Disclose, Malformed, Settle

_ACCEPTED = 2
"""Entries of a match that both players have agreed to."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A stored match, our notes on it, and its log."""

    match: StoredMatch
    notes: MatchNotes
    entries: Sequence[bytes]


def over(entries: Sequence[bytes]) -> bool:
    """Whether this log holds a match to its end.

    Mostly its last four entries say so. Where no seed or many seeds were left to disclose there are
    fewer or more, and only the referee can tell, which takes seconds.
    """
    if settled(entries) is not None:
        return True
    try:
        last = RawEntry.split(entries[-1]).decode().message if entries else None
    except (NotAnEntry, NotCanonical, Malformed):
        return False
    return isinstance(last, Settle | Disclose) and judge(entries).table.finished


def stored_matches(home: Home) -> Iterator[Stored]:
    """Every match that can be taken up, finished ones included, the latest first. Raises
    StoreError."""
    return _readable(home, None)


def _readable(home: Home, role: str | None, peer: bytes | None = None) -> Iterator[Stored]:
    """The matches whose log can be read, the latest first; those with one player, if it is given.
    One that is damaged is in nobody's way."""
    for match in home.logs():
        notes = home.notes(match)
        if notes is None or role not in (None, notes.role) or peer not in (None, notes.peer):
            continue
        if home.evidence(match):
            continue
        try:
            yield Stored(match, notes, read_log(match.path).entries)
        except UnreadableLog:
            continue


def unfinished(home: Home, role: str | None = None, peer: bytes | None = None) -> Iterator[Stored]:
    """The matches that can go on, the latest first. Raises StoreError."""
    for stored in _readable(home, role, peer):
        if not over(stored.entries):
            yield stored


def accepted(stored: Stored) -> bool:
    """Whether this is more than an offer."""
    return len(stored.entries) >= _ACCEPTED


class GoingOn:
    """Finds the match that goes on, and keeps it open in *journal* (and so locked) from then on."""

    def __init__(
        self,
        home: Home,
        role: str,
        journal: TableJournal,
        *,
        only: Stored | None = None,
        fresh: bool = False,
    ) -> None:
        """*only*: this match and no other. *fresh*: none at all; a new match is wanted."""
        self._home = home
        self._role = role
        self._journal = journal
        self._only = only
        self._fresh = fresh

    def position_for(self, key: bytes, claimed: Position | None) -> Position | None:
        """Where our log of the match with this key stands, *claimed* being where the other side
        says that its own stands; None where no match goes on. Raises StoreError."""
        journal = self._journal.journal
        if journal is None:
            found = self._find(key, claimed)
            if found is None:
                return None
            journal = self._journal.journal = Journal.reopen(found.match.path)
        if journal.notes.peer != key:
            return None
        return position_of(journal.entries, journal.notes.table)

    def follow_host(self, key: bytes, theirs: Position | None) -> None:
        """The guest plays what the host has welcomed it to: a new match, while the stored one stays
        as it is, or the host's match, which may be stored here as finished."""
        journal = self._journal.journal
        if journal is not None and (theirs is None or journal.notes.table != theirs.table):
            journal.close()
            self._journal.journal = None
        if theirs is not None and self._journal.journal is None:
            found = self._stored(key, theirs)
            if found is not None:
                self._journal.journal = Journal.reopen(found.match.path)
            elif self._convicts(theirs.table):
                raise StoreError(
                    "match-ended",
                    "The host goes on with a match that has ended here: a proof is kept beside its "
                    "log. Ask the host to begin a new one.",
                )

    def _convicts(self, table: bytes) -> bool:
        name = file_stem(table)
        return any(self._home.evidence(one) for one in self._home.logs() if one.name == name)

    def _find(self, key: bytes, claimed: Position | None) -> Stored | None:
        if self._fresh:
            return None
        if self._only is not None:
            path = self._only.match.path
            found = _readable(self._home, self._role, key)
            return next((one for one in found if one.match.path == path), None)
        if claimed is not None:
            return self._claimed(key, claimed)
        if self._role == "guest":
            found = _readable(self._home, "guest", key)
        else:
            found = unfinished(self._home, "host", key)
        return next(filter(accepted, found), None)

    def _claimed(self, key: bytes, claimed: Position) -> Stored | None:
        """The match that the guest names; None where both have all of it, or no more than an
        offer."""
        one = self._stored(key, claimed)
        if one is None or not (accepted(one) or claimed.sequence > 0):
            return None
        whole = position_of(one.entries, claimed.table) == claimed and over(one.entries)
        return None if whole else one

    def _stored(self, key: bytes, claimed: Position) -> Stored | None:
        found = _readable(self._home, self._role, key)
        return next((one for one in found if one.notes.table == claimed.table), None)
