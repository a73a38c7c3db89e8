"""Cards that go on the table: typed groups as melds, single cards added to melds, and the lays and
takes of Mahjong gin (RULES 12.3 to 12.5).

# Rule 1: the rules of the match decide which of the typed cards are melds: there are more of them
#   if runs go around the corner.
# Rule 2: if a line can mean several lays, the player picks one by its number. A lay can't be taken
#   back, so it is never guessed.
"""

from __future__ import annotations

from cli.table.arguments import Adds, Groups, Parts
from cli.table.possible_moves import several
from cli.text.cards import Style
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
from ginpeer.rules.mahjong import LaidMelds
from ginpeer.rules.melds import Meld, Melding
from ginpeer.rules.moves import Lay, Move, TakeDiscards, TakeUpcard
from ginpeer.rules.view import View

MOST_ADDS = 8
"""How many cards one line can add. Their order is found by trying all of them."""


# --- melds ------------------------------------------------------------------------------


def read_melds(groups: Groups, melding: Melding) -> tuple[Meld, ...]:
    """Return the melds that were typed; split cards written as one group. Raises Unreadable.

    If every group has three cards or more, the groups are the melds, and the hand judges them.
    """
    if len(groups) > 1 and all(len(group) >= 3 for group in groups):
        return tuple(map(mask_of, groups))
    cards = [card for group in groups for card in group]
    if len(set(cards)) < len(cards):
        raise Unreadable("repeated-card", "You named a card twice. Nothing was changed.")
    if not cards or melding.is_meld(mask_of(cards)):
        return (mask_of(cards),) if cards else ()
    split = _split(cards, melding)
    if split is None:
        shown = "".join(map(str, cards[:12]))
        hint = "a meld has three cards or more" if len(cards) < 3 else "put a comma between melds"
        raise Unreadable("not-melds", f"{shown} can't be split into melds; {hint}.")
    return split


def _split(cards: list[Card], melding: Melding) -> tuple[Meld, ...] | None:
    """Split the cards, in their order, into the fewest melds; None if cards are left over."""
    best: list[tuple[CardSet, ...] | None] = [()]
    for end in range(1, len(cards) + 1):
        ways = []
        for start in range(end - 2):
            before, meld = best[start], mask_of(cards[start:end])
            if before is not None and melding.is_meld(meld):
                ways.append((*before, meld))
        best.append(min(ways, key=len, default=None))
    return best[-1] or None


def place(
    adds: Adds, melds: tuple[Meld, ...], melding: Melding, style: Style, misfit: tuple[str, str]
) -> tuple[tuple[Card, int], ...]:
    """Order the cards and choose a meld for each so that all of them fit.

    Raises Illegal, with *misfit* as its code and rule.
    """
    found = _fitting_order(adds, melds, melding)
    if found is not None:
        return found
    card = next(
        (card for card, at in adds if _fitting_order(((card, at),), melds, melding) is None),
        adds[0][0],
    )
    lying = f" The melds: {style.numbered_melds(melds)}." if melds else " There are no melds."
    code, rule = misfit
    raise Illegal(code, f"{style.at_start(card)} doesn't fit there.{lying}", rule)


def _fitting_order(
    adds: Adds, melds: tuple[Meld, ...], melding: Melding
) -> tuple[tuple[Card, int], ...] | None:
    """Order the cards so that each fits on a meld when its turn comes. Return them with their
    melds; None if no order works."""
    if not adds:
        return ()
    for index, (card, wanted) in enumerate(adds):
        for at, meld in enumerate(melds):
            if wanted in (None, at) and melding.fits(card, meld):
                others = adds[:index] + adds[index + 1 :]
                rest = _fitting_order(others, with_card(melds, at, card), melding)
                if rest is not None:
                    return ((card, at), *rest)
    return None


def with_card(melds: tuple[Meld, ...], at: int, card: Card) -> tuple[Meld, ...]:
    """Return the melds after this card is added to one of them."""
    return (*melds[:at], melds[at] | card.bit, *melds[at + 1 :])


# --- on the table -----------------------------------------------------------------------


def resolve_lay(named: Parts, view: View, style: Style) -> tuple[Lay, ...]:
    """Return every lay that the line may mean, at least one. Raises Illegal or Unreadable."""
    hand = view.hand
    if hand.laid_melds is None:
        raise Illegal("not-mahjong", "You can lay cards on the table only in Mahjong gin.", "12.4")
    if hand.phase is not Phase.DISCARD:
        raise Illegal(
            "wrong-phase", "You can lay cards only after you draw and before you discard.", "12.4"
        )
    if named.melds is None and named.adds is None:
        return _all_melds(view)
    return _lays(named, view.cards, hand, hand.laid_melds, style)


def _all_melds(view: View) -> tuple[Lay, ...]:
    """Return lays of all melds in the hand, one for each arrangement with the least deadwood."""
    ways = view.hand.melding
    small = popcount(view.cards) <= 11  # for more cards, least deadwood is not defined
    arrangements = ways.arrangements(view.cards) if small else (ways.melds_in(view.cards),)
    if not arrangements[0]:
        raise Illegal(
            "no-meld",
            "You have no meld in your hand. To add a card to a meld on the table, type add 6c.",
        )
    return tuple(Lay(melds, ()) for melds in arrangements)


def _lays(
    named: Parts, held: CardSet, hand: Hand, laid_melds: LaidMelds, style: Style
) -> tuple[Lay, ...]:
    melds = read_melds(named.melds or (), hand.melding)
    adds = named.adds or ()
    laid = mask_of(card for card, _ in adds)
    for meld in melds:
        laid |= meld
    missing = laid & ~held
    if missing:
        shown = style.the(cards_of(missing)[0])
        raise Illegal("card-not-held", f"You don't have {shown}.", "4.3")
    table = (*laid_melds.melds, *melds)
    if len(adds) == 1:  # on any meld; the player is asked if several fit
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


def resolve_take(named: Parts, view: View, style: Style) -> tuple[Move, ...]:
    """Return every take that the line may mean, at least one. Raises Illegal or Unreadable."""
    hand = view.hand
    count = _depth(named, hand, style)
    if count == 1:
        if named.lay is not None:
            raise Illegal("take-first", "Take the upcard first, then lay cards.", "12.4")
        return (TakeUpcard(),)
    if hand.laid_melds is None:
        raise Illegal("not-mahjong", "You can take several cards only in Mahjong gin.", "12.3")
    if hand.phase is not Phase.DRAW:
        raise Illegal(
            "wrong-phase", "You can take several cards only at the start of your turn.", "12.3"
        )
    if count > len(hand.pile):
        raise Illegal("pile-too-small", f"The pile has {len(hand.pile)} cards.", "12.3")
    held = view.cards | mask_of(hand.pile[-count:])
    lowest = hand.pile[-count]
    if named.lay is not None and (named.lay.melds is not None or named.lay.adds is not None):
        lays = _lays(named.lay, held, hand, hand.laid_melds, style)
        moves = tuple(TakeDiscards(count, lay) for lay in lays)
        if not all(lay.cards & lowest.bit for lay in lays):
            sentence = f"You must lay {style.the(lowest)}, the lowest of the {count}."
            raise Illegal("lowest-not-laid", sentence, "12.3")
        return moves
    moves = several(count, view)
    if not moves:
        why = f"you couldn't lay {style.the(lowest)}, the lowest of them"
        raise Illegal("cannot-lay", f"You can't take {count}: {why}.", "12.3")
    return moves


def _depth(named: Parts, hand: Hand, style: Style) -> int:
    """Return how many cards the line takes."""
    if named.card is None:
        return 1 if named.number is None else named.number
    if hand.rules.mahjong:
        if named.card in hand.pile:
            return len(hand.pile) - hand.pile.index(named.card)
        sentence = f"{style.at_start(named.card)} isn't in the pile."
        raise Illegal("not-in-the-pile", sentence, "4.6")
    if hand.upcard is not None and named.card != hand.upcard:
        raise Illegal("not-the-upcard", f"The upcard is {style.the(hand.upcard)}.")
    return 1
