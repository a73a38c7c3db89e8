"""The score of several tables in words; mainly, what a resignation means (RULES 14)."""

import pytest

from cli.text.tally import tally_lines
from ginpeer.tally.tables import arrange
from ginpeer.tally.totals import score_of
from tests.rules.played import GUEST, HOST, VOID, knock
from tests.tally.made_up import table


def of_teams(rules, ann_and_ben, cem_and_dora):
    """Return the lines for two tables; each has its hands, and the player who resigned after
    them."""
    (one, leaves), (other, goes) = ann_and_ben, cem_and_dora
    tables = [
        table("Ann", "Ben", *one, rules=rules, resigned=leaves),
        table("Cem", "Dora", *other, rules=rules, resigned=goes),
    ]
    return tally_lines(score_of(arrange(tables)))


AHEAD = knock(HOST, 50)  # in favour of Ann and Cem


TEAMS = {
    "the first hand that is lacking loses the game": (
        "standard hands=3", ([AHEAD], HOST), ([AHEAD, knock(GUEST, 90), knock(GUEST, 9)], None),
    ),
    "a resignation after the end changes nothing": (
        "standard hands=3", ([knock(HOST, 80)], HOST), ([knock(HOST, 80), VOID, VOID], None),
    ),
    "a team that resigns without a hand is shut out": (
        "standard hands=2", ([AHEAD], GUEST), ([AHEAD, VOID], None),
    ),
    "both give up the same hand": ("standard hands=2 stake=5", ([AHEAD], HOST), ([AHEAD], GUEST)),
    "one that resigns ahead is owed nothing": (
        "standard hands=2 stake=5 game-bonus=0", ([AHEAD], HOST), ([AHEAD, VOID], None),
    ),
    "one that resigns behind owes": (
        "standard hands=2 stake=5 game-bonus=0", ([AHEAD], GUEST), ([AHEAD, VOID], None),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", TEAMS)
def test_the_score_of_two_teams_of_which_one_resigns(case, transcript):
    transcript(of_teams(*TEAMS[case])[4:])


def test_tables_with_tedescos_rules_keep_tedescos_score(transcript):
    rules = "tedesco columns=1 hands=1"
    transcript(of_teams(rules, ([AHEAD], None), ([AHEAD], None)))


# --- three players ----------------------------------------------------------------------


def of_three(rules, *bouts):
    """Return the lines for bouts; each has host, guest, hands, and the player who resigned."""
    tables = [
        table(host, guest, *results, rules=rules, resigned=leaves)
        for host, guest, results, leaves in bouts
    ]
    return tally_lines(score_of(arrange(tables, as_given=True)))


ANN_30, ANN_100, ANN_GONE = (
    ("Ann", "Ben", [knock(HOST, 30)], None),
    ("Ann", "Ben", [knock(HOST, 100)], None),
    ("Ann", "Cem", [], HOST),
)
STAKE = "standard hands=1 stake=5 game-bonus=40"
THREE = {
    "who resigns has lost": (
        "standard hands=1", ANN_30, ANN_GONE, ("Cem", "Ben", [knock(HOST, 90)], None),
    ),
    "who sits out may have most": (
        "standard hands=1", ANN_30, ("Ann", "Cem", [knock(GUEST, 20)], None),
        ("Cem", "Ben", [], GUEST),
    ),
    "the winner owes nothing to who resigned": (
        STAKE, ("Ann", "Ben", [knock(HOST, 90)], None), ANN_GONE,
    ),
    "who resigned owes": (STAKE, ("Ann", "Ben", [knock(HOST, 10)], None), ANN_GONE),
    "a resignation after the end is not counted": ("standard hands=1", ANN_100, ANN_GONE),
}  # fmt: skip


@pytest.mark.parametrize("case", THREE)
def test_the_score_of_three_of_whom_one_resigns(case, transcript):
    transcript(of_three(*THREE[case])[2:])
