"""Signed, hash-chained log entries (PROTOCOL 2).

# An entry is a canonical body and the author's Ed25519 signature:
#
#   entry     = body || signature (64 bytes)
#   signature = Ed25519(author, frame("ginpeer/v1", "entry") || body)
#   hash      = SHA-256(frame("ginpeer/v1", "entry-hash") || frame("entry", entry))
#
# The body names the table, its own number and the hash of the entry before it. It doesn't name its
# author: the state before the entry says who owes it, and the signature verifies only with that
# player's key. Bytes are signed, hashed, stored and forwarded exactly as they arrived.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from protocol.codec.entries import MAX_BODY, decode_body, encode_body
from protocol.crypto.transcript import frame, framed_hash
from protocol.messages import Body

SIGNATURE_BYTES = 64
MAX_ENTRY = MAX_BODY + SIGNATURE_BYTES
# A log file (PROTOCOL 2.7): 8 bytes, then each entry after its length.
LOG_HEAD_BYTES = 8
RECORD_HEAD_BYTES = 4
MAX_LOG_BYTES = 64 * 1024 * 1024  # about 400 hands; a match to 100 takes about 1 MB
MAX_LOG_ENTRIES = 2**17  # 400 hands have about 40,000

GENESIS = bytes(32)
"""The "previous hash" of the first entry."""

_SIGNED = frame("ginpeer/v1", b"entry")


class Signer(Protocol):
    """Something that signs with an identity key (protocol.crypto.identity.IdentityKey)."""

    def sign(self, message: bytes) -> bytes: ...


class NotAnEntry(ValueError):
    """The bytes are too short or too long to be an entry."""

    code = "not-an-entry"


@dataclass(frozen=True, slots=True)
class RawEntry:
    """An entry as it arrived, split but not verified: no signature has been checked."""

    unverified_body: bytes
    signature: bytes

    @classmethod
    def split(cls, raw: bytes) -> RawEntry:
        """Split the bytes. Raises NotAnEntry unless there is room for a body and a signature."""
        if not SIGNATURE_BYTES < len(raw) <= MAX_ENTRY:
            raise NotAnEntry(f"{len(raw)} bytes can't be an entry")
        return cls(raw[:-SIGNATURE_BYTES], raw[-SIGNATURE_BYTES:])

    @property
    def signed_message(self) -> bytes:
        """The bytes that the author's signature covers."""
        return _SIGNED + self.unverified_body

    def decode(self) -> Body:
        """Return the body. Raises NotCanonical or Malformed."""
        return decode_body(self.unverified_body)


def entry_hash(raw: bytes) -> bytes:
    """Return the hash that the next entry names as ``previous``."""
    return framed_hash("entry-hash", ("entry", raw))


def sign_entry(signer: Signer, body: Body) -> bytes:
    """Return the raw entry. Sign each position only once: two different entries there convict
    the author."""
    data = encode_body(body)
    return data + signer.sign(_SIGNED + data)
