"""One match on this machine: the parts put together, from the first look at the home to the end.

# House rules
#
# 1. Here the parts are put together and nothing is decided: home, identity, seat, journal, session,
#    and a person or a bot. Randomness, clock and reactor enter the program here.
# 2. Whatever ends a match ends in Sitting.over, which says where the log is.
# 3. Twisted is imported, and its reactor installed, only when a match is to be played.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import repeat
from typing import Any

from cli.bot_player import BotPlayer, QuietBot
from cli.console import Console
from cli.failure import OUR_FAULT, USAGE, Failure
from cli.identity import own_identity, own_name
from cli.table import HumanTable
from cli.table_voice import PersonVoice, ProgramVoice, Voice
from cli.text import safe, style_for
from ginpeer.keeper import Stored, TableKeeper
from ginpeer.net.address import DEFAULT_PORT, Address
from ginpeer.net.invite import Invite, InviteError
from ginpeer.net.roles import Closed, PeerInfo, Player
from ginpeer.referee.table import GUEST, HOST
from ginpeer.referee.violations import Refused
from ginpeer.rules.ruleset import STANDARD
from ginpeer.seat.seat import Options, Seat, SeedLost
from ginpeer.store import Home, KnownPeers, StoreError, UnreadableLog
from ginpeer.store.journal import Role, TableJournal
from protocol.crypto.group import NoConstantTimeGroup, require_constant_time
from protocol.crypto.identity import IdentityKey, fingerprint
from protocol.frames import PAUSED, Position
from protocol.messages import Malformed, clean_name

PEER_BROKE_RULES = 1
ENDED_EARLY = 4

INTERRUPTED = 130

BOT_NAME = "Bot"
_BOT_HOME = "bot"  # the bot's own folder in ours: a player like any other, with key and logs

_LOST = frozenset({"connection-lost", "peer-silent"})
"""Ends of a session that are nobody's decision: the other player may come back."""

_NOT_THERE = frozenset(
    {
        "connection-refused",
        "connect-timeout",
        "unreachable",
        "unknown-host",
        "cannot-connect",
        "host-unreachable",
        "connection-lost",
        "greeting-timeout",
        "table-taken",  # by the connection that was lost, until the host notices
        "tls-failed",
    }
)
"""Ways not to reach a host that can be different a moment later."""


class Sitting:
    """Everything of one match on this machine, from the first look at the home to the end."""

    def __init__(
        self,
        args: Namespace,
        role: Role,
        options: Options,
        wanted: Options | None = None,
        only: Stored | None = None,
    ) -> None:
        """*wanted*: the match that a guest accepts unasked, and no others. *only*: the stored match
        that is to go on."""
        self._wanted = wanted
        self._only = only
        self._name = player_name(args.name)
        with own_faults():
            require_constant_time()
            self._home = Home.locate(args.home, os.environ)
            self._identity = own_identity(self._home)
        self._seat = HOST if role == "host" else GUEST
        self._options = options
        self._bot = bool(getattr(args, "bot", False))
        self._acquaintances: KnownPeers | None = None  # none remembers the bot
        self._keeper = TableKeeper(
            self._home,
            role,
            self._identity,
            name=self._name,
            options=options,
            rng=os.urandom,
            now=time.time,
            only=only,
            fresh=getattr(args, "new", True),
        )
        self._reactor = _install_reactor()
        if sys.stdout is None:
            raise Failure("no-output", "There is no output to play on.", OUR_FAULT)
        self._console = Console(sys.stdin, sys.stdout, self._reactor.callFromThread)
        self._voice: Voice = (
            PersonVoice(self._console, style_for(sys.stdout), listens=not self._bot)
            if self._console.interactive
            else ProgramVoice(self._console)
        )
        self._table: HumanTable | None = None if self._bot else self._human_table()
        self._leave_bot: Callable[[], None] = self._nobody_came
        self._peer: PeerInfo | None = None
        self._give_up: Callable[[], object] = lambda: None
        self._status: int | None = None
        self._practising = False
        self._stopped = False
        self._leaving = False
        self._try_again: Callable[[], None] | None = None  # what brings a lost player back
        self._patience: float | None = getattr(args, "patience", 0.0)
        if self._patience is None and not self._console.interactive:
            self._patience = 0.0  # a script is told at once, and can start again by itself
        self._deadline: Any = None
        self._away = False  # the other player's connection is lost, and the table kept

    # --- running -----------------------------------------------------------------------

    def run(self, begin: Callable[[], None]) -> int:
        """Run the reactor until the match is over; the exit status.

        Raises Failure, and BrokenPipeError where nobody reads what we print.
        """
        failed: list[BaseException] = []

        def start() -> None:
            try:
                begin()
                if self._table is not None:
                    self._table.open()
            except Exception as error:  # the reactor would swallow it; run() raises it again
                failed.append(error)
                self._reactor.stop()

        self._reactor.callWhenRunning(start)
        self._obey_signals()
        try:
            self._reactor.run(installSignalHandlers=False)  # they are ours
        finally:
            self._console.close()
            self._keeper.close()
        if failed:
            raise failed[0]
        if isinstance(self._console.broken, OSError) and not self._console.interactive:
            raise self._console.broken  # a closed terminal, though, is a player who left
        return ENDED_EARLY if self._status is None else self._status

    def stop(self, code: str, sentence: str) -> None:
        """End without a match: nobody came, or there was no way to the host."""
        if self._stopped:
            return
        self._stopped = True
        self._give_up()
        self._voice.ended(code, sentence, ENDED_EARLY, None)
        self._halt()

    def _nobody_came(self) -> None:
        if self._keeper.live is None:
            self.stop("left", "Nothing was played.")
        else:
            self._stop_waiting("left", "You left the table; the log is kept.")

    def over(self, closed: Closed) -> bool:
        """The session has ended: say how, and where the log is; or, where only the connection is
        lost, that the table is kept. Whether it is."""
        self._away = self._waits_after(closed)
        if self._away:
            self._voice.away(self._other_name(), closed.sentence)
            if self._deadline is None and self._patience is not None:
                self._deadline = self._reactor.callLater(
                    self._patience, self._stop_waiting, closed.code, closed.sentence
                )
            return True
        self._say_the_end(closed)
        return False

    def _waits_after(self, closed: Closed) -> bool:
        """Whether the other player may come back to this table in this run of the program."""
        seat = self._keeper.live
        return (
            closed.code in _LOST
            and not self._leaving
            and self._try_again is not None
            and self._patience != 0
            and seat is not None
            and seat.can_go_on()
        )

    def _other_name(self) -> str:
        names = ("", "") if self._keeper.live is None else self._keeper.live.table.names
        return safe(names[1 - self._seat])

    def _stop_waiting(self, code: str, sentence: str) -> None:
        """The other player has not come back, or ours has got up meanwhile."""
        self._deadline = None
        if self._status is None:
            self._say_the_end(Closed(code, sentence))  # first: an attempt given up must not end it
            self._give_up()
            self._halt()

    def _ended(self, _: object) -> None:
        """A session is over and its connection gone."""
        if self._away and self._try_again is not None:
            self._try_again()
        elif not self._practising:
            self._halt()

    def _say_the_end(self, closed: Closed) -> None:
        self._status = _status_of(closed)
        sentence = closed.sentence
        log = None if closed.code == "declined" else self._log()  # it holds an offer alone
        if closed.code == "rules-unsupported":
            sentence = (
                "The host offers rules that this version of ginpeer cannot play. "
                f"{sentence} Ask for other rules, or for the host's version of ginpeer."
            )
        if closed.failure == "B":
            sentence = f"The other player broke the rules: {sentence} The match stops here."
            log = self._evidence() or log
        self._voice.ended(closed.code, sentence, self._status, log, self._resumable())

    def _resumable(self) -> str | None:
        """The short name of a match that can go on another time."""
        journal, seat = self._keeper.stored, self._keeper.live
        if journal is None or seat is None or self._try_again is None:
            return None
        return journal.path.stem[:6] if seat.can_go_on() and not self._evidence() else None

    def _halt(self) -> None:
        if self._deadline is not None and self._deadline.active():
            self._deadline.cancel()
        if self._reactor.running:
            self._reactor.stop()

    def _obey_signals(self) -> None:
        """Ctrl-C asks a person; a bot, and whoever is told to end or loses the terminal, leaves."""

        def told_to_leave(number: int, _: object) -> None:
            call = self._interrupt if number == signal.SIGINT else self._leave
            self._reactor.callFromThread(call)

        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            # nohup, and shells that start us in the background, want some of them ignored
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, told_to_leave)
        if sys.platform == "win32":
            self._stay_wakeful()

    def _stay_wakeful(self) -> None:
        """Windows does not interrupt a select() for Ctrl-C; so it never lasts long."""
        self._reactor.callLater(0.2, self._stay_wakeful)

    def _interrupt(self) -> None:
        if self._leaving or (self._table is not None and self._table.leaving):
            self._status = INTERRUPTED
            self._halt()
        elif self._table is not None:
            self._table.interrupt()
        else:
            self._leave()

    def _leave(self) -> None:
        self._leaving = True
        if self._table is not None:
            self._table.leave()
        elif self._away:
            self._nobody_came()
        else:
            self._leave_bot()

    # --- three ways to begin -----------------------------------------------------------

    def practise(self) -> None:
        """Seat the bot opposite."""
        from twisted.internet.defer import DeferredList

        from ginpeer.net.local import sit_down

        self._practising = True
        home = Home(self._home.path / _BOT_HOME)
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
            fresh=True,
        )
        bots_side = self._side_of(identity, keeper.seat_for, QuietBot, keeper.journal, None)
        our_side = self._side(known=None)
        mine, bots = sit_down(our_side, bots_side, self._reactor)
        if self._table is not None:
            self._table.sit_down(mine)
        both = DeferredList([mine.done, bots.done])

        def ended(_: object) -> None:
            keeper.close()
            self._halt()

        both.addCallback(ended)

    def wait_for_guest(self, address: Address | None, advertise: tuple[Address, ...]) -> None:
        """Listen, print the invite, and play with who comes."""
        from ginpeer.net.host import ListenError, listen

        expected = set()
        if self._only is not None:
            expected = {self._only.notes.peer}
            self._open_stored(self._only.notes.peer)
        try:
            listening = listen(
                self._reactor,
                self._side(self._home.known_peers(time.time)),
                os.urandom(16),
                address=address,
                advertise=advertise,
                expected=expected,
                nobody_else=self._only is not None,
            )
        except (ListenError, InviteError) as error:
            raise Failure(error.code, error.sentence, USAGE) from error
        self._give_up = listening.stop
        self._console.print(f"invite: {listening.invite}", whole=True)
        if address is None and listening.port != DEFAULT_PORT:
            self._voice.info(
                f"Another program has port {DEFAULT_PORT}, so this game waits at port "
                f"{listening.port}. Where a router forwards a port to you, it has to be this one."
            )
        addresses = ", ".join(map(str, listening.addresses))
        self._voice.begin_waiting(addresses, fingerprint(self._identity.public))

        self._try_again = lambda: None  # the door stays open, and the guest is expected

    def follow(self, invite: Invite, *, persistent: bool = False) -> None:
        """Go to the host that the invite names; *persistent*: until it is there."""
        from ginpeer.net.join import JoinError, join

        self._open_stored(invite.host_key)
        side = self._side(self._home.known_peers(time.time))
        pauses = _pauses()
        told = False

        def go() -> None:
            coming = join(self._reactor, invite, side)
            self._give_up = coming.cancel
            coming.addCallbacks(came, failed)

        def came(session: Any) -> None:
            nonlocal pauses
            pauses = _pauses()
            self._give_up = lambda: None

        def failed(failure: Any) -> None:
            self._give_up = lambda: None
            error = failure.value
            if self._stopped or self._status is not None:
                return
            if not isinstance(error, JoinError):
                self.stop("internal-error", "This program failed before the match began.")
            elif (persistent or self._keeper.live is not None) and error.code in _NOT_THERE:
                tell_once()
                later()
            elif self._keeper.live is not None:
                self._stop_waiting(error.code, error.sentence)
            else:
                self.stop(error.code, error.sentence)

        def tell_once() -> None:
            nonlocal told
            if self._keeper.live is None and not told:  # else the table has said that it waits
                self._voice.info(
                    "The host is not there yet; trying again until you type quit. Where it has a "
                    "new invite, quit, and ginpeer join with that goes on."
                )
            told = True

        def later() -> None:
            call = self._reactor.callLater(next(pauses), go)
            self._give_up = lambda: call.cancel() if call.active() else None

        self._voice.begin_joining(
            ", ".join(map(str, invite.addresses)), fingerprint(invite.host_key)
        )
        self._try_again = later
        go()

    def _open_stored(self, peer: bytes) -> None:
        """Lock the match that is to go on, and put its seat back, before the other player is there:
        the proofs of many hands take longer than a connection waits. Raises Failure."""
        with own_faults():
            self._keeper.put_back(peer)

    # --- the parts ---------------------------------------------------------------------

    def _human_table(self) -> HumanTable:
        return HumanTable(
            self._console,
            self._voice,
            self._reactor,
            self._seat,
            log=self._log,
            stop=self._nobody_came,
            named=self._named,
            over=self.over,
            wanted=self._wanted,
        )

    def _side(self, known: KnownPeers | None) -> Any:
        self._acquaintances = known
        return self._side_of(
            self._identity,
            self._our_seat,
            self._our_player,
            self._keeper.journal,
            known,
            self._position_for,
        )

    def _side_of(
        self,
        identity: IdentityKey,
        seat_for: Callable[[PeerInfo], Seat],
        player_for: Callable[[Any], Player],
        journal: TableJournal,
        known: KnownPeers | None,
        position_for: Callable[[bytes, Position | None], Position | None] | None = None,
    ) -> Any:
        from cli.version import version
        from ginpeer.net.session import Side

        return Side(
            identity=identity,
            software=f"ginpeer {version()}",
            seat_for=seat_for,
            player_for=player_for,
            journal=journal,
            known=known,
            position_for=position_for or (lambda key, claimed: None),
            debug=bool(os.environ.get("GINPEER_DEBUG")),
        )

    def _position_for(self, key: bytes, claimed: Position | None) -> Position | None:
        try:
            return self._keeper.position_for(key, claimed)
        except (StoreError, UnreadableLog) as error:  # the other side is told nothing of it
            self._voice.info(f"{error.sentence} ({error.code})")
            raise

    def _our_seat(self, peer: PeerInfo) -> Seat:
        self._peer = peer
        if self._deadline is not None and self._deadline.active():
            self._deadline.cancel()
        self._deadline = None
        self._away = False
        before = self._keeper.live
        seat = self._keeper.seat_for(peer)
        taken_up = seat is not before
        if self._table is not None:
            self._table.own(seat)
            if taken_up:
                self._table.take_up(seat.table)
        elif self._keeper.stored is not None and taken_up and seat.table.match is not None:
            self._voice.going_on(seat.table, None)
        if taken_up:
            self._tell_of_other_rules(seat)
        return seat

    def _tell_of_other_rules(self, seat: Seat) -> None:
        """A host that has typed rules, and finds the match of other rules going on."""
        match, typed = seat.table.match, self._options.rules
        if match is not None and typed not in (STANDARD, match.rules):
            self._voice.info(
                "It keeps the rules that it was begun with; ginpeer host --new begins another."
            )

    def _our_player(self, session: Any) -> Player:
        session.done.addCallback(self._ended)
        if self._table is not None:
            self._table.sit_down(session)
            return self._table
        self._leave_bot = session.leave
        return BotPlayer(
            session,
            self._console,
            self._voice,
            self._seat,
            named=self._named,
            over=self.over,
            wanted=self._wanted,
        )

    def _named(self, name: str) -> list[str]:
        """Remember what the other player is called; a warning if another key was called so."""
        peer, known = self._peer, self._acquaintances
        if peer is None or known is None:
            return []
        try:
            others = [other for other in known.named(name) if other.key != peer.key]
            known.remember(peer.key, peer.address, name)
        except StoreError as error:
            return [f"{error.sentence} ({error.code})"]  # a pity, and no reason to stop a match
        if not others:
            return []
        return [
            f"Careful: you have met another key under the name {safe(name)}, "
            f"{fingerprint(others[0].key)}. Now it is {peer.fingerprint}. Ask your friend which "
            "is right."
        ]

    def _log(self) -> str | None:
        journal = self._keeper.stored
        return None if journal is None else str(journal.path)

    def _evidence(self) -> str | None:
        """The log that ends with the other player's illegal entry."""
        journal = self._keeper.stored
        if journal is None:
            return None
        stored = [match for match in self._home.logs() if match.path == journal.path]
        evidence = self._home.evidence(stored[0]) if stored else ()
        return str(evidence[0]) if evidence else None


def _pauses() -> Iterator[float]:
    """Seconds between attempts to reach a host again."""
    yield from (1.0, 2.0, 4.0, 8.0, 15.0)
    yield from repeat(30.0)


@contextmanager
def own_faults() -> Iterator[None]:
    """What this machine lacks or cannot store, as the command's failure."""
    try:
        yield
    except (StoreError, UnreadableLog, SeedLost, Refused, NoConstantTimeGroup) as error:
        raise Failure(error.code, str(error), OUR_FAULT) from error


def _status_of(closed: Closed) -> int:
    if closed.code in ("finished", PAUSED):
        return 0
    if closed.failure == "B":
        return PEER_BROKE_RULES
    return OUR_FAULT if closed.failure == "C" else ENDED_EARLY


def _install_reactor() -> Any:
    """Twisted's asyncio reactor, on a selector loop: the one that it can use on every system."""
    from twisted.internet import asyncioreactor
    from twisted.internet.error import ReactorAlreadyInstalledError
    from twisted.logger import globalLogBeginner, textFileLogObserver

    try:
        asyncioreactor.install(asyncio.SelectorEventLoop())  # type: ignore[no-untyped-call]
    except ReactorAlreadyInstalledError:
        pass
    else:
        # Without a beginning, Twisted prints every critical event with its traceback.
        debug = os.environ.get("GINPEER_DEBUG") and sys.stderr is not None
        observers: list[Any] = [textFileLogObserver(sys.stderr)] if debug else []
        globalLogBeginner.beginLoggingTo(observers, redirectStandardIO=False, discardBuffer=True)
    from twisted.internet import reactor

    return reactor


def player_name(given: str | None) -> str:
    """The name to play under: as given, else that of the user of this machine."""
    if given is None:
        return own_name()
    try:
        return clean_name(given)
    except Malformed as error:
        raise Failure("bad-name", f"That name cannot be used: {error}.", USAGE) from error
