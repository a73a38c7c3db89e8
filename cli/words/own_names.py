"""What friends call themselves, where our player calls them otherwise: a claim, told once."""

from __future__ import annotations

from ginpeer.names.nicknames import NOBODY, KnownNames
from ginpeer.names.shown import in_marks


def claimed_name(name: str) -> str:
    """As it stands behind our name for somebody."""
    return f" (its own name: {in_marks(name)})"


class ClaimedNames:
    """Which of them one list has told already."""

    def __init__(self, known: KnownNames = NOBODY) -> None:
        self.known = known
        self._told: set[tuple[bytes | None, str]] = set()

    def first(self, key: bytes | None, name: str) -> str:
        """The claim of this key, the first time; later, or where we call it so too, nothing."""
        if (key, name) in self._told or not self.known.renamed(key, name):
            return ""
        self._told.add((key, name))
        return claimed_name(name)
