"""Cards that were typed, as melds by the rules of the match; and on which melds single cards go.

# Reading (cli.table.parse) keeps cards together as they were written. Which of them are melds, only
# the rules of the match say: where runs go around the corner, more are.
"""

from __future__ import annotations

from cli.table.command import Adds, Groups
from cli.text.cards import Style
from ginpeer.rules.cards import Card, CardSet, Illegal, Unreadable, mask_of
from ginpeer.rules.melds import Meld, Melding


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
