"""A link between two tables: a program beside ours, connected to a program beside a friend's.

Rule 1: only marked logs are shown (cli.match.sharing). The marks are read each time before
        anything is sent.
Rule 2: the other table's entries are judged here, and so are our own logs, a few entries per turn
        of the event loop: unlike the program at the table, this one has time for it.
Rule 3: each friend has an end of the link, with a port and an invite of its own. If a friend's
        program sends something that is refused, our link ends; if a connection is lost, we wait.
Rule 4: a link reads no input. So only a failed write, or a check from time to time, shows that
        its terminal or its reader is gone; then the link ends.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from cli.match.aftermath import ENDED_EARLY, status_of
from cli.match.process import Process
from cli.program import OUR_FAULT, version
from cli.terminal.console import is_terminal
from cli.terminal.output import print_lines
from cli.text.match_list import key_lines
from cli.text.tally import link_standing_lines
from ginpeer.names import KnownNames, isolate_quotes, safe, safe_quote
from ginpeer.net.acceptor import Acceptor
from ginpeer.net.address import Address
from ginpeer.net.close_reasons import fault_of, log_fault
from ginpeer.net.codes import SECRET_BYTES, Invite
from ginpeer.net.connection_attempt import Dialler
from ginpeer.net.connector import Reconnector
from ginpeer.net.handshake import OTHER_TABLE
from ginpeer.net.interfaces import CloseReason, GuestPort, PeerInfo, Timer, cancel
from ginpeer.net.session import Session, SessionOver, Side
from ginpeer.net.socks import Proxy
from ginpeer.partnership import FollowedLog, LinkSeat, OwnLogs, ReceivedLogs, standing_of
from ginpeer.store import Home, StoreError, UnreadableLog, read_own_log
from ginpeer.store.partnership_files import EVENING, cache_standing, shared_logs, unmark_later
from protocol.crypto.identity import IdentityKey

EVERY = 2.0  # seconds between two checks of our own logs
LOOK = 2.0  # seconds between two checks that the terminal still exists
_ENTRIES_A_TURN = 8  # judged in one turn of the event loop; the slowest takes a third of a second

GOODBYE = 1.0
"""The most seconds to spend on a goodbye, which needn't arrive. Without this limit, it could take
as long as closing a connection, if the other side is judging a long log."""

_STILL_TRYING = (
    "Still trying. If your friend sends you a new invite, press Ctrl-C and use it to start the "
    "link again."
)
_LINK_LEFT = "The other player has left the link. What they have shared still counts."
_WAITED_OUT = frozenset(
    ("connection-lost", "peer-silent", "peer-not-reading", "peer-came-back", "tls-failed")
)


class TableLink:
    """The logs that one home shows and receives, over one or more connections, and what our player
    reads about them. ``status`` is the exit status, once the link has ended. ``broken`` is the
    error that has stopped our output, if any. *scoring*: arguments for standing_of."""

    def __init__(
        self,
        home: Home,
        identity: IdentityKey,
        known: KnownNames,
        process: Process,
        **scoring: Any,
    ) -> None:
        self.status: int | None = None
        self.has_left = False  # whether our player has left or wants to
        self.broken: OSError | ValueError | None = None
        self.at_terminal = is_terminal(sys.stdout)
        self.identity = identity
        self.known = known
        self.process = process
        self._home = home
        self._scoring = scoring
        self._now = time.time
        self._own = OwnLogs()
        self._ends: list[LinkEnd] = []
        self._introduced: set[frozenset[bytes]] = set()  # pairs of players whose keys were shown
        self._read: dict[str, str] = {}  # the stamp of each log of ours when we read it
        self._said: list[str] = []
        self._trouble = ""
        self._timer: Timer | None = None

    def begin(self) -> None:
        self._timer = self.process.reactor.callLater(0.0, self._guarded)
        if self.at_terminal:
            self.process.reactor.callLater(LOOK, self._look_at_terminal)

    def add_end(self) -> LinkEnd:
        self._ends.append(LinkEnd(self))
        return self._ends[-1]

    @property
    def stopped(self) -> bool:
        """Whether we have stopped checking our logs."""
        return self._timer is None

    @property
    def connected(self) -> bool:
        return any(end.is_connected for end in self._ends)

    # --- our player, and the end of the program --------------------------------------------

    def tell(self, *lines: str, whole: bool = False) -> None:
        """Print lines. If that fails, end the link, in a later turn of the event loop."""
        if self.broken is not None:
            return
        try:
            print_lines(*lines, whole=whole, flush=True)
        except (OSError, ValueError) as error:  # ValueError: the stream was closed
            self.broken = error
            self.process.reactor.callLater(0, self.leave)

    def _look_at_terminal(self) -> None:
        """Leave once the terminal is gone. Some terminals send no signal when they close."""
        if not is_terminal(sys.stdout):
            self.leave()
        else:
            self.process.reactor.callLater(LOOK, self._look_at_terminal)

    def leave(self) -> None:
        """Leave; when asked a second time, end at once."""
        self._stop()
        if self.has_left or not self.connected:
            self.end(0)
        else:
            self.process.reactor.callLater(GOODBYE, self.end, 0)
        self.has_left = True

    interrupt = hang_up = leave

    def end(self, status: int) -> None:
        """End the program without waiting for anything."""
        self.has_left = True
        if self.status is None:  # closing also ends other sessions, and each reports a status
            self.status = status
        for end in self._ends:
            end.close()
        self._stop()
        self.process.stop()

    def _stop(self) -> None:
        cancel(self._timer)
        self._timer = None
        for end in self._ends:
            end.leave()

    # --- our own tables ------------------------------------------------------------------

    def _guarded(self) -> None:
        """Take a turn. A fault of our own ends the link; otherwise it would stop silently."""
        try:
            self._turn()
        except Exception as error:  # any error of ours (class C)
            log_fault(error, debug=False)
            self._timer = None
            fault = fault_of(error)
            self.tell(closing_line(fault.code, fault.sentence))
            self.end(OUR_FAULT)
        else:
            wait = 0.0 if self._own.waiting else EVERY
            self._timer = self.process.reactor.callLater(wait, self._guarded)

    def _turn(self) -> None:
        if self._own.waiting:
            ended = self._own.judge(_ENTRIES_A_TURN)
        else:
            self._look()
            ended = not self._own.waiting
        if ended:
            self._look()  # a mark may have been removed meanwhile
            for end in self._ends:
                end.send()
            self.say()

    def _look(self) -> None:
        """Find the marked logs, and what is new in them."""
        marked: dict[str, Sequence[bytes]] = {}
        now = self._now()
        try:
            unmark_later(self._home, now)
            logs = shared_logs(self._home, now - EVENING)
        except StoreError as error:
            logs = ()
            self._complain(f"{error.sentence} ({error.code})")
        for log in logs:
            marked[log.name] = ()
            if self._read.get(log.name) == log.stamp:
                continue
            try:
                marked[log.name] = read_own_log(log.path).entries
                self._read[log.name] = log.stamp
            except UnreadableLog as error:
                self._complain(f"{error.sentence} ({error.code})")
        self._own.update(marked)

    def shown(self) -> dict[bytes, FollowedLog]:
        """Read the marks, and return the logs that may be shown now, by table."""
        self._look()
        return self._own.shown

    def _complain(self, sentence: str) -> None:
        """Tell our player about a problem, but only once, however often it repeats."""
        if sentence != self._trouble:
            self._trouble = sentence
            self.tell(sentence)

    # --- the score over all ends ---------------------------------------------------------

    def news(self) -> None:
        """Name the players at a new table, with their keys, and give the score at both tables."""
        for log in self._others():
            places = standing_of((), (log,)).theirs
            if places and places[0].keys not in self._introduced:
                self._introduced.add(places[0].keys)
                self.tell(*key_lines(places[0].logs, self.known))
        self.say()

    def _others(self) -> list[FollowedLog]:
        return [log for end in self._ends for log in end.logs]

    def say(self) -> None:
        """Tell our player the score of both tables if it has changed, here and through `tally`."""
        standing = standing_of(
            self._own.shown.values(), self._others(), known=self.known, **self._scoring
        )
        lines = link_standing_lines(standing, self.known, self._now() - EVENING)
        if lines == self._said:
            return
        self._said = lines
        self.tell("", *lines)
        try:
            cache_standing(self._home, lines, self._now())
        except StoreError as error:
            self._complain(f"{error.sentence} ({error.code})")


class LinkEnd(GuestPort):
    """Our end of the connections with one friend. In a session it is also the player, which only
    watches, and the journal, which stores nothing."""

    def __init__(self, link: TableLink) -> None:
        self._link = link
        self._dials: Reconnector | None = None
        self.close: Callable[[], object] = lambda: None  # stops listening or dialling
        self._others: ReceivedLogs | None = None
        self._session: Session | None = None
        self._has_met = False

    def listen(self, at: Address | None, advertise: tuple[Address, ...]) -> Invite:
        """Listen for the friend, and return the invite. Raises ListenError, InviteError."""
        secret, side = os.urandom(SECRET_BYTES), self.side(joins=False)
        listening = Acceptor(
            self._link.process.reactor, side, secret, address=at, advertise=advertise
        )
        self.close = listening.stop
        return listening.invite

    def connect(self, invite: Invite, through: Proxy | None) -> None:
        """Connect to the friend who sent the invite, and again whenever the connection is lost.
        *through*: the proxy for all connections; None: connect directly."""
        self._dials = Reconnector(
            self._link.process.reactor,
            invite,
            self.side(joins=True),
            self,
            dialler=Dialler(through, rng=os.urandom),
        )
        self.close = self._dials.give_up
        self._dials.try_now()

    def side(self, *, joins: bool) -> Side:
        return Side(
            identity=self._link.identity,
            software=f"ginpeer {version()}",
            seat_for=self._seat_for,
            player_for=self._player_for,
            journal=self,
            joins=joins,
            extensions=lambda: (OTHER_TABLE,),
            caught=self._link.process.heed,
        )

    # --- called by the attempts to connect (GuestPort) -------------------------------------

    @property
    def was_admitted(self) -> bool:
        return self._has_met

    has_match = was_admitted

    @property
    def is_over(self) -> bool:
        return self._link.stopped

    def on_refused(self, code: str, sentence: str) -> None:
        self._link.tell(closing_line(code, sentence), _STILL_TRYING)

    def on_failure(self, code: str, sentence: str) -> None:
        self._link.tell(closing_line(code, sentence))
        self._link.end(ENDED_EARLY)

    # --- a connection ----------------------------------------------------------------------

    @property
    def logs(self) -> tuple[FollowedLog, ...]:
        return () if self._others is None else tuple(self._others.logs.values())

    @property
    def is_connected(self) -> bool:
        return self._session is not None and not self._session.done.called

    def send(self) -> None:
        if self._session is not None and self._session.ending is None:
            self._session.play(None)

    def leave(self) -> None:
        if self._session is not None:
            self._session.leave()

    def _seat_for(self, peer: PeerInfo) -> LinkSeat:
        if self._others is None:
            self._others = ReceivedLogs(self._link.identity.public, peer.key)
        is_link = OTHER_TABLE in peer.extensions
        return LinkSeat(self._link.shown, self._others, is_link=is_link)

    def _player_for(self, session: Session) -> LinkEnd:
        self._session = session
        session.done.addCallback(self._over)
        return self

    def connected(self, peer: PeerInfo) -> None:
        """Tell our player, once, that the friend's program has proven its key."""
        if OTHER_TABLE not in peer.extensions:
            return
        if not self._has_met:
            friend = self._link.known.met.get(peer.key)
            key, who = peer.fingerprint, f"Key {peer.fingerprint}, which you haven't seen before,"
            if friend is not None and friend.called:
                name = self._link.known.display_one(peer.key, friend.called, safe_quote)
                who = f"{name}, key {key},"
            self._link.tell(f"{who} has connected from the other table.")
        self._has_met = True

    def show(self, event: ReceivedLogs) -> None:
        self._link.news()

    def _refuse(self, *_: object) -> None:
        raise SessionOver("Nothing is played over a link between two tables.")

    def _ignore(self, *_: object) -> None:
        """Do nothing: players chat at their tables, and `_over` handles the end of a session."""

    consider = choose = persist_seed = persist = persist_evidence = _refuse
    chat = pause = proposed = consent = closed = _ignore

    def _over(self, closed: CloseReason) -> None:
        refused = self._others is not None and self._others.refused is not None
        left = closed.code == "peer-left"
        told = _LINK_LEFT if left else closing_line(closed.code, closed.sentence)
        if self._link.stopped:
            if not self._link.connected:
                self._link.end(0)
        elif closed.code in _WAITED_OUT:
            self._link.tell(
                "The connection to the other table is lost. Waiting for it to come back."
            )
            if self._dials is not None:
                self._dials.try_later()
        elif self._dials is None and not refused:  # our port stays open, for the same friend
            self._link.tell(told, "Waiting for the other table to come back. Ctrl-C ends the link.")
        else:
            self._link.tell(told)
            self._link.end(0 if left else 1 if refused else status_of(closed))


_LONGEST = 4_000  # characters; a guest that can't connect lists every address


def closing_line(code: str, sentence: str) -> str:
    """Say why a connection ended or failed; the sentence may quote a goodbye."""
    return f"{isolate_quotes(safe(sentence, limit=_LONGEST))} ({code})"
