"""The other player: our name for them, warnings about that name, and where they can be reached; and
what the parts of a match share.

A friend is a key; a name is only what somebody claims to be called. So if a different key has
used the same name, or one that looks like it, our player is shown both fingerprints.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, Protocol

from twisted.internet.defer import Deferred, DeferredQueue

from cli.table.presenter import Presenter
from cli.table.table import HumanTable
from ginpeer.match_store import TableKeeper
from ginpeer.names import NO_KNOWN_NAMES, KnownNames, safe_quote
from ginpeer.net.address import DEFAULT_PORT, Address, AddressError, is_onion, parse_address
from ginpeer.net.interfaces import PeerInfo
from ginpeer.net.own_addresses import Reach, classify_address
from ginpeer.net.session import Session
from ginpeer.referee.table import ROLES
from ginpeer.rules.ruleset import RuleSet
from ginpeer.store import Home, KnownPeers, Peer, StoreError
from protocol.crypto.identity import fingerprint


class OtherPlayer:
    """The other player. ``peer`` is the player who connected last. ``known`` stores the keys that
    we have met; None in a practice match, which remembers nobody."""

    def __init__(
        self,
        keeper: TableKeeper,
        seat: int,
        known: KnownPeers | None,
        names: KnownNames = NO_KNOWN_NAMES,
    ) -> None:
        self.peer: PeerInfo | None = None
        self.known = known
        self._keeper = keeper
        self.names = names
        self._seat = 1 - seat

    def name(self, the: str = "the") -> str:
        """Return our name for the other player, or else their name in the log. Before there is a
        log, return our name for their key, or *the* and their role, as in "the guest"."""
        table = None if self._keeper.live is None else self._keeper.live.table
        if table is not None and (table.offer, table.accept)[self._seat] is not None:
            return self.names.display(table.keys, table.names)[self._seat]
        if self.peer is None or self.peer.known_as is None:
            return f"{the} {ROLES[self._seat]}"
        return self.names.display_one(self.peer.key, self.peer.known_as)

    def name_of(self, key: bytes) -> str:
        """Return the name that we know for a key, or else its fingerprint."""
        try:
            known = None if self.known is None else self.known.name_of(key)
        except StoreError:
            known = None
        return fingerprint(key) if known is None else self.names.display_one(key, known)

    def word_for_commands(self) -> str | None:
        """Return the word for the other player in a command: their name, if it is a plain word and
        nobody else's, or else their fingerprint. None if we don't know the player."""
        if self.peer is None or self.known is None:
            return None
        key = self.peer.key
        with suppress(StoreError):
            name = self.known.name_of(key)
            if name and name.isalnum() and [each.key for each in self.known.find(name)] == [key]:
                return name
            return None if name is None else fingerprint(key)
        return None

    def note_name(self, name: str) -> list[str]:
        """Save the name that the other player uses. Return what our player should know about it:
        our own name for them, or a warning if a different key uses that name or one that looks like
        it."""
        peer, known = self.peer, self.known
        if peer is None or known is None:
            return []
        try:
            names = KnownNames(met=known.peer_names())
            known.remember(peer.key, peer.address, name)
        except StoreError as error:
            return [f"{error.sentence} ({error.code})"]  # not worth stopping a match
        if names.nickname(peer.key):
            return self.own_name(name)
        others = names.alike(peer.key, name)
        if not others:
            return []
        return [
            f"Careful: this player calls themselves {safe_quote(name)} (key {peer.fingerprint}). "
            f"{_whose(names, others[0], name)}, {fingerprint(others[0])}. "
            "Ask your friend which key is theirs."
        ]

    def own_name(self, name: str) -> list[str]:
        """Return a line with the other player's own name, if we call them something else."""
        key = None if self.peer is None else self.peer.key
        if not self.names.renamed(key, name):
            return []
        by_us = safe_quote(self.names.nickname(key))
        return [f"Your opponent goes by {safe_quote(name)}; you call them {by_us}."]

    def addresses_at_its_host(self, addresses: Iterable[Address]) -> tuple[Address, ...]:
        """Return the addresses on the host that the player connected from, and the address at which
        a guest there listens after a lost connection. If we dialled any others, the peer could
        choose whom we dial."""
        here = self._here()
        if here is None:
            return ()
        listens = Address(here, DEFAULT_PORT)
        return (*(each for each in addresses if each.host == here and each != listens), listens)

    def addresses_after_move(self, addresses: Iterable[Address]) -> tuple[Address, ...]:
        """Return the addresses that may lead to the player after a move: those on the Internet, and
        those on the home network if we connected there. Leave out host names, which may lead
        anywhere. If we connected over Tor, return none: dialling one would reveal our address."""
        here = self._here()
        if here is None or is_onion(here):
            return ()
        likely = {Reach.OUTSIDE, Reach.IPV6, classify_address(Address(here, DEFAULT_PORT)).reach}
        likely -= {Reach.GIVEN, Reach.ONION}
        return tuple(each for each in addresses if classify_address(each).reach in likely)

    def _here(self) -> str | None:
        if self.peer is None:
            return None
        try:
            return parse_address(self.peer.address, None).host
        except AddressError:
            return None

    def note_way(self, hides: str | None, typed: tuple[str, ...], *, only: bool) -> str | None:
        """Save how the two players connected. Return an error message, or None. *hides*: see
        Contact. *typed*: the options that say how the other player reaches us. *only*: whether
        these options replace all saved ones."""
        if self.peer is None or self.known is None:
            return None
        try:
            if hides is not None:
                self.known.hide(self.peer.key, hides)
            if typed or only:
                self.known.note_ways(self.peer.key, typed, only=only)
        except StoreError as error:
            return f"{error.sentence} ({error.code})"
        return None

    def is_hidden_from(self) -> bool:
        """Return whether our address is hidden from the other player; True if we can't tell."""
        if self.peer is None or self.known is None:
            return False
        try:
            known = self.known.peer(self.peer.key)
        except StoreError:
            return True
        return known is not None and bool(known.hidden)

    def has_met(self, key: bytes) -> bool:
        """Return whether we know this key; False if the known keys can't be read."""
        try:
            return self.known is not None and self.known.peer(key) is not None
        except StoreError:
            return False


def _whose(names: KnownNames, other: bytes, name: str) -> str:
    """Begin a sentence that says which other key has this name, or one that looks like it."""
    met = names.met[other]
    if names.is_nickname(other, name):
        if met.nickname == name:
            return "You use that name for a player with a different key"
        return f"That looks like {safe_quote(met.nickname)}, your name for a different key"
    if met.name == name:
        return "You know a player of that name with a different key"
    return f"That looks like {safe_quote(met.name)}, whom you know under a different key"


_LOWEST_EPHEMERAL = 32768  # the lowest port that systems choose for outgoing connections


def friend_addresses(friend: Peer | None, noted: Iterable[str] = ()) -> tuple[Address, ...]:
    """Return the addresses at which a friend may be: those that they gave us, those *noted* with a
    match, and those of earlier connections."""
    told, met = (friend.told, friend.addresses) if friend is not None else ((), ())
    found = dict.fromkeys((*_read(told), *_read(noted)))
    for address in _read(met):
        # A high port is probably one from which the friend connected, so nobody listens there.
        is_listening = address.port < _LOWEST_EPHEMERAL
        found[address if is_listening else address._replace(port=DEFAULT_PORT)] = None
    return tuple(found)


def _read(texts: Iterable[str]) -> Iterator[Address]:
    for text in texts:
        try:
            yield parse_address(text, None)
        except AddressError:
            continue  # a path on this machine, or written by an older version


class Sessions:
    """The sessions with the other player. ``current`` is the running one, or else the last."""

    def __init__(self) -> None:
        self.current: Session | None = None
        self._coming: DeferredQueue[Session | None] = DeferredQueue()

    def begin(self, session: Session) -> None:
        self.current = session
        self._coming.put(session)

    def next(self) -> Deferred[Session | None]:
        """Return a Deferred of the next session, or of None once we no longer wait for anybody."""
        return self._coming.get()

    def stop(self) -> None:
        """Stop waiting, so that `next` returns None."""
        self._coming.put(None)


class AnyMatch(Protocol):
    """The interface that the parts of a match use: OneMatch or, for a guest of a club, ClubTable.
    ``seat`` is ours; ``table`` is our player's, or None if a bot plays for us."""

    home: Home
    command: str
    seat: int
    keeper: TableKeeper
    presenter: Presenter
    other: OtherPlayer
    sessions: Sessions
    reactor: Any
    table: HumanTable | None


class MatchPart:
    """Base class for the parts of a match. It names the objects that they share."""

    def __init__(self, match: AnyMatch) -> None:
        self._match = match
        self._home, self._command, self._seat = match.home, match.command, match.seat
        self._keeper, self._presenter = match.keeper, match.presenter
        self._other, self._sessions, self._clock = match.other, match.sessions, match.reactor

    @property
    def _table(self) -> HumanTable | None:
        return self._match.table

    @property
    def _name(self) -> str:
        """Our name for the other player, in the form that begins a sentence."""
        return self._other.name("The")


class Contact:
    """How the two players find each other. This base class finds nobody, which is all that a
    practice match needs. A host's contact (cli.match.hosting) listens; a guest's
    (cli.match.joining) dials."""

    takes_replies = False  # whether a guest's reply may be pasted here
    hides: str | None = None
    """The route to save for the other player because it hides our address from them; empty if they
    may know our address, None to save nothing."""

    def own_addresses(self) -> tuple[Address, ...]:
        """Return the addresses at which the other player can reach us in future."""
        return ()

    def on_peer_addresses(self, addresses: tuple[Address, ...]) -> None:
        """Note the addresses at which the other player claims to be reachable."""

    def invite_line(self) -> str | None:
        """Return the line with our invite, if the other player may still need it."""
        return None

    def on_arrival(self) -> None:
        """Note that the other player has arrived."""

    def on_match_start(self, rules: RuleSet) -> None:
        """Note that a match with these rules begins, or continues."""

    def on_paste(self, text: str) -> None:
        """Accept a pasted reply, or a line of it, if `takes_replies`. Raises ReplyError."""

    def accepts_more(self, text: str) -> bool:
        """Return whether this line continues a reply whose beginning was pasted."""
        return False

    def stop(self) -> None:
        """Stop looking for the other player."""
