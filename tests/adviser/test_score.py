"""The value of a hand at the current score."""

import pytest

from ginpeer.adviser.value_model import FAR, needs, price_at
from ginpeer.rules import Match, View, parse_result, parse_ruleset
from tests.rules.drawing import deal

MINE, OTHER = "7c 7d 7h  3s 4s 5s  9c Tc Jc 2h", "2c Ac 4d 6d 8h Th Js Ks Qd 5c"
FAR_OFF = FAR + 1


def needed(rules, *results, upcard="Ad"):
    """Return the points that each player needs in the hand after these results, seat 0 first."""
    match = Match.begin(parse_ruleset(rules), 1)
    for result in results:
        match = match.record(parse_result(result))
    hand = deal(match.dealer, MINE, OTHER, upcard, match.rules)
    return needs(View(0, hand, match))


WON_95 = "knock: seat 0 knocked with 1 against 96, 95 to seat 0"
LOST_5 = "knock: seat 1 knocked with 1 against 6, 5 to seat 1"


def test_a_player_needs_what_is_left_to_the_target():
    assert needed("standard", WON_95) == (5, 100)
    assert needed("standard target=250", WON_95, LOST_5) == (155, 245)


def test_of_three_columns_the_one_counts_that_is_nearest():
    assert needed("hollywood", WON_95) == (5, 100)
    assert needed("hollywood", LOST_5, LOST_5) == (100, 90)


def test_in_the_last_of_so_many_hands_who_is_behind_needs_one_more_than_the_lead():
    assert needed("standard hands=2", LOST_5) == (6, 1)
    assert needed("standard hands=3", LOST_5) == (FAR_OFF, FAR_OFF)
    assert needed("standard hands=2 target=100", LOST_5) == (6, 1)


def test_where_points_count_twice_half_as_many_are_needed():
    assert needed("oklahoma", upcard="9d") == (100, 100)
    assert needed("oklahoma", upcard="9s") == (50, 50)


def worth(price, points):
    """Return the value in points of a hand with this result; lost points are negative."""
    won, each, lost, each_lost = price
    return (won + each * points if points > 0 else lost - each_lost * points) / 1000


def test_far_from_the_target_points_are_points():
    assert price_at(500, 500) == (0, 1000, 0, -1000)
    for points in (-40, -10, 10, 40):
        assert worth(price_at(100, 100), points) == pytest.approx(points, abs=2)


def test_near_the_target_the_hand_counts_and_not_its_points():
    near, far = price_at(5, 100), price_at(100, 100)
    assert worth(near, 6) / worth(near, 50) > 3 * worth(far, 6) / worth(far, 50)
    assert worth(near, 6) > 2.5 * worth(far, 6)


def test_what_one_player_wins_the_other_loses():
    for need, their_need in ((100, 100), (60, 20), (5, 90), (130, 40)):
        for points in (5, 30):
            mine, theirs = price_at(need, their_need), price_at(their_need, need)
            assert worth(mine, points) == pytest.approx(-worth(theirs, -points), abs=0.1)
