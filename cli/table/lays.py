"""From what was typed to the lays of Mahjong gin: which melds, on which meld a card goes, and how
far down the pile (RULES 12.3 to 12.5).

# House rule: several lays can be meant. Then the player picks one by its number; nothing is laid by
# guess that cannot be taken back.
"""

from __future__ import annotations

from cli.table.parse import Adds, Groups, PutDown, Take
from cli.words.cards import Style
from ginpeer.rules.cards import (
    Card,
    CardSet,
    Illegal,
    Unreadable,
    cards_of,
    mask_of,
    popcount,
)
from ginpeer.rules.hand import Hand, Phase
from ginpeer.rules.mahjong import Lain, lays_with, single_lays
from ginpeer.rules.melds import Meld, Melding
from ginpeer.rules.moves import Lay, Move, TakeDiscards, TakeUpcard
from ginpeer.rules.view import View

MOST_ADDS = 8
"""Cards that can be added with one line. Their order is found by trying."""


def melds_of(groups: Groups, melding: Melding) -> tuple[Meld, ...]:
    """The melds that were typed, told apart where they were written in one row. Raises Unreadable.

    Groups of three cards or more that were parted are taken as they are, for the hand to judge.
    """
    if len(groups) > 1 and all(len(group) >= 3 for group in groups):
        return tuple(map(mask_of, groups))
    cards = [card for group in groups for card in group]
    if len(set(cards)) < len(cards):
        raise Unreadable("repeated-card", "A card is named twice there; nothing was done.")
    if not cards or melding.is_meld(mask_of(cards)):
        return (mask_of(cards),) if cards else ()
    split = _split(cards, melding)
    if split is None:
        shown = "".join(map(str, cards[:12]))
        hint = "a meld has three cards or more" if len(cards) < 3 else "put a comma between melds"
        raise Unreadable("not-melds", f"{shown} does not split into melds; {hint}.")
    return split


def _split(cards: list[Card], melding: Melding) -> tuple[Meld, ...] | None:
    """The cards, in their order, as the fewest melds; None if they do not come out even."""
    best: list[tuple[CardSet, ...] | None] = [()]
    for end in range(1, len(cards) + 1):
        ways = []
        for start in range(end - 2):
            before, meld = best[start], mask_of(cards[start:end])
            if before is not None and melding.is_meld(meld):
                ways.append((*before, meld))
        best.append(min(ways, key=len, default=None))
    return best[-1] or None


# --- on the table -----------------------------------------------------------------------


def layable(view: View) -> tuple[tuple[Meld, ...], tuple[tuple[Card, int], ...]]:
    """What can be laid now: melds of the hand, all of them together, and each single card that
    fits on a meld of the table."""
    hand = view.hand
    if hand.lain is None or hand.phase is not Phase.DISCARD:
        return (), ()
    melds = tuple(
        meld for meld in hand.melding.melds_in(view.cards) if hand.is_legal(Lay((meld,), ()))
    )
    lays = single_lays(view.cards, hand.lain, hand.melding)
    adds = [lay.adds[0] for lay in lays if lay.adds and hand.is_legal(lay)]
    return melds, tuple(adds)


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


def place(
    adds: Adds, melds: tuple[Meld, ...], melding: Melding, style: Style, misfit: tuple[str, str]
) -> tuple[tuple[Card, int], ...]:
    """An order, and for each card a meld, in which all of them fit; asks no more than it must.

    Raises Illegal, with *misfit* as its code and rule.
    """
    found = order(adds, melds, melding)
    if found is not None:
        return found
    card = next(
        (card for card, at in adds if order(((card, at),), melds, melding) is None), adds[0][0]
    )
    shown = style.the(card)
    lying = f" The melds: {style.numbered_melds(melds)}." if melds else " No meld lies there."
    code, rule = misfit
    raise Illegal(code, f"{shown[:1].upper()}{shown[1:]} does not fit there.{lying}", rule)


def order(
    adds: Adds, melds: tuple[Meld, ...], melding: Melding
) -> tuple[tuple[Card, int], ...] | None:
    """The cards in an order in which each fits when its turn comes, with the meld that it goes on;
    None if there is none."""
    if not adds:
        return ()
    for index, (card, wanted) in enumerate(adds):
        for at, meld in enumerate(melds):
            if wanted in (None, at) and melding.fits(card, meld):
                grown = (*melds[:at], meld | card.bit, *melds[at + 1 :])
                rest = order(adds[:index] + adds[index + 1 :], grown, melding)
                if rest is not None:
                    return ((card, at), *rest)
    return None


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


def several(count: int, view: View) -> tuple[TakeDiscards, ...]:
    """Every way to take so many cards with one lay of the lowest, the longest meld first."""
    hand = view.hand
    if hand.lain is None or hand.phase is not Phase.DRAW or not 2 <= count <= len(hand.pile):
        return ()
    held = view.cards | mask_of(hand.pile[-count:])
    lays = lays_with(hand.pile[-count], held, hand.lain, hand.melding)
    moves = [TakeDiscards(count, lay) for lay in lays]
    moves.sort(key=lambda move: (-popcount(move.lay.cards), str(move)))
    return tuple(move for move in moves if hand.is_legal(move))


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
