"""What only some variants have to tell: lays, the last discard, knock cards, an agreed dealer."""

import pytest

from cli.text.cards import Style
from cli.text.event_lines import event_lines
from cli.text.narration import narrate
from ginpeer.referee.referee import Admitted
from ginpeer.referee.table import Table
from ginpeer.rules import Match, cards_of, parse_card, parse_move, parse_ruleset, popcount
from protocol import messages as m
from tests.rules.drawing import deal, played, second_deck_deal

STYLE = Style()
MAHJONG = parse_ruleset("mahjong")


def entry(message, before, after, author=0):
    """An entry that turned one hand into another; of the rest of the match nothing is known."""
    match = Match.begin(before.rules, before.dealer)
    return Admitted(
        9, author, message, Table(match=match, hand=before), Table(match=match, hand=after)
    )


def lay_message(lay):
    return m.Lay(
        b"",
        b"",
        tuple(range(popcount(lay.cards))),
        tuple(map(int, cards_of(lay.cards))),
        tuple(tuple(map(int, cards_of(meld))) for meld in lay.melds),
        tuple(m.LayOff(int(card), at) for card, at in lay.adds),
        b"",
    )


def hands_around(hand, text):
    """A hand before and after a move."""
    return hand, hand.apply(parse_move(text))


def taking():
    """9s Ts, and 8s below Jh and 4h in the pile."""
    cards, other = "9s Ts  2c 2d 2h  5c 6h Jh Kd Ks", "3c 4c 5d 7c 7h 7d 9d 4h Ac Ah"
    hand = deal(1, cards, other, "8s", MAHJONG)
    return played(hand, "pass", "pass", "draw 3h", "discard Jh", "draw 3d", "discard 4h")


def test_several_discards_are_told_from_the_top_with_what_is_laid():
    text = "take 3 lay 8s9sTs"
    lay = lay_message(parse_move(text).lay)
    event = entry(m.TakeDiscards(3, lay), *hands_around(taking(), text))
    assert narrate(event, STYLE, 0) == [
        "You take the top 3 cards of the pile: 4h Jh 8s.",
        "You lay 8s 9s 10s.",
    ]
    assert event_lines(event) == [
        "event take-several seat=host count=3 cards=4hJh8s",
        "event lay seat=host melds=8s9sTs adds=none left=10",
    ]


def test_cards_that_are_added_are_told_with_the_meld_as_it_lies():
    hand = played(taking(), "take 3 lay 8s9sTs", "discard Kd", "draw Js", "lay add Js@0")
    before = played(hand, "discard 3c", "draw 7s")
    text = "lay 2c2d2h add 7s@0"
    event = entry(lay_message(parse_move(text)), *hands_around(before, text))
    assert narrate(event, STYLE) == [
        "The host lays 2c 2d 2h.",
        "The host adds 7s to 8s 9s 10s Js.",
    ]
    assert event_lines(event) == ["event lay seat=host melds=2c2d2h adds=7s@0 left=6"]


def going_gin(last):
    """The dealer, who has drawn this card to ten that all meld."""
    dealers = "3c 3d 3s 4c 4d 4h 4s 5d 5h 5s"
    hand = deal(1, "9s Ts 8c 5c 6h Jh Kd Ks 2c 2d", dealers, "8s", MAHJONG)
    return played(hand, "pass", "pass", "draw 3h", "discard 2c", f"draw {last}")


def test_the_last_card_is_gin_thrown_or_laid():
    hand = played(going_gin("Ac"), "lay 3c3d3s 4c4d4h4s 5d5h5s")
    thrown = m.Discard(b"", b"", 0, int(parse_card("Ac")), b"")
    event = entry(thrown, *hands_around(hand, "discard Ac"), author=1)
    assert narrate(event, STYLE, 1) == ["You discard Ac, the last card, and go gin."]
    assert event_lines(event)[1:] == ["event last-card seat=guest card=Ac"]
    hand = played(going_gin("6d"), "lay 3c3d3s 4c4d4h4s", "discard 6d")
    hand = played(hand, "draw 7c", "discard 5c", "take")
    text = "lay 5c5d5h5s"
    event = entry(lay_message(parse_move(text)), *hands_around(hand, text), author=1)
    assert narrate(event, STYLE, 1) == ["You lay 5c 5d 5h 5s.", "No card is left: you go gin."]
    assert event_lines(event) == ["event lay seat=guest melds=5c5d5h5s adds=none left=0"]


def test_what_is_left_is_shown_with_its_count():
    hand = played(going_gin("Ac"), "lay 3c3d3s 4c4d4h4s 5d5h5s", "discard Ac")
    cards = tuple(map(int, cards_of(hand.hand_of(0))))
    event = entry(m.Spread(cards, (), (), b""), hand, hand)
    assert narrate(event, STYLE, 0) == [
        "You show what is left: Kd Ks Jh 10s 9s 8c 6h 5c 3h 2d, counting 70."
    ]
    assert event_lines(event)[0].endswith(
        " melds=none layoffs=none deadwood=5c8c2dKd3h6hJh9sTsKs count=70"
    )


def dealt(rules, upcard):
    return deal(1, "3c 4c 5c 7c 7h 7s Ks 4d 2d Ah", "6c 8s 9s Qd Qh Jc Js Td Tc Kd", upcard, rules)


@pytest.mark.parametrize(
    ("rules", "upcard", "told"),
    [
        ("standard", "6d", "The upcard is 6d."),
        ("oklahoma", "4s", "The upcard is 4s: knock with 4 or less; the hand counts double."),
        ("oklahoma", "Ad", "The upcard is Ad: only gin ends the hand."),
        (
            "oklahoma-floating",
            "6d",
            "The upcard is 6d: knock with 6 or less until the next discard.",
        ),
        ("straight", "6d", "The upcard is 6d: only gin ends the hand."),
        ("standard knock-limit=5", "6d", "The upcard is 6d: knock with 5 or less."),
        ("mahjong", "6d", "The upcard is 6d."),
        ("mahjong spades-double=yes", "6s", "The upcard is 6s; the hand counts double."),
        ("standard spades-double=yes", "6s", "The upcard is 6s; the hand counts double."),
        ("standard spades-double=yes", "6d", "The upcard is 6d."),
        (
            "straight spades-double=yes",
            "6s",
            "The upcard is 6s: only gin ends the hand; the hand counts double.",
        ),
        (
            "oklahoma-floating spades-double=yes",
            "6s",
            "The upcard is 6s: knock with 6 or less, for double points, until the next discard.",
        ),
    ],
)
def test_the_deal_says_what_the_upcard_means(rules, upcard, told):
    hand = dealt(parse_ruleset(rules), upcard)
    event = entry(m.DealShares(b"", b""), hand, hand)
    assert narrate(event, STYLE) == [told]


def test_a_knock_card_is_told_with_who_draws_first():
    rules = parse_ruleset("oklahoma knock-limit=second-deck")
    cards, other = "3c 4c 5c 7c 7h 7s Ks 4d 2d Ah", "6c 8s 9s Qd Qh Jc Js Td Tc Kd"
    hand = second_deck_deal(1, cards, other, "4s", 0, rules)
    event = entry(m.DealShares(b"", b""), hand, hand, author=1)
    assert narrate(event, STYLE, 0) == [
        "The knock card, from the second deck, is 4s: knock with 4 or less; the hand counts "
        "double. You draw first, from the stock."
    ]
    assert event_lines(event)[0].endswith(
        " upcard=none stock=32 first=host knock-card=4s limit=4 doubled=yes"
    )


def test_the_last_discard_is_told_and_so_is_what_becomes_of_it():
    hand = dealt(parse_ruleset("standard wall=last-discard"), "6d")
    hand = played(hand, "pass", "pass")._replace(stock_left=3).drawing(parse_card("9h"))
    thrown = m.Discard(b"", b"", 0, int(parse_card("9h")), b"")
    event = entry(thrown, *hands_around(hand, "discard 9h"))
    assert narrate(event, STYLE, 1) == [
        "The host discards 9h.",
        "2 cards are left in the stock: you may take this card to knock or go gin, or pass.",
    ]
    assert event_lines(event)[1:] == ["event last-chance seat=guest card=9h"]
    last = played(hand, "discard 9h")
    taken = entry(m.TakeUpcard(), *hands_around(last, "take"), author=1)
    assert narrate(taken, STYLE) == ["The guest takes the last discard, 9h."]
    passed = entry(m.Pass(), *hands_around(last, "pass"), author=1)
    assert narrate(passed, STYLE) == ["The guest passes the last discard."]


def test_a_dealer_who_was_agreed_is_told_in_the_place_of_a_cut():
    rules = parse_ruleset("standard first-dealer=guest")
    before, after = Table(), Table(match=Match.begin(rules, 1))
    event = Admitted(1, 1, m.Accept(bytes(32), "Ben", str(rules), bytes(32)), before, after)
    assert narrate(event, STYLE, 1) == [
        "You accept the match.",
        "You deal first, as the rules say.",
    ]
    assert event_lines(event)[1:] == ["event first-dealer dealer=guest"]
