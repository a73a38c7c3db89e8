"""Mahjong gin at the table, typed: what is taken, laid and shown."""

import pytest

from cli.table.possible_moves import enter_move
from ginpeer.rules import Match, View, parse_ruleset
from tests.cli.table.playing import DEALER, NON_DEALER, Playing, drew_in
from tests.rules.drawing import deal, played

pytestmark = pytest.mark.usefixtures("wide_screen")

MAHJONG = parse_ruleset("mahjong")


#  9s Ts and, in the pile below Jh and 4h, 8s
TAKER = "9s Ts  2c 2d 2h  5c 6h Jh Kd Ks"


OTHER = "3c 4c 5d 7c 7h 7d 9d 4h Ac Ah"


def before_the_pile(cards=TAKER, other=OTHER, interactive=True):
    """The non-dealer's second turn: 4h lies on Jh, and that on 8s."""
    hand = deal(1, cards, other, "8s", MAHJONG)
    moves = ("pass", "pass", "draw 3h", "discard Jh", "draw 3d", "discard 4h")
    return Playing(played(hand, *moves), interactive)


@pytest.mark.parametrize(
    "line",
    [
        "take 3",
        "take the top 3 cards",
        "take 8s",
        "take 3 lay 8s9sTs",
        "take 3 meld 8s 9s 10s",
        "take 8s lay 8s 9s 10s",
    ],
)
def test_several_cards_are_taken_with_the_lay_of_the_lowest(line):
    playing = before_the_pile()
    shown = playing.type(line)
    assert playing.last == "take 3 lay 8s9sTs"
    assert "Your hand: melds 2h 3h 4h; loose Kd Ks Jh 6h 5c 2c 2d; 10 cards" in shown


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("take 2", "You cannot take 2: Jh, the lowest of them, could not be laid."),
        ("take 4", "The pile has 3 cards."),
        ("take 9d", "9d is not in the pile."),
        ("take 3 lay 2c2d2h", "8s, the lowest of the 3, has to be laid."),
        ("take 3 lay 8s 9s", "8s does not fit there. No meld lies there."),
        ("take 3 lay 8s9s2c", "does not split into melds"),
        ("take 3 meld 8s 8d 8h", "8d is not in your hand."),
        ("take 1 lay 2c2d2h", "Take the upcard first, and then lay."),
        ("lay 2c2d2h", "Cards are laid after the draw, before you discard."),
        ("pass", "That cannot be done now"),
        ("knock ks", "Nobody knocks in Mahjong gin: lay your cards on the table"),
        ("spread", "You show your cards when the other player has gone gin"),
        ("", "Enter alone does nothing here."),  # several cards could be taken
    ],
)
def test_each_refusal_says_why_and_what_may_be_done(line, said):
    playing = before_the_pile()
    shown = playing.type(line)
    assert said in shown
    assert "You may draw, or take 4h, or take 3 from the pile." in shown
    assert playing.seated.session.played == []


def test_the_draw_shows_the_pile_from_the_top_and_what_can_be_taken():
    shown = before_the_pile().seated.output.getvalue().splitlines()
    assert shown[-3:] == [
        "The pile, from the top: 1, 4h; 2, Jh; 3, 8s.",
        "You can take several cards: take 3, down to 8s.",
        "draw or take 4h, or several> ",
    ]


def test_in_words_no_number_runs_into_a_rank():
    playing = before_the_pile()
    playing.type("words on")
    pile = "The pile, from the top: 1, the 4 of hearts; 2, the jack of hearts; 3, the 8 of spades."
    assert pile in playing.type("table")
    assert "take 3, down to the 8 of spades" in playing.goes_on()
    playing.type("take 3")
    assert playing.type("table").startswith("Meld 1, the 8, 9, 10 of spades: laid by you for 20.")
    assert "meld 1, the 8, 9, 10 of spades" in playing.type("add kd on 1")


def test_several_ways_to_lay_the_lowest_are_asked_about():
    playing = before_the_pile("6s 7s 9s Ts  2c 2d 5c Jh Kd Ks")
    asked = playing.type("take 3")
    assert asked.splitlines()[:3] == [
        "There are 6 ways to take 3 and lay the lowest.",
        "1: lay 6s 7s 8s 9s 10s.",
        "2: lay 6s 7s 8s 9s.",
    ]
    assert asked.endswith("which, 1 to 6> ")
    assert "Type a number from 1 to 6." in playing.type("7")
    playing.type("3")
    assert playing.last == "take 3 lay 7s8s9sTs"


def test_a_hand_of_mahjong_gin_can_be_typed_from_the_deal_to_gin():
    playing = Playing(deal(1, "3c 4c 5c  7c 7h 7s  Kd Ks 2h 9d", OTHER_HAND, "6d", MAHJONG))
    playing.type("pass")
    playing.goes_on("pass")
    assert playing.last == "draw"
    shown = playing.goes_on("draw 8c")
    assert "You can lay 3c 4c 5c, 7c 7h 7s." in shown
    assert shown.endswith("discard a card, or lay melds> ")

    playing.type("lay")
    assert playing.last == "lay 3c4c5c 7c7h7s"
    assert "8c does not fit there. The melds: meld 1, 3c 4c 5c; meld 2" in playing.type("add 8c")
    assert "There is no meld in your hand" in playing.type("lay")
    assert "6c is not in your hand." in playing.type("add 6c on 1")
    assert "There is no meld number 3." not in playing.type("add kd on 4")
    playing.type("kd")
    assert playing.last == "discard Kd"

    shown = playing.goes_on("draw 5s", "lay 8d8h8s add 6c@0", "discard Th")
    assert "The pile, from the top: 1, 10h; 2, Kd; 3, 6d." in shown
    table = playing.type("table").splitlines()
    assert table[:6] == [
        "Meld 1, 3c 4c 5c 6c: 3c 4c 5c by you for 15, 6c by the guest for 5.",
        "Meld 2, 7c 7h 7s: laid by you for 15.",
        "Meld 3, 8d 8h 8s: laid by the guest for 15.",
        "Points on the table: you 30, the guest 20.",
        "The pile, from the top: 1, 10h; 2, Kd; 3, 6d.",
        "29 cards are left in the stock.",
    ]

    shown = playing.goes_on("draw 7d")
    assert "You can add 7d to meld 2, 8c to meld 3." in shown
    playing.type("add 7d on 2, 8c")
    assert playing.last == "lay add 7d@1 8c@2"
    playing.type("9d")
    playing.goes_on("draw 6h", "discard 6h")
    playing.goes_on("draw 2c")
    playing.type("2c")
    playing.goes_on("draw 6s", "discard 6s")
    shown = playing.goes_on("draw 2s")
    assert "Your hand: melds none; loose Ks 2h 2s; 3 cards, counting 20." in shown
    playing.type("ks")
    playing.goes_on("draw Tc", "discard Tc")
    shown = playing.goes_on("draw 2d")
    assert "You can lay 2d 2h 2s." in shown
    playing.type("lay 2d2h2s")
    assert playing.hand.knocker == 0
    assert playing.hand.to_move == 1


OTHER_HAND = "6c 8d 8h 8s Td Jd Qd Th Kh 4s"


def test_a_card_that_fits_on_two_melds_is_asked_about():
    cards = "3c 4c 5c  6d 6h 6s  Kd Ks 2h 9d"
    hand = deal(1, cards, "7c 8d 8h 8s Td Jd Qd Th Kh 4s", "As", MAHJONG)
    playing = Playing(played(hand, "pass", "pass", "draw 6c", "lay 3c4c5c 6d6h6s"))
    assert playing.type("add 6c").splitlines()[:3] == [
        "There are 2 ways to lay that.",
        "1: add 6c to meld 1.",
        "2: add 6c to meld 2.",
    ]
    playing.type("2")
    assert playing.last == "lay add 6c@1"
    playing = Playing(played(hand, "pass", "pass", "draw 6c", "lay 3c4c5c 6d6h6s"))
    playing.type("lay 6c on 1")
    assert playing.last == "lay add 6c@0"


def test_several_arrangements_to_lay_are_asked_about():
    hand = deal(1, "3c 4c 5c 3d 4d 5d 3h 4h 5h As", OTHER_HAND, "9c", MAHJONG)
    playing = Playing(played(hand, "pass", "pass", "draw Ks"))
    asked = playing.type("lay")
    assert asked.startswith("There are 2 ways to lay that.\n1: lay ")
    playing.type("1")
    assert playing.last.startswith("lay ")


def test_the_card_just_taken_is_named_while_it_is_in_the_hand():
    hand = deal(1, "3c 4c  7c 7h 7s  Kd Ks 2h 9d Jh", OTHER_HAND, "5c", MAHJONG)
    playing = Playing(played(hand, "take"))
    assert playing.seated.output.getvalue().endswith("(not 5c)> ")
    playing.type("lay 3c4c5c")
    assert "not 5c" not in playing.seated.output.getvalue().splitlines()[-1]


def left_with_cards(interactive=True):
    dealers = "3c 3d 3s 4c 4d 4h 4s 5d 5h 5s"
    hand = deal(1, "9s Ts 8c 5c 6h Jh Kd Ks 2c 2d", dealers, "8s", MAHJONG)
    hand = played(hand, "pass", "pass", "draw 3h", "discard 2c", "draw Ac")
    return Playing(played(hand, "lay 3c3d3s 4c4d4h4s 5d5h5s", "discard Ac"), interactive)


@pytest.mark.parametrize("line", ["", "show", "spread"])
def test_a_program_that_is_left_with_cards_shows_them(line):
    playing = left_with_cards(interactive=False)
    assert playing.seated.session.played == []
    playing.type(line)
    assert playing.last == "spread deadwood 5c8c2dKd3h6hJh9sTsKs"


def test_who_is_left_with_cards_shows_them_unasked():
    playing = left_with_cards()
    assert "> " not in playing.seated.output.getvalue()
    assert playing.last == "spread deadwood 5c8c2dKd3h6hJh9sTsKs"
    assert playing.hand.result.kind.value == "mahjong"


def test_show_is_the_hand_where_nothing_is_to_be_shown():
    assert "Your hand: " in before_the_pile().type("show")


def test_laying_is_for_mahjong_gin_alone():
    ordinary = drew_in("standard", "9h", "Ac")
    for line in ("lay 3c4c5c", "add 6c on 1"):
        assert "Only in Mahjong gin are cards laid on the table." in ordinary.type(line)
    hand = deal(1, NON_DEALER, DEALER, "6d")
    ordinary = Playing(
        played(hand, "pass", "pass", "draw 9h", "discard 9h", "draw 5h", "discard 5h")
    )
    assert "Only in Mahjong gin can several" in ordinary.type("take 3 lay 3c4c5c")
    assert "Which 3? Say the suit too, like 3d." in ordinary.type("take 3")


def test_a_program_hears_what_can_be_taken_and_laid():
    program = before_the_pile(interactive=False)
    assert program.seated.output.getvalue().splitlines()[-2:] == [
        "event can-take count=3 melds=8s9sTs adds=none",
        "event choose what=draw upcard=4h stock=29 limit=0",
    ]
    shown = program.type("take 3").splitlines()
    assert shown[-3:] == [
        "event hand cards=2c5c2dKd2h3h4h6hJhKs melds=2h3h4h deadwood=2c5c2dKd6hJhKs count=65",
        "event can-lay melds=2h3h4h adds=none",
        "event choose what=discard upcard=none stock=29 limit=0",
    ]


def test_a_program_is_asked_by_number_which_lay_is_meant():
    program = before_the_pile("6s 7s 9s Ts  2c 2d 5c Jh Kd Ks", interactive=False)
    asked = program.type("take 3").splitlines()
    assert asked[0] == "event arrangement number=1 melds=6s7s8s9sTs deadwood=none adds=none"
    program.type("1")
    assert program.last == "take 3 lay 6s7s8s9sTs"


def test_enter_draws_in_mahjong_gin_where_nothing_else_is_tempting():
    hand = deal(1, "9s Js  2c 2d 2h  5c 6h Jh Kd Ks", OTHER, "8s", MAHJONG)
    hand = played(hand, "pass", "pass", "draw 3h", "discard Jh", "draw 8d", "discard 8d")
    assert str(enter_move(View(0, hand, Match.begin(MAHJONG, 1)))) == "draw"
    lays = played(hand, "draw Td", "lay 2c2d2h", "discard Td", "draw 2s", "discard 2s")
    assert enter_move(View(0, lays, Match.begin(MAHJONG, 1))) is None  # it fits on the twos


def test_more_cards_than_can_be_tried_in_order_are_refused():
    playing = before_the_pile()
    playing.type("take 3")
    cards = "2c 2d 5c Kd 2h 3h 4h 6h Jh"
    assert "Name at most 8 cards in one line." in playing.type(f"add {cards}")
    assert "Kd does not fit there. The melds: meld 1, 8s 9s 10s." in playing.type("add kd")
    assert "does not fit there" in playing.type("lay 2h3h4h add Jh on 9")
