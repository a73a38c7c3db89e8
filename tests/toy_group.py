"""A group for tests in which every discrete logarithm is known: the integers modulo L, added.

# An element is a number, encoded as 32 bytes little-endian; k * P is a product modulo L. The
# algebra is that of ristretto255 (a group of the same prime order L), so that every honest proof
# holds and every equation is computed as in earnest, only faster. It hides nothing: whoever reads
# c1 = r*B reads r. So it belongs to tests of everything but cryptography, and can show there what
# no other group can: `logarithm` gives the secret behind any element.
#
# The encodings of 1 and of ristretto255's base are swapped, so that the constant BASE of
# protocol/crypto/group.py is an element here, and the generator of all others.
#
# Production never sees it: no name selects it, a Seat refuses a group that is not constant-time
# and its logs do not verify under ristretto255.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar
from unittest import mock

from ginpeer.seat import seat
from protocol.crypto import commitment, group
from protocol.crypto.group import BASE, ORDER, Element
from protocol.deck import state

_BASE = BASE.encoded
_IDENTITY = bytes(32)
_CACHES = (
    commitment.generators,
    commitment._middle_multiple,
    state.card_points,
    state._numbers,
    state.open_deck,
)
"""What production computes once for each process, of elements: it is of one group only."""

Made = TypeVar("Made")


def _number(encoded: bytes) -> int:
    return 1 if encoded == _BASE else int.from_bytes(encoded, "little")


def _encoded(number: int) -> bytes:
    number %= ORDER
    return _BASE if number == 1 else number.to_bytes(32, "little")


class ToyGroup:
    """Functions from canonical encodings to canonical encodings; see `group.Backend`."""

    name = "toy"
    constant_time = False

    def is_canonical(self, encoded: bytes) -> bool:
        """Below L, or the base's own encoding; the number 1 has no other."""
        if encoded == _BASE:
            return True
        number = int.from_bytes(encoded, "little")
        return number < ORDER and number != 1

    def add(self, a: bytes, b: bytes) -> bytes:
        return _encoded(_number(a) + _number(b))

    def subtract(self, a: bytes, b: bytes) -> bytes:
        return _encoded(_number(a) - _number(b))

    def multiply(self, scalar: int, element: bytes) -> bytes:
        return _encoded(scalar * _number(element))

    def base_multiple(self, scalar: int) -> bytes:
        return _encoded(scalar)

    def multi_multiply(self, scalars: Sequence[int], elements: Sequence[bytes]) -> bytes:
        return _encoded(sum(k * _number(e) for k, e in zip(scalars, elements, strict=True)))

    def sum_of(self, elements: Sequence[bytes]) -> bytes:
        return _encoded(sum(map(_number, elements)))

    def map_uniform(self, uniform: bytes) -> bytes:
        return _encoded(int.from_bytes(uniform, "little"))


def logarithm(element: Element) -> int:
    """The k with ``element = k * BASE``; of elements of the toy group only."""
    return _number(element.encoded)


def _forget_elements() -> None:
    for cache in _CACHES:
        cache.cache_clear()


@contextmanager
def toy_group() -> Iterator[None]:
    """Compute in the toy group meanwhile, and let a Seat sit down all the same.

    Elements made inside mean nothing outside, and the other way round.
    """
    with (
        mock.patch.object(group, "_backend", ToyGroup()),
        mock.patch.object(seat, "require_constant_time"),
    ):
        _forget_elements()
        try:
            yield
        finally:
            _forget_elements()


def is_toy() -> bool:
    """Is it the toy group in which everything is computed now?"""
    return isinstance(group._backend, ToyGroup)


def cached_by_group(make: Callable[[], Made]) -> Callable[[], Made]:
    """What is made of elements, once in each group: a recorded match that tests share."""
    made = functools.cache(lambda toy: make())
    return functools.wraps(make)(lambda: made(is_toy()))
