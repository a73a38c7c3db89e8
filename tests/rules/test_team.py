"""What a hand of two teams scores (RULES 14); tests/tally has whole matches."""

import pytest

from ginpeer.rules import STANDARD, parse_result, parse_ruleset
from ginpeer.rules.score import VOID, HandResult, Outcome
from ginpeer.rules.team import (
    TeamHand,
    TeamMatch,
    ThreePlayers,
    plays_tedesco,
    score_team_hand,
    seen_from,
)

TIE = parse_result("tie: seat 0 knocked with 5 against 5, 0 to nobody")
MAHJONG = parse_result("mahjong: seat 0 went gin against 20, 70 to seat 0, -5 to the other")


def won(points, by=0):
    return HandResult(Outcome.KNOCK, by, points, by, 0, points)


# --- a hand of two teams ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("results", "winner", "points"),
    [
        # The example in the source, and the same with the teams exchanged.
        ((won(31), won(12)), 0, 43),
        ((won(31), won(12, by=1)), 0, 19),
        ((won(12), won(31, by=1)), 1, 19),
        ((won(31, by=1), won(12, by=1)), 1, 43),
        ((won(12), won(12, by=1)), None, 0),
        ((won(31), VOID), 0, 31),
        ((won(31, by=1), TIE), 1, 31),
        ((VOID, VOID), None, 0),
        ((TIE, VOID), None, 0),
    ],
)
def test_pairs_score_the_sum_or_the_difference(results, winner, points):
    hand = score_team_hand(results)
    assert (hand.winner, hand.points) == (winner, points)
    assert [hand.points_of(team) for team in (0, 1)] == [
        points if team == winner else 0 for team in (0, 1)
    ]


def test_in_mahjong_gin_the_sums_have_both_players_points():
    hand = score_team_hand((MAHJONG, won(30, by=1)))
    assert hand.sums == (70, 25)
    assert (hand.winner, hand.points) == (0, 45)


def test_a_result_seen_from_the_other_seat_is_the_same_result():
    for result in (won(10, by=1), TIE, VOID, MAHJONG):
        assert seen_from(result, 0) == result
        turned = seen_from(result, 1)
        assert [turned.points_of(seat) for seat in (1, 0)] == [
            result.points_of(seat) for seat in (0, 1)
        ]
        assert seen_from(turned, 1) == result


# --- Tedesco's teams --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "target", "bonus"), [(2, 200, 0), (3, 300, 25), (4, 400, 50), (5, 500, 75)]
)
def test_larger_teams_have_a_higher_target_and_a_higher_all_win_bonus(size, target, bonus):
    tables = parse_ruleset("tedesco columns=1 hands=8")
    match = TeamMatch.begin(tables, size, tedesco=True)
    rules = match.game.rules
    rules.check()
    assert (rules.target, rules.columns, rules.hands) == (target, 3, None)
    assert match.bonus == bonus
    assert TeamMatch.begin(tables, size, tedesco=False).bonus == 0


def test_a_hand_won_by_all_three_players_earns_25_points_more():
    assert score_team_hand((won(5), won(6), won(7)), 25) == TeamHand((18, 0), (25, 0))
    match = TeamMatch.begin(parse_ruleset("standard hands=6"), 3, tedesco=True)
    for results in (
        (won(5), won(6), won(7)),
        (won(5), won(6), won(7, by=1)),
        (won(5, by=1), won(6, by=1), won(7, by=1)),
        (won(5, by=1), won(6, by=1), VOID),
    ):
        match = match.record(results)
    assert [hand.points for hand in match.hands] == [43, 4, 43, 11]


def test_tedesco_is_known_by_its_features():
    assert plays_tedesco(parse_ruleset("tedesco columns=1 hands=8"))
    assert plays_tedesco(parse_ruleset("standard runs-wrap=yes ace-pips=15"))
    assert not plays_tedesco(parse_ruleset("around-the-corner"))
    assert not plays_tedesco(parse_ruleset("standard ace-pips=15"))
    assert not plays_tedesco(STANDARD)


def test_two_of_three_at_the_target_with_the_same_points_play_on():
    both = HandResult(Outcome.MAHJONG, 0, 60, 0, 0, 0, other_points=60)
    state = ThreePlayers(parse_ruleset("standard hands=1"), 100)
    state = state.record((0, 1), both).record((0, 1), both)
    assert (state.points, state.winner) == ((120, 120, 0), None)
    assert [line.total for line in state.lines] == [120, 120, 0]  # no boxes yet
    assert state.record((1, 2), won(1)).winner == 1
