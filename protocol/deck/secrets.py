"""One player's hand seed and all that is expanded from it (PROTOCOL 6.2).

The seed is 32 bytes that nobody can foresee, stored before it is used. Key, permutations and
blindings follow from it, so that a player who comes back after a crash computes the
same bytes again, and a seed disclosed after the match opens everything the player did
in that hand and nothing in any other.

# A shuffle has a seed of its own, derived from the hand seed and from all that is
# shuffled: the key and every card, as they are before. So the same cards are always
# shuffled in the same way, and other cards in an unrelated one. Whoever plays on from an
# old backup repeats a shuffle at most; the rejected road, a counter of riffles, would mask
# another hand with the blindings of the first and so show which cards differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from protocol.crypto.elgamal import Ciphertext, encode_ciphertexts
from protocol.crypto.expansion import (
    SEED_BYTES,
    derive_seed,
    expand_permutation,
    expand_scalar,
    expand_scalars,
)
from protocol.crypto.group import Element, base_multiple
from protocol.crypto.shuffle import Shuffle


class HandSecrets:
    """Everything secret that one player has in one hand, from one seed."""

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
        """The player's one shuffle of the whole deck, under the joint key."""
        return self._shuffle("deal-shuffle", key, before)

    def riffle(self, before: Sequence[Ciphertext]) -> Shuffle:
        """The player's riffle of these cards of the own hand, under the own key."""
        return self._shuffle("riffle", self.public_key, before)

    def _shuffle(self, label: str, key: Element, before: Sequence[Ciphertext]) -> Shuffle:
        seed = derive_seed(self.seed, label, key.encoded + encode_ciphertexts(before))
        return Shuffle(
            expand_permutation(seed, "permutation", len(before)),
            expand_scalars(seed, "blinding", len(before)),
        )
