# Rule 1: if our player has renamed a friend, a player reads or hears that name everywhere. The
#         friend's own name is shown once, as a quoted claim.
# Rule 2: a name belongs to the key that our player gave it to, or else to the key that was first
#         met under it, not to a key that was met before and took the name later. If another key has
#         that name, or one that looks like it, every sentence marks that key.
# Rule 3: logs, documents and lines for programs say what the log proves, and never use nicknames.

"""The names by which our player knows keys: the one place where nicknames are looked up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Literal

from ginpeer.names.quoting import PlaceholderName, display_name, display_names, look_alike

Keys = tuple[bytes | None, bytes | None]
"""The keys of host and guest; None for a key that isn't known yet."""

_NOT_THE_ONE = "another key"


@dataclass(frozen=True, slots=True)
class PeerNames:
    """The names of a key that we have met: its owner's, and our player's for it (or empty).
    *since*: when its owner took that name, in seconds since 1970."""

    name: str
    nickname: str = ""
    since: float = 0

    @property
    def called(self) -> str:
        """The name that we use."""
        return self.nickname or self.name


@dataclass(frozen=True)
class KnownNames:
    """The keys that a home knows: its own, and those that it has met."""

    own: bytes | None = None
    met: Mapping[bytes, PeerNames] = field(default_factory=dict)
    _owners: dict[tuple[bytes, str], bytes | None] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def knows(self, key: bytes) -> bool:
        """Return whether this is our own key, or one that we have met."""
        return self.relation(key) is not None

    def relation(self, key: bytes) -> Literal["own", "met"] | None:
        """Return the home's relation to this key."""
        if key == self.own:
            return "own"
        return "met" if key in self.met else None

    def nickname(self, key: bytes | None) -> str:
        """Return our player's name for this key; empty if our player uses the owner's."""
        met = None if key is None else self.met.get(key)
        return "" if met is None else met.nickname

    def name(self, key: bytes | None, own: str) -> str:
        """Return our name for a key whose owner calls it *own*."""
        return self.nickname(key) or own

    def renamed(self, key: bytes | None, own: str) -> bool:
        """Return whether our player calls this key differently from its owner."""
        return self.name(key, own) != own and not isinstance(own, PlaceholderName)

    def alike(self, key: bytes, own: str) -> list[bytes]:
        """Return the other keys with the name that *key* uses, or one that looks like it: first
        those that our player has given that name, then those with exactly that name."""
        found = []
        for other, met in self.met.items():
            if other == key:
                continue
            by_us = self.is_nickname(other, own)
            if by_us or (met.name and look_alike(own, met.name)):
                found.append((not by_us, met.name != own, other))
        return [other for *_, other in sorted(found)]

    def owner(self, key: bytes | None, own: str) -> bytes | None:
        """Return the other key that this name belongs to (rule 2), or None if *key* may use it
        unmarked."""
        if key is None or key == self.own or self.nickname(key):
            return None
        if (key, own) not in self._owners:  # called for every sentence
            self._owners[key, own] = self._find_owner(key, own)
        return self._owners[key, own]

    def _find_owner(self, key: bytes, own: str) -> bytes | None:
        known = self.met.get(key)
        since = inf if known is None or known.name != own else known.since
        for other in self.alike(key, own):
            met = self.met[other]
            if met.since < since or self.is_nickname(other, own):
                return other
        return None

    def is_nickname(self, key: bytes, name: str) -> bool:
        """Return whether our player calls this key by this name, or one that looks like it."""
        nickname = self.nickname(key)
        return bool(nickname) and look_alike(name, nickname)

    def display(
        self, keys: Keys, names: tuple[str, str], *, quoted: bool = False
    ) -> tuple[str, str]:
        """Return the players' names for the screen: the names that we use, made distinct from each
        other and from those of other keys. *names*: the players' own names."""
        shown = display_names(
            (self.name(keys[0], names[0]), self.name(keys[1], names[1])), quoted=quoted
        )
        return self._marked(keys[0], names[0], shown[0]), self._marked(keys[1], names[1], shown[1])

    def one(self, key: bytes, own: str, form: Callable[[str], str] = display_name) -> str:
        """Return one player's name for the screen."""
        return self._marked(key, own, form(self.name(key, own)))

    def _marked(self, key: bytes | None, own: str, shown: str) -> str:
        return shown if self.owner(key, own) is None else f"{shown} ({_NOT_THE_ONE})"


NO_KNOWN_NAMES = KnownNames()
"""Shows every key under its owner's name."""
