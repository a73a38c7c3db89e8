"""The data to which every proof of a match is bound (PROTOCOL 5.3)."""

from __future__ import annotations

from dataclasses import dataclass

from protocol.crypto.hashing import Transcript, framed_hash


@dataclass(frozen=True, slots=True)
class ProofContext:
    """The place in the log of the entry that contains the proof.

    ``previous`` is the hash of the entry before: through the chain it binds the rules,
    both identities, both hand keys and every card that has moved so far. A proof copied
    from another hand, match or author therefore gets different challenges and fails.
    """

    table: bytes
    sequence: int
    previous: bytes
    hand: int
    seat: int

    def transcript(self, purpose: str) -> Transcript:
        """Return a new transcript for one proof: "shuffle", "share", "opening" or "possession"."""
        transcript = Transcript(purpose)
        transcript.append("table", self.table)
        transcript.append_number("sequence", self.sequence)
        transcript.append("previous", self.previous)
        transcript.append_number("hand", self.hand)
        transcript.append_number("seat", self.seat)
        return transcript


def seed_commitment(table: bytes, hand: int, seat: int, seed: bytes) -> bytes:
    """Return the commitment to a hand seed, which the seed's 256 bits hide (PROTOCOL 6.2)."""
    return framed_hash(
        "hand-seed",
        ("table", table),
        ("hand", hand.to_bytes(8, "big")),
        ("seat", bytes([seat])),
        ("seed", seed),
    )
