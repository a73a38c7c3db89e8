"""Melds and lay-offs (RULES 2, 3, 11). test_vectors.py compares least deadwood and the best spreads
with those of another implementation."""

import subprocess
import sys
from dataclasses import replace
from functools import cache
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ginpeer.rules import (
    CARDS,
    DECK,
    STANDARD,
    cards_of,
    mask_of,
    melding,
    parse_move,
    popcount,
    set_text,
)
from ginpeer.rules.melds import allows
from tests.rules.by_the_book import is_meld
from tests.rules.drawing import drawn

ORDINARY = melding(STANDARD)
AROUND = melding(replace(STANDARD, runs_wrap=True))
DEAR_ACES = melding(replace(STANDARD, ace_pips=15))
TEDESCO = melding(replace(STANDARD, runs_wrap=True, ace_pips=15))
FOUR_WAYS = {(False, 1): ORDINARY, (True, 1): AROUND, (False, 15): DEAR_ACES, (True, 15): TEDESCO}
four_ways = st.sampled_from(sorted(FOUR_WAYS))


def test_there_are_185_melds_of_three_to_five_cards_and_329_in_all():
    assert sum(popcount(meld) <= 5 for meld in ORDINARY.melds) == 185
    assert len(ORDINARY.melds) == len(set(ORDINARY.melds)) == 329


def test_no_cards_have_no_deadwood_and_no_melds():
    assert ORDINARY.deadwood(0) == 0
    assert ORDINARY.arrangements(0) == ((),)
    assert TEDESCO.melds_in(0) == ()


@pytest.mark.parametrize(
    "judge",
    [
        ORDINARY.deadwood,
        ORDINARY.deadwood_after_discard,
        ORDINARY.arrangements,
        TEDESCO.deadwood,
    ],
)
def test_more_cards_than_a_hand_are_refused_rather_than_tried_for_hours(judge):
    with pytest.raises(ValueError, match="eleven"):
        judge(DECK)


def test_nothing_is_laid_off_when_no_meld_is_open():
    assert ORDINARY.best_spread(drawn("7h 8h Kc"), ()) == parse_move("spread deadwood 7h8hKc")


def test_a_card_that_fits_two_melds_is_laid_off_on_only_one():
    knocked = (drawn("3c 4c 5c"), drawn("7c 8c 9c"))
    spreads = ORDINARY.all_spreads(drawn("6c"), knocked)
    laid = [[(str(card), at) for card, at in spread.layoffs] for spread in spreads]
    assert sorted(laid) == [[], [("6c", 0)], [("6c", 1)]]


# --- around the corner, and aces of fifteen --------------------------------------------


def test_around_the_corner_there_are_221_melds_of_three_to_five_cards_and_589_in_all():
    for ways in (AROUND, TEDESCO):
        assert sum(popcount(meld) <= 5 for meld in ways.melds) == 221
        assert len(ways.melds) == len(set(ways.melds)) == 589
        assert list(ways.melds) == sorted(ways.melds)
    assert ORDINARY.melds == DEAR_ACES.melds


def test_there_are_four_ways_to_meld_and_each_is_built_once():
    assert len({id(ways) for ways in FOUR_WAYS.values()}) == 4
    assert melding(replace(STANDARD, runs_wrap=True, target=7)) is AROUND
    with pytest.raises(ValueError, match="1 or 15"):
        melding(replace(STANDARD, ace_pips=11))


def test_the_tables_of_the_variants_are_built_only_when_needed():
    made = "from ginpeer.rules import melds; print(melds._melding.cache_info().currsize)"
    told = subprocess.run([sys.executable, "-c", made], capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["1"]


# --- all melds, found by trying ----------------------------------------------------------


@cache
def slow_melds(runs_wrap):
    of_a_rank = [CARDS[rank::13] for rank in range(13)]
    of_a_suit = [CARDS[first : first + 13] for first in range(0, 52, 13)]
    groups = [c for four in of_a_rank for size in (3, 4) for c in combinations(four, size)]
    groups += [c for suit in of_a_suit for size in range(3, 14) for c in combinations(suit, size)]
    return frozenset(mask_of(cards) for cards in groups if is_meld([*map(str, cards)], runs_wrap))


def test_the_melds_are_those_found_by_a_slow_search():
    for (runs_wrap, _), ways in FOUR_WAYS.items():
        assert set(ways.melds) == slow_melds(runs_wrap)
        assert all(map(ways.is_meld, ways.melds))


def test_a_card_fits_a_meld_if_together_they_are_a_longer_meld():
    for (runs_wrap, _), ways in FOUR_WAYS.items():
        for meld in slow_melds(runs_wrap):
            takes = {card for card in CARDS if ways.fits(card, meld)}
            grows = {
                card for card in CARDS if not meld & card.bit and ways.is_meld(meld | card.bit)
            }
            assert takes == grows


# --- hands that grow --------------------------------------------------------------------


def test_the_whole_deck_can_be_melded():
    for ways in FOUR_WAYS.values():
        assert sum(ways.melds_in(DECK)) == DECK


def test_four_sets_are_melded_although_no_least_deadwood_is_defined():
    # 2 2 2   5 5 5 5   9 9 9   K K K   and a four
    found = ORDINARY.melds_in(drawn("2c2d2h 5c5d5h5s 9d9h9s KcKhKs 4s"))
    assert [*map(set_text, found)] == ["2c2d2h", "5c5d5h5s", "9d9h9s", "KcKhKs"]


@settings(max_examples=100)
@given(way=four_ways, hand=st.integers(0, DECK))
def test_melds_of_any_hand_are_disjoint_melds_of_its_cards(way, hand):
    ways = FOUR_WAYS[way]
    found = ways.melds_in(hand)
    assert all(map(ways.is_meld, found))
    union = mask_of(card for meld in found for card in cards_of(meld))
    assert not union & ~hand
    assert sum(map(popcount, found)) == popcount(union)
    assert found == ways.melds_in(hand)


def test_a_layoff_that_needs_another_first_is_not_the_same_as_one_at_once():
    nine, ten = CARDS[8], CARDS[9]
    at_once, after_the_nine = frozenset({(ten, 0)}), frozenset({(ten, nine.bit)})
    assert allows(at_once, after_the_nine)
    assert not allows(after_the_nine, at_once)
