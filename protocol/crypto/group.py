"""The group in which everything is dealt: ristretto255 (RFC 9496), of prime order L, cofactor 1.

Rule 1: every Element is valid. `Element.decode` is the only door for bytes from elsewhere, and only
        this module calls the constructor, so code that has an Element needn't check it again.
Rule 2: the identity never comes in through that door, but our own arithmetic may yield it
        (P - P is a result, not an error), so every operation accepts it and no operation raises.
Rule 3: a scalar is a Python int. It is always reduced before use: libsodium silently accepts
        scalars of L and above, and would mask their top bit.
Rule 4: two back-ends give the same answers. `sodium` (libsodium, rbcl's or the system's) runs in
        constant time and may be given secrets. `pure` is plain Python, for verifying when
        libsodium can't be loaded. Its running time depends on the values, so it must not see
        secrets. Call `require_constant_time()` before playing.
Rule 5: the functions of a back-end take and return canonical encodings (the identity included) and
        scalars in [0, ORDER); `is_canonical` takes any 32 bytes, and `map_uniform` any 64. None of
        them raises on such input.

Python's own integer arithmetic on scalars (mod L) is not constant time in either back-end;
timing side channels of the local machine are outside the threat model.

The back-end is chosen on first use: the one that GINPEER_GROUP names (sodium or pure), or else
sodium if it loads, or else pure. It isn't chosen at import, because loading libsodium takes a tenth
of a second, and many importers of this module never compute anything.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from protocol.crypto.group_sodium import (
    BASE_ENCODED,
    HOW_TO_INSTALL,
    SodiumGroup,
    SodiumUnavailable,
    load_sodium,
)

if TYPE_CHECKING:
    from protocol.crypto.group_pure import PureGroup

# RFC 9496 section 4: L = 2^252 + 27742317777372353535851937790883648493.
ORDER: Final = 2**252 + 27742317777372353535851937790883648493
ELEMENT_BYTES: Final = 32
SCALAR_BYTES: Final = 32
UNIFORM_BYTES: Final = 64

_IDENTITY_ENCODED: Final = bytes(ELEMENT_BYTES)


class BadEncoding(ValueError):
    """These bytes aren't the canonical encoding of a group element or scalar."""

    code = "bad-encoding"


class NoConstantTimeGroup(RuntimeError):
    """Playing needs libsodium: the slower replacement could leak cards through its timing."""

    code = "no-constant-time-group"

    def __init__(self, reason: str) -> None:
        how = HOW_TO_INSTALL.get(sys.platform, "Install libsodium 1.0.18 or newer.")
        super().__init__(
            "To play, you need the libsodium library; without it, you can only verify and replay "
            f"logs. {how} ({reason})"
        )


class UnknownGroup(ValueError):
    """No group back-end has this name: the only ones are sodium and pure."""

    code = "unknown-group"


@dataclass(frozen=True, slots=True)
class Element:
    """One element of ristretto255, stored as its canonical 32-byte encoding."""

    encoded: bytes

    @staticmethod
    def decode(data: bytes) -> Element:
        """Decode an element from outside (RFC 9496 section 4.3.1), but refuse the identity.

        The first of these checks that fails raises `BadEncoding`:

        1. exactly 32 bytes;
        2. not the identity (32 zero bytes): if a key, a base or part of a ciphertext is the
           identity, the equations that contain it hold for everybody;
        3. canonical: the little-endian field element is below 2^255 - 19 and non-negative
           (even), so that each element has one encoding only;
        4. the encoding decodes: the square root exists and the point is in the group.
        """
        if type(data) is not bytes or len(data) != ELEMENT_BYTES:
            raise BadEncoding("a group element is exactly 32 bytes")
        if data == _IDENTITY_ENCODED:
            raise BadEncoding("the identity isn't accepted as a group element")
        if not _backend.is_canonical(data):  # checks 3 and 4
            raise BadEncoding("these 32 bytes don't encode a group element")
        return Element(data)

    @property
    def is_identity(self) -> bool:
        return self.encoded == _IDENTITY_ENCODED

    def __add__(self, other: Element) -> Element:
        return Element(_backend.add(self.encoded, other.encoded))

    def __sub__(self, other: Element) -> Element:
        return Element(_backend.subtract(self.encoded, other.encoded))

    def __rmul__(self, scalar: int) -> Element:
        return Element(_backend.multiply(scalar % ORDER, self.encoded))


IDENTITY: Final = Element(_IDENTITY_ENCODED)
BASE: Final = Element(BASE_ENCODED)


def base_multiple(scalar: int) -> Element:
    """Return scalar * BASE by the fixed-base path, three times as fast as `scalar * BASE`."""
    return Element(_backend.base_multiple(scalar % ORDER))


def multi_multiply(scalars: Iterable[int], elements: Iterable[Element]) -> Element:
    """Return the sum of scalar * element over both sequences, which must be equally long.

    Zero scalars and identity elements cost nothing, and BASE takes the fixed-base path. The time
    reveals which terms are skipped, so don't pass a secret scalar if it matters that it is zero.
    """
    kept_scalars: list[int] = []
    kept_elements: list[bytes] = []
    base_scalar = 0
    for scalar, element in zip(scalars, elements, strict=True):
        if element == BASE:
            base_scalar += scalar
        elif scalar % ORDER and not element.is_identity:
            kept_scalars.append(scalar % ORDER)
            kept_elements.append(element.encoded)
    if not kept_elements:
        return base_multiple(base_scalar)
    total = Element(_backend.multi_multiply(kept_scalars, kept_elements))
    return total + base_multiple(base_scalar) if base_scalar % ORDER else total


def from_uniform_bytes(uniform: bytes) -> Element:
    """Map 64 uniform bytes to an element by the one-way map of RFC 9496 section 4.3.4."""
    if len(uniform) != UNIFORM_BYTES:
        raise ValueError("the one-way map takes exactly 64 bytes")
    return Element(_backend.map_uniform(bytes(uniform)))


def decode_scalar(data: bytes) -> int:
    """Decode a scalar from outside: 32 bytes, little-endian, below ORDER. Raises `BadEncoding`."""
    if type(data) is not bytes or len(data) != SCALAR_BYTES:
        raise BadEncoding("a scalar is exactly 32 bytes")
    scalar = int.from_bytes(data, "little")
    if scalar >= ORDER:
        raise BadEncoding("a scalar must be below the order of the group")
    return scalar


def encode_scalar(scalar: int) -> bytes:
    """Return a scalar in [0, ORDER) as 32 bytes, little-endian."""
    if not 0 <= scalar < ORDER:
        raise ValueError("a scalar is at least 0 and below the order of the group")
    return scalar.to_bytes(SCALAR_BYTES, "little")


def select(name: str) -> None:
    """Use back-end `sodium` or `pure` from now on, in the whole process.

    Existing elements stay valid: they are encodings, and both back-ends read the same ones.
    Raises `NoConstantTimeGroup` if sodium is requested and can't be loaded, and `UnknownGroup` for
    any other name.
    """
    global _backend
    if name == "sodium":
        try:
            _backend = load_sodium()
        except SodiumUnavailable as why:
            raise NoConstantTimeGroup(str(why)) from why
    elif name == "pure":
        from protocol.crypto.group_pure import PureGroup

        _backend = PureGroup()
    else:
        raise UnknownGroup(f"no group back-end is called {name!r}; the choices are sodium and pure")


def require_constant_time() -> None:
    """Raise `NoConstantTimeGroup` unless the active back-end may be given secrets."""
    if not _backend.constant_time:
        raise NoConstantTimeGroup(_why_not_sodium)


def _choose() -> None:
    global _why_not_sodium
    wanted = os.environ.get("GINPEER_GROUP", "")
    if wanted:
        select(wanted)
        return
    try:
        select("sodium")
    except NoConstantTimeGroup as why:
        _why_not_sodium = str(why.__cause__)
        select("pure")


class _Undecided:
    """A placeholder for the back-end until one of its functions is first used."""

    def __getattr__(self, name: str) -> Any:
        _choose()
        return getattr(_backend, name)


_backend: SodiumGroup | PureGroup = cast(SodiumGroup, _Undecided())
_why_not_sodium = "the pure back-end was requested"
