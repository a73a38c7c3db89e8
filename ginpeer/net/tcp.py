"""Plain TCP: looking up names, connecting, reading a connection, and opening a port.

.onion names are never looked up: a lookup would disclose them to strangers, and no resolver knows
them (RFC 7686, 2).
"""

from __future__ import annotations

import errno
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.endpoints import HostnameEndpoint, TCP4ClientEndpoint, TCP6ClientEndpoint
from twisted.internet.error import CannotListenError, ConnectError, ConnectionClosed
from twisted.internet.interfaces import (
    IAddress,
    IHostnameResolver,
    IHostResolution,
    IReactorPluggableNameResolver,
    IResolutionReceiver,
)
from twisted.internet.protocol import Factory, Protocol, connectionDone
from twisted.python.failure import Failure
from zope.interface import implementer  # type: ignore[import-untyped]

from ginpeer.net.address import (
    DEFAULT_PORT,
    LOOPBACK,
    Address,
    AddressError,
    canonical_host,
    ip_of,
    is_onion,
)
from ginpeer.net.own_addresses import link_local_addresses, may_be_dialled
from protocol.codes import CodedError


class ProtocolFactory(Factory):
    """Builds protocols by calling a function with the peer's address."""

    noisy = False

    def __init__(self, build: Callable[[Any], Protocol | None]) -> None:
        self._build = build

    def buildProtocol(self, addr: IAddress | None) -> Protocol | None:
        return self._build(addr)


def address_of(peer: Any) -> Address:
    """Return an address that Twisted represents as our Address, in canonical spelling."""
    return Address(canonical_host(peer.host.partition("%")[0]), peer.port)


# --- looking up names, and connecting ----------------------------------------------------------

MAX_HOSTS = 4  # addresses to dial for one name, which may resolve to many


def resolve(
    reactor: Any, host: str, is_wanted: Callable[[str], bool] = lambda host: True
) -> Deferred[tuple[str, ...]]:
    """Look up a host name. Fires with up to MAX_HOSTS of its IP addresses for which *is_wanted*
    returns True. If *host* is an IP address, fires with that address. Never fails."""
    ip = ip_of(host)
    if ip is not None:
        return succeed((str(ip),))
    if is_onion(host):
        return succeed(())
    receiver = _Receiver(is_wanted)
    reactor.nameResolver.resolveHostName(receiver, host)
    return receiver.outcome


@implementer(IResolutionReceiver)
class _Receiver:
    def __init__(self, is_wanted: Callable[[str], bool]) -> None:
        self.outcome: Deferred[tuple[str, ...]] = Deferred()
        self._is_wanted = is_wanted
        self._found: list[str] = []

    def resolutionBegan(self, resolutionInProgress: IHostResolution) -> None:
        """Do nothing: a lookup runs in a thread that can't be stopped."""

    def addressResolved(self, address: IAddress) -> None:
        try:
            found = canonical_host(str(getattr(address, "host", "")))
        except AddressError:  # a scoped address
            return
        is_new = found not in self._found and len(self._found) < MAX_HOSTS
        if is_new and self._is_wanted(found):
            self._found.append(found)

    def resolutionComplete(self) -> None:
        if not self.outcome.called:  # unless cancelled meanwhile
            self.outcome.callback(tuple(self._found))


def connect_directly(
    reactor: Any, address: Address, factory: Any, *, from_peer: bool = False
) -> Deferred[Any]:
    """Connect by plain TCP. Fires with the factory's protocol. An IP address doesn't go through a
    resolver, which would take a thread. *from_peer*: a peer has named the address, so a name is
    dialled only at addresses that a peer may make us dial."""
    endpoint: Any  # one of Twisted's endpoint classes, some of which have no types
    ip = ip_of(address.host)
    if ip is None:
        endpoint, reactor = HostnameEndpoint, _FilteringReactor(reactor) if from_peer else reactor
    elif ip.version == 6 and ip.is_link_local:
        return Deferred.fromCoroutine(_connect_link_local(reactor, address, factory))
    else:
        endpoint = TCP4ClientEndpoint if ip.version == 4 else TCP6ClientEndpoint
    connecting: Deferred[Any] = endpoint(reactor, *address).connect(factory)
    return connecting


_LINK_LOCAL_SECONDS = 3  # per network interface; a machine there answers in a thousandth of that


async def _connect_link_local(reactor: Any, address: Address, factory: Any) -> Any:
    """Try a link-local IPv6 address on each network interface, since no code names one."""
    host, port = address
    error: Exception = OSError(errno.ENETUNREACH, "no interface has a link-local address")
    for interface in dict.fromkeys(interface for _, interface in link_local_addresses()):
        there: Any = TCP6ClientEndpoint  # which has no types
        endpoint = there(reactor, f"{host}%{interface}", port, _LINK_LOCAL_SECONDS)
        try:
            return await endpoint.connect(factory)
        except ConnectError as failed:
            error = failed
    raise error


@implementer(IReactorPluggableNameResolver, IHostnameResolver)
class _FilteringReactor:
    """The reactor, with a resolver that drops addresses that a peer may not make us dial."""

    def __init__(self, reactor: Any) -> None:
        self._reactor = reactor
        self.nameResolver = self

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reactor, name)

    def resolveHostName(
        self, receiver: Any, hostName: str, portNumber: int = 0, **more: Any
    ) -> Any:
        def resolved(hosts: tuple[str, ...]) -> None:
            for host in hosts:
                kind = IPv6Address if ":" in host else IPv4Address
                receiver.addressResolved(kind("TCP", host, portNumber))
            receiver.resolutionComplete()

        finding = resolve(
            self._reactor, hostName, lambda host: may_be_dialled(Address(host, portNumber))
        )
        return finding.addCallback(resolved)


class Stream(Protocol):
    """A connection that a coroutine reads. ``heard`` holds the bytes that it hasn't taken yet. Each
    read raises ConnectionClosed once the connection has ended."""

    transport: Any

    def __init__(self) -> None:
        self.heard = bytearray()
        self._ended: Failure | None = None
        self._waiting: Deferred[None] | None = None

    def more(self) -> Deferred[None]:
        """Wait for more bytes."""
        if self._ended is not None:
            return fail(self._ended)
        self._waiting = Deferred()
        return self._waiting

    async def take(self, count: int) -> bytes:
        while len(self.heard) < count:
            await self.more()
        taken = bytes(self.heard[:count])
        del self.heard[:count]
        return taken

    async def take_until(self, end: bytes, most: int, too_long: Exception) -> bytes:
        """Take the bytes before *end*, and *end* as well. Raise *too_long* if there are more than
        *most*."""
        while (at := self.heard.find(end, 0, most + len(end))) < 0:
            if len(self.heard) >= most + len(end):
                raise too_long
            await self.more()
        return (await self.take(at + len(end)))[:at]

    def abort(self) -> None:
        if self.transport is not None:
            self.transport.abortConnection()

    async def close(self) -> None:
        """Close the connection, and wait until it is gone."""
        self.abort()
        with suppress(ConnectionClosed):
            while True:
                await self.more()

    def dataReceived(self, data: bytes) -> None:
        self.heard += data
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            waiting.callback(None)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self._ended = reason
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            waiting.errback(reason)


# --- opening a port -----------------------------------------------------------------------------

SPARE_PORTS = 3
"""How many ports after the first one to try if that one is taken. So a second host on this machine
gets the same port each time, and a router can forward it."""

_BACKLOG = 128  # connections that the system queues while we prove or check a shuffle
EVERYWHERE = "::"
_ALL_IPV4 = "0.0.0.0"  # noqa: S104 - friends come from outside


class ListenError(CodedError):
    """This machine doesn't let us listen on an address."""


def bind(
    reactor: Any, address: Address | None, factory: Factory[Any], *, or_next: bool = False
) -> Any:
    """Listen, and return an IListeningPort. Without an address, listen on all addresses of this
    machine, on DEFAULT_PORT or the next free port. *or_next*: if the port of *address* is taken,
    use the next free port of the same host. Raises ListenError."""
    if address is not None and not or_next:
        return _bind_one(reactor, address, factory)
    host, first = address or Address(EVERYWHERE, DEFAULT_PORT)

    def listen(port: int) -> Any:
        if host == EVERYWHERE:
            return bind_everywhere(reactor, port, factory)
        return _bind_one(reactor, Address(host, port), factory)

    for port in range(first, min(first + SPARE_PORTS, 0xFFFF) + 1):
        try:
            return listen(port)
        except ListenError as error:
            if error.code == "address-not-ours":
                raise
    return listen(0)


def bind_everywhere(reactor: Any, port: int, factory: Factory[Any]) -> Any:
    """Listen on this port (0: any port) on all addresses of this machine. Raises ListenError."""
    failures = []
    for host in (EVERYWHERE, _ALL_IPV4):
        try:
            return _bind_one(reactor, Address(host, port), factory)
        except ListenError as error:
            failures.append(error)
            if error.code == "port-taken":
                break
    raise failures[-1]


def local_address(port: Any) -> Address:
    """Return the address at which programs on this machine connect to a port opened by `bind`."""
    bound = port.getHost()
    if bound.host == _ALL_IPV4 or (bound.host == EVERYWHERE and _ipv6_sockets_take_ipv4()):
        return Address(LOOPBACK, bound.port)
    return Address("::1" if bound.host == EVERYWHERE else bound.host, bound.port)


def _bind_one(reactor: Any, address: Address, factory: Factory[Any]) -> Any:
    if is_onion(address.host):  # the system would look it up
        raise ListenError("address-not-ours", f"{address} isn't an address of this machine.")
    if address.host == EVERYWHERE and not _ipv6_sockets_take_ipv4():
        return _bind_both(reactor, address, factory)
    try:
        return reactor.listenTCP(address.port, factory, backlog=_BACKLOG, interface=address.host)
    except CannotListenError as error:
        raise _listen_error(address, error.socketError) from error


def _bind_both(reactor: Any, address: Address, factory: Factory[Any]) -> Any:
    """Listen on "::" for IPv4 as well, on a system whose sockets don't do so unless told to."""
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as listening:
            listening.setblocking(False)
            listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
            if sys.platform != "win32":  # there it would let another program share the port
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind((address.host, address.port))
            listening.listen(_BACKLOG)
            return reactor.adoptStreamPort(listening.fileno(), socket.AF_INET6, factory)
    except OSError as error:  # or the system has no IPv6, or always separates it from IPv4
        raise _listen_error(address, error) from error


def _listen_error(address: Address, error: Any) -> ListenError:
    match getattr(error, "errno", None):
        case errno.EADDRINUSE:
            return ListenError("port-taken", f"Another program is already listening on {address}.")
        case errno.EACCES | errno.EPERM:
            return ListenError("port-forbidden", f"This system doesn't let ginpeer use {address}.")
        case errno.EADDRNOTAVAIL:
            return ListenError("address-not-ours", f"{address} isn't an address of this machine.")
    return ListenError("cannot-listen", f"Couldn't listen on {address}: {error}.")


def _ipv6_sockets_take_ipv4() -> bool:
    """Return whether a socket on :: also serves IPv4 by default on this system. It does on most
    Linux systems, but not on Windows."""
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as probe:
            return probe.getsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY) == 0
    except OSError:
        return False
