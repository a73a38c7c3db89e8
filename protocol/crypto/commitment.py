"""Pedersen commitments to vectors, with generators that nobody chose (PROTOCOL 4.4).

com(a_1 .. a_n; r) = r*B + a_1*G_1 + ... + a_n*G_n. The G_i are hashed to the group
under a label of their own, so that no relation among them and B is known to anyone;
two openings of one commitment would be such a relation. They are computed here and
never received.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from protocol.crypto.group import Element, base_multiple, multi_multiply
from protocol.crypto.hashing import hash_to_group

GENERATOR_LABEL = b"ginpeer/v1/generator"


@cache
def generators(n: int) -> tuple[Element, ...]:
    """G_1 .. G_n; G_i = hash_to_group(i as 4 bytes big endian, GENERATOR_LABEL)."""
    return tuple(hash_to_group(i.to_bytes(4, "big"), GENERATOR_LABEL) for i in range(1, n + 1))


def commit(values: Sequence[int], blinding: int) -> Element:
    """com(values; blinding), for scalars in [0, ORDER)."""
    return base_multiple(blinding) + multi_multiply(values, generators(len(values)))


def commit_to_permutation(permutation: Sequence[int], blinding: int) -> Element:
    """com(a; blinding) for a permutation a of 1 .. n, in 2n additions and no multiplication.

    sum_k k*G_at(k) is the sum of all suffix sums of G_at(1) .. G_at(n).
    """
    bases = generators(len(permutation))
    ordered = sorted(zip(permutation, bases, strict=True), key=lambda pair: pair[0])
    total = base_multiple(blinding)
    suffix: Element | None = None
    for _, generator in reversed(ordered):
        suffix = generator if suffix is None else suffix + generator
        total = total + suffix
    return total
