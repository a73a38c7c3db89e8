"""Whose keys stand in a log: our own, those of players we have met, and strangers'.

# A log proves what keys have signed, and nothing of who holds them. Whoever has two keys can make
# up a match between them alone, and call the players what they like. So beside each key it is said
# whether this home knows it; the home is only read, and need not be there.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

from ginpeer.names.nicknames import KnownNames
from ginpeer.store.errors import StoreError, UnreadableLog
from ginpeer.store.home import Home
from ginpeer.store.log import open_log
from protocol.codec.entries import NotCanonical
from protocol.entry import NotAnEntry, RawEntry
from protocol.messages import Accept, Malformed, Offer


class Acquaintances(KnownNames):
    """The keys that a home knows, and what our player calls them."""

    @classmethod
    def of(cls, home: Home, now: Callable[[], float]) -> Acquaintances:
        """Raises StoreError where the home cannot be read. *now*: seconds since 1970."""
        return cls(_own(home), home.known_peers(now).met())


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
            with open_log(match.path) as log:
                opening = [RawEntry.split(raw).decode().message for raw in islice(log, 2)]
        except (UnreadableLog, NotAnEntry, NotCanonical, Malformed):
            continue
        role = Offer if notes.role == "host" else Accept
        for message in opening:
            if isinstance(message, Offer | Accept) and isinstance(message, role):
                return message.key
    return None
