"""The knock card of a second deck: a joint coin toss inside the deal (PROTOCOL 6.9).

The dealer commits to its half with deal 1, the other shows its half with deal 2, the dealer
its own with deal 3. Both halves come from the hand seeds, so a player who comes back after a
crash makes the same toss again, and the audit finds a half that was chosen otherwise.
"""

from __future__ import annotations

import hashlib

from protocol.crypto.errors import ProofError
from protocol.crypto.transcript import frame, framed_hash
from protocol.messages import DECK_CARDS


class WrongToss(ProofError):
    """A half of the toss where none belongs, or none where one does."""

    code = "wrong-toss"


class TossMismatch(ProofError):
    """The dealer's half of the toss is not the one committed to."""

    code = "toss-mismatch"


def toss_commitment(table: bytes, hand: int, value: bytes) -> bytes:
    """Commits the dealer to its half before the other half is known."""
    return framed_hash(
        "knock-card", ("table", table), ("hand", hand.to_bytes(8, "big")), ("value", value)
    )


def knock_card(table: bytes, hand: int, dealers: bytes, others: bytes) -> int:
    """The card, 0 .. 51; uniform if either half is, with a bias below 2**-500."""
    digest = hashlib.sha512(
        frame("ginpeer/v1", b"knock-card-toss")
        + frame("table", table)
        + frame("hand", hand.to_bytes(8, "big"))
        + frame("dealer", dealers)
        + frame("other", others)
    ).digest()
    return int.from_bytes(digest, "big") % DECK_CARDS
