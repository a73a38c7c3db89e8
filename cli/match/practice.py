"""Practice: the opponent is the bot, in our own process, with a home of its own.

# Rule 1: after a win the bot's level goes up by one, after a loss it goes down by one. An
#   unfinished match changes nothing.
# Rule 2: before the first card, the player is told the level and how to choose another.
"""

from __future__ import annotations

import os
import time

from cli.failure import Failure
from cli.match.bot_player import AutomaticPlayer
from cli.match.contact import Contact
from cli.match.one_match import OneMatch
from cli.match.sitting import own_faults
from ginpeer.adviser import can_advise
from ginpeer.adviser.levels import BEST, player_at
from ginpeer.match_store import LoadedMatch, TableKeeper, stored_matches
from ginpeer.net.in_process import ADDRESS, sit_down
from ginpeer.net.time_grid import STEP
from ginpeer.referee.table import HOST
from ginpeer.rules.ruleset import RuleSet
from ginpeer.seat.seat import Options
from ginpeer.store import Home
from ginpeer.store.settings import Settings

BOT_NAME = "Bot"
_BOT_HOME = "bot"  # the bot's folder in ours; it has a key and logs, like any player

FIRST = 2
"""The first level for a new player: most who know the game beat it."""


async def practise(match: OneMatch) -> None:
    """Play one match against the bot, and adjust the bot's level to the result. Raises Failure."""
    home = Home(match.home.path / _BOT_HOME)
    with own_faults():
        identity = home.identity(os.urandom)
    keeper = TableKeeper(
        home,
        "guest",
        identity,
        name=BOT_NAME,
        options=Options(),
        rng=os.urandom,
        now=time.time,
        only=None if match.only is None else _bots_side_of(home, match.only, match.command),
        fresh=match.only is None,
    )
    if match.only is not None:
        match.open_stored(identity.public)
    # A resumed match keeps its level.
    typed = match.level if match.only is None else match.level or match.only.notes.level
    level = level_of(match.likes, typed)
    plays = player_at(level, os.urandom)
    bots_side = match.side_of(
        keeper, lambda session: AutomaticPlayer(session, plays), bot=True, identity=identity
    )
    match.reach_by(_BotContact(match, typed))
    # A person could see over which of its moves the bot thinks; a program doesn't look.
    grid = STEP if match.console.interactive else 0.0
    mine, bots = sit_down(match.side(), bots_side, match.reactor, grid=grid)
    if match.table is not None:
        match.table.sit_down(mine)
    match.after.say_last_word(await match.end_of(mine))
    await bots.done
    _note_result(match, level)
    keeper.close()


class _BotContact(Contact):
    """Finds nobody, because the bot is already there. Tells our player its level when the match
    begins."""

    def __init__(self, match: OneMatch, typed: int | None) -> None:
        """*typed*: the level that was asked for, if any."""
        super().__init__(match.command)
        self._match = match
        self._typed = typed

    def on_match_start(self, rules: RuleSet) -> None:
        match = self._match
        if can_advise(rules):
            level = level_of(match.likes, self._typed)
            match.presenter.info(level_line(match.likes, self._typed, match.command))
            match.keeper.journal.level = level
            if match.table is not None:
                match.table.practises_at(level)


def is_practice(stored: LoadedMatch) -> bool:
    """Return whether the opponent in this match was the bot in our own process."""
    return ADDRESS in stored.notes.addresses


def _note_result(match: OneMatch, level: int) -> None:
    """Adjust the level of the next match, if this one was played to its end."""
    seat = match.keeper.live
    if seat is None or match.keeper.over_on_arrival or not seat.table.finished:
        return
    played = seat.table.match
    if played is not None and played.winner is not None and can_advise(played.rules):
        won = played.winner == HOST
        match.keep(level=after_match(level, won=won), won=won)


def _bots_side_of(home: Home, ours: LoadedMatch, command: str) -> LoadedMatch:
    """Return the match as the bot has stored it in its own home. Raises Failure."""
    with own_faults():
        for stored in stored_matches(home):
            if stored.notes.table == ours.notes.table:
                return stored
    raise Failure(
        "practice-over",
        f"The bot no longer has its side of that match. To start another, run {command} practice.",
    )


def level_of(likes: Settings, typed: int | None) -> int:
    """Return the bot's level for the next match. *typed*: the level that was asked for, if any."""
    return min(typed or likes.level or FIRST, BEST)


def level_line(likes: Settings, typed: int | None, command: str) -> str:
    """Tell the player the bot's level, and why it plays at that level."""
    level = level_of(likes, typed)
    said = f"The bot plays at level {level} of {BEST}"
    if typed is not None:
        return f"{said}."
    because = {True: ", because you won the last match", False: ", because you lost the last match"}
    why = because.get(likes.won, "") if likes.level and likes.won is not None else ""
    return f"{said}{why}. To choose another, run {command} practice --level N."


def after_match(level: int, *, won: bool) -> int:
    """Return the level of the next match, after one at this level that the player won or lost."""
    return min(level + 1, BEST) if won else max(level - 1, 1)
