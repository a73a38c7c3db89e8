"""A peer's address, ``host:port``, as text and packed into the few bytes of a code (WIRE 9.5).

In a code, an address without a port has the port of the address before it, or 4466 if it comes
first. Only the shortest form is allowed, so each list has only one encoding.
"""

from __future__ import annotations

import base64
import hashlib
import ipaddress
import re
from collections.abc import Iterable
from typing import NamedTuple

from protocol.codes import CodedError

IP = ipaddress.IPv4Address | ipaddress.IPv6Address

DEFAULT_PORT = 4466
LAST_PORT = 0xFFFF
LOOPBACK = "127.0.0.1"
MAX_ADDRESSES = 8  # in one code
MAX_HOST = 253  # RFC 1035, 2.3.4, as text without the last dot

_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", re.ASCII)

# An onion service of version 3 is named by its key (rend-spec-v3, section 6, ONIONADDRESS): base32
# of the 32-byte key, a 2-byte checksum, and the version.
_ONION = ".onion"
_ONION_LETTERS = re.compile(r"[a-z2-7]{56}", re.ASCII)
_ONION_KEY = 32
_ONION_VERSION = b"\x03"


class AddressError(CodedError, ValueError):
    code = "address-unreadable"

    def __init__(self, sentence: str) -> None:
        super().__init__(self.code, sentence)


class Address(NamedTuple):
    """A host (name, onion service, IPv4 or IPv6, in its canonical spelling) and a TCP port. ``str``
    returns ``host:port``, with brackets around IPv6; ``parse_address`` reads it back."""

    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


def ip_of(host: str) -> IP | None:
    """Return a host as an IP address; None if it is a name."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def canonical_host(host: str) -> str:
    """Return the canonical spelling of a host name, onion address or IP address. Raises
    AddressError."""
    ip = ip_of(host)
    if ip is None:
        return _canonical_name(host)
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.scope_id is not None:
            raise AddressError(
                f"{host[:80]!a} names a network interface, which means nothing on another machine."
            )
        if ip.ipv4_mapped is not None:
            return str(ip.ipv4_mapped)
    return str(ip)


def _canonical_name(host: str) -> str:
    name = host.lower().removesuffix(".")
    labels = name.split(".")
    if (
        len(name) > MAX_HOST
        or not all(_LABEL.fullmatch(label) for label in labels)
        or labels[-1].isdigit()  # 1.2.3 is a mistyped address, not a name
    ):
        raise AddressError(f"{host[:80]!r} isn't a host name or an IP address.")
    if is_onion(name):
        _check_onion(name)
    return name


def is_onion(host: str) -> bool:
    """Return whether this host, in its canonical spelling, is an onion service. Connect to it only
    through Tor, and never look it up in the DNS (RFC 7686)."""
    return host.endswith(_ONION)


def onion_key(host: str) -> bytes:
    """Return the 32-byte key in an onion host name, which must have its 56 letters."""
    return base64.b32decode(host.removesuffix(_ONION).upper())[:_ONION_KEY]


def onion_host(key: bytes) -> str:
    """Return the host name of the onion service with this key, the inverse of `onion_key`."""
    checksum = hashlib.sha3_256(b".onion checksum" + key + _ONION_VERSION).digest()[:2]
    named = key + checksum + _ONION_VERSION
    return base64.b32encode(named).decode("ascii").lower() + _ONION


def _check_onion(name: str) -> None:
    """Raise AddressError for a name that no onion service can have. A subdomain, such as
    www.NAME.onion, would be useless here and is refused as well."""
    letters = name.removesuffix(_ONION)
    if not _ONION_LETTERS.fullmatch(letters):
        raise AddressError(
            f"{name[:80]!r} isn't an onion address; one has 56 letters and digits before .onion."
        )
    if base64.b32decode(letters.upper())[-1:] != _ONION_VERSION:
        raise AddressError(f"{name!r} is mistyped, or isn't a version 3 onion address.")
    if onion_host(onion_key(name)) != name:
        raise AddressError(f"{name!r} is mistyped: its checksum is wrong.")


def parse_address(text: str, default_port: int | None = None) -> Address:
    """Read ``host:port`` or ``[v6]:port``. The port may be left out if there is a default. It may
    be 0, with which a listener asks for any free port. Raises AddressError."""
    text = text.strip()
    if text.startswith("["):
        host, bracket, rest = text[1:].partition("]")
        if not bracket or (rest and not rest.startswith(":")):
            raise AddressError(f"{text[:80]!r} should look like [2001:db8::1]:4466.")
        port_text = rest[1:] if rest else None
    elif text.count(":") > 1:  # a bare IPv6 address: its last group isn't a port
        host, port_text = text, None
    else:
        host, colon, after = text.partition(":")
        port_text = after if colon else None
    address = canonical_host(host)
    if port_text is None:
        if default_port is None:
            like = Address(address if ":" in address else "host", DEFAULT_PORT)
            raise AddressError(f"{text[:80]!r} needs a port, like {like}.")
        return Address(address, default_port)
    if not re.fullmatch(r"[0-9]{1,5}", port_text, re.ASCII) or int(port_text) > LAST_PORT:
        raise AddressError(f"{port_text[:20]!r} isn't a port; ports are 0 to 65535.")
    return Address(address, int(port_text))


def check_usable(address: Address) -> None:
    """Raise AddressError if nobody can connect to this address: its host must be in its canonical
    spelling, and its port must not be 0."""
    host, port = address
    canonical = canonical_host(host)
    if canonical != host:
        raise AddressError(f"Write the host {host[:80]!a} as {canonical}.")
    if not 1 <= port <= LAST_PORT:
        raise AddressError(f"You can't connect to port {port}.")


# --- packed, for use in codes -------------------------------------------------------------------


_NAME, _HOME, _TEN, _SERVICE, _IPV4, _IPV6 = 0, 1, 2, 3, 4, 6
_PORT = 128
_TAIL = {_HOME: 2, _TEN: 3, _SERVICE: 32, _IPV4: 4, _IPV6: 16}
_FRONT = {_HOME: bytes((192, 168)), _TEN: bytes((10,)), _IPV4: b""}


class BadEncoding(ValueError):
    """The bytes don't encode addresses. The message says why, worded to follow a colon."""


def encode_addresses(addresses: Iterable[Address]) -> bytes:
    packed, before = b"", DEFAULT_PORT
    for host, port in addresses:
        kind, tail = _packed_host(host)
        if port == before:
            packed += bytes((kind,)) + tail
        else:
            packed += bytes((kind + _PORT,)) + tail + port.to_bytes(2, "big")
        before = port
    return packed


def decode_addresses(data: bytes) -> tuple[Address, ...]:
    """Decode 1 to 8 addresses, without checking their hosts. Raises BadEncoding."""
    reader, before = _Reader(data), DEFAULT_PORT
    found: list[Address] = []
    while reader.rest:
        if len(found) == MAX_ADDRESSES:
            raise BadEncoding(f"it contains more than {MAX_ADDRESSES} addresses")
        has_port, kind = divmod(reader.take(1)[0], _PORT)
        host = _unpacked_host(reader, kind)
        before = int.from_bytes(reader.take(2), "big") if has_port else before
        found.append(Address(host, before))
    if not found:
        raise BadEncoding("it contains no address")
    return tuple(found)


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.rest = data

    def take(self, count: int) -> bytes:
        if len(self.rest) < count:
            raise BadEncoding("it ends too early")
        taken, self.rest = self.rest[:count], self.rest[count:]
        return taken


def _packed_host(host: str) -> tuple[int, bytes]:
    ip = ip_of(host)
    if ip is None:
        if is_onion(host):
            return _SERVICE, onion_key(host)
        return _NAME, bytes((len(host),)) + host.encode("ascii")
    if ip.version == 6:
        return _IPV6, ip.packed
    for kind in (_HOME, _TEN):
        if ip.packed.startswith(_FRONT[kind]):
            return kind, ip.packed.removeprefix(_FRONT[kind])
    return _IPV4, ip.packed


def _unpacked_host(reader: _Reader, kind: int) -> str:
    if kind == _NAME:
        return reader.take(reader.take(1)[0]).decode("ascii", "replace")
    if kind not in _TAIL:
        raise BadEncoding(f"it has an address of the unknown kind {kind}")
    tail = reader.take(_TAIL[kind])
    if kind == _SERVICE:
        return onion_host(tail)
    if kind == _IPV6:
        return str(ipaddress.IPv6Address(tail))
    return str(ipaddress.IPv4Address(_FRONT[kind] + tail))
