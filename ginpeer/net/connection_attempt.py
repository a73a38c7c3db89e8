"""A guest's attempt to connect to one address: dial, say hello, check that the host admits us.

Rule 1: if the player has named a proxy, everything goes through it: this machine dials no address
and looks up no name except the proxy's own. Not even this machine's own Tor is used.
Rule 2: an onion address is reached through Tor or not at all. We never look it up (RFC 7686).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Final

from twisted.internet.defer import Deferred
from twisted.internet.protocol import Protocol
from twisted.python.failure import Failure

from ginpeer.net.address import Address, is_onion
from ginpeer.net.codes import Invite
from ginpeer.net.connection import PeerConnection, Timing
from ginpeer.net.handshake import (
    REFUSALS,
    VERSIONS,
    ChannelBinding,
    GreetingRefused,
    check_welcome,
    invite_proof,
    with_bots,
)
from ginpeer.net.interfaces import CloseReason
from ginpeer.net.not_reached import connect_failure
from ginpeer.net.session import Session, Side
from ginpeer.net.socks import Proxy, SocksError, connect_through
from ginpeer.net.tcp import ProtocolFactory, connect_directly
from ginpeer.net.tls import GuestTLS, Secured, begins_as_client, tls_factory
from ginpeer.net.tor import SOCKS_PORTS, find_listener
from protocol.crypto.identity import fingerprint, fingerprint_of_hash, key_hash
from protocol.frames import Goodbye, Hello, Welcome

PROXY_SECONDS: Final = 30.0  # the proxy may allow longer, but a player won't wait
ONION_SECONDS: Final = 60.0  # Tor takes some seconds, and three times as long if it has to retry


@dataclass(frozen=True, slots=True)
class Dialler:
    """Chooses how to connect to an address. *through*: the proxy for everything, if any. *tor*:
    where Tor may listen on this machine, for onion addresses. *rng* returns random bytes, which
    give each attempt through Tor a circuit of its own; None: attempts may share circuits."""

    through: Proxy | None = None
    tor: tuple[Address, ...] = SOCKS_PORTS
    rng: Callable[[int], bytes] | None = None

    async def connect(self, reactor: Any, address: Address, factory: Any) -> Any:
        """Connect to *address*, and return the factory's protocol. Failures through a proxy are
        SocksErrors."""
        if self.through is None and not is_onion(address.host):
            return await connect_directly(reactor, address, factory, from_peer=True)
        proxy = self.through or await self._find_tor(reactor)
        return await connect_through(reactor, proxy, address, factory)

    def seconds(self, address: Address, direct: float) -> float:
        """Return how many seconds to wait for a connection: *direct* if it doesn't use a proxy."""
        if is_onion(address.host):
            return ONION_SECONDS
        return direct if self.through is None else PROXY_SECONDS

    async def _find_tor(self, reactor: Any) -> Proxy:
        found = await find_listener(reactor, self.tor)
        if found is None:
            raise SocksError(
                "tor-not-there",
                "this address needs Tor, which isn't running on this machine. Start Tor or Tor "
                "Browser, and try again.",
            )
        # Streams with different logins share no circuit (tor(1), IsolateSOCKSAuth). Otherwise a
        # second attempt would wait on the first one's circuit, which hasn't reached the service.
        login = None if self.rng is None else self.rng(8).hex().encode()
        return Proxy(found, user=login, password=login or b"")


BOTH_JOIN = CloseReason(
    "both-join",
    "You are both joining, so nobody is hosting. Agree on who hosts: that player "
    "runs ginpeer host with the other's name.",
    "A",
)
"""The peer that we have reached is a guest as well."""

_FIRST = 16  # how many of the first bytes to keep; six are enough


class AttemptFailed(Exception):
    def __init__(self, reason: CloseReason) -> None:
        super().__init__(reason.sentence)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class AttemptContext:
    """Data shared by all attempts to follow an invite."""

    reactor: Any
    invite: Invite
    side: Side
    timing: Timing
    dialler: Dialler


class GuestConnection(PeerConnection):
    """A connection to what should be the host, at *address*. ``key_proven`` fires when the peer has
    proven the host's key, and ``admitted`` when the host has admitted us. If the connection ends
    before both have fired, whichever is due next fails with AttemptFailed."""

    _binding: ChannelBinding  # this and _hello are set before the host can greet
    _hello: Hello

    def __init__(self, context: AttemptContext, tls: GuestTLS, address: Address) -> None:
        super().__init__(context.side, context.reactor, context.timing)
        self.key_proven: Deferred[None] = Deferred()
        self.admitted: Deferred[Session] = Deferred()
        self._invite = context.invite
        self._tls = tls
        self._address = address
        self._first = b""

    def on_bytes(self, data: bytes) -> None:
        """Keep the first few bytes, which distinguish a guest from a host."""
        if len(self._first) < _FIRST:
            self._first += data[:_FIRST]
        super().on_bytes(data)

    def greet(self, link: Secured) -> None:
        if key_hash(link.peer_key) != self._invite.host:  # already ensured by the verify callback
            self.fail("pinned-key-mismatch", "The host's key doesn't match the invite.")
            return
        self.key_proven.callback(None)
        side = self._side
        self._binding = ChannelBinding(link.exporter, link.peer_key, side.identity.public)
        position = side.position_for(link.peer_key, None)
        extensions = with_bots(side.extensions(), hosts=False, bot=side.bot)
        blank = Hello(VERSIONS, b"", position, side.software, extensions)
        proof = invite_proof(self._invite.secret, self._binding, blank)
        self._hello = replace(blank, proof=proof)
        self.send(self._hello)

    def on_greeting(self, frame: Hello | Welcome) -> None:
        binding = self._binding
        if not isinstance(frame, Welcome):
            self.refuse_unexpected("The other side acted as the guest.")
            return
        try:
            check_welcome(binding, self._hello, frame)
        except GreetingRefused as refused:
            self.refuse_saying(refused.code, refused.sentence)
            return
        session = self.open(binding.host_key, frame.position, frame.extensions)
        self.admitted.callback(session)

    def on_refusal(self, goodbye: Goodbye) -> None:
        if goodbye.code in REFUSALS:
            self.refuse(CloseReason(goodbye.code, REFUSALS[goodbye.code], "A"), None)
        else:
            super().on_refusal(goodbye)

    def reason_for_loss(self, reason: Failure) -> CloseReason:
        """Return why the connection was lost. Check first whether the peer had a wrong key or is a
        guest as well."""
        if self._tls.mismatch is not None:
            return _wrong_key(self._address, self._invite, self._tls.mismatch)
        return BOTH_JOIN if begins_as_client(self._first) else super().reason_for_loss(reason)

    def on_end(self) -> None:
        if self.is_stranger and self.failed is not None:
            waiting: Deferred[Any] = self.admitted if self.key_proven.called else self.key_proven
            waiting.errback(AttemptFailed(self.failed))


def _wrong_key(address: Address, invite: Invite, answered: bytes) -> CloseReason:
    """Return the warning that another key has answered in the host's place."""
    named = "the invite names" if invite.has_secret else "your friend's key is"
    return CloseReason(
        "pinned-key-mismatch",
        f"WRONG KEY at {address}: {named} {fingerprint_of_hash(invite.host)}, but "
        f"{fingerprint(answered)} answered. Somebody else may be answering in the host's place. "
        "Don't continue until the host has confirmed in some other way, such as by phone, that "
        "this key is theirs.",
        "A",
    )


@dataclass(eq=False)
class ConnectionAttempt:
    """One attempt to reach the host, at one address or over a connection made to us."""

    context: AttemptContext
    address: Address
    _: KW_ONLY
    is_incoming: bool = False  # the peer connected to us, and may be anybody

    def __post_init__(self) -> None:
        self.is_connected = False  # over TCP
        context = self.context
        self._tls = GuestTLS(context.side.identity, context.invite.host)
        self._factory = tls_factory(self._tls, ProtocolFactory(self._build), context.reactor)
        self._connection: GuestConnection | None = None
        self._dialling: Deferred[Any] | None = None

    def accept(self, address: Any) -> Protocol | None:
        return self._factory.buildProtocol(address)

    async def connect(self) -> GuestConnection:
        """Dial the address, unless we are connected already, and wait until the peer has proven the
        host's key. Raises AttemptFailed."""
        if self._connection is None:
            await self._dial()
        connection = self._connection
        if connection is None:  # for the type checker: our factory has built it
            raise AttemptFailed(connect_failure(self.address, None))
        await connection.key_proven
        return connection

    def drop(self) -> None:
        if self._connection is not None:
            self._connection.cut(CloseReason("not-needed", "Another connection was faster."))
        elif self._dialling is not None:
            self._dialling.cancel()

    async def _dial(self) -> None:
        context, dialler = self.context, self.context.dialler
        dialling = self._dialling = Deferred.fromCoroutine(
            dialler.connect(context.reactor, self.address, self._factory)
        )
        seconds = dialler.seconds(self.address, context.timing.connecting)
        dialling.addTimeout(seconds, context.reactor, lambda result, _: result)
        try:
            await dialling
        except Exception as error:  # whatever an endpoint raises
            raise AttemptFailed(connect_failure(self.address, error)) from error
        self.is_connected = True

    def _build(self, address: Any) -> GuestConnection:
        self._connection = GuestConnection(self.context, self._tls, self.address)
        return self._connection
