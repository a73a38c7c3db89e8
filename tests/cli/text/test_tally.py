"""The score of several tables in words, mainly what a resignation means (RULES 14), and how far the
two tables of a partnership have come."""

import pytest

from cli.text.grammar import date_and_time
from cli.text.tally import link_standing_lines, tally_lines
from ginpeer.names import NO_KNOWN_NAMES
from ginpeer.partnership import PartnershipStanding, TableProgress
from ginpeer.tally.tables import arrange
from ginpeer.tally.totals import score_of
from tests.rules.played import GUEST, HOST, VOID, knock
from tests.tally.made_up import of_teams, of_three, table

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
    "no hand is listed that nobody played": ("standard hands=3", ([AHEAD], HOST), ([], HOST)),
    "one that resigns ahead is owed nothing": (
        "standard hands=2 stake=5 game-bonus=0", ([AHEAD], HOST), ([AHEAD, VOID], None),
    ),
    "one that resigns behind owes": (
        "standard hands=2 stake=5 game-bonus=0", ([AHEAD], GUEST), ([AHEAD, VOID], None),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", TEAMS)
def test_a_score_of_two_teams_after_a_resignation_is_shown(case, transcript):
    transcript(tally_lines(of_teams(*TEAMS[case]))[4:])


def test_tables_with_tedescos_rules_keep_tedescos_score(transcript):
    rules = "tedesco columns=1 hands=1"
    transcript(tally_lines(of_teams(rules, ([AHEAD], None), ([AHEAD], None))))


def test_a_team_that_loses_with_a_lead_of_fifty_is_told_why(transcript):
    tables = (
        ([knock(GUEST, 40), knock(HOST, 60)], None),
        ([knock(GUEST, 35), knock(HOST, 65)], None),
    )
    transcript(tally_lines(of_teams("standard hands=2 lead-of-fifty-loses=yes", *tables))[-3:])


# --- three players ----------------------------------------------------------------------


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
    "the winner owes a player who has more and didn't resign": (
        "standard hands=1 stake=5 game-bonus=0", ("Ann", "Ben", [knock(HOST, 30)], None),
        ("Ann", "Cem", [knock(GUEST, 14)], None), ("Cem", "Ben", [knock(HOST, 14)], None),
        ("Cem", "Ann", [knock(HOST, 1)], None), ("Cem", "Ben", [], GUEST),
    ),
    "who resigned owes": (STAKE, ("Ann", "Ben", [knock(HOST, 10)], None), ANN_GONE),
    "a resignation after the end is not counted": ("standard hands=1", ANN_100, ANN_GONE),
}  # fmt: skip


@pytest.mark.parametrize("case", THREE)
def test_a_score_of_three_players_after_a_resignation_is_shown(case, transcript):
    rules, *bouts = THREE[case]
    transcript(tally_lines(of_three(*bouts, rules=rules))[2:])


# --- while they play --------------------------------------------------------------------

SIX = "standard hands=6"


def place(log):
    return TableProgress(
        frozenset(log.keys), (log,), len(log.match.results), over=log.match.finished
    )


def lines(ours, theirs):
    here, there = tuple(map(place, ours)), tuple(map(place, theirs))
    score = None
    if len(ours) + len(theirs) > 1:
        score = score_of(arrange([*ours, *theirs], running=True))
    return link_standing_lines(PartnershipStanding(here, there, score), NO_KNOWN_NAMES)


def test_the_standing_of_each_table_and_the_total_are_shown(transcript):
    here = table("Ann", "Ben", knock(HOST, 20), knock(GUEST, 5), rules=SIX)
    there = table("Cem", "Dora", knock(HOST, 12), rules=SIX)
    over = table("Ann", "Ben", knock(HOST, 20), rules="standard hands=1")
    given_up = table("Cem", "Dora", rules="standard hands=1", resigned=GUEST)
    each = lines([here], [there]), lines([over], [given_up]), lines([], [there]), lines([there], [])
    next_two = table("Ann", "Cem", rules="standard hands=1", started=9)
    transcript((*each, lines([over, next_two], [])))
    assert "" not in each[0]


def test_a_match_from_before_this_evening_is_dated():
    ours, theirs = table("Ann", "Ben", started=900), table("Cem", "Dora", started=100)
    standing = PartnershipStanding((place(ours),), (place(theirs),), None)
    here, there = link_standing_lines(standing, NO_KNOWN_NAMES, since=500)
    assert f"Cem-Dora.log began on {date_and_time(100)}" in there
    assert "began" not in here
