"""A hand as people lay it out: melds first, each in reading order, then the loose cards with the
costliest first.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from ginpeer.rules.cards import Card, CardSet, cards_of
from ginpeer.rules.melds import Meld, melding
from ginpeer.rules.ruleset import RuleSet
from ginpeer.rules.score import mahjong_value


class LaidOut(NamedTuple):
    """A hand sorted into melds and loose cards, and its deadwood or, in Mahjong gin, its value."""

    melds: tuple[Meld, ...]
    loose: CardSet
    total: int


def laid_out(hand: CardSet, rules: RuleSet) -> LaidOut:
    """Return the hand in an arrangement with the least deadwood by these rules."""
    ways = melding(rules)
    melds = ways.melds_in(hand)
    loose = hand ^ sum(melds)
    return LaidOut(melds, loose, mahjong_value(hand) if rules.mahjong else ways.pips(loose))


def in_row(meld: CardSet) -> tuple[Card, ...]:
    """Return a meld in reading order: a run around the corner begins at its low end (Q K A)."""
    cards = cards_of(meld)
    if not cards or cards[0].suit != cards[-1].suit:
        return cards
    for at, (card, following) in enumerate(pairwise(cards), 1):
        if following != card + 1:
            return (*cards[at:], *cards[:at])
    return cards


def costliest_first(cards: CardSet, rules: RuleSet) -> tuple[Card, ...]:
    """Return the cards from kings to aces, or the aces first if they count most."""
    ace = 13 if rules.mahjong or rules.ace_pips > 1 else 0
    return tuple(sorted(cards_of(cards), key=lambda card: (-(card.rank or ace), card.suit)))
