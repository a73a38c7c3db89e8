"""The toy group has the same algebra as the real one; it is only ever used in tests."""

import pytest

from ginpeer.referee.referee import Finding, judge
from ginpeer.rules.ruleset import parse_ruleset
from protocol.crypto import group
from protocol.crypto.group import (
    NoConstantTimeGroup,
    UnknownGroup,
)
from protocol.crypto.shuffle import generators
from protocol.deck.state import card_points
from tests.matches.table_pair import TablePair
from tests.toy_group import ToyGroup, toy_group

ONE_HAND = parse_ruleset("standard hands=1")


@pytest.fixture(scope="module")
def toy_log():
    with toy_group():
        pair = TablePair("toy", ONE_HAND).play()
    return pair.host.stored


def test_a_toy_match_is_valid_in_the_toy_group_and_forged_outside(toy_log):
    assert judge(toy_log).finding is Finding.FORGED
    with toy_group():
        assert judge(toy_log).finding is Finding.VALID


def test_the_toy_group_leaves_nothing_behind():
    before = group._backend.name, card_points(), generators(4)
    with toy_group():
        assert group._backend.name == "toy"
        assert card_points()[0] != before[1][0]
        assert generators(4)[0] != before[2][0]
    assert (group._backend.name, card_points(), generators(4)) == before


def test_the_toy_group_cannot_be_selected_by_name():
    with pytest.raises(UnknownGroup):
        group.select(ToyGroup.name)


def test_a_seat_refuses_the_toy_group(monkeypatch):
    monkeypatch.setattr(group, "_backend", ToyGroup())
    with pytest.raises(NoConstantTimeGroup):
        TablePair("refused", ONE_HAND)
