"""Edwards25519, ristretto255 (RFC 9496) and Ed25519 (RFC 8032, PROTOCOL 2.6).

A point is (X, Y, Z, T) in extended coordinates on -x^2 + y^2 = 1 + d x^2 y^2, with x = X/Z,
y = Y/Z, xy = T/Z. Everything here judges public data: nothing runs in constant time.
"""

from collections.abc import Iterable
from functools import cache
from hashlib import sha512

from .refusal import require

Point = tuple[int, int, int, int]

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
SQRT_M1 = pow(2, (P - 1) // 4, P)
# RFC 9496, section 4.1. The signs of these two roots matter.
SQRT_AD_MINUS_ONE = 25063068953384623474111414158702152701244531502492656460079210482610430750235
INVSQRT_A_MINUS_D = 54469307008909316920995813868745141605393597292927456921205312896311721017578

IDENTITY: Point = (0, 1, 1, 0)


def add(p: Point, q: Point) -> Point:
    """Return p + q, by the complete formulas of RFC 8032, section 5.1.4."""
    a = (p[1] - p[0]) * (q[1] - q[0]) % P
    b = (p[1] + p[0]) * (q[1] + q[0]) % P
    c = 2 * D * p[3] * q[3] % P
    d = 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def double(p: Point) -> Point:
    """Return 2p (RFC 8032, section 5.1.4)."""
    a, b = p[0] * p[0] % P, p[1] * p[1] % P
    h = a + b
    e = h - (p[0] + p[1]) ** 2 % P
    g = a - b
    f = 2 * p[2] * p[2] % P + g
    return e * f % P, g * h % P, f * g % P, e * h % P


def negate(p: Point) -> Point:
    return -p[0] % P, p[1], p[2], -p[3] % P


def subtract(p: Point, q: Point) -> Point:
    return add(p, negate(q))


def combine(terms: Iterable[tuple[int, Point]]) -> Point:
    """Return the sum of scalar * point (Straus; signed digits of width 5, so 8 odd multiples a
    point)."""
    columns: list[list[Point]] = [[] for _ in range(L.bit_length() + 1)]
    for scalar, point in terms:
        twice = double(point)
        odd = [point]
        for _ in range(7):
            odd.append(add(odd[-1], twice))
        scalar %= L
        place = 0
        while scalar:
            zeros = (scalar & -scalar).bit_length() - 1
            scalar >>= zeros
            place += zeros
            digit = scalar & 31
            if digit < 16:
                columns[place].append(odd[digit >> 1])
            else:
                digit -= 32
                columns[place].append(negate(odd[-digit >> 1]))
            scalar -= digit
    total = IDENTITY
    for column in reversed(columns):
        total = double(total)
        for point in column:
            total = add(total, point)
    return total


# ---------------------------------------------------------------- ristretto255 (RFC 9496)


def _absolute(x: int) -> int:
    x %= P
    return P - x if x & 1 else x


def _sqrt_ratio_m1(u: int, v: int) -> tuple[bool, int]:
    """Compute SQRT_RATIO_M1 of RFC 9496, section 4.2."""
    r = u * pow(v, 3, P) * pow(u * pow(v, 7, P), (P - 5) // 8, P) % P
    check, u = v * r * r % P, u % P
    flipped = check == -u % P
    if flipped or check == -u * SQRT_M1 % P:
        r = r * SQRT_M1 % P
    return check == u or flipped, _absolute(r)


def is_identity(p: Point) -> bool:
    """Return whether p is in the coset of the identity (RFC 9496, section 4.3.3)."""
    return p[0] == 0 or p[1] == 0


def equal(p: Point, q: Point) -> bool:
    """Return whether p and q are the same element (RFC 9496, section 4.3.3)."""
    return (p[0] * q[1] - p[1] * q[0]) % P == 0 or (p[1] * q[1] - p[0] * q[0]) % P == 0


def decode(data: bytes) -> Point:
    """Decode an element, as received from a peer (PROTOCOL 4.1; RFC 9496, section 4.3.1)."""
    s = int.from_bytes(data, "little")
    require(0 < s < P and not s & 1, "bad-encoding")
    u1, u2 = (1 - s * s) % P, (1 + s * s) % P
    v = -(D * u1 * u1 + u2 * u2) % P
    square, inverse = _sqrt_ratio_m1(1, v * u2 * u2 % P)
    x = _absolute(2 * s * inverse * u2)
    y = u1 * inverse * inverse * u2 * v % P
    t = x * y % P
    require(square and not t & 1 and y != 0, "bad-encoding")
    return x, y, 1, t


def encode(p: Point) -> bytes:
    """Return the 32 bytes of an element (RFC 9496, section 4.3.2)."""
    x, y, z, t = p
    u1, u2 = (z + y) * (z - y) % P, x * y % P
    _, inverse = _sqrt_ratio_m1(1, u1 * u2 * u2 % P)
    den1, den2 = inverse * u1 % P, inverse * u2 % P
    z_inv = den1 * den2 * t % P
    if t * z_inv % P & 1:
        x, y, den2 = y * SQRT_M1 % P, x * SQRT_M1 % P, den1 * INVSQRT_A_MINUS_D % P
    if x * z_inv % P & 1:
        y = -y
    return _absolute(den2 * (z - y)).to_bytes(32, "little")


def _map(t: int) -> Point:
    """Compute MAP of RFC 9496, section 4.3.4."""
    r = SQRT_M1 * t * t % P
    u, v = (r + 1) * (1 - D * D) % P, (-1 - r * D) * (r + D) % P
    square, s = _sqrt_ratio_m1(u, v)
    if not square:
        s = -_absolute(s * t)
    n = (-1 if square else r) * (r - 1) * (D - 1) ** 2 - v
    w0, w1, w2, w3 = 2 * s * v, n * SQRT_AD_MINUS_ONE % P, 1 - s * s, 1 + s * s
    return w0 * w3 % P, w2 * w1 % P, w1 * w3 % P, w0 * w2 % P


def uniform(message: bytes, dst: bytes) -> bytes:
    """Expand a message to 64 bytes by expand_message_xmd (PROTOCOL 4.2; RFC 9380, 5.3.1)."""
    suffix = dst + bytes([len(dst)])
    b0 = sha512(bytes(128) + message + b"\x00\x40\x00" + suffix).digest()
    return sha512(b0 + b"\x01" + suffix).digest()


@cache
def hash_to_group(message: bytes, dst: bytes) -> Point:
    """Hash a message to an element: 64 uniform bytes, then RFC 9496's map (PROTOCOL 4.2)."""
    wide = uniform(message, dst)
    halves = (int.from_bytes(half, "little") % 2**255 for half in (wide[:32], wide[32:]))
    return add(*map(_map, halves))


# ---------------------------------------------------------------- Ed25519 (RFC 8032)


def _decompress(data: bytes) -> Point | None:
    """Return the point of edwards25519 with this encoding, or None if there is none (RFC 8032,
    5.1.3)."""
    y = int.from_bytes(data, "little")
    y, sign = y % 2**255, y >> 255
    square, x = _sqrt_ratio_m1(y * y - 1, D * y * y + 1)
    if y >= P or not square or (x == 0 and sign):
        return None
    x = -x % P if x & 1 != sign else x
    return x, y, 1, x * y % P


def _compress(p: Point) -> bytes:
    inverse = pow(p[2], -1, P)
    x, y = p[0] * inverse % P, p[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


_BASE_Y = 4 * pow(5, -1, P) % P
B = _decompress(_BASE_Y.to_bytes(32, "little")) or IDENTITY


def _regular(data: bytes) -> Point | None:
    """Return the point, or None if the encoding isn't canonical or the order divides 8 (PROTOCOL
    2.6)."""
    point = _decompress(data)
    if point is None or double(double(double(point)))[0] == 0:
        return None
    return point


def signature_holds(key: bytes, message: bytes, signature: bytes) -> bool:
    """Return whether the signature is valid (PROTOCOL 2.6). Refusing an R off the curve early makes
    no difference, because it equals no encoding."""
    if len(key) != 32 or len(signature) != 64:
        return False
    a, r = _regular(key), _regular(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= L:
        return False
    # The scalar is reduced modulo L before A is multiplied, which matters if A has order 2L to 8L.
    k = int.from_bytes(sha512(signature[:32] + key + message).digest(), "little") % L
    return _compress(combine([(s, B), (k, negate(a))])) == signature[:32]
