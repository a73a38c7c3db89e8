"""TCP simultaneous open: dial repeatedly from the port at which we listen.

Even a router that drops unexpected packets lets answers to its own packets through. So when both
sides dial each other, each from the port that the other dials, one SYN opens the way for the
other (RFC 9293, 3.5; RFC 5382, REQ-2 requires this of routers). If one of the two sockets has
just given up, the other's SYN meets the listening socket at the same port, which works as well.

A router that rejects by ICMP is a different problem. When the ICMP error comes, Linux gives up the
attempt. But our own router remembers the attempt until two minutes after the last packet that
matched, and drops our listening socket's answers to the other side's SYN. Two such routers stay in
that state forever (measured: `python -m tests.lab icmp-both`). So the guest's attempts survive
ICMP errors (`_outlive_rejections`), and the host's SYN meets one that is still running.

Rule 1: a port is shared only during one bind(). A second socket on a port needs the first one's
permission. If two listening sockets gave it permanently, they would silently divide the guests
between them, and nobody would learn that the port is taken. Both sockets need:
  - Linux: SO_REUSEPORT at the time when the second is bound (tested);
  - macOS, BSD: the same (not tested);
  - Windows: nothing, if the listening socket is bound to the wildcard address and the second one to
    a specific address. Several second sockets at once each need SO_REUSEADDR
    (https://learn.microsoft.com/windows/win32/winsock/using-so-reuseaddr-and-so-exclusiveaddruse;
    not tested). To share the listening socket's exact address, that socket would need SO_REUSEADDR
    before its bind, and then any program could take the port.
If a system doesn't share the port, we dial from any port, which reaches only open addresses.
Rule 2: no data of ours is sent until the protocol above TCP sends some.
Rule 3: dialling is bounded: at most MAX_TARGETS addresses are dialled, each of them once in *every*
seconds, until *seconds* have passed or MAX_CONNECTIONS connections to it have been made. After
that, a guest that keeps trying dials each address once in SLOWEST seconds. An address that isn't on
the Internet is dialled less and less often while it refuses: a peer named it, and only routers on
the Internet need us to be quick.
"""

from __future__ import annotations

import errno
import ipaddress
import socket
import struct
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import KW_ONLY, InitVar, dataclass
from itertools import islice
from typing import Any

from twisted.internet.defer import (
    CancelledError,
    Deferred,
    TimeoutError,  # addTimeout raises this one, not the builtin
    fail,
)
from twisted.internet.error import getConnectError
from twisted.internet.interfaces import IWriteDescriptor
from twisted.internet.protocol import Factory
from twisted.internet.task import deferLater
from twisted.python.failure import Failure
from zope.interface import implementer  # type: ignore[import-untyped]

from ginpeer.net.address import Address, ip_of
from ginpeer.net.own_addresses import is_public, may_be_dialled, own_towards
from ginpeer.net.tcp import ProtocolFactory

# A router that answers with RST forgets us one round trip after our SYN, and only a SYN within that
# time gets through. Two sides that dial in step may miss each other for ever, so the intervals of
# host and guest differ by 20 ms: within 13 seconds the two dials come that close.
HOST_EVERY = 0.5  # seconds between two dials of one address, if the first was refused
GUEST_EVERY = 0.52
PATIENCE = 600.0  # seconds of quick dialling: friends don't press Enter at the same moment
MAX_TARGETS = 16  # addresses dialled: those of a code, and those that its names resolve to
MAX_CONNECTIONS = 10  # this many connections to one address show that it isn't our friend's

# Seconds after which an attempt is replaced. Until then the system repeats the SYN by itself, at
# growing intervals, so a much longer attempt would repeat it too rarely. With a much shorter one,
# our socket would more often be gone when its SYN is answered, and each side would then have half
# of a different connection.
_LASTS = 6.0

SLOWEST = 30.0  # the longest pause in seconds before an address is dialled again

_UNDER_WAY = frozenset(
    {errno.EINPROGRESS, errno.EWOULDBLOCK, errno.EAGAIN, errno.EALREADY, errno.EINTR}
)
_FORGET = struct.pack("hh" if sys.platform == "win32" else "ii", 1, 0)  # on, after 0 seconds
_LENDING = getattr(socket, "SO_REUSEPORT", socket.SO_REUSEADDR)


def may_dial(port: Any, address: Address) -> bool:
    """Return whether a peer may make us dial this address: an IP address that own_addresses.py
    allows. Only a port on a loopback address may dial loopback addresses, and it may dial no
    others."""
    ip = ip_of(address.host)
    if ip is None or not may_be_dialled(address):
        return False
    return ip.is_loopback == ipaddress.ip_address(port.getHost().host).is_loopback


def connect_from(
    reactor: Any, port: Any, target: Address, factory: Factory[Any], *, outlives_icmp: bool = False
) -> Deferred[Any]:
    """Connect to *target*, an IP address, from a listening port of ours, which stays open. Fires
    with the protocol, or fails with a ConnectError. Cancelling closes the socket. *outlives_icmp*:
    whether the attempt survives ICMP errors, if the system allows it."""
    try:
        dialled = _dial(port, target)
        if outlives_icmp:
            _outlive_rejections(dialled)
    except OSError as error:
        return fail(_error(error.errno or 0))
    connecting = _Connecting(reactor, dialled, factory)
    connecting.begin(target)
    return connecting.outcome


def _dial(port: Any, target: Address) -> socket.socket:
    """Return a socket that is ready to connect, bound to our port if the system shares it."""
    six = ":" in target.host
    dialled = socket.socket(socket.AF_INET6 if six else socket.AF_INET, socket.SOCK_STREAM)
    try:
        dialled.setblocking(False)
        if six:
            dialled.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        with suppress(OSError), _lent(port):
            dialled.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            dialled.setsockopt(socket.SOL_SOCKET, _LENDING, 1)
            dialled.bind(_source(port, target))
    except BaseException:  # including Ctrl-C: nobody else knows about the socket yet
        dialled.close()
        raise
    return dialled


_HOPS = 32
_MINIMUM = {  # by family: level, maximum hops of a packet, minimum hops left on arrival
    socket.AF_INET: (socket.IPPROTO_IP, socket.IP_TTL, 21),  # IP_MINTTL, linux/in.h
    socket.AF_INET6: (socket.IPPROTO_IPV6, socket.IPV6_UNICAST_HOPS, 73),  # IPV6_MINHOPCOUNT
}


def _outlive_rejections(dialled: socket.socket) -> None:
    """Keep ICMP errors from ending this connection attempt.

    An ICMP error quotes the packet that it answers, and Linux ignores an error whose quoted packet
    has fewer hops left than the socket's minimum. So this socket sends its packets with fewer hops
    than it accepts from others, whose packets start with 64 or more. Only one of the two sides can
    do that.
    """
    _set_hops(dialled, _HOPS, _HOPS + 1)


def _set_hops(dialled: socket.socket, most: int, least: int) -> None:
    """Set how many hops our packets may take, and how many must be left when one arrives."""
    if sys.platform == "linux":
        level, hops, minimum = _MINIMUM[dialled.family]
        with suppress(OSError):
            dialled.setsockopt(level, hops, most)
            dialled.setsockopt(level, minimum, least)


def _source(port: Any, target: Address) -> tuple[str, int]:
    """Return the address to dial from: our port, and the address that we listen on if it has the
    right IP version; on Windows, our address on the route to the target (rule 1)."""
    here = port.getHost()
    six = ":" in target.host
    if sys.platform == "win32" and (own := own_towards(target.host)) is not None:
        return own, here.port
    ip = ipaddress.ip_address(here.host.partition("%")[0])
    if (ip.version == 6) is six:
        return here.host, here.port
    return ("::" if six else "0.0.0.0"), here.port  # noqa: S104 - dialled from, not listened on


@contextmanager
def _lent(port: Any) -> Iterator[None]:
    """Let another socket use the port of this listening socket (rule 1). Windows needs no
    permission."""
    if sys.platform == "win32":
        yield
        return
    family = socket.AF_INET6 if ":" in port.getHost().host else socket.AF_INET
    with socket.fromfd(port.fileno(), family, socket.SOCK_STREAM) as listening:
        listening.setsockopt(socket.SOL_SOCKET, _LENDING, 1)
        try:
            yield
        finally:
            listening.setsockopt(socket.SOL_SOCKET, _LENDING, 0)


@implementer(IWriteDescriptor)
class _Connecting:
    """A socket from connect() to its outcome. After success the reactor owns the connection."""

    def __init__(self, reactor: Any, dialled: socket.socket, factory: Factory[Any]) -> None:
        self.outcome: Deferred[Any] = Deferred(lambda _: self._close())
        self._reactor = reactor
        self._socket = dialled
        self._factory = factory
        self._waits = False

    def begin(self, target: Address) -> None:
        number = self._socket.connect_ex(target)
        if number in _UNDER_WAY:
            self._waits = True
            self._reactor.addWriter(self)
        else:
            self._settle(number)

    def fileno(self) -> int:
        return self._socket.fileno()

    def logPrefix(self) -> str:
        return "dialling"

    def doWrite(self) -> None:
        self._settle(self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR))

    def connectionLost(self, reason: Failure) -> None:
        """Report a failure. Some reactors call this when a connection is refused or the reactor
        stops."""
        if self._socket.fileno() >= 0:
            number = self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            self._settle(number or errno.ECONNABORTED)

    def _stop_waiting(self) -> None:
        if self._waits:
            self._reactor.removeWriter(self)
            self._waits = False

    def _settle(self, number: int) -> None:
        self._stop_waiting()
        built: list[Any] = []

        def build(address: Any) -> Any:
            built.append(self._factory.buildProtocol(address))
            return built[0]

        try:
            if number == 0 and self._socket.getsockname() == self._socket.getpeername():
                number = errno.ECONNREFUSED  # we reached ourselves: nobody else is there
            if number == 0:
                _set_hops(self._socket, -1, 0)  # back to normal: the attempt has succeeded
                self._reactor.adoptStreamConnection(
                    self._socket.fileno(), self._socket.family, ProtocolFactory(build)
                )
        except OSError as error:  # the connection was lost before we took it over
            number = error.errno or errno.ENOTCONN
        self._socket.close()  # the connection has its own copy
        if number == 0:
            self.outcome.callback(built[0])
        else:
            self.outcome.errback(_error(number))

    def _close(self) -> None:
        """Close the socket and make the system forget it. A half-made connection would continue
        without us, and block the next dial from here to there."""
        self._stop_waiting()
        with suppress(OSError):  # macOS, once the connection has been refused
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _FORGET)
        self._socket.close()


def _trap_cancelled(failure: Failure) -> None:
    failure.trap(CancelledError)  # type: ignore[no-untyped-call]


def _error(number: int) -> Exception:
    error: Exception = getConnectError((number, errno.errorcode.get(number, str(number))))  # type: ignore[no-untyped-call]
    return error


@dataclass(eq=False)
class Dialling:
    """Dials addresses from one port until it is stopped or its time is up. *factory* builds the
    protocol for each connection; only TLS shows whether the peer is the friend."""

    reactor: Any
    port: Any
    targets: InitVar[Iterable[Address]]
    factory: Factory[Any]
    _: KW_ONLY
    every: float  # seconds between two dials of one address
    seconds: float = PATIENCE  # how long to dial that often
    lasts: bool = False  # whether to keep dialling after that, every SLOWEST seconds
    outlives_icmp: bool = False  # for the guest only

    def __post_init__(self, targets: Iterable[Address]) -> None:
        allowed = (each for each in dict.fromkeys(targets) if may_dial(self.port, each))
        self._targets = tuple(islice(allowed, MAX_TARGETS))
        self._running: list[Deferred[None]] = []

    def start(self) -> None:
        """Start or restart dialling. It ends after *seconds*, unless it *lasts*."""
        self.stop()
        for target in self._targets:
            dialling = Deferred.fromCoroutine(self._dial(target))
            if not self.lasts:
                dialling.addTimeout(self.seconds, self.reactor, lambda *_: None)
            dialling.addErrback(_trap_cancelled)
            self._running.append(dialling)

    def stop(self) -> None:
        """Stop dialling. Connections stay open."""
        running, self._running = self._running, []
        for each in running:
            each.cancel()

    async def _dial(self, target: Address) -> None:
        """Dial an address repeatedly."""
        reactor, every, connected = self.reactor, self.every, 0
        pause = 0.0 if is_public(target.host) else every  # after a refusal; doubled each time
        quick_until = reactor.seconds() + self.seconds
        while self.lasts or connected < MAX_CONNECTIONS:
            since = reactor.seconds()
            quick = not self.lasts or (since < quick_until and connected < MAX_CONNECTIONS)
            wait = every if quick else SLOWEST
            attempt = connect_from(
                reactor, self.port, target, self.factory, outlives_icmp=self.outlives_icmp
            )
            try:
                await attempt.addTimeout(_LASTS, reactor)
                connected += 1
            except CancelledError:
                raise
            except TimeoutError:
                if quick:
                    continue
            except Exception:  # refused or unreachable: either may change
                wait = max(wait, pause)
                pause = min(2 * pause, SLOWEST)
            passed = reactor.seconds() - since
            await deferLater(reactor, max(wait, (passed // every + 1) * every) - passed)
