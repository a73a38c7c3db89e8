"""Invites and replies: codes that players send each other over a chat (WIRE 9.5, 9.10).

An invite contains everything that a guest needs to find a host and to be admitted. A reply says
where to find a guest that couldn't reach its host. It contains only IP addresses, since looking up
a name means asking other servers. "gin" or "ginr" is followed by the version (one digit), then
base32.
Case, dashes, spaces and line breaks are ignored. The checksum catches copying mistakes; it isn't
there for security.

Players mistype long codes, so a code contains only a hash of the key: finding another key with that
hash takes 2^128 attempts. The secret has 80 bits and is meant for one evening. An attacker can test
guesses only by connecting to the host (handshake.py), or against a reply to the invite, which takes
2^80 hashes. The first person to use an invite takes the guest's place: keep it as private as the
game itself.

A reply's tag shows which invite it answers. Nothing else depends on the tag: a reply only makes the
host open TCP connections to its addresses without sending anything, and the machine that answers
still has to show the invite's proof over TLS (handshake.py).
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import ipaddress
import re
from dataclasses import dataclass, field

from ginpeer.net.address import (
    MAX_ADDRESSES,
    Address,
    AddressError,
    BadEncoding,
    canonical_host,
    check_usable,
    decode_addresses,
    encode_addresses,
)
from protocol.codes import CodedError
from protocol.crypto.hashing import frame as framed
from protocol.crypto.identity import KEY_HASH_BYTES, key_hash

SECRET_BYTES = 10
MAX_INVITE = 8192  # characters of a pasted invite; the largest real one has about 4,000
MAX_REPLY = 1024  # characters of a pasted reply; the longest real one has 305

_TAG_BYTES = 4
_CHECKSUM_BYTES = 4
_GROUP = 16
_DASHES = r"\-\u2010-\u2015\u2212\ufe58\ufe63\uff0d"  # mail programs and keyboards change them
_SEPARATORS = re.compile(rf"[\s{_DASHES}\u200b\u2060\ufeff>|]+")
_BASE32 = re.compile(r"[a-z2-7]*", re.ASCII)
# Marks that mail and chat programs put before and after a line.
OPENING = r"[\s<(\[\"'`*>|\u200b\u2060\ufeff]*"
_CLOSING = r"[\s>)\]\"'`*.,;!]"
CLOSING = re.compile(rf"(?<!{_CLOSING}){_CLOSING}+$")  # the lookbehind keeps the time linear
_LABEL = re.compile(rf"{OPENING}(reply\s*:{OPENING})?", re.IGNORECASE)  # pasted before the code
# At least one group of a code.
_PIECE = re.compile(rf"[\s>|]*[a-z2-7{_DASHES}]{{16,}}\s*", re.ASCII | re.IGNORECASE)


class CodeError(CodedError, ValueError):
    """The text isn't a usable code."""


class InviteError(CodeError):
    """The text isn't a usable invite."""


class ReplyError(CodeError):
    """The text isn't a usable reply."""


@dataclass(frozen=True)
class Invite:
    """What a host sends a guest over a chat. ``str`` returns the code, and ``parse_invite`` reads
    it. ``host`` is the hash of the host's key."""

    host: bytes
    secret: bytes = field(repr=False)
    addresses: tuple[Address, ...]

    def __post_init__(self) -> None:
        if len(self.host) != KEY_HASH_BYTES or len(self.secret) != SECRET_BYTES:
            raise _INVITE.damaged(f"a host has {KEY_HASH_BYTES} bytes and a secret {SECRET_BYTES}")
        if not 1 <= len(self.addresses) <= MAX_ADDRESSES:
            raise InviteError(
                "invite-addresses",
                f"An invite contains 1 to {MAX_ADDRESSES} addresses of the host.",
            )
        for address in self.addresses:
            try:
                check_usable(address)
            except AddressError as error:
                raise InviteError(
                    "invite-addresses", f"The invite contains an invalid address: {error}"
                ) from None

    @classmethod
    def of(cls, host_key: bytes, secret: bytes, addresses: tuple[Address, ...]) -> Invite:
        return cls(key_hash(host_key), secret, addresses)

    @property
    def has_secret(self) -> bool:
        """Whether a host made this invite; otherwise we made it, for a host that expects us."""
        return self.secret != bytes(SECRET_BYTES)

    def __str__(self) -> str:
        return _INVITE.write(self.host + self.secret + encode_addresses(self.addresses))


@dataclass(frozen=True)
class Reply:
    """The addresses at which a guest can be dialled. ``str`` returns the code, and ``parse_reply``
    reads it. ``guest`` is the hash of the guest's key."""

    guest: bytes
    addresses: tuple[Address, ...]
    tag: bytes

    def __post_init__(self) -> None:
        for host, port in self.addresses:
            _check_address(host, port)

    @classmethod
    def to(cls, invite: Invite, guest_key: bytes, addresses: tuple[Address, ...]) -> Reply:
        """Return the reply to this invite from the guest with this key. Raises ReplyError."""
        guest = key_hash(guest_key)
        return cls(guest, addresses, _tag(invite.secret, guest, addresses))

    def answers(self, invite: Invite) -> bool:
        return hmac.compare_digest(self.tag, _tag(invite.secret, self.guest, self.addresses))

    def __str__(self) -> str:
        return _REPLY.write(self.guest + encode_addresses(self.addresses) + self.tag)


def is_invite(line: str) -> bool:
    """Return whether a typed line is meant as an invite, even if it is damaged."""
    return re.match(rf"{OPENING}(invite\s*:|gin[0-9][{_DASHES}])", line, re.IGNORECASE) is not None


def is_reply(line: str) -> bool:
    """Return whether a typed line is meant as a reply, even if it is damaged."""
    return re.match(rf"{OPENING}(reply\s*:|ginr[0-9])", line, re.IGNORECASE) is not None


def parse_invite(text: str) -> Invite:
    """Read a pasted code. Raises InviteError."""
    payload = _INVITE.read(text)
    host, rest = payload[:KEY_HASH_BYTES], payload[KEY_HASH_BYTES:]
    try:
        invite = Invite(host, rest[:SECRET_BYTES], decode_addresses(rest[SECRET_BYTES:]))
    except BadEncoding as error:
        raise _INVITE.damaged(str(error)) from None
    if bare_letters(str(invite)) != bare_letters(text):  # a host spelt differently
        raise _INVITE.damaged("an address isn't in the form that invites use")
    return invite


def parse_reply(text: str) -> Reply:
    """Read a pasted code, with or without ``reply:`` before it. Raises ReplyError."""
    code = _LABEL.sub("", text, count=1) if len(text) <= MAX_REPLY else text
    payload = _REPLY.read(code)
    guest, tag = payload[:KEY_HASH_BYTES], payload[-_TAG_BYTES:]
    try:
        reply = Reply(guest, decode_addresses(payload[KEY_HASH_BYTES:-_TAG_BYTES]), tag)
    except BadEncoding as error:
        raise _REPLY.damaged(str(error)) from None
    if bare_letters(str(reply)) != bare_letters(code):
        raise _REPLY.damaged("an address isn't in the form that replies use")
    return reply


class PartialInvite:
    """An invite that a chat or mail program has split into lines, pasted one after the other. At
    most MAX_INVITE characters are kept."""

    def __init__(self) -> None:
        self._begun = ""

    @property
    def begun(self) -> bool:
        """Whether an invite has been started and isn't complete yet."""
        return bool(self._begun)

    def accepts_more(self, line: str) -> bool:
        """Return whether this line may continue the invite that was started. The first line of
        another invite may not, because it contains a 1."""
        letters = bare_letters(line)
        return self.begun and bool(letters and _BASE32.fullmatch(letters))

    def take(self, line: str) -> Invite:
        """Add a whole invite, its beginning, or its next line. Return the invite once it is
        complete; until then raise InviteError."""
        text = f"{self._begun}{line}\n" if self.accepts_more(line) else f"{line}\n"
        self._begun = ""
        try:
            return parse_invite(text)
        except InviteError as error:
            if error.code == "invite-checksum":
                self._begun = text
            raise


class PartialReply:
    """A reply that a chat program has split into lines, pasted one after the other."""

    def __init__(self) -> None:
        self._begun = ""

    def accepts_more(self, line: str) -> bool:
        """Return whether this line continues the reply that was started. Since a command may look
        like a piece of a reply, a short line does so only if it completes the code."""
        if not self._begun or is_reply(line):
            return False
        if _PIECE.fullmatch(line):
            return True
        try:
            parse_reply(CLOSING.sub("", self._begun + line))
        except ReplyError:
            return False
        return True

    def take(self, line: str) -> Reply:
        """Add a whole reply, its beginning, or its next line. Return the reply once it is complete;
        until then raise ReplyError."""
        text = CLOSING.sub("", self._begun + line if self.accepts_more(line) else line)
        self._begun = ""
        try:
            return parse_reply(text)
        except ReplyError as error:
            if error.code == "reply-checksum":
                self._begun = text
            raise


def bare_letters(text: str) -> str:
    """Return pasted text in lower case, without the separators that a code ignores."""
    return _SEPARATORS.sub("", text).lower()


@dataclass(frozen=True)
class _Form:
    """One kind of code: how it is written and read, and the errors for unusable text."""

    name: str
    article: str
    word: str
    error: type[CodeError]
    longest: int
    mistyped: str
    remedy: str = ""  # what to do about an invalid code from the sender's program

    @property
    def prefix(self) -> str:
        return f"{self.word}1"

    def write(self, payload: bytes) -> str:
        """Return the code for this payload: ``gin1-aaaaaaaaaaaaaaaa-...``."""
        text = _letters(payload + self._checksum(payload))
        return "-".join((self.prefix, *(text[i : i + _GROUP] for i in range(0, len(text), _GROUP))))

    def read(self, text: str) -> bytes:
        """Return the payload of a pasted code. Raises ``error``."""
        kind = f"{self.article} {self.name}"
        if len(text) > self.longest:
            raise self._unreadable(f"This text is far too long to be {kind}.")
        match = re.fullmatch(rf"{self.word}([1-9])(.*)", bare_letters(text), re.DOTALL)
        if match is None:
            raise self._unreadable(f"That isn't {kind} (they start with {self.prefix}-).")
        if match[1] != "1":
            raise self.error(
                f"{self.name}-too-new",
                f"This {self.name} needs a different version of ginpeer; both players need the "
                "same version.",
            )
        letters = match[2]
        if not _BASE32.fullmatch(letters):
            wrong = next(letter for letter in letters if not _BASE32.fullmatch(letter))
            raise self._unreadable(
                f"After {self.prefix}-, {kind} contains only the letters a to z and the digits 2 "
                f"to 7, not {wrong!a}."
            )
        mistyped = self.error(f"{self.name}-checksum", self.mistyped)
        try:
            data = base64.b32decode(letters.upper() + "=" * (-len(letters) % 8))
        except ValueError:  # not a possible length of base32
            raise mistyped from None
        payload, checksum = data[:-_CHECKSUM_BYTES], data[-_CHECKSUM_BYTES:]
        # No checksum covers the spare bits of the last letter.
        if self._checksum(payload) != checksum or _letters(data) != letters:
            raise mistyped
        return payload

    def damaged(self, what: str) -> CodeError:
        """Return the error for a code that was copied correctly but is invalid."""
        return self.error(
            f"{self.name}-damaged", f"The {self.name} is invalid: {what}.{self.remedy}"
        )

    def _unreadable(self, sentence: str) -> CodeError:
        return self.error(f"{self.name}-unreadable", sentence)

    def _checksum(self, payload: bytes) -> bytes:
        return hashlib.sha256(self.prefix.encode("ascii") + payload).digest()[:_CHECKSUM_BYTES]


_INVITE = _Form(
    "invite",
    "an",
    "gin",
    InviteError,
    MAX_INVITE,
    "The invite is mistyped or cut off; copy all of it again.",
    " Both players need the same version of ginpeer.",
)
_REPLY = _Form(
    "reply",
    "a",
    "ginr",
    ReplyError,
    MAX_REPLY,
    "The reply is mistyped or cut off. If it was sent in several lines, paste the others as "
    "well; otherwise copy all of it again.",
)


def _letters(data: bytes) -> str:
    return base64.b32encode(data).decode("ascii").rstrip("=").lower()


def _tag(secret: bytes, guest: bytes, addresses: tuple[Address, ...]) -> bytes:
    message = (
        framed("ginpeer/v1", b"reply")
        + framed("guest", guest)
        + framed("addresses", encode_addresses(addresses))
    )
    return hmac.digest(secret, message, "sha256")[:_TAG_BYTES]


def _check_address(host: str, port: int) -> None:
    try:
        ip = ipaddress.ip_address(canonical_host(host))
    except ValueError:  # or AddressError, which is one
        raise ReplyError(
            "reply-addresses", f"The reply contains {host!a}, which isn't an IP address."
        ) from None
    if str(ip) != host:
        raise ReplyError("reply-addresses", f"Write the address {host!a} as {ip}.")
    if ip.is_unspecified or ip.is_multicast or host == "255.255.255.255":
        raise ReplyError(
            "reply-addresses", f"The reply contains {host}, which isn't the address of one machine."
        )
    if port == 0:
        raise ReplyError("reply-addresses", "Port 0 isn't a valid port.")
