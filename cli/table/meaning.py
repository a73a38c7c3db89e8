"""What a line means where it was typed: from a Command to a move, seen from one seat.

# House rules
#
# 1. Only a View comes in, so nothing here can know the other hand.
# 2. Whether a move is legal is the hand's to say (Hand.apply). Here only what was left unsaid is
#    filled in: the best arrangement, the best spread, the meld that a lay-off fits on.
# 3. A refusal is one sentence and says what may be done instead. Nothing is lost by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cli.table.commands import Command, Decline, Draw, End, Enter, LayDown, PutDown, Take, Throw
from cli.table.knocks import knocks_of
from cli.table.lays import lays_of, takes_of
from cli.table.options import enter_move
from cli.table.spreads import spread_of
from cli.words.cards import Style
from ginpeer.rules.cards import Illegal, Unreadable
from ginpeer.rules.hand import Phase
from ginpeer.rules.moves import Discard, DrawStock, Move, Pass
from ginpeer.rules.view import View


@dataclass(frozen=True, slots=True)
class Which:
    """Several knocks, lays or takes are meant by what was typed; the player picks one by its
    number. All are of one kind."""

    moves: tuple[Move, ...]


def move_of(command: Command, view: View, style: Style) -> Move | Which:
    """The move that a command means in this view. Raises Illegal or Unreadable with a sentence.

    The move may still be illegal; the seat judges it.
    """
    match command:
        case Enter():
            move = enter_move(view)
            if move is None:
                raise Illegal("enter-does-nothing", "Enter alone does nothing here.")
            return move
        case Decline():
            return Pass()
        case Draw():
            return DrawStock()
        case Take(count=count, lay=lay) if count is not None and not view.hand.rules.mahjong:
            if lay is None:
                raise Unreadable("no-suit", f"Which {count}? Say the suit too, like {count}d.")
            raise Illegal("not-mahjong", "Only in Mahjong gin can several cards be taken.", "12.3")
        case Take():
            return _only(takes_of(command, view, style))
        case PutDown():
            return _laid(command, view, style)
        case Throw(card):
            return Discard(card)
        case End():
            _expect_phase(view, Phase.DISCARD)
            return _only(knocks_of(command, view, style))
        case LayDown():
            _expect_phase(view, Phase.LAY_OFF)
            return spread_of(command, view, style)
        case _:
            raise Unreadable("no-move", "That is no move.")


def _only(moves: Sequence[Move]) -> Move | Which:
    return moves[0] if len(moves) == 1 else Which(tuple(moves))


def _laid(command: PutDown, view: View, style: Style) -> Move | Which:
    """Cards for the table in Mahjong gin; elsewhere they are lay-offs, as in lay 6c on 1."""
    if view.hand.rules.mahjong or view.hand.phase is not Phase.LAY_OFF:
        return _only(lays_of(command, view, style))
    layoffs = tuple((card, None) for group in command.melds or () for card in group)
    return spread_of(LayDown(layoffs=(*layoffs, *(command.adds or ()))), view, style)


def _expect_phase(view: View, phase: Phase) -> None:
    """Filling in a knock or a spread makes no sense elsewhere."""
    if view.hand.rules.mahjong and phase is Phase.DISCARD:
        raise Illegal(
            "no-knocking",
            "Nobody knocks in Mahjong gin: lay your cards on the table, and throw the last one.",
            "12.2",
        )
    if view.hand.phase is not phase:
        what = "Knocking ends a turn" if phase is Phase.DISCARD else "Spreading answers a knock"
        if view.hand.rules.mahjong:
            what = "You show your cards when the other player has gone gin"
        raise Illegal("wrong-phase", f"{what}; that cannot be done now.")
