"""Pedersen commitments to vectors, with generators that nobody chose (PROTOCOL 4.4).

com(a_1 .. a_n; r) = r*B + a_1*G_1 + ... + a_n*G_n. The G_i are hashed to the group
under their own label, so nobody knows a relation among them and B; two openings of
one commitment would be such a relation. They are computed here, never received.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from protocol.crypto.group import Element, base_multiple, multi_multiply
from protocol.crypto.hashing import hash_to_group

GENERATOR_LABEL = b"ginpeer/v1/generator"


@cache
def generators(n: int) -> tuple[Element, ...]:
    """Return G_1 .. G_n; G_i = hash_to_group(i as 4 bytes big endian, GENERATOR_LABEL)."""
    return tuple(hash_to_group(i.to_bytes(4, "big"), GENERATOR_LABEL) for i in range(1, n + 1))


def commit(values: Sequence[int], blinding: int) -> Element:
    """Return com(values; blinding), for scalars in [0, ORDER)."""
    return base_multiple(blinding) + multi_multiply(values, generators(len(values)))


@cache
def _middle_multiple(n: int) -> Element:
    """Return m*sum G_i, with the middle m of 1 .. n. It is the same for all permutations."""
    return multi_multiply([_middle(n)] * n, generators(n))


def _middle(n: int) -> int:
    return (n + 1) // 2


def commit_to_permutation(permutation: Sequence[int], blinding: int) -> Element:
    """Return com(a; blinding) for a permutation a of 1 .. n, in 1.5n additions and, except for the
    blinding, no multiplication.

    With the middle m, and G_at(k) the generator whose value is k:
    sum k*G_at(k) = m*sum G_i + sum_(d > 0) d*(G_at(m+d) - G_at(m-d)),
    and the last sum is the sum of the suffix sums of its differences.
    """
    n = len(permutation)
    m = _middle(n)
    at = dict(zip(permutation, generators(n), strict=True))
    total = base_multiple(blinding) + _middle_multiple(n)
    suffix: Element | None = None
    for d in range(n - m, 0, -1):
        difference = at[m + d] - at[m - d] if d < m else at[m + d]
        suffix = difference if suffix is None else suffix + difference
        total = total + suffix
    return total
