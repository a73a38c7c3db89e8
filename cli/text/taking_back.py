"""Sentences about taking back a move in practice."""

from __future__ import annotations

from cli.text.cards import Style
from ginpeer.match_store.taking_back import Choice
from ginpeer.referee.table import Table
from ginpeer.rules.cards import CARDS
from protocol import messages as m

CANT_UNDO = "You can't take back a move: your opponent has already seen it."
NOTHING_TO_UNDO = "There is nothing to take back yet."
TOO_LATE = "The match is over. You can take back moves only until then."


def taken_back(move: Choice, table: Table, style: Style) -> str:
    """Say which move our player has taken back. *table*: the table as it is again, before it."""
    upcard = None if table.hand is None else table.hand.upcard
    match move:
        case m.Discard(card=card):
            return f"You take back your discard of {style.the(CARDS[card])}."
        case m.TakeUpcard() if upcard is not None:
            return f"You put {style.the(upcard)} back."
        case m.TakeUpcard() | m.TakeDiscards():
            return "You put back what you took."
        case m.DrawStock():
            return "You take back your draw."
        case m.Pass():
            return "You take back your pass."
        case m.Lay():
            return "You take back the cards you laid."
        case m.Knock(discard=card, cards=cards, melds=melds):
            gin = sum(map(len, melds)) == len(cards) - (card is not None)
            return "You take back your gin." if gin else "You take back your knock."
        case _:
            return "You take back your spread."
