"""How a guest gets a connection to an address: directly, through a proxy, or through Tor.

# Rule 1: where the player has named a proxy, everything goes through it: no address is dialled and
# no name is looked up by this machine, but the proxy's own. Neither is a Tor of this machine used,
# whose place the player's proxy has taken.
# Rule 2: an onion address goes to a Tor, or nowhere. Nobody's DNS is asked for it (RFC 7686).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from ginpeer.net.address import Address, is_onion
from ginpeer.net.direct import CoroutineEndpoint, direct_endpoint
from ginpeer.net.interfaces import Clock
from ginpeer.net.socks import PROXY_SECONDS, Proxy, SocksEndpoint, SocksError
from ginpeer.net.tor import SOCKS_PORTS, find_listener

ONION_SECONDS: Final = 60.0
"""For a connection to an onion service. Tor takes some seconds, and three times as long where it
has to try again."""


@dataclass(frozen=True, slots=True)
class Dialler:
    """Chooses the way to an address.

    *through*: the proxy for everything; None dials directly. *tor*: where a Tor of this machine may
    listen, for onion addresses."""

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
        """Return how long to wait for a connection, if a direct one has *direct* seconds."""
        if is_onion(address.host):
            return ONION_SECONDS
        return direct if self.through is None else PROXY_SECONDS

    async def _connect_through_tor(
        self, reactor: Any, target: Address, clock: Clock | None, factory: Any
    ) -> Any:
        """Look for a Tor on this machine, and go through that."""
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
