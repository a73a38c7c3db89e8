"""From a typed line to a move: what is filled in, what is asked, what is refused."""

import pytest

from cli.table.meaning import move_of
from cli.table.open_questions import Which
from cli.table.options import enter_move, knock_options
from cli.table.parse import parse_command
from cli.table.turn import may_do, options_text
from cli.words.cards import Style
from ginpeer.rules import (
    ORDINARY,
    STANDARD,
    Discard,
    DrawStock,
    Illegal,
    Knock,
    Match,
    Pass,
    TakeUpcard,
    Unreadable,
    View,
    parse_card,
    parse_move,
    parse_ruleset,
)
from tests.rules.drawing import deal, drawn, played

STYLE = Style()

#         7c
# 3c 4c 5c 7h 7s | Ks 4d 2d Ah
NON_DEALER = "3c 4c 5c  7c 7h 7s  Ks 4d 2d Ah"
DEALER = "6c 8s 9s Qd Qh Jc Js Td Tc Kd"
UPCARD = "6d"


def view_of(hand):
    return View(hand.to_move, hand, Match.begin(STANDARD, hand.dealer))


def draw_after_passes(card, cards, dealers, rules):
    hand = played(deal(1, cards, dealers, UPCARD, rules), "pass", "pass")
    return hand.drawing(parse_card(card))


def having_drawn(card, cards=NON_DEALER, rules=STANDARD):
    """The non-dealer's view after both passed and this card came from the stock."""
    return view_of(draw_after_passes(card, cards, DEALER, rules))


def knocked(knock, card, cards=NON_DEALER, dealers=DEALER):
    """The dealer's view after the non-dealer drew this card and knocked."""
    return view_of(draw_after_passes(card, cards, dealers, STANDARD).apply(parse_move(knock)))


def typed(text, view):
    return move_of(parse_command(text), view, STYLE)


def refusal(text, view):
    with pytest.raises((Illegal, Unreadable)) as refused:
        typed(text, view)
    assert refused.value.sentence.endswith(".")
    return refused.value.code


# --- what may be done -----------------------------------------------------------------


def test_each_phase_says_what_may_be_done_and_what_enter_does():
    hand = deal(1, NON_DEALER, DEALER, UPCARD)
    told = []
    for moves in ((), ("pass",), ("pass",), ("draw 8h",), ("discard 8h",)):
        hand = played(hand, *moves)
        told.append((may_do(view_of(hand), STYLE), enter_move(view_of(hand))))
    assert told == [
        ("take 6d, or pass", None),
        ("take 6d, or pass", None),
        ("draw, since both players passed", DrawStock()),
        ("discard a card", None),
        ("draw, or take 8h", DrawStock()),
    ]


def test_enter_never_knocks():
    view = having_drawn("Ac")
    assert knock_options(view)
    assert enter_move(view) is None
    assert refusal("", view) == "enter-does-nothing"


def test_enter_draws_nothing_where_the_upcard_would_meld():
    hand = deal(1, NON_DEALER, DEALER, UPCARD)
    fitting = played(hand, "pass", "pass", "draw 8d", "discard 8d")  # the dealer has 8s 9s
    assert enter_move(view_of(fitting)) == DrawStock()
    melding = played(hand, "pass", "pass", "draw Qs", "discard Qs")  # and Qd Qh
    assert enter_move(view_of(melding)) is None


def test_plain_moves_are_what_they_say():
    view = view_of(deal(1, NON_DEALER, DEALER, UPCARD))
    assert typed("pass", view) == Pass()
    assert typed("take", view) == typed("take 6d", view) == TakeUpcard()
    assert refusal("take 7d", view) == "not-the-upcard"
    assert typed("d", view) == DrawStock()  # the hand refuses it, and says why
    assert typed("Ks", having_drawn("Ac")) == Discard(parse_card("Ks"))


# --- knocks -----------------------------------------------------------------------------


def test_a_knock_shows_the_least_deadwood_unasked():
    move = typed("knock ks", having_drawn("Ac"))
    assert str(move) == "knock Ks melds 3c4c5c 7c7h7s deadwood Ac2d4dAh"


def test_every_possible_knock_is_offered_with_what_it_leaves():
    #         7c
    # 3c 4c 5c 7h 7s | 4h 3d 2d Ah Ac
    view = having_drawn("Ac", "3c 4c 5c 7c 7h 7s 4h 3d 2d Ah")
    options = knock_options(view)
    assert [(str(option.discard), option.deadwood) for option in options] == [
        ("4h", 7),
        ("3d", 8),
        ("2d", 9),
        ("Ac", 10),
        ("Ah", 10),
    ]
    assert may_do(view, STYLE) == "discard a card, or knock"
    assert options_text(options[:2], STYLE) == "knock 4h leaves 7, knock 3d leaves 8"
    assert refusal("knock", view) == "no-card"


def test_a_knock_without_a_card_means_the_only_possible_one():
    assert typed("knock", having_drawn("Ac")) == typed("knock Ks", having_drawn("Ac"))
    assert refusal("knock", having_drawn("Qc")) == "knock-over-limit"


def test_the_card_just_taken_is_no_option():
    hand = deal(1, "3c 4c 5c 7c 7h 7s 2h 3d 2d Ah", DEALER, UPCARD)
    view = view_of(played(hand, "take"))
    assert all(str(option.discard) != UPCARD for option in knock_options(view))


#                     7c
# Ah 2h 3h   3c 4c 5c 7h 7s | Ks
NEARLY_GIN = "3c 4c 5c  7c 7h 7s  Ah 2h 3h  Ks"


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


def test_big_gin_is_offered_where_all_eleven_meld():
    view = having_drawn("4h", "3c 4c 5c 7c 7h 7s Ah 2h 3h 5h")
    assert knock_options(view)[0].discard is None
    assert may_do(view, STYLE).endswith("gin, or big gin")
    assert typed("big gin", view).discard is None
    assert typed("biggin", view).deadwood == 0


def test_big_gin_is_not_offered_where_it_is_not_played():
    rules = parse_ruleset("standard big-gin=none")
    view = having_drawn("4h", "3c 4c 5c 7c 7h 7s Ah 2h 3h 5h", rules=rules)
    assert all(option.discard is not None for option in knock_options(view))


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


# 3c 4c 5c    3c 3d 3h
# 3d 4d 5d or 4c 4d 4h
# 3h 4h 5h    5c 5d 5h | As
SQUARE = "3c 4c 5c 3d 4d 5d 3h 4h 5h As"


def test_arrangements_that_differ_in_lay_offs_are_asked_about():
    view = having_drawn("Ks", SQUARE)
    question = typed("knock ks", view)
    assert isinstance(question, Which)
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
    assert isinstance(question, Which)
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


# --- spreads ----------------------------------------------------------------------------

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


def test_knocking_and_spreading_have_their_time(defending):
    assert refusal("knock qd", defending) == "wrong-phase"
    assert refusal("spread", having_drawn("Ac")) == "wrong-phase"


def test_what_is_typed_in_full_is_taken_as_it_stands(defending):
    text = str(typed("spread", defending))
    assert str(typed(text, defending)) == text
