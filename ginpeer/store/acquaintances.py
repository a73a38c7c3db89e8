"""Whose keys stand in a log: our own, those of players we have met, and strangers'.

# A log proves what keys have signed, and nothing of who holds them. Whoever has two keys can make
# up a match between them alone, and call the players what they like. So beside each key it is said
# whether this home knows it; the home is only read, and need not be there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from ginpeer.store.errors import StoreError, UnreadableLog
from ginpeer.store.home import Home
from ginpeer.store.log import opened_log
from protocol.codec.entries import NotCanonical
from protocol.entry import NotAnEntry, RawEntry
from protocol.messages import Accept, Malformed, Offer


@dataclass(frozen=True, slots=True)
class Acquaintances:
    """The keys that a home knows: its own, and by what name each other was met last."""

    own: bytes | None
    met: Mapping[bytes, str]

    @classmethod
    def of(cls, home: Home, now: Callable[[], float]) -> Acquaintances:
        """Raises StoreError where the home cannot be read. *now*: seconds since 1970."""
        peers = home.known_peers(now).all()
        return cls(_own(home), {peer.key: peer.called for peer in peers})

    def knows(self, key: bytes) -> bool:
        """Whether this is our own key, or one that we have met."""
        return self.relation(key) is not None

    def relation(self, key: bytes) -> Literal["own", "met"] | None:
        """What this key is to the home."""
        if key == self.own:
            return "own"
        return "met" if key in self.met else None


def _own(home: Home) -> bytes | None:
    """Our public key; where it is under a passphrase, as our latest match has it."""
    try:
        key = home.identity_file.load(None)
    except StoreError as why:
        if why.code != "no-passphrase":
            raise
    else:
        return None if key is None else key.public
    for match in home.logs():
        notes = home.notes(match)
        if notes is None:
            continue
        try:
            with opened_log(match.path) as log:
                opening = [RawEntry.split(raw).decode().message for raw in islice(log, 2)]
        except (UnreadableLog, NotAnEntry, NotCanonical, Malformed):
            continue
        role = Offer if notes.role == "host" else Accept
        for message in opening:
            if isinstance(message, Offer | Accept) and isinstance(message, role):
                return message.key
    return None
