"""Players by their names and keys: the players of logs, and the friends of this home.

Rule 1: players choose their own names. So each key is listed with whether this home knows it
        (ginpeer.names), and a friend's name with a different key causes a warning.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from ginpeer.names import NO_KNOWN_NAMES, KnownNames, display_name, safe, safe_quote
from ginpeer.store import Peer
from ginpeer.tally.logs import TableLog
from ginpeer.tally.tables import first_names
from protocol.crypto.identity import fingerprint


def key_lines(logs: Sequence[TableLog], known: KnownNames) -> Iterator[str]:
    """List the players with their keys, and warn about logs whose players this home hasn't met."""
    for key, name in first_names(logs).items():
        yield _key(key, name, known)
    for log in logs:
        strange = [fingerprint(key) for key in log.keys if not known.knows(key)]
        if len(strange) == 2:
            yield (
                f"Careful: you have met neither of the players in {log.name}. One person with two "
                "keys can fake such a match. Ask your friends whether these keys are theirs."
            )
        elif strange:
            yield (
                f"Careful: you have never met one of the players in {log.name}: key {strange[0]}."
            )


def _key(key: bytes, name: str, known: KnownNames) -> str:
    told = f"Key {fingerprint(key)}, called {safe_quote(name)}"
    if key == known.own:
        return f"{told}: your own."
    if key not in known.met:
        return f"{told}: you haven't seen it before.{_mistaken(key, name, known)}"
    friend = known.met[key].called
    known_as = f" as {safe_quote(friend)}" if friend else ""
    return f"{told}: you know it{known_as}.{_mistaken(key, name, known)}"


def _mistaken(key: bytes, name: str, known: KnownNames) -> str:
    """Warn if a player has the name of a friend but a different key."""
    other = known.owner(key, name)
    if other is None:
        return ""
    friend = known.nickname(other) if known.is_nickname(other, name) else known.met[other].name
    return (
        f" Careful: the {display_name(friend)} you know has a different key, {fingerprint(other)}."
    )


# --- names ------------------------------------------------------------------------------


def claimed_name(name: str) -> str:
    """Return the name that somebody claims, to be shown after our own name for them."""
    return f" (own name: {safe_quote(name)})"


class ClaimedNames:
    """The claimed names that one list has already shown."""

    def __init__(self, known: KnownNames = NO_KNOWN_NAMES) -> None:
        self.known = known
        self._told: set[tuple[bytes | None, str]] = set()

    def first(self, key: bytes | None, name: str) -> str:
        """Return the name that a key claims; "" if it has been shown or is our name for the key."""
        if (key, name) in self._told or not self.known.renamed(key, name):
            return ""
        self._told.add((key, name))
        return claimed_name(name)


def friend_name(friend: Peer) -> str:
    """Return our quoted name for a friend."""
    return safe_quote(friend.called) if friend.called else "a player without a name"


def friend_line(friend: Peer) -> str:
    """Return a line like: "Ben", key abcde-...: last met on 2026-11-22, at 192.0.2.1"""
    met = time.strftime("%Y-%m-%d", time.localtime(friend.last_met))
    own = ""
    if friend.nickname and friend.name and friend.nickname != friend.name:
        own = claimed_name(friend.name)
    at = f", at {safe(friend.addresses[0].rpartition(':')[0])}" if friend.addresses else ""
    told = f"; can be reached at {safe(', '.join(friend.told), 300)}" if friend.told else ""
    if friend.hidden:
        told += "; your address is hidden from them"
    key = fingerprint(friend.key)
    return f"{friend_name(friend)}{own}, key {key}: last met on {met}{at}{told}"
