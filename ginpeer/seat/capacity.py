"""How much of a match fits into one log, and when a match has to stop for that (PROTOCOL 2.7).

Nobody reads a log above MAX_LOG_BYTES or MAX_LOG_ENTRIES, neither to verify nor to continue it.
So a match stops before that. From the start of the log to its end:

  ..... hands ..... | last hand | ........ closing ........ | last entry of a cheat |
                    ^           ^                           ^                       ^
         no hand begins here    nothing but the end of      nothing is stored       max_bytes,
                                the match is signed here    but evidence            max_entries

The first two bounds depend on the log alone, so both sides stop at the same entry and can tell
their players why. A hand has about 100 KB, so nearly every match stops between two hands; but a
rule set can allow a hand of any length. There is always room for the end of a match (settlement
and seeds take about 70 bytes a hand, and no hand has less than 20 KB), and after that for an
illegal entry, so that a cheat can be convicted even in a full log.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from protocol.entry import (
    LOG_HEAD_BYTES,
    MAX_ENTRY,
    MAX_LOG_BYTES,
    MAX_LOG_ENTRIES,
    RECORD_HEAD_BYTES,
)

_SOON = 10  # we warn the player this many hands before the log is full


@dataclass(frozen=True, slots=True)
class Capacity:
    """The bounds of a log file, in bytes and entries, and the space kept free at its end."""

    max_bytes: int = MAX_LOG_BYTES
    max_entries: int = MAX_LOG_ENTRIES
    hand_bytes: int = 3 * 1024 * 1024
    hand_entries: int = 4096
    closing_bytes: int = 1024 * 1024
    closing_entries: int = 1024

    def takes_hand(self, size: LogSize) -> bool:
        """Return whether another hand may begin after a log of this size."""
        after = LogSize(size.length + self.hand_bytes, size.entries + self.hand_entries)
        return self.takes_move(after)

    def takes_move(self, size: LogSize) -> bool:
        """Return whether a hand may continue after a log of this size."""
        return (
            size.length + self.closing_bytes <= self.max_bytes
            and size.entries + self.closing_entries <= self.max_entries
        )

    def keeps(self, size: LogSize) -> bool:
        """Return whether such a log may be stored: an illegal entry must still fit after it."""
        return (
            size.length + RECORD_HEAD_BYTES + MAX_ENTRY <= self.max_bytes
            and size.entries < self.max_entries
        )

    def hands_left(self, size: LogSize, hands: int) -> int | None:
        """Return how many more such hands may begin after these; None while there are many."""
        if not hands:
            return None
        bytes_left = self.max_bytes - self.closing_bytes - self.hand_bytes - size.length
        entries_left = self.max_entries - self.closing_entries - self.hand_entries - size.entries
        if bytes_left < 0 or entries_left < 0:
            return 0
        left = 1 + min(bytes_left * hands // size.length, entries_left * hands // size.entries)
        return left if left <= _SOON else None


CAPACITY = Capacity()  # the capacity of every log that is played


@dataclass(frozen=True, slots=True)
class LogSize:
    """The length of a log file in bytes, and its number of entries."""

    length: int = LOG_HEAD_BYTES
    entries: int = 0

    def with_entry(self, entry: bytes) -> LogSize:
        return LogSize(self.length + RECORD_HEAD_BYTES + len(entry), self.entries + 1)

    @classmethod
    def of(cls, entries: Iterable[bytes]) -> LogSize:
        size = cls()
        for entry in entries:
            size = size.with_entry(entry)
        return size
