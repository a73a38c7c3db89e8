"""All levels of play use only what the seat can see, and finish a match under all rules."""

from functools import cache
from random import Random
from statistics import fmean, pstdev
from time import process_time

import pytest

from ginpeer.adviser import levels
from ginpeer.adviser.advise import choose
from ginpeer.adviser.levels import BEST, LEVELS, choose_at, player_at, recalled
from ginpeer.adviser.observation import observe
from ginpeer.net.timing import STEP
from ginpeer.rules import STANDARD, Match, View, mask_of, parse_ruleset, popcount
from tests.adviser.test_advise import positions
from tests.bench.mirrored import play
from tests.bench.players import named
from tests.rules.walk import ALL_RULES


@cache
def a_hand():
    """Return the view before each move of a hand."""
    return [view for view, _ in positions(STANDARD, 1, 3)]


@pytest.mark.parametrize("text", ALL_RULES)
@pytest.mark.deep(keep=3)
def test_every_level_plays_by_every_rule_set_to_the_end_in_either_seat(text):
    rules = parse_ruleset(text)
    for level in range(1, BEST + 1):
        match, rng = Match.begin(rules, level % 2), Random(f"{text} {level}").randbytes
        players = player_at(level, rng), player_at(level % BEST + 1, rng)
        hand = match.deal(seed=f"{text} {level}")
        while not hand.over:
            seat = hand.to_move
            hand = hand.apply(players[seat](View(seat, hand, match)))
        assert match.after(hand).results


@pytest.mark.parametrize("level", range(1, BEST + 1))
@pytest.mark.deep(keep=1)
def test_every_level_chooses_within_half_a_step_of_the_bots_grid(level):
    # Choices that take less time are all sent at the same moment, whatever the level and the hand
    # (net/timing.py).
    play_here, taken = player_at(level, Random(1).randbytes), []
    for view in a_hand():
        begun = process_time()
        play_here(view)
        taken.append(process_time() - begun)
    assert sorted(taken)[len(taken) * 9 // 10] < STEP / 2


def test_the_sixth_and_last_level_is_the_full_bot():
    assert BEST == len(LEVELS) + 1 == 6
    for view in a_hand()[::10]:
        assert player_at(BEST, _nothing_random)(view) == choose(view)


def _nothing_random(count):
    raise AssertionError("the best level errs by nothing")


def test_the_errors_of_a_level_depend_only_on_the_given_randomness():
    views = a_hand()[::4]

    def played(level, seed):
        draw = Random(seed).randbytes
        return [str(choose_at(view, level, draw)) for view in views]

    for level in LEVELS:
        assert played(level, 1) == played(level, 1)
        assert played(level, 1) != played(level, 2)


def test_cards_shown_long_ago_are_forgotten():
    *_, view = (
        view
        for view, _ in positions(STANDARD, 1, 5)
        if view.hand.known_held(1 - view.seat) and view.hand.knock is None
    )
    whole, three, none = observe(view), recalled(view, 3), recalled(view, 0)
    assert whole.held
    assert not none.held
    assert three.pile == whole.pile & three.pile
    assert popcount(three.pile) <= 3 < popcount(whole.pile)
    assert three.pile & mask_of(view.hand.pile[-1:]) == mask_of(view.hand.pile[-1:])
    assert none.pile == (0 if view.hand.upcard is None else view.hand.upcard.bit)
    assert not whole.unseen & ~three.unseen
    assert none.cards == three.cards == whole.cards


def test_errors_have_mean_zero_and_standard_deviation_one():
    draw = Random(6).randbytes
    drawn_errors = [levels._normal(draw) / levels._ONE for _ in range(4000)]
    assert abs(fmean(drawn_errors)) < 0.05
    assert abs(pstdev(drawn_errors) - 1) < 0.05


def test_the_best_level_wins_points_against_the_first():
    rules = parse_ruleset("standard hands=8")
    tally = play(named("bot"), named("level-1"), 1, rules=rules, seed="levels")
    assert tally.a_hand[0] > 5
