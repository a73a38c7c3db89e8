"""STUN messages, by which we ask a server what our address looks like from outside (RFC 8489).

This covers only a binding request without attributes, and XOR-MAPPED-ADDRESS in its answer. It is
pure; stun_client.py does the I/O. A server may lie: the address is only its claim, and a wrong one
only takes up a place in a code.
"""

from __future__ import annotations

import binascii
import ipaddress
from collections.abc import Iterator

from ginpeer.net.address import Address, AddressError, check_usable, parse_address
from protocol.codes import CodedError

DEFAULT_STUN_PORT = 3478
MAX_SERVERS = 32
HEADER_BYTES = 20
TRANSACTION_BYTES = 12
MAX_MESSAGE = 1280  # what fits into any packet (RFC 8489, 6.1); answers to us are much shorter

_REQUEST, _SUCCESS, _ERROR = 0x0001, 0x0101, 0x0111
_COOKIE = 0x2112A442
_MAPPED, _XOR_MAPPED, _ERROR_CODE, _FINGERPRINT = 0x0001, 0x0020, 0x0009, 0x8028
_OPTIONAL = 0x8000  # attributes from here up may be ignored
_FINGERPRINT_XOR = 0x5354554E
_IPV4, _IPV6 = 1, 2
# Old servers add their own addresses (RFC 3489: SOURCE-ADDRESS, CHANGED-ADDRESS). MESSAGE-INTEGRITY
# is for clients that share a password with the server.
_HARMLESS = frozenset({_MAPPED, 0x0004, 0x0005, 0x0008, 0x001C})


class StunError(CodedError):
    """A STUN server has named no usable address."""


def parse_servers(text: str) -> tuple[Address, ...]:
    """Read a list of 1 to MAX_SERVERS servers: one HOST or HOST:PORT per line, with comments after
    a #. Raises AddressError."""
    servers = []
    for number, line in enumerate(text.splitlines(), 1):
        named = line.partition("#")[0].strip()
        if not named:
            continue
        try:
            server = parse_address(named, DEFAULT_STUN_PORT)
            check_usable(server)
        except AddressError as error:
            raise AddressError(f"Line {number}: {error.sentence}") from error
        servers.append(server)
    if not 1 <= len(servers) <= MAX_SERVERS:
        raise AddressError(
            f"A list must contain 1 to {MAX_SERVERS} servers; this one has {len(servers)}."
        )
    return tuple(dict.fromkeys(servers))


def encode_binding_request(transaction: bytes) -> bytes:
    """Encode a binding request. *transaction*: 12 fresh random bytes."""
    if len(transaction) != TRANSACTION_BYTES:
        raise ValueError(f"a transaction has {TRANSACTION_BYTES} bytes")
    return _REQUEST.to_bytes(2, "big") + bytes(2) + _COOKIE.to_bytes(4, "big") + transaction


def message_length(header: bytes) -> int:
    """Return the length of the message that begins with these 20 bytes. Raises StunError."""
    length = int.from_bytes(header[2:4], "big")
    if length % 4 or int.from_bytes(header[4:8], "big") != _COOKIE:
        raise _malformed("it has no STUN header")
    if HEADER_BYTES + length > MAX_MESSAGE:
        raise _malformed("it is too long")
    return HEADER_BYTES + length


def read_mapped_address(message: bytes, transaction: bytes) -> Address:
    """Return the address in the answer to the request with this transaction. Raises StunError."""
    if len(message) != message_length(message[:HEADER_BYTES]):
        raise _malformed("its length is wrong")
    if message[8:HEADER_BYTES] != transaction:
        raise StunError("stun-stray", "The STUN server answered a different question.")
    kind = int.from_bytes(message[:2], "big")
    if kind not in (_SUCCESS, _ERROR):
        raise _malformed("its message type is wrong")
    found = None
    for attribute, value, at in _attributes(message):
        if attribute == _FINGERPRINT:
            _check_fingerprint(message, value, at)
        elif attribute == _ERROR_CODE and kind == _ERROR:
            raise _refused(value)
        elif attribute == _XOR_MAPPED:
            found = found or _address(value, message[4:HEADER_BYTES])
        elif attribute < _OPTIONAL and attribute not in _HARMLESS:
            raise _malformed("it requires something that ginpeer doesn't support")  # section 6.3.3
    if kind == _ERROR:
        raise _refused(b"")
    if found is None:
        raise _malformed("it contains no address")
    return found


def _attributes(message: bytes) -> Iterator[tuple[int, bytes, int]]:
    """Yield each attribute's type, its value, and its offset."""
    at = HEADER_BYTES
    while at < len(message):
        kind = int.from_bytes(message[at : at + 2], "big")
        length = int.from_bytes(message[at + 2 : at + 4], "big")
        end = at + 4 + length
        if end > len(message):
            raise _malformed("it ends too early")
        yield kind, message[at + 4 : end], at
        at = end + -length % 4


def _check_fingerprint(message: bytes, value: bytes, at: int) -> None:
    """Check the last attribute, the CRC-32 of everything before it (section 14.7)."""
    expected = binascii.crc32(message[:at]) ^ _FINGERPRINT_XOR
    if at + 8 != len(message) or value != expected.to_bytes(4, "big"):
        raise _malformed("its fingerprint is wrong")


def _address(value: bytes, mask: bytes) -> Address:
    """Read XOR-MAPPED-ADDRESS (section 14.2). *mask*: cookie and transaction."""
    size = {_IPV4: 4, _IPV6: 16}.get(value[1]) if len(value) > 4 else None
    if size is None or len(value) != 4 + size:
        raise _malformed("its address has the wrong format")
    port = int.from_bytes(value[2:4], "big") ^ (_COOKIE >> 16)
    packed = bytes(x ^ y for x, y in zip(value[4:], mask, strict=False))
    ip = ipaddress.ip_address(packed)
    if isinstance(ip, ipaddress.IPv6Address) and ip.ipv4_mapped is not None:
        ip = ip.ipv4_mapped
    if ip.is_unspecified or ip.is_multicast or port == 0:
        raise StunError(
            "stun-no-address", f"The STUN server says {ip}, which isn't the address of one machine."
        )
    return Address(str(ip), port)


def _refused(value: bytes) -> StunError:
    number = f" (error {value[2] % 8 * 100 + value[3] % 100})" if len(value) >= 4 else ""
    return StunError("stun-refused", f"The STUN server refused to tell us our address{number}.")


def _malformed(what: str) -> StunError:
    return StunError("stun-malformed", f"The STUN server's answer is invalid: {what}.")
