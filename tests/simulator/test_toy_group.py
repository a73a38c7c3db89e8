"""The toy group has the same algebra as the real one; it is only ever used in tests."""

import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ginpeer.referee.referee import Finding, judge
from ginpeer.rules.ruleset import parse_ruleset
from protocol.crypto import group
from protocol.crypto.commitment import commit, commit_to_permutation, generators
from protocol.crypto.group import (
    BASE,
    IDENTITY,
    ORDER,
    BadEncoding,
    Element,
    NoConstantTimeGroup,
    UnknownGroup,
)
from protocol.deck.state import card_points
from tests.matches.table_pair import TablePair
from tests.toy_group import ToyGroup, logarithm, toy_group

ONE_HAND = parse_ruleset("standard hands=1")

scalars = st.one_of(st.sampled_from([0, 1, 2, ORDER - 1]), st.integers(0, ORDER - 1))


@pytest.fixture(scope="module")
def toy_log():
    with toy_group():
        pair = TablePair("toy", ONE_HAND).play()
    return pair.host.stored


@given(a=scalars, b=scalars, k=scalars)
def test_the_toy_group_is_the_numbers_modulo_the_order(a, b, k):
    with toy_group():
        P, Q = a * BASE, group.base_multiple(b)
        assert logarithm(P) == a
        assert (a + b) * BASE == P + Q
        assert P - Q == P + -Q == (a - b) * BASE
        assert k * (P + Q) == k * P + k * Q == group.multi_multiply((k, k), (P, Q))
        assert (P + -P) == IDENTITY
        assert P.is_identity or Element.decode(P.encoded) == P


def test_each_element_has_one_encoding():
    with toy_group():
        assert logarithm(Element.decode(BASE.encoded)) == 1
        for number in (0, 1, ORDER, ORDER + 5, 2**256 - 1):
            with pytest.raises(BadEncoding):
                Element.decode(number.to_bytes(32, "little"))
        assert logarithm(Element.decode((ORDER - 1).to_bytes(32, "little"))) == ORDER - 1


def test_the_two_ways_to_commit_to_a_permutation_agree():
    with toy_group():
        permutation = (3, 1, 2, 5, 4)
        assert commit_to_permutation(permutation, 7) == commit(permutation, 7)


def test_a_toy_match_is_valid_in_the_toy_group_and_forged_outside(toy_log):
    assert judge(toy_log).finding is Finding.FORGED
    with toy_group():
        assert judge(toy_log).finding is Finding.VALID


def test_the_toy_group_leaves_nothing_behind():
    before = group.backend_name(), card_points(), generators(4)
    with toy_group():
        assert group.backend_name() == "toy"
        assert card_points()[0] != before[1][0]
        assert generators(4)[0] != before[2][0]
    assert (group.backend_name(), card_points(), generators(4)) == before


def test_the_toy_group_cannot_be_selected_by_name():
    with pytest.raises(UnknownGroup):
        group.select(ToyGroup.name)
    done = subprocess.run(
        [sys.executable, "-c", "from protocol.crypto import group; group.backend_name()"],
        env=os.environ | {"GINPEER_GROUP": ToyGroup.name},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode != 0
    assert "UnknownGroup" in done.stderr


def test_a_seat_refuses_the_toy_group(monkeypatch):
    monkeypatch.setattr(group, "_backend", ToyGroup())
    with pytest.raises(NoConstantTimeGroup):
        TablePair("refused", ONE_HAND)
