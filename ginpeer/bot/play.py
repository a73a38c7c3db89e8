"""How the bot plays: a pure function from what one player sees to a move.

It makes the choice that the adviser values most (ginpeer.adviser). Only Mahjong gin is another
game, and has a player of its own (ginpeer.bot.mahjong).
"""

from __future__ import annotations

from ginpeer.adviser import can_advise, choices
from ginpeer.bot import mahjong
from ginpeer.rules import Move, View


def choose(view: View) -> Move:
    """The bot's move for the player of this view, whose turn it must be.

    Depends on the view alone, and takes a millisecond or two. Raises Illegal ("hand-unknown") if
    the view lacks the own hand.
    """
    if not view.my_turn:
        raise ValueError("it is not this player's turn")
    if not can_advise(view.hand.rules):
        return mahjong.choose(view)
    moves = view.sensible_moves()
    return moves[0] if len(moves) == 1 else choices(view)[0].move
