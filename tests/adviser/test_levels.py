"""Levels of play: by what the seat sees, and to the end by all rules."""

from random import Random
from statistics import fmean, pstdev

import pytest

from ginpeer.adviser import levels
from ginpeer.adviser.levels import BEST, EVERYTHING, LEVELS, choose_at, recalled
from ginpeer.adviser.sight import sight
from ginpeer.bot import choose
from ginpeer.bot.at_level import player_at
from ginpeer.rules import (
    PRESETS,
    STANDARD,
    Match,
    View,
    mask_of,
    parse_ruleset,
    popcount,
)
from tests.adviser.test_advise import positions
from tests.bench.mirrored import pair


@pytest.mark.parametrize("text", [*PRESETS, "oklahoma knock-limit=second-deck"])
def test_every_level_plays_by_every_rule_set_to_the_end(text):
    rules = parse_ruleset(text)
    for upper, lower in ((1, 2), (3, 4), (5, 1)):
        match, rng = Match.begin(rules, 0), Random(f"{text} {upper}").randbytes
        players = player_at(upper, rng), player_at(lower, rng)
        hand = match.deal(seed=f"{text} {upper}")
        while not hand.over:
            seat = hand.to_move
            hand = hand.apply(players[seat](View(seat, hand, match)))
        assert match.after(hand).results


def test_there_are_five_and_the_last_is_the_bot_as_it_plays():
    assert BEST == len(LEVELS) == 5
    for view in [*positions(STANDARD, 1, 3)][::10]:
        assert player_at(BEST, _nothing_random)(view) == choose(view)


def _nothing_random(count):
    raise AssertionError("the best level errs by nothing")


def test_a_level_errs_by_the_randomness_that_it_is_given_and_by_nothing_else():
    views = [*positions(STANDARD, 1, 4)]

    def played(level, seed):
        draw = Random(seed).randbytes
        return [str(choose_at(view, level, draw)) for view in views]

    for level in LEVELS[:-1]:
        assert played(level, 1) == played(level, 1)
        assert played(level, 1) != played(level, 2)


def test_what_was_shown_long_ago_is_forgotten():
    *_, view = (
        view
        for view in positions(STANDARD, 1, 5)
        if view.hand.known_held(1 - view.seat) and view.hand.knock is None
    )
    whole, three, none = sight(view), recalled(view, 3), recalled(view, 0)
    assert recalled(view, EVERYTHING) == whole
    assert whole.held
    assert not none.held
    assert three.pile == whole.pile & three.pile
    assert popcount(three.pile) <= 3 < popcount(whole.pile)
    assert three.pile & mask_of(view.hand.pile[-1:]) == mask_of(view.hand.pile[-1:])
    assert none.pile == (0 if view.hand.upcard is None else view.hand.upcard.bit)
    assert not whole.unseen & ~three.unseen
    assert none.cards == three.cards == whole.cards


def test_an_error_is_of_the_size_that_the_level_says():
    draw = Random(6).randbytes
    drawn_errors = [levels._normal(draw) / levels._ONE for _ in range(4000)]
    assert abs(fmean(drawn_errors)) < 0.05
    assert abs(pstdev(drawn_errors) - 1) < 0.05


def test_the_best_level_wins_points_from_the_first():
    def at(number):
        return lambda view, rng: player_at(number, rng)(view)

    tally = pair((at(BEST), at(1)), "levels", parse_ruleset("standard hands=8"))
    assert tally.points[0] > 5
