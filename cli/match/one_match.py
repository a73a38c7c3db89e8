"""One match on this machine: the parts put together, and what the network asks of them.

# House rules
#
# 1. Here the parts are put together and nothing is decided: home, identity, seat, journal, session,
#    and a person or a bot. Randomness, clock and reactor enter the program here.
# 2. How it begins is said in hosting.py, joining.py and practice.py, how it ends in ending.py.
# 3. Twisted is imported, and its reactor installed, only when a match is to be played.
"""

from __future__ import annotations

import os
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from cli.failure import OUR_FAULT, Failure
from cli.match.bot_player import BotPlayer
from cli.match.bots_level import own_bot
from cli.match.ending import ENDED_EARLY, Ending
from cli.match.evening import Evening
from cli.match.identity import own_identity, player_name
from cli.match.interrupts import Interrupts, Leaving
from cli.match.other_player import OtherPlayer, Ways
from cli.match.process import Process
from cli.match.put_aside import PutAside
from cli.match.sharing import Sharing
from cli.match.stored_match_notices import Notices
from cli.program import own_command, version
from cli.table.parse import is_code
from cli.table.partnership import ALONE
from cli.table.person_voice import PersonVoice
from cli.table.program_voice import ProgramVoice
from cli.table.table import HumanTable, no_reply_here
from cli.table.voice import Voice
from cli.terminal.console import Console
from cli.terminal.line_input import InputEvent, TypedLine
from cli.text.cards import style_for
from ginpeer.keeper import Stored, TableKeeper
from ginpeer.names.nicknames import KnownNames
from ginpeer.net.address import Address
from ginpeer.net.interfaces import PeerInfo, Player
from ginpeer.net.own_faults import fault_of
from ginpeer.net.reply import ReplyError
from ginpeer.net.session import Session, Side
from ginpeer.referee.table import GUEST, HOST
from ginpeer.referee.violations import Refused
from ginpeer.rules.ruleset import STANDARD, RuleSet
from ginpeer.seat.seat import Options, Seat, SeedLost
from ginpeer.store import Home, KnownPeers, StoreError, UnreadableLog
from ginpeer.store.journal import Role
from ginpeer.store.settings import change_settings, read_settings
from protocol.crypto.group import NoConstantTimeGroup, require_constant_time
from protocol.crypto.identity import IdentityKey
from protocol.frames import Position


class OneMatch:
    """Everything of one match on this machine, from the first look at the home to the end.

    ``pasted`` gets a guest's reply, and ``goes_on`` says whether a line is more of one; whoever
    begins the match as its host sets both; ``begins`` is told by which rules it is played, before
    the first of them."""

    def __init__(
        self,
        args: Namespace,
        role: Role,
        options: Options,
        wanted: Options | None = None,
        only: Stored | None = None,
        practice: bool = False,
    ) -> None:
        """*wanted*: the match that a guest accepts unasked, and no others. *only*: the stored match
        that is to go on. *practice*: the other player is the bot in our own process. Raises
        Failure."""
        self.level: int | None = getattr(args, "level", None)  # of the other player in practice
        self._plays = None if practice else own_bot(args)
        with own_faults():
            require_constant_time()
            self.home = Home.locate(args.home, os.environ)
        self.home.remember(version(), time.time)
        name = self.name = player_name(self.home, args.name)
        with own_faults():
            self.identity = own_identity(self.home)
        self.only = only
        self.verbose = bool(getattr(args, "verbose", False))
        self._wanted = wanted
        self._options = options
        self._seat = HOST if role == "host" else GUEST
        self._practice = practice
        self._session: Session | None = None  # the one that lasts, or was the last
        self.whereabouts: Callable[[], tuple[Address, ...]] = tuple  # of ours, as a friend is told
        self.found_at: Callable[[tuple[Address, ...]], None] = lambda addresses: None  # the friend
        self.hides: str | None = None  # to be noted of the other player (cli.match.hidden)
        self.ways = Ways()  # the same
        self.as_before = ""  # what to tell our player about remembered options
        self.keeper = TableKeeper(
            self.home,
            role,
            self.identity,
            name=name,
            options=options,
            rng=os.urandom,
            now=time.time,
            only=only,
            fresh=getattr(args, "new", True),
            checking=lambda hands: self._notices.checking(hands),
            dropped=lambda: self._notices.dropped(),
        )
        self._program = Process(self._end_for_memory)
        self.reactor = self._program.reactor
        if sys.stdout is None:
            raise Failure("no-output", "There is no output to play on.", OUR_FAULT)
        self.console = Console(sys.stdin, sys.stdout, self.reactor.callFromThread)
        bot = bool(getattr(args, "bot", False))
        command = self.command = own_command(args.home, os.environ)
        likes = self.likes = read_settings(self.home.path)
        known = None if practice else self.home.known_peers(time.time)
        self.names = self._known_names(known)
        self.voice: Voice = (
            PersonVoice(
                self.console,
                replace(style_for(sys.stdout), words=likes.words, four=likes.four_colours),
                listens=not bot,
                command=command,
                known=self.names,
                brief=likes.brief,
            )
            if self.console.interactive
            else ProgramVoice(self.console)
        )
        # Each practice is a new match, and the bot minds nothing.
        self.keeper.asks = self.console.interactive and not bot and not practice
        resume = f"{command} resume"
        self._notices = Notices(self.voice, command)
        self.other = OtherPlayer(self.keeper, self._seat, known, self.names)
        matches: int | None = getattr(args, "matches", None)
        if matches is None and (bot or not self.console.interactive):
            matches = 1
        self.evening = Evening(
            self.keeper,
            self.voice,
            self._seat,
            options,
            matches,
            name=lambda: self.other.name("The"),
            session=lambda: self._session,
            clock=self.reactor,
        )
        self.sharing = Sharing(
            self.home,
            command,
            log=lambda: None if self.keeper.stored is None else self.keeper.stored.path,
            name=lambda: self.other.name("The"),
            session=lambda: self._session,
            trouble=lambda sentence: self.voice.info(sentence),
            clock=self.reactor,
            late=self._tell_late,
        )
        self._aside = (
            None
            if practice
            else PutAside(
                self.home,
                self.keeper,
                self.voice,
                self._seat,
                resume,
                lambda: self._session,
                self.names,
            )
        )
        patience: float | None = getattr(args, "patience", 0.0)
        if patience is None and not self.console.interactive:
            patience = 0.0  # a script is told at once, and can start again by itself
        self.ending = Ending(
            self._program,
            self.home,
            self.keeper,
            self.voice,
            self.other,
            self._aside,
            patience,
            has_left=lambda: self.leaving.has_left,
            command=command,
            hosts=self._seat == HOST,
        )
        if args.name is not None and only is None:  # what goes on keeps the name that it has
            self._keep_name(name)
        self.table: HumanTable | None = None if bot else self._human_table()
        self.ending.table = self.table
        if not practice:
            self.ending.evening = self.evening
        self.pasted = self._no_reply = no_reply_here(command)
        self.begins: Callable[[RuleSet], None] = lambda rules: None
        self.arrives: Callable[[], None] = lambda: None  # the other player, before being seated
        self.goes_on: Callable[[str], bool] = lambda text: False
        self.leaving: Leaving = Interrupts(self.ending, self.table, lambda: self._session)

    def run(self, begin: Callable[[], None]) -> int:
        """Run the reactor until the match is over; the exit status.

        Raises Failure, and BrokenPipeError where nobody reads what we print.
        """

        def start() -> None:
            if self.as_before:
                self.voice.info(self.as_before)
            begin()
            if self.table is not None:
                self.table.open()
            elif self.pasted is not self._no_reply and self.console.in_foreground:
                self.console.start(self._take_typed, lambda: None, keeps=lambda reply: False)

        leaving = self.leaving
        try:
            self._program.run(
                start,
                interrupt=leaving.interrupt,
                leave=leaving.leave,
                hang_up=leaving.hang_up,
                restore=self.console.restore,
            )
            if self.ending.status is None and self._program.reserve.gone:
                self.ending.say(fault_of(MemoryError()))  # the event loop has ended before it could
        finally:
            if self.table is not None:
                self.table.close()
            self.console.close()
            self.keeper.close()
        if isinstance(self.console.broken, OSError) and not self.console.interactive:
            raise self.console.broken  # a closed terminal, though, is a player who left
        return ENDED_EARLY if self.ending.status is None else self.ending.status

    def _end_for_memory(self) -> None:
        """As for every fault of our own; the other player hears nothing more."""
        if self._session is not None and not self._session.done.called:
            self._session.fault(MemoryError())
        elif self.ending.status is None:
            self.ending.say(fault_of(MemoryError()))
            self.ending.halt()

    def _known_names(self, known: KnownPeers | None) -> KnownNames:
        """What our player calls others. A program reads them as the log has them."""
        own = self.identity.public
        if known is None or not self.console.interactive:
            return KnownNames(own)
        try:
            return KnownNames(own, known.met())
        except StoreError:
            return KnownNames(own)  # which is told when the other player has a name

    # --- our player ----------------------------------------------------------------------

    def tell_whereabouts(self) -> None:
        """Where we can be reached is news: whoever sits at the table is told."""
        if self._session is not None:
            self._session.tell_whereabouts()

    def _tell_late(self, lines: Sequence[str]) -> None:
        self.voice.info(*lines)
        if self.table is not None:
            self.table.ask_again()

    def _human_table(self) -> HumanTable:
        return HumanTable(
            self.console,
            self.voice,
            self.reactor,
            self._seat,
            log=self.ending.log,
            stop=self.ending.nobody_came,
            hang_up=lambda: self.leaving.hang_up(),
            named=self.other.named,
            over=self.ending.over,
            agreed=self._agreed,
            wanted=self._wanted,
            likes=self.likes,
            switched=lambda what, on: self.keep(**{what: on}),
            pasted=lambda text: self.pasted(text),
            goes_on=lambda text: self.goes_on(text),
            hands_left=self._hands_left,
            known=self.names,
            proposed=lambda rules: self.evening.proposed(rules, self.table),
            partnership=ALONE if self._practice else self.sharing,
            practice=self._practice,
        )

    def _take_typed(self, event: InputEvent) -> bool:
        """What is typed where a bot is the host: replies, and nothing else counts."""
        if isinstance(event, TypedLine) and (is_code(event.text) or self.goes_on(event.text)):
            try:
                self.pasted(event.text)
            except ReplyError as error:
                self.voice.refused(error.code, error.sentence)
        return True

    def _player_for(self, session: Session) -> Player:
        self._session = session
        if not self._practice:  # which ends with both of its sessions
            session.done.addCallback(lambda _: self.ending.gone())
        if self.table is not None:
            self.table.sit_down(session)
            return self.table
        return BotPlayer(
            session,
            self.console,
            self.voice,
            self._seat,
            named=self.other.named,
            over=self.ending.over,
            agreed=self._agreed,
            wanted=self._wanted,
            hands_left=self._hands_left,
            known=self.names,
            plays=self._plays,
        )

    def _agreed(self) -> None:
        self.sharing.agreed()
        if self._aside is not None:
            self._aside.agreed()

    def _keep_name(self, name: str) -> None:
        """For the next time."""
        try:
            change_settings(self.home.path, name=name)
        except StoreError as error:  # a pity; this match has it all the same
            self.voice.info(f"{error.sentence} ({error.code})")

    def keep(self, **what: bool | int) -> None:
        """For the next time, what our player has switched on or off, or come to."""
        try:
            change_settings(self.home.path, **what)
        except StoreError as error:  # a pity; it is switched all the same
            self.voice.info(f"{error.sentence} ({error.code})")

    def _hands_left(self) -> int | None:
        """Once the log is nearly full: for about how many more hands there is room."""
        return None if self.keeper.live is None else self.keeper.live.hands_left()

    # --- our side of the connection -------------------------------------------------------

    def side(self) -> Side:
        """What we bring to the table."""
        return replace(
            self.side_of(self.keeper, self.identity, self._player_for, bot=self.table is None),
            seat_for=self._seat_for,
            position_for=self._position_for,
            end_for=self.keeper.end_for,
            known=self.other.known,
            joins=self._seat == GUEST,
            extensions=self._extensions,
            unfinished=lambda: self.keeper.replaces is not None,
            whereabouts=lambda: () if self.other.is_not_to_know() else self.whereabouts(),
            found_at=lambda addresses: self.found_at(addresses),
        )

    def side_of(
        self,
        keeper: TableKeeper,
        identity: IdentityKey,
        player_for: Callable[[Session], Player],
        *,
        bot: bool,
    ) -> Side:
        """What somebody in this process brings: a seat, its log, and a player or a bot."""
        return Side(
            identity=identity,
            software=f"ginpeer {version()}",
            seat_for=keeper.seat_for,
            player_for=player_for,
            journal=keeper.journal,
            position_for=keeper.position_for,
            bot=bot,
            debug=bool(os.environ.get("GINPEER_DEBUG")),
            caught=self._program.reserve.heed,
        )

    def _extensions(self) -> tuple[int, ...]:
        """What we speak on the next connection; only a person, or a script, consents."""
        shares = () if self.table is None else self.sharing.extensions()
        return (*self.evening.extensions(), *shares)

    def open_stored(self, peer: bytes) -> None:
        """Lock the match that is to go on, and put its seat back, before the other player is there:
        the proofs of many hands take longer than a connection waits. Raises Failure."""
        with own_faults():
            self.keeper.put_back(peer)
        self._notices.damaged(self.keeper.passed_over)

    def _position_for(self, key: bytes, claimed: Position | None) -> Position | None:
        try:
            position = self.keeper.position_for(key, claimed)
        except (StoreError, UnreadableLog) as error:
            self._notices.not_stored(error)
            raise
        self._notices.damaged(self.keeper.passed_over)
        self._notices.missing(self.keeper.missing, position)
        return position

    def _seat_for(self, peer: PeerInfo) -> Seat:
        self.other.peer = peer
        self.arrives()
        hidden = None if self.hides is None else self.other.note_hidden(self.hides)
        for problem in (hidden, self.other.note_ways(self.ways)):
            if problem is not None:
                self.voice.info(problem)
        self.ending.somebody_came()
        before = self.keeper.live
        seat = self.keeper.seat_for(peer)
        if seat is not before:
            self._take_up(seat)
        elif self.table is not None:
            self.table.own(seat)
            self.table.goes_on()
        self.sharing.met(peer)
        if self.table is not None:
            besides = None if self._aside is None else self._aside.warning()
            asked = self.evening.ask_before(self.table, besides)
            if self._aside is not None and not asked:
                self._aside.ask_before(self.table)
            self.table.seated()
        return seat

    def _take_up(self, seat: Seat) -> None:
        """The match of this seat begins here, or goes on."""
        match = seat.table.match
        if self.table is not None:
            self.table.own(seat)
            self.table.take_up(seat.table)
        elif self.keeper.stored is not None and match is not None:
            self.voice.going_on(seat.table, None)
        if match is not None:
            own_name = self.other.own_name(seat.table.names[1 - self._seat])
            if own_name:
                self.voice.info(*own_name)
            typed = None if self._options.rules == STANDARD else self._options.rules
            if self._wanted is not None:
                typed = self._wanted.rules
            self._notices.other_rules(typed, match.rules)
        self.begins(self._options.rules if match is None else match.rules)


@contextmanager
def own_faults() -> Iterator[None]:
    """What this machine lacks or cannot store, as the command's failure."""
    try:
        yield
    except (StoreError, UnreadableLog, SeedLost, Refused, NoConstantTimeGroup) as error:
        raise Failure(error.code, str(error), OUR_FAULT) from error
