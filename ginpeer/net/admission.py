"""In front of TLS: whoever has said nothing yet, and who has to go when there are too many.

# Rule 1: a connection costs a socket and a timer until its first byte comes; only then is there
# TLS. So a thousand who say nothing are held cheaply, and a friend is never kept out by them.
# Rule 2: nobody is turned away at the door. Where there is no more room the newcomer stays and
# somebody else goes: of those from where most have come the one who came first. Somebody who
# comes again and again from one place so drives out only its own connections. Who has said
# nothing, who has begun TLS and who has finished it are three crowds: a friend passes from one to
# the next in a round trip or two, and whoever wants to be in its way there has to do as much.
# Rule 3: strangers never take the last files of this process: it has a log to write.
"""

from __future__ import annotations

import ipaddress
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from twisted.internet.interfaces import IAddress
from twisted.internet.protocol import Factory, Protocol, connectionDone
from twisted.python.failure import Failure

from ginpeer.net.interfaces import Clock, Timer, cancel

MAX_SILENT = 1024
"""Connections on which nothing has been said yet; each costs some 2 KB."""

MAX_SECURING = 192
"""Connections on which TLS has begun; each costs some 60 KB."""

MAX_GREETERS = 64
"""Connections with TLS on which nobody has been let in, or who are being sent away."""

RESERVED_FILES = 64
"""Files for all that is no stranger: logs, console, the port, the guest, what a library opens."""

_SELECTED = 512  # sockets that select() takes on Windows

_Stranger = TypeVar("_Stranger")


class BoundedSet(Generic[_Stranger]):
    """Strangers in the order in which they came, up to *limit* of them, and where each is from."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._from: dict[str, dict[_Stranger, None]] = {}
        self._origin: dict[_Stranger, str] = {}

    def __len__(self) -> int:
        return len(self._origin)

    def __iter__(self) -> Any:
        return iter(tuple(self._origin))

    def __contains__(self, stranger: object) -> bool:
        return stranger in self._origin

    def add(self, stranger: _Stranger, origin: str) -> _Stranger | None:
        """Somebody comes; gives who has to go for that, and is no longer counted."""
        goes = None
        if len(self) >= self._limit:
            most = max(self._from.values(), key=len)  # among equals whose first came first
            goes = next(iter(most))
            self.remove(goes)
        self._from.setdefault(origin, {})[stranger] = None
        self._origin[stranger] = origin
        return goes

    def remove(self, stranger: _Stranger) -> None:
        """Somebody has gone or was let in; harmless for those who are not here."""
        origin = self._origin.pop(stranger, None)
        if origin is not None:
            here = self._from[origin]
            del here[stranger]
            if not here:
                del self._from[origin]


def origin_of(host: str) -> str:
    """What one neighbour cannot change at will: an IPv4 address, the first half of an IPv6 one."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.IPv6Network((int(address) >> 64 << 64, 64)))


@dataclass(frozen=True)
class Limits:
    """For how many strangers there is room at each step."""

    silent: int
    securing: int
    greeters: int


def stranger_limits() -> Limits:
    """The room that this process has files for.

    Raises its file limit if it is allowed to: many systems begin with 256 or 1024.
    """
    wanted = MAX_SILENT + MAX_SECURING + MAX_GREETERS
    files = max(3, _file_limit(wanted + RESERVED_FILES) - RESERVED_FILES)
    securing, greeters = min(MAX_SECURING, files // 3), min(MAX_GREETERS, files // 3)
    return Limits(min(MAX_SILENT, files - securing - greeters), securing, greeters)


def _file_limit(wanted: int) -> int:
    """Files that this process may open, raised to *wanted* where that is allowed."""
    if sys.platform == "win32":
        return min(wanted, _SELECTED)
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return wanted
    raised = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (raised, hard))
    except (OSError, ValueError):  # a system with a ceiling of its own
        return soft
    return raised


@dataclass(frozen=True, slots=True)
class RejectedConnection:
    """A connection whose peer was not admitted. Nothing in it is the stranger's own words."""

    address: str
    code: str
    key: bytes | None = None
    """The peer's key, if TLS has proven one."""
    our_fault: bool = False
    """Whether something of ours has failed (class C)."""
    has_invite: bool = False
    """Whether it has the invite, which nobody has used, but a guest that is expected came first."""


class AdmissionFactory(Factory):
    """Holds whoever has connected; at the first byte *tls* builds the protocol that goes on.

    That protocol's connection has an ``admit``, which is told how long it had been silent.
    """

    noisy = False

    def __init__(
        self,
        tls: Factory[Any],
        clock: Clock,
        seconds: float,
        room: int,
        gone: Callable[[Any, str], None] = lambda address, code: None,
    ) -> None:
        """*seconds*: how long somebody may say nothing. *room*: for how many. *gone*: told the
        address of whoever has gone or had to go without a word, and why."""
        self.tls = tls
        self.clock = clock
        self.seconds = seconds
        self.gone = gone
        self.silent: BoundedSet[PreTlsConnection] = BoundedSet(room)

    def buildProtocol(self, addr: IAddress | None) -> PreTlsConnection:
        """Somebody has connected."""
        return PreTlsConnection(self, addr)

    def close(self) -> None:
        """Let go of all who have said nothing."""
        for stranger in self.silent:
            stranger.dismiss()


class PreTlsConnection(Protocol):
    """A connection before its first byte."""

    transport: Any

    def __init__(self, entrance: AdmissionFactory, address: Any) -> None:
        self._entrance = entrance
        self.address = address
        self._since = entrance.clock.seconds()
        self._deadline: Timer | None = None

    def connectionMade(self) -> None:
        """Wait, not too long, for the first byte."""
        entrance = self._entrance
        self._deadline = entrance.clock.callLater(entrance.seconds, self._late)
        goes = entrance.silent.add(self, origin_of(self.address.host))
        if goes is not None:
            goes.dismiss()
            entrance.gone(goes.address, "crowded-out")

    def dataReceived(self, data: bytes) -> None:
        """The first bytes: from here on it is TLS that has the connection."""
        entrance, transport = self._entrance, self.transport
        self._forget()
        protocol = entrance.tls.buildProtocol(self.address)
        if protocol is None:
            transport.abortConnection()
            return
        protocol.wrappedProtocol.waited = entrance.clock.seconds() - self._since
        transport.protocol = protocol
        protocol.makeConnection(transport)
        protocol.dataReceived(data)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Gone without a word, or dismissed."""
        if self in self._entrance.silent:
            self._forget()
            self._entrance.gone(self.address, "connection-lost")

    def dismiss(self) -> None:
        """Close, without a word as well."""
        self._forget()
        self.transport.abortConnection()

    def _late(self) -> None:
        self.dismiss()
        self._entrance.gone(self.address, "greeting-timeout")

    def _forget(self) -> None:
        self._entrance.silent.remove(self)
        cancel(self._deadline)
