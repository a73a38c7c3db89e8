"""The arithmetic of the group, done once in a process: the suite verifies the same logs all day.

Scalar multiplication is pure, and it was a third of the suite's time. What libsodium gave for
these inputs is remembered and given again; the checks above it, in protocol/crypto, run as ever.
The pure group and the toy group of the tests aren't touched.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence

from protocol.crypto.group_sodium import SodiumGroup

MOST = 2**17  # of each kind: some 30 MB, more than a worker asks for


def remember() -> None:
    """Let every SodiumGroup of this process remember. To be called once."""
    whole, sums = SodiumGroup.multi_multiply, dict[bytes, bytes]()

    def multi_multiply(
        self: SodiumGroup, scalars: Sequence[int], elements: Sequence[bytes]
    ) -> bytes:
        if len(scalars) < 2:
            return whole(self, scalars, elements)
        data = b"".join([*elements, *(scalar.to_bytes(32, "little") for scalar in scalars)])
        key = hashlib.blake2b(data, digest_size=32).digest()
        if key not in sums:
            sums[key] = whole(self, scalars, elements)
        return sums[key]

    SodiumGroup.multi_multiply = multi_multiply  # type: ignore[method-assign]
    for name in ("multiply", "base_multiple", "is_canonical"):
        setattr(SodiumGroup, name, functools.lru_cache(MOST)(getattr(SodiumGroup, name)))
