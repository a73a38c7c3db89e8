"""How the standing of two tables of one partnership reads, in lines."""

from cli.text.tally import link_standing_lines
from ginpeer.names import NO_KNOWN_NAMES
from ginpeer.partnership import PartnershipStanding, TableProgress
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


def test_it_says_how_far_each_table_is_and_what_both_come_to(transcript):
    here = table("Ann", "Ben", knock(HOST, 20), knock(GUEST, 5), rules=SIX)
    there = table("Cem", "Dora", knock(HOST, 12), rules=SIX)
    over = table("Ann", "Ben", knock(HOST, 20), rules="standard hands=1")
    given_up = table("Cem", "Dora", rules="standard hands=1", resigned=GUEST)
    each = lines([here], [there]), lines([over], [given_up]), lines([], [there]), lines([there], [])
    transcript(each)
    assert "" not in each[0]
