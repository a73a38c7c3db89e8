"""Connections through a SOCKS5 proxy (RFC 1928, RFC 1929).

Rule 1: only the proxy's own address is dialled or looked up. A target's name goes to the proxy
unresolved: players who use a proxy don't want their own network to see where they connect.
Rule 2: the proxy may only answer requests. Unrequested data isn't SOCKS, and an answer has at
most 262 bytes, even with the longest name; so a proxy can't fill our memory.
Rule 3: user name and password never appear in a sentence or a repr.
Rule 4: the factory's protocol is built only when the proxy has connected. It then owns the
transport, whose peer is the target, not the proxy: we remember that address to find the same player
another time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import unquote_to_bytes

from twisted.internet.defer import CancelledError
from twisted.internet.error import ConnectingCancelledError, ConnectionClosed
from zope.interface import directlyProvides, providedBy  # type: ignore[import-untyped]

from ginpeer.net.address import Address, AddressError, ip_of, is_onion, parse_address
from ginpeer.net.tcp import ProtocolFactory, Stream, connect_directly
from protocol.codes import CodedError

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
    """The connection through the proxy failed."""


PROXY_REFUSALS: Final[Mapping[int, tuple[str, str]]] = {
    # RFC 1928, section 6. Tor uses 4 and 6 for onion services as well, unless it is configured to
    # say more (SocksPort ... ExtendedErrors).
    0x01: ("proxy-failed", "the proxy couldn't connect. Is the host still waiting?"),
    0x02: ("proxy-forbids", "the proxy doesn't allow this connection."),
    0x03: ("unreachable", "it can't be reached from the proxy's network."),
    0x04: ("unreachable", "the proxy can't reach it. Is the host still waiting?"),
    0x05: (
        "connection-refused",
        "the proxy says nobody is listening there. Is the host still waiting?",
    ),
    0x06: ("connect-timeout", "the proxy got no answer in time."),
    0x07: ("proxy-cannot", "the proxy doesn't support outgoing connections."),
    0x08: ("proxy-cannot", "the proxy doesn't support this kind of address."),
    # Tor's proposal 304, and ExtendedErrors in its manual.
    0xF0: ("onion-not-found", "Tor finds nobody there. Is the host still waiting?"),
    0xF1: ("onion-invalid", "Tor found invalid information about the host there."),
    0xF2: ("onion-gone", "Tor says the host is no longer there. Is it still waiting?"),
    0xF3: ("onion-no-meeting", "Tor found the host but couldn't connect to it."),
    0xF4: ("onion-locked", "the host lets in only those who have a key for its onion address."),
    0xF5: ("onion-locked", "your Tor has the wrong key for this onion address."),
    0xF6: ("onion-invalid", "Tor says this isn't an onion address."),
    0xF7: ("onion-timeout", "Tor found the host but got no answer in time."),
}
"""Stable codes and sentences, by the byte with which a proxy refuses."""

UNREACHED: Final = frozenset(code for code, _ in PROXY_REFUSALS.values()) | {
    *("proxy-not-there", "proxy-timeout", "proxy-closed", "tor-not-there")
}
"""The codes of attempts that didn't reach the target through the proxy. The codes of a wrong login,
and of a program that isn't a proxy, aren't among them."""


@dataclass(frozen=True, slots=True)
class Proxy:
    """A SOCKS5 proxy: its address, and the user name and password that it requires, if any."""

    address: Address
    user: bytes | None = field(default=None, repr=False)
    password: bytes = field(default=b"", repr=False)

    def __str__(self) -> str:
        return f"socks5://{self.address}"


def parse_proxy(text: str) -> Proxy:
    """Read ``socks5://[USER:PASSWORD@]HOST[:PORT]``; the default port is 1080.

    ``socks5h`` means the same: names always go to the proxy. User name and password may contain
    %-escapes (RFC 3986, section 2.1), and need them for @, / and a colon in the name. Raises
    AddressError, which never quotes them.
    """
    url = _URL.fullmatch(text.strip())
    if url is None:
        raise AddressError("Write a proxy like this: socks5://127.0.0.1:1080.")
    address = parse_address(url[2], DEFAULT_SOCKS_PORT)
    if address.port == 0:
        raise AddressError("A proxy's port must be between 1 and 65535.")
    if is_onion(address.host):  # connecting would look up the name
        raise AddressError("A proxy can't be at an onion address.")
    if url[1] is None:
        return Proxy(address)
    user, _, password = (_login_part(part) for part in url[1].partition(":"))
    if not user:
        raise AddressError("Put a user name before the proxy's @, like this: user:password@.")
    return Proxy(address, user, password)


def _login_part(text: str) -> bytes:
    if _BAD_ESCAPE.search(text):
        raise AddressError("Write a % in a proxy's user name or password as %25.")
    data = unquote_to_bytes(text)
    if len(data) > _LONGEST_FIELD:
        raise AddressError("A proxy's user name and password can have at most 255 bytes each.")
    return data


def _encoded(target: Address) -> bytes:
    port = target.port.to_bytes(2, "big")
    ip = ip_of(target.host)
    if ip is None:
        name = target.host.encode("ascii")
        return bytes([_NAME, len(name)]) + name + port
    return bytes([_IPV4 if ip.version == 4 else _IPV6]) + ip.packed + port


def _refused(byte: int) -> SocksError:
    if byte in PROXY_REFUSALS:
        return SocksError(*PROXY_REFUSALS[byte])
    return SocksError("proxy-failed", f"the proxy refused for an unknown reason ({byte}).")


def _garbled() -> SocksError:
    return SocksError("proxy-garbled", "the program at the proxy's address isn't a SOCKS5 proxy.")


# --- the connection -----------------------------------------------------------------------------


async def connect_through(reactor: Any, proxy: Proxy, target: Address, factory: Any) -> Any:
    """Connect to *target* through *proxy*, and return the factory's protocol. Raises SocksError,
    also if cancelled, which closes everything."""
    stream = Stream()
    try:
        await _ask(reactor, proxy, target, stream)
        protocol = factory.buildProtocol(target)
        # The protocol first gets the bytes from the target that have already arrived.
        stream.transport.protocol = protocol
        protocol.makeConnection(_Through(stream.transport, target))
        if stream.heard:
            protocol.dataReceived(bytes(stream.heard))
    except (CancelledError, ConnectingCancelledError):
        stream.abort()
        raise SocksError("proxy-timeout", "the proxy didn't connect in time.") from None
    except Exception:  # raised again; but the connection must not stay open
        stream.abort()
        raise
    return protocol


async def _ask(reactor: Any, proxy: Proxy, target: Address, stream: Stream) -> None:
    try:
        await connect_directly(reactor, proxy.address, ProtocolFactory(lambda _: stream))
    except (CancelledError, ConnectingCancelledError):
        raise
    except Exception as error:  # whatever an endpoint raises
        raise SocksError(
            "proxy-not-there", f"no proxy answers at {proxy.address}. Is it running?"
        ) from error
    try:
        await ask_proxy(stream, proxy, target)
    except ConnectionClosed:
        raise SocksError(
            "proxy-closed", "the proxy closed the connection without answering."
        ) from None


async def ask_proxy(stream: Stream, proxy: Proxy, target: Address) -> None:
    """Ask the proxy for a connection to *target*. Raises SocksError or ConnectionClosed."""
    methods = [_NO_LOGIN] if proxy.user is None else [_NO_LOGIN, _LOGIN]
    stream.transport.write(bytes([_VERSION, len(methods), *methods]))
    method = await _read_answer(stream, _VERSION)
    if method == _NO_METHOD:
        raise SocksError(
            "proxy-needs-login",
            "the proxy needs a user name and a password; write socks5://USER:PASSWORD@HOST."
            if proxy.user is None
            else "the proxy needs a kind of login other than a user name and a password.",
        )
    if method == _LOGIN and proxy.user is not None:
        user, password = proxy.user, proxy.password
        login = bytes([len(user)]) + user + bytes([len(password)]) + password
        stream.transport.write(bytes([_LOGIN_VERSION]) + login)
        if await _read_answer(stream, _LOGIN_VERSION) != _SUCCEEDED:
            raise SocksError("proxy-wrong-login", "the proxy refused that user name and password.")
    elif method != _NO_LOGIN:
        raise _garbled()
    stream.transport.write(bytes([_VERSION, _CONNECT, 0]) + _encoded(target))
    answer = await _read_answer(stream, _VERSION, more=True)
    if answer != _SUCCEEDED:  # refused, whatever follows
        raise _refused(answer)
    if await stream.take(1) != b"\0":
        raise _garbled()
    (kind,) = await stream.take(1)
    if kind not in (_IPV4, _IPV6, _NAME):
        raise _garbled()
    length = {_IPV4: 4, _IPV6: 16}.get(kind) or (await stream.take(1))[0]
    await stream.take(length + 2)


async def _read_answer(stream: Stream, version: int, *, more: bool = False) -> int:
    """Return the byte after the version. *more*: whether more bytes may follow it."""
    if await stream.take(1) != bytes([version]):
        raise _garbled()
    (answer,) = await stream.take(1)
    if stream.heard and not more:
        raise _garbled()
    return answer


class _Through:
    """A transport to a proxy that names the target as its peer."""

    def __init__(self, transport: Any, target: Address) -> None:
        self._transport = transport
        self._peer = target
        directlyProvides(self, *providedBy(transport))

    def getPeer(self) -> Address:
        return self._peer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)
