"""Pedersen commitments to vectors."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.crypto.group import BASE, IDENTITY, ORDER, base_multiple
from protocol.crypto.hashing import hash_to_group
from protocol.crypto.shuffle import GENERATOR_LABEL, commit, commit_to_permutation, generators
from protocol.deck.state import card_points

scalars = st.integers(0, ORDER - 1)


def test_generators_are_hashed_under_their_own_label():
    assert generators(3) == tuple(
        hash_to_group(i.to_bytes(4, "big"), b"ginpeer/v1/generator") for i in (1, 2, 3)
    )
    assert GENERATOR_LABEL == b"ginpeer/v1/generator"


def test_a_longer_vector_keeps_the_generators_of_a_shorter_one():
    assert generators(52)[:11] == generators(11)


def test_no_two_public_points_are_the_same():
    points = (*generators(52), *card_points(), BASE, IDENTITY)
    assert len(set(points)) == 52 + 52 + 2


@settings(deadline=None, max_examples=50)
@given(st.lists(scalars, min_size=1, max_size=4), scalars)
def test_a_commitment_is_its_defining_sum(values, blinding):
    total = base_multiple(blinding)
    for value, generator in zip(values, generators(len(values)), strict=True):
        total = total + value * generator
    assert commit(values, blinding) == total


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 13).flatmap(lambda n: st.permutations(range(1, n + 1))), scalars)
def test_the_fast_commitment_to_a_permutation_is_the_same(permutation, blinding):
    assert commit_to_permutation(permutation, blinding) == commit(permutation, blinding)


@pytest.mark.parametrize("n", [1, 2, 11, 51, 52, 53])
def test_the_fast_commitment_is_right_for_every_length(n):
    forwards, backwards = list(range(1, n + 1)), list(range(n, 0, -1))
    assert commit_to_permutation(forwards, 7) == commit(forwards, 7)
    assert commit_to_permutation(backwards, 7) == commit(backwards, 7)
