"""The back-end in plain Python, after RFC 9496, for verifying if libsodium can't be loaded.

The running time of every function here depends on the values, so it must never be given a secret.
That is why the multiplications have `vartime` in their names, and why
`group.require_constant_time()` refuses this back-end.

A ristretto255 element is a class of points of the curve -x^2 + y^2 = 1 + d x^2 y^2 over
GF(2^255 - 19); any member of the class may stand for it. We compute on points in extended
coordinates (X, Y, Z, T) with x = X/Z, y = Y/Z, xy = T/Z (Hisil, Wong, Carter, Dawson 2008,
sections 3.1 and 3.3) and encode at the end.

One multiplication costs about 250 doublings. Verifying is fast enough only because a sum of
many products shares them: Straus' method, with the scalars in width-5 non-adjacent form. At
the sizes that occur here (up to about 300 terms) it needs 52 additions a term, and Pippenger's
buckets would need as many, so one method is enough.

Decoding computes a power in the field, which takes as long as about thirty additions, and the
same card points and generators recur in every proof. So points and their tables of odd multiples
are cached by encoding.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Final

from protocol.crypto.group_sodium import BASE_ENCODED

# RFC 9496 section 4.1.
P: Final = 2**255 - 19
D: Final = 37095705934669439343138083508754565189542113879843219016388785533085940283555
SQRT_M1: Final = 19681161376707505956807079304988542015446066515923890162744021073123829784752
SQRT_AD_MINUS_ONE: Final = (
    25063068953384623474111414158702152701244531502492656460079210482610430750235
)
INVSQRT_A_MINUS_D: Final = (
    54469307008909316920995813868745141605393597292927456921205312896311721017578
)
ONE_MINUS_D_SQ: Final = 1159843021668779879193775521855586647937357759715417654439879720876111806838
D_MINUS_ONE_SQ: Final = (
    40440834346308536858101042469323190826248399146238708352240133220865137265952
)

Point = tuple[int, int, int, int]  # X, Y, Z, T
# A point prepared for addition: (Y - X, Y + X, 2 Z, 2 d T). Negating it swaps the first two and
# negates the last.
Addend = tuple[int, int, int, int]

_NEUTRAL: Final[Point] = (0, 1, 1, 0)
_BELOW_TOP_BIT: Final = 2**255 - 1
_NAF_WIDTH: Final = 5  # 8 odd multiples per table, one addition per 6 doublings
_CACHED_TABLES: Final = 1024  # 2.5 KB each
_CACHED_POINTS: Final = 4096  # 0.3 KB each; an element is decoded, then often used twice


class PureGroup:
    """The back-end in plain Python; see rule 5 in protocol/crypto/group.py."""

    name = "pure"
    constant_time = False

    def is_canonical(self, encoded: bytes) -> bool:
        """Return whether these 32 bytes are a canonical encoding; true for the identity."""
        return decode(encoded) is not None

    def add(self, a: bytes, b: bytes) -> bytes:
        return encode(_add(_proven(a), _addend(_proven(b))))

    def subtract(self, a: bytes, b: bytes) -> bytes:
        return encode(_add(_proven(a), _negated(_addend(_proven(b)))))

    def multiply(self, scalar: int, element: bytes) -> bytes:
        return encode(_multi_multiply_vartime([scalar], [element]))

    def base_multiple(self, scalar: int) -> bytes:
        return encode(_base_multiple_vartime(scalar))

    def multi_multiply(self, scalars: Sequence[int], elements: Sequence[bytes]) -> bytes:
        return encode(_multi_multiply_vartime(scalars, elements))

    def map_uniform(self, uniform: bytes) -> bytes:
        """RFC 9496 section 4.3.4: add the maps of both halves, ignoring their top bits."""
        first = _map(int.from_bytes(uniform[:32], "little") & _BELOW_TOP_BIT)
        second = _map(int.from_bytes(uniform[32:], "little") & _BELOW_TOP_BIT)
        return encode(_add(first, _addend(second)))


# Encoding, decoding and the map: RFC 9496 sections 4.2 and 4.3, with its names.


def _sqrt_ratio_m1(u: int, v: int) -> tuple[bool, int]:
    """Section 4.2: return (True, sqrt(u/v)) or (False, sqrt(SQRT_M1 * u/v)), root non-negative."""
    v3 = v * v % P * v % P
    r = u * v3 % P * pow(u * v3 % P * v3 % P * v % P, (P - 5) // 8, P) % P
    check = v * r % P * r % P
    u %= P
    correct_sign = check == u
    flipped_sign = check == (-u) % P
    flipped_sign_i = check == (-u * SQRT_M1) % P
    if flipped_sign or flipped_sign_i:
        r = r * SQRT_M1 % P
    return correct_sign or flipped_sign, _abs(r)


def _abs(value: int) -> int:
    """Section 4.1: return +value or -value (reduced), whichever is even."""
    return P - value if value & 1 else value


@lru_cache(maxsize=_CACHED_POINTS)
def decode(encoded: bytes) -> Point | None:
    """Section 4.3.1: return a point for these 32 bytes, or None if they aren't canonical."""
    s = int.from_bytes(encoded, "little")
    if s >= P or s & 1:
        return None
    ss = s * s % P
    u1 = 1 - ss
    u2 = 1 + ss
    u2_sqr = u2 * u2 % P
    v = (-(D * u1 * u1) - u2_sqr) % P
    was_square, invsqrt = _sqrt_ratio_m1(1, v * u2_sqr % P)
    den_x = invsqrt * u2 % P
    den_y = invsqrt * den_x % P * v % P
    x = _abs(2 * s * den_x % P)
    y = u1 * den_y % P
    t = x * y % P
    if not was_square or t & 1 or y == 0:
        return None
    return x, y, 1, t


def encode(point: Point) -> bytes:
    """Section 4.3.2: return the one encoding of the element that this point represents."""
    x0, y0, z0, t0 = point
    u1 = (z0 + y0) * (z0 - y0) % P
    u2 = x0 * y0 % P
    _, invsqrt = _sqrt_ratio_m1(1, u1 * u2 % P * u2 % P)
    den1 = invsqrt * u1 % P
    den2 = invsqrt * u2 % P
    z_inv = den1 * den2 % P * t0 % P
    if t0 * z_inv % P & 1:  # rotate
        x = y0 * SQRT_M1 % P
        y = x0 * SQRT_M1 % P
        den_inv = den1 * INVSQRT_A_MINUS_D % P
    else:
        x, y, den_inv = x0, y0, den2
    if x * z_inv % P & 1:
        y = -y
    return _abs(den_inv * (z0 - y) % P).to_bytes(32, "little")


def _map(t: int) -> Point:
    """Section 4.3.4, function MAP."""
    r = SQRT_M1 * t % P * t % P
    u = (r + 1) * ONE_MINUS_D_SQ % P
    v = (-1 - r * D) * (r + D) % P
    was_square, s = _sqrt_ratio_m1(u, v)
    if was_square:
        c = -1
    else:
        s = -_abs(s * t % P)
        c = r
    n = (c * (r - 1) * D_MINUS_ONE_SQ - v) % P
    w0 = 2 * s * v % P
    w1 = n * SQRT_AD_MINUS_ONE % P
    w2 = 1 - s * s % P
    w3 = 1 + s * s % P
    return w0 * w3 % P, w2 * w1 % P, w1 * w3 % P, w0 * w2 % P


def _proven(encoded: bytes) -> Point:
    point = decode(encoded)
    if point is None:
        raise RuntimeError("an element was used that was never decoded")
    return point


# Points: Hisil, Wong, Carter, Dawson 2008, section 3.1 (unified addition, k = 2d) and 3.3.


def _addend(point: Point) -> Addend:
    x, y, z, t = point
    return y - x, y + x, 2 * z, 2 * D * t % P


def _negated(addend: Addend) -> Addend:
    minus, plus, two_z, two_d_t = addend
    return plus, minus, two_z, -two_d_t


def _add(point: Point, addend: Addend) -> Point:
    """Add a prepared point. The formula is complete: it also holds for equal, opposite and neutral
    points (d is not a square)."""
    x, y, z, t = point
    minus, plus, two_z, two_d_t = addend
    a = (y - x) * minus
    b = (y + x) * plus
    c = t * two_d_t
    d = z * two_z
    e = (b - a) % P
    f = (d - c) % P
    g = (d + c) % P
    h = (b + a) % P
    return e * f % P, g * h % P, f * g % P, e * h % P


def _double(point: Point) -> Point:
    x, y, z, _ = point
    xx = x * x
    yy = y * y
    sum_squared = x + y
    e = (sum_squared * sum_squared - xx - yy) % P
    g = (yy - xx) % P
    f = (g - 2 * z * z) % P
    h = (-xx - yy) % P
    return e * f % P, g * h % P, f * g % P, e * h % P


# Multiplication, in variable time.


@lru_cache(maxsize=_CACHED_TABLES)
def _odd_multiples(encoded: bytes) -> tuple[Addend, ...]:
    """Return 1, 3, 5 ... 15 times the element."""
    point = _proven(encoded)
    twice = _addend(_double(point))
    multiples = [_addend(point)]
    for _ in range(2 ** (_NAF_WIDTH - 2) - 1):
        point = _add(point, twice)
        multiples.append(_addend(point))
    return tuple(multiples)


def _non_adjacent_form(scalar: int) -> list[tuple[int, int]]:
    """Return (position, odd digit in -15..15) pairs, lowest position first, with
    scalar = sum of digit * 2^position and positions at least _NAF_WIDTH apart."""
    digits: list[tuple[int, int]] = []
    modulus = 1 << _NAF_WIDTH
    half = modulus >> 1
    position = 0
    while scalar:
        zeros = (scalar & -scalar).bit_length() - 1
        scalar >>= zeros
        position += zeros
        digit = scalar & (modulus - 1)
        if digit >= half:
            digit -= modulus
        digits.append((position, digit))
        scalar -= digit
    return digits


def _multi_multiply_vartime(scalars: Sequence[int], elements: Sequence[bytes]) -> Point:
    """Return the sum of scalar * element by Straus' method: all products share the doublings."""
    due: dict[int, list[Addend]] = {}  # position -> the addends there
    for scalar, element in zip(scalars, elements, strict=True):
        table = _odd_multiples(element)
        for position, digit in _non_adjacent_form(scalar):
            addend = table[digit >> 1] if digit > 0 else _negated(table[-digit >> 1])
            due.setdefault(position, []).append(addend)
    total = _NEUTRAL
    for position in range(max(due, default=0), -1, -1):
        total = _double(total)
        for addend in due.get(position, ()):
            total = _add(total, addend)
    return total


_BASE_PART_BITS: Final = 32


@cache
def _base_powers() -> tuple[bytes, ...]:
    """Return 2^0, 2^32, 2^64 ... 2^224 times the base."""
    powers = (1 << position for position in range(0, 256, _BASE_PART_BITS))
    return tuple(encode(_multi_multiply_vartime([power], [BASE_ENCODED])) for power in powers)


def _base_multiple_vartime(scalar: int) -> Point:
    """Multiply the base as a sum of eight products with parts of 32 bits, which share 32
    doublings."""
    parts = [
        scalar >> position & ((1 << _BASE_PART_BITS) - 1)
        for position in range(0, 256, _BASE_PART_BITS)
    ]
    return _multi_multiply_vartime(parts, _base_powers())
