"""Fiat-Shamir transcripts: labelled, length-prefixed, SHA-512 (PROTOCOL 5).

# A transcript is one growing byte string. Everything that a proof is about is
# appended before the first challenge, under a label, with both lengths in
# front, so that no two different sequences of appends give the same bytes.
#
#   frame(label, data) = len(label) as 1 byte || label || len(data) as 4 bytes,
#                        big endian || data
#
# A challenge is SHA-512 of the string so far with the frame of the challenge's
# label appended, read as a little-endian number and reduced modulo the group
# order. 512 bits against 253 leave a bias below 2**-259. The frame stays in the
# string, so the next challenge depends on the ones before it.
#
# Rejected: Merlin/STROBE. It is a better sponge, but strangers who want to check
# a log would first have to write Keccak; every language has SHA-512.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from protocol.crypto.group import ORDER, Element


def frame(label: str, data: bytes) -> bytes:
    """Return one unambiguous piece of a hash input (PROTOCOL 5.1)."""
    name = label.encode("ascii")
    return bytes([len(name)]) + name + len(data).to_bytes(4, "big") + data


def framed_hash(label: str, *fields: tuple[str, bytes]) -> bytes:
    """Return the SHA-256 of a domain label and labelled fields: 32 bytes (PROTOCOL 5.2)."""
    digest = hashlib.sha256(frame("ginpeer/v1", label.encode("ascii")))
    for name, data in fields:
        digest.update(frame(name, data))
    return digest.digest()


class Transcript:
    """The public conversation that a proof's challenges are computed from."""

    __slots__ = ("_hash",)

    def __init__(self, label: str) -> None:
        self._hash = hashlib.sha512(frame("ginpeer/v1", label.encode("ascii")))

    def append(self, label: str, data: bytes) -> None:
        """Append public bytes."""
        self._hash.update(frame(label, data))

    def append_number(self, label: str, number: int) -> None:
        """Append a number in 0 .. 2**64-1 as eight bytes, big endian."""
        self.append(label, number.to_bytes(8, "big"))

    def append_elements(self, label: str, elements: Iterable[Element]) -> None:
        """Append group elements, 32 bytes each, as one field."""
        self.append(label, b"".join(element.encoded for element in elements))

    def challenge(self, label: str) -> int:
        """Return a scalar in [0, ORDER) that depends on everything appended so far."""
        self.append("challenge", label.encode("ascii"))
        return int.from_bytes(self._hash.digest(), "little") % ORDER

    def challenges(self, label: str, count: int) -> tuple[int, ...]:
        """Return *count* scalars in order, each under the same label."""
        return tuple(self.challenge(label) for _ in range(count))

    def digest(self) -> bytes:
        """Return 64 bytes that identify the statement so far; nonces derive from them."""
        return self._hash.digest()
