"""The bot as somebody plays who knows less than it does: at one of the adviser's levels."""

from __future__ import annotations

from collections.abc import Callable

from ginpeer.adviser import can_advise
from ginpeer.adviser.levels import BEST, LEVELS, choose_at
from ginpeer.bot.play import choose
from ginpeer.rules import Move, View


def player_at(number: int, rng: Callable[[int], bytes]) -> Callable[[View], Move]:
    """How the bot plays at this level, from 1 to ``BEST``, where it plays as well as it can. In
    Mahjong gin, which knows no levels, it always does. *rng* gives so many random bytes."""

    def play(view: View) -> Move:
        if number >= BEST or not can_advise(view.hand.rules):
            return choose(view)
        return choose_at(view, LEVELS[number - 1], rng)

    return play
