"""From what was typed to a spread, the answer to a knock: melds, lay-offs and deadwood.

# House rule: what was not named is filled in as well as it can be. What was named is all that
# counts, also where it gives points away; then a person is asked first.
"""

from __future__ import annotations

from cli.table.command import LayDown, PutDown
from cli.table.melds import melds_of, place
from cli.table.possible_moves import best_answer
from cli.text.cards import Style
from ginpeer.rules.cards import Card, CardSet, Illegal, cards_of, mask_of
from ginpeer.rules.melds import Meld, Melding
from ginpeer.rules.moves import Spread
from ginpeer.rules.view import View


def spread_of(command: LayDown | PutDown, view: View, style: Style) -> Spread:
    """The spread as named; what was not named is filled in as well as it can be. Cards for the
    table are lay-offs, as in lay 6c on 1.

    With the deadwood named, or melds and lay-offs both, nothing is filled in. Raises Illegal or
    Unreadable with a sentence.
    """
    laid = command if isinstance(command, LayDown) else _layoffs(command)
    hand, open_melds, ways = view.cards, view.hand.open_melds, view.hand.melding
    melds = None if laid.melds is None else melds_of(laid.melds, ways)
    if melds is None and laid.layoffs is None and laid.deadwood is None:
        return best_answer(view)
    if view.hand.rules.mahjong:
        if melds or laid.layoffs or laid.deadwood is None:
            raise Illegal("too-late", "The hand is over; show what is left with Enter.", "12.7")
        return Spread((), (), laid.deadwood)
    if laid.layoffs and not open_melds:
        raise Illegal("layoff-on-gin", "Nothing can be laid off against gin.", "6.3")
    if len(laid.layoffs or ()) > hand.bit_count():
        raise Illegal("card-not-held", "Those are more lay-offs than you hold cards.")
    misfit = ("layoff-does-not-fit", "6.3")
    placed = place(laid.layoffs or (), open_melds, ways, style, misfit)
    off = mask_of(card for card, _ in placed)
    if laid.deadwood is not None:
        return Spread(melds or (), placed, laid.deadwood)
    if melds is None:
        melds = ways.arrangements(hand & ~off)[0]
        return Spread(melds, placed, hand & ~off & ~sum(melds))
    rest = hand & ~off
    for meld in melds:
        rest &= ~meld
    if laid.layoffs is None:
        placed = _all_that_fit(rest, open_melds, ways)
        rest &= ~mask_of(card for card, _ in placed)
    return Spread(melds, placed, rest)


def gives_away(spread: Spread, view: View) -> str | None:
    """What a person is asked first, where the spread leaves more than the best one; None for one
    that cannot be made: playing it says why."""
    best, pips = best_answer(view), view.hand.melding.pips
    if not view.hand.is_legal(spread) or pips(spread.deadwood) <= pips(best.deadwood):
        return None
    return (
        f"That spread leaves {pips(spread.deadwood)}; the best leaves {pips(best.deadwood)}. "
        "Lay it down all the same?"
    )


def _layoffs(command: PutDown) -> LayDown:
    layoffs = tuple((card, None) for group in command.melds or () for card in group)
    return LayDown(layoffs=(*layoffs, *(command.adds or ())))


def _all_that_fit(
    rest: CardSet, open_melds: tuple[Meld, ...], ways: Melding
) -> tuple[tuple[Card, int], ...]:
    """The lay-offs that lessen the deadwood most when no more melds are wanted."""
    best: tuple[tuple[Card, int], ...] = ()
    stack: list[tuple[CardSet, tuple[Meld, ...], tuple[tuple[Card, int], ...]]] = [
        (rest, open_melds, ())
    ]
    while stack:
        loose, melds, placed = stack.pop()
        if ways.pips(loose) < ways.pips(rest & ~mask_of(card for card, _ in best)):
            best = placed
        stack += [
            (loose & ~card.bit, _laid_on(melds, at, card), (*placed, (card, at)))
            for card in cards_of(loose)[::-1]
            for at, meld in enumerate(melds)
            if ways.fits(card, meld)
        ]
    return best


def _laid_on(melds: tuple[Meld, ...], at: int, card: Card) -> tuple[Meld, ...]:
    return (*melds[:at], melds[at] | card.bit, *melds[at + 1 :])
