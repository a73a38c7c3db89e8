"""A connection through a SOCKS5 proxy, as an endpoint like any other (RFC 1928).

# Rule 1: nothing but the proxy's own address is dialled or looked up.
# Rule 2: the factory's protocol hears of nothing before the proxy has connected. Then it has the
# transport to itself, and is told that its peer is whom we asked for, not the proxy: that is where
# the same player can be found another time.
# Rule 3: from the first packet to the proxy's last answer it may take *seconds*, and no longer.
"""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IAddress, IStreamClientEndpoint
from twisted.internet.protocol import Factory, Protocol, connectionDone
from twisted.python.failure import Failure
from zope.interface import directlyProvides, implementer, providedBy  # type: ignore[import-untyped]

from ginpeer.net.address import Address
from ginpeer.net.direct import direct_endpoint
from ginpeer.net.interfaces import Clock, Timer
from ginpeer.net.socks_messages import Proxy, SocksError, SocksRequest

PROXY_SECONDS = 30.0
"""For a connection through a proxy. The proxy's own patience may be longer; a player's is not."""


@implementer(IStreamClientEndpoint)
class SocksEndpoint:
    """Connects to *target* through *proxy*; fails with SocksError, and only with that."""

    def __init__(
        self,
        reactor: Any,
        proxy: Proxy,
        target: Address,
        *,
        seconds: float = PROXY_SECONDS,
        clock: Clock | None = None,
    ) -> None:
        self._reactor = reactor
        self._clock: Clock = clock if clock is not None else reactor
        self._proxy = proxy
        self._target = target
        self._seconds = seconds

    def connect(self, protocolFactory: Any) -> Deferred[Any]:
        """Fires with the factory's protocol, connected. Cancelling it closes what there is."""
        attempt = _Attempt(self._proxy, self._target, protocolFactory)
        attempt.start(self._reactor, self._clock, self._seconds)
        return attempt.outcome


class _Attempt(Factory):
    """One connection through the proxy, on its way. Fires its outcome exactly once."""

    noisy = False

    def __init__(self, proxy: Proxy, target: Address, factory: Any) -> None:
        self.outcome: Deferred[Any] = Deferred(lambda _: self._too_late())
        self.target = target
        self.request = SocksRequest(proxy, target)
        self._proxy = proxy
        self._factory = factory
        self._dialogue: _Dialogue | None = None
        self._dialling: Deferred[Any] | None = None
        self._timer: Timer | None = None
        self._ended = False

    def start(self, reactor: Any, clock: Clock, seconds: float) -> None:
        self._timer = clock.callLater(seconds, self._too_late)
        self._dialling = direct_endpoint(reactor, self._proxy.address).connect(self)
        self._dialling.addErrback(self._not_there)

    def buildProtocol(self, addr: IAddress | None) -> _Dialogue:
        self._dialogue = _Dialogue(self)
        return self._dialogue

    def connected(self, transport: Any) -> None:
        """The proxy has connected: the factory's protocol takes over."""
        try:
            protocol = self._factory.buildProtocol(self.target)
        except Exception as error:  # any: it is the factory's own, and goes to who connects
            self._end()
            transport.abortConnection()
            self.outcome.errback(error)
            return
        if protocol is None:
            self.failed(SocksError("not-needed", "nobody wants this connection any more."))
            return
        self._end()
        transport.protocol = protocol
        protocol.makeConnection(_Through(transport, self.target))
        if self.request.rest:
            protocol.dataReceived(self.request.rest)
        self.outcome.callback(protocol)

    def failed(self, error: SocksError) -> None:
        """Nothing comes of it."""
        if not self._ended:
            self._end()
            if self._dialogue is not None:
                self._dialogue.abort()
            elif self._dialling is not None:
                self._dialling.cancel()
            self.outcome.errback(error)

    def _end(self) -> None:
        self._ended = True
        if self._timer is not None and self._timer.active():
            self._timer.cancel()

    def _not_there(self, _: Failure) -> None:
        self.failed(
            SocksError("proxy-not-there", f"no proxy answers at {self._proxy.address}. Is it on?")
        )

    def _too_late(self) -> None:
        self.failed(SocksError("proxy-timeout", "no connection through the proxy in time."))


class _Dialogue(Protocol):
    """A connection to the proxy, before it leads to somebody else."""

    transport: Any

    def __init__(self, attempt: _Attempt) -> None:
        self._attempt = attempt

    def connectionMade(self) -> None:
        """Say what we want."""
        self.transport.write(self._attempt.request.begin())

    def dataReceived(self, data: bytes) -> None:
        """The proxy answers."""
        try:
            answer = self._attempt.request.feed(data)
        except SocksError as error:
            self._attempt.failed(error)
            return
        if answer:
            self.transport.write(answer)
        if self._attempt.request.connected:
            self._attempt.connected(self.transport)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Closed, by whomever."""
        self._attempt.failed(
            SocksError("proxy-closed", "the proxy closed the connection without a word.")
        )

    def abort(self) -> None:
        """Close at once."""
        if self.transport is not None:
            self.transport.abortConnection()


@implementer(IAddress)
class _Peer(Address):
    """Whom we asked for, as Twisted's addresses are asked."""


class _Through:
    """The transport of a connection through a proxy: the one to the proxy, but for whose it is."""

    def __init__(self, transport: Any, target: Address) -> None:
        self._transport = transport
        self._peer = _Peer(*target)
        directlyProvides(self, *providedBy(transport))

    def getPeer(self) -> _Peer:
        """The other end, not the proxy."""
        return self._peer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)
