"""Players to measure by, each simple enough to be said in a sentence."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from ginpeer.rules import (
    DECK,
    Card,
    CardSet,
    Discard,
    DrawStock,
    Knock,
    Melding,
    Move,
    Pass,
    Phase,
    TakeUpcard,
    View,
    cards_of,
    mask_of,
)

Choose = Callable[[View], Move]


def at_once(view: View) -> Move:
    """Takes what lessens its deadwood, throws what leaves the least, knocks as soon as it can."""
    if view.hand.phase is Phase.LAY_OFF:
        return view.sensible_moves()[0]
    knock = _least_knock(view)
    if knock is not None:
        return knock
    ways = view.hand.melding
    if view.hand.phase is Phase.DISCARD:
        discards = [move for move in view.sensible_moves() if isinstance(move, Discard)]
        return min(discards, key=lambda d: (ways.deadwood(view.cards ^ d.card.bit), -d.card.pips))
    upcard = view.hand.upcard
    if upcard is not None and _with(ways, view.cards, upcard.bit) < ways.deadwood(view.cards):
        return TakeUpcard()
    return _instead(view)


def gin_only(view: View) -> Move:
    """Never knocks but for gin. Holds the cards whose seven best draws leave least, and takes the
    upcard if it melds and so leaves less."""
    ways = view.hand.melding
    if view.hand.phase is Phase.DISCARD:
        knock = _least_knock(view)
        if knock is not None and not knock.deadwood:
            return knock
        unseen = DECK & ~(view.cards | mask_of(view.hand.pile))
        discards = [move for move in view.sensible_moves() if isinstance(move, Discard)]
        return min(discards, key=lambda move: _seven_best(ways, view.cards ^ move.card.bit, unseen))
    return _taking_what_melds(view, lambda taken, now: taken < now)


class Simple:
    """The Simple player of the EAAI challenge, by its published rule: takes the upcard if it is
    part of any meld then, throws one of the cards that leave the least deadwood, at random but
    never the same for the same card taken again, and knocks as soon as it can."""

    def __init__(self, seed: int | str) -> None:
        self._choice = Random(seed).choice

    def __call__(self, view: View) -> Move:
        if view.hand.phase is not Phase.DISCARD:
            return _taking_what_melds(view, lambda taken, now: True)
        moves, deadwood = view.sensible_moves(), view.hand.melding.deadwood
        left = {
            move.card: deadwood(view.cards ^ move.card.bit)
            for move in moves
            if isinstance(move, Discard) and (view.hand.taken, move.card) not in _turns(view)
        }
        least = min(left.values())
        card = self._choice([card for card in left if left[card] == least])
        knocks = [
            move
            for move in moves
            if isinstance(move, Knock)
            and move.discard == card
            and view.hand.melding.pips(move.deadwood) == least
        ]
        return self._choice(knocks) if knocks else Discard(card)


def _turns(view: View) -> set[tuple[Card, Card]]:
    """The cards that this seat took from the pile, each with what it threw for it."""
    pile = [] if view.hand.first_upcard is None else [view.hand.first_upcard]
    found: set[tuple[Card, Card]] = set()
    taken: Card | None = None
    for seat, move in view.hand.moves:
        if isinstance(move, TakeUpcard):
            taken = pile.pop()
        elif isinstance(move, Discard):
            pile.append(move.card)
            if seat == view.seat and taken is not None:
                found.add((taken, move.card))
            taken = None
    return found


def _taking_what_melds(view: View, enough: Callable[[int, int], bool]) -> Move:
    """Take the upcard if it is part of a meld, and *enough* of what the best then leaves and what
    is left now; or do what is done instead. The answer to a knock is the best one."""
    if view.hand.phase is Phase.LAY_OFF:
        return view.sensible_moves()[0]
    ways, cards, upcard = view.hand.melding, view.cards, view.hand.upcard
    if upcard is not None:
        having = cards | upcard.bit
        melds = any(meld & upcard.bit and not meld & ~having for meld in ways.melds)
        if melds and enough(_with(ways, cards, upcard.bit), ways.deadwood(cards)):
            return TakeUpcard()
    return _instead(view)


def _instead(view: View) -> Move:
    moves = view.sensible_moves()
    return next((move for move in moves if isinstance(move, Pass | DrawStock)), moves[0])


def _with(ways: Melding, cards: CardSet, upcard: CardSet) -> int:
    """The least deadwood with the upcard and without another card."""
    return min(ways.deadwood(cards ^ card.bit | upcard) for card in cards_of(cards))


def _least_knock(view: View) -> Knock | None:
    pips = view.hand.melding.pips
    knocks = [move for move in view.sensible_moves() if isinstance(move, Knock)]
    return min(knocks, key=lambda knock: pips(knock.deadwood), default=None)


def _seven_best(ways: Melding, kept: CardSet, unseen: CardSet) -> int:
    """What the seven best cards that may come would leave, in all."""
    return sum(sorted(ways.deadwood_after_discard(kept | c.bit) for c in cards_of(unseen))[:7])
