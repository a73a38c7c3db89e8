"""A group for tests in which every discrete logarithm is known: the integers modulo L, added.

An element is a number, encoded as 32 bytes little-endian; k * P is a product modulo L. The
algebra is that of ristretto255 (a group of the same prime order L), so every honest proof is
valid and every equation is computed as in production, only faster. The group hides nothing:
c1 = r*B shows r. So it serves tests of everything except cryptography, and allows what no other
group can: `logarithm` returns the secret behind any element.

The encodings of 1 and of ristretto255's base are swapped, so that the constant BASE of
protocol/crypto/group.py is an element here, and generates all others.

Production never uses it: no name selects it, a Seat refuses a group that is not constant-time,
and its logs do not verify under ristretto255.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import ParamSpec, TypeVar
from unittest import mock

from ginpeer.seat import seat
from protocol.crypto import group, shuffle
from protocol.crypto.group import BASE, ORDER, Element
from protocol.deck import state

_BASE = BASE.encoded
_CACHES = (
    shuffle.generators,
    state.card_points,
    state._numbers,
    state.open_deck,
)
"""The caches in which a process keeps computed elements, which belong to one group only."""

Given, Made = ParamSpec("Given"), TypeVar("Made")


def _number(encoded: bytes) -> int:
    return 1 if encoded == _BASE else int.from_bytes(encoded, "little")


def _encoded(number: int) -> bytes:
    number %= ORDER
    return _BASE if number == 1 else number.to_bytes(32, "little")


class ToyGroup:
    """Functions from canonical encodings to canonical encodings; see rule 5 of the group."""

    name = "toy"
    constant_time = False

    def is_canonical(self, encoded: bytes) -> bool:
        """Return whether this encodes a number below L. Only the base's encoding encodes 1."""
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

    def map_uniform(self, uniform: bytes) -> bytes:
        return _encoded(int.from_bytes(uniform, "little"))


def logarithm(element: Element) -> int:
    """Return the k with ``element = k * BASE``; only for elements of the toy group."""
    return _number(element.encoded)


def _forget_elements() -> None:
    for cache in _CACHES:
        cache.cache_clear()


@contextmanager
def toy_group() -> Iterator[None]:
    """Compute in the toy group until the end of the block, and let a Seat use it.

    Elements made inside mean nothing outside, and vice versa.
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
    """Return whether everything is now computed in the toy group."""
    return isinstance(group._backend, ToyGroup)


def cached_by_group(make: Callable[Given, Made]) -> Callable[Given, Made]:
    """Call *make* once in each group with the same arguments and cache its result, such as a
    recorded match that tests share."""
    made = functools.cache(lambda toy, *args, **named: make(*args, **named))
    return functools.wraps(make)(lambda *args, **named: made(is_toy(), *args, **named))
