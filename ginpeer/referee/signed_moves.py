"""The move that a signed message makes.

# The referee passes this move to the rules, and readers of an admitted entry get the same one.
# Nothing is judged here. Decoding has checked that cards are 0 to 51; the referee has checked that
# none is used twice and that all are held.
"""

from __future__ import annotations

from collections.abc import Iterable

from ginpeer.rules import moves
from ginpeer.rules.cards import CARDS, CardSet, mask_of
from ginpeer.rules.moves import Move
from protocol import messages as m


def move_of(message: m.Message) -> Move | None:
    """Return the move that an entry makes; None for an entry that isn't a move of a hand."""
    match message:
        case m.Pass():
            return moves.Pass()
        case m.TakeUpcard():
            return moves.TakeUpcard()
        case m.DrawStock():
            return moves.DrawStock()
        case m.Discard():
            return discard_of(message)
        case m.Knock():
            return knock_of(message)
        case m.Spread():
            return spread_of(message)
        case m.Lay():
            return lay_of(message)
        case m.TakeDiscards():
            return moves.TakeDiscards(message.count, lay_of(message.lay))
        case _:
            return None


def discard_of(message: m.Discard) -> moves.Discard:
    return moves.Discard(CARDS[message.card])


def knock_of(message: m.Knock) -> moves.Knock:
    thrown = None if message.discard is None else CARDS[message.discard]
    return moves.Knock(thrown, _sets(message.melds), deadwood_of(message))


def spread_of(message: m.Spread) -> moves.Spread:
    layoffs = tuple((CARDS[laid.card], laid.meld) for laid in message.layoffs)
    return moves.Spread(_sets(message.melds), layoffs, deadwood_of(message))


def lay_of(message: m.Lay) -> moves.Lay:
    """Return the melds and additions; the message also lists their cards, but only for the
    proof."""
    adds = tuple((CARDS[add.card], add.meld) for add in message.adds)
    return moves.Lay(_sets(message.melds), adds)


def used_cards(message: m.Knock | m.Spread) -> list[int]:
    """Return the cards in a shown hand's melds, discard and lay-offs, in the order named."""
    used = [card for meld in message.melds for card in meld]
    if isinstance(message, m.Spread):
        used += [layoff.card for layoff in message.layoffs]
    elif message.discard is not None:
        used.append(message.discard)
    return used


def deadwood_of(message: m.Knock | m.Spread) -> CardSet:
    """Return the shown cards that are neither melded, discarded nor laid off."""
    return mask_of(set(message.cards) - set(used_cards(message)))


def _sets(melds: Iterable[Iterable[int]]) -> tuple[CardSet, ...]:
    return tuple(map(mask_of, melds))
