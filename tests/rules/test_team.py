"""More than two players: teams at several tables, and three players who take turns (RULES 14)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ginpeer.rules import STANDARD, Illegal, parse_result, parse_ruleset
from ginpeer.rules.score import VOID, HandResult, Outcome
from ginpeer.rules.team import (
    Bout,
    TeamHand,
    TeamMatch,
    ThreePlayers,
    all_win_bonus,
    first_out_of_turn,
    next_players,
    plays_tedesco,
    score_team_hand,
    seen_from,
    team_rules,
)

TIE = parse_result("tie: seat 0 knocked with 5 against 5, 0 to nobody")
MAHJONG = parse_result("mahjong: seat 0 went gin against 20, 70 to seat 0, -5 to the other")


def won(points, by=0):
    return HandResult(Outcome.KNOCK, by, points, by, 0, points)


def team_match(*hands, size=2, tedesco=False, rules="standard hands=6", target=None):
    match = TeamMatch.begin(parse_ruleset(rules), size, tedesco=tedesco, target=target)
    for results in hands:
        match = match.record(results)
    return match


# --- a hand of two teams ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("results", "winner", "points"),
    [
        # The example in the source, both ways round.
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


@given(
    st.lists(st.tuples(st.integers(0, 200), st.sampled_from([0, 1])), min_size=2, max_size=5),
    st.sampled_from([0, 25, 50]),
)
def test_a_mirrored_hand_scores_the_same_for_the_other_team(hands, bonus):
    results = [won(points, by) for points, by in hands]
    hand = score_team_hand(results, bonus)
    mirrored = score_team_hand([seen_from(result, 1) for result in results], bonus)
    assert (mirrored.points_of(0), mirrored.points_of(1)) == (hand.points_of(1), hand.points_of(0))
    assert 0 in (hand.points_of(0), hand.points_of(1))


def test_a_result_seen_from_the_other_seat_is_the_same_result():
    for result in (won(10, by=1), TIE, VOID, MAHJONG):
        assert seen_from(result, 0) == result
        turned = seen_from(result, 1)
        assert [turned.points_of(seat) for seat in (1, 0)] == [
            result.points_of(seat) for seat in (0, 1)
        ]
        assert seen_from(turned, 1) == result


# --- two pairs --------------------------------------------------------------------------


def test_two_pairs_play_to_125():
    match = team_match((won(60), won(64)))
    assert match.game.scores == (124, 0)
    assert not match.game.over
    match = match.record((won(1), VOID))
    assert match.game.over
    assert match.game.winner == 0


def test_the_bonuses_are_those_of_the_tables():
    match = team_match(
        (won(60), won(40)),
        (won(20), won(32, by=1)),
        (won(25), VOID),
        rules="standard hands=3 game-bonus=200 box=20",
    )
    ours, theirs = match.game.columns[0].lines
    # One team won two hands, the other one: a box each, and no shutout.
    assert (ours.hand_points, ours.shutout, ours.game_bonus, ours.boxes) == (125, 0, 200, 40)
    assert (theirs.hand_points, theirs.game_bonus, theirs.boxes) == (12, 0, 20)


def test_a_team_that_wins_no_hand_is_shut_out():
    ours, theirs = team_match((won(60), won(80))).game.columns[0].lines
    assert (ours.shutout, theirs.total) == (140, 0)
    ours, _ = team_match(
        (won(60), won(80)), rules="classic hands=3"
    ).game.columns[0].lines  # fmt: skip
    assert (ours.shutout, ours.game_bonus) == (0, 200)


def test_hands_and_resignations_after_the_end_do_not_count():
    match = team_match((won(60), won(80)), (won(60), won(1)))
    assert [hand and hand.points for hand in match.hands] == [140, None]
    assert match.game.scores == (140, 0)
    match = match.resign({0})
    assert (match.winner, match.resigned, match.hands[2:]) == (0, frozenset(), (None,))


def test_a_team_whose_player_resigns_has_lost_the_game():
    match = team_match((won(60), won(40, by=1)), (won(10), won(20))).resign({0})
    assert (match.over, match.winner, match.resigned) == (True, 1, {0})
    ours, theirs = match.game.columns[0].lines
    assert (ours.hand_points, ours.game_bonus, ours.boxes) == (50, 0, 50)
    # The team has won no hand and has no points, but it still gets the game bonus.
    assert (theirs.hand_points, theirs.shutout, theirs.game_bonus) == (0, 0, 100)
    match = match.record((won(60), won(80)))
    assert (match.hands[-1], match.game.scores) == (None, (50, 0))


def test_a_team_that_resigns_without_a_hand_is_shut_out():
    match = team_match((won(60), won(40))).resign({1})
    ours, _ = match.game.columns[0].lines
    assert (ours.hand_points, ours.shutout, ours.game_bonus, ours.boxes) == (100, 100, 100, 25)


def test_a_team_that_resigns_loses_three_columns_whatever_the_totals():
    match = team_match((won(150), won(60)), (won(5), won(6)), tedesco=True).resign({0})
    assert [column.winner for column in match.game.columns] == [0, 1, 1]
    assert match.game.totals[0] > match.game.totals[1]
    assert match.winner == 1


def test_if_both_teams_resign_the_same_hand_neither_has_won():
    match = team_match((won(60), won(40))).resign({0, 1})
    assert (match.over, match.winner, match.game.over) == (True, None, False)
    assert [line.game_bonus for line in match.game.columns[0].lines] == [0, 0]
    assert match.record((won(60), won(80))).game.scores == (100, 0)


def test_another_possible_target_can_be_agreed():
    assert not team_match((won(60), won(80)), target=150).game.over
    with pytest.raises(Illegal):
        team_match(target=0)


# --- Tedesco's teams --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "target", "bonus"), [(2, 200, 0), (3, 300, 25), (4, 400, 50), (5, 500, 75)]
)
def test_larger_teams_have_a_higher_target_and_a_higher_all_win_bonus(size, target, bonus):
    rules = team_rules(parse_ruleset("tedesco columns=1 hands=8"), size, tedesco=True)
    rules.check()
    assert (rules.target, rules.columns, rules.hands) == (target, 3, None)
    assert all_win_bonus(size, tedesco=True) == bonus
    assert all_win_bonus(size, tedesco=False) == 0


def test_a_hand_won_by_all_three_players_earns_25_points_more():
    assert score_team_hand((won(5), won(6), won(7)), 25) == TeamHand((18, 0), (25, 0))
    match = team_match(
        (won(5), won(6), won(7)),
        (won(5), won(6), won(7, by=1)),
        (won(5, by=1), won(6, by=1), won(7, by=1)),
        (won(5, by=1), won(6, by=1), VOID),
        size=3,
        tedesco=True,
    )
    assert [hand.points for hand in match.hands] == [43, 4, 43, 11]


def test_tedesco_keeps_hollywoods_three_columns():
    match = team_match((won(50), won(60)), (won(40), won(50)), size=2, tedesco=True)
    assert [column.points[0] for column in match.game.columns] == [200, 90, 0]
    assert [column.over for column in match.game.columns] == [True, False, False]


def test_tedesco_is_known_by_its_features():
    assert plays_tedesco(parse_ruleset("tedesco columns=1 hands=8"))
    assert plays_tedesco(parse_ruleset("standard runs-wrap=yes ace-pips=15"))
    assert not plays_tedesco(parse_ruleset("around-the-corner"))
    assert not plays_tedesco(parse_ruleset("standard ace-pips=15"))
    assert not plays_tedesco(STANDARD)


# --- three players ----------------------------------------------------------------------


def bout(players, winner, *results):
    return Bout(players, results, winner)


def test_the_winner_stays_and_the_third_player_comes_in():
    assert next_players(bout((0, 1), 0)) == {0, 2}
    assert next_players(bout((0, 1), 1)) == {1, 2}
    assert next_players(bout((2, 0), 2)) == {1, 2}
    assert next_players(bout((2, 0), None)) == {0, 2}


def test_the_first_bout_out_of_turn_is_found():
    right = [bout((0, 1), 1), bout((2, 1), None), bout((1, 2), 2), bout((0, 2), 0)]
    assert first_out_of_turn(right) is None
    assert first_out_of_turn(right[:1]) is None
    assert first_out_of_turn([right[0], right[2], right[1], right[3]]) == 2
    assert first_out_of_turn([right[0], bout((0, 1), 1)]) == 1


def three(*hands, rules="standard hands=1", target=100):
    state = ThreePlayers(parse_ruleset(rules), target)
    for players, result in hands:
        state = state.record(players, result)
    return state


def test_each_of_three_players_scores_separately():
    state = three(((0, 1), won(30)), ((2, 0), won(40, by=1)), ((1, 0), VOID), ((1, 0), won(5)))
    assert state.points == (70, 5, 0)
    assert state.hands_won == (2, 1, 0)
    assert state.winner is None
    assert [line.total for line in state.lines] == [70, 5, 0]


def test_the_winner_of_three_gets_the_bonuses_and_all_get_boxes():
    state = three(((0, 1), won(30)), ((0, 2), won(40, by=1)), ((2, 1), won(60)))
    assert state.winner == 2
    lines = state.lines
    assert (lines[2].hand_points, lines[2].shutout, lines[2].game_bonus, lines[2].boxes) == (
        100, 0, 100, 50,
    )  # fmt: skip
    assert [line.total for line in lines[:2]] == [55, 0]


def test_if_one_of_three_resigns_the_other_with_more_points_wins():
    state = three(((0, 1), won(30)), ((0, 2), won(40, by=1)))
    assert state.points == (30, 0, 40)
    # The leader resigns against the player who has the fewest points.
    resigned = state.resign((2, 1), 0)
    assert (resigned.winner, resigned.resigned) == (0, 2)
    assert [line.total for line in resigned.lines] == [30 + 100 + 25, 0, 40 + 25]
    assert state.resign((2, 1), 1).winner == 2
    assert state.resign((0, 2), 1).winner == 0


def test_with_equal_points_the_player_at_the_table_wins_by_resignation():
    for seat in (0, 1):
        state = three().resign((2, 0), seat)
        assert state.winner == (0, 2)[seat]
    assert three(((0, 1), won(30)), ((0, 2), won(30, by=1))).resign((1, 2), 0).winner == 2


def test_a_resigning_player_of_three_can_be_shut_out_with_the_other():
    state = three(((0, 1), won(30)), ((2, 0), VOID)).resign((2, 0), 0)
    assert (state.winner, state.lines[0].shutout) == (0, 30)
    spoiled = three(((0, 1), won(30)), ((2, 0), won(5))).resign((2, 1), 0)
    assert (spoiled.winner, spoiled.lines[0].shutout) == (0, 0)


def test_a_shutout_of_three_needs_two_losers_without_a_hand():
    assert three(((0, 1), won(60)), ((0, 2), won(60))).lines[0].shutout == 120
    spoiled = three(((0, 1), won(60)), ((0, 2), won(3, by=1)), ((2, 1), VOID), ((0, 2), won(60)))
    assert spoiled.lines[0].shutout == 0
    classic = three(((0, 1), won(60)), ((0, 2), won(60)), rules="classic hands=1")
    assert (classic.lines[0].shutout, classic.lines[0].game_bonus) == (0, 200)


def test_two_of_three_at_the_target_with_the_same_points_play_on():
    both = HandResult(Outcome.MAHJONG, 0, 60, 0, 0, 0, other_points=60)
    state = three(((0, 1), both), ((0, 1), both))
    assert state.points == (120, 120, 0)
    assert state.winner is None
    assert state.record((1, 2), won(1)).winner == 1
