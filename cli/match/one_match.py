"""The match on this machine: our side of the table, one match after another.

Rule 1: this module connects seat, journal, session, and a person or a bot; it decides nothing.
Rule 2: while host_match, join_match or practise waits for a session, the network begins it:
   `begin_session` returns our player, and `seat_for` our seat.
"""

from __future__ import annotations

import os
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from twisted.internet.defer import Deferred

from cli.match.aftermath import ENDED_EARLY, Aftermath
from cli.match.bot_player import BotPlayer, own_bot
from cli.match.contact import Contact, OtherPlayer, Sessions
from cli.match.identity import known_names, own_faults, own_identity, player_name
from cli.match.process import ExitRequests, Process
from cli.match.series import Next, Series, ShelvedMatches
from cli.match.sharing import Sharing
from cli.program import Failure, own_command, version
from cli.table.commands import is_code
from cli.table.presenter import PersonPresenter, Presenter, ProgramPresenter
from cli.table.table import HumanTable
from cli.table.table_state import ALONE, MatchPort, no_reply_expected
from cli.terminal.console import Console
from cli.terminal.line_input import InputEvent, TypedLine
from cli.text.cards import style_for
from cli.text.shelved_match import resuming
from ginpeer.match_store import KeeperNotices, LoadedMatch, TableKeeper
from ginpeer.net.address import Address
from ginpeer.net.close_reasons import fault_of, log_fault
from ginpeer.net.codes import ReplyError
from ginpeer.net.handshake import SHARED_LOG
from ginpeer.net.interfaces import CloseReason, PeerInfo, PlayerPort
from ginpeer.net.session import Session, Side
from ginpeer.referee.table import GUEST, HOST
from ginpeer.referee.transitions import RefusedEntry
from ginpeer.rules.ruleset import STANDARD
from ginpeer.seat.seat import Options, Seat, SeedLost
from ginpeer.store import Home, StoreError, UnreadableLog
from ginpeer.store.match_files import Role
from ginpeer.store.small_files import change_settings, read_settings
from protocol.crypto.group import require_constant_time
from protocol.crypto.identity import IdentityKey
from protocol.frames import Position

_MANY_HANDS = 3
"""With this many hands or more, verifying the proofs again takes so long that we say so first. Each
hand takes a few tenths of a second."""


STOPPED_TYPING = 3.0  # seconds without a key after which a half-typed line counts as abandoned
AFTER_ENTER = 0.5  # seconds without a key after which no further line is coming
_TICK = 0.1  # seconds
_TOO_LATE = "That came too late, so nothing was done."


@dataclass(frozen=True, slots=True)
class MatchPlan:
    """The match that our player wants. *accepts*: the only match that a guest accepts; our player
    isn't asked. *only*: the stored match to resume. *ways*: the options to save for the other
    player. *as_before*: what to tell our player about saved options."""

    role: Role
    offers: Options = field(default_factory=Options)
    accepts: Options | None = None
    only: LoadedMatch | None = None
    practice: bool = False
    ways: tuple[str, ...] = ()
    as_before: str = ""


class OneMatch(MatchPort, KeeperNotices):
    """Our player's matches with one opponent: home, key, screen, event loop, seat, log, table, and
    the sessions with that opponent. In a club, each guest has a seat, log, table and sessions of
    its own (cli.match.club).

    ``known`` stores the opponents that we have met; None in practice, where there is nobody to
    remember. ``bot``: whether the bot plays for our player. ``plays``: chooses the bot's moves; if
    None, the bot plays as well as it can.
    """

    def __init__(self, args: Namespace, plan: MatchPlan) -> None:
        """Raises Failure."""
        self.plays = None if plan.practice else own_bot(args)
        self.bot = bool(getattr(args, "bot", False))
        self.verbose = bool(getattr(args, "verbose", False))
        with own_faults():
            require_constant_time()
            self.home = Home.locate(args.home, os.environ)
        self.home.remember()
        self.name = player_name(self.home, args.name)
        with own_faults():
            self.identity = own_identity(self.home)
        self.command = own_command(args.home)
        self.settings = read_settings(self.home.path)
        self.process = Process()
        self.reactor = self.process.reactor
        if sys.stdout is None:
            raise Failure("no-output", "ginpeer can't play here: its standard output is closed.")
        self.console = Console(sys.stdin, sys.stdout, self.reactor.callFromThread)
        self.known = None if plan.practice else self.home.known_peers(time.time)
        self.names = known_names(self.identity, self.known if self.console.interactive else None)
        self.presenter = self._presenter()
        self.only = plan.only
        self.level: int | None = getattr(args, "level", None)  # level of the practice bot
        self.on_take_back: Callable[[], None] | None = None  # set by practice
        self._plan = plan
        self._offers = plan.offers
        self._only_ways: bool = getattr(args, "as_typed", False)
        self._has_begun = False
        self._missing: bytes | None = None  # the last table reported as not stored here
        self.seat = HOST if plan.role == "host" else GUEST
        self.keeper = TableKeeper(
            self.home,
            plan.role,
            self.identity,
            name=self.name,
            options=plan.offers,
            rng=os.urandom,
            now=time.time,
            only=plan.only,
            fresh=getattr(args, "new", True),
            notices=self,
        )
        # In practice each match is new, and the bot needn't be asked.
        self.keeper.asks = self.asks and not plan.practice
        self.contact = Contact()  # set by the role's coroutine
        self.other = OtherPlayer(self.keeper, self.seat, self.known, self.names)
        self.sessions = Sessions()
        self.table: HumanTable | None = None  # stays None if a bot plays for us
        matches: int | None = getattr(args, "matches", None)
        self.series = Series(self, plan.offers, matches if self.asks else matches or 1)
        self.sharing = Sharing(self)
        self._shelved = None if plan.practice else ShelvedMatches(self)
        if not self.bot:
            self.table = HumanTable(
                self.console,
                self.presenter,
                self.reactor,
                self.seat,
                self,
                wanted=plan.accepts,
                settings=self.settings,
                known=self.names,
                partnership=ALONE if plan.practice else self.sharing,
                practice=plan.practice,
                expected=None if plan.role == "guest" and plan.only is None else plan.offers.rules,
            )
        patience: float | None = getattr(args, "patience", 0.0)
        if patience is None and not self.console.interactive:
            patience = 0.0  # end at once: a script can start the program again
        self.after = Aftermath(self, self.process, self.series, self._shelved, patience)
        self._exit: ExitRequests = self.after
        if args.name is not None and plan.only is None:  # a resumed match keeps its name
            self.keep(name=self.name)

    def _presenter(self) -> Presenter:
        if not self.console.interactive:
            return ProgramPresenter(self.console)
        settings = self.settings
        return PersonPresenter(
            self.console,
            replace(style_for(sys.stdout), words=settings.words, four=settings.four_colours),
            listens=not self.bot,
            command=self.command,
            known=self.names,
            settings=settings,
        )

    @property
    def asks(self) -> bool:
        return self.console.interactive and not self.bot

    def keep(self, **what: bool | int | str | None) -> None:
        """Save settings for next time: what our player typed or switched, or the level reached."""
        try:
            change_settings(self.home.path, **what)
        except StoreError as error:  # the setting still counts this time
            self.presenter.info(f"{error.sentence} ({error.code})")

    def run(
        self, role: Callable[[], Coroutine[Any, Any, None]], club: ExitRequests | None = None
    ) -> int:
        """Run the reactor until this role's coroutine or the program ends; return the exit status.
        *club*: handles requests to end the program, instead of the match. Raises Failure, and
        BrokenPipeError if nobody reads our output."""
        self._exit = club or self._exit

        def start() -> None:
            if self.only is not None and self.asks:
                self.presenter.info(resuming(self.only, self.names))
            if self._plan.as_before:
                self.presenter.info(self._plan.as_before)
            failures: list[Any] = []
            Deferred.fromCoroutine(self._play(role)).addErrback(failures.append)
            if failures:
                failures[0].raiseException()
            self._has_begun = True
            if self.table is not None:
                self.table.open()
            elif self.contact.takes_replies and self.console.in_foreground:
                self.console.start(self._take_typed, lambda: None)

        try:
            self.process.run(start, self._exit, self.console.restore)
        finally:
            if self.table is not None:
                self.table.close()
            self.console.close()
            self.keeper.close()
        if isinstance(self.console.broken, OSError) and not self.console.interactive:
            raise self.console.broken  # closing a terminal, though, just means leaving
        return ENDED_EARLY if self.after.status is None else self.after.status

    async def _play(self, role: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run this role's coroutine. An error while it starts makes the command fail; a later one
        is a fault of our own."""
        try:
            await role()
        except Exception as error:  # any error (class C); otherwise the host would hang
            if not self._has_begun:
                raise
            self._fail(error)
        else:
            await self._let_player_finish_typing()
            self.after.halt()

    async def _let_player_finish_typing(self) -> None:
        """Wait while our player is typing a line, because the shell would get the rest of it. Once
        entered, the line does nothing."""
        from twisted.internet.task import deferLater

        typed, silence = self.console.half_typed, 0.0
        if not typed:
            return
        self.console.stop_obeying(lambda: self.presenter.info(_TOO_LATE))
        while silence < (STOPPED_TYPING if typed else AFTER_ENTER) and not self._exit.has_left:
            await deferLater(self.reactor, _TICK)
            before, typed = typed, self.console.half_typed
            silence = silence + _TICK if typed == before else 0.0

    def _fail(self, error: Exception) -> None:
        self.process.heed(error)
        log_fault(error, _debugs())
        try:
            self.after.fail(error)
        finally:  # otherwise, after another error, the program would never end
            self.after.halt()
            self.console.close()  # so that no more lines are obeyed

    # --- called by the role's coroutine -----------------------------------------------------

    def open_stored(self, peer: bytes) -> None:
        """Lock the match to resume, and restore its seat early. Raises Failure."""
        with own_faults():
            try:
                self.keeper.restore_seat(peer)
            except (SeedLost, RefusedEntry) as error:
                told = f"{self.keeper.damage} {self.after.new_match_advice}"
                raise Failure(error.code, told) from error

    async def end_of(self, session: Session) -> CloseReason:
        """Wait until this session is over, and return the reason as our player should read it."""
        closed = await session.done
        if self.table is not None:
            closed = self.table.end_session(closed)
        if closed.code == "declined":  # the offered match was never signed by both players
            with suppress(StoreError):  # on failure, the offer stays stored, which is harmless
                self.keeper.forget_offer()
        return closed

    def offer_next(self, offers: Options) -> None:
        self.keeper.set_options(offers)
        self._offers = offers

    def what_follows(self, closed: CloseReason) -> Next:
        return self.series.what_follows(
            closed,
            has_left=self._exit.has_left,
            only_lacked_end=self.keeper.only_sent_end,
            patient=self.after.patient,
        )

    # --- called by a session once the other player is admitted (Side) --------------------------

    def side_of(
        self,
        keeper: TableKeeper,
        player_for: Callable[[Session], PlayerPort],
        *,
        bot: bool,
        identity: IdentityKey | None = None,
    ) -> Side:
        """Return one side of a connection. *identity*: a key to use instead of our own."""
        return Side(
            identity=identity or self.identity,
            software=f"ginpeer {version()}",
            seat_for=keeper.seat_for,
            player_for=player_for,
            journal=keeper,
            position_for=keeper.position_for,
            bot=bot,
            debug=_debugs(),
            caught=self.process.heed,
        )

    def side(self) -> Side:
        return replace(
            self.side_of(self.keeper, self.begin_session, bot=self.bot),
            seat_for=self.seat_for,
            position_for=self._position_for,
            missing_entries=self.keeper.missing_entries,
            known=self.known,
            joins=self.seat == GUEST,
            extensions=self._extensions,
            unfinished=lambda: self.keeper.replaces is not None,
            own_addresses=self._own_addresses,
            on_peer_addresses=lambda addresses: self.contact.on_peer_addresses(addresses),
        )

    def begin_session(self, session: Session) -> PlayerPort:
        """Return our player for this session. The role's coroutine gets the session first."""
        self.sessions.begin(session)
        if self.table is not None:
            self.table.use_session(session)
            return self.table
        return BotPlayer(session, self, self.seat, self._plan.accepts)

    def seat_for(self, peer: PeerInfo) -> Seat:
        """Return our seat in a match with this player. If a match is over or would be shelved, it
        makes no offer until our player has been asked."""
        self.other.peer = peer
        self.contact.on_arrival()
        problem = self.other.note_way(self.contact.hides, self._plan.ways, only=self._only_ways)
        if problem is not None:
            self.presenter.info(problem)
        self.after.on_return()
        before = self.keeper.live
        seat = self.keeper.seat_for(peer)
        if seat is not before:
            self._show_match(seat)
        elif self.table is not None:
            self.table.take_seat(seat)
            self.table.continue_match()
        self.sharing.repeat_consent(peer)
        if self.table is not None:
            besides = None if self._shelved is None else self._shelved.warning()
            asked = self.series.ask_before(besides)
            if self._shelved is not None and not asked:
                self._shelved.ask_before()
            self.table.seated()
        return seat

    def _show_match(self, seat: Seat) -> None:
        match, offers = seat.table.match, self._offers
        if self.table is not None:
            self.table.take_seat(seat)
            self.table.resume_match(seat.table)
        elif self.keeper.stored is not None and match is not None:
            self.presenter.show_resumed_match(seat.table, None)
        if match is not None:
            own_name = self.other.own_name(seat.table.names[1 - self.seat])
            if own_name:
                self.presenter.info(*own_name)
            resumes = self.only is not None  # a resumed match has its own rules; none were typed
            typed = None if resumes or offers.rules == STANDARD else offers.rules
            if self._plan.accepts is not None:
                typed = self._plan.accepts.rules
            if typed not in (None, match.rules):
                self.presenter.info(
                    "This match keeps its rules. For other rules, start a new match with "
                    f"{self.command} host --new."
                )
        self.contact.on_match_start(offers.rules if match is None else match.rules)

    def _position_for(self, key: bytes, claimed: Position | None) -> Position | None:
        try:
            position = self.keeper.position_for(key, claimed)
        except (StoreError, UnreadableLog) as error:  # the other side isn't told
            if self.seat == HOST:
                self.presenter.info(f"{error.sentence} ({error.code})")
            else:
                self.after.stop_waiting(fault_of(error))
            raise
        missing = self.keeper.unknown_table
        if missing is not None and missing != self._missing:
            self._missing = missing
            instead = "That match can't continue."
            if position is not None:
                instead = f"Instead, the match {position.table.hex()[:6]} continues."
            self.presenter.info(
                f"Your opponent's program asked for match {missing.hex()[:6]}, which isn't stored "
                f"on this machine. {instead}"
            )
        return position

    def _extensions(self) -> tuple[int, ...]:
        """Return the extensions for the next connection. A bot can't consent to sharing a log."""
        shares = () if self.table is None else (SHARED_LOG,)
        return (*self.series.extensions(), *shares)

    def _own_addresses(self) -> tuple[Address, ...]:
        return () if self.other.is_hidden_from() else self.contact.own_addresses()

    def send_addresses(self) -> None:
        if self.sessions.current is not None:
            self.sessions.current.send_addresses()

    # --- called by the keeper (KeeperNotices) ------------------------------------------------

    def about_to_verify(self, hands: int) -> None:
        if hands >= _MANY_HANDS:
            self.presenter.info(f"Checking the log of {hands} hands.")

    def dropped(self) -> None:
        """Say that the host resumes a different match, which otherwise looks like a new one."""
        self.presenter.info(
            "The host is continuing a different match from yours. Yours is kept; to continue it, "
            f"run {self.command} resume and its name."
        )

    def damaged(self, why: StoreError) -> None:
        self.presenter.info(f"{why.sentence} ({why.code})")

    # --- called by the table, or by the bot in our player's place (MatchPort) -----------------

    @property
    def way_to_leave(self) -> str:
        return "press Ctrl-C" if self.table is None else "type quit"

    def log_path(self) -> str | None:
        return self.after.log()

    def invite_line(self) -> str | None:
        return self.contact.invite_line()

    def stop_waiting(self) -> None:
        self.after.on_nobody_came()

    def hang_up(self) -> None:
        self._exit.hang_up()

    def name_notes(self, name: str) -> list[str]:
        return self.other.note_name(name)

    def on_agreement(self) -> None:
        self.sharing.mark()
        if self._shelved is not None:
            self._shelved.on_agreement()

    def keep_setting(self, what: str, on: bool) -> None:
        self.keep(**{what: on})

    def on_paste(self, text: str) -> None:
        if not self.contact.takes_replies:
            raise no_reply_expected(text, self.command)
        self.contact.on_paste(text)

    def accepts_more(self, text: str) -> bool:
        return self.contact.accepts_more(text)

    def take_back(self) -> None:
        if self.on_take_back is None:
            super().take_back()
        else:
            self.on_take_back()

    def hands_left(self) -> int | None:
        return None if self.keeper.live is None else self.keeper.live.hands_left()

    def on_fault(self, error: Exception) -> None:
        session = self.sessions.current
        if session is not None and session.ending is None:
            session.fault(error)
        elif self.after.is_over:  # our player has already read how it ended
            self.process.heed(error)
            log_fault(error, _debugs())
        else:
            self._fail(error)

    def on_proposal(self, rules: str) -> None:
        self.series.proposed(rules)

    def _take_typed(self, event: InputEvent) -> bool:
        """Read a typed line while a bot hosts: only replies count, anything else is ignored."""
        if isinstance(event, TypedLine) and (is_code(event.text) or self.accepts_more(event.text)):
            try:
                self.on_paste(event.text)
            except ReplyError as error:
                self.presenter.show_refusal(error.code, error.sentence)
        return True


def _debugs() -> bool:
    return bool(os.environ.get("GINPEER_DEBUG"))
