"""A guest's attempt to connect to one address: dial, say hello, check that the host admits us.

# Rule 1: if the player has named a proxy, everything goes through it: this machine dials no address
# and looks up no name but the proxy's own. A Tor of this machine isn't used either.
# Rule 2: an onion address goes to a Tor, or nowhere. Nobody's DNS is asked for it (RFC 7686).
# Rule 3: it doesn't matter which side has connected: the guest is the TLS client, and speaks first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IAddress
from twisted.internet.protocol import Factory, Protocol, connectionDone
from twisted.python.failure import Failure

from ginpeer.net.address import Address, is_onion
from ginpeer.net.close_reasons import goodbye_for
from ginpeer.net.connection import PeerConnection, Timing
from ginpeer.net.direct import CoroutineEndpoint, direct_endpoint
from ginpeer.net.handshake import (
    REFUSALS,
    VERSIONS,
    ChannelBinding,
    GreetingRefused,
    check_welcome,
    invite_proof,
    with_bots,
)
from ginpeer.net.interfaces import Clock, CloseReason
from ginpeer.net.listening_port import ProtocolFactory
from ginpeer.net.not_reached import connect_failure
from ginpeer.net.session import Side
from ginpeer.net.socks import PROXY_SECONDS, Proxy, SocksEndpoint, SocksError
from ginpeer.net.tls import GuestTLS, Secured, begins_as_client, tls_factory
from ginpeer.net.tor import SOCKS_PORTS, find_listener
from protocol.crypto.identity import fingerprint, fingerprint_of_hash, key_hash
from protocol.frames import Goodbye, Hello, Welcome

if TYPE_CHECKING:
    from ginpeer.net.connector import Connector

ONION_SECONDS: Final = 60.0
"""How long to wait for an onion service. Tor takes some seconds, and three times as long if it has
to try again."""


@dataclass(frozen=True, slots=True)
class Dialler:
    """Chooses how to connect to an address: directly, through a proxy, or through Tor.

    *through*: the proxy for everything; None dials directly. *tor*: where Tor may
    listen on this machine, for onion addresses."""

    through: Proxy | None = None
    tor: tuple[Address, ...] = SOCKS_PORTS

    def endpoint(self, reactor: Any, address: Address, clock: Clock | None = None) -> Any:
        """Return an IStreamClientEndpoint for this address. Through a proxy it fails with
        SocksError."""
        if self.through is not None:
            return SocksEndpoint(
                reactor, self.through, address, seconds=self.seconds(address, 0), clock=clock
            )
        if is_onion(address.host):
            return CoroutineEndpoint(partial(self._connect_through_tor, reactor, address, clock))
        return direct_endpoint(reactor, address, told=True)

    def seconds(self, address: Address, direct: float) -> float:
        """Return how long to wait for a connection; *direct*: how long for a direct one."""
        if is_onion(address.host):
            return ONION_SECONDS
        return direct if self.through is None else PROXY_SECONDS

    async def _connect_through_tor(
        self, reactor: Any, target: Address, clock: Clock | None, factory: Any
    ) -> Any:
        """Connect through a Tor that runs on this machine."""
        found = await find_listener(reactor, self.tor, clock if clock is not None else reactor)
        if found is None:
            raise SocksError(
                "tor-not-there",
                "this is reached through Tor, and none runs on this machine. Start Tor or Tor "
                "Browser, and try again.",
            )
        seconds = self.seconds(target, 0)
        endpoint = SocksEndpoint(reactor, Proxy(found), target, seconds=seconds, clock=clock)
        return await endpoint.connect(factory)


BOTH_JOIN = CloseReason(
    "both-join",
    "The other side is joining, too, so nobody hosts. Agree on who does: that one hosts by the "
    "other's name, and the other one joins.",
    "A",
)
"""The peer that we have reached is a guest, too."""

_FIRST = 16  # bytes; six would do


class GuestConnection(PeerConnection):
    """A connection to what should be the host."""

    def __init__(
        self, attempt: ConnectionAttempt, side: Side, clock: Clock, timing: Timing
    ) -> None:
        super().__init__(side, clock, timing)
        self._attempt = attempt
        self._link: ChannelBinding | None = None
        self._hello: Hello | None = None
        self._first = b""

    def bytes_came(self, data: bytes) -> None:
        """Keep the first few bytes, which tell a guest from a host."""
        if len(self._first) < _FIRST:
            self._first += data[:_FIRST]
        super().bytes_came(data)

    def greet(self, link: Secured) -> None:
        """Say hello to the host."""
        self._attempt.reached()
        if key_hash(link.peer_key) != self._attempt.host:  # the verify callback has seen to it
            self.cut(CloseReason("pinned-key-mismatch", "The host's key is not the invite's.", "A"))
            return
        side = self._side
        self._link = ChannelBinding(link.exporter, link.peer_key, side.identity.public)
        position = side.position_for(link.peer_key, None)
        extensions = with_bots(side.extensions(), hosts=False, bot=side.bot)
        blank = Hello(VERSIONS, b"", position, side.software, extensions)
        proof = invite_proof(self._attempt.secret, self._link, blank)
        self._hello = replace(blank, proof=proof)
        self.send(self._hello)

    @property
    def host_key(self) -> bytes:
        """The key that TLS has proven, once it has."""
        if self._link is None:
            raise ValueError("there is no key before TLS is done")
        return self._link.host_key

    def greeted(self, frame: Hello | Welcome) -> None:
        """Check the host's welcome, and tell the attempt."""
        if self._link is None or self._hello is None or not isinstance(frame, Welcome):
            self.refuse_malformed("frame-unexpected", "The other side took itself for the guest.")
            return
        try:
            check_welcome(self._link, self._hello, frame)
        except GreetingRefused as refused:
            closed = CloseReason(refused.code, refused.sentence, "A")
            self.refuse(closed, goodbye_for(refused.code, refused.sentence))
            return
        self._attempt.welcomed(self, frame)

    def refused(self, goodbye: Goodbye) -> None:
        """Close, because the host doesn't admit us and says why."""
        if goodbye.code in REFUSALS:
            self.refuse(CloseReason(goodbye.code, REFUSALS[goodbye.code], "A"), None)
        else:
            super().refused(goodbye)

    def lost(self, reason: Failure = connectionDone) -> CloseReason:
        """Return why the connection was lost; a wrong key or another guest comes first."""
        mismatch = self._attempt.mismatch()
        if mismatch is None and begins_as_client(self._first):
            return BOTH_JOIN
        return mismatch or super().lost(reason)

    def ended(self) -> None:
        """Fail the attempt, unless the host has admitted us."""
        if self.is_stranger and self.failed is not None:
            self._attempt.fail(self.failed)


class ConnectionAttempt:
    """One attempt to connect to one address. Tells the connector of its failure exactly once."""

    def __init__(self, connector: Connector, address: Address, *, is_comer: bool = False) -> None:
        """*is_comer*: both sides dial, and somebody has connected to us from this address."""
        self.address = address
        self.is_comer = is_comer
        self.is_connected = False  # by TCP
        self.host = connector.invite.host
        self.secret = connector.invite.secret
        self._connector = connector
        self._tls = GuestTLS(connector.side.identity, connector.invite.host)
        self._connection: GuestConnection | None = None
        self._connecting: Deferred[Any] | None = None
        self._ended = False

    def start(self) -> None:
        """Dial the address."""
        connector, dialler = self._connector, self._connector.dialler
        endpoint = dialler.endpoint(connector.reactor, self.address, connector.clock)
        connecting: Deferred[Any] = endpoint.connect(self._factory())
        self._connecting = connecting
        seconds = dialler.seconds(self.address, connector.timing.connecting)
        # mypy: a reactor's clock, which Clock is, has more methods for Twisted
        clock: Any = connector.clock
        connecting.addTimeout(seconds, clock, lambda result, _: result)
        connecting.addCallbacks(self._connected, self._not_connected)

    def take(self, address: IAddress | None) -> Protocol | None:
        """Build the protocol for a connection that somebody has made to us."""
        return self._factory().buildProtocol(address)

    def drop(self) -> None:
        """Close: nobody needs this attempt any longer."""
        if self._connection is not None:
            self._connection.cut(CloseReason("not-needed", "Another connection was faster."))
        elif self._connecting is not None:
            self._connecting.cancel()

    def _factory(self) -> Factory[Any]:
        return tls_factory(self._tls, ProtocolFactory(self._build), self._connector.reactor)

    def _build(self, address: Any) -> GuestConnection:
        connector = self._connector
        self._connection = GuestConnection(self, connector.side, connector.clock, connector.timing)
        return self._connection

    def _connected(self, protocol: object) -> None:
        self.is_connected = True

    def _not_connected(self, reason: Failure) -> None:
        if self._connection is None:
            self.fail(connect_failure(self.address, reason.value))

    # --- called by the connection ------------------------------------------------------

    def reached(self) -> None:
        self._connector.reached()

    def welcomed(self, connection: GuestConnection, welcome: Welcome) -> None:
        self._connector.welcomed(self, connection, welcome)

    def fail(self, closed: CloseReason) -> None:
        if not self._ended:
            self._ended = True
            self._connector.failed(self, closed)

    def mismatch(self) -> CloseReason | None:
        """Return the warning about a wrong key, if one has answered in the host's place."""
        if self._tls.mismatch is None:
            return None
        return CloseReason(
            "pinned-key-mismatch",
            f"WRONG KEY at {self.address}: the invite names {fingerprint_of_hash(self.host)}, but "
            f"{fingerprint(self._tls.mismatch)} answered. That is not your host. Do not go on "
            "before the host has told you, by another way, that this is right.",
            "A",
        )
