"""Joint coin tosses: the cut for deal, and the knock card of a second deck (PROTOCOL 6.1, 6.9).

In each toss, one player commits to a half, the other shows theirs, and then the first half is
shown. The result is uniform if either half is, so neither side can influence it.

For the cut, the host commits. The toss for the knock card is part of the deal: the dealer commits
with deal 1, the non-dealer shows its half with deal 2, and the dealer shows its own with deal 3.
These halves derive from the hand seeds, so a player who comes back after a crash makes the same
toss again, and the audit detects a half chosen in any other way.
"""

from __future__ import annotations

import hashlib

from protocol.crypto.errors import ProofError
from protocol.crypto.hashing import frame, framed_hash
from protocol.messages import DECK_CARDS

# --- the cut for deal -----------------------------------------------------------------------------


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


# --- the knock card of a second deck --------------------------------------------------------------


class WrongToss(ProofError):
    """Half of a toss is present without a second deck, or missing with one."""

    code = "wrong-toss"


class TossMismatch(ProofError):
    """The dealer's half of the toss isn't the one committed to."""

    code = "toss-mismatch"


def toss_commitment(table: bytes, hand: int, value: bytes) -> bytes:
    """Return the commitment to the dealer's half, made before the other half is known."""
    return framed_hash(
        "knock-card", ("table", table), ("hand", hand.to_bytes(8, "big")), ("value", value)
    )


def knock_card(table: bytes, hand: int, dealer_value: bytes, nondealer_value: bytes) -> int:
    """Return the card, 0 .. 51; uniform if either half is, with a bias below 2**-500."""
    digest = hashlib.sha512(
        frame("ginpeer/v1", b"knock-card-toss")
        + frame("table", table)
        + frame("hand", hand.to_bytes(8, "big"))
        + frame("dealer", dealer_value)
        + frame("other", nondealer_value)
    ).digest()
    return int.from_bytes(digest, "big") % DECK_CARDS
