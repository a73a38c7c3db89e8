"""Scalars from secrets: labelled expansion of a seed, and proof nonces (PROTOCOL 5.7, 6.2).

# expand(seed, label, i) = HMAC-SHA512(seed, frame(label, i as 8 bytes)), read as a
# little-endian number. HMAC is a pseudo-random function under the seed, so values
# under different labels reveal nothing about each other.
#
# derive(seed, label, data) = HMAC-SHA256(seed, frame(label, data)) is another seed, for
# use with exactly these bytes of data.
#
# A proof nonce that repeats under two challenges reveals the secret. A nonce is therefore
# a function of the secret and of the whole statement, as in Ed25519 and RFC 6979:
#
#   key        = HMAC-SHA512(secret, frame("ginpeer/v1", "nonce") || digest of the statement)
#   call i     = SHAKE256(key || i as 8 bytes), 64 bytes a nonce
#
# So proving uses no random source, and a broken one does no harm. A nonce repeats only if secret
# and statement do; then the challenge, which is hashed from the statement and from the values made
# with the nonces, repeats as well, and the proof has the same bytes. This also protects a player
# who continues from an old backup: signing an entry again gives the same entry, whereas two
# different ones would convict. (Rejected: fresh randomness as a third ingredient. It guards against
# a machine that miscomputes in the middle of a proof, but such a proof is never sent, since our own
# referee verifies it first.) Nobody else recomputes a nonce, so the stream is the faster SHAKE256:
# a proof takes 160 nonces.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable

from protocol.crypto.group import ORDER
from protocol.crypto.transcript import Transcript, frame

RandomSource = Callable[[int], bytes]
"""Returns this many unpredictable bytes, like os.urandom."""

SEED_BYTES = 32
_UNIFORM_BYTES = 64  # reducing 64 bytes modulo ORDER has a bias below 2**-259


def _expand(seed: bytes, label: str, index: int) -> int:
    message = frame(label, index.to_bytes(8, "big"))
    return int.from_bytes(hmac.digest(seed, message, "sha512"), "little")


def derive_seed(seed: bytes, label: str, data: bytes) -> bytes:
    """Return a separate seed of 32 bytes for each label and each public byte string."""
    return hmac.digest(seed, frame(label, data), "sha256")


def expand_scalar(seed: bytes, label: str, index: int = 0) -> int:
    """Return a scalar in [0, ORDER)."""
    return _expand(seed, label, index) % ORDER


def expand_scalars(seed: bytes, label: str, count: int) -> tuple[int, ...]:
    """Return *count* independent scalars."""
    return tuple(expand_scalar(seed, label, index) for index in range(count))


def expand_permutation(seed: bytes, label: str, n: int) -> tuple[int, ...]:
    """Return a uniform permutation of 0 .. n-1 by Fisher-Yates, from the top down.

    Step i = n-1 .. 1 swaps places i and j with j = expand(seed, label, i) mod (i + 1);
    512 bits make the bias of each step smaller than 2**-500.
    """
    places = list(range(n))
    for i in range(n - 1, 0, -1):
        j = _expand(seed, label, i) % (i + 1)
        places[i], places[j] = places[j], places[i]
    return tuple(places)


class Nonces:
    """The prover's stream of nonces for one proof; never shared between proofs.

    *statement* contains everything that is proven, and where; *secret* is what the proof hides.
    Without the secret, nobody can learn anything about the nonces.
    """

    __slots__ = ("_calls", "_key")

    def __init__(self, secret: bytes, statement: Transcript) -> None:
        message = frame("ginpeer/v1", b"nonce") + statement.digest()
        self._key = hmac.digest(secret, message, "sha512")
        self._calls = 0

    def scalar(self) -> int:
        """Return the next nonce, in [0, ORDER)."""
        return self.scalars(1)[0]

    def scalars(self, count: int) -> list[int]:
        """Return the next *count* nonces. Each call squeezes its own stream."""
        self._calls += 1
        stream = hashlib.shake_256(self._key + self._calls.to_bytes(8, "big"))
        uniform = stream.digest(_UNIFORM_BYTES * count)
        return [
            int.from_bytes(uniform[at : at + _UNIFORM_BYTES], "little") % ORDER
            for at in range(0, len(uniform), _UNIFORM_BYTES)
        ]
