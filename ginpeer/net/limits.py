"""Limits on how often a peer may send or cause something, and on the connections whose peer hasn't
been admitted.

About connections before admission:

Rule 1: until its first byte arrives, a connection costs only a socket and a timer; TLS starts
with that byte. So a thousand silent connections are cheap, and never keep a friend out.
Rule 2: no newcomer is refused for lack of room. If a set is full, the newcomer stays and another
connection is closed: the oldest from the origin with the most connections. So a peer that connects
repeatedly from one origin crowds out only itself. There are three sets: silent connections, those
in their TLS handshake, and those that have finished it. A friend leaves each set after a round trip
or two, and an attacker who wants to keep friends out has to do as much work as they do.
Rule 3: strangers never use up the open files of this process, which has a log to write.
"""

from __future__ import annotations

import ipaddress
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import KW_ONLY, InitVar, dataclass
from typing import Any, Generic, TypeVar

from twisted.internet.interfaces import IAddress
from twisted.internet.protocol import Factory, Protocol, connectionDone
from twisted.python.failure import Failure

from ginpeer.net.address import ip_of
from ginpeer.net.interfaces import Clock, Timer, cancel

T = TypeVar("T")


class TokenBucket:
    """A bucket of up to ``burst`` tokens that gains ``rate`` tokens a second. It starts full."""

    def __init__(self, burst: float, rate: float, now: float) -> None:
        self._burst = burst
        self._rate = rate
        self._tokens = burst
        self._at = now

    def take(self, now: float) -> bool:
        """Take one token, if there is one. No tokens are lost if the clock is set back."""
        self._refill(now)
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True

    def _refill(self, now: float) -> None:
        passed = max(0.0, now - self._at)
        self._tokens = min(self._burst, self._tokens + passed * self._rate)
        self._at = now


class WorkingTime(TokenBucket):
    """A bucket of seconds: allows ``burst`` seconds of work without a pause, and ``rate`` of every
    second after that. Work that has begun is finished, however long it takes, and paid for
    afterwards, so the balance may be negative."""

    def has_any(self, now: float) -> bool:
        self._refill(now)
        return self._tokens > 0

    def spend(self, seconds: float) -> None:
        self._tokens -= seconds


class Allowances:
    """Token buckets that outlive a connection, so that a peer can't refill them by reconnecting."""

    def __init__(self) -> None:
        self._buckets: dict[str, TokenBucket] = {}

    def bucket(self, name: str, burst: float, rate: float, now: float) -> TokenBucket:
        """Return the bucket with this name; a new one starts full."""
        if name not in self._buckets:
            self._buckets[name] = TokenBucket(burst, rate, now)
        return self._buckets[name]


@dataclass(eq=False)
class RateLimited(Generic[T]):
    """Passes events on to *each*: up to *burst* in succession, then *rate* a second. The rest are
    only counted, and their number is passed to *rest* with the next event, or after *pause*
    seconds. So thousands of strangers don't fill our player's screen."""

    clock: Clock
    burst: float
    rate: float
    pause: float
    _: KW_ONLY
    each: Callable[[T], None]
    rest: Callable[[int], None]

    def __post_init__(self) -> None:
        self._bucket = TokenBucket(self.burst, self.rate, self.clock.seconds())
        self._untold = 0
        self._timer: Timer | None = None

    def admit(self, what: T) -> None:
        if self._bucket.take(self.clock.seconds()):
            self._tell_rest()
            self.each(what)
            return
        self._untold += 1
        if self._timer is None:
            self._timer = self.clock.callLater(self.pause, self._tell_rest)

    def stop(self) -> None:
        cancel(self._timer)
        self._timer, self._untold = None, 0

    def _tell_rest(self) -> None:
        untold = self._untold
        self.stop()
        if untold:
            self.rest(untold)


# --- connections of strangers ---------------------------------------------------------

MAX_SILENT = 1024  # connections that are still silent; each costs about 2 KB
MAX_SECURING = 192  # connections in their TLS handshake; each costs about 60 KB
MAX_GREETERS = 64  # connections with TLS whose peer isn't admitted yet, or is being refused
RESERVED_FILES = 64  # for everything else: logs, console, port, guest, libraries
_SELECTED = 512  # sockets that select() supports on Windows


class BoundedSet(Generic[T]):
    """A set of at most *limit* connections with their origins, in order of arrival."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._origin: dict[T, str] = {}

    def __len__(self) -> int:
        return len(self._origin)

    def __iter__(self) -> Any:
        return iter(tuple(self._origin))

    def __contains__(self, stranger: object) -> bool:
        return stranger in self._origin

    def add(self, stranger: T, origin: str) -> T | None:
        """Add a connection. Return the one that was removed to make room, if any."""
        goes = None
        if len(self) >= self._limit:
            most = Counter(self._origin.values()).most_common(1)[0][0]  # on a tie, the first
            goes = next(each for each, place in self._origin.items() if place == most)
            self.remove(goes)
        self._origin[stranger] = origin
        return goes

    def remove(self, stranger: T) -> None:
        self._origin.pop(stranger, None)


def origin_of(host: str) -> str:
    """Return the part of an address that its owner can't change at will: all of an IPv4 address,
    the first half of an IPv6 address."""
    address = ip_of(host.partition("%")[0])
    if address is None:
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.IPv6Network((int(address) >> 64 << 64, 64)))


def stranger_limits() -> tuple[int, int, int]:
    """Return how many silent connections, TLS handshakes and greeters this process has enough files
    for, after raising its file limit if allowed: many systems start with 256 or 1024."""
    wanted = MAX_SILENT + MAX_SECURING + MAX_GREETERS
    files = max(3, _file_limit(wanted + RESERVED_FILES) - RESERVED_FILES)
    securing, greeters = min(MAX_SECURING, files // 3), min(MAX_GREETERS, files // 3)
    return min(MAX_SILENT, files - securing - greeters), securing, greeters


def _file_limit(wanted: int) -> int:
    """Return how many files this process may open, after raising that to *wanted* if possible."""
    if sys.platform == "win32":
        return min(wanted, _SELECTED)
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return wanted
    raised = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (raised, hard))
    except (OSError, ValueError):  # a system with its own ceiling
        return soft
    return raised


@dataclass(frozen=True, slots=True)
class RejectedConnection:
    """A connection whose peer was not admitted. It contains no text from the peer."""

    address: str
    code: str
    key: bytes | None = None  # the peer's, if TLS has proven one
    our_fault: bool = False  # whether the cause was a fault of our own (class C)
    has_invite: bool = False  # the peer has the unused invite, but an expected guest came first


@dataclass(eq=False, repr=False)
class AdmissionFactory(Factory):
    """Accepts TCP connections; *tls* takes over at the first byte. The protocol above TLS gets an
    attribute ``waited``: the seconds until that byte came."""

    noisy = False

    tls: Factory[Any]
    clock: Clock
    seconds: float  # how long a peer may be silent
    room: InitVar[int]  # how many peers may be silent
    on_close: Callable[[Any, str], None]
    """Called with the address of a connection that ended before its first byte, and the reason."""

    def __post_init__(self, room: int) -> None:
        self.silent: BoundedSet[PreTlsConnection] = BoundedSet(room)

    def buildProtocol(self, addr: IAddress | None) -> PreTlsConnection:
        return PreTlsConnection(self, addr)

    def close(self) -> None:
        for stranger in self.silent:
            stranger.dismiss()


class PreTlsConnection(Protocol):
    """A TCP connection until its first byte arrives."""

    transport: Any

    def __init__(self, factory: AdmissionFactory, address: Any) -> None:
        self._factory = factory
        self.address = address
        self._since = factory.clock.seconds()
        self._deadline: Timer | None = None

    def connectionMade(self) -> None:
        factory = self._factory
        self._deadline = factory.clock.callLater(factory.seconds, self._reject, "greeting-timeout")
        goes = factory.silent.add(self, origin_of(self.address.host))
        if goes is not None:
            goes._reject("crowded-out")

    def dataReceived(self, data: bytes) -> None:
        """Hand the connection to TLS at its first bytes."""
        factory, transport = self._factory, self.transport
        self._forget()
        protocol: Any = factory.tls.buildProtocol(self.address)
        protocol.wrappedProtocol.waited = factory.clock.seconds() - self._since
        transport.protocol = protocol
        protocol.makeConnection(transport)
        protocol.dataReceived(data)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Report a connection that ended before its first byte, unless we closed it."""
        if self in self._factory.silent:
            self._forget()
            self._factory.on_close(self.address, "connection-lost")

    def dismiss(self) -> None:
        self._forget()
        self.transport.abortConnection()

    def _reject(self, code: str) -> None:
        self.dismiss()
        self._factory.on_close(self.address, code)

    def _forget(self) -> None:
        self._factory.silent.remove(self)
        cancel(self._deadline)
