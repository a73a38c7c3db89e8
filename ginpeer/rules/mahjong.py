"""The melds on the table in Mahjong gin, and the lays that they allow (RULES 12)."""
# Nobody knocks in Mahjong gin. Between the draw and the discard, a player may put melds from the
# hand on the table, and add single cards to any meld there, even the opponent's. A player can take
# several discards together if the lowest of them is laid immediately. This module works out what
# that does to the table; ginpeer.rules.hand keeps track of the turn and the players' cards.

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ginpeer.rules.cards import Card, CardSet, Illegal, popcount, union_of
from ginpeer.rules.melds import Meld, Melding
from ginpeer.rules.moves import Lay


class LaidMelds(NamedTuple):
    """The table of a hand of Mahjong gin: its melds in the order in which they were laid, the cards
    that each seat put there, and how many cards each seat holds, which everybody can count."""

    melds: tuple[Meld, ...]
    laid: tuple[CardSet, CardSet]
    sizes: tuple[int, int]

    def holding(self, seat: int, more: int) -> LaidMelds:
        """Return the same table with *more* cards (fewer if negative) in this seat's hand."""
        mine, theirs = self.sizes[seat] + more, self.sizes[1 - seat]
        return self._replace(sizes=(mine, theirs) if seat == 0 else (theirs, mine))

    @property
    def cards(self) -> CardSet:
        return self.laid[0] | self.laid[1]


def after_lay(laid_melds: LaidMelds, seat: int, lay: Lay, melding: Melding) -> LaidMelds:
    """Return the table after this seat has laid these cards. Raises Illegal (RULES 12.4, 12.5)."""
    if not union_of((*lay.melds, *(card.bit for card, _ in lay.adds))):
        raise Illegal("nothing-laid", "No card was laid.", "12.4")
    melding.check_melds(lay.melds)
    melds = (*laid_melds.melds, *lay.melds)
    melds = melding.extended(melds, lay.adds, "add-does-not-fit", "12.5")
    mine, theirs = laid_melds.laid[seat] | lay.cards, laid_melds.laid[1 - seat]
    laid = (mine, theirs) if seat == 0 else (theirs, mine)
    return LaidMelds(melds, laid, laid_melds.sizes).holding(seat, -popcount(lay.cards))


def single_lays(hand: CardSet, laid_melds: LaidMelds, melding: Melding) -> Iterator[Lay]:
    """Yield every way to lay one meld from the hand, or to add one card to a meld on the table. If
    a card fits only after other cards, one lay adds all of them, because that may be the only way
    to get rid of the card just taken.

    Every legal lay is one of these, or equals several of them in a row.
    """
    for meld in melding.melds_within(hand):
        yield Lay((meld,), ())
    for index, meld in enumerate(laid_melds.melds):
        if melding.taken_by(meld) & hand:  # for most melds, no card in the hand fits
            for chain in melding.chains_on(meld, hand):
                yield Lay((), tuple((card, index) for card in chain))


def lays_with(card: Card, hand: CardSet, laid_melds: LaidMelds, melding: Melding) -> Iterator[Lay]:
    """Yield the ``single_lays`` whose meld includes this card, or that add it last."""
    for lay in single_lays(hand, laid_melds, melding):
        if (lay.adds[-1][0] == card) if lay.adds else lay.cards & card.bit:
            yield lay
