"""The score of several tables in words: above all, what a resignation means (RULES 14)."""

import pytest

from cli.text.tally import tally_lines
from ginpeer.tally.tables import arrange
from ginpeer.tally.totals import score_of
from tests.rules.played import GUEST, HOST, VOID, knock
from tests.tally.made_up import table


def of_teams(rules, ann_and_ben, cem_and_dora):
    """The lines of two tables; each is its hands, and who resigned after them."""
    (one, leaves), (other, goes) = ann_and_ben, cem_and_dora
    tables = [
        table("Ann", "Ben", *one, rules=rules, resigned=leaves),
        table("Cem", "Dora", *other, rules=rules, resigned=goes),
    ]
    return tally_lines(score_of(arrange(tables)))


AHEAD = knock(HOST, 50)  # for Ann and Cem


def test_the_team_of_who_resigns_has_lost_the_game_by_the_first_hand_that_is_lacking():
    lines = of_teams(
        "standard hands=3", ([AHEAD], HOST), ([AHEAD, knock(GUEST, 90), knock(GUEST, 9)], None)
    )
    assert lines[4:] == [
        "",
        "Hand 1: Ann 50, Ben 0; Cem 50, Dora 0. Ann and Cem score 100. "
        "Score: Ann and Cem 100; Ben and Dora 0.",
        "Hand 2: not scored. It isn't in Ann-Ben.log, because Ann resigned. Ann and Cem have lost "
        "the game as a result.",
        "Hand 3: not counted, because the game was over.",
        "",
        "Ann and Cem: 100 from hands, 25 for 1 box, total 125.",
        "Ben and Dora: 0 from hands, 100 game bonus, total 100.",
        "Ben and Dora win, because the other team has resigned: Ann and Cem 125; Ben and Dora 100.",
    ]


def test_a_resignation_after_the_end_changes_nothing():
    lines = of_teams(
        "standard hands=3", ([knock(HOST, 80)], HOST), ([knock(HOST, 80), VOID, VOID], None)
    )
    assert "Hand 2: not counted, because the game was over." in lines


def test_a_team_that_resigns_without_a_hand_is_shut_out():
    lines = of_teams("standard hands=2", ([AHEAD], GUEST), ([AHEAD, VOID], None))
    assert (
        "Ann and Cem: 100 from hands, 100 for the shutout, 100 game bonus, 25 for 1 box, total 325."
    ) in lines


def test_where_both_teams_give_up_the_same_hand_neither_has_won_and_nobody_owes():
    lines = of_teams("standard hands=2 stake=5", ([AHEAD], HOST), ([AHEAD], GUEST))
    assert lines[6:] == [
        "Hand 2: not scored. It isn't in Ann-Ben.log, because Ann resigned. It isn't in "
        "Cem-Dora.log, because Dora resigned. Both teams have resigned, so neither has won.",
        "",
        "Ann and Cem: 100 from hands, 25 short of 125.",
        "Ben and Dora: 0 from hands, 125 short of 125.",
        "Nobody has won, because both teams have resigned.",
    ]


def test_a_team_that_resigns_ahead_is_owed_nothing_and_one_behind_owes():
    rules = "standard hands=2 stake=5 game-bonus=0"
    ahead = of_teams(rules, ([AHEAD], HOST), ([AHEAD, VOID], None))
    assert ahead[-2:] == [
        "Ben and Dora win, because the other team has resigned: Ann and Cem 125; Ben and Dora 0.",
        "The stake is 5 a point: nothing from Ben and Dora to Ann and Cem, because a player who "
        "resigns is owed nothing.",
    ]
    behind = of_teams(rules, ([AHEAD], GUEST), ([AHEAD, VOID], None))
    assert behind[-1] == (
        "The stake is 5 a point: from Ben and Dora to Ann and Cem 5 times 225, that is 1125."
    )


# --- three players ----------------------------------------------------------------------


def of_three(rules, *bouts):
    """The lines of bouts: each is host, guest, its hands, and who resigned after them."""
    tables = [
        table(host, guest, *results, rules=rules, resigned=leaves)
        for host, guest, results, leaves in bouts
    ]
    return tally_lines(score_of(arrange(tables, as_given=True)))


def test_who_resigns_of_three_has_lost_the_game_and_the_lines_says_so():
    lines = of_three(
        "standard hands=1",
        ("Ann", "Ben", [knock(HOST, 30)], None),
        ("Ann", "Cem", [], HOST),
        ("Cem", "Ben", [knock(HOST, 90)], None),
    )
    assert lines[2:] == [
        "Hand 1, Ann-Ben.log: Ann against Ben, Cem sits out: Ann 30, Ben 0. "
        "Score: Ann 30, Ben 0, Cem 0.",
        "Ann resigned in Ann-Cem.log and has lost the game; nobody scores in that hand.",
        "Hand 2, Cem-Ben.log: not counted, because the game was over.",
        "",
        "Ann: 30 from hands, 25 for 1 box, total 55.",
        "Ben: 0 from hands, total 0.",
        "Cem: 0 from hands, 100 game bonus, total 100.",
        "Cem wins, because Ann has resigned: Ann 55, Ben 0, Cem 100.",
    ]


def test_the_third_player_wins_with_more_points_than_who_was_at_the_table():
    lines = of_three(
        "standard hands=1",
        ("Ann", "Ben", [knock(HOST, 30)], None),
        ("Ann", "Cem", [knock(GUEST, 20)], None),
        ("Cem", "Ben", [], GUEST),
    )
    assert lines[-1].startswith("Ann wins, because Ben has resigned: ")


@pytest.mark.parametrize(
    ("points", "said"),
    [
        (
            90,
            "The stake is 5 a point: nothing from Cem to Ann, because a player who resigns is owed "
            "nothing.",
        ),
        (10, "The stake is 5 a point: from Ann to Cem 5 times 5, that is 25."),
    ],
)
def test_the_winner_of_three_owes_nothing_to_who_resigned(points, said):
    lines = of_three(
        "standard hands=1 stake=5 game-bonus=40",
        ("Ann", "Ben", [knock(HOST, points)], None),
        ("Ann", "Cem", [], HOST),
    )
    assert lines[-3].startswith("Cem wins, because Ann has resigned: ")
    assert lines[-2:] == [
        said,
        "The stake is 5 a point: from Ben to Cem 5 times 40, that is 200.",
    ]


def test_a_resignation_after_the_end_of_three_is_not_counted():
    lines = of_three(
        "standard hands=1",
        ("Ann", "Ben", [knock(HOST, 100)], None),
        ("Ann", "Cem", [], HOST),
    )
    assert "Ann resigned in Ann-Cem.log; not counted, because the game was over." in lines
