"""One match on this machine: the parts put together, from the first look at the home to the end.

# House rules
#
# 1. Here the parts are put together and nothing is decided: home, identity, seat, journal, session,
#    and a person or a bot. Randomness, clock and reactor enter the program here.
# 2. Whatever ends a match ends in Sitting.over, which says where the log is.
# 3. Twisted is imported, and its reactor installed, only when a match is to be played.
"""

from __future__ import annotations

import os
import shlex
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from cli.commands.id import own_identity, own_name
from cli.failure import OUR_FAULT, USAGE, Failure
from cli.match.bot_player import BotPlayer, QuietBot
from cli.match.following import Following
from cli.match.memory import Reserve
from cli.match.patience import AT_ONCE, Absence
from cli.match.reactor import install_reactor, obey_signals
from cli.table.person import PersonVoice
from cli.table.program import ProgramVoice
from cli.table.table import HumanTable
from cli.table.voice import Voice
from cli.terminal.console import Console
from cli.words.cards import style_for
from cli.words.put_aside import (
    declined_for,
    guest_is_asked,
    host_is_asked,
    is_put_aside,
    lie_aside,
    missing_here,
    short_name,
    stays_as_it_is,
)
from ginpeer.keeper import Stored, TableKeeper, accepted, aside, stored_matches
from ginpeer.names.shown import display_names, in_marks, safe
from ginpeer.net.address import DEFAULT_PORT, LOOPBACK, Address
from ginpeer.net.invite import Invite, InviteError
from ginpeer.net.roles import Closed, PeerInfo, Player
from ginpeer.net.session import fault_of
from ginpeer.referee.table import GUEST, HOST
from ginpeer.referee.violations import Refused
from ginpeer.rules.ruleset import STANDARD
from ginpeer.seat.seat import Options, Seat, SeedLost
from ginpeer.store import Home, KnownPeers, StoreError, UnreadableLog
from ginpeer.store.journal import Role, TableJournal
from ginpeer.store.settings import Settings, read_settings, write_settings
from protocol.crypto.group import NoConstantTimeGroup, require_constant_time
from protocol.crypto.identity import IdentityKey, fingerprint
from protocol.frames import PAUSED, Goodbye, Position
from protocol.messages import Malformed, clean_name

PEER_BROKE_RULES = 1
ENDED_EARLY = 4

INTERRUPTED = 130

_MANY_HANDS = 3
"""Hands whose proofs are not verified again in the blink of an eye."""

BOT_NAME = "Bot"
_BOT_HOME = "bot"  # the bot's own folder in ours: a player like any other, with key and logs

_LOST = frozenset(
    {
        "connection-lost",
        "peer-silent",
        "peer-not-reading",
        "log-withheld",  # by a peer that may come back with the right files
    }
    | AT_ONCE
)
"""Ends of a session after which the other player may come back, and nobody has left."""


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
        self._verbose = bool(getattr(args, "verbose", False))
        self._bot = bool(getattr(args, "bot", False))
        self._acquaintances: KnownPeers | None = None  # none remembers the bot
        self._told_of: StoreError | None = None
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
            checking=self._say_checking,
            dropped=self._say_dropped,
        )
        self._reactor = install_reactor()
        self._reserve = Reserve(self._out_of_memory)
        self._session: Any = None  # the one that lasts, or was the last
        if sys.stdout is None:
            raise Failure("no-output", "There is no output to play on.", OUR_FAULT)
        self._console = Console(sys.stdin, sys.stdout, self._reactor.callFromThread)
        self._voice: Voice = (
            PersonVoice(
                self._console,
                replace(style_for(sys.stdout), words=read_settings(self._home.path).words),
                listens=not self._bot,
                command=command_for(args.home, os.environ),
            )
            if self._console.interactive
            else ProgramVoice(self._console)
        )
        self._keeper.asks = self._console.interactive and not self._bot
        self._resume = f"{command_for(args.home, os.environ)} resume"
        self._told_missing: bytes | None = None
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
        self._absence = Absence(
            self._reactor,
            self._patience,
            remind=lambda minutes: self._voice.still_away(self._other_name("The"), minutes),
            give_up=self._stop_waiting,
        )

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
        obey_signals(self._reactor, self._interrupt, self._leave, self._hang_up, self._reserve.heed)
        self._reserve.watch(self._reactor)
        try:
            self._reactor.run(installSignalHandlers=False)  # they are ours
        except MemoryError as error:  # in the middle of the event loop, which has ended by that
            self._reserve.heed(error)
            self._end_for_memory()
        finally:
            self._reserve.close()
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
            self._stop_waiting(Closed("left", "You left the table; the log is kept."))

    def over(self, closed: Closed) -> bool:
        """The session has ended: say how, and where the log is; or, where only the connection is
        lost, that the table is kept. Whether it is."""
        if self._reserve.gone and closed.failure != "B":  # whatever came of it
            closed = fault_of(MemoryError())
        if self._waits_after(closed):
            seat = self._keeper.live
            resumable = seat is not None and seat.can_go_on()
            self._voice.away(self._other_name(), closed.sentence, resumable=resumable)
            self._absence.begin(closed)
            return True
        self._say_the_end(closed)
        return False

    def _waits_after(self, closed: Closed) -> bool:
        """Whether the other player may come back to this table in this run of the program."""
        seat = self._keeper.live
        left = self._leaving or (self._table is not None and self._table.leaving)
        return (
            closed.code in _LOST
            and not left
            and self._try_again is not None
            and (self._patience != 0 or closed.code in AT_ONCE)
            and seat is not None
            and seat.can_come_back()
        )

    def _other_name(self, the: str = "the") -> str:
        """Of the player opposite, as the log has it; before there is one, as we know the key."""
        table = None if self._keeper.live is None else self._keeper.live.table
        if table is not None and (table.offer, table.accept)[1 - self._seat] is not None:
            return display_names(table.names)[1 - self._seat]
        known = None if self._peer is None else self._peer.known_as
        return f"{the} other player" if known is None else safe(known)

    def _stop_waiting(self, closed: Closed) -> None:
        """The other player has not come back, or ours has got up meanwhile."""
        self._absence.end()
        if self._status is None:
            self._say_the_end(closed)  # first: an attempt given up must not end it
            self._give_up()
            self._halt()

    def _ended(self, _: object) -> None:
        """A session is over and its connection gone."""
        if self._absence.lasts and self._try_again is not None:
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
        if closed.code == "seed-lost":
            sentence = f"{sentence} Instead, the host can begin a new one with ginpeer host --new."
        if closed.failure == "B":
            sentence = f"The other player broke the rules: {sentence} The match stops here."
            log = self._evidence() or log
        self._keeper.note_closing(closed.code)
        self._account_for_those_aside(closed)
        self._voice.ended(closed.code, sentence, self._status, log, self._resumable())

    def _resumable(self) -> str | None:
        """The short name of a match that can go on another time."""
        journal, seat = self._keeper.stored, self._keeper.live
        if journal is None or seat is None:
            return None
        return journal.path.stem[:6] if seat.can_go_on() and not self._evidence() else None

    def _out_of_memory(self) -> None:
        """Somebody has noticed that there is none left, maybe not the session: it ends next."""
        self._reactor.callLater(0, self._end_for_memory)

    def _end_for_memory(self) -> None:
        """As for every fault of our own; the other player hears nothing more."""
        if self._session is not None and not self._session.done.called:
            self._session.fault(MemoryError())
        elif self._status is None:
            self._say_the_end(fault_of(MemoryError()))
            self._halt()

    def _halt(self) -> None:
        self._absence.end()
        if self._reactor.running:
            self._reactor.stop()

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
        elif self._absence.lasts:
            self._nobody_came()
        else:
            self._leave_bot()

    def _hang_up(self) -> None:
        """The terminal is gone. That is no word to the other player, whose table waits."""
        self._leaving = True
        if self._session is not None and self._session.ending is None:
            self._session.cut(Closed("hung-up", "The terminal was closed; the log is kept."))
        else:
            self._leave()

    # --- three ways to begin -----------------------------------------------------------

    def practise(self) -> None:
        """Seat the bot opposite."""
        from twisted.internet.defer import DeferredList

        from ginpeer.net.local import sit_down

        self._practising = True
        self._keeper.asks = False  # each practice is a new one, and the bot minds nothing
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
            only=None if self._only is None else _bots_side_of(home, self._only),
            fresh=self._only is None,
        )
        if self._only is not None:
            self._open_stored(identity.public)
        bots_side = self._side_of(
            identity, keeper.seat_for, QuietBot, keeper.journal, None, keeper.position_for
        )
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
        from cli.match.knocking import Knocking
        from ginpeer.net.host import ListenError, listen

        knocking = Knocking(self._reactor, self._voice.info, self._knows)
        if self._only is not None:
            expected = frozenset({self._only.notes.peer})
            self._open_stored(self._only.notes.peer)
        else:
            with own_faults():
                expected = self._keeper.expected()
        try:
            listening = listen(
                self._reactor,
                self._side(self._home.known_peers(time.time)),
                os.urandom(16),
                address=address,
                advertise=advertise,
                expected=expected,
                nobody_else=self._only is not None,
                turned_away=knocking.turned_away if self._verbose else None,
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
        again = self._only is not None and accepted(self._only)
        self._voice.begin_waiting(
            addresses,
            fingerprint(self._identity.public),
            again=again,
            port=listening.port if advertise else None,
        )
        if address is None and {each.host for each in listening.addresses} == {LOOPBACK}:
            self._voice.info(
                "This machine has no address in any network, so the invite leads to this machine "
                "alone. Connect it and type the command again, or name an address with --advertise."
            )

        self._try_again = lambda: None  # the door stays open, and the guest is expected

    def follow(self, invite: Invite, *, persistent: bool = False) -> None:
        """Go to the host that the invite names; *persistent*: until it is there."""
        self._open_stored(invite.host_key)
        following = Following(
            self._reactor,
            invite,
            self._side(self._home.known_peers(time.time)),
            persistent=persistent,
            seated=lambda: self._keeper.live is not None,
            agreed=lambda: self._keeper.live is not None and self._keeper.live.agreed(),
            over=lambda: self._stopped or self._status is not None,
            tell=self._voice.info,
            failed=self._no_way,
        )
        self._voice.begin_joining(
            ", ".join(map(str, invite.addresses)), fingerprint(invite.host_key)
        )
        self._try_again = following.later
        self._give_up = following.give_up
        following.go()

    def _no_way(self, code: str, sentence: str) -> None:
        """The host cannot be reached."""
        if self._keeper.live is None:
            self.stop(code, sentence)
        else:
            self._stop_waiting(Closed(code, sentence))

    def _open_stored(self, peer: bytes) -> None:
        """Lock the match that is to go on, and put its seat back, before the other player is there:
        the proofs of many hands take longer than a connection waits. Raises Failure."""
        with own_faults():
            self._keeper.put_back(peer)
        self._tell_of_damage()

    # --- the parts ---------------------------------------------------------------------

    def _human_table(self) -> HumanTable:
        return HumanTable(
            self._console,
            self._voice,
            self._reactor,
            self._seat,
            log=self._log,
            stop=self._nobody_came,
            hang_up=self._hang_up,
            named=self._named,
            over=self.over,
            agreed=self._say_what_is_put_aside,
            wanted=self._wanted,
            words_set=self._keep_words,
            hands_left=self._hands_left,
        )

    def _keep_words(self, on: bool) -> None:
        """For the next time."""
        try:
            write_settings(self._home.path, Settings(words=on))
        except StoreError as error:  # a pity; the words are on all the same
            self._voice.info(f"{error.sentence} ({error.code})")

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
            caught=self._reserve.heed,
        )

    def _position_for(self, key: bytes, claimed: Position | None) -> Position | None:
        try:
            position = self._keeper.position_for(key, claimed)
        except (StoreError, UnreadableLog) as error:  # the other side is told nothing of it
            self._voice.info(f"{error.sentence} ({error.code})")
            raise
        self._tell_of_damage()
        missing = self._keeper.missing
        if missing is not None and missing != self._told_missing:
            self._told_missing = missing
            going_on = None if position is None else position.table.hex()[:6]
            self._voice.info(missing_here(missing, going_on))
        return position

    def _tell_of_damage(self) -> None:
        """Say, once, that a stored match stays as it is because of its files."""
        damage = self._keeper.passed_over
        if damage is not None and damage is not self._told_of:
            self._told_of = damage
            self._voice.info(f"{damage.sentence} ({damage.code})")

    def _our_seat(self, peer: PeerInfo) -> Seat:
        self._peer = peer
        self._absence.end()
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
        self._ask_before_one_is_put_aside()
        return seat

    def _tell_of_other_rules(self, seat: Seat) -> None:
        """Who has typed rules, and finds the match of other rules going on."""
        match = seat.table.match
        typed = None if self._options.rules == STANDARD else self._options.rules
        if self._wanted is not None:
            typed = self._wanted.rules
        if match is not None and typed not in (None, match.rules):
            self._voice.info(
                "It keeps the rules that it was begun with; ginpeer host --new begins another."
            )

    def _say_checking(self, hands: int) -> None:
        """To verify the proofs of a hand takes some tenths of a second."""
        if hands >= _MANY_HANDS:
            self._voice.info(f"Checking the log of {hands} hands.")

    def _say_dropped(self) -> None:
        """What follows looks like any beginning, and the match before it is not over."""
        self._voice.info(
            "The host goes on with another match than the one that your program has named. That "
            f"one is kept as it is; {self._resume} and its name goes on with it."
        )

    def _our_player(self, session: Any) -> Player:
        self._session = session
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
            agreed=self._say_what_is_put_aside,
            wanted=self._wanted,
            hands_left=self._hands_left,
        )

    def _hands_left(self) -> int | None:
        """Once the log is nearly full: for about how many more hands there is room."""
        return None if self._keeper.live is None else self._keeper.live.hands_left()

    # --- matches that are put aside ----------------------------------------------------

    def _ask_before_one_is_put_aside(self) -> None:
        """A person is asked: the host before it offers a new match in the place of an unfinished
        one, the guest with the offer."""
        stored, table = self._keeper.replaces, self._table
        if stored is None or table is None or self._practising:
            return
        name = f"{self._resume} {short_name(stored)}"
        if self._seat == GUEST:
            table.say_aside(guest_is_asked(stored, name), declined_for(stored))
        elif self._keeper.waits_with_offer:
            table.ask_aside(host_is_asked(stored, name), self._offer_new, self._keep_stored)

    def _offer_new(self) -> None:
        if self._session is not None and self._session.ending is None:
            self._session.offer()

    def _keep_stored(self) -> None:
        stored, session = self._keeper.replaces, self._session
        if stored is None or session is None:
            return
        if self._keeper.keep_stored():
            session.take_up_stored()
        else:
            sentence = stays_as_it_is(stored)
            session.end(Closed("kept", sentence), Goodbye("kept", sentence))

    def _say_what_is_put_aside(self) -> None:
        """A match was agreed."""
        stored = self._keeper.replaces
        if stored is not None and not self._practising:
            name = f"{self._resume} {short_name(stored)}"
            told = is_put_aside(stored, name, by_us=self._seat == HOST)
            self._voice.put_aside(short_name(stored), told)

    def _account_for_those_aside(self, closed: Closed) -> None:
        """At the end, what is still unfinished with this player."""
        if self._peer is None or self._practising or closed.failure == "C":
            return
        with suppress(StoreError):
            found = list(aside(self._home, self._peer.key))
            if found:
                self._voice.info(lie_aside(found, self._resume))

    def _named(self, name: str) -> list[str]:
        """Remember what the other player is called; a warning if another key was called so, or by a
        name that looks like it."""
        peer, known = self._peer, self._acquaintances
        if peer is None or known is None:
            return []
        try:
            others = [other for other in known.like(name) if other.key != peer.key]
            known.remember(peer.key, peer.address, name)
        except StoreError as error:
            return [f"{error.sentence} ({error.code})"]  # a pity, and no reason to stop a match
        if not others:
            return []
        other = others[0]
        met = (
            "you have met another key under the same name"
            if other.name == name
            else f"it looks like {in_marks(other.name)}, and that was another key"
        )
        return [
            f"Careful: the key {peer.fingerprint} is called {in_marks(name)}; {met}, "
            f"{fingerprint(other.key)}. Ask your friend which is right."
        ]

    def _knows(self, key: bytes) -> bool:
        """Whether we have met it; a list of known peers that cannot be read knows nobody."""
        try:
            return self._home.known_peers(time.time).peer(key) is not None
        except StoreError:
            return False

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


def _bots_side_of(home: Home, ours: Stored) -> Stored:
    """The match as the bot has stored it in its own home. Raises Failure."""
    with own_faults():
        for stored in stored_matches(home):
            if stored.notes.table == ours.notes.table:
                return stored
    raise Failure(
        "practice-over",
        "The bot has not kept its side of that match; ginpeer practice begins another.",
        USAGE,
    )


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


def command_for(home: str | None, environ: Mapping[str, str]) -> str:
    """How this program is called, from whatever folder, by whoever has named a home for it."""
    if home is None:
        named = os.path.expanduser(environ.get("GINPEER_HOME", ""))
        if not named or os.path.isabs(named):
            return "ginpeer"
        home = named
    return f"ginpeer --home {shlex.quote(os.path.abspath(os.path.expanduser(home)))}"


def player_name(given: str | None) -> str:
    """The name to play under: as given, else that of the user of this machine."""
    if given is None:
        return own_name()
    try:
        return clean_name(given)
    except Malformed as error:
        raise Failure("bad-name", f"That name cannot be used: {error}.", USAGE) from error
