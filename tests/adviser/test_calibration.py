"""The points given for choices are corrected, but the order of the choices stays the same."""

from itertools import pairwise

import pytest

from ginpeer.adviser.advise import (
    EXPECTED,
    LOST,
    LOST_BY_KNOCKING,
    calibrated,
    corrected,
)
from ginpeer.rules import STANDARD, Discard, Knock, Phase, Spread, parse_ruleset
from tests.adviser.test_advise import positions


@pytest.mark.parametrize("table", [*LOST.values(), LOST_BY_KNOCKING, *EXPECTED.values()])
def test_every_table_is_increasing(table):
    for (low, least), (high, most) in pairwise(table):
        assert low < high
        assert least < most


@pytest.mark.parametrize("table", [*LOST.values(), LOST_BY_KNOCKING])
def test_the_best_choice_loses_nothing(table):
    assert table[0] == (0, 0)


def test_a_correction_keeps_the_order_and_leaves_answers_to_knocks():
    knocks = spreads = 0
    for view, found in positions(STANDARD, 1, 6):
        said = [calibrated(view, found[0], choice) for choice in found]
        assert [each.move for each in said] == [each.move for each in found]
        for (one, other), (first, second) in zip(pairwise(found), pairwise(said), strict=True):
            assert (one.points > other.points) == (first.points > second.points)
        knocks += any(isinstance(each.move, Knock) for each in found)
        if isinstance(found[0].move, Spread):
            spreads += 1
            assert said == [*found]
    assert knocks
    assert spreads


def test_waiting_instead_of_knocking_has_its_own_table():
    waits = 0
    for view, (best, *others) in positions(STANDARD, 1, 20):
        knocks = [each for each in others if isinstance(each.move, Knock)]
        if not knocks or not isinstance(best.move, Discard) or not best.points:
            continue
        waits += 1
        for each in others:
            said = calibrated(view, best, best).points - calibrated(view, best, each).points
            loss = corrected(LOST_BY_KNOCKING, best.points - each.points)
            assert said == pytest.approx(loss)
    assert waits


def test_a_discard_that_makes_the_hand_void_is_worth_nothing():
    void = [
        (view, best)
        for view, (best, *_) in positions(STANDARD, 1, 40)
        if not best.points and view.hand.apply(best.move).over
    ]
    assert void
    assert all(calibrated(view, each, each) == each for view, each in void)


def test_a_discard_at_the_wall_cannot_win_points():
    at_the_wall = [
        (view, best)
        for view, (best, *_) in positions(parse_ruleset("standard wall=last-discard"), 1, 16)
        if view.hand.stock_left == 2 and view.hand.phase is Phase.DISCARD
    ]
    for view, best in at_the_wall:
        assert isinstance(best.move, Discard)
        assert best.points <= 0
        assert calibrated(view, best, best) == best
    assert at_the_wall


def test_a_hand_that_counts_double_has_twice_the_correction():
    for view, (best, *_) in positions(parse_ruleset("oklahoma"), 1, 8):
        assert view.hand.counts_double
        if not best.points:
            continue  # the hand is void
        said = 2 * corrected(EXPECTED.get(type(best.move), ((0, 0),)), best.points / 2)
        assert calibrated(view, best, best).points == pytest.approx(said)
