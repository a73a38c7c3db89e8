"""A log as it grows: judged entry by entry, and where its last whole hand ends."""

from __future__ import annotations

from collections.abc import Sequence

from ginpeer.referee.referee import Referee
from ginpeer.referee.table import Awaiting, Table

_BETWEEN = (Awaiting.DEAL_COMMIT, Awaiting.SETTLE, Awaiting.DISCLOSE, Awaiting.NOTHING)
"""What is owed while no hand is played."""


class FollowedLog:
    """The entries that hold so far. ``whole`` is how many of them there were when a hand was over
    last, or none was begun: what lies behind them is of a hand that is being played."""

    def __init__(self) -> None:
        self.whole = 0
        self._referee = Referee()

    @property
    def entries(self) -> Sequence[bytes]:
        """Byte for byte, in order."""
        return self._referee.entries

    @property
    def table(self) -> Table:
        """The public state of the match after the last of them."""
        return self._referee.table

    @property
    def hands(self) -> int:
        """How many hands are over."""
        match = self.table.match
        return 0 if match is None else len(match.results)

    def follows(self, other: FollowedLog) -> bool:
        """Whether the other log is the beginning of this one."""
        return self.entries[: len(other.entries)] == other.entries

    def take(self, raw: bytes) -> bool:
        """Judge one entry; whether by it a hand is over, or the next one may begin. That takes up
        to a third of a second. Raises what Referee.admit raises."""
        self._referee.admit(raw)
        if self.table.awaiting not in _BETWEEN:
            return False
        self.whole = len(self.entries)
        return True
