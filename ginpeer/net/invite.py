"""Invites: all that a guest needs to find a host and to be let in, as one code (PROTOCOL 9.5).

# gin1-aaaaaa-bbbbbb-... is "gin", the version (one digit) and base32 (RFC 4648, lower case, no
# padding) of
#
#   host's Ed25519 key   32 bytes
#   secret               16 bytes
#   count of addresses    1 byte, 1 .. 8
#   each address          kind, host, port (2 bytes, big endian)
#                         kind 4: 4 bytes; kind 6: 16 bytes; kind 0: length (1 byte) and name
#   checksum              first 4 bytes of SHA-256 over "gin1" and all of the above
#
# The checksum finds what slipped in copying; it defends against nobody. A code travels over
# chats and phone calls, so case, dashes, spaces and line breaks do not count. Whoever reads
# the code first can take the guest's place once: it is as private as the game itself.
"""

from __future__ import annotations

import base64
import hashlib
import ipaddress
import re
from dataclasses import dataclass, field

from ginpeer.net.address import MAX_ADDRESSES, Address, AddressError, canonical_host
from protocol.crypto.identity import BadPublicKey, check_public_key

VERSION = 1
KEY_BYTES = 32
SECRET_BYTES = 16
MAX_TEXT = 8192  # characters of a pasted code; the largest real one has about 4,000

_CHECKSUM_BYTES = 4
_GROUP = 6
_NAME, _IPV4, _IPV6 = 0, 4, 6
_SEPARATORS = re.compile(r"[\s\-\u2010-\u2015\u200b\u2060\ufeff>|]+")  # with what mail adds
_CODE = re.compile(r"gin([1-9])(.*)", re.DOTALL)
_BASE32 = re.compile(r"[a-z2-7]*", re.ASCII)


class InviteError(ValueError):
    """A text that is no usable invite; ``code`` is stable, ``sentence`` is for the player."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


@dataclass(frozen=True)
class Invite:
    """What a host tells a guest out of band. ``str`` is the code, ``parse_invite`` reads it."""

    host_key: bytes
    secret: bytes = field(repr=False)
    addresses: tuple[Address, ...]
    version: int = VERSION

    def __post_init__(self) -> None:
        if self.version != VERSION:
            raise _too_new()
        if len(self.host_key) != KEY_BYTES or len(self.secret) != SECRET_BYTES:
            raise _damaged("a key has 32 bytes and a secret 16")
        try:
            check_public_key(self.host_key)
        except BadPublicKey as error:
            raise _damaged(str(error)) from error
        if not 1 <= len(self.addresses) <= MAX_ADDRESSES:
            raise InviteError(
                "invite-addresses", f"An invite names 1 to {MAX_ADDRESSES} addresses of the host."
            )
        for host, port in self.addresses:
            _check_address(host, port)

    def __str__(self) -> str:
        payload = b"".join(
            (
                self.host_key,
                self.secret,
                bytes([len(self.addresses)]),
                *(_encode_address(host, port) for host, port in self.addresses),
            )
        )
        text = _letters(payload + _checksum(payload))
        groups = (text[i : i + _GROUP] for i in range(0, len(text), _GROUP))
        return "-".join((f"gin{self.version}", *groups))


def parse_invite(text: str) -> Invite:
    """Read a pasted code, or raise InviteError.

    Its codes: ``invite-unreadable`` (no invite at all), ``invite-too-new``, ``invite-checksum``
    (mistyped or cut off), ``invite-damaged`` (sound letters, senseless content),
    ``invite-addresses`` (no address that a guest could try).
    """
    if len(text) > MAX_TEXT:
        raise InviteError("invite-unreadable", "This text is far too long for an invite.")
    match = _CODE.fullmatch(_SEPARATORS.sub("", text).lower())
    if match is None:
        raise InviteError("invite-unreadable", "This is no invite; one begins with gin1-.")
    version, letters = int(match[1]), match[2]
    if version != VERSION:
        raise _too_new()
    if not _BASE32.fullmatch(letters):
        wrong = next(letter for letter in letters if not _BASE32.fullmatch(letter))
        raise InviteError(
            "invite-unreadable",
            f"An invite holds only the letters a to z and the digits 2 to 7, not {wrong!a}.",
        )
    try:
        data = base64.b32decode(letters.upper() + "=" * (-len(letters) % 8))
    except ValueError:  # a length that no number of bytes gives
        raise _mistyped() from None
    payload, checksum = data[:-_CHECKSUM_BYTES], data[-_CHECKSUM_BYTES:]
    if _checksum(payload) != checksum:
        raise _mistyped()
    if _letters(data) != letters:  # the spare bits of the last letter, which no sum covers
        raise _mistyped()
    invite = _decode_payload(payload)
    if _SEPARATORS.sub("", str(invite)) != match[0]:  # a host in another spelling
        raise _damaged("it spells an address in another way than invites do")
    return invite


def _letters(data: bytes) -> str:
    return base64.b32encode(data).decode("ascii").rstrip("=").lower()


def _checksum(payload: bytes) -> bytes:
    return hashlib.sha256(b"gin%d" % VERSION + payload).digest()[:_CHECKSUM_BYTES]


def _decode_payload(payload: bytes) -> Invite:
    reader = _Reader(payload)
    key, secret = reader.take(KEY_BYTES), reader.take(SECRET_BYTES)
    count = reader.take(1)[0]
    if not 1 <= count <= MAX_ADDRESSES:
        raise _damaged(f"it names {count} addresses")
    addresses = tuple(_decode_address(reader) for _ in range(count))
    if reader.rest:
        raise _damaged("there is something behind its end")
    return Invite(key, secret, addresses)


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.rest = data

    def take(self, count: int) -> bytes:
        if len(self.rest) < count:
            raise _damaged("it ends too early")
        taken, self.rest = self.rest[:count], self.rest[count:]
        return taken


def _encode_address(host: str, port: int) -> bytes:
    tail = port.to_bytes(2, "big")
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        return bytes([_NAME, len(host)]) + host.encode("ascii") + tail
    return bytes([ip.version]) + ip.packed + tail


def _decode_address(reader: _Reader) -> Address:
    kind = reader.take(1)[0]
    if kind == _IPV4:
        host = str(ipaddress.IPv4Address(reader.take(4)))
    elif kind == _IPV6:
        host = str(ipaddress.IPv6Address(reader.take(16)))
    elif kind == _NAME:
        host = reader.take(reader.take(1)[0]).decode("ascii", "replace")
    else:
        raise _damaged(f"it has an address of kind {kind}")
    return Address(host, int.from_bytes(reader.take(2), "big"))


def _check_address(host: str, port: int) -> None:
    try:
        canonical = canonical_host(host)
    except AddressError as error:
        raise InviteError("invite-addresses", f"The invite names no usable host: {error}") from None
    if canonical != host:
        raise InviteError("invite-addresses", f"The host {host!a} should be written {canonical}.")
    if not 1 <= port <= 0xFFFF:
        raise InviteError("invite-addresses", f"The invite names port {port}; there is none such.")


def _too_new() -> InviteError:
    return InviteError(
        "invite-too-new",
        "This invite is of another version than this program knows; "
        "both players need the same ginpeer.",
    )


def _mistyped() -> InviteError:
    return InviteError(
        "invite-checksum", "The invite is mistyped or cut off; copy the whole of it once more."
    )


def _damaged(what: str) -> InviteError:
    return InviteError("invite-damaged", f"The invite makes no sense: {what}.")
