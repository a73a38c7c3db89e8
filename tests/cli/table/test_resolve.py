"""What a typed line means at drawn hands: plain moves, knocks, spreads, cards as melds."""

import pytest

from cli.table.table_state import WhichMove
from cli.table.turn_words import may_do
from ginpeer.rules import (
    ORDINARY,
    STANDARD,
    Discard,
    DrawStock,
    Illegal,
    Knock,
    Pass,
    TakeUpcard,
    Unreadable,
    parse_card,
)
from tests.cli.table.hands import SQUARE
from tests.cli.table.typed import (
    DEALER,
    NEARLY_GIN,
    NON_DEALER,
    STYLE,
    UPCARD,
    draw_after_passes,
    having_drawn,
    knocked,
    refusal,
    typed,
    view_of,
)
from tests.rules.drawing import deal, drawn


def test_plain_moves_are_what_they_say():
    view = view_of(deal(1, NON_DEALER, DEALER, UPCARD))
    assert typed("pass", view) == Pass()
    assert typed("take", view) == typed("take 6d", view) == TakeUpcard()
    assert refusal("take 7d", view) == "not-the-upcard"
    assert typed("d", view) == DrawStock()  # the hand refuses it, and says why
    assert typed("Ks", having_drawn("Ac")) == Discard(parse_card("Ks"))


def test_a_knock_shows_the_least_deadwood_unasked():
    move = typed("knock ks", having_drawn("Ac"))
    assert str(move) == "knock Ks melds 3c4c5c 7c7h7s deadwood Ac2d4dAh"


def test_a_knock_without_a_card_means_the_only_possible_one():
    assert typed("knock", having_drawn("Ac")) == typed("knock Ks", having_drawn("Ac"))
    assert refusal("knock", having_drawn("Qc")) == "knock-over-limit"


def test_gin_finds_its_card():
    view = having_drawn("4h", NEARLY_GIN)
    assert may_do(view, STYLE) == "discard a card, or knock, or gin"
    for text in ("gin", "gin ks", "knock ks"):
        move = typed(text, view)
        assert isinstance(move, Knock)
        assert (str(move.discard), move.deadwood) == ("Ks", 0)


def test_gin_is_not_claimed_for_a_knock():
    view = having_drawn("4h", NEARLY_GIN)
    assert refusal("gin 4h", view) == "not-gin"
    assert refusal("gin", having_drawn("Ac")) == "not-gin"
    assert refusal("big gin", view) == "no-big-gin"


def test_a_card_that_is_not_held_is_named():
    assert refusal("knock 9h", having_drawn("Ac")) == "card-not-held"


def test_melds_may_be_chosen_by_hand():
    view = having_drawn("Ac")
    move = typed("knock ks melds 7c7h7s", view)
    assert move.melds == (drawn("7c7h7s"),)
    assert move.deadwood == drawn("3c 4c 5c 4d 2d Ah Ac")
    with pytest.raises(Illegal, match="counts 20"):
        view.hand.apply(move)
    assert refusal("knock melds 7c7h7s", view) == "no-card"


def test_arrangements_that_differ_in_lay_offs_are_asked_about():
    view = having_drawn("Ks", SQUARE)
    question = typed("knock ks", view)
    assert isinstance(question, WhichMove)
    least = [knock for knock in question.moves if ORDINARY.pips(knock.deadwood) == 1]
    assert {knock.melds for knock in least} == set(ORDINARY.arrangements(drawn(SQUARE)))
    assert question.moves[: len(least)] == tuple(least)
    # With the threes held back nothing can be laid off but the aces' neighbours: there are none.
    assert str(question.moves[-1]) == "knock Ks melds 4c4d4h 5c5d5h deadwood 3c3d3hAs"
    assert typed("knock ks 2", view) == question.moves[1]
    assert refusal("knock ks 9", view) == "no-such-choice"


def test_nothing_is_asked_for_gin():
    #  As 2s with the square: eleven cards, gin by throwing the king
    view = having_drawn("Ks", "3c 4c 5c 3d 4d 5d 3h 4h 5h 6h")
    assert isinstance(typed("gin", view), Knock)


def test_an_arrangement_that_only_allows_more_lay_offs_is_not_offered():
    # 3c 3d 3h and 3s 4s 5s 6s, or all four threes and 4s 5s 6s: nothing fits on four of a rank
    cards = "3c 3d 3h 3s 4s 5s 6s 2d 5h As"
    view = having_drawn("Qc", cards)
    melds = ORDINARY.arrangements(drawn(cards))
    assert len(melds) == 2
    knock = typed("knock qc", view)
    assert isinstance(knock, Knock)
    assert drawn("3c 3d 3h 3s") in knock.melds


#   7s                          8s         the 8 fits on the run of sevens, ten and knave on that
# 5s 6s 7s   4c to 9c | Ac      Tc Jc      of clubs
#                               2c 2d 2h 2s  3c 3h 3s
HOLDING = "Ac  4c 5c 6c 7c 8c 9c  5s 6s 7s"


AGAINST = "2c 2d 2h 2s  3c 3h 3s  Tc Jc 8s"


def test_a_knock_that_may_win_more_by_holding_a_card_back_is_asked_about():
    view = view_of(draw_after_passes("Kd", HOLDING, AGAINST, STANDARD))
    question = typed("knock kd", view)
    assert isinstance(question, WhichMove)
    assert list(map(str, question.moves)) == [
        "knock Kd melds 4c5c6c7c8c9c 5s6s7s deadwood Ac",
        "knock Kd melds 5c6c7c8c9c 5s6s7s deadwood Ac4c",
        "knock Kd melds 4c5c6c7c8c 5s6s7s deadwood Ac9c",
    ]
    assert typed("knock kd 3", view) == question.moves[2]
    assert all(view.hand.is_legal(move) for move in question.moves)


def test_what_is_asked_does_not_depend_on_what_the_other_player_holds():
    hand = draw_after_passes("Kd", HOLDING, AGAINST, STANDARD)
    other = draw_after_passes("Kd", HOLDING, "Kc Kh Ks Qd Qh Jd Jh 8d 8h 2s", STANDARD)
    assert typed("knock kd", view_of(hand)) == typed("knock kd", view_of(other))


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


RUN, SET = drawn("3c 4c 5c"), drawn("7c 7h 7s")


@pytest.mark.parametrize(
    "melds",
    [
        "3c4c5c 7c7h7s",
        "3c 4c 5c 7c 7h 7s",
        "3c 4c 5c, 7c 7h 7s",
        "3c,4c,5c and 7c,7h,7s",
        "3♣ 4♣ 5♣ | 7♣ 7♥ 7♠",
    ],
)
def test_melds_are_told_apart_however_they_are_written(melds):
    assert typed(f"knock ks melds {melds}", having_drawn("Ac")).melds == (RUN, SET)


def test_cards_that_are_no_melds_are_refused_with_a_hint():
    view = having_drawn("Ac")
    for text, hint in {
        "2d4d": "a meld has three cards or more",
        "2d4dAh": "put a comma between melds",
        "3c, 4c, 5c, 3c": "named twice",
    }.items():
        with pytest.raises(Unreadable, match=hint):
            typed(f"knock ks melds {text}", view)
