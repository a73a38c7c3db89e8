"""Addresses in few bytes, for codes that are pasted (PROTOCOL 9.5).

# An address is one byte, its kind, with 128 added where a port follows; then
#
#   kind 0   a host name: its length (1 byte), then its letters
#   kind 1   192.168.x.y: x and y          kind 2   10.x.y.z: x, y and z
#   kind 3   an onion service of version 3: its key of 32 bytes
#   kind 4   any other IPv4 address        kind 6   an IPv6 address of 16 bytes
#
# then the port, 2 bytes, big endian. Without one it has the port of the address before, the first
# of all 4466. What can be said shorter is not said longer, so each list has one spelling.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable

from ginpeer.net.address import DEFAULT_PORT, Address, is_onion, onion_host, onion_key

MAX_ADDRESSES = 8

_NAME, _HOME, _TEN, _ONION, _IPV4, _IPV6 = 0, 1, 2, 3, 4, 6
_PORT = 128
_TAIL = {_HOME: 2, _TEN: 3, _ONION: 32, _IPV4: 4, _IPV6: 16}
_FRONT = {_HOME: bytes((192, 168)), _TEN: bytes((10,)), _IPV4: b""}


class BadEncoding(ValueError):
    """The bytes aren't addresses; the text says why, to stand after a colon."""


def encode_addresses(addresses: Iterable[Address]) -> bytes:
    """Return the bytes of these addresses, in their order."""
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
    """Return the 1 to 8 addresses in these bytes, without checking hosts. Raises BadEncoding."""
    reader, before = _Reader(data), DEFAULT_PORT
    found: list[Address] = []
    while reader.rest:
        if len(found) == MAX_ADDRESSES:
            raise BadEncoding(f"it names more than {MAX_ADDRESSES} addresses")
        has_port, kind = divmod(reader.take(1)[0], _PORT)
        host = _unpacked_host(reader, kind)
        before = int.from_bytes(reader.take(2), "big") if has_port else before
        found.append(Address(host, before))
    if not found:
        raise BadEncoding("it names no address")
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
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        if is_onion(host):
            return _ONION, onion_key(host)
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
        raise BadEncoding(f"it has an address of kind {kind}")
    tail = reader.take(_TAIL[kind])
    if kind == _ONION:
        return onion_host(tail)
    if kind == _IPV6:
        return str(ipaddress.IPv6Address(tail))
    return str(ipaddress.IPv4Address(_FRONT[kind] + tail))
