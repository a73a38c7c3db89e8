"""The bot's play: a pure function from one player's view to a move.

It makes the choice that the adviser values most (ginpeer.adviser). Mahjong gin is a different game
and has its own player (ginpeer.bot.mahjong).
"""

from __future__ import annotations

from collections.abc import Callable

from ginpeer.adviser import can_advise, choices
from ginpeer.adviser.levels import BEST, LEVELS, choose_at
from ginpeer.bot import mahjong
from ginpeer.rules import Move, View


def player_at(number: int, rng: Callable[[int], bytes]) -> Callable[[View], Move]:
    """Return the bot's play at this level, from 1 to ``BEST``, its best play. Mahjong gin has no
    levels, so there it always plays its best. *rng* returns that many random bytes."""

    def play(view: View) -> Move:
        if number >= BEST or not can_advise(view.hand.rules):
            return choose(view)
        return choose_at(view, LEVELS[number - 1], rng)

    return play


def choose(view: View) -> Move:
    """Return the bot's move for the player of this view, whose turn it must be.

    Depends on the view alone, and takes a millisecond or two. Raises Illegal ("hand-unknown") if
    the view lacks the player's own hand.
    """
    if not view.my_turn:
        raise ValueError("it is not this player's turn")
    if not can_advise(view.hand.rules):
        return mahjong.choose(view)
    moves = view.sensible_moves()
    return moves[0] if len(moves) == 1 else choices(view)[0].move
