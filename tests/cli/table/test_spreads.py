"""From a typed line to a spread: what is filled in, what is refused."""

import pytest

from cli.table.turn_words import may_do
from ginpeer.rules import (
    ORDINARY,
    parse_card,
)
from tests.cli.table.typed import (
    NEARLY_GIN,
    STYLE,
    having_drawn,
    knocked,
    refusal,
    typed,
)
from tests.rules.drawing import drawn

KNOCK = "knock Ks melds 3c4c5c 7c7h7s deadwood Ac2d4dAh"


#                           6c and then 2c fit the run, 7d the set
DEFENDER = "6c 2c 7d  Qd Qh Qs  Js Td 9c Kd"


@pytest.fixture
def defending():
    return knocked(KNOCK, "Ac", dealers=DEFENDER)


def test_spread_alone_and_enter_lay_down_the_best(defending):
    best = ORDINARY.best_spread(drawn(DEFENDER), (drawn("3c4c5c"), drawn("7c7h7s")))
    assert typed("spread", defending) == typed("", defending) == best
    assert may_do(defending, STYLE) == "spread"


def test_lay_offs_find_their_meld_and_their_order(defending):
    move = typed("spread melds QdQhQs layoff 7d 6c 2c", defending)
    assert dict(move.layoffs) == {parse_card("7d"): 1, parse_card("6c"): 0, parse_card("2c"): 0}
    assert defending.hand.apply(move).result is not None
    assert typed("layoff 6c on 1", defending).layoffs == ((parse_card("6c"), 0),)


def test_what_was_not_named_is_filled_in(defending):
    melds = typed("spread melds QdQhQs", defending)
    assert {card for card, _ in melds.layoffs} == set(map(parse_card, ("7d", "6c", "2c")))
    layoffs = typed("spread layoff 6c", defending)
    assert layoffs.melds == (drawn("QdQhQs"),)
    neither = typed("spread melds none layoff none", defending)
    assert (neither.melds, neither.layoffs) == ((), ())
    assert neither.deadwood == drawn(DEFENDER)
    for move in (melds, layoffs, neither):
        assert defending.hand.is_legal(move)


def test_a_lay_off_that_does_not_fit_is_refused(defending):
    assert refusal("layoff js", defending) == "layoff-does-not-fit"
    assert refusal("layoff 6c on 2", defending) == "layoff-does-not-fit"
    assert refusal("layoff 6c on 3", defending) == "layoff-does-not-fit"
    assert refusal("layoff " + "6c " * 11, defending) == "card-not-held"


def test_nothing_is_laid_off_against_gin():
    gin = "knock Ks melds 3c4c5c 7c7h7s Ah2h3h4h"
    view = knocked(gin, "4h", NEARLY_GIN, DEFENDER)
    assert refusal("layoff 6c", view) == "layoff-on-gin"
    assert typed("", view).layoffs == ()


def test_what_is_typed_in_full_is_taken_as_it_stands(defending):
    text = str(typed("spread", defending))
    assert str(typed(text, defending)) == text


def test_knocking_and_spreading_have_their_time(defending):
    assert refusal("knock qd", defending) == "wrong-phase"
    assert refusal("spread", having_drawn("Ac")) == "wrong-phase"
