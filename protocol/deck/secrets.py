"""One player's hand seed and all that is expanded from it (PROTOCOL 6.2).

The seed is 32 fresh random bytes, stored before it is used. Key, permutations and
blindings follow from it, so that a player who comes back after a crash computes the
same bytes again, and a seed disclosed after the match opens everything the player did
in that hand and nothing in any other.
"""

from __future__ import annotations

from functools import cached_property

from protocol.crypto.expansion import (
    SEED_BYTES,
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

    def deal_shuffle(self, n: int) -> Shuffle:
        """The player's one shuffle of the whole deck."""
        return Shuffle(
            expand_permutation(self.seed, "deal-permutation", n),
            expand_scalars(self.seed, "deal-blinding", n),
        )

    def riffle(self, number: int, n: int) -> Shuffle:
        """The player's riffle *number* (0 for the first discard or knock) of the own hand."""
        return Shuffle(
            expand_permutation(self.seed, f"riffle-permutation-{number}", n),
            expand_scalars(self.seed, f"riffle-blinding-{number}", n),
        )
