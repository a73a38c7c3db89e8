"""Pedersen commitments to vectors."""

from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.crypto.group import BASE, IDENTITY, ORDER, base_multiple
from protocol.crypto.hashing import hash_to_group
from protocol.crypto.shuffle import GENERATOR_LABEL, commit, generators
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
