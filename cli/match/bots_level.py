"""How well the bot plays: as typed, and in practice otherwise by how the matches before went.

# Rule 1: a match that was won raises the level by one, one that was lost lowers it. What was left
#   unfinished counts for nothing.
# Rule 2: the player is told the level before the first card, and how to choose another.
"""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Callable

from cli.failure import USAGE, Failure
from ginpeer.adviser.levels import BEST
from ginpeer.bot.play import player_at
from ginpeer.rules.moves import Move
from ginpeer.rules.view import View
from ginpeer.store.settings import Settings

FIRST = 2
"""Of who has not practised yet: beaten by most who know the game, and it goes up from there."""


def own_bot(args: Namespace) -> Callable[[View], Move] | None:
    """How the bot plays in our player's place at the level that is typed with --bot; None: as well
    as it can. Raises Failure for a level without a bot."""
    level: int | None = getattr(args, "level", None)
    if level is None:
        return None
    if not args.bot:
        sentence = "--level says how well the bot plays; type --bot, too, to let it play."
        raise Failure("usage", sentence, USAGE)
    return player_at(level, os.urandom)


def level_of(likes: Settings, typed: int | None) -> int:
    """The level of the next match. *typed*: what was asked for."""
    return min(typed or likes.level or FIRST, BEST)


def level_line(likes: Settings, typed: int | None, command: str) -> str:
    """Which level plays, and why; for the player."""
    level = level_of(likes, typed)
    said = f"The bot plays at level {level} of {BEST}"
    if typed is not None:
        return f"{said}."
    because = {True: ", since you won the last match", False: ", since you lost the last match"}
    why = because.get(likes.won, "") if likes.level and likes.won is not None else ""
    return f"{said}{why}; {command} practice --level N chooses another."


def after_match(level: int, *, won: bool) -> int:
    """The level of the match after one at this level."""
    return min(level + 1, BEST) if won else max(level - 1, 1)
