"""What the table tells about the cards that cannot be seen."""
# Every card is in one of four places: mine; dead in the pile; in the other hand for all to see,
# since it was taken from the pile and not thrown; or unseen. Of the unseen ones each has a weight:
# how much likelier than a plain guess the other player is to hold it.
#
#  - A card that the other threw or let lie says: little use for its neighbours. They weigh less.
#  - A card that the other took says: it melds. Its neighbours weigh more.
#
# Neighbours are the other cards of the rank and those one or two steps away in the suit.

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from ginpeer.rules import (
    CARDS,
    DECK,
    Card,
    Discard,
    Lay,
    Melding,
    TakeDiscards,
    TakeUpcard,
    View,
    cards_of,
    mask_of,
    popcount,
)

# Found by play against itself and against a greedy player; anything near them plays as well.
# By distance in the suit, 0 for another card of the rank.
_UNWANTED = (0.75, 0.75, 0.9)
_WANTED = (2.5, 2.5, 1.7)


@cache
def _neighbours(runs_wrap: bool) -> tuple[tuple[tuple[Card, int], ...], ...]:
    """For each card its neighbours, each with the distance."""
    near = []
    for card in CARDS:
        distances = [(other, _distance(card, other, runs_wrap)) for other in CARDS]
        near.append(
            tuple(
                (other, distance)
                for other, distance in distances
                if other != card and (distance == 0 or (other.suit == card.suit and distance <= 2))
            )
        )
    return tuple(near)


def _distance(one: Card, other: Card, runs_wrap: bool) -> int:
    distance = abs(one.rank - other.rank)
    return min(distance, 13 - distance) if runs_wrap else distance


@cache
def partners(ways: Melding) -> tuple[tuple[tuple[Card, ...], ...], ...]:
    """For each card the pairs of others with which it is a meld of three."""
    threes = [meld for meld in ways.melds if popcount(meld) == 3]
    return tuple(
        tuple(cards_of(meld ^ card.bit) for meld in threes if meld & card.bit) for card in CARDS
    )


@dataclass(frozen=True, slots=True)
class Reading:
    """The cards as one player can know them at one moment.

    ``chances`` has for each of the 52 cards the estimated chance that the other player holds it.
    """

    ways: Melding
    unseen: tuple[Card, ...]
    chances: tuple[float, ...]

    def danger(self, card: Card) -> float:
        """The estimated chance that the other player melds this card if it is thrown."""
        safe = 1.0
        for a, b in partners(self.ways)[card]:
            safe *= 1.0 - self.chances[a] * self.chances[b]
        return 1.0 - safe


def read(view: View) -> Reading:
    """What the player of this view can know and guess now."""
    hand, other = view.hand, 1 - view.seat
    theirs = hand.known_held(other)
    on_table = hand.laid(0) | hand.laid(1)
    unseen = cards_of(DECK & ~(view.cards | mask_of(hand.pile) | theirs | on_table))
    neighbours = _neighbours(hand.rules.runs_wrap)
    weights = dict.fromkeys(unseen, 1.0)
    for card in _left_alone(view):
        _weigh(weights, neighbours[card], _UNWANTED)
    for card in cards_of(theirs):
        _weigh(weights, neighbours[card], _WANTED)
    hidden = hand.size(other) - popcount(theirs)
    scale = hidden / sum(weights.values())
    chances = [0.0] * len(CARDS)
    for card, weight in weights.items():
        chances[card] = min(0.95, weight * scale)
    for card in cards_of(theirs):
        chances[card] = 1.0
    return Reading(hand.melding, unseen, tuple(chances))


def _weigh(
    weights: dict[Card, float], near: tuple[tuple[Card, int], ...], factors: tuple[float, ...]
) -> None:
    for neighbour, distance in near:
        if neighbour in weights:
            weights[neighbour] *= factors[distance]


def _left_alone(view: View) -> Iterator[Card]:
    """The cards that the other player threw or declined as upcard, in order."""
    pile = [] if view.hand.first_upcard is None else [view.hand.first_upcard]
    for seat, move in view.hand.moves:
        if isinstance(move, TakeUpcard):
            pile.pop()
        elif isinstance(move, TakeDiscards):
            del pile[-move.count :]
        elif isinstance(move, Discard):
            pile.append(move.card)
            if seat != view.seat:
                yield move.card
        elif isinstance(move, Lay):
            continue
        elif seat != view.seat and pile:  # a pass, or a draw from the stock instead
            yield pile[-1]
