"""The arithmetic behind proofs and signatures, done once in a process.

The suite verifies the same logs all day, and scalar multiplication was a third of its time. It is
pure: what libsodium gave for these inputs is remembered and given again, and so is that OpenSSL
accepted a signature. The checks above, in protocol/crypto, run as ever. The pure group and the toy
group of the tests aren't touched.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from protocol.crypto import identity
from protocol.crypto.group_sodium import SodiumGroup

MOST = 2**17  # of each kind: some 30 MB, more than a worker asks for


class VerifyingKey:
    """An Ed25519 key that remembers what it has accepted."""

    from_bytes = staticmethod(identity.Ed25519PublicKey.from_public_bytes)

    def __init__(self, key: Ed25519PublicKey) -> None:
        self.verify_whole = key.verify
        self.accepted: set[bytes] = set()

    @classmethod
    def from_public_bytes(cls, public: bytes) -> VerifyingKey:
        return cls(cls.from_bytes(public))

    def verify(self, signature: bytes, message: bytes) -> None:
        digest = hashlib.blake2b(signature + message, digest_size=32).digest()
        if digest not in self.accepted:
            self.verify_whole(signature, message)
            self.accepted.add(digest)


def remember() -> None:
    """Let every SodiumGroup and every key of this process remember. To be called once."""
    identity.Ed25519PublicKey = VerifyingKey  # type: ignore[misc, assignment]
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
