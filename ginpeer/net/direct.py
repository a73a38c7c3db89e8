"""A connection without anybody in between, as a Twisted endpoint."""

from __future__ import annotations

import ipaddress
from typing import Any

from twisted.internet.endpoints import HostnameEndpoint, TCP4ClientEndpoint, TCP6ClientEndpoint

from ginpeer.net.address import Address


def direct_endpoint(reactor: Any, address: Address) -> Any:
    """Plain TCP. An IP address needs no resolver, which would take a thread."""
    try:
        version = ipaddress.ip_address(address.host).version
    except ValueError:
        return HostnameEndpoint(reactor, address.host, address.port)
    endpoint = TCP4ClientEndpoint if version == 4 else TCP6ClientEndpoint
    return endpoint(reactor, address.host, address.port)
