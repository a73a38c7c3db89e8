"""The knock card of a second deck: a joint coin toss inside the deal (PROTOCOL 6.9).

The dealer commits to its half with deal 1, the non-dealer shows its half with deal 2, and the
dealer shows its own with deal 3. Both halves derive from the hand seeds, so a player who comes
back after a crash makes the same toss again, and the audit detects a half chosen in any other way.
"""

from __future__ import annotations

import hashlib

from protocol.crypto.errors import ProofError
from protocol.crypto.hashing import frame, framed_hash
from protocol.messages import DECK_CARDS


class WrongToss(ProofError):
    """Half of a toss is present where none belongs, or missing where one does."""

    code = "wrong-toss"


class TossMismatch(ProofError):
    """The dealer's half of the toss isn't the one committed to."""

    code = "toss-mismatch"


def toss_commitment(table: bytes, hand: int, value: bytes) -> bytes:
    """Return the commitment to the dealer's half, made before the other half is known."""
    return framed_hash(
        "knock-card", ("table", table), ("hand", hand.to_bytes(8, "big")), ("value", value)
    )


def knock_card(table: bytes, hand: int, dealers: bytes, others: bytes) -> int:
    """Return the card, 0 .. 51; uniform if either half is, with a bias below 2**-500."""
    digest = hashlib.sha512(
        frame("ginpeer/v1", b"knock-card-toss")
        + frame("table", table)
        + frame("hand", hand.to_bytes(8, "big"))
        + frame("dealer", dealers)
        + frame("other", others)
    ).digest()
    return int.from_bytes(digest, "big") % DECK_CARDS
