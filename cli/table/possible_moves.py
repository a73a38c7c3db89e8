"""What may be done now: which knocks, lays and takes are possible, and what Enter alone does.

# House rules
#
# 1. Only a View comes in, so nothing here can know the other hand.
# 2. Nothing here is put in words: a person reads sentences (cli.table.turn_words), a program reads
#    event lines (cli.table.program_presenter).
"""

from __future__ import annotations

from dataclasses import dataclass

from ginpeer.rules.card_order import costliest_first
from ginpeer.rules.cards import Card, cards_of, mask_of, popcount
from ginpeer.rules.hand import Phase
from ginpeer.rules.mahjong import lays_with, single_lays
from ginpeer.rules.melds import Meld
from ginpeer.rules.moves import DrawStock, Lay, Move, Pass, Spread, TakeDiscards, TakeUpcard
from ginpeer.rules.view import View


@dataclass(frozen=True, slots=True)
class KnockOption:
    """A knock that is possible now: the card to throw (None: big gin) and what it leaves."""

    discard: Card | None
    deadwood: int


def knock_options(view: View) -> tuple[KnockOption, ...]:
    """List every possible knock, by deadwood and then by discard, the costliest card first."""
    hand, ways = view.hand, view.hand.melding
    if hand.phase is not Phase.DISCARD or hand.rules.mahjong:
        return ()
    options = [
        KnockOption(card, left)
        for card in costliest_first(view.cards, hand.rules)
        if card != hand.taken and (left := ways.deadwood(view.cards ^ card.bit)) <= hand.knock_limit
    ]
    options.sort(key=lambda option: option.deadwood)
    if hand.rules.big_gin is not None and ways.deadwood(view.cards) == 0:
        return (KnockOption(None, 0), *options)
    return tuple(options)


def enter_move(view: View) -> Move | None:
    """Return what an empty line does: draw, pass the last discard, or spread in the best way; None
    if it does nothing.

    Never a knock; never a discard, or Enter pressed twice would throw a card unseen; no draw where
    the upcard would go into a meld, since there drawing is not the obvious thing; and no pass of
    the last discard where it might end the hand.
    """
    match view.hand.phase:
        case Phase.FIRST_DRAW:
            return DrawStock()
        case Phase.DRAW:
            return DrawStock() if not _tempting(view) else None
        case Phase.LAST_CHANCE:
            return None if could_end(view) else Pass()
        case Phase.LAY_OFF:
            return best_answer(view)
    return None


def fits_on(view: View) -> tuple[int, ...]:
    """Return the indexes of the open melds on which a card of ours fits."""
    ways, cards = view.hand.melding, cards_of(view.cards)
    melds = view.hand.open_melds
    return tuple(
        at for at, meld in enumerate(melds) if any(ways.fits(card, meld) for card in cards)
    )


def forced(view: View) -> Move | None:
    """Return the only sensible move: the draw after two passes, the best spread if nothing can be
    laid off, or what is left in Mahjong gin. None if there is something to choose."""
    match view.hand.phase:
        case Phase.FIRST_DRAW:
            return DrawStock()
        case Phase.LAY_OFF if view.hand.rules.mahjong or not fits_on(view):
            return best_answer(view)
    return None


def best_answer(view: View) -> Spread:
    """Return the spread that leaves the least; in Mahjong gin, show all that is left."""
    hand = view.hand
    if hand.rules.mahjong:
        return Spread((), (), view.cards)
    return hand.melding.best_spread(view.cards, hand.open_melds)


def _tempting(view: View) -> bool:
    """Return whether the upcard would go into a meld, or several cards could be taken."""
    hand, ways = view.hand, view.hand.melding
    if hand.upcard is None:
        return False
    with_it = view.cards | hand.upcard.bit
    if hand.rules.mahjong:
        joins = any(ways.fits(hand.upcard, meld) for meld in hand.table_melds)
        loose = with_it & ~sum(ways.melds_in(with_it))
        return joins or not loose & hand.upcard.bit or bool(several_counts(view))
    loose_count = ways.deadwood(view.cards) + ways.pips(hand.upcard.bit)
    return ways.deadwood(with_it) != loose_count


def could_end(view: View) -> bool:
    """Return whether taking the last discard might end the hand by a knock. In Mahjong gin, which
    isn't looked into, always True."""
    hand, upcard = view.hand, view.hand.upcard
    if hand.rules.mahjong or upcard is None:
        return True
    taken = View(view.seat, hand.apply(TakeUpcard()), view.match)
    return bool(knock_options(taken))


def several_counts(view: View) -> tuple[int, ...]:
    """List how many cards of the pile can be taken together: every possible count."""
    deepest = len(view.hand.pile) if view.hand.rules.mahjong else 0
    return tuple(count for count in range(2, deepest + 1) if several(count, view))


def several(count: int, view: View) -> tuple[TakeDiscards, ...]:
    """List every way to take *count* cards and lay the lowest, the longest meld first."""
    hand = view.hand
    if hand.lain is None or hand.phase is not Phase.DRAW or not 2 <= count <= len(hand.pile):
        return ()
    held = view.cards | mask_of(hand.pile[-count:])
    lays = lays_with(hand.pile[-count], held, hand.lain, hand.melding)
    moves = [TakeDiscards(count, lay) for lay in lays]
    moves.sort(key=lambda move: (-popcount(move.lay.cards), str(move)))
    return tuple(move for move in moves if hand.is_legal(move))


def layable(view: View) -> tuple[tuple[Meld, ...], tuple[tuple[Card, int], ...]]:
    """Return what can be laid now: the melds of the hand, and each single card that fits on a meld
    of the table, with that meld's index."""
    hand = view.hand
    if hand.lain is None or hand.phase is not Phase.DISCARD:
        return (), ()
    melds = tuple(
        meld for meld in hand.melding.melds_in(view.cards) if hand.is_legal(Lay((meld,), ()))
    )
    lays = single_lays(view.cards, hand.lain, hand.melding)
    adds = [lay.adds[0] for lay in lays if lay.adds and hand.is_legal(lay)]
    return melds, tuple(adds)
