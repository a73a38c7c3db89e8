"""Read lines typed at drawn hands, and return the moves that they mean."""

import pytest

from cli.table.commands import parse_command
from cli.table.resolve import resolve_move
from cli.text.cards import Style
from ginpeer.rules import (
    STANDARD,
    Illegal,
    Match,
    Unreadable,
    View,
    parse_card,
    parse_move,
)
from tests.rules.drawing import deal, played

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
    """Return the non-dealer's view after two passes and a draw of this card."""
    return view_of(draw_after_passes(card, cards, DEALER, rules))


def knocked(knock, card, cards=NON_DEALER, dealers=DEALER):
    """Return the dealer's view after the non-dealer drew this card and knocked."""
    return view_of(draw_after_passes(card, cards, dealers, STANDARD).apply(parse_move(knock)))


def typed(text, view):
    return resolve_move(parse_command(text), view, STYLE)


def refusal(text, view):
    with pytest.raises((Illegal, Unreadable)) as refused:
        typed(text, view)
    assert refused.value.sentence.endswith(".")
    return refused.value.code
