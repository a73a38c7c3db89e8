"""The lines typed before, for the up and down keys: in memory, bounded, and never on disk."""

from __future__ import annotations

from collections import deque

MOST = 100
"""Lines; at MAX_LINE characters each, less than a megabyte."""


class History:
    """Where one is among the lines typed before. The line being typed is the newest of them; what
    is changed in a line stays changed until Enter, so nothing typed is lost by looking around."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=MOST)
        self._at = 0  # from the oldest; len(_lines) is the line being typed
        self._changed: dict[int, str] = {}

    def keep(self, line: str) -> None:
        """A line was entered. Blank ones, and the same twice in a row, are not kept."""
        if line.strip() and (not self._lines or self._lines[-1] != line):
            self._lines.append(line)
        self.leave()

    def leave(self) -> None:
        """The next line is typed from nothing."""
        self._at = len(self._lines)
        self._changed.clear()

    def go(self, step: int, text: str) -> str | None:
        """The line that is older (-1) or newer (1) than the one shown, which reads *text* now; None
        where there is none."""
        to = self._at + step
        if not 0 <= to <= len(self._lines):
            return None
        self._changed[self._at] = text
        self._at = to
        newest = "" if to == len(self._lines) else self._lines[to]
        return self._changed.get(to, newest)
