"""Questions before a move that is more likely a slip than a plan.

# House rules
#
# 1. Only a View comes in, so no question can tell what the player does not know.
# 2. An illegal move is not asked about: the session says why it is refused.
# 3. A player who plays on instead of knocking has decided so for the hand, and is asked again only
#    if the knock would be lost. Giving up gin or breaking a meld is asked about each time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from cli.table.possible_moves import best_answer, knock_options
from cli.table.turn_words import options_text
from cli.text.cards import Style
from ginpeer.rules.cards import Card, cards_of
from ginpeer.rules.hand import WALL
from ginpeer.rules.melds import Meld
from ginpeer.rules.moves import Discard, Move, Spread
from ginpeer.rules.view import View


@dataclass(frozen=True, slots=True)
class Confirmation:
    """A question before a move. ``plays_on``: yes means to play on although a knock is possible."""

    what: Literal["spread", "discard"]
    sentence: str
    plays_on: bool = False


def confirmation_for(
    move: Move, view: View, style: Style, *, plays_on: bool
) -> Confirmation | None:
    """Return the question before this move; None if there is none. *plays_on*: our player has
    decided in this hand to play on instead of knocking."""
    if isinstance(move, Spread):
        given = _gives_away(move, view)
        return None if given is None else Confirmation("spread", given)
    if not isinstance(move, Discard) or not view.hand.is_legal(move):
        return None
    card = move.card
    return (
        _throws_gin_away(card, view, style)
        or _breaks_a_meld(card, view, style)
        or _leaves_a_knock(card, view, style, plays_on)
    )


def _throws_gin_away(card: Card, view: View, style: Style) -> Confirmation | None:
    gins = [option for option in knock_options(view) if not option.deadwood]
    if not gins:
        return None
    if gins[0].discard is None:
        can = "You can go big gin"
    else:
        can = f"You can go gin: {options_text(gins, style, 'gin')}"
    return Confirmation("discard", f"{can}. Throw {style.the(card)} all the same?")


def _breaks_a_meld(card: Card, view: View, style: Style) -> Confirmation | None:
    meld = broken_meld(card, view)
    if meld is None:
        return None
    kind = "set" if len({card.rank for card in cards_of(meld)}) == 1 else "run"
    thrown = style.the(card)
    thrown = f"{thrown[:1].upper()}{thrown[1:]}"
    sentence = f"{thrown} is part of your {kind} {style.meld(meld)}. Throw it all the same?"
    return Confirmation("discard", sentence)


def broken_meld(card: Card, view: View) -> Meld | None:
    """Return the meld, as the hand is shown, that discarding this card breaks, so that the rest
    counts more than before. None if the meld holds without it (as a run of four without its end),
    or if the cards make another that is as good."""
    ways, kept = view.hand.melding, view.cards & ~card.bit
    melds = ways.melds_in(view.cards)
    loose = view.cards ^ sum(melds)
    if ways.pips(kept ^ sum(ways.melds_in(kept))) <= ways.pips(loose):
        return None
    return next((meld for meld in melds if meld & card.bit), None)


def _leaves_a_knock(card: Card, view: View, style: Style, plays_on: bool) -> Confirmation | None:
    options, hand = knock_options(view), view.hand
    if not options:
        return None
    lost = hand.melding.deadwood(view.cards ^ card.bit) > hand.knock_limit
    last = hand.stock_left == WALL  # where the hand is void without it, or the next card's
    if plays_on and not lost and not last:
        return None
    then = "all the same" if lost or last else "and play on"
    can = f"You can knock: {options_text(options, style)}"
    return Confirmation("discard", f"{can}. Throw {style.the(card)} {then}?", plays_on=True)


def _gives_away(spread: Spread, view: View) -> str | None:
    """Ask about a spread that leaves more than the best one; None for one that can't be made, since
    playing it says why."""
    best, pips = best_answer(view), view.hand.melding.pips
    if not view.hand.is_legal(spread) or pips(spread.deadwood) <= pips(best.deadwood):
        return None
    return (
        f"That spread leaves {pips(spread.deadwood)}; the best leaves {pips(best.deadwood)}. "
        "Lay it down all the same?"
    )
