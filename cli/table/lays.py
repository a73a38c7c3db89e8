"""From what was typed to the lays of Mahjong gin: which melds, on which meld a card goes, and how
far down the pile (RULES 12.3 to 12.5).

# House rule: several lays can be meant. Then the player picks one by its number; nothing is laid by
# guess that cannot be taken back.
"""

from __future__ import annotations

from cli.table.command import PutDown, Take
from cli.table.melds import melds_of, place
from cli.table.possible_moves import several
from cli.text.cards import Style
from ginpeer.rules.cards import (
    CardSet,
    Illegal,
    Unreadable,
    cards_of,
    mask_of,
    popcount,
)
from ginpeer.rules.hand import Hand, Phase
from ginpeer.rules.mahjong import Lain
from ginpeer.rules.moves import Lay, Move, TakeDiscards, TakeUpcard
from ginpeer.rules.view import View

MOST_ADDS = 8
"""Cards that can be added with one line. Their order is found by trying."""


# --- on the table -----------------------------------------------------------------------


def lays_of(command: PutDown, view: View, style: Style) -> tuple[Lay, ...]:
    """Every lay that may be meant, at least one. Raises Illegal or Unreadable with a sentence."""
    hand = view.hand
    if hand.lain is None:
        raise Illegal("not-mahjong", "Only in Mahjong gin are cards laid on the table.", "12.4")
    if hand.phase is not Phase.DISCARD:
        raise Illegal("wrong-phase", "Cards are laid after the draw, before you discard.", "12.4")
    if command.melds is None and command.adds is None:
        return _all_melds(view)
    return _lays(command, view.cards, hand, hand.lain, style)


def _all_melds(view: View) -> tuple[Lay, ...]:
    """All melds of the hand, in each way that leaves the least."""
    ways = view.hand.melding
    small = popcount(view.cards) <= 11  # above, least deadwood is not defined
    arrangements = ways.arrangements(view.cards) if small else (ways.melds_in(view.cards),)
    if not arrangements[0]:
        raise Illegal("no-meld", "There is no meld in your hand; add 6c puts a card on a meld.")
    return tuple(Lay(melds, ()) for melds in arrangements)


def _lays(command: PutDown, held: CardSet, hand: Hand, lain: Lain, style: Style) -> tuple[Lay, ...]:
    melds = melds_of(command.melds or (), hand.melding)
    adds = command.adds or ()
    named = mask_of(card for card, _ in adds)
    for meld in melds:
        named |= meld
    strangers = named & ~held
    if strangers:
        shown = style.the(cards_of(strangers)[0])
        raise Illegal(
            "card-not-held", f"{shown[:1].upper()}{shown[1:]} is not in your hand.", "4.3"
        )
    table = (*lain.melds, *melds)
    if len(adds) == 1:  # on whichever meld; the player is asked if there are several
        card, wanted = adds[0]
        places = [
            at
            for at, meld in enumerate(table)
            if wanted in (None, at) and hand.melding.fits(card, meld)
        ]
        if places:
            return tuple(Lay(melds, ((card, at),)) for at in places)
    if len(adds) > MOST_ADDS:
        raise Unreadable("too-many", f"Name at most {MOST_ADDS} cards in one line.")
    misfit = ("add-does-not-fit", "12.5")
    return (Lay(melds, place(adds, table, hand.melding, style, misfit)),)


# --- from the pile ----------------------------------------------------------------------


def takes_of(take: Take, view: View, style: Style) -> tuple[Move, ...]:
    """Every way to take that may be meant, at least one. Raises Illegal or Unreadable."""
    hand = view.hand
    count = _depth(take, hand, style)
    if count == 1:
        if take.lay is not None:
            raise Illegal("take-first", "Take the upcard first, and then lay.", "12.4")
        return (TakeUpcard(),)
    if hand.lain is None:
        raise Illegal("not-mahjong", "Only in Mahjong gin can several cards be taken.", "12.3")
    if hand.phase is not Phase.DRAW:
        raise Illegal("wrong-phase", "Several cards are taken at the beginning of a turn.", "12.3")
    if count > len(hand.pile):
        raise Illegal("pile-too-small", f"The pile has {len(hand.pile)} cards.", "12.3")
    held = view.cards | mask_of(hand.pile[-count:])
    lowest = hand.pile[-count]
    if take.lay is not None and (take.lay.melds is not None or take.lay.adds is not None):
        lays = _lays(take.lay, held, hand, hand.lain, style)
        moves = tuple(TakeDiscards(count, lay) for lay in lays)
        if not all(lay.cards & lowest.bit for lay in lays):
            shown = style.the(lowest)
            raise Illegal(
                "lowest-not-laid",
                f"{shown[:1].upper()}{shown[1:]}, the lowest of the {count}, has to be laid.",
                "12.3",
            )
        return moves
    moves = several(count, view)
    if not moves:
        shown = style.the(lowest)
        raise Illegal(
            "cannot-lay",
            f"You cannot take {count}: {shown}, the lowest of them, could not be laid.",
            "12.3",
        )
    return moves


def _depth(take: Take, hand: Hand, style: Style) -> int:
    """How many cards are meant."""
    if take.card is None:
        return 1 if take.count is None else take.count
    if hand.rules.mahjong:
        if take.card in hand.pile:
            return len(hand.pile) - hand.pile.index(take.card)
        shown = style.the(take.card)
        raise Illegal(
            "not-in-the-pile", f"{shown[:1].upper()}{shown[1:]} is not in the pile.", "4.6"
        )
    if hand.upcard is not None and take.card != hand.upcard:
        raise Illegal("not-the-upcard", f"The upcard is {style.the(hand.upcard)}.")
    return 1
