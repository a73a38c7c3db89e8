# Hashing to elements and scalars, exactly as RFC 9497 section 4.1 (ristretto255-SHA512) does:
#
#   hash_to_group(m, dst)  = ristretto255 one-way map of expand_message_xmd(m, dst, 64)
#   hash_to_scalar(m, dst) = expand_message_xmd(m, dst, 64) as a little-endian int, mod L
#
# where expand_message_xmd is that of RFC 9380 section 5.3.1 over SHA-512. Nobody knows the discrete
# logarithm of a hashed element to any other base. That is why the card points and the commitment
# generators are hashed here, each under its own domain separation tag (dst).

"""expand_message_xmd, hash-to-group and hash-to-scalar for ristretto255 and SHA-512."""

from __future__ import annotations

import hashlib
from typing import Final

from protocol.crypto.group import ORDER, UNIFORM_BYTES, Element, from_uniform_bytes

_DIGEST_BYTES: Final = 64  # b_in_bytes of SHA-512
_BLOCK_BYTES: Final = 128  # s_in_bytes of SHA-512
_MAX_DST_BYTES: Final = 255


def expand_message_xmd(message: bytes, dst: bytes, length: int) -> bytes:
    """Return `length` uniform bytes from `message` under `dst` (RFC 9380 section 5.3.1, SHA-512).

    Raises `ValueError` unless `dst` has 1 to 255 bytes (longer ones would need section 5.3.3, which
    nothing here uses) and `length` is at most 255 * 64 bytes.
    """
    if not 1 <= len(dst) <= _MAX_DST_BYTES:
        raise ValueError("a domain separation tag has 1 to 255 bytes")
    if not 0 <= length <= 255 * _DIGEST_BYTES:
        raise ValueError("expand_message_xmd over SHA-512 yields at most 16,320 bytes")
    blocks = -(-length // _DIGEST_BYTES)  # ell, step 1
    dst_prime = dst + bytes([len(dst)])
    b_0 = hashlib.sha512(
        bytes(_BLOCK_BYTES) + message + length.to_bytes(2, "big") + b"\0" + dst_prime
    ).digest()
    uniform = bytearray()
    b_i = bytes(_DIGEST_BYTES)
    for i in range(1, blocks + 1):
        mixed = int.from_bytes(b_0, "big") ^ int.from_bytes(b_i, "big")  # b_0 alone when i = 1
        b_i = hashlib.sha512(mixed.to_bytes(_DIGEST_BYTES, "big") + bytes([i]) + dst_prime).digest()
        uniform += b_i
    return bytes(uniform[:length])


def hash_to_group(message: bytes, dst: bytes) -> Element:
    """Return an element whose discrete logarithm nobody knows."""
    return from_uniform_bytes(expand_message_xmd(message, dst, UNIFORM_BYTES))


def hash_to_scalar(message: bytes, dst: bytes) -> int:
    """Return a scalar in [0, ORDER), biased by less than 2^-259."""
    return int.from_bytes(expand_message_xmd(message, dst, UNIFORM_BYTES), "little") % ORDER
