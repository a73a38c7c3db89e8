"""The table in every variant: limits that a card sets, the last discard, and Mahjong gin, typed."""

import pytest

from cli.table.help import help_lines
from cli.table.options import enter_move
from cli.words.standing import waiting_for
from ginpeer.referee.table import Awaiting, Table
from ginpeer.rules import Match, View, parse_card, parse_move, parse_ruleset
from tests.cli.seated import Seated
from tests.rules.drawing import deal, played, second_deck_deal

MAHJONG = parse_ruleset("mahjong")


@pytest.fixture(autouse=True)
def wide_screen(monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")


class Playing:
    """A person, or a program, as the non-dealer of a drawn hand, which goes on with what is typed.

    The table decides nothing: each line becomes a move of the session, and that of the hand.
    """

    def __init__(self, hand, interactive=True):
        self.seated = Seated(interactive).sit()
        self.hand = hand
        self.turn()

    def turn(self):
        before = len(self.seated.output.getvalue())
        if self.hand.result is None and self.hand.to_move == 0:
            self.seated.choose(self.hand)
        return self.seated.output.getvalue()[before:]

    def type(self, line):
        """What is answered to a line; a move that it makes is made."""
        made = len(self.seated.session.played)
        shown = self.seated.type(line)
        for text in self.seated.session.played[made:]:
            self.hand = self.hand.apply(parse_move(text))
            shown += self.turn()
        return shown

    @property
    def last(self):
        return self.seated.session.played[-1]

    def goes_on(self, *texts):
        """What is shown when these moves have been made, the other player's among them."""
        self.hand = played(self.hand, *texts)
        return self.turn()


# --- the knock limit --------------------------------------------------------------------

NON_DEALER = "3c 4c 5c  7c 7h 7s  Ks 4d 2d Ah"
DEALER = "6c 8s 9s Qd Qh Jc Js Td Tc Kd"


def drew_in(rules, upcard, card):
    """The non-dealer, who has drawn this card after two passes."""
    hand = deal(1, NON_DEALER, DEALER, upcard, parse_ruleset(rules))
    return Playing(played(hand, "pass", "pass", f"draw {card}"))


def test_a_limit_set_by_the_upcard_is_the_one_that_counts():
    strict, mild = drew_in("oklahoma", "2c", "Ac"), drew_in("oklahoma", "9c", "Ac")
    assert "You can knock" not in strict.seated.output.getvalue()
    assert "You cannot knock: 8 is the least you can keep, and the limit is 2." in strict.type("k")
    assert "You can knock: knock Ks leaves 8" in mild.seated.output.getvalue()
    mild.type("knock")
    assert mild.last == "knock Ks melds 3c4c5c 7c7h7s deadwood Ac2d4dAh"


@pytest.mark.parametrize(("rules", "upcard"), [("straight", "9c"), ("oklahoma", "As")])
def test_where_only_gin_ends_a_hand_a_knock_is_refused_with_that(rules, upcard):
    refused = drew_in(rules, upcard, "Ac").type("knock ks")
    assert "only gin can knock" in refused
    assert "only gin ends the hand" in drew_in(rules, upcard, "Ac").type("knock")


def test_a_floating_limit_is_said_each_turn():
    playing = drew_in("oklahoma-floating", "2c", "Kc")
    playing.type("ks")
    shown = playing.goes_on("draw 5h", "discard 9s")
    assert "The upcard is 9s: knock with 9 or less in this turn; 29 cards are left" in shown
    shown = playing.goes_on("draw 8h", "discard Kc", "draw 9h", "discard 8s")
    assert "The upcard is 8s: knock with 8 or less in this turn" in shown
    assert "The upcard is 8s: knock with 8 or less in this turn" in playing.type("table")
    playing.goes_on("take")
    assert "The limit of this turn is set by 8s: knock with 8 or less." in playing.type("table")


def test_the_table_says_what_sets_the_limit():
    playing = drew_in("oklahoma", "4s", "Kc")
    assert playing.type("table").splitlines()[:2] == [
        "The upcard is 4s; 30 cards are left in the stock.",
        "The limit of this hand is set by 4s: knock with 4 or less. It counts double.",
    ]
    assert drew_in("straight", "4s", "Kc").type("table").splitlines()[1] == (
        "Only gin ends the hand."
    )
    assert len(drew_in("standard", "4s", "Kc").type("table").splitlines()) == 2  # and the prompt


def test_the_table_says_what_counts_double_where_no_card_sets_the_limit():
    for rules, said in (
        ("standard spades-double=yes", "The hand counts double."),
        ("straight spades-double=yes", "Only gin ends the hand. The hand counts double."),
    ):
        assert drew_in(rules, "4s", "Kc").type("table").splitlines()[1] == said
        assert "double" not in drew_in(rules, "9c", "Kc").type("table")
    assert "The hand counts double." in drew_in("mahjong spades-double=yes", "4s", "Kc").type(
        "table"
    )
    floating = drew_in("oklahoma-floating spades-double=yes", "4s", "Kc")
    floating.type("ks")
    shown = floating.goes_on("draw 5h", "discard 9s")
    assert "The upcard is 9s: knock with 9 or less, for double points, in this turn;" in shown
    floating.goes_on("take")
    assert (
        "The limit of this turn is set by 9s: knock with 9 or less, for double points."
        in floating.type("table")
    )


def test_where_nobody_knocks_nobody_is_waited_for_to_knock():
    table = Table(match=Match.begin(parse_ruleset("straight"), 0), awaiting=Awaiting.DISCARD)
    assert waiting_for(table) == "to discard or go gin"


def test_in_words_the_sentences_of_the_rules_are_in_words_too():
    hand = played(deal(1, NON_DEALER, DEALER, "6d"), "take")
    playing = Playing(hand)
    playing.type("words on")
    said = "The 6 of diamonds was just taken; throw another card. You may"
    assert playing.type("6d").startswith(said)
    said = "No: the 6 of diamonds was just taken; throw another card (RULES 4.4)."
    assert said in playing.type("rules 6d")
    assert "No: the 10 of hearts is not in the hand (RULES 4.3)." in playing.type("rules th")


def test_with_a_second_deck_the_first_card_comes_from_the_stock():
    rules = parse_ruleset("oklahoma knock-limit=second-deck")
    playing = Playing(second_deck_deal(1, NON_DEALER, DEALER, "7d", 0, rules))
    shown = playing.seated.output.getvalue()
    assert "32 cards are left in the stock." in shown
    assert "passed" not in shown
    assert "You may draw, since no upcard is turned." in playing.type("take")
    assert "32 cards are left in the stock." in playing.type("table")
    assert "set by 7d: knock with 7 or less" in playing.type("table")
    assert "the limit is 7" in playing.goes_on("draw Ad") + playing.type("knock")  # 8 would be left


def test_either_pile_may_be_drawn_from_at_once_and_the_upcard_is_not_told_twice():
    rules = parse_ruleset("standard opening=either-pile")
    playing = Playing(deal(1, NON_DEALER, DEALER, "6d", rules))
    assert "upcard" not in playing.seated.output.getvalue()
    assert playing.seated.output.getvalue().endswith("draw or take 6d [Enter draws]> ")
    playing.type("t")
    assert playing.last == "take"


# --- around the corner ------------------------------------------------------------------


def around(card, rules="tedesco"):
    """The non-dealer, who has drawn this card."""
    cards = "Qs Ks As  7c 7h 7s  4h 5h 6h  Ad"
    dealt = deal(1, cards, DEALER, "Th", parse_ruleset(rules))
    return Playing(played(dealt, "pass", "pass", f"draw {card}"))


def test_a_run_around_the_corner_is_shown_and_counted_by_its_rules():
    playing = around("Kc")
    assert "melds 4h 5h 6h, 7c 7h 7s, Qs Ks As; deadwood Ad Kc (25)" in playing.type("hand")
    playing = around("2s")
    assert "Qs Ks As 2s" in playing.type("hand")
    playing.type("gin")
    assert playing.last == "knock Ad melds 4h5h6h 7c7h7s As2sQsKs"


def test_melds_around_the_corner_may_be_typed_in_their_order():
    playing = around("2s")
    playing.type("knock ad melds qs ks as 2s, 4h 5h 6h, 7c 7h 7s")
    assert playing.last == "knock Ad melds As2sQsKs 4h5h6h 7c7h7s"
    ordinary = around("2s", "standard")
    assert "does not split into melds" in ordinary.type("knock ad melds qs ks as 2s")


# --- the last discard -------------------------------------------------------------------


def last_chance(thrown, rules="standard wall=last-discard", cards=NON_DEALER):
    """The non-dealer, when the dealer has thrown this card with two cards left in the stock."""
    hand = deal(1, cards, DEALER, "6d", parse_ruleset(rules))
    hand = played(hand, "pass", "pass", "draw 9h", "discard 9h")._replace(stock_left=3)
    return Playing(played(hand, f"draw {thrown}", f"discard {thrown}"))


def test_the_last_discard_is_offered_with_what_it_is_good_for():
    playing = last_chance("6h")
    # 3c 4c 5c 7c 7h 7s | Ks 4d 2d Ah: with 6h thrown no knock; 6h cannot be thrown again
    shown = playing.seated.output.getvalue()
    assert shown.endswith("take 6h to knock or go gin, or pass [Enter passes]> ")
    assert "You could not end the hand with it; if you pass, the hand is void." in shown
    assert "You may take 6h to knock or go gin, or pass." in playing.type("draw")
    playing.type("")
    assert playing.last == "pass"
    assert playing.hand.result.kind.value == "void"


def test_enter_passes_no_discard_that_could_end_the_hand():
    playing = last_chance("Ac")
    shown = playing.seated.output.getvalue()
    assert shown.endswith("take Ac to knock or go gin, or pass> ")
    assert "if you pass, or take it and do not knock or go gin, the hand is void" in shown.lower()
    assert "Enter alone does nothing here." in playing.type("")
    shown = playing.type("take")
    assert "if you do not knock or go gin now, the hand is void" in shown
    assert "You can knock: knock Ks leaves 8" in shown
    playing.type("k")
    assert playing.last.startswith("knock Ks ")


def test_who_throws_the_last_discard_is_warned():
    hand = deal(1, NON_DEALER, DEALER, "6d", parse_ruleset("standard wall=last-discard"))
    hand = played(hand, "pass", "pass")._replace(stock_left=3)
    playing = Playing(hand.drawing(parse_card("9h")))
    assert "the other player may take your discard" in playing.seated.output.getvalue()
    void = deal(1, NON_DEALER, DEALER, "6d")
    void = played(void, "pass", "pass")._replace(stock_left=3)
    told = Playing(void.drawing(parse_card("9h"))).seated.output.getvalue()
    assert "if you do not knock or go gin now, the hand is void" in told


def test_a_program_is_told_of_the_last_chance():
    hand = last_chance("Ac").hand
    program = Playing(hand, interactive=False)
    assert program.seated.output.getvalue().splitlines()[-1] == (
        "event choose what=last-chance upcard=Ac stock=2 limit=10"
    )


# --- Mahjong gin ------------------------------------------------------------------------

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
    assert shown[-4:] == [
        "The pile, from the top: 1, 4h; 2, Jh; 3, 8s.",
        "29 cards are left in the stock.",
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
    assert "Both players passed; 31 cards are left" in playing.goes_on("pass")
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
    assert playing.seated.output.getvalue().endswith("(not 5c, just taken)> ")
    playing.type("lay 3c4c5c")
    assert "just taken" not in playing.seated.output.getvalue().splitlines()[-1]


@pytest.mark.parametrize("line", ["", "show", "spread"])
def test_who_is_left_with_cards_shows_them(line):
    dealers = "3c 3d 3s 4c 4d 4h 4s 5d 5h 5s"
    hand = deal(1, "9s Ts 8c 5c 6h Jh Kd Ks 2c 2d", dealers, "8s", MAHJONG)
    hand = played(hand, "pass", "pass", "draw 3h", "discard 2c", "draw Ac")
    playing = Playing(played(hand, "lay 3c3d3s 4c4d4h4s 5d5h5s", "discard Ac"))
    shown = playing.seated.output.getvalue()
    assert "You are left with Kd Ks Jh 10s 9s 8c 6h 5c 3h 2d, counting 70." in shown
    assert shown.endswith("show your cards [Enter shows them]> ")
    playing.type(line)
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


def test_help_is_about_the_game_that_is_played():
    ordinary, mahjong = (help_lines(parse_ruleset(text)) for text in ("standard", "mahjong"))
    assert any("knock 7d" in line for line in ordinary)
    assert not any(line.startswith("Then lay cards") for line in ordinary)
    assert any(line.startswith("Then lay cards") for line in mahjong)
    assert not any(line.startswith("Knock: ") for line in mahjong)
    assert help_lines(None) == ordinary


def test_a_person_hears_the_hand_once_a_turn_and_a_program_whenever_it_changed():
    hand = deal(1, NON_DEALER, DEALER, "6d")
    hand = played(hand, "pass", "pass", "draw 9h", "discard 9h")
    drawing = played(hand, "draw 8h", "discard 8h")
    for interactive, times in ((True, 1), (False, 2)):
        playing = Playing(drawing, interactive)
        shown = playing.seated.output.getvalue() + playing.goes_on("draw 5h")
        assert shown.count("Your hand: ") + shown.count("event hand ") == times
