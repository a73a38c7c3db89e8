"""Compare two stored logs of one match: which has more entries, or where they differ (WIRE 9.6).

Each side says how many entries it has and the hash of the last one. The side with more entries can
tell whether the other's log is the beginning of its own, because the hash of an entry covers all
entries before it. The side with fewer can't; it finds out from the entries it receives.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto

from protocol.entry import entry_hash
from protocol.frames import Position


class LogRelation(Enum):
    """How our log relates to the other side's."""

    EVEN = auto()  # the same entries
    AHEAD = auto()  # the other side's log is the beginning of ours
    BEHIND = auto()  # the other side says that it has more entries
    APART = auto()  # the two logs differ somewhere
    ELSEWHERE = auto()  # the other side's log is of a different table


def compare(entries: Sequence[bytes], table: bytes, theirs: Position | None) -> LogRelation:
    """Return how our log of this table relates to the other side's, which ends at *theirs* (None
    if it has no entries)."""
    if theirs is None:
        return LogRelation.AHEAD if entries else LogRelation.EVEN
    if not entries:
        return LogRelation.BEHIND
    if theirs.table != table:
        return LogRelation.ELSEWHERE
    if theirs.sequence >= len(entries):
        return LogRelation.BEHIND
    if entry_hash(entries[theirs.sequence]) != theirs.head:
        return LogRelation.APART
    return LogRelation.EVEN if theirs.sequence == len(entries) - 1 else LogRelation.AHEAD


def position_of(entries: Sequence[bytes], table: bytes) -> Position | None:
    """Return the position of our log for the other side; None before the first entry."""
    if not entries:
        return None
    return Position(table, len(entries) - 1, entry_hash(entries[-1]))
