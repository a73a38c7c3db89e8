"""Our own logs that may be shown, as the program at the table writes them.

# They are judged once more, for what is shown and added up is what the referee makes of them; a
# hand takes a second, so a few entries are judged at a time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

from ginpeer.partnership.followed_log import FollowedLog
from ginpeer.referee.violations import RefusedEntry


class OwnTables:
    """The logs of one home, by the names of their files."""

    def __init__(self) -> None:
        self._marked: tuple[str, ...] = ()
        self._logs: dict[str, FollowedLog] = {}
        self._seen: dict[str, int] = {}  # entries of each, judged or waiting
        self._waiting: deque[tuple[str, bytes]] = deque()

    @property
    def shown(self) -> dict[bytes, FollowedLog]:
        """By table, those that may be shown now."""
        logs = (self._logs[name] for name in self._marked)
        return {log.table.table_id: log for log in logs if log.entries}

    def look(self, marked: Mapping[str, Sequence[bytes]]) -> None:
        """These logs may be shown, and no others. An empty one has not grown since it was named
        last."""
        for name, entries in marked.items():
            self._logs.setdefault(name, FollowedLog())
            self._waiting += [(name, raw) for raw in entries[self._seen.get(name, 0) :]]
            self._seen[name] = max(self._seen.get(name, 0), len(entries))
        self._marked = tuple(marked)

    @property
    def waiting(self) -> int:
        """How many entries are to be judged."""
        return len(self._waiting)

    def judge(self, most: int) -> bool:
        """Judge some of them; whether a hand is over by that, or the next one may begin. A log of
        ours that does not hold is followed no further: `ginpeer verify` says why."""
        ended = False
        for _ in range(min(most, len(self._waiting))):
            name, raw = self._waiting.popleft()
            try:
                ended |= self._logs[name].take(raw)
            except RefusedEntry:
                self._waiting = deque(each for each in self._waiting if each[0] != name)
                break
        return ended
