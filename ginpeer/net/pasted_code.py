"""A code that is pasted: a word and a version, then bytes in letters, with a checksum.

# The form of invites and replies alike (PROTOCOL 9.5): base32 (RFC 4648, lower case, no padding) of
# the payload and of the first 4 bytes of SHA-256 over the word, the version and the payload, in
# groups of 16. A code travels over chats and phone calls, so case, dashes, spaces and line breaks
# do not count. The checksum finds what slipped in copying; it defends against nobody.
"""

from __future__ import annotations

import base64
import hashlib
import re
from enum import Enum, auto

_CHECKSUM_BYTES = 4
_GROUP = 16
_SEPARATORS = re.compile(r"[\s\-\u2010-\u2015\u200b\u2060\ufeff>|]+")  # with what mail adds
_BASE32 = re.compile(r"[a-z2-7]*", re.ASCII)


class Slip(Enum):
    """What is wrong with a text."""

    NO_CODE = auto()
    """It does not begin as one."""
    OTHER_VERSION = auto()
    OTHER_LETTERS = auto()
    """It holds a character that no code has, which the error names."""
    MISTYPED = auto()
    """A letter is another, or some are missing."""


class BadCode(ValueError):
    """A text that is no code; ``letter`` is the first that does not belong there, if one is."""

    def __init__(self, slip: Slip, letter: str = "") -> None:
        super().__init__(slip.name)
        self.slip = slip
        self.letter = letter


def write_code(word: str, version: int, payload: bytes) -> str:
    """The one text of this payload: ``gin1-aaaaaaaaaaaaaaaa-...``."""
    text = _letters(payload + _checksum(word, version, payload))
    groups = (text[i : i + _GROUP] for i in range(0, len(text), _GROUP))
    return "-".join((f"{word}{version}", *groups))


def read_code(word: str, version: int, text: str) -> bytes:
    """The payload of a pasted text. Raises BadCode."""
    match = re.fullmatch(rf"{word}([1-9])(.*)", same_letters(text), re.DOTALL)
    if match is None:
        raise BadCode(Slip.NO_CODE)
    if int(match[1]) != version:
        raise BadCode(Slip.OTHER_VERSION)
    letters = match[2]
    if not _BASE32.fullmatch(letters):
        wrong = next(letter for letter in letters if not _BASE32.fullmatch(letter))
        raise BadCode(Slip.OTHER_LETTERS, wrong)
    try:
        data = base64.b32decode(letters.upper() + "=" * (-len(letters) % 8))
    except ValueError:  # a length that no number of bytes gives
        raise BadCode(Slip.MISTYPED) from None
    payload, checksum = data[:-_CHECKSUM_BYTES], data[-_CHECKSUM_BYTES:]
    if _checksum(word, version, payload) != checksum:
        raise BadCode(Slip.MISTYPED)
    if _letters(data) != letters:  # the spare bits of the last letter, which no sum covers
        raise BadCode(Slip.MISTYPED)
    return payload


def same_letters(text: str) -> str:
    """What of a text counts."""
    return _SEPARATORS.sub("", text).lower()


def _letters(data: bytes) -> str:
    return base64.b32encode(data).decode("ascii").rstrip("=").lower()


def _checksum(word: str, version: int, payload: bytes) -> bytes:
    return hashlib.sha256(f"{word}{version}".encode("ascii") + payload).digest()[:_CHECKSUM_BYTES]
