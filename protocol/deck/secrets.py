"""One player's hand seed, and the coin tosses of both players.

The seed is 32 unpredictable bytes, stored before it is used (PROTOCOL 6.2). Key, permutations and
blindings derive from it, so a player who comes back after a crash computes the same bytes again. A
seed disclosed after the match reveals everything that the player did in that hand, and nothing in
any other.

Each shuffle has its own seed, derived from the hand seed, the key and every card before the
shuffle. So the same cards are always shuffled in the same way, and other cards in an unrelated way.
A player who continues from an old backup can at most repeat a shuffle. (Rejected: a counter of
riffles. After a return to an old backup, different cards would be masked with the same blindings,
which would show which cards differ.)

In a toss, one player commits to a half, the opponent shows the other half, and then the first half
is shown. The result is uniform if either half is, so neither side can influence it. For the cut for
deal (PROTOCOL 6.1), the host commits. The toss for the knock card of a second deck (6.9) is part of
the deal: the dealer commits with deal 1, the non-dealer shows its half with deal 2, and the dealer
shows its own with deal 3. These halves derive from the hand seeds, so the audit detects a half
chosen in any other way.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property

from protocol.codes import ProofError
from protocol.crypto.elgamal import Ciphertext, encode_ciphertexts
from protocol.crypto.group import Element, base_multiple
from protocol.crypto.hashing import (
    SEED_BYTES,
    derive_seed,
    expand_permutation,
    expand_scalar,
    expand_scalars,
    frame,
    framed_hash,
)
from protocol.crypto.shuffle import Shuffle
from protocol.deck.state import card_at
from protocol.messages import DECK_CARDS


def seed_commitment(table: bytes, hand: int, seat: int, seed: bytes) -> bytes:
    """Return the commitment to a hand seed, which the seed's 256 bits hide (PROTOCOL 6.2)."""
    return framed_hash(
        "hand-seed",
        ("table", table),
        ("hand", hand.to_bytes(8, "big")),
        ("seat", bytes([seat])),
        ("seed", seed),
    )


class HandSecrets:
    """One player's secrets in one hand, all derived from one seed."""

    def __init__(self, seed: bytes) -> None:
        if len(seed) != SEED_BYTES:
            raise ValueError(f"a hand seed has {SEED_BYTES} bytes")
        self.seed = seed
        self.key = expand_scalar(seed, "key")

    def __repr__(self) -> str:  # a seed must not reach a log through a traceback
        return "HandSecrets(...)"

    @cached_property
    def public_key(self) -> Element:
        """Y = x*B."""
        return base_multiple(self.key)

    @cached_property
    def toss(self) -> bytes:
        """The player's half of the toss for the knock card."""
        return derive_seed(self.seed, "knock-card", b"")

    def deal_shuffle(self, key: Element, before: Sequence[Ciphertext]) -> Shuffle:
        """Return the player's one shuffle of the whole deck, under the joint key."""
        return self._shuffle("deal-shuffle", key, before)

    def riffle(self, before: Sequence[Ciphertext]) -> Shuffle:
        """Return the player's riffle of these cards of their hand, under their own key."""
        return self._shuffle("riffle", self.public_key, before)

    def _shuffle(self, label: str, key: Element, before: Sequence[Ciphertext]) -> Shuffle:
        seed = derive_seed(self.seed, label, key.encoded + encode_ciphertexts(before))
        return Shuffle(
            expand_permutation(seed, "permutation", len(before)),
            expand_scalars(seed, "blinding", len(before)),
        )


def read_card(ciphertext: Ciphertext, secrets: HandSecrets) -> int:
    """Return the card in this ciphertext. Raises ValueError if there is none, which proven shuffles
    rule out."""
    card = card_at(ciphertext.unmask(secrets.key))
    if card is None:
        raise ValueError("one of our own masked cards doesn't open to a card")
    return card


# --- the cut for deal -----------------------------------------------------------------------------


def cut_commitment(table: bytes, value: bytes) -> bytes:
    """Return the commitment to the host's half, made before the guest's half is known."""
    return framed_hash("cut", ("table", table), ("value", value))


def cut_cards(table: bytes, host_value: bytes, guest_value: bytes) -> tuple[int, int]:
    """Return the host's card and the guest's: two different cards, uniform if either half is.

    Hash both halves with SHA-512. The first 32 bytes, big endian, modulo 52 are the host's card.
    The other 32, modulo 51, are the position of the guest's card among the remaining 51 in order.
    The bias of each is below 2**-250.
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
    """Return the knock card, 0 .. 51, which is uniform if either half is (bias below 2**-500)."""
    digest = hashlib.sha512(
        frame("ginpeer/v1", b"knock-card-toss")
        + frame("table", table)
        + frame("hand", hand.to_bytes(8, "big"))
        + frame("dealer", dealer_value)
        + frame("other", nondealer_value)
    ).digest()
    return int.from_bytes(digest, "big") % DECK_CARDS
