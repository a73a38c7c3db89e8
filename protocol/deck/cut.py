"""The cut for deal: two cards from a coin toss that neither side can steer (PROTOCOL 6.1)."""

from __future__ import annotations

import hashlib

from protocol.crypto.hashing import frame, framed_hash
from protocol.messages import DECK_CARDS


def cut_commitment(table: bytes, value: bytes) -> bytes:
    """Return the commitment to the host's half, made before the guest's half is known."""
    return framed_hash("cut", ("table", table), ("value", value))


def cut_cards(table: bytes, host_value: bytes, guest_value: bytes) -> tuple[int, int]:
    """Return the host's card and the guest's: two different cards, uniform if either half is.

    SHA-512 over both halves; the first 32 bytes, big endian, modulo 52 are the host's card,
    the others modulo 51 the guest's among the remaining 51 in order. The bias of each is
    below 2**-250.
    """
    digest = hashlib.sha512(
        frame("ginpeer/v1", b"cut-cards")
        + frame("table", table)
        + frame("host", host_value)
        + frame("guest", guest_value)
    ).digest()
    host = int.from_bytes(digest[:32], "big") % DECK_CARDS
    guest = int.from_bytes(digest[32:], "big") % (DECK_CARDS - 1)
    return host, guest + (guest >= host)
