"""Who sits opposite: what we call them, and whether that name is one to be careful with.

# A friend is a key, and a name only what somebody calls themselves. So a name that another key has
# had, or one that looks like it, is told with both fingerprints.
"""

from __future__ import annotations

from collections.abc import Iterable

from ginpeer.keeper import TableKeeper
from ginpeer.names.shown import display_names, in_marks, safe
from ginpeer.net.address import DEFAULT_PORT, Address, AddressError, parse_address
from ginpeer.net.interfaces import PeerInfo
from ginpeer.net.own_addresses import Reach, place_of
from ginpeer.store import KnownPeers, StoreError
from protocol.crypto.identity import fingerprint


class OtherPlayer:
    """The player opposite. ``peer`` is who has sat down there last, and ``known`` where keys are
    looked up and remembered: None remembers nobody, as with the bot."""

    def __init__(self, keeper: TableKeeper, seat: int, known: KnownPeers | None) -> None:
        """*seat*: ours."""
        self.peer: PeerInfo | None = None
        self.known = known
        self._keeper = keeper
        self._seat = 1 - seat

    def name(self, the: str = "the") -> str:
        """As the log has it; before there is one, as we know the key."""
        table = None if self._keeper.live is None else self._keeper.live.table
        if table is not None and (table.offer, table.accept)[self._seat] is not None:
            return display_names(table.names)[self._seat]
        known_as = None if self.peer is None else self.peer.known_as
        return f"{the} other player" if known_as is None else safe(known_as)

    def named(self, name: str) -> list[str]:
        """Remember what the other player is called; a warning if another key was called so, or by a
        name that looks like it."""
        peer, known = self.peer, self.known
        if peer is None or known is None:
            return []
        try:
            others = [other for other in known.like(name) if other.key != peer.key]
            known.remember(peer.key, peer.address, name)
        except StoreError as error:
            return [f"{error.sentence} ({error.code})"]  # a pity, and no reason to stop a match
        if not others:
            return []
        other = others[0]
        met = (
            "you have met another key under the same name"
            if other.name == name
            else f"it looks like {in_marks(other.name)}, and that was another key"
        )
        return [
            f"Careful: the key {peer.fingerprint} is called {in_marks(name)}; {met}, "
            f"{fingerprint(other.key)}. Ask your friend which is right."
        ]

    def at_its_own(self, addresses: Iterable[Address]) -> tuple[Address, ...]:
        """Those of these addresses that are on the machine, or behind the router, that the player
        has connected from. What else is claimed would have us dial whomever the claimant likes."""
        here = self._here()
        return tuple(each for each in addresses if here is not None and each.host == here)

    def moved_to(self, addresses: Iterable[Address]) -> tuple[Address, ...]:
        """Those where the player opposite may be after a move: addresses of the Internet, and of
        the network at home where we have met there. No names, which may lead anywhere."""
        here = self._here()
        if here is None:
            return ()
        likely = {Reach.OUTSIDE, Reach.IPV6, place_of(Address(here, DEFAULT_PORT)).reach}
        likely -= {Reach.GIVEN, Reach.ONION}
        return tuple(each for each in addresses if place_of(each).reach in likely)

    def _here(self) -> str | None:
        """The host that the player has connected from, or that we have connected to."""
        if self.peer is None:
            return None
        try:
            return parse_address(self.peer.address, None).host
        except AddressError:
            return None

    def has_met(self, key: bytes) -> bool:
        """Whether we know this key; a list of known peers that cannot be read knows nobody."""
        try:
            return self.known is not None and self.known.peer(key) is not None
        except StoreError:
            return False
