"""What a seat knows about a hand, and what it has seen the opponent do; each card's neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from ginpeer.rules.cards import CARDS, DECK, Card, CardSet, mask_of, popcount
from ginpeer.rules.match import View
from ginpeer.rules.melds import ACES, Meld, Melding
from ginpeer.rules.moves import Discard, DrawStock, Pass, TakeUpcard
from ginpeer.rules.score import HandResult

# --- each card's neighbours ------------------------------------------------------------


class Neighbours(NamedTuple):
    """For each card: the pairs that make a set with it, the pairs that make a run with it, the
    other cards of its rank, the cards one step away in its suit, and those two steps away."""

    set_pairs: tuple[tuple[CardSet, ...], ...]
    run_pairs: tuple[tuple[CardSet, ...], ...]
    mates: tuple[CardSet, ...]
    next: tuple[CardSet, ...]
    after_next: tuple[CardSet, ...]
    wraps: bool


@cache
def neighbours(ways: Melding) -> Neighbours:
    threes = [meld for meld in ways.melds if popcount(meld) == 3]
    mates = tuple(ACES << card.rank & ~card.bit for card in CARDS)
    wraps = ways.is_meld(mask_of((0, 11, 12)))

    def beside(card: Card, steps: int) -> CardSet:
        ranks = (card.rank - steps, card.rank + steps)
        return mask_of(13 * card.suit + at % 13 for at in ranks if wraps or 0 <= at < 13)

    set_pairs, run_pairs = [], []
    for card in CARDS:
        pairs = [meld ^ card.bit for meld in threes if meld & card.bit]
        set_pairs.append(tuple(pair for pair in pairs if not pair & ~mates[card]))
        run_pairs.append(tuple(pair for pair in pairs if pair & ~mates[card]))
    one, two = (tuple(beside(card, steps) for card in CARDS) for steps in (1, 2))
    return Neighbours(tuple(set_pairs), tuple(run_pairs), mates, one, two, wraps)


# --- what a seat knows and has seen ----------------------------------------------------

NO_CARD = -1  # the number in place of a card if there is none yet

COULD_KNOCK = 10
"""If our knock leaves the opponent with this deadwood or less, it has often passed up a knock of
its own. In 100 of our knocks this happens 34 times against MARJJ_v5, which waits for gin; 18 times
against the bot itself; and 11 times, only after lay-offs, against the Simple player of the EAAI
challenge (tests/bench), which knocks as soon as it may."""


@dataclass(frozen=True, slots=True)
class Observation:
    """The table as one seat sees it before its choice.

    ``cards`` are the player's own ten or eleven; ``pile`` is the discard pile with ``top`` on it.
    ``held`` are the opponent's known cards, taken from the pile; ``shown`` are our own cards that
    the opponent knows. ``thrown`` are the cards that the opponent discarded, and ``left`` those
    that it didn't take, except any that it has taken back. ``takes`` counts the cards that the
    opponent took from the pile, and ``since`` its draws from the stock since it last took one.
    ``last``, ``before`` and ``earlier`` are its latest discards, newest first. ``waited`` is how
    often in this match the opponent went gin, or had a deadwood of at most COULD_KNOCK when this
    seat knocked; ``knocks`` is how often it knocked with deadwood.
    """

    ways: Melding
    limit: int
    cards: CardSet
    pile: CardSet
    top: int
    taken: CardSet
    held: CardSet
    shown: CardSet
    thrown: CardSet
    left: CardSet
    takes: int
    since: int
    last: int
    before: int
    earlier: int
    stock: int
    is_last_turn: bool
    waited: int
    knocks: int

    @property
    def unseen(self) -> CardSet:
        """The cards that may be in the stock or in the opponent's hand."""
        return DECK & ~(self.cards | self.pile | self.held)

    def layoffs(self, melds: tuple[Meld, ...]) -> CardSet:
        """Return the cards that the opponent may hold and could lay off directly on these melds."""
        found = 0
        for meld in melds:
            found |= self.ways.taken_by(meld)
        return found & (self.unseen | self.held)


def observe(view: View) -> Observation:
    """Return what this view's seat knows. Raises Illegal ("hand-unknown") if the view lacks the
    seat's own hand."""
    hand, me = view.hand, view.seat
    pile: list[Card] = [] if hand.first_upcard is None else [hand.first_upcard]
    thrown = left = takes = since = 0
    last = before = earlier = NO_CARD
    for seat, move in hand.moves:
        if isinstance(move, TakeUpcard):
            pile.pop()
            if seat != me:
                takes, since = takes + 1, 0
        elif isinstance(move, Discard):
            pile.append(move.card)
            if seat != me:
                thrown |= move.card.bit
                last, before, earlier = move.card, last, before
        elif isinstance(move, DrawStock | Pass) and seat != me:
            since += isinstance(move, DrawStock)
            left |= pile[-1].bit if pile else 0
    held, results = hand.known_held(1 - me), view.match.results
    return Observation(
        ways=hand.melding,
        limit=hand.knock_limit,
        cards=view.cards,
        pile=mask_of(pile),
        top=pile[-1] if pile else NO_CARD,
        taken=0 if hand.taken is None else hand.taken.bit,
        held=held,
        shown=hand.known_held(me),
        thrown=thrown & ~held,
        left=left & ~held,
        takes=takes,
        since=since,
        last=last,
        before=before,
        earlier=earlier,
        stock=hand.stock_left,
        is_last_turn=hand.is_last_turn,
        waited=sum(_waited(each, 1 - me) for each in results),
        knocks=sum(each.knocker == 1 - me and each.knocker_deadwood > 0 for each in results),
    )


def _waited(result: HandResult, seat: int) -> bool:
    if result.knocker is None:
        return False
    if result.knocker == seat:
        return not result.knocker_deadwood
    return result.defender_deadwood <= COULD_KNOCK
