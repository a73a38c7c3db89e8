"""The other player: what we call them, whether to be careful with that name, where they are.

# A friend is a key; a name is only what somebody calls themselves. So if another key has had the
# same name, or one that looks like it, our player is told both fingerprints.
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
    """The other player. ``peer`` is the one who connected last; ``known`` is where keys are looked
    up and remembered, or None to remember nobody, as with the bot; ``names`` are those by which our
    player knows others."""

    def __init__(
        self,
        keeper: TableKeeper,
        seat: int,
        known: KnownPeers | None,
        names: KnownNames = NO_KNOWN_NAMES,
    ) -> None:
        """*seat*: ours."""
        self.peer: PeerInfo | None = None
        self.known = known
        self._keeper = keeper
        self.names = names
        self._seat = 1 - seat

    def name(self, the: str = "the") -> str:
        """Return what our player calls them, or else their name in the log; before there is a log,
        the name that we know for their key."""
        table = None if self._keeper.live is None else self._keeper.live.table
        if table is not None and (table.offer, table.accept)[self._seat] is not None:
            return self.names.display(table.keys, table.names)[self._seat]
        if self.peer is None or self.peer.known_as is None:
            return f"{the} other player"
        return self.names.one(self.peer.key, self.peer.known_as)

    def name_of(self, key: bytes) -> str:
        """Return the name that we know for a key, or else its fingerprint."""
        try:
            known = None if self.known is None else self.known.name_of(key)
        except StoreError:
            known = None
        return fingerprint(key) if known is None else self.names.one(key, known)

    def named(self, name: str) -> list[str]:
        """Remember the name that the other player goes by. Return what our player should know
        about it: what ours calls them, if that differs, or a warning if another key has that name
        or one that looks like it."""
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
        """Return the name that the other player goes by, if our player calls them otherwise."""
        key = None if self.peer is None else self.peer.key
        if not self.names.renamed(key, name):
            return []
        by_us = safe_quote(self.names.nickname(key))
        return [f"The other player's own name is {safe_quote(name)}; you call this key {by_us}."]

    def at_its_own(self, addresses: Iterable[Address]) -> tuple[Address, ...]:
        """Return those of these addresses that are on the machine, or behind the router, that the
        player has connected from, and also the port there at which a guest that has lost us
        listens. If we dialled other claimed addresses, the peer could choose whom we dial."""
        here = self._here()
        if here is None:
            return ()
        listens = Address(here, DEFAULT_PORT)
        return (*(each for each in addresses if each.host == here and each != listens), listens)

    def moved_to(self, addresses: Iterable[Address]) -> tuple[Address, ...]:
        """Return those of these addresses where the player may be after a move: addresses of the
        Internet, and of the home network if we have met there. Names may lead anywhere, so none of
        them."""
        here = self._here()
        if here is None:
            return ()
        likely = {Reach.OUTSIDE, Reach.IPV6, classify_address(Address(here, DEFAULT_PORT)).reach}
        likely -= {Reach.GIVEN, Reach.ONION}
        return tuple(each for each in addresses if classify_address(each).reach in likely)

    def _here(self) -> str | None:
        """Return the host that the player has connected from, or that we have connected to."""
        if self.peer is None:
            return None
        try:
            return parse_address(self.peer.address, None).host
        except AddressError:
            return None

    def note_hidden(self, way: str) -> str | None:
        """Note by which way our player hides from this one where we are; an empty *way*: it may be
        known. Return what went wrong, or None."""
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
        """Whether our player hides from this one where we are. If that cannot be read, it does."""
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
    """Say to which other key a name belongs."""
    met = names.met[other]
    if names.is_nickname(other, name):
        exactly = met.nickname == name
        looks = "" if exactly else f"it looks like {safe_quote(met.nickname)}, and "
        return f"{looks}so you call another key"
    if met.name == name:
        return "you have met another key under the same name"
    return f"it looks like {safe_quote(met.name)}, and that was another key"
