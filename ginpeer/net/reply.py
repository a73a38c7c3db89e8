"""Reply codes: a guest whom nothing brings to its host says where it is itself (PROTOCOL 9.10).

# ginr1-aaaaaaaaaaaaaaaa-bbbbbbbbbbbbbbbb-... is "ginr", the version (one digit) and base32 (RFC
# 4648, lower case, no padding) of
#
#   guest                16 bytes: the hash of the guest's Ed25519 key
#   addresses            1 to 8, as packed.py has them, none of them a name
#   tag                  first 4 bytes of HMAC-SHA256 under the invite's secret, over both
#   checksum             first 4 bytes of SHA-256 over "ginr1" and all of the above
#
# The checksum finds what slipped in copying, the tag what answers another invite. Neither defends
# against anybody who has read the invite, and nothing rests on them: a reply makes the host open
# TCP connections to these addresses and say nothing there, and whoever answers has still to show
# the invite's proof over TLS (handshake.py). No names, since to look one up asks others.
"""

from __future__ import annotations

import hmac
import ipaddress
import re
from dataclasses import dataclass

from ginpeer.net.address import Address, canonical_host
from ginpeer.net.address_codec import MAX_ADDRESSES, BadEncoding, decode_addresses, encode_addresses
from ginpeer.net.invite import Invite
from ginpeer.net.pasted_code import BadCode, Slip, read_code, same_letters, write_code
from protocol.crypto.identity import KEY_HASH_BYTES, key_hash
from protocol.crypto.transcript import frame as framed

VERSION = 1
MAX_TEXT = 1024  # characters of a pasted code; the longest real one has 305

_TAG_BYTES = 4
_LABEL = re.compile(r"\s*reply\s*:", re.IGNORECASE)  # pasted with the line it stands in
_PIECE = re.compile(r"[\s>|]*[a-z2-7-]{16,}\s*", re.ASCII | re.IGNORECASE)  # a group at least
_WORD = "ginr"


class ReplyError(ValueError):
    """A text that is no usable reply; ``code`` is stable, ``sentence`` is for the host's player."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


@dataclass(frozen=True)
class Reply:
    """Where a guest can be dialled. ``str`` is the code, ``parse_reply`` reads it.

    ``guest`` is the hash of the guest's key (``key_hash``)."""

    guest: bytes
    addresses: tuple[Address, ...]
    tag: bytes

    def __post_init__(self) -> None:
        if len(self.guest) != KEY_HASH_BYTES or len(self.tag) != _TAG_BYTES:
            raise _damaged(f"a guest has {KEY_HASH_BYTES} bytes and a tag {_TAG_BYTES}")
        if not 1 <= len(self.addresses) <= MAX_ADDRESSES:
            raise ReplyError(
                "reply-addresses", f"A reply names 1 to {MAX_ADDRESSES} addresses of the guest."
            )
        for host, port in self.addresses:
            _check_address(host, port)

    @classmethod
    def to(cls, invite: Invite, guest_key: bytes, addresses: tuple[Address, ...]) -> Reply:
        """The reply to this invite of a guest with this key. Raises ReplyError."""
        guest = key_hash(guest_key)
        return cls(guest, addresses, _tag(invite.secret, guest, addresses))

    def answers(self, invite: Invite) -> bool:
        """Whether it was made for this invite."""
        return hmac.compare_digest(self.tag, _tag(invite.secret, self.guest, self.addresses))

    def __str__(self) -> str:
        payload = self.guest + encode_addresses(self.addresses) + self.tag
        return write_code(_WORD, VERSION, payload)


def is_reply(line: str) -> bool:
    """Whether a line that was typed is meant as a reply, whatever is wrong with it."""
    return re.match(r"\s*(reply\s*:|ginr[0-9])", line, re.IGNORECASE) is not None


class BrokenReply:
    """The lines into which a chat has broken a reply, pasted one after the other."""

    def __init__(self) -> None:
        self._begun = ""

    def goes_on(self, line: str) -> bool:
        """Whether this line is more of the reply that was begun. A word that can be typed at a
        table may look like a piece; so a short one is only what makes the code whole."""
        if not self._begun or is_reply(line):
            return False
        if _PIECE.fullmatch(line):
            return True
        try:
            parse_reply(self._begun + line)
        except ReplyError:
            return False
        return True

    def take(self, line: str) -> Reply:
        """The reply with this line, which is its whole, its beginning or more of it. Raises
        ReplyError, where it is not whole yet, too."""
        text = self._begun + line if self.goes_on(line) else line
        self._begun = ""
        try:
            return parse_reply(text)
        except ReplyError as error:
            if error.code == "reply-checksum":
                self._begun = text
            raise


def parse_reply(text: str) -> Reply:
    """Read a pasted code, with ``reply:`` before it or without, or raise ReplyError.

    Its codes: ``reply-unreadable`` (no reply at all), ``reply-too-new``, ``reply-checksum``
    (mistyped or cut off), ``reply-damaged`` (sound letters, senseless content),
    ``reply-addresses`` (no address that can be dialled).
    """
    if len(text) > MAX_TEXT:
        raise ReplyError("reply-unreadable", "This text is far too long for a reply.")
    code = _LABEL.sub("", text, count=1)
    try:
        payload = read_code(_WORD, VERSION, code)
    except BadCode as error:
        raise _refusal(error) from None
    reply = _decode_payload(payload)
    if same_letters(str(reply)) != same_letters(code):
        raise _damaged("it spells an address in another way than replies do")
    return reply


def _refusal(error: BadCode) -> ReplyError:
    match error.slip:
        case Slip.NO_CODE:
            return ReplyError("reply-unreadable", "This is no reply; one begins with ginr1-.")
        case Slip.OTHER_VERSION:
            return ReplyError(
                "reply-too-new",
                "This reply is of another version than this program knows; "
                "both players need the same ginpeer.",
            )
        case Slip.OTHER_LETTERS:
            return ReplyError(
                "reply-unreadable",
                "A reply holds only the letters a to z and the digits 2 to 7, not "
                f"{error.letter!a}.",
            )
        case Slip.MISTYPED:
            return _mistyped()


def _tag(secret: bytes, guest: bytes, addresses: tuple[Address, ...]) -> bytes:
    message = (
        framed("ginpeer/v1", b"reply")
        + framed("guest", guest)
        + framed("addresses", encode_addresses(addresses))
    )
    return hmac.digest(secret, message, "sha256")[:_TAG_BYTES]


def _decode_payload(payload: bytes) -> Reply:
    guest, tag = payload[:KEY_HASH_BYTES], payload[-_TAG_BYTES:]
    try:
        return Reply(guest, decode_addresses(payload[KEY_HASH_BYTES:-_TAG_BYTES]), tag)
    except BadEncoding as error:
        raise _damaged(str(error)) from None


def _check_address(host: str, port: int) -> None:
    try:
        ip = ipaddress.ip_address(canonical_host(host))
    except ValueError:  # or AddressError, which is one
        raise ReplyError("reply-addresses", f"The reply names {host!a}, no IP address.") from None
    if str(ip) != host:
        raise ReplyError("reply-addresses", f"The address {host!a} should be written {ip}.")
    if ip.is_unspecified or ip.is_multicast:
        raise ReplyError("reply-addresses", f"The reply names {host}, which is no one machine.")
    if port == 0:
        raise ReplyError("reply-addresses", "The reply names port 0; there is none such.")


def _mistyped() -> ReplyError:
    return ReplyError(
        "reply-checksum",
        "The reply is mistyped or cut off. If it was sent in several lines, paste the others as "
        "well; if not, copy the whole of it once more.",
    )


def _damaged(what: str) -> ReplyError:
    return ReplyError("reply-damaged", f"The reply makes no sense: {what}.")
