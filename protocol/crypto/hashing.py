"""Hashing: transcripts, scalars from secrets, and elements of the group (PROTOCOL 4.2, 5, 6.2).

Three kinds of hashes, each with labels that separate one purpose from every other:

  transcripts   Fiat-Shamir: a proof's challenges come from everything that the proof is about
  expansion     keys, permutations, blindings and nonces from a seed, which stays secret
  to the group  the card points and the commitment generators, whose logarithms nobody knows
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Iterable

from protocol.crypto.group import ORDER, Element, from_uniform_bytes

# --- transcripts (PROTOCOL 5) ---------------------------------------------------------------------
#
# A transcript is one growing byte string. Everything that a proof is about is
# appended before the first challenge, under a label, with both lengths in
# front, so that no two different sequences of appends give the same bytes.
#
#   frame(label, data) = len(label) as 1 byte || label || len(data) as 4 bytes,
#                        big endian || data
#
# A challenge is SHA-512 of the string so far with the frame of the challenge's
# label appended, read as a little-endian number and reduced modulo the group
# order. 512 bits against 253 leave a bias below 2**-259. The frame stays in the
# string, so the next challenge depends on the ones before it.
#
# Rejected: Merlin/STROBE. It is the better design, but strangers who want to check
# a log would first have to write Keccak; every language has SHA-512.


def frame(label: str, data: bytes) -> bytes:
    """Return one unambiguous piece of a hash input (PROTOCOL 5.1)."""
    name = label.encode("ascii")
    return bytes([len(name)]) + name + len(data).to_bytes(4, "big") + data


def framed_hash(label: str, *fields: tuple[str, bytes]) -> bytes:
    """Return the SHA-256 of a domain label and labelled fields: 32 bytes (PROTOCOL 5.2)."""
    digest = hashlib.sha256(frame("ginpeer/v1", label.encode("ascii")))
    for name, data in fields:
        digest.update(frame(name, data))
    return digest.digest()


class Transcript:
    """The public conversation from which a proof's challenges are computed."""

    __slots__ = ("_hash",)

    def __init__(self, label: str) -> None:
        self._hash = hashlib.sha512(frame("ginpeer/v1", label.encode("ascii")))

    def append(self, label: str, data: bytes) -> None:
        self._hash.update(frame(label, data))

    def append_number(self, label: str, number: int) -> None:
        """Append a number in 0 .. 2**64-1 as eight bytes, big endian."""
        self.append(label, number.to_bytes(8, "big"))

    def append_elements(self, label: str, elements: Iterable[Element]) -> None:
        """Append group elements, 32 bytes each, as one field."""
        self.append(label, b"".join(element.encoded for element in elements))

    def challenge(self, label: str) -> int:
        """Return a scalar in [0, ORDER) that depends on everything appended so far."""
        self.append("challenge", label.encode("ascii"))
        return int.from_bytes(self._hash.digest(), "little") % ORDER

    def challenges(self, label: str, count: int) -> tuple[int, ...]:
        """Return *count* scalars in order, each under the same label."""
        return tuple(self.challenge(label) for _ in range(count))

    def digest(self) -> bytes:
        """Return 64 bytes that identify the statement so far; nonces derive from them."""
        return self._hash.digest()


# --- scalars from secrets: labelled expansion of a seed, and proof nonces (PROTOCOL 5.7, 6.2) -----
#
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
# So proving uses no random source that could be broken. A nonce repeats only if secret and
# statement do; then the challenge, which is hashed from the statement and from the values made with
# the nonces, repeats as well, and the proof has the same bytes. This also protects a player who
# continues from an old backup: signing an entry again gives the same entry, whereas two different
# entries would convict the player. (Rejected: fresh randomness as a third ingredient. It guards
# against a machine that miscomputes in the middle of a proof, but such a proof is never sent, since
# our own referee verifies it first.) Nobody else recomputes a nonce, and a proof takes 160 nonces,
# so the stream uses SHAKE256, which is faster.

RandomSource = Callable[[int], bytes]  # returns this many unpredictable bytes, like os.urandom

SEED_BYTES = 32
_NONCE_BYTES = 64  # reducing 64 bytes modulo ORDER has a bias below 2**-259


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

    *statement* says what is proven, and where in the log; *secret* is what the proof hides.
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
        """Return the next *count* nonces. Each call uses a SHAKE256 stream of its own."""
        self._calls += 1
        stream = hashlib.shake_256(self._key + self._calls.to_bytes(8, "big"))
        uniform = stream.digest(_NONCE_BYTES * count)
        return [
            int.from_bytes(uniform[at : at + _NONCE_BYTES], "little") % ORDER
            for at in range(0, len(uniform), _NONCE_BYTES)
        ]


# --- hashing to elements (PROTOCOL 4.2) -----------------------------------------------------------
#
# Exactly as RFC 9497 section 4.1 (ristretto255-SHA512) does it:
#
#   hash_to_group(m, dst) = ristretto255 one-way map of expand_message_xmd(m, dst, 64)
#
# Nobody knows the discrete logarithm of a hashed element to any other base. That is why the card
# points and the commitment generators are made in this way, each under its own domain separation
# tag (dst), of 1 to 255 bytes.


def expand_message(message: bytes, dst: bytes) -> bytes:
    """Return 64 uniform bytes from *message* under *dst*: expand_message_xmd of RFC 9380 section
    5.3.1 with SHA-512, of which one block is enough."""
    dst_prime = dst + bytes([len(dst)])
    padded = bytes(128) + message + (64).to_bytes(2, "big") + b"\0" + dst_prime
    b_0 = hashlib.sha512(padded).digest()
    return hashlib.sha512(b_0 + b"\1" + dst_prime).digest()


def hash_to_group(message: bytes, dst: bytes) -> Element:
    """Return an element whose discrete logarithm nobody knows."""
    return from_uniform_bytes(expand_message(message, dst))
