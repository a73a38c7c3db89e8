"""Elements of which more is known than their bytes, and faster arithmetic with them.

When the seeds of a hand have been disclosed, nearly every element in it is a known multiple of the
base, or such a multiple plus the point of a card. The base can be multiplied three times as fast as
another element, and in a sum all known multiples come down to a single multiplication.

Every result is exactly that of the usual arithmetic. What is known was computed here, never just
claimed: whatever the seeds are, no wrong proof can be verified with their help.
"""

from __future__ import annotations

from collections.abc import Iterable

from protocol.crypto.group import BASE, IDENTITY, ORDER, Element, base_multiple, multi_multiply


class KnownElements:
    """What is known: ``element = logarithm * BASE + root``, where the root is the identity or
    another element. An element of which nothing is known is its own root."""

    def __init__(self) -> None:
        self._known = {IDENTITY: (0, IDENTITY), BASE: (1, IDENTITY)}

    def multiple(self, logarithm: int) -> Element:
        """Return ``logarithm * BASE``."""
        return self._learn(base_multiple(logarithm), logarithm, IDENTITY)

    def multiply(self, scalar: int, element: Element) -> Element:
        """Return ``scalar * element``."""
        logarithm, root = self._lookup(element)
        return self.multiple(scalar * logarithm) if root is IDENTITY else scalar * element

    def add_multiple(self, element: Element, scalar: int, other: Element = BASE) -> Element:
        """Return ``element + scalar * other``."""
        of_other, root = self._lookup(other)
        if root is not IDENTITY:
            return element + scalar * other
        logarithm, root = self._lookup(element)
        added = scalar * of_other
        if root is IDENTITY:
            return self.multiple(logarithm + added)
        return self._learn(element + base_multiple(added), logarithm + added, root)

    def subtract(self, element: Element, other: Element) -> Element:
        """Return ``element - other``."""
        difference = element - other
        of_other, root = self._lookup(other)
        if root is not IDENTITY:
            return difference
        logarithm, root = self._lookup(element)
        return self._learn(difference, logarithm - of_other, root)

    def multi_multiply(self, scalars: Iterable[int], elements: Iterable[Element]) -> Element:
        """Return the sum of scalar * element over both sequences, which must be equally long. Each
        root is multiplied only once."""
        of_base, of_roots = 0, dict[Element, int]()
        for scalar, element in zip(scalars, elements, strict=True):
            logarithm, root = self._lookup(element)
            of_base += scalar * logarithm
            if root is not IDENTITY:
                of_roots[root] = of_roots.get(root, 0) + scalar
        if not of_roots:
            return self.multiple(of_base)
        return multi_multiply((of_base, *of_roots.values()), (BASE, *of_roots))

    def _lookup(self, element: Element) -> tuple[int, Element]:
        return self._known.get(element) or (0, element)

    def _learn(self, element: Element, logarithm: int, root: Element) -> Element:
        self._known[element] = (logarithm % ORDER, root)
        return element
