"""The chance of winning depends on the cards that each player saw and, between hands, the score."""

import pytest

from ginpeer.adviser.advise import choices, win_chance
from ginpeer.adviser.value_model import score_chance
from ginpeer.analysis.decisions import chances_in
from ginpeer.record import Record
from ginpeer.rules import Match, TakeUpcard, View, parse_ruleset
from ginpeer.store.log import log_bytes
from protocol.messages import Disclosure
from tests.analysis.test_analysis import of, played
from tests.matches.recorded import recorded

pytestmark = pytest.mark.usefixtures("in_the_toy_group")


def chances(rules, disclosure=Disclosure.AFTER_MATCH):
    return list(chances_in(of(played(rules, disclosure).entries)))


def views(rules, seeds):
    """Yield the view and the choices before each move of a first hand, in which both players make
    the best choices."""
    for seed in seeds:
        match = Match.begin(parse_ruleset(rules), dealer=0)
        hand = match.deal(seed=seed)
        while not hand.over:
            view = View(hand.to_move, hand, match)
            found = choices(view)
            yield view, found
            hand = hand.apply(found[0].move)


def test_the_winner_of_the_game_ends_with_certainty():
    record = Record.read(log_bytes(recorded("standard target=100").entries))
    found = list(chances_in(record))
    host = 1000 * (record.winner == 0)
    assert (found[-1].host, found[-1].guest) == (host, 1000 - host)
    assert all(0 <= each.host <= 1000 and 0 <= each.guest <= 1000 for each in found)
    assert [each.entry for each in found] == sorted(each.entry for each in found)


def test_between_hands_the_chance_is_that_of_the_score():
    record = Record.read(log_bytes(recorded("standard target=100").entries))
    first = record.hands[0]
    (_, after), *_ = record.match.stages()
    between = [each for each in chances_in(record) if each.entry <= first.steps[-1].entry][-1]
    assert (between.host, between.guest) == (score_chance(after, 0), 1000 - between.host)
    assert (between.host > 500) is (record.results[0].winner == 0)


def test_a_better_choice_never_has_a_smaller_chance_at_the_start_of_a_match():
    """Far from the target, points and the chance of winning put the choices in the same order."""
    seen = 0
    for view, found in views("standard target=300", range(2)):
        valued = [win_chance(view, each.move) for each in found]
        if None not in valued:
            assert valued == sorted(valued, reverse=True)
            seen += isinstance(found[0].move, TakeUpcard)
    assert seen


@pytest.mark.parametrize("rules", ["standard hands=1 target=none", "hollywood target=1"])
def test_no_chance_is_given_if_points_decide_nothing_or_with_columns(rules):
    assert score_chance(Match.begin(parse_ruleset(rules), dealer=0), 0) is None
    assert chances(rules) == []


def test_hidden_cards_have_no_chances():
    assert chances("standard target=1", Disclosure.NEVER) == []


def test_a_hand_without_a_move_has_no_chances():
    record = Record.read(log_bytes(recorded("standard target=1").entries[:8]))
    assert len(record.hands) == 1
    assert list(chances_in(record)) == []
