"""Practice: the opponent is the bot, which runs in our own process and has its own home.

A move is taken back between two sessions: the session ends, both logs are cut short, and both
players sit down again (ginpeer.match_store.table_keeper). A match in which a move was taken back
doesn't change the bot's level.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import closing
from typing import Any

from twisted.internet.defer import Deferred

from cli.match.bot_player import AutomaticPlayer
from cli.match.contact import Contact
from cli.match.identity import own_faults
from cli.match.one_match import OneMatch
from cli.program import Failure
from cli.table.possible_moves import forced
from cli.table.table import HumanTable
from cli.text.narration import NOTHING_TO_UNDO, TOO_LATE
from cli.text.series import practise_again
from ginpeer.adviser.advise import can_advise
from ginpeer.adviser.levels import BEST, player_at
from ginpeer.match_store import LoadedMatch, TableKeeper, stored_matches
from ginpeer.match_store.table_keeper import Choice, own_choices
from ginpeer.net.in_process import connect_in_process
from ginpeer.net.interfaces import CloseReason
from ginpeer.net.session import Session
from ginpeer.net.timing import STEP
from ginpeer.referee.referee import Admitted
from ginpeer.referee.table import HOST, Table
from ginpeer.referee.transitions import RefusedEntry
from ginpeer.rules.cards import Illegal
from ginpeer.rules.match import View
from ginpeer.rules.ruleset import RuleSet
from ginpeer.seat.seat import Options, Seat, SeedLost
from ginpeer.store import Home
from ginpeer.store.small_files import Settings
from protocol.crypto.identity import IdentityKey
from protocol.entry import entry_hash

BOT_NAME = "Bot"
_BOT_HOME = "bot"  # the bot's folder in ours; it has a key and logs, like any player
FIRST = 2  # the first level for a new player: most people who know the game beat it


async def practise(match: OneMatch) -> None:
    """Play against the bot, and adjust its level to each result. A person is asked after each match
    whether to play another; a program plays one. Raises Failure."""
    with own_faults(), closing(_Practice(match)) as practice:
        await practice.play()


class _Practice(Contact):
    """Plays one match after another against the bot, and holds both seats. As a contact, it has
    nobody to find."""

    def __init__(self, match: OneMatch) -> None:
        home = Home(match.home.path / _BOT_HOME)
        self._bots_key = key = home.identity(os.urandom)
        self._match = match
        self._bots = TableKeeper(
            home,
            "guest",
            key,
            name=BOT_NAME,
            options=Options(),
            rng=os.urandom,
            now=time.time,
            only=match.only and _bots_side_of(home, key, match.only, match.command),
            fresh=match.only is None,
        )
        if match.only is not None:
            match.open_stored(self._bots_key.public)
            self._bots.restore_seat(match.identity.public)
        # A resumed match keeps its level.
        self._typed = match.level if match.only is None else match.level or match.only.notes.level
        self._level = level_of(match.settings, self._typed)
        self._told_level = False
        self._seen: dict[bytes, Table] = {}
        """The table before each move made in this run of the program, by the hash of the last
        entry. To go back further, the log must be judged again."""
        self._session: Session | None = None
        self._back_to: Seat | None = None
        match.on_take_back = self.take_back
        match.contact = self

    def close(self) -> None:
        self._bots.close()

    async def play(self) -> None:
        match = self._match
        while True:
            closed = await self._sit_down()
            if self._back_to is not None:
                self._cut_back(self._back_to)
                self._back_to = None
            elif self._is_played_out() and match.table is not None and match.asks:
                match.after.finish_practice(closed)
                question = self._adjust_level()
                if not await self._asked(match.table, question):
                    match.after.status = 0
                    return
                self._clear()
            else:
                match.after.say_last_word(closed)
                self._adjust_level()
                return

    async def _sit_down(self) -> CloseReason:
        """Connect both seats, wait until their session ends, and return why it did."""
        match, plays = self._match, player_at(self._level, os.urandom)
        bots_side = match.side_of(
            self._bots,
            lambda session: _Bot(session, plays, self._seen),
            bot=True,
            identity=self._bots_key,
        )
        # A person could notice which moves take the bot longer; a program doesn't look.
        grid = STEP if match.console.interactive else 0.0
        self._session, bots = connect_in_process(match.side(), bots_side, match.reactor, grid=grid)
        if match.table is not None:
            match.table.use_session(self._session)
        closed = await match.end_of(self._session)
        await bots.done
        return closed

    def on_match_start(self, rules: RuleSet) -> None:
        """Tell our player the bot's level when the first match begins."""
        match = self._match
        if not can_advise(rules):
            return
        if not self._told_level:
            self._told_level = True
            match.presenter.info(level_line(match.settings, self._typed, match.command))
        match.keeper.level = self._level
        if match.table is not None:
            match.table.set_bot_level(self._level)

    # --- the next match ----------------------------------------------------------------

    def _is_played_out(self) -> bool:
        seat = self._match.keeper.live
        return seat is not None and seat.table.finished and not self._match.keeper.over_on_arrival

    def _adjust_level(self) -> str:
        """Adjust the bot's level after a match that was played to its end. Return the question that
        offers another match."""
        seat, match = self._match.keeper.live, self._match
        played = None if seat is None else seat.table.match
        if played is None or not self._is_played_out():
            return "Again?"
        if not can_advise(played.rules):
            match.keep(won=None)
            return "Again?"
        before, why = self._level, ""
        stored = match.keeper.stored
        if stored is not None and stored.notes.taken_back:
            why = ", because you took back a move"
            match.keep(level=before, won=None)  # the next practice begins at this level, too
        elif played.winner is not None:
            won = played.winner == HOST
            level = after_match(before, won=won)
            match.keep(level=level, won=won)
            if match.level is None:
                self._level = level
                why = f", because you {'won' if won else 'lost'}" if level != before else ""
        else:
            match.keep(won=None)
        if match.level is not None and not why:
            return f"Again? The bot stays at level {before}."
        return practise_again(self._level, before=before, best=BEST, why=why)

    async def _asked(self, table: HumanTable, question: str) -> bool:
        answer: Deferred[bool] = Deferred()
        table.ask(question, "play again", answer.callback, otherwise="leave", leaving_means_no=True)
        return await answer

    def _clear(self) -> None:
        match, seat = self._match, self._match.keeper.live
        if seat is not None and seat.table.match is not None:
            same = Options(seat.table.match.rules, seat.table.disclosure)
            match.series.clear()
            match.offer_next(same)
        self._bots.play_another()
        self._seen = {}

    # --- taking back moves -------------------------------------------------------------

    def take_back(self) -> None:
        """Take back our player's last choice: end the session, after which both logs are cut short.
        Raises Illegal. If our own log or seeds are damaged, the session ends with that fault."""
        match, seat, session = self._match, self._match.keeper.live, self._session
        if seat is None or session is None:
            raise Illegal("nothing-to-undo", NOTHING_TO_UNDO)
        if session.ending is not None:
            raise Illegal("nothing-to-undo", TOO_LATE)
        try:
            move, self._back_to = self._last_choice(seat)
        except (RefusedEntry, SeedLost) as error:
            session.fault(error)
            return
        if match.table is not None:
            match.table.note_taken_back(move)
        session.cut(CloseReason("taken-back", "You took back a move."))

    def _last_choice(self, seat: Seat) -> tuple[Choice, Seat]:
        """Return our player's last move that wasn't the only one possible, and our seat before that
        move. Raises Illegal if there is none."""
        keeper, entries = self._match.keeper, seat.entries
        for number, move in own_choices(entries, self._match.identity.public):
            seen = self._seen.get(entry_hash(entries[number - 1]))
            earlier = keeper.seat_at(number, seen)
            if forced(earlier.view()) is None:  # a forced move would be made again at once
                return move, earlier
        raise Illegal("nothing-to-undo", NOTHING_TO_UNDO)

    def _cut_back(self, seat: Seat) -> None:
        """Cut both logs short, the bot's first (ginpeer.match_store.table_keeper says why)."""
        stored, number = self._bots.stored, len(seat.entries)
        # The bot's log is shorter if our last entry was lost.
        if stored is not None and len(stored.entries) >= number:
            self._bots.take_back(self._bots.seat_at(number, seat.table))
        self._match.keeper.take_back(seat)


class _Bot(AutomaticPlayer):
    """The bot. It also remembers the tables to which our player may want to go back."""

    def __init__(
        self, session: Session, choose: Callable[[View], Any], seen: dict[bytes, Table]
    ) -> None:
        super().__init__(session, choose)
        self._seen = seen

    def show(self, event: Admitted) -> None:
        if isinstance(event.message, Choice):
            self._seen[event.before.head] = event.before


def _bots_side_of(home: Home, key: IdentityKey, ours: LoadedMatch, command: str) -> LoadedMatch:
    """Return the match as the bot, with this key, has stored it in its own home. Raises Failure,
    StoreError."""
    for stored in stored_matches(home) if ours.notes.peer == key.public else ():
        if stored.notes.table == ours.notes.table:
            return stored
    raise Failure(
        "practice-over",
        f"The bot no longer has its side of that match. To start another, run {command} practice.",
    )


def level_of(settings: Settings, typed: int | None) -> int:
    return min(typed or settings.level or FIRST, BEST)


def level_line(settings: Settings, typed: int | None, command: str) -> str:
    level = level_of(settings, typed)
    said = f"The bot plays at level {level} of {BEST}"
    if typed is not None:
        return f"{said}."
    because = {True: ", because you won the last match", False: ", because you lost the last match"}
    why = because.get(settings.won, "") if settings.level and settings.won is not None else ""
    return f"{said}{why}. To choose a different level, run {command} practice --level N."


def after_match(level: int, *, won: bool) -> int:
    return min(level + 1, BEST) if won else max(level - 1, 1)
