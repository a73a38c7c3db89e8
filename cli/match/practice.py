"""Practice begins: the bot sits down opposite, in our own process, with a home of its own."""

from __future__ import annotations

import os
import time

from cli.failure import USAGE, Failure
from cli.match.bots_level import after_match, level_line, level_of
from cli.match.one_match import OneMatch, own_faults
from ginpeer.adviser import can_advise
from ginpeer.bot.at_level import player_at
from ginpeer.keeper import Stored, TableKeeper, stored_matches
from ginpeer.net.automatic_player import AutomaticPlayer
from ginpeer.net.grid import STEP
from ginpeer.net.in_process import ADDRESS, sit_down
from ginpeer.referee.table import HOST
from ginpeer.rules.ruleset import RuleSet
from ginpeer.seat.seat import Options
from ginpeer.store import Home

BOT_NAME = "Bot"
_BOT_HOME = "bot"  # the bot's own folder in ours: a player like any other, with key and logs


def practised(stored: Stored) -> bool:
    """Whether the other player was the bot in our own process."""
    return ADDRESS in stored.notes.addresses


def sit_down_with_bot(match: OneMatch) -> None:
    """Seat the bot opposite. Raises Failure."""
    from twisted.internet.defer import DeferredList

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
    # A match that goes on keeps its level.
    typed = match.level if match.only is None else match.level or match.only.notes.level
    level = level_of(match.likes, typed)
    plays = player_at(level, os.urandom)
    bots_side = match.side_of(
        keeper, identity, lambda session: AutomaticPlayer(session, plays), bot=True
    )

    def begins(rules: RuleSet) -> None:
        if can_advise(rules):
            match.presenter.info(level_line(match.likes, typed, match.command))
            match.keeper.journal.level = level
            if match.table is not None:
                match.table.practises_at(level)

    match.begins = begins
    # A person could see which of its moves the bot thinks about; a program has no eyes.
    grid = STEP if match.console.interactive else 0.0
    mine, bots = sit_down(match.side(), bots_side, match.reactor, grid=grid)
    if match.table is not None:
        match.table.sit_down(mine)

    def ended(_: object) -> None:
        try:
            _note_result(match, level)
            keeper.close()
        finally:
            match.end.halt()

    DeferredList([mine.done, bots.done]).addCallback(ended)


def _note_result(match: OneMatch, level: int) -> None:
    """A match that was played to its end moves the level of the next one."""
    seat = match.keeper.live
    if seat is None or match.keeper.came_over or not seat.table.finished:
        return
    played = seat.table.match
    if played is not None and played.winner is not None and can_advise(played.rules):
        won = played.winner == HOST
        match.keep(level=after_match(level, won=won), won=won)


def _bots_side_of(home: Home, ours: Stored, command: str) -> Stored:
    """The match as the bot has stored it in its own home. Raises Failure."""
    with own_faults():
        for stored in stored_matches(home):
            if stored.notes.table == ours.notes.table:
                return stored
    raise Failure(
        "practice-over",
        f"The bot has not kept its side of that match; {command} practice begins another.",
        USAGE,
    )
