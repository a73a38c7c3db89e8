"""Whose keys stand in a log: our own, those of players we have met, and strangers'.

# A log proves what keys have signed, and nothing of who holds them. Whoever has two keys can make
# up a match between them alone, and call the players what they like. So beside each key it is said
# whether this home knows it; the home is only read, and need not be there.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

from ginpeer.names.lookalikes import look_alike
from ginpeer.names.shown import called, in_marks
from ginpeer.store import Home, StoreError, UnreadableLog, opened_log
from protocol.codec.entries import NotCanonical
from protocol.crypto.identity import fingerprint
from protocol.entry import NotAnEntry, RawEntry
from protocol.messages import Accept, Malformed, Offer


@dataclass(frozen=True, slots=True)
class Acquaintances:
    """The keys that a home knows: its own, and by what name each other was met last."""

    own: bytes | None
    met: Mapping[bytes, str]

    @classmethod
    def of(cls, home: str | None) -> Acquaintances:
        """Raises StoreError where the home cannot be read."""
        found = Home.locate(home, os.environ)
        peers = found.known_peers(time.time).all()
        return cls(_own(found), {peer.key: peer.name for peer in peers})

    def knows(self, key: bytes) -> bool:
        """Whether this is our own key, or one that we have met."""
        return key == self.own or key in self.met

    def line(self, key: bytes, name: str) -> str:
        """Whose key this is, and what its player is called in the logs."""
        told = f"Key {fingerprint(key)}, called {in_marks(name)}"
        if key == self.own:
            return f"{told}: your own."
        if key not in self.met:
            return f"{told}: you have never met it.{self._mistaken(key, name)}"
        known = self.met[key]
        return f"{told}: you know it{f' as {in_marks(known)}' if known else ''}."

    def _mistaken(self, key: bytes, name: str) -> str:
        """A warning, where a stranger is called as somebody is whom we know."""
        for other, known in self.met.items():
            if look_alike(name, known):
                return (
                    f" Careful: the {called(known)} whom you know has another key, "
                    f"{fingerprint(other)}."
                )
        return ""


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
