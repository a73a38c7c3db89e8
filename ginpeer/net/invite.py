"""Invites: all that a guest needs to find a host and to be let in, as one code (PROTOCOL 9.5).

# gin1-aaaaaaaaaaaaaaaa-bbbbbbbbbbbbbbbb-... is "gin", the version (one digit) and base32 (RFC 4648,
# lower case, no padding) of
#
#   host                 16 bytes: the hash of the host's Ed25519 key
#   secret               10 bytes
#   addresses            1 to 8, as packed.py has them
#   checksum              first 4 bytes of SHA-256 over "gin1" and all of the above
#
# A hash in place of the key, since a code is short or it is mistyped: another key of the same hash
# takes 2^128 attempts. 80 bits of secret, since it is good for one evening and can be tried at the
# host alone (handshake.py), or by whoever has a reply to it: 2^80 hashes (reply.py).
# The checksum finds what slipped in copying; it defends against nobody. A code travels over
# chats and phone calls, so case, dashes, spaces and line breaks do not count. Whoever reads
# the code first can take the guest's place once: it is as private as the game itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ginpeer.net.address import Address, AddressError, check_usable
from ginpeer.net.address_codec import MAX_ADDRESSES, BadEncoding, decode_addresses, encode_addresses
from ginpeer.net.pasted_code import BadCode, Slip, read_code, same_letters, write_code
from protocol.crypto.identity import KEY_HASH_BYTES, key_hash

VERSION = 1
SECRET_BYTES = 10
MAX_TEXT = 8192  # characters of a pasted code; the largest real one has about 4,000

_WORD = "gin"
_LETTERS = re.compile(r"[a-z2-7]+", re.ASCII)


class InviteError(ValueError):
    """A text that is no usable invite; ``code`` is stable, ``sentence`` is for the player."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


@dataclass(frozen=True)
class Invite:
    """What a host tells a guest out of band. ``str`` is the code, ``parse_invite`` reads it.

    ``host`` is the hash of the host's key (``key_hash``)."""

    host: bytes
    secret: bytes = field(repr=False)
    addresses: tuple[Address, ...]
    version: int = VERSION

    def __post_init__(self) -> None:
        if self.version != VERSION:
            raise _too_new()
        if len(self.host) != KEY_HASH_BYTES or len(self.secret) != SECRET_BYTES:
            raise _damaged(f"a host has {KEY_HASH_BYTES} bytes and a secret {SECRET_BYTES}")
        if not 1 <= len(self.addresses) <= MAX_ADDRESSES:
            raise InviteError(
                "invite-addresses", f"An invite names 1 to {MAX_ADDRESSES} addresses of the host."
            )
        for address in self.addresses:
            try:
                check_usable(address)
            except AddressError as error:
                raise InviteError(
                    "invite-addresses", f"The invite names an address that is none: {error}"
                ) from None

    @classmethod
    def of(cls, host_key: bytes, secret: bytes, addresses: tuple[Address, ...]) -> Invite:
        """The invite of a host with this key."""
        return cls(key_hash(host_key), secret, addresses)

    def __str__(self) -> str:
        payload = self.host + self.secret + encode_addresses(self.addresses)
        return write_code(_WORD, self.version, payload)


def is_invite(line: str) -> bool:
    """Whether a line that was typed is meant as an invite, whatever is wrong with it."""
    return re.match(r"\s*(invite\s*:|gin[0-9]-)", line, re.IGNORECASE) is not None


class BrokenInvite:
    """The lines into which a chat or a mail has broken an invite, pasted one after the other. No
    more than MAX_TEXT characters are kept."""

    def __init__(self) -> None:
        self._begun = ""

    @property
    def begun(self) -> bool:
        """Whether there are lines of an invite that is not whole yet."""
        return bool(self._begun)

    def goes_on(self, line: str) -> bool:
        """Whether this line may be more of the invite that was begun."""
        begins = same_letters(line).startswith(f"{_WORD}{VERSION}")
        return self.begun and not begins and bool(_LETTERS.fullmatch(same_letters(line)))

    def take(self, line: str) -> Invite:
        """The invite with this line, which is its whole, its beginning or more of it. Raises
        InviteError, where it is not whole yet, too."""
        text = f"{self._begun}{line}\n" if self.goes_on(line) else f"{line}\n"
        self._begun = ""
        try:
            return parse_invite(text)
        except InviteError as error:
            if error.code == "invite-checksum":
                self._begun = text
            raise


def parse_invite(text: str) -> Invite:
    """Read a pasted code, or raise InviteError.

    Its codes: ``invite-unreadable`` (no invite at all), ``invite-too-new``, ``invite-checksum``
    (mistyped or cut off), ``invite-damaged`` (sound letters, senseless content),
    ``invite-addresses`` (no address that a guest could try).
    """
    if len(text) > MAX_TEXT:
        raise InviteError("invite-unreadable", "This text is far too long for an invite.")
    try:
        payload = read_code(_WORD, VERSION, text)
    except BadCode as error:
        raise _refusal(error) from None
    invite = _decode_payload(payload)
    if same_letters(str(invite)) != same_letters(text):  # a host in another spelling
        raise _damaged("it spells an address in another way than invites do")
    return invite


def _refusal(error: BadCode) -> InviteError:
    match error.slip:
        case Slip.NO_CODE:
            return InviteError("invite-unreadable", "This is no invite; one begins with gin1-.")
        case Slip.OTHER_VERSION:
            return _too_new()
        case Slip.OTHER_LETTERS:
            return InviteError(
                "invite-unreadable",
                "An invite holds only the letters a to z and the digits 2 to 7, not "
                f"{error.letter!a}.",
            )
        case Slip.MISTYPED:
            return _mistyped()


def _decode_payload(payload: bytes) -> Invite:
    host, rest = payload[:KEY_HASH_BYTES], payload[KEY_HASH_BYTES:]
    secret, packed = rest[:SECRET_BYTES], rest[SECRET_BYTES:]
    try:
        return Invite(host, secret, decode_addresses(packed))
    except BadEncoding as error:
        raise _damaged(str(error)) from None


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
    """The checksum is right, so nothing slipped in copying: it was written so."""
    return InviteError(
        "invite-damaged",
        f"The invite makes no sense: {what}. Both players need the same ginpeer.",
    )
