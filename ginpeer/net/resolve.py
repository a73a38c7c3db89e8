"""What a host name stands for, asked of this system's resolver.

# .onion names are never asked for: that would tell strangers of them, and nobody knows them
# (RFC 7686, 2).
"""

from __future__ import annotations

import ipaddress
from typing import Any

from twisted.internet.defer import Deferred, succeed
from twisted.internet.interfaces import IAddress, IHostResolution, IResolutionReceiver
from zope.interface import implementer  # type: ignore[import-untyped]

from ginpeer.net.address import AddressError, canonical_host

MOST_HOSTS = 4
"""Addresses that are dialled for one name: it may name a whole network."""


def resolve(reactor: Any, host: str) -> Deferred[tuple[str, ...]]:
    """The IP addresses of a host, up to four; none if it has none. Never fails.

    An IP address is its own, at once."""
    try:
        return succeed((str(ipaddress.ip_address(host)),))
    except ValueError:
        pass
    if host.endswith(".onion"):
        return succeed(())
    receiver = _Receiver()
    reactor.nameResolver.resolveHostName(receiver, host)
    return receiver.outcome


@implementer(IResolutionReceiver)
class _Receiver:
    def __init__(self) -> None:
        self.outcome: Deferred[tuple[str, ...]] = Deferred()
        self._found: list[str] = []

    def resolutionBegan(self, resolutionInProgress: IHostResolution) -> None:
        """It takes a thread, which nothing stops."""

    def addressResolved(self, address: IAddress) -> None:
        try:
            found = canonical_host(str(getattr(address, "host", "")))
        except AddressError:  # a scoped one
            return
        if found not in self._found and len(self._found) < MOST_HOSTS:
            self._found.append(found)

    def resolutionComplete(self) -> None:
        if not self.outcome.called:  # cancelled meanwhile
            self.outcome.callback(tuple(self._found))
