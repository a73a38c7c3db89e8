"""What a seat knows about a hand, and what it has seen the opponent do."""

from __future__ import annotations

from dataclasses import dataclass

from ginpeer.rules.cards import DECK, Card, CardSet, mask_of
from ginpeer.rules.melds import Meld, Melding
from ginpeer.rules.moves import Discard, DrawStock, Pass, TakeUpcard
from ginpeer.rules.score import HandResult
from ginpeer.rules.view import View

NO_CARD = -1  # the number in place of a card if there is none yet

COULD_KNOCK = 10
"""An opponent left with this deadwood or less by our knock has often passed up a knock of its own.
In 100 of our knocks this happens 34 times against MARJJ_v5, which waits for gin; 18 times against
the bot itself; and 11 times, only after lay-offs, against the Simple player of the EAAI challenge
(tests/bench/players), which knocks as soon as it may."""


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
    """Return what this view's seat knows. Raises Illegal ("hand-unknown") without its hand."""
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
