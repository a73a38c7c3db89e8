"""How two tables of one partnership stand, in lines."""

from cli.text.partnership import NOTHING_SHOWN
from cli.text.tally import link_standing_lines
from ginpeer.names import NO_KNOWN_NAMES
from ginpeer.partnership.standing import PartnershipStanding, TableProgress
from ginpeer.tally.tables import arrange
from ginpeer.tally.totals import score_of
from tests.rules.played import GUEST, HOST, knock
from tests.tally.made_up import table

SIX = "standard hands=6"


def place(log):
    return TableProgress(
        frozenset(log.keys), (log,), len(log.match.results), over=log.match.finished
    )


def lines(ours, theirs):
    here, there = tuple(map(place, ours)), tuple(map(place, theirs))
    score = None
    if ours and theirs:
        score = score_of(arrange([*ours, *theirs], running=True))
    return link_standing_lines(PartnershipStanding(here, there, score), NO_KNOWN_NAMES)


def test_it_says_how_far_each_table_is_and_what_both_come_to():
    here = table("Ann", "Ben", knock(HOST, 20), knock(GUEST, 5), rules=SIX)
    there = table("Cem", "Dora", knock(HOST, 12), rules=SIX)
    told = lines([here], [there])
    assert told[:2] == [
        "Your table, Ann against Ben: after hand 2.",
        "The other table, Cem against Dora: after hand 1.",
    ]
    assert any(line.endswith("Score: Ann and Cem 32; Ben and Dora 0.") for line in told)
    assert "" not in told


def test_the_end_of_a_table_is_said_and_who_resigned():
    over = table("Ann", "Ben", knock(HOST, 20), rules="standard hands=1")
    given_up = table("Cem", "Dora", rules="standard hands=1", resigned=GUEST)
    told = lines([over], [given_up])
    assert told[0] == "Your table, Ann against Ben: after hand 1; the match is over."
    assert told[1].endswith("Dora: before the first hand; Dora has resigned.")


def test_what_is_missing_is_said():
    there = table("Cem", "Dora", rules=SIX)
    assert lines([], [there])[0] == NOTHING_SHOWN
    assert lines([there], [])[-1] == "The other table hasn't sent anything yet."
