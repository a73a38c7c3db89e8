"""Tables still in play: only the hands that all of them have finished count."""

from cli.text.tally import tally_lines
from ginpeer.tally.tables import arrange
from ginpeer.tally.totals import TurnsScore, score_of
from tests.rules.played import GUEST, HOST, knock
from tests.tally.made_up import table
from tests.tally.test_tables import refusal

SIX = "standard hands=6"


def team_score(*logs):
    return score_of(arrange(logs, running=True))


def test_only_hands_that_both_tables_have_finished_count():
    one = table("Ann", "Ben", knock(HOST, 20), knock(GUEST, 5), knock(HOST, 9), rules=SIX)
    other = table("Cem", "Dora", knock(GUEST, 12), knock(GUEST, 30), rules=SIX)
    score = team_score(one, other)
    assert [row.hands for row in score.teams.rows] == [one.match.results[:2], other.match.results]
    assert score.match.game.columns[0].points == (8, 35)
    assert not score.match.over


def test_without_the_option_tables_must_have_finished_equally_many_matches():
    one = table("Ann", "Ben", knock(HOST, 20), rules="standard hands=1")
    more = table("Ann", "Ben", rules="standard hands=1", started=9)
    other = table("Cem", "Dora", knock(GUEST, 12), rules="standard hands=1")
    assert refusal(one, more, other)[0] == "tally-mismatch"
    assert team_score(one, more, other).match.game.columns[0].points == (8, 0)


def test_before_the_first_hand_of_a_table_nothing_is_scored():
    one = table("Ann", "Ben", knock(HOST, 20), rules=SIX)
    score = team_score(one, table("Cem", "Dora", rules=SIX))
    assert (score.match.hands, score.match.game.columns[0].points) == ((), (0, 0))


def test_a_resigned_hand_is_lost_once_the_other_table_has_played_it():
    one = table("Ann", "Ben", knock(HOST, 20), rules=SIX, resigned=HOST)
    first, second = knock(GUEST, 12), knock(HOST, 1)
    before = team_score(one, table("Cem", "Dora", first, rules=SIX))
    after = team_score(one, table("Cem", "Dora", first, second, rules=SIX))
    assert (before.match.winner, after.match.winner) == (None, 1)


def test_a_match_that_another_one_follows_must_be_finished():
    one = table("Ann", "Ben", knock(HOST, 20), rules=SIX)
    again, other = table("Ann", "Ben", rules=SIX, started=9), table("Cem", "Dora", rules=SIX)
    assert refusal(one, again, other, running=True)[0] == "tally-unfinished"
    next_two = table("Cem", "Ann", rules=SIX, started=9)
    assert refusal(one, next_two, running=True)[0] == "tally-unfinished"


def test_among_three_players_an_unfinished_match_scores_nothing():
    first = table("Ann", "Ben", knock(HOST, 20))
    score = team_score(first, table("Cem", "Ann", started=9))
    assert isinstance(score, TurnsScore)
    assert score.state.points == (20, 0, 0)
    assert "Cem: 0 from hands, 100 short of 100." in tally_lines(score)
    assert refusal(first, table("Cem", "Ben", started=9), running=True)[0] == "tally-order"


def test_two_of_three_players_may_begin_an_abandoned_match_again():
    abandoned = table("Ann", "Ben")
    again, next_two = (
        table("Ann", "Ben", knock(HOST, 20), started=9),
        table("Cem", "Ann", started=10),
    )
    assert team_score(abandoned, again, next_two).state.points == (20, 0, 0)
