"""A connection without anybody in between, as a Twisted endpoint."""

from __future__ import annotations

import ipaddress
from contextlib import suppress
from typing import Any

from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.endpoints import HostnameEndpoint, TCP4ClientEndpoint, TCP6ClientEndpoint
from twisted.internet.interfaces import (
    IAddress,
    IHostnameResolver,
    IHostResolution,
    IReactorPluggableNameResolver,
    IResolutionReceiver,
)
from zope.interface import implementer  # type: ignore[import-untyped]

from ginpeer.net.address import Address, AddressError, canonical_host
from ginpeer.net.told_addresses import may_be_dialled


def direct_endpoint(reactor: Any, address: Address, *, told: bool = False) -> Any:
    """Plain TCP. An IP address needs no resolver, which would take a thread. *told*: a peer has
    named it, so a name is dialled only at addresses that may be dialled for a peer."""
    try:
        version = ipaddress.ip_address(address.host).version
    except ValueError:
        return HostnameEndpoint(_Judging(reactor) if told else reactor, *address)
    endpoint = TCP4ClientEndpoint if version == 4 else TCP6ClientEndpoint
    return endpoint(reactor, address.host, address.port)


@implementer(IReactorPluggableNameResolver, IHostnameResolver)
class _Judging:
    """The reactor, whose resolver passes over the addresses that may not be dialled for a peer."""

    def __init__(self, reactor: Any) -> None:
        self._reactor = reactor
        self.nameResolver = self

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reactor, name)

    def resolveHostName(
        self, receiver: Any, hostName: str, portNumber: int = 0, **more: Any
    ) -> Any:
        """As the reactor's own resolver."""
        judge = _Judge(receiver, portNumber)
        return self._reactor.nameResolver.resolveHostName(judge, hostName, portNumber, **more)


@implementer(IResolutionReceiver)
class _Judge:
    def __init__(self, receiver: Any, port: int) -> None:
        self._receiver = receiver
        self._port = port

    def resolutionBegan(self, resolutionInProgress: IHostResolution) -> None:
        self._receiver.resolutionBegan(resolutionInProgress)

    def addressResolved(self, address: IAddress) -> None:
        if isinstance(address, IPv4Address | IPv6Address):
            with suppress(AddressError):  # a scoped one
                if may_be_dialled(Address(canonical_host(address.host), self._port)):
                    self._receiver.addressResolved(address)

    def resolutionComplete(self) -> None:
        self._receiver.resolutionComplete()
