"""Melds, least deadwood and lay-offs, compared with trying everything (RULES 2, 3, 11)."""

import random
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
        ORDINARY.best_discards,
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


# --- a second implementation, slow and simple -------------------------------------------


@cache
def slow_melds(runs_wrap):
    of_a_rank = [CARDS[rank::13] for rank in range(13)]
    of_a_suit = [CARDS[first : first + 13] for first in range(0, 52, 13)]
    groups = [c for four in of_a_rank for size in (3, 4) for c in combinations(four, size)]
    groups += [c for suit in of_a_suit for size in range(3, 14) for c in combinations(suit, size)]
    return frozenset(mask_of(cards) for cards in groups if is_meld([*map(str, cards)], runs_wrap))


def slow_pips(cards, ace_pips):
    return sum(ace_pips if card.rank == 0 else min(card.rank + 1, 10) for card in cards_of(cards))


def slow_arrangements(hand, runs_wrap):
    """Yield every way to meld a hand, canonical or not."""
    inside = [meld for meld in slow_melds(runs_wrap) if not meld & ~hand]

    def ways(cards):
        if not cards:
            return [()]
        low = cards & -cards
        found = ways(cards ^ low)
        for meld in inside:
            if meld & low and not meld & ~cards:
                found = found + [(meld, *more) for more in ways(cards ^ meld)]
        return found

    return ways(hand)


def slow_best(hand, runs_wrap, ace_pips):
    """Return the least deadwood, and every canonical arrangement that has it."""
    all_ways = slow_arrangements(hand, runs_wrap)
    counts = [slow_pips(hand ^ sum(way), ace_pips) for way in all_ways]
    least = min(counts)
    best = {
        tuple(sorted(way))
        for way, count in zip(all_ways, counts, strict=True)
        if count == least
        and not any(one | other in slow_melds(runs_wrap) for one, other in combinations(way, 2))
    }
    return least, best


@st.composite
def crossing_hands(draw, sizes):
    """Return hands from a few neighbouring ranks, also across the corner, so that sets and runs
    cross.

    The cards come from a seed: with a permutation, hypothesis would mostly try the orderly ones.
    """
    size = draw(sizes)
    rng = random.Random(draw(st.integers(0, 1 << 64)))
    return mask_of(rng.sample(window(rng, size), size))


def window(rng, size):
    """Return all cards of some neighbouring ranks, at least *size*, often at the corner."""
    first = rng.choice([rng.randrange(13), rng.randrange(9, 13)])
    width = max((size + 3) // 4, rng.choice([4, 5, 5, 6, 6, 7, 8, 13]))
    return [card for card in CARDS if (card.rank - first) % 13 < width]


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


@settings(max_examples=300)
@given(way=four_ways, hand=crossing_hands(st.sampled_from([10, 11])))
def test_least_deadwood_and_arrangements_agree_with_exhaustive_search(way, hand):
    least, best = slow_best(hand, *way)
    ways = FOUR_WAYS[way]
    assert ways.deadwood(hand) == least
    found = ways.arrangements(hand)
    assert list(found) == sorted(best)
    assert ways.melds_in(hand) == found[0]


@settings(max_examples=150)
@given(way=four_ways, hand=crossing_hands(st.just(11)))
def test_best_discards_agree_with_exhaustive_search(way, hand):
    after = {card: slow_best(hand ^ card.bit, *way)[0] for card in cards_of(hand)}
    least = min(after.values())
    ways = FOUR_WAYS[way]
    assert ways.best_discards(hand) == (least, tuple(c for c in after if after[c] == least))
    assert ways.deadwood_after_discard(hand) == least


def slow_spread(hand, melds_laid, runs_wrap, ace_pips):
    """Return the least deadwood of a defender who tries every lay-off, one card after another."""
    seen, best = set(), 1_000
    waiting = [(hand, melds_laid)]
    while waiting:
        state = waiting.pop()
        if state in seen:
            continue
        seen.add(state)
        cards, table = state
        best = min(best, slow_best(cards, runs_wrap, ace_pips)[0])
        for at, meld in enumerate(table):
            for card in cards_of(cards):
                if meld | card.bit in slow_melds(runs_wrap):
                    grown = (*table[:at], meld | card.bit, *table[at + 1 :])
                    waiting.append((cards ^ card.bit, grown))
    return best


@settings(max_examples=300)
@given(way=four_ways, both=crossing_hands(st.just(20)))
def test_the_best_spread_agrees_with_exhaustive_search(way, both):
    ways = FOUR_WAYS[way]
    cards = random.Random(both).sample(cards_of(both), popcount(both))
    knocker, hand = mask_of(cards[:10]), mask_of(cards[10:])
    open_melds = ways.arrangements(knocker)[-1]
    spread = ways.best_spread(hand, open_melds)
    assert ways.pips(spread.deadwood) == slow_spread(hand, open_melds, *way)
    assert spread.cards == hand
    assert all(map(ways.is_meld, spread.melds))
    table = list(open_melds)
    for card, at in spread.layoffs:
        assert ways.fits(card, table[at])
        table[at] |= card.bit


# --- hands that grow --------------------------------------------------------------------


def test_the_whole_deck_can_be_melded():
    for ways in FOUR_WAYS.values():
        assert sum(ways.melds_in(DECK)) == DECK


@settings(max_examples=100)
@given(way=four_ways, hand=crossing_hands(st.integers(1, 52)))
def test_melds_of_any_hand_are_disjoint_melds_of_its_cards(way, hand):
    ways = FOUR_WAYS[way]
    found = ways.melds_in(hand)
    assert all(map(ways.is_meld, found))
    union = mask_of(card for meld in found for card in cards_of(meld))
    assert not union & ~hand
    assert sum(map(popcount, found)) == popcount(union)
    assert found == ways.melds_in(hand)


def test_the_melds_of_larger_hands_leave_the_least_deadwood_too():
    # This isn't promised for more than eleven cards, but is true of these eighty fixed hands.
    rng = random.Random(7)
    for turn in range(80):
        way = sorted(FOUR_WAYS)[turn % 4]
        size = rng.randrange(12, 17)
        hand = mask_of(rng.sample(window(rng, size), size))
        left = hand ^ sum(FOUR_WAYS[way].melds_in(hand))
        assert slow_pips(left, way[1]) == slow_best(hand, *way)[0], set_text(hand)
