"""Arithmetic with known elements gives the usual results, whichever elements are known."""

from __future__ import annotations

import random
from collections.abc import Callable
from unittest.mock import patch

import pytest

from protocol.crypto.group import BASE, IDENTITY, ORDER, Element, base_multiple, multi_multiply
from protocol.crypto.hashing import hash_to_group
from protocol.deck import proofs
from protocol.deck.proofs import KnownElements

UNRELATED = [hash_to_group(bytes([number]), b"unrelated") for number in range(4)]
SCALARS = (0, 1, 2, ORDER - 1, ORDER, -1, 7**80)


def check_operations(rng: random.Random, elements: list[Element], all_known: KnownElements) -> None:
    """Check one operation of each kind on random elements, and append the results to *elements*."""

    def random_element() -> Element:
        return rng.choice(elements)

    def random_scalar() -> int:
        return rng.choice((*SCALARS, rng.randrange(ORDER)))

    def check(scalars: list[int], terms: list[Element]) -> None:
        result = all_known.multi_multiply(scalars, terms)
        assert result == multi_multiply(scalars, terms)
        elements.append(result)

    k, a, b, c = random_scalar(), random_element(), random_element(), random_element()
    for scalars, terms in (
        ([k], [BASE]),
        ([k], [a]),
        ([1, k], [a, BASE]),
        ([1, k], [b, c]),
        ([1, -1], [b, c]),
        ([1, -1], [a, a]),
        ([random_scalar() for _ in range(4)], [random_element() for _ in range(4)]),
    ):
        check(scalars, terms)


@pytest.mark.parametrize("seed", range(3))
def test_results_and_remembered_logarithms_are_correct(seed: int, backend: str) -> None:
    rng, all_known = random.Random(seed), KnownElements()
    elements = [IDENTITY, BASE, *UNRELATED]
    for _ in range(12 if backend == "sodium" else 4):
        check_operations(rng, elements, all_known)
    roots = set()
    for element, (logarithm, root) in all_known._known.items():
        assert element == base_multiple(logarithm) + root
        roots.add(root)
    assert roots & set(UNRELATED), "nothing was learned about the unrelated elements"


def count_multiplied(compute: Callable[[], object]) -> int:
    """Return how many elements other than the base and the identity are multiplied."""
    terms: list[Element] = []

    def counting(scalars: list[int], elements: list[Element]) -> Element:
        terms.extend(each for each in elements if each not in (BASE, IDENTITY))
        return multi_multiply(scalars, elements)

    with patch.object(proofs, "multi_multiply", counting):
        compute()
    return len(terms)


def test_a_sum_multiplies_each_root_only_once() -> None:
    all_known, (root, other, *_) = KnownElements(), UNRELATED
    key = all_known.multi_multiply((11,), (BASE,))
    masked = [all_known.multi_multiply((1, k), (root, key)) for k in range(1, 6)]
    terms = [*masked, root, other, key, all_known.multi_multiply((3,), (key,))]
    assert count_multiplied(lambda: all_known.multi_multiply(range(2, len(terms) + 2), terms)) == 2
    assert count_multiplied(
        lambda: KnownElements().multi_multiply(range(2, len(terms) + 2), terms)
    ) == len(terms)


def test_a_sum_of_multiples_is_a_known_multiple() -> None:
    all_known = KnownElements()
    terms = [all_known.multi_multiply((k,), (BASE,)) for k in (5, 6)]
    total = all_known.multi_multiply((2, 3), terms)
    assert count_multiplied(lambda: all_known.multi_multiply((9,), (total,))) == 0


def test_lists_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="shorter"):
        KnownElements().multi_multiply((1, 2), (BASE,))
