"""How a guest gets a connection to an address: directly, through a proxy, or through Tor.

# Rule 1: where the player has named a proxy, everything goes through it: no address is dialled and
# no name is looked up by this machine, but the proxy's own. Neither is a Tor of this machine used,
# whose place the player's proxy has taken.
# Rule 2: an onion address goes to a Tor, or nowhere. Nobody's DNS is asked for it (RFC 7686).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IStreamClientEndpoint
from zope.interface import implementer  # type: ignore[import-untyped]

from ginpeer.net.address import Address, is_onion
from ginpeer.net.direct import direct_endpoint
from ginpeer.net.interfaces import Clock
from ginpeer.net.socks import PROXY_SECONDS, Proxy, SocksEndpoint, SocksError
from ginpeer.net.tor import SOCKS_PORTS, find_listener

ONION_SECONDS: Final = 60.0
"""For a connection to an onion service. Tor takes some seconds, and three times as long where it
has to try again."""


@dataclass(frozen=True, slots=True)
class Dialler:
    """*through*: the proxy for everything; None dials directly. *tor*: where a Tor of this machine
    may listen, for onion addresses."""

    through: Proxy | None = None
    tor: tuple[Address, ...] = SOCKS_PORTS

    def endpoint(self, reactor: Any, address: Address, clock: Clock | None = None) -> Any:
        """What connects to this address: an IStreamClientEndpoint. One that goes through a proxy
        fails with SocksError."""
        if self.through is not None:
            return SocksEndpoint(
                reactor, self.through, address, seconds=self.seconds(address, 0), clock=clock
            )
        if is_onion(address.host):
            return _ThroughTor(reactor, self.tor, address, self.seconds(address, 0), clock)
        return direct_endpoint(reactor, address, told=True)

    def seconds(self, address: Address, direct: float) -> float:
        """For how long to wait for a connection, where a direct one has *direct* seconds."""
        if is_onion(address.host):
            return ONION_SECONDS
        return direct if self.through is None else PROXY_SECONDS


@implementer(IStreamClientEndpoint)
class _ThroughTor:
    """Looks for a Tor on this machine when a connection is wanted, and goes through that."""

    def __init__(
        self,
        reactor: Any,
        tor: Iterable[Address],
        target: Address,
        seconds: float,
        clock: Clock | None,
    ) -> None:
        self._reactor = reactor
        self._clock: Any = clock if clock is not None else reactor
        self._tor = tor
        self._target = target
        self._seconds = seconds

    def connect(self, protocolFactory: Any) -> Deferred[Any]:
        """Fires with the factory's protocol, connected."""
        return Deferred.fromCoroutine(self._connect(protocolFactory))

    async def _connect(self, factory: Any) -> Any:
        found = await find_listener(self._reactor, self._tor, self._clock)
        if found is None:
            raise SocksError(
                "tor-not-there",
                "this is reached through Tor, and none runs on this machine. Start Tor or Tor "
                "Browser, and try again.",
            )
        endpoint = SocksEndpoint(
            self._reactor, Proxy(found), self._target, seconds=self._seconds, clock=self._clock
        )
        return await endpoint.connect(factory)
