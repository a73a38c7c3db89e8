"""How the bot of ginpeer 1.0 estimated the cards that it couldn't see."""
# Every card is in one of four places: mine; dead in the pile; known to be in the opponent's hand,
# since it was taken from the pile and not thrown; or unseen. Each unseen card has a weight:
# how much likelier than a plain guess the opponent is to hold it.
#
#  - If the opponent threw a card or let it lie, its neighbours are of little use. They weigh less.
#  - If the opponent took a card, it melds. Its neighbours weigh more.
#
# Neighbours are the other cards of the rank and those one or two steps away in the suit.

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from random import Random

from ginpeer.rules import (
    CARDS,
    DECK,
    Card,
    CardSet,
    Discard,
    Hand,
    Lay,
    Melding,
    TakeDiscards,
    TakeUpcard,
    View,
    cards_of,
    mask_of,
    popcount,
)
from ginpeer.rules.parameters import KnockLimit

# Found by play against itself and against a greedy player; nearby values play as well.
# By distance in the suit, 0 for another card of the rank.
_UNWANTED = (0.75, 0.75, 0.9)
_WANTED = (2.5, 2.5, 1.7)


@cache
def _neighbours(runs_wrap: bool) -> tuple[tuple[tuple[Card, int], ...], ...]:
    """Return each card's neighbours, with their distances."""
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
    """Return, for each card, the pairs of others with which it is a meld of three."""
    threes = [meld for meld in ways.melds if popcount(meld) == 3]
    return tuple(
        tuple(cards_of(meld ^ card.bit) for meld in threes if meld & card.bit) for card in CARDS
    )


@dataclass(frozen=True, slots=True)
class Reading:
    """The cards as one player can know them at one moment.

    ``unseen`` and ``weights`` go together; ``chances`` has, for each of the 52 cards, the estimated
    chance that the opponent holds it. ``theirs`` are the opponent's known cards, ``hidden`` counts
    the unknown ones, ``turns`` the opponent's discards so far. ``limit`` is the opponent's knock
    limit in the last turn.
    """

    ways: Melding
    unseen: tuple[Card, ...]
    weights: tuple[float, ...]
    chances: tuple[float, ...]
    theirs: CardSet
    hidden: int
    turns: int
    limit: int

    def danger(self, card: Card) -> float:
        """Return the estimated chance that the opponent melds this card if it is thrown."""
        safe = 1.0
        for a, b in partners(self.ways)[card]:
            safe *= 1.0 - self.chances[a] * self.chances[b]
        return 1.0 - safe

    def guesses(self, count: int, rng: Random) -> list[CardSet]:
        """Return this many hands that the opponent might hold.

        A player improves with every turn and mostly knocks when able to, so each guess is the best
        of several random hands that couldn't have knocked: one more hand with each turn, at most 6.
        After 0 to 6 turns the guesses hold 60, 47, 38, 34, 30, 28, 26 points of deadwood on
        average; the hands of bots playing each other held 57, 48, 39, 33, 27, 24, 21.
        """
        deadwood, limit, hidden = self.ways.deadwood, self.limit, self.hidden
        tries = min(6, 1 + self.turns)
        # Weighted sampling without replacement: the largest u ** (1 / w)
        # (Efraimidis and Spirakis 2006, algorithm A).
        powers = [(1.0 / w, card.bit) for w, card in zip(self.weights, self.unseen, strict=True)]
        draw = rng.random
        found = []
        for _ in range(count):
            hands = []
            for _ in range(tries):
                keys = sorted([(draw() ** power, bit) for power, bit in powers])
                hand = self.theirs + sum([bit for _, bit in keys[len(keys) - hidden :]])
                left = deadwood(hand)
                hands.append((left <= limit, left, hand))
            found.append(min(hands)[2])
        return found


def read(view: View) -> Reading:
    """Return what the player with this view can know and guess now."""
    hand, other = view.hand, 1 - view.seat
    theirs = hand.known_held(other)
    on_table = hand.laid(0) | hand.laid(1)
    unseen = cards_of(DECK & ~(view.cards | mask_of(hand.pile) | theirs | on_table))
    neighbours = _neighbours(hand.rules.runs_wrap)
    weights = dict.fromkeys(unseen, 1.0)
    turns = 0
    for card, thrown in _left_alone(view):
        turns += thrown
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
    return Reading(
        hand.melding,
        unseen,
        tuple(weights.values()),
        tuple(chances),
        theirs,
        hidden,
        turns,
        _last_limit(hand, other),
    )


def _weigh(
    weights: dict[Card, float], near: tuple[tuple[Card, int], ...], factors: tuple[float, ...]
) -> None:
    for neighbour, distance in near:
        if neighbour in weights:
            weights[neighbour] *= factors[distance]


def _left_alone(view: View) -> Iterator[tuple[Card, bool]]:
    """Yield the cards that the opponent threw (True) or declined as upcard (False), in order."""
    pile = [] if view.hand.first_upcard is None else [view.hand.first_upcard]
    for seat, move in view.hand.moves:
        if isinstance(move, TakeUpcard):
            pile.pop()
        elif isinstance(move, TakeDiscards):
            del pile[-move.count :]
        elif isinstance(move, Discard):
            pile.append(move.card)
            if seat != view.seat:
                yield move.card, True
        elif isinstance(move, Lay):
            continue
        elif seat != view.seat and pile:  # a pass, or a draw from the stock instead
            yield pile[-1], False


def _last_limit(hand: Hand, seat: int) -> int:
    """Return this seat's knock limit in its last turn.

    If the limit floats, its opponent's last discard set it or, before any, the upcard.
    """
    if hand.rules.knock_limit is not KnockLimit.FLOATING:
        return hand.knock_limit
    thrown = [move.card for by, move in hand.moves if by != seat and isinstance(move, Discard)]
    return hand.rules.limit(thrown[-1] if thrown else hand.first_upcard)
