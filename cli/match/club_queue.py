"""Who waits for a table of a club, and who has to let them go first.

# Rule 1: who waits is who was sent away from taken tables and has got none since. Nobody tells us
# when they stop trying; so of each the last time counts, and only the LATEST are remembered.
# Rule 2: a guest who left a table while others waited goes behind them, for BEHIND seconds.
"""

from __future__ import annotations

LATEST = 64

BEHIND = 60.0
"""Seconds: a program at a terminal that found the table taken has tried again by then."""


class ClubQueue:
    """Times are in seconds, by one clock."""

    def __init__(self) -> None:
        self._came: dict[bytes, float] = {}  # and found no table; the latest last
        self._left: dict[bytes, float] = {}  # when guests left while others waited; latest last

    def waits(self, key: bytes, now: float) -> None:
        """This guest has found no table."""
        _note(self._came, key, now)

    def has_table(self, key: bytes) -> None:
        """This guest waits no more."""
        self._came.pop(key, None)

    def has_left(self, key: bytes, now: float) -> None:
        """Note that this guest left a table, or was sent away from it, while others waited."""
        _note(self._left, key, now)

    def others_wait(self, key: bytes, since: float) -> bool:
        """Whether somebody but this guest has come since then and found no table."""
        return any(at >= since for other, at in self._came.items() if other != key)

    def is_behind(self, key: bytes, now: float) -> bool:
        """Whether this guest has to let others go first."""
        left = self._left.get(key)
        if left is None or now - left >= BEHIND:
            self._left.pop(key, None)
            return False
        return self.others_wait(key, now - BEHIND)


def _note(times: dict[bytes, float], key: bytes, now: float) -> None:
    times.pop(key, None)
    times[key] = now
    if len(times) > LATEST:
        del times[next(iter(times))]
