"""Faster arithmetic with elements whose discrete logarithms are known, in whole or in part.

Once both seeds of a hand are disclosed, nearly every element in it is a known multiple of the base,
or the point of a card plus such a multiple. Multiplying the base is three times as fast as
multiplying another element, and in a sum all known multiples become one multiplication of the base.

Every result equals that of ordinary group arithmetic. Every relation is computed here, never taken
from a player's claim, so no seed can make a false proof valid.
"""

from __future__ import annotations

from collections.abc import Iterable

from protocol.crypto.group import BASE, IDENTITY, ORDER, Element, base_multiple, multi_multiply


class KnownElements:
    """Group arithmetic that remembers its results as ``logarithm * BASE + root`` if the operands
    allow it. The root of a multiple of the base is the identity, unless a later sum gave the
    element another root. An unknown element is its own root, with the logarithm 0."""

    def __init__(self) -> None:
        self._known = {IDENTITY: (0, IDENTITY), BASE: (1, IDENTITY)}

    def multiple(self, logarithm: int) -> Element:
        """Return ``logarithm * BASE``, and remember its logarithm."""
        return self._remember(base_multiple(logarithm), logarithm, IDENTITY)

    def multiply(self, scalar: int, element: Element) -> Element:
        """Return ``scalar * element``. Remember the result if *element* is a known multiple of the
        base."""
        logarithm, root = self._lookup(element)
        return self.multiple(scalar * logarithm) if root is IDENTITY else scalar * element

    def add_multiple(self, element: Element, scalar: int, other: Element = BASE) -> Element:
        """Return ``element + scalar * other``. Remember the result if *other* is a known multiple
        of the base."""
        other_logarithm, other_root = self._lookup(other)
        if other_root is not IDENTITY:
            return element + scalar * other
        added = scalar * other_logarithm
        logarithm, root = self._lookup(element)
        if root is IDENTITY:
            return self.multiple(logarithm + added)
        return self._remember(element + base_multiple(added), logarithm + added, root)

    def subtract(self, element: Element, other: Element) -> Element:
        """Return ``element - other``. Remember the result if *other* is a known multiple of the
        base."""
        difference = element - other
        other_logarithm, other_root = self._lookup(other)
        if other_root is not IDENTITY:
            return difference
        logarithm, root = self._lookup(element)
        return self._remember(difference, logarithm - other_logarithm, root)

    def multi_multiply(self, scalars: Iterable[int], elements: Iterable[Element]) -> Element:
        """Return the sum of scalar * element over both sequences, which must be equally long.
        Remember the result if it is a known multiple of the base."""
        base_scalar, root_scalars = 0, dict[Element, int]()
        for scalar, element in zip(scalars, elements, strict=True):
            logarithm, root = self._lookup(element)
            base_scalar += scalar * logarithm
            if root is not IDENTITY:
                root_scalars[root] = root_scalars.get(root, 0) + scalar
        if not root_scalars:
            return self.multiple(base_scalar)
        return multi_multiply((base_scalar, *root_scalars.values()), (BASE, *root_scalars))

    def _lookup(self, element: Element) -> tuple[int, Element]:
        return self._known.get(element, (0, element))

    def _remember(self, element: Element, logarithm: int, root: Element) -> Element:
        self._known[element] = (logarithm % ORDER, root)
        return element
