"""Who sits opposite: what we call them, and whether that name is one to be careful with.

# A friend is a key, and a name only what somebody calls themselves. So a name that another key has
# had, or one that looks like it, is told with both fingerprints.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ginpeer.match_store import TableKeeper
from ginpeer.names.nicknames import NO_KNOWN_NAMES, KnownNames
from ginpeer.names.quoting import safe_quote
from ginpeer.net.address import DEFAULT_PORT, Address, AddressError, parse_address
from ginpeer.net.interfaces import PeerInfo
from ginpeer.net.own_addresses import Reach, classify_address
from ginpeer.store import KnownPeers, StoreError
from protocol.crypto.identity import fingerprint


@dataclass(frozen=True, slots=True)
class Ways:
    """The options *typed* now that say how the other player reaches us. *only*: they replace all
    remembered options."""

    typed: tuple[str, ...] = ()
    only: bool = False


class OtherPlayer:
    """The player opposite. ``peer`` is who has sat down there last, and ``known`` where keys are
    looked up and remembered: None remembers nobody, as with the bot."""

    def __init__(
        self,
        keeper: TableKeeper,
        seat: int,
        known: KnownPeers | None,
        names: KnownNames = NO_KNOWN_NAMES,
    ) -> None:
        """*seat*: ours. *names*: what our player is told that others are called."""
        self.peer: PeerInfo | None = None
        self.known = known
        self._keeper = keeper
        self._names = names
        self._seat = 1 - seat

    def name(self, the: str = "the") -> str:
        """As the log has it, or our player; before there is a log, as we know the key."""
        table = None if self._keeper.live is None else self._keeper.live.table
        if table is not None and (table.offer, table.accept)[self._seat] is not None:
            return self._names.display(table.keys, table.names)[self._seat]
        if self.peer is None or self.peer.known_as is None:
            return f"{the} other player"
        return self._names.one(self.peer.key, self.peer.known_as)

    def name_of(self, key: bytes) -> str:
        """Return the name that we know for a key, or else its fingerprint."""
        try:
            known = None if self.known is None else self.known.name_of(key)
        except StoreError:
            known = None
        return fingerprint(key) if known is None else self._names.one(key, known)

    def named(self, name: str) -> list[str]:
        """Remember what the other player is called. What is worth saying of that name: what our
        player calls them, if that is another one; a warning if another key is called so, or by a
        name that looks like it."""
        peer, known = self.peer, self.known
        if peer is None or known is None:
            return []
        try:
            names = KnownNames(met=known.met())
            known.remember(peer.key, peer.address, name)
        except StoreError as error:
            return [f"{error.sentence} ({error.code})"]  # a pity, and no reason to stop a match
        if names.nickname(peer.key):
            return self.own_name(name)
        others = names.alike(peer.key, name)
        if not others:
            return []
        return [
            f"Careful: the key {peer.fingerprint} is called {safe_quote(name)}; "
            f"{_whose(names, others[0], name)}, {fingerprint(others[0])}. "
            "Ask your friend which is right."
        ]

    def own_name(self, name: str) -> list[str]:
        """What the other player calls itself, where we call it otherwise."""
        key = None if self.peer is None else self.peer.key
        if not self._names.renamed(key, name):
            return []
        by_us = safe_quote(self._names.nickname(key))
        return [f"The other player's own name is {safe_quote(name)}; you call this key {by_us}."]

    def at_its_own(self, addresses: Iterable[Address]) -> tuple[Address, ...]:
        """Those of these addresses that are on the machine, or behind the router, that the player
        has connected from, and the port there at which a guest that has lost us listens. To dial
        other claimed addresses would let the peer choose whom we dial."""
        here = self._here()
        if here is None:
            return ()
        listens = Address(here, DEFAULT_PORT)
        return (*(each for each in addresses if each.host == here and each != listens), listens)

    def moved_to(self, addresses: Iterable[Address]) -> tuple[Address, ...]:
        """Those where the player opposite may be after a move: addresses of the Internet, and of
        the network at home where we have met there. No names, which may lead anywhere."""
        here = self._here()
        if here is None:
            return ()
        likely = {Reach.OUTSIDE, Reach.IPV6, classify_address(Address(here, DEFAULT_PORT)).reach}
        likely -= {Reach.GIVEN, Reach.ONION}
        return tuple(each for each in addresses if classify_address(each).reach in likely)

    def _here(self) -> str | None:
        """The host that the player has connected from, or that we have connected to."""
        if self.peer is None:
            return None
        try:
            return parse_address(self.peer.address, None).host
        except AddressError:
            return None

    def note_hidden(self, way: str) -> str | None:
        """Note by which way our player hides from this one where we are, or with an empty one that
        it may be known; what keeps us from it."""
        if self.peer is not None and self.known is not None:
            try:
                self.known.hide(self.peer.key, way)
            except StoreError as error:
                return f"{error.sentence} ({error.code})"
        return None

    def note_ways(self, ways: Ways) -> str | None:
        """Remember these options for the other player. Return what went wrong, or None."""
        if self.peer is not None and self.known is not None and (ways.typed or ways.only):
            try:
                self.known.note_ways(self.peer.key, ways.typed, only=ways.only)
            except StoreError as error:
                return f"{error.sentence} ({error.code})"
        return None

    def is_not_to_know(self) -> bool:
        """Whether our player hides from this one where we are; it counts as hidden where that
        cannot be read."""
        try:
            known = (
                None if self.peer is None or self.known is None else self.known.peer(self.peer.key)
            )
        except StoreError:
            return True
        return known is not None and bool(known.hidden)

    def has_met(self, key: bytes) -> bool:
        """Whether we know this key; a list of known peers that cannot be read knows nobody."""
        try:
            return self.known is not None and self.known.peer(key) is not None
        except StoreError:
            return False


def _whose(names: KnownNames, other: bytes, name: str) -> str:
    """To which other key a name belongs."""
    met = names.met[other]
    if names.is_nickname(other, name):
        exactly = met.nickname == name
        looks = "" if exactly else f"it looks like {safe_quote(met.nickname)}, and "
        return f"{looks}so you call another key"
    if met.name == name:
        return "you have met another key under the same name"
    return f"it looks like {safe_quote(met.name)}, and that was another key"
