"""Benchmark players, each simple enough to describe in a sentence."""

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
    """Take any upcard that reduces the deadwood, throw the card that leaves the least, knock as
    soon as possible."""
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
    """Never knock except for gin. Hold the cards whose seven best draws leave the least, and take
    the upcard if it melds and leaves less."""
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
    """The Simple player of the EAAI challenge, by its published rule: it takes the upcard if that
    completes a meld, throws at random one of the cards that leave the least deadwood (never the
    same one again for the same card taken), and knocks as soon as it can."""

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
    """Return the cards that this seat took from the pile, each with the card that it threw for
    it."""
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
    """Take the upcard if it is part of a meld and *enough* accepts the best deadwood then and the
    deadwood now; otherwise pass or draw. Answer a knock in the best way."""
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
    """Return the least deadwood with the upcard and without some other card."""
    return min(ways.deadwood(cards ^ card.bit | upcard) for card in cards_of(cards))


def _least_knock(view: View) -> Knock | None:
    pips = view.hand.melding.pips
    knocks = [move for move in view.sensible_moves() if isinstance(move, Knock)]
    return min(knocks, key=lambda knock: pips(knock.deadwood), default=None)


def _seven_best(ways: Melding, kept: CardSet, unseen: CardSet) -> int:
    """Return the total deadwood that the seven best possible draws would leave."""
    return sum(sorted(ways.deadwood_after_discard(kept | c.bit) for c in cards_of(unseen))[:7])
