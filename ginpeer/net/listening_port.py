"""Opens a TCP port: at a given address, or on all addresses of this machine.

Sources: Twisted's IReactorTCP.listenTCP; the errors are those of bind(2).
"""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable
from typing import Any

from twisted.internet.error import CannotListenError
from twisted.internet.interfaces import IAddress
from twisted.internet.protocol import Factory, Protocol

from ginpeer.net.address import DEFAULT_PORT, LOOPBACK, Address
from ginpeer.net.interfaces import CodedError

BESIDE = 3
"""How many ports after DEFAULT_PORT to try if that is taken. So a second host on this machine gets
the same port each time, and a router can forward it."""

_BACKLOG = 128  # connections that the system holds for us while we prove or check a shuffle
_ALL_IPV6, _ALL_IPV4 = "::", "0.0.0.0"  # noqa: S104 - friends come from outside


class ListenError(CodedError):
    """This machine doesn't let us listen there."""


class ProtocolFactory(Factory):
    """Builds protocols by calling a function with the peer's address."""

    noisy = False

    def __init__(self, build: Callable[[Any], Protocol | None]) -> None:
        self._build = build

    def buildProtocol(self, addr: IAddress | None) -> Protocol | None:
        return self._build(addr)


def bind(reactor: Any, address: Address | None, factory: Factory[Any]) -> Any:
    """Listen, and return an IListeningPort. Without an address, listen on all addresses of this
    machine at DEFAULT_PORT, or at the next free port. Raises ListenError."""
    if address is not None:
        return _bind_one(reactor, address, factory)
    for port in range(DEFAULT_PORT, DEFAULT_PORT + BESIDE + 1):
        try:
            return bind_everywhere(reactor, port, factory)
        except ListenError:
            continue
    return bind_everywhere(reactor, 0, factory)


def bind_everywhere(reactor: Any, port: int, factory: Factory[Any]) -> Any:
    """Listen on all addresses of this machine at this port, or any if 0. Raises ListenError."""
    hosts = (_ALL_IPV6, _ALL_IPV4) if _ipv6_sockets_take_ipv4() else (_ALL_IPV4,)
    failures = []
    for host in hosts:
        try:
            return _bind_one(reactor, Address(host, port), factory)
        except ListenError as error:
            failures.append(error)
            if error.code == "port-taken":
                break
    raise failures[-1]


def local_address(port: Any) -> Address:
    """Return where programs on this machine connect to a port that `bind` has opened."""
    bound = port.getHost()
    if bound.host == _ALL_IPV4 or (bound.host == _ALL_IPV6 and _ipv6_sockets_take_ipv4()):
        return Address(LOOPBACK, bound.port)
    return Address("::1" if bound.host == _ALL_IPV6 else bound.host, bound.port)


def _bind_one(reactor: Any, address: Address, factory: Factory[Any]) -> Any:
    try:
        return reactor.listenTCP(address.port, factory, backlog=_BACKLOG, interface=address.host)
    except CannotListenError as error:
        raise _listen_error(address, error.socketError) from error


def _listen_error(address: Address, error: Any) -> ListenError:
    match getattr(error, "errno", None):
        case errno.EADDRINUSE:
            return ListenError("port-taken", f"Another program listens at {address} already.")
        case errno.EACCES | errno.EPERM:
            return ListenError("port-forbidden", f"This system does not let us use {address}.")
        case errno.EADDRNOTAVAIL:
            return ListenError("address-not-ours", f"{address} is no address of this machine.")
    return ListenError("cannot-listen", f"It is not possible to listen at {address}: {error}.")


def _ipv6_sockets_take_ipv4() -> bool:
    """Whether a socket on :: also serves IPv4 by this system's default, as mostly on Linux."""
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as probe:
            return probe.getsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY) == 0
    except OSError:
        return False
