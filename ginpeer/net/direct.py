"""A connection without anybody in between, as a Twisted endpoint."""

from __future__ import annotations

import errno
import ipaddress
from contextlib import suppress
from typing import Any

from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import HostnameEndpoint, TCP4ClientEndpoint, TCP6ClientEndpoint
from twisted.internet.error import ConnectError
from twisted.internet.interfaces import (
    IAddress,
    IHostnameResolver,
    IHostResolution,
    IReactorPluggableNameResolver,
    IResolutionReceiver,
    IStreamClientEndpoint,
)
from zope.interface import implementer  # type: ignore[import-untyped]

from ginpeer.net.address import Address, AddressError, canonical_host
from ginpeer.net.own_addresses import link_local_ipv6
from ginpeer.net.peer_addresses import may_be_dialled
from ginpeer.net.resolve import MOST_HOSTS


def direct_endpoint(reactor: Any, address: Address, *, told: bool = False) -> Any:
    """Return an endpoint for plain TCP. An IP address needs no resolver, which would take a thread.
    *told*: a peer has named the address, so a name is dialled only at addresses that a peer may
    send us to."""
    try:
        ip = ipaddress.ip_address(address.host)
    except ValueError:
        return HostnameEndpoint(_Judging(reactor) if told else reactor, *address)
    if ip.version == 6 and ip.is_link_local:
        return _OnACable(reactor, address)
    endpoint = TCP4ClientEndpoint if ip.version == 4 else TCP6ClientEndpoint
    return endpoint(reactor, address.host, address.port)


_CABLE_SECONDS = 3
"""For one cable; a machine there answers in a thousandth of that."""


@implementer(IStreamClientEndpoint)
class _OnACable:
    """Tries a link-local IPv6 address on each card of this machine, since no code names a card."""

    def __init__(self, reactor: Any, address: Address) -> None:
        self._reactor = reactor
        self._address = address

    def connect(self, protocolFactory: Any) -> Deferred[Any]:
        """Return a Deferred of the factory's connected protocol."""
        return Deferred.fromCoroutine(self._connect(protocolFactory))

    async def _connect(self, factory: Any) -> Any:
        host, port = self._address
        error: Exception = OSError(errno.ENETUNREACH, "no card has a link-local address")
        for card in dict.fromkeys(card for _, card in link_local_ipv6()):
            there: Any = TCP6ClientEndpoint  # which has no types
            endpoint = there(self._reactor, f"{host}%{card}", port, _CABLE_SECONDS)
            try:
                return await endpoint.connect(factory)
            except ConnectError as failed:
                error = failed
        raise error


@implementer(IReactorPluggableNameResolver, IHostnameResolver)
class _Judging:
    """The reactor, with a resolver that drops addresses that a peer may not send us to."""

    def __init__(self, reactor: Any) -> None:
        self._reactor = reactor
        self.nameResolver = self

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reactor, name)

    def resolveHostName(
        self, receiver: Any, hostName: str, portNumber: int = 0, **more: Any
    ) -> Any:
        """Resolve as the reactor's own resolver does, without the dropped addresses."""
        judge = _Judge(receiver, portNumber)
        return self._reactor.nameResolver.resolveHostName(judge, hostName, portNumber, **more)


@implementer(IResolutionReceiver)
class _Judge:
    def __init__(self, receiver: Any, port: int) -> None:
        self._receiver = receiver
        self._port = port
        self._left = MOST_HOSTS

    def resolutionBegan(self, resolutionInProgress: IHostResolution) -> None:
        self._receiver.resolutionBegan(resolutionInProgress)

    def addressResolved(self, address: IAddress) -> None:
        if isinstance(address, IPv4Address | IPv6Address):
            with suppress(AddressError):  # a scoped one
                judged = Address(canonical_host(address.host), self._port)
                if self._left and may_be_dialled(judged):
                    self._left -= 1
                    self._receiver.addressResolved(address)

    def resolutionComplete(self) -> None:
        self._receiver.resolutionComplete()
