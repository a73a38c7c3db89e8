"""The keys that identify players and sign log entries: Ed25519 (RFC 8032), pure mode, through the
package cryptography.

Ed25519 verifiers disagree about malformed keys and signatures (Chalkias, Garillot, Nikolaenko
2020, "Taming the many EdDSAs"). A log must get the same verdict everywhere, so the checks and
their order are defined here and don't depend on the library. A signature R || S by the key A
is accepted if and only if:

  1. A is 32 bytes, and R || S is 64 bytes (which is checked after 3)
  2. A is canonical: y < p = 2^255 - 19, and the sign bit is 0 if x = 0      key-not-canonical
  3. A is not one of the 8 points of small order                             small-order-key
  4. S < L                                                                   s-out-of-range
  5. R is canonical, as in 2                                                 r-not-canonical
  6. R is not of small order                                                 small-order-r
  7. A is on the curve, and the encoding of S*B - SHA512(R || A || m)*A is
     the bytes of R: the equation without cofactor, as every library behind
     cryptography computes it                                                equation

Check 4 makes signatures strongly unforgeable: one signature can't be turned into another. Checks
2, 3, 5 and 6 allow only one encoding of each point, and no key under which one signature fits
every message. Keys and commitments of mixed order pass (speccheck case 3), as with libsodium and
dalek's verify_strict: without the cofactor, their owner gains nothing.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

PUBLIC_KEY_BYTES: Final = 32
KEY_HASH_BYTES: Final = 16
SIGNATURE_BYTES: Final = 64
SEED_BYTES: Final = 32

_P: Final = 2**255 - 19
_L: Final = 2**252 + 27742317777372353535851937790883648493
_D: Final = -121665 * pow(121666, -1, _P) % _P
_SIGN_BIT: Final = 1 << 255

# The 8 points of small order in their canonical encodings, with their orders. Check 2 refuses their
# non-canonical encodings (y + p, or a sign bit although x = 0).
_SMALL_ORDER: Final = frozenset(
    bytes.fromhex(encoded)
    for encoded in (
        "0100000000000000000000000000000000000000000000000000000000000000",  # 1
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",  # 2
        "0000000000000000000000000000000000000000000000000000000000000000",  # 4
        "0000000000000000000000000000000000000000000000000000000000000080",  # 4
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",  # 8
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",  # 8
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",  # 8
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",  # 8
    )
)


class _Refused(ValueError):
    """The base of BadPublicKey and BadSignature. `failed` names the first check that failed."""

    def __init__(self, failed: str, sentence: str) -> None:
        super().__init__(sentence)
        self.failed = failed


class BadPublicKey(_Refused):
    """This isn't a usable identity key."""

    code = "bad-public-key"


class BadSignature(_Refused):
    """The signature isn't valid."""

    code = "bad-signature"


class IdentityKey:
    """A player's signing key. Only `public` ever leaves the machine."""

    __slots__ = ("private_key", "public", "secret_seed")

    def __init__(self, seed: bytes) -> None:
        """Make the key from a 32-byte seed, which RFC 8032 section 5.1.5 calls the private key."""
        if type(seed) is not bytes or len(seed) != SEED_BYTES:
            raise ValueError("an identity key's seed is exactly 32 bytes")
        self.secret_seed = seed  # the bytes to store: whoever has them can play as this player
        self.private_key = Ed25519PrivateKey.from_private_bytes(seed)  # also for TLS
        self.public: bytes = self.private_key.public_key().public_bytes_raw()

    @classmethod
    def generate(cls, rng: Callable[[int], bytes]) -> IdentityKey:
        return cls(rng(SEED_BYTES))

    def sign(self, message: bytes) -> bytes:
        """Return the 64-byte signature of `message`. It is deterministic: no nonce can repeat."""
        return self.private_key.sign(message)

    def __repr__(self) -> str:
        return f"<IdentityKey {fingerprint(self.public)}>"


def check_public_key(public: bytes) -> None:
    """Do checks 1 to 3 on a received key, and check that it is a point on the curve. Raises
    `BadPublicKey`.

    Call this once when a key arrives (welcome, offer, accept, invite); `verify_signature` repeats
    the checks that it needs.
    """
    _check_encoding(public)
    y = int.from_bytes(public, "little") & ~_SIGN_BIT
    # x^2 = (y^2 - 1) / (d y^2 + 1), and the quotient is a square if the product is (Euler).
    yy = y * y % _P
    if pow((yy - 1) * (_D * yy + 1), (_P - 1) // 2, _P) != 1:
        raise BadPublicKey("not-on-curve", "the identity key isn't a point on the curve")


def _check_encoding(public: bytes) -> None:
    if type(public) is not bytes or len(public) != PUBLIC_KEY_BYTES:
        raise BadPublicKey("length", "an identity key is exactly 32 bytes")
    if not _is_canonical(public):
        raise BadPublicKey("key-not-canonical", "the identity key isn't in canonical form")
    if public in _SMALL_ORDER:
        raise BadPublicKey("small-order-key", "the identity key has a small order")


def _is_canonical(encoded: bytes) -> bool:
    """Return whether y is below p, and the sign bit is 0 if x = 0 (y = 1 or -1), as in RFC 8032
    section 5.1.3 steps 1 and 4."""
    number = int.from_bytes(encoded, "little")
    y = number & ~_SIGN_BIT
    return y < _P and not (number & _SIGN_BIT and y in (1, _P - 1))


def verify_signature(public: bytes, message: bytes, signature: bytes) -> None:
    """Raise `BadSignature` unless `signature` is `public`'s signature of `message`, by the checks
    at the top of this module."""
    try:
        _check_encoding(public)
    except BadPublicKey as why:
        raise BadSignature(why.failed, str(why)) from None
    if type(signature) is not bytes or len(signature) != SIGNATURE_BYTES:
        raise BadSignature("length", "a signature is exactly 64 bytes")
    r, s = signature[:32], signature[32:]
    if int.from_bytes(s, "little") >= _L:
        raise BadSignature("s-out-of-range", "the signature's S isn't below the group's order")
    if not _is_canonical(r):
        raise BadSignature("r-not-canonical", "the signature's R isn't in canonical form")
    if r in _SMALL_ORDER:
        raise BadSignature("small-order-r", "the signature's R has a small order")
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except InvalidSignature:
        raise BadSignature("equation", "the signature doesn't match this key and text") from None


def key_hash(public: bytes) -> bytes:
    """Return a short form of a key: 16 bytes of its SHA-256. Finding another key with the same hash
    takes 2^128 attempts, as many as finding the key itself."""
    return hashlib.sha256(b"ginpeer/v1 fingerprint" + public).digest()[:KEY_HASH_BYTES]


def fingerprint(public: bytes) -> str:
    """Return four groups of five letters and digits, to read aloud: the first 100 bits of the key's
    SHA-256.

    The alphabet is that of RFC 4648 base32 in lower case, without 0, 1, 8 and 9. Finding a second
    key with the same fingerprint takes 2^100 attempts.
    """
    return fingerprint_of_hash(key_hash(public))


def fingerprint_of_hash(hashed: bytes) -> str:
    """Return the fingerprint of the key with this `key_hash`."""
    text = base64.b32encode(hashed).decode("ascii").lower()[:20]
    return "-".join(text[i : i + 5] for i in range(0, 20, 5))
