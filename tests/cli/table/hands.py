"""Hands drawn as diagrams, for tests of the table."""

from ginpeer.rules import parse_card
from tests.rules.drawing import deal, played

# 3c 4c 5c    3c 3d 3h
# 3d 4d 5d or 4c 4d 4h
# 3h 4h 5h    5c 5d 5h | As
SQUARE = "3c 4c 5c 3d 4d 5d 3h 4h 5h As"

#         7c
# 3c 4c 5c 7h 7s | Ks 4d 2d Ah
NON_DEALER = "3c 4c 5c 7c 7h 7s Ks 4d 2d Ah"
DEALER = "6c 8s 9s Qd Qh Jc Js Td Tc Kd"


def square_with_a_king():
    """Return the non-dealer's hand of eleven cards: once the king is discarded, the rest can be
    arranged in two ways."""
    hand = played(deal(1, SQUARE, DEALER, "6d"), "pass", "pass")
    return hand.drawing(parse_card("Ks"))


def first_choice():
    return deal(1, SQUARE, DEALER, "6d")


def knocked():
    """Return a hand in which the dealer is to spread; the best spread lays off a card on both
    melds."""
    hand = played(deal(1, "3c 4c 5c 7c 7h 7s Ac 2d 4d Ah", "6c 7d Qd Qh Qs Js Td 9c 9d Kd", "6d"))
    hand = played(hand, "pass", "pass").drawing(parse_card("Ks"))
    return played(hand, "knock Ks melds 3c4c5c 7c7h7s deadwood Ac2d4dAh")
