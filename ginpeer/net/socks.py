"""Connections through a SOCKS5 proxy, as a Twisted endpoint (RFC 1928, RFC 1929).

# Rule 1: only the proxy's own address is dialled or looked up. A target's name goes to the proxy
# unresolved: players who use a proxy don't want their own network to see where they connect.
# Rule 2: the proxy only answers requests. Unrequested data isn't SOCKS, and an answer has at most
# 262 bytes, even with the longest name; so a proxy can't fill our memory.
# Rule 3: user name and password never appear in a sentence or a repr.
# Rule 4: the factory's protocol is built only when the proxy has connected. It then owns the
# transport, which names the target as its peer, not the proxy: the target is where the same player
# can be found another time.
# Rule 5: from the first packet to the proxy's last answer it may take *seconds*, and no longer.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Final
from urllib.parse import unquote_to_bytes

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IAddress, IStreamClientEndpoint
from twisted.internet.protocol import Factory, Protocol, connectionDone
from twisted.python.failure import Failure
from zope.interface import directlyProvides, implementer, providedBy  # type: ignore[import-untyped]

from ginpeer.net.address import Address, AddressError, parse_address
from ginpeer.net.direct import direct_endpoint
from ginpeer.net.interfaces import Clock, CodedError, Timer, cancel

PROXY_SECONDS = 30.0
"""How long a connection through a proxy may take. The proxy may allow more; a player won't."""

DEFAULT_SOCKS_PORT: Final = 1080

_VERSION, _LOGIN_VERSION = 5, 1
_NO_LOGIN, _LOGIN, _NO_METHOD = 0x00, 0x02, 0xFF
_CONNECT = 1
_IPV4, _NAME, _IPV6 = 1, 3, 4
_SUCCEEDED = 0
_LONGEST_FIELD = 255
_URL = re.compile(r"socks5h?://(?:([^@/\s]*)@)?([^@/\s]+)/?", re.IGNORECASE)
_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")


class SocksError(CodedError):
    """There is no connection through the proxy."""


PROXY_REFUSALS: Final[Mapping[int, tuple[str, str]]] = {
    # RFC 1928, section 6. Tor says 4 and 6 of onion services, too, where it was not told to say
    # more (SocksPort ... ExtendedErrors).
    0x01: ("proxy-failed", "the proxy did not get there. Is the host still waiting?"),
    0x02: ("proxy-forbids", "the proxy does not allow this connection."),
    0x03: ("unreachable", "there is no way there from the proxy's network."),
    0x04: ("unreachable", "the proxy does not get there. Is the host still waiting?"),
    0x05: (
        "connection-refused",
        "nobody listens there, says the proxy. Is the host still waiting?",
    ),
    0x06: ("connect-timeout", "the proxy got no answer in time."),
    0x07: ("proxy-cannot", "the proxy does not make connections for others."),
    0x08: ("proxy-cannot", "the proxy does not know this kind of address."),
    # Tor's proposal 304, and the manual's ExtendedErrors.
    0xF0: ("onion-not-found", "Tor knows of nobody there. Is the host still waiting?"),
    0xF1: ("onion-invalid", "what Tor has found of the host there makes no sense."),
    0xF2: ("onion-gone", "the host was there, says Tor, and has gone. Is it still waiting?"),
    0xF3: ("onion-no-meeting", "Tor found the host, but did not get a connection to it."),
    0xF4: ("onion-locked", "only whom the host has given a key for its onion address may enter."),
    0xF5: ("onion-locked", "the key that your Tor has for this onion address is not right."),
    0xF6: ("onion-invalid", "Tor takes this for no onion address."),
    0xF7: ("onion-timeout", "Tor found the host, but got no answer from it in time."),
}
"""Stable codes and sentences, by the byte with which a proxy refuses."""

_OTHER_REFUSAL = ("proxy-failed", "the proxy refuses, for a reason that we do not know")


UNREACHED: Final = frozenset(code for code, _ in PROXY_REFUSALS.values()) | {
    "proxy-not-there",
    "proxy-timeout",
    "proxy-closed",
    "tor-not-there",
}
"""Failures to connect that say nothing about the target and may pass within a moment."""


@dataclass(frozen=True, slots=True)
class Proxy:
    """A SOCKS5 proxy: its address, and the user name and password that it wants, if any."""

    address: Address
    user: bytes | None = field(default=None, repr=False)
    password: bytes = field(default=b"", repr=False)

    def __str__(self) -> str:
        return f"socks5://{self.address}"


def parse_proxy(text: str) -> Proxy:
    """Read ``socks5://[USER:PASSWORD@]HOST[:PORT]``; without a port it is 1080.

    ``socks5h`` means the same: names always go to the proxy. User name and password may contain
    %-escapes (RFC 3986, section 2.1), and need them for @, / and a colon in the name. Raises
    AddressError, which never quotes them.
    """
    url = _URL.fullmatch(text.strip())
    if url is None:
        raise AddressError("A proxy is written like socks5://127.0.0.1:1080.")
    address = parse_address(url[2], DEFAULT_SOCKS_PORT)
    if address.port == 0:
        raise AddressError("A proxy has a port from 1 to 65535.")
    if url[1] is None:
        return Proxy(address)
    user, _, password = (_login_part(part) for part in url[1].partition(":"))
    if not user:
        raise AddressError("Before the @ of a proxy stands a user name, like in user:password@.")
    return Proxy(address, user, password)


def _login_part(text: str) -> bytes:
    if _BAD_ESCAPE.search(text):
        raise AddressError("A % in a proxy's user name or password is written %25.")
    data = unquote_to_bytes(text)
    if len(data) > _LONGEST_FIELD:
        raise AddressError("A proxy's user name and password have 255 bytes at most.")
    return data


class _Awaits(Enum):
    METHOD = auto()
    LOGIN = auto()
    ADDRESS = auto()
    NOTHING = auto()


class SocksRequest:
    """Our side of asking a proxy for one connection. ``connected``: whether the proxy has made the
    connection. ``rest``: the target's bytes that came with the proxy's last answer."""

    def __init__(self, proxy: Proxy, target: Address) -> None:
        self.connected = False
        self.rest = b""
        self._proxy = proxy
        self._target = target
        self._buffer = b""
        self._awaits = _Awaits.METHOD

    def begin(self) -> bytes:
        """Return the first bytes to send."""
        methods = [_NO_LOGIN] if self._proxy.user is None else [_NO_LOGIN, _LOGIN]
        return bytes([_VERSION, len(methods), *methods])

    def feed(self, data: bytes) -> bytes:
        """Take bytes from the proxy; return the bytes to send next, if any. Raises SocksError."""
        self._buffer += data
        match self._awaits:
            case _Awaits.METHOD:
                return self._method()
            case _Awaits.LOGIN:
                return self._logged_in()
            case _Awaits.ADDRESS:
                self._answered()
        return b""

    def _method(self) -> bytes:
        self._check_version(_VERSION)
        answer = self._answer_of_two()
        if answer is None:
            return b""
        if answer == _NO_LOGIN:
            return self._ask()
        if answer == _LOGIN and self._proxy.user is not None:
            self._awaits = _Awaits.LOGIN
            user, password = self._proxy.user, self._proxy.password
            return b"".join(
                (bytes([_LOGIN_VERSION, len(user)]), user, bytes([len(password)]), password)
            )
        if answer == _NO_METHOD:
            raise SocksError(
                "proxy-needs-login",
                "the proxy wants a user name and a password; write socks5://USER:PASSWORD@HOST."
                if self._proxy.user is None
                else "the proxy wants another proof than a user name and a password.",
            )
        raise _garbled()

    def _logged_in(self) -> bytes:
        self._check_version(_LOGIN_VERSION)
        answer = self._answer_of_two()
        if answer is None:
            return b""
        if answer != _SUCCEEDED:
            raise SocksError(
                "proxy-wrong-login", "the proxy does not know that user name and password."
            )
        return self._ask()

    def _ask(self) -> bytes:
        self._awaits = _Awaits.ADDRESS
        return bytes([_VERSION, _CONNECT, 0]) + _encoded(self._target)

    def _answered(self) -> None:
        self._check_version(_VERSION)
        buffer = self._buffer
        if len(buffer) < 2:
            return
        if buffer[1] != _SUCCEEDED:  # refused, whatever follows
            raise _refused(buffer[1])
        if len(buffer) > 2 and buffer[2] != 0:
            raise _garbled()
        if len(buffer) < 5:
            return
        lengths = {_IPV4: 4, _IPV6: 16, _NAME: 1 + buffer[4]}
        if buffer[3] not in lengths:
            raise _garbled()
        end = 4 + lengths[buffer[3]] + 2
        if len(buffer) < end:
            return
        self._awaits = _Awaits.NOTHING
        self.connected, self.rest, self._buffer = True, buffer[end:], b""

    def _check_version(self, version: int) -> None:
        if self._buffer[0] != version:
            raise _garbled()

    def _answer_of_two(self) -> int | None:
        """Return the second byte of a two-byte answer, once it has come."""
        if len(self._buffer) > 2:
            raise _garbled()
        if len(self._buffer) < 2:
            return None
        answer, self._buffer = self._buffer[1], b""
        return answer


def _encoded(target: Address) -> bytes:
    port = target.port.to_bytes(2, "big")
    try:
        ip = ipaddress.ip_address(target.host)
    except ValueError:
        name = target.host.encode("ascii")
        return bytes([_NAME, len(name)]) + name + port
    return bytes([_IPV4 if ip.version == 4 else _IPV6]) + ip.packed + port


def _refused(byte: int) -> SocksError:
    if byte in PROXY_REFUSALS:
        return SocksError(*PROXY_REFUSALS[byte])
    code, sentence = _OTHER_REFUSAL
    return SocksError(code, f"{sentence} ({byte}).")


def _garbled() -> SocksError:
    return SocksError("proxy-garbled", "what answers at the proxy's address is no SOCKS5 proxy.")


# --- the connection -----------------------------------------------------------------------------


@implementer(IStreamClientEndpoint)
class SocksEndpoint:
    """Connects to *target* through *proxy*. Fails only with SocksError."""

    def __init__(
        self,
        reactor: Any,
        proxy: Proxy,
        target: Address,
        *,
        seconds: float = PROXY_SECONDS,
        clock: Clock | None = None,
    ) -> None:
        self._reactor = reactor
        self._clock: Clock = clock if clock is not None else reactor
        self._proxy = proxy
        self._target = target
        self._seconds = seconds

    def connect(self, protocolFactory: Any) -> Deferred[Any]:
        """Connect; fires with the factory's protocol. Cancelling closes everything."""
        attempt = _Attempt(self._proxy, self._target, protocolFactory)
        attempt.start(self._reactor, self._clock, self._seconds)
        return attempt.outcome


class _Attempt(Factory):
    """One attempt to connect through the proxy. Fires its outcome exactly once."""

    noisy = False

    def __init__(self, proxy: Proxy, target: Address, factory: Any) -> None:
        self.outcome: Deferred[Any] = Deferred(lambda _: self._too_late())
        self.target = target
        self.request = SocksRequest(proxy, target)
        self._proxy = proxy
        self._factory = factory
        self._dialogue: _Dialogue | None = None
        self._dialling: Deferred[Any] | None = None
        self._timer: Timer | None = None
        self._ended = False

    def start(self, reactor: Any, clock: Clock, seconds: float) -> None:
        self._timer = clock.callLater(seconds, self._too_late)
        self._dialling = direct_endpoint(reactor, self._proxy.address).connect(self)
        self._dialling.addErrback(self._not_there)

    def buildProtocol(self, addr: IAddress | None) -> _Dialogue:
        self._dialogue = _Dialogue(self)
        return self._dialogue

    def connected(self, transport: Any) -> None:
        """Let the factory's protocol take over: the proxy has connected."""
        try:
            protocol = self._factory.buildProtocol(self.target)
        except Exception as error:  # any: it is the factory's own, and goes to who connects
            self._end()
            transport.abortConnection()
            self.outcome.errback(error)
            return
        if protocol is None:
            self.failed(SocksError("not-needed", "nobody wants this connection any more."))
            return
        self._end()
        transport.protocol = protocol
        protocol.makeConnection(_Through(transport, self.target))
        if self.request.rest:
            protocol.dataReceived(self.request.rest)
        self.outcome.callback(protocol)

    def failed(self, error: SocksError) -> None:
        if not self._ended:
            self._end()
            if self._dialogue is not None:
                self._dialogue.abort()
            elif self._dialling is not None:
                self._dialling.cancel()
            self.outcome.errback(error)

    def _end(self) -> None:
        self._ended = True
        cancel(self._timer)

    def _not_there(self, _: Failure) -> None:
        self.failed(
            SocksError("proxy-not-there", f"no proxy answers at {self._proxy.address}. Is it on?")
        )

    def _too_late(self) -> None:
        self.failed(SocksError("proxy-timeout", "no connection through the proxy in time."))


class _Dialogue(Protocol):
    """The connection to the proxy before it leads to the target."""

    transport: Any

    def __init__(self, attempt: _Attempt) -> None:
        self._attempt = attempt

    def connectionMade(self) -> None:
        self.transport.write(self._attempt.request.begin())

    def dataReceived(self, data: bytes) -> None:
        try:
            answer = self._attempt.request.feed(data)
        except SocksError as error:
            self._attempt.failed(error)
            return
        if answer:
            self.transport.write(answer)
        if self._attempt.request.connected:
            self._attempt.connected(self.transport)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self._attempt.failed(
            SocksError("proxy-closed", "the proxy closed the connection without a word.")
        )

    def abort(self) -> None:
        if self.transport is not None:
            self.transport.abortConnection()


@implementer(IAddress)
class _Peer(Address):
    """The target's address, in the form that Twisted's transports return."""


class _Through:
    """A transport through a proxy: the transport to the proxy, except that it names the target as
    its peer."""

    def __init__(self, transport: Any, target: Address) -> None:
        self._transport = transport
        self._peer = _Peer(*target)
        directlyProvides(self, *providedBy(transport))

    def getPeer(self) -> _Peer:
        return self._peer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)
