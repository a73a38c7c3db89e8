"""How a column ends where both players score, or a lead of fifty loses (RULES 12.10, 13.4)."""

import pytest

from ginpeer.rules import Column, ScoreLine, parse_ruleset
from tests.rules.played import GUEST, HOST, VOID, knock, mahjong, match_of

# Mahjong gin, in which a hand brings points to both


def test_of_two_players_over_the_target_who_has_more_has_won():
    match = match_of(mahjong(HOST, 90, 80), mahjong(GUEST, 40, 15), rules="mahjong target=100")
    assert match.scores == (105, 120)
    assert match.winner == GUEST


def test_equal_points_over_the_target_decide_nothing():
    match = match_of(mahjong(HOST, 90, 80), mahjong(GUEST, 40, 30), rules="mahjong target=100")
    assert match.scores == (120, 120)
    assert not match.finished
    assert match.record(VOID).winner is None
    assert match.record(mahjong(GUEST, 40, 39)).winner == GUEST


def test_who_did_not_go_gin_can_reach_the_target():
    match = match_of(mahjong(HOST, 60, 95), mahjong(HOST, 30, 5), rules="mahjong target=100")
    assert match.winner == GUEST
    # All hands were the host's, so who won has no box, and nobody was shut out.
    assert match.settlement().lines == (ScoreLine(90, 0, 0, 50), ScoreLine(100, 0, 100, 0))


def test_points_below_zero_count_as_they_are():
    settlement = match_of(mahjong(HOST, 120, -35), rules="mahjong target=100").settlement()
    assert settlement.lines == (ScoreLine(120, 120, 100, 25), ScoreLine(-35, 0, 0, 0))
    assert settlement.margin == 365 + 35


def test_a_player_below_zero_has_not_scored():
    rules = "mahjong target=100 shutout=double-game-bonus"
    settlement = match_of(mahjong(HOST, 120, -35), rules=rules).settlement()
    assert settlement.lines[HOST].game_bonus == 200
    settlement = match_of(mahjong(HOST, 120, 5), rules=rules).settlement()
    assert settlement.lines[HOST].game_bonus == 100


def test_a_shutout_never_costs_its_winner_points():
    # No hand is won with less than nothing today; a column does not count on that.
    rules = parse_ruleset("mahjong hands=2")
    column = Column(rules, points=(-5, -40), hands_won=(2, 0), over=True)
    assert column.lines == (ScoreLine(-5, 0, 100, 50), ScoreLine(-40, 0, 0, 0))


# A lead of exactly fifty


def fifty(*results, rules="lead-of-fifty-loses=yes"):
    return match_of(*results, rules=f"standard {rules}")


def test_a_lead_of_exactly_fifty_loses():
    match = fifty(knock(GUEST, 50), knock(HOST, 60), knock(HOST, 40))
    assert match.scores == (100, 50)
    settlement = match.settlement()
    assert (match.winner, settlement.winner) == (GUEST, GUEST)
    assert settlement.lines == (ScoreLine(100, 0, 0, 50), ScoreLine(50, 0, 100, 25))
    assert settlement.margin == 25


@pytest.mark.parametrize("lead", [49, 51])
def test_any_other_lead_wins(lead):
    match = fifty(
        knock(GUEST, 50), knock(HOST, 50 + lead), rules="lead-of-fifty-loses=yes target=99"
    )
    assert match.winner == HOST


def test_without_that_rule_fifty_is_a_lead_like_any_other():
    assert match_of(knock(GUEST, 50), knock(HOST, 100)).winner == HOST


def test_the_lead_is_counted_before_boxes_and_bonuses():
    assert fifty(knock(GUEST, 49), knock(GUEST, 1), knock(HOST, 100)).winner == GUEST


def test_a_lead_of_fifty_loses_a_column_for_itself():
    match = match_of(
        knock(GUEST, 50),  # 50 in column 1
        knock(HOST, 100),  # and the host is 50 ahead there
        knock(HOST, 100),
        knock(HOST, 100),
        rules="hollywood lead-of-fifty-loses=yes",
    )
    (game,) = match.settlement().games
    assert [column.winner for column in game.columns] == [GUEST, HOST, HOST]
    assert match.winner == HOST


def test_a_shutout_by_fifty_goes_to_the_other_who_has_nothing_to_double():
    match = fifty(knock(HOST, 50), rules="lead-of-fifty-loses=yes target=50")
    assert match.settlement().lines == (ScoreLine(50, 0, 0, 25), ScoreLine(0, 0, 100, 0))


def test_a_lead_of_fifty_loses_after_so_many_hands_too():
    assert fifty(knock(HOST, 50), VOID, rules="lead-of-fifty-loses=yes hands=2").winner == GUEST


def test_who_resigns_loses_by_whatever_lead():
    assert fifty(knock(HOST, 50)).resign(HOST).winner == GUEST
    assert fifty(knock(HOST, 50)).resign(GUEST).winner == HOST
