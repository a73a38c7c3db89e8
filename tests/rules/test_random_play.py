"""Random matches under every preset (tests.rules.walk), about a hundred hands of each."""

import pytest

from ginpeer.rules import Knock, Lay, Outcome, Pass, TakeDiscards, parse_ruleset
from ginpeer.rules.parameters import KnockLimit, Opening, Tie
from tests.rules.walk import ALL_RULES, walk

KNOCKS = {Outcome.KNOCK, Outcome.UNDERCUT}


@pytest.mark.parametrize("text", ALL_RULES)
@pytest.mark.deep(keep=1)
def test_all_checks_hold_after_every_move_of_random_matches(text):
    rules = parse_ruleset(text)
    rare = rules.tie is Tie.NOBODY or rules.columns > 1  # ties; and the end of three columns
    met = walk(text, 50 if rules.mahjong else 200 if rare else 100, seed=1)
    assert met["matches"]
    assert met["made up, legal"] > 50
    assert met["made up, refused"] > 500
    # Hands have ended in every way that these rules allow, and in no other. Only big gin is too
    # rare to rely on.
    ends = {kind for kind in Outcome if met[kind]} - {Outcome.BIG_GIN}
    if rules.mahjong:
        assert ends == {Outcome.MAHJONG, Outcome.VOID}
        assert met[Lay] > met[TakeDiscards] > 50
    else:
        expected = {Outcome.GIN, Outcome.VOID}
        expected |= set() if rules.knock_limit == 0 else KNOCKS
        expected |= {Outcome.TIE} if rules.tie is Tie.NOBODY else set()
        assert ends == expected
        assert not met[Lay]
        assert not met[TakeDiscards]
    assert bool(met[Knock]) is not rules.mahjong
    assert bool(met["doubled"]) is rules.spades_double
    no_option = rules.opening is Opening.EITHER_PILE
    no_option |= rules.knock_limit is KnockLimit.SECOND_DECK
    assert bool(met[Pass]) is (not no_option or rules.wall.value == "last-discard")
