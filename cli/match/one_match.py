"""One match after another on this machine: the parts put together, and what the network asks of
them.

# House rules
#
# 1. Here the parts are put together and nothing is decided: home, identity, seat, journal, session,
#    and a person or a bot. Randomness, clock and reactor enter the program here.
# 2. What happens one after the other stands in three coroutines: host_match (hosting.py),
#    join_match (joining.py) and practise (practice.py). What follows a session, decision.py says.
# 3. The reactor is installed only when a match is to be played.
"""

from __future__ import annotations

import os
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from cli.failure import OUR_FAULT, Failure
from cli.match.bot_player import BotPlayer, own_bot
from cli.match.contact import Contact, MatchParts, Sessions
from cli.match.decision import MatchState
from cli.match.identity import own_identity, player_name
from cli.match.match_end import ENDED_EARLY, Interrupts, MatchEnd
from cli.match.other_player import OtherPlayer, Ways
from cli.match.process import ExitRequests, Process
from cli.match.series import Series
from cli.match.sharing import Sharing
from cli.match.shelved_match import ShelvedMatches, StoredMatchNotices
from cli.program import own_command, version
from cli.table.commands import is_code
from cli.table.person_presenter import PersonPresenter
from cli.table.presenter import Presenter, ProgramPresenter
from cli.table.table import HumanTable
from cli.table.table_state import ALONE, MatchPort
from cli.terminal.console import Console
from cli.terminal.line_input import InputEvent, TypedLine
from cli.text.cards import style_for
from ginpeer.match_store import LoadedMatch, TableKeeper
from ginpeer.names.nicknames import KnownNames
from ginpeer.net.address import Address
from ginpeer.net.close_reasons import log_fault
from ginpeer.net.codes import ReplyError
from ginpeer.net.interfaces import CloseReason, PeerInfo, PlayerPort
from ginpeer.net.session import Session, Side
from ginpeer.referee.table import GUEST, HOST
from ginpeer.referee.violations import RefusedEntry
from ginpeer.rules.ruleset import STANDARD
from ginpeer.seat.seat import Options, Seat, SeedLost
from ginpeer.store import Home, KnownPeers, StoreError, UnreadableLog
from ginpeer.store.match_files import Role
from ginpeer.store.settings import change_settings, read_settings
from protocol.crypto.group import NoConstantTimeGroup, require_constant_time
from protocol.crypto.identity import IdentityKey
from protocol.frames import Position

NO_WAYS = Ways()


class OneMatch(MatchPort):
    """Everything of one sitting on this machine: its parts, and one match at a time."""

    def __init__(
        self,
        args: Namespace,
        role: Role,
        options: Options,
        wanted: Options | None = None,
        only: LoadedMatch | None = None,
        practice: bool = False,
        ways: Ways = NO_WAYS,
        as_before: str = "",
    ) -> None:
        """*wanted*: the match that a guest accepts unasked, and no others. *only*: the stored match
        to resume. *practice*: the other player is the bot in our own process. *ways*: the options
        to remember of the other player. *as_before*: what to tell our player about remembered
        options. Raises Failure."""
        self.level: int | None = getattr(args, "level", None)  # of the other player in practice
        self._plays = None if practice else own_bot(args)
        with own_faults():
            require_constant_time()
            self.home = Home.locate(args.home, os.environ)
        self.home.remember(version(), time.time)
        self.name = player_name(self.home, args.name)
        with own_faults():
            self.identity = own_identity(self.home)
        self.only = only
        self.verbose = bool(getattr(args, "verbose", False))
        self.command = own_command(args.home)
        self.likes = read_settings(self.home.path)
        self.contact = Contact(self.command)
        self._wanted = wanted
        self._options = options
        self._seat = HOST if role == "host" else GUEST
        self._ways = ways
        self._as_before = as_before
        self.sessions = Sessions()
        self._has_begun = False
        self._program = Process()
        self.reactor = self._program.reactor
        if sys.stdout is None:
            raise Failure("no-output", "There is no output to play on.")
        self.console = Console(sys.stdin, sys.stdout, self.reactor.callFromThread)
        bot = bool(getattr(args, "bot", False))
        asks = self.console.interactive and not bot
        known = None if practice else self.home.known_peers(time.time)
        self.names = self._known_names(known)
        self.presenter = self._make_presenter(listens=not bot)
        self._notices = StoredMatchNotices(self.presenter, self.command)
        self.keeper = TableKeeper(
            self.home,
            role,
            self.identity,
            name=self.name,
            options=options,
            rng=os.urandom,
            now=time.time,
            only=only,
            fresh=getattr(args, "new", True),
            checking=self._notices.checking,
            dropped=self._notices.dropped,
        )
        # Each practice is a new match, and the bot minds nothing.
        self.keeper.asks = asks and not practice
        self.other = OtherPlayer(self.keeper, self._seat, known, self.names)
        parts = MatchParts(
            self.home,
            self.command,
            self._seat,
            self.keeper,
            self.presenter,
            self.other,
            self.sessions,
            self.reactor,
        )
        matches: int | None = getattr(args, "matches", None)
        self.series = Series(parts, options, matches if asks else matches or 1)
        self.sharing = Sharing(parts, late=self._tell_late)
        self._shelved = None if practice else ShelvedMatches(parts)
        self.table: HumanTable | None = None
        if not bot:
            self.table = HumanTable(
                self.console,
                self.presenter,
                self.reactor,
                self._seat,
                self,
                wanted=wanted,
                likes=self.likes,
                known=self.names,
                partnership=ALONE if practice else self.sharing,
                practice=practice,
            )
        patience: float | None = getattr(args, "patience", 0.0)
        if patience is None and not self.console.interactive:
            patience = 0.0  # a script is told at once, and can start again by itself
        self.end = MatchEnd(
            parts,
            self._program,
            self.series,
            self._shelved,
            self.table,
            patience,
            give_up=self._give_up,
        )
        self._exit: ExitRequests = Interrupts(self.end, self.table, self.sessions)
        if args.name is not None and only is None:  # what goes on keeps the name that it has
            self.keep(name=self.name)

    def _make_presenter(self, *, listens: bool) -> Presenter:
        if not self.console.interactive:
            return ProgramPresenter(self.console)
        likes = self.likes
        return PersonPresenter(
            self.console,
            replace(style_for(sys.stdout), words=likes.words, four=likes.four_colours),
            listens=listens,
            command=self.command,
            known=self.names,
            brief=likes.brief,
        )

    def run(
        self, role: Callable[[], Coroutine[Any, Any, None]], club: ExitRequests | None = None
    ) -> int:
        """Run the reactor until this role's coroutine has ended, or the program has; return the
        exit status. *club*: ends it when our player wants that, in the place of the match.

        Raises Failure, and BrokenPipeError where nobody reads what we print.
        """
        from twisted.internet.defer import Deferred

        self._exit = club or self._exit

        def start() -> None:
            if self._as_before:
                self.presenter.info(self._as_before)
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
            self._program.run(start, self._exit, self.console.restore)
        finally:
            if self.table is not None:
                self.table.close()
            self.console.close()
            self.keeper.close()
        if isinstance(self.console.broken, OSError) and not self.console.interactive:
            raise self.console.broken  # a closed terminal, though, is a player who left
        return ENDED_EARLY if self.end.status is None else self.end.status

    async def _play(self, role: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Play this role, and end the program with it. What fails at its beginning is the
        command's failure; later, a fault of our own."""
        try:
            await role()
        except Exception as error:  # class C, of whatever kind: else the host would hang
            if not self._has_begun:
                raise
            self._program.heed(error)
            log_fault(error, _debugs())
            try:
                self.end.fail(error)
            finally:  # else, after another fault of ours, nobody would ever leave
                self.end.halt()
        else:
            self.end.halt()

    # --- what the role's coroutine asks and does --------------------------------------------

    def reach_by(self, contact: Contact) -> None:
        """Set how the two players find each other. The role's coroutine calls this once."""
        self.contact = contact

    async def end_of(self, session: Session) -> CloseReason:
        """Wait until this session is over, and return why, as our player is to read it."""
        closed = await session.done
        if self.table is not None:
            closed = self.table.end_session(closed)
        if closed.code == "declined":  # so neither player has signed a match
            with suppress(StoreError):  # then it lies there as an offer, which is nobody's match
                self.keeper.forget_offer()
        return closed

    def state(self, *, anyone_may_come: bool = False) -> MatchState:
        """Return what is known now that a session has ended, for `decide`."""
        return self.series.state(
            has_left=self._exit.has_left,
            was_over=self.keeper.was_over and not self.keeper.again,
            anyone_may_come=anyone_may_come,
            patient=self.end.patient,
        )

    def _give_up(self) -> None:
        """Stop looking for the other player, and wake the role's coroutine."""
        self.contact.stop()
        self.sessions.stop()

    def _known_names(self, known: KnownPeers | None) -> KnownNames:
        """Return what our player calls others. A program reads names as the log has them."""
        own = self.identity.public
        with suppress(StoreError):  # our player hears of it when the other one has a name
            if known is not None and self.console.interactive:
                return KnownNames(own, known.met())
        return KnownNames(own)

    # --- our player ----------------------------------------------------------------------

    def send_addresses(self) -> None:
        """Tell the other player, if connected, where we can be reached now."""
        if self.sessions.current is not None:
            self.sessions.current.send_addresses()

    def _tell_late(self, lines: Sequence[str]) -> None:
        self.presenter.info(*lines)
        if self.table is not None:
            self.table.ask_again()

    def keep(self, **what: bool | int | str) -> None:
        """Remember for the next time what our player has typed, switched on or off, or reached."""
        try:
            change_settings(self.home.path, **what)
        except StoreError as error:  # a pity; it counts this time all the same
            self.presenter.info(f"{error.sentence} ({error.code})")

    # --- asked by the table, or by the bot in our player's place (MatchPort) ------------------

    def log_path(self) -> str | None:
        return self.end.log()

    def stop_waiting(self) -> None:
        self.end.nobody_came()

    def hang_up(self) -> None:
        self._exit.hang_up()

    def name_notes(self, name: str) -> list[str]:
        return self.other.named(name)

    def on_agreement(self) -> None:
        self.sharing.agreed()
        if self._shelved is not None:
            self._shelved.agreed()

    def keep_setting(self, what: str, on: bool) -> None:
        self.keep(**{what: on})

    def on_paste(self, text: str) -> None:
        self.contact.on_paste(text)

    def accepts_more(self, text: str) -> bool:
        return self.contact.accepts_more(text)

    def hands_left(self) -> int | None:
        return None if self.keeper.live is None else self.keeper.live.hands_left()

    def on_proposal(self, rules: str) -> None:
        self.series.proposed(rules, self.table)

    def _take_typed(self, event: InputEvent) -> bool:
        """Take what is typed where a bot is the host: replies, and nothing else counts."""
        if isinstance(event, TypedLine) and (is_code(event.text) or self.accepts_more(event.text)):
            try:
                self.on_paste(event.text)
            except ReplyError as error:
                self.presenter.refused(error.code, error.sentence)
        return True

    def _player_for(self, session: Session) -> PlayerPort:
        """Return our player for a session that begins: the table of a person, or the bot. The
        role's coroutine hears of the session first."""
        self.sessions.begin(session)
        if self.table is not None:
            self.table.sit_down(session)
            return self.table
        return BotPlayer(
            session,
            self.console,
            self.presenter,
            self._seat,
            self,
            wanted=self._wanted,
            known=self.names,
            plays=self._plays,
        )

    # --- our side of the connection -------------------------------------------------------

    def side(self) -> Side:
        """Return our side of every connection with the other player."""
        return replace(
            self.side_of(self.keeper, self.identity, self._player_for, bot=self.table is None),
            seat_for=self._seat_for,
            position_for=self._position_for,
            end_for=self.keeper.end_for,
            known=self.other.known,
            joins=self._seat == GUEST,
            extensions=self._extensions,
            unfinished=lambda: self.keeper.replaces is not None,
            own_addresses=self._whereabouts,
            found_at=lambda addresses: self.contact.on_peer_addresses(addresses),
        )

    def _whereabouts(self) -> tuple[Address, ...]:
        return () if self.other.is_not_to_know() else self.contact.own_addresses()

    def side_of(
        self,
        keeper: TableKeeper,
        identity: IdentityKey,
        player_for: Callable[[Session], PlayerPort],
        *,
        bot: bool,
    ) -> Side:
        """Return somebody's side of a connection: a seat, its log, and a person or a bot."""
        return Side(
            identity=identity,
            software=f"ginpeer {version()}",
            seat_for=keeper.seat_for,
            player_for=player_for,
            journal=keeper.journal,
            position_for=keeper.position_for,
            bot=bot,
            debug=_debugs(),
            caught=self._program.heed,
        )

    def _extensions(self) -> tuple[int, ...]:
        """Return the extensions of the next connection. Only a person or a script can consent to
        sharing a log."""
        shares = () if self.table is None else self.sharing.extensions()
        return (*self.series.extensions(), *shares)

    def open_stored(self, peer: bytes) -> None:
        """Lock the match to resume, and restore its seat, before the other player is there: to
        check the proofs of many hands takes longer than a connection waits. Raises Failure."""
        with own_faults():
            self.keeper.restore_seat(peer)
        self._notices.damaged(self.keeper.damage)

    def _position_for(self, key: bytes, claimed: Position | None) -> Position | None:
        try:
            position = self.keeper.position_for(key, claimed)
        except (StoreError, UnreadableLog) as error:
            self._notices.not_stored(error)
            raise
        self._notices.damaged(self.keeper.damage)
        self._notices.missing(self.keeper.unknown_table, position)
        return position

    def _seat_for(self, peer: PeerInfo) -> Seat:
        """Return our seat opposite this player, who has just been let in: the one that waits, one
        of a stored match, or a new one. Ask our player first whether to offer a new match, if one
        is over or would be shelved."""
        self.other.peer = peer
        self.contact.on_arrival()
        hides = self.contact.hides
        hidden = None if hides is None else self.other.note_hidden(hides)
        for problem in (hidden, self.other.note_ways(self._ways)):
            if problem is not None:
                self.presenter.info(problem)
        self.end.somebody_came()
        before = self.keeper.live
        seat = self.keeper.seat_for(peer)
        if seat is not before:
            self._take_up(seat)
        elif self.table is not None:
            self.table.own(seat)
            self.table.goes_on()
        self.sharing.met(peer)
        if self.table is not None:
            besides = None if self._shelved is None else self._shelved.warning()
            asked = self.series.ask_before(self.table, besides)
            if self._shelved is not None and not asked:
                self._shelved.ask_before(self.table)
            self.table.seated()
        return seat

    def _take_up(self, seat: Seat) -> None:
        """Show our player the match of this seat, which begins or is resumed."""
        match = seat.table.match
        if self.table is not None:
            self.table.own(seat)
            self.table.take_up(seat.table)
        elif self.keeper.stored is not None and match is not None:
            self.presenter.going_on(seat.table, None)
        if match is not None:
            own_name = self.other.own_name(seat.table.names[1 - self._seat])
            if own_name:
                self.presenter.info(*own_name)
            typed = None if self._options.rules == STANDARD else self._options.rules
            if self._wanted is not None:
                typed = self._wanted.rules
            self._notices.other_rules(typed, match.rules)
        self.contact.on_match_start(self._options.rules if match is None else match.rules)


@contextmanager
def own_faults() -> Iterator[None]:
    """Turn what this machine lacks or cannot store into the command's failure."""
    try:
        yield
    except (StoreError, UnreadableLog, SeedLost, RefusedEntry, NoConstantTimeGroup) as error:
        raise Failure(error.code, str(error), OUR_FAULT) from error


def _debugs() -> bool:
    return bool(os.environ.get("GINPEER_DEBUG"))
