"""What friends call themselves, where our player calls them otherwise: a claim, told once."""

from __future__ import annotations

from ginpeer.names.nicknames import NO_KNOWN_NAMES, KnownNames
from ginpeer.names.quoting import safe_quote


def own_name(name: str) -> str:
    """As it stands behind our name for somebody."""
    return f" (its own name: {safe_quote(name)})"


class OwnNames:
    """Which of them one list has told already."""

    def __init__(self, known: KnownNames = NO_KNOWN_NAMES) -> None:
        self.known = known
        self._told: set[tuple[bytes | None, str]] = set()

    def first(self, key: bytes | None, name: str) -> str:
        """The claim of this key, the first time; later, or where we call it so too, nothing."""
        if (key, name) in self._told or not self.known.renamed(key, name):
            return ""
        self._told.add((key, name))
        return own_name(name)
