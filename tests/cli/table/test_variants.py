"""The table in the variants with knocks: limits that a card sets, runs around the corner, the last
discard, typed."""

import pytest

from cli.text.board import awaited_action
from ginpeer.referee.table import Awaiting, Table
from ginpeer.rules import Match, parse_card, parse_ruleset
from tests.cli.table.playing import DEALER, NON_DEALER, Playing, drew_in
from tests.rules.drawing import deal, played, second_deck_deal

pytestmark = pytest.mark.usefixtures("wide_screen")


# --- the knock limit --------------------------------------------------------------------


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
    assert "Knock with 9 or less in this turn." in shown
    assert "The upcard is 9s: knock with 9 or less in this turn; 29 cards" in playing.type("hand")
    shown = playing.goes_on("draw 8h", "discard Kc", "draw 9h", "discard 8s")
    assert "Knock with 8 or less in this turn." in shown
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
    assert "Knock with 9 or less, for double points, in this turn." in shown
    floating.goes_on("take")
    assert (
        "The limit of this turn is set by 9s: knock with 9 or less, for double points."
        in floating.type("table")
    )


def test_where_nobody_knocks_nobody_is_waited_for_to_knock():
    table = Table(match=Match.begin(parse_ruleset("straight"), 0), awaiting=Awaiting.DISCARD)
    assert awaited_action(table) == "to discard or go gin"


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
    assert playing.last == "draw"
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
