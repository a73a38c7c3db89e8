"""Knocks whose counts are easy to see, for the tests of limits and scores.

The knocker is the non-dealer, seat 0, with nine melded cards and a loose one::

    3h 4h 5h    7c 7d 7h    Tc Td Th    and 8c, say: deadwood 8

The defender has two melds, which can't take any of those cards, and four loose cards::

    Jc Jd Jh    Qc Qd Qh    and 2d 2s 3s 5s, say: deadwood 12
"""

from ginpeer.rules import parse_ruleset
from tests.rules.drawing import deal, knocks, played, settled

NINE = "3h 4h 5h  7c 7d 7h  Tc Td Th"
SIX = "Jc Jd Jh  Qc Qd Qh"
GIN = "6h"  # the eight extends the run

# The defender's loose cards, by how much they count. None fits the knocker's melds.
LOOSE = {
    6: "Ad As 2d 2s",
    8: "Ad As 2d 4s",
    10: "Ad 2s 3d 4s",
    12: "2d 2s 3s 5s",
    21: "2s 4d 6s 9d",
}


def about_to_knock(rules, loose, against=12, upcard="8h"):
    """Return the hand after both players have passed and the knocker has drawn a king to throw."""
    hand = deal(1, f"{NINE} {loose}", f"{SIX} {LOOSE[against]}", upcard, parse_ruleset(rules))
    if rules.endswith("either-pile"):
        return played(hand, "draw Kc")
    return played(hand, "pass", "pass", "draw Kc")


def knock_of(loose):
    """Return the text of a knock that throws that king."""
    if loose == GIN:
        return "knock Kc melds 3h4h5h6h 7c7d7h TcTdTh"
    return f"knock Kc melds 3h4h5h 7c7d7h TcTdTh deadwood {loose}"


def showdown(rules, loose, against=12, upcard="8h"):
    """Return the result of that knock, which must be a listed move, and the best answer to it."""
    hand = about_to_knock(rules, loose, against, upcard)
    assert knock_of(loose) in map(str, knocks(hand))
    return settled(played(hand, knock_of(loose)))
