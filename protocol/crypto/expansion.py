"""Scalars from secrets: labelled expansion of a seed, and proof nonces (PROTOCOL 5.7, 6.2).

# expand(seed, label, i) = HMAC-SHA512(seed, frame(label, i as 8 bytes)), read as a
# little-endian number. HMAC is a pseudo-random function under the seed, so values
# under different labels tell nothing about each other.
#
# derive(seed, label, data) = HMAC-SHA256(seed, frame(label, data)) is a seed again, for
# what is done to these bytes of data and to no others.
#
# A proof nonce that repeats under two challenges gives the secret away. It is therefore
# a function of the secret and of the whole statement, as in Ed25519 and RFC 6979:
#
#   key        = HMAC-SHA512(secret, frame("ginpeer/v1", "nonce") || digest of the statement)
#   call i     = SHAKE256(key || i as 8 bytes), 64 bytes a nonce
#
# So no random source is asked when something is proven, and a broken one spoils nothing. A nonce
# repeats only where secret and statement do; there the challenge, which is hashed from the
# statement and from what the nonces give, repeats as well, and the proof is the same bytes. That is
# more than a saving: whoever goes on from an old backup and signs an entry again signs the same
# entry, and two different ones would convict. (Rejected: fresh randomness as a third ingredient. It
# guards against a machine that computes wrongly in the middle of a proof; such a proof does not
# leave, since our own referee verifies it first.) Nobody else recomputes a nonce, so
# the stream is the faster SHAKE256: a proof takes 160 of them.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable

from protocol.crypto.group import ORDER
from protocol.crypto.transcript import Transcript, frame

RandomSource = Callable[[int], bytes]
"""Given a length, returns that many unpredictable bytes (os.urandom's shape)."""

SEED_BYTES = 32
_UNIFORM_BYTES = 64  # of which the reduction modulo ORDER is biased by less than 2**-259


def _expand(seed: bytes, label: str, index: int) -> int:
    message = frame(label, index.to_bytes(8, "big"))
    return int.from_bytes(hmac.digest(seed, message, "sha512"), "little")


def derive_seed(seed: bytes, label: str, data: bytes) -> bytes:
    """A seed of its own for each label and each public byte string: 32 bytes."""
    return hmac.digest(seed, frame(label, data), "sha256")


def expand_scalar(seed: bytes, label: str, index: int = 0) -> int:
    """A scalar in [0, ORDER)."""
    return _expand(seed, label, index) % ORDER


def expand_scalars(seed: bytes, label: str, count: int) -> tuple[int, ...]:
    """*count* independent scalars."""
    return tuple(expand_scalar(seed, label, index) for index in range(count))


def expand_permutation(seed: bytes, label: str, n: int) -> tuple[int, ...]:
    """A uniform permutation of 0 .. n-1 by Fisher-Yates, from the top down.

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

    *statement* holds everything that is proven and where, *secret* what the proof hides: whoever
    cannot guess the secret learns nothing of the nonces.
    """

    __slots__ = ("_calls", "_key")

    def __init__(self, secret: bytes, statement: Transcript) -> None:
        message = frame("ginpeer/v1", b"nonce") + statement.digest()
        self._key = hmac.digest(secret, message, "sha512")
        self._calls = 0

    def scalar(self) -> int:
        """The next nonce, in [0, ORDER)."""
        return self.scalars(1)[0]

    def scalars(self, count: int) -> list[int]:
        """The next *count* nonces: each call squeezes a stream of its own."""
        self._calls += 1
        stream = hashlib.shake_256(self._key + self._calls.to_bytes(8, "big"))
        uniform = stream.digest(_UNIFORM_BYTES * count)
        return [
            int.from_bytes(uniform[at : at + _UNIFORM_BYTES], "little") % ORDER
            for at in range(0, len(uniform), _UNIFORM_BYTES)
        ]
