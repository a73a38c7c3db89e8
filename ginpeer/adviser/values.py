"""What a position is worth to a seat: expected points from here on, in thousandths."""

from __future__ import annotations

from ginpeer.adviser.facts import draws, layoffs, partners
from ginpeer.adviser.sight import Sight
from ginpeer.rules import CardSet, Meld, cards_of, popcount

_SEVEN = 7
_TURN = 3_000  # what it is worth to draw, over what the ten cards are worth


def keeping(seen: Sight, kept: CardSet, thrown: CardSet) -> int:
    """Of holding these ten after throwing that card."""
    pile = seen.pile | thrown
    left = sorted(after for _, after in draws(seen, kept, pile))[:_SEVEN]
    best = sum(left) * 1000 // max(1, len(left))
    danger = 0
    gone = kept | pile
    for card in cards_of(thrown):
        for pair in partners(seen.ways)[card]:
            if not pair & gone:
                danger += (100, 700, 4000)[popcount(pair & seen.held)]
    return 12_000 - best * 4 // 5 - danger


def drawing(seen: Sight) -> int:
    """Of drawing from the stock with these ten, before the card is seen."""
    return keeping(seen, seen.cards, 0) + _TURN


def knocking(seen: Sight, kept: CardSet, melds: tuple[Meld, ...]) -> int:
    """Of knocking with these ten, laid out so."""
    deadwood = seen.ways.pips(kept & ~sum(melds))
    turns = 31 - seen.stock
    theirs = max(12, 50 - 2 * turns)
    if not deadwood:
        return 25_000 + theirs * 1000
    risk = undercutting(seen, kept, melds)
    exposed = popcount(layoffs(seen, melds))
    won = max(1, theirs - deadwood - exposed // 2) * (100 - risk)
    return won * 10 - risk * 280


def undercutting(seen: Sight, kept: CardSet, melds: tuple[Meld, ...]) -> int:
    """The chance in per cent that this knock is undercut."""
    deadwood = seen.ways.pips(kept & ~sum(melds))
    turns = 31 - seen.stock
    return min(90, deadwood * turns // 3 + popcount(layoffs(seen, melds))) if deadwood else 0
