"""A club: everybody with the invite can play against the bot, at one table or several.

Rule 1: each guest gets a keeper, log, seat, seeds and player of its own. Guests share nothing but
  the disk, which keeps each guest's log. Nothing that a guest does can end more than its own
  visit; only our player ends the program. We show no text from a guest except its name and goodbye.
Rule 2: a guest that comes while all tables are taken is refused with `table-taken`; its program
  knows that code, and tries again. The guest counts as waiting until it gets a table. Guests don't
  announce when they stop trying, so only the latest attempt of each counts, and only the last
  LATEST guests are remembered. A guest who left a table while others waited has to let them go
  first for BEHIND seconds.
Rule 3: a guest whose connection is lost keeps the table for a while; a guest who leaves doesn't.
  While others wait, a guest who doesn't move, or whose match takes longer than LONGEST, is sent
  away. An unfinished match is stored, and continues when its guest comes back and a table is free.
Rule 4: while a returning guest's stored match is judged, nobody else is served. So judging may take
  only CHECKING_SHARE of the time, plus a burst. When that is used up, a guest is refused with
  `table-taken`, except one who has no stored match here. Entries that this home has marked as
  verified (ginpeer.store.log_index) take a tenth of the time.
"""

from __future__ import annotations

import os
import time
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from twisted.internet.defer import Deferred

from cli.match.aftermath import ENDED_EARLY
from cli.match.bot_player import AutomaticPlayer
from cli.match.contact import OtherPlayer, Sessions
from cli.match.one_match import OneMatch
from cli.match.series import Next, Series
from cli.program import INTERRUPTED, Failure
from cli.table.table import HumanTable
from cli.text.grammar import plural
from cli.text.score_sheet import account
from ginpeer.adviser.advise import choose
from ginpeer.match_store import KeeperNotices, TableKeeper, noted_matches
from ginpeer.names import isolate_quotes, safe, safe_quote
from ginpeer.net.interfaces import CloseReason, PeerInfo, Timer, cancel
from ginpeer.net.limits import WorkingTime
from ginpeer.net.session import Session, Side
from ginpeer.net.timing import AT_ONCE, NOT_BACK, Absence
from ginpeer.referee.referee import Admitted
from ginpeer.referee.table import HOST
from ginpeer.seat.seat import Options, Seat
from ginpeer.store import StoreError, UnreadableLog
from protocol import messages as m
from protocol.frames import Goodbye, Position

UNDECIDED = 180.0  # seconds that a guest has to answer the offer while others wait
IDLE = 600.0  # seconds that a guest has to send its next entry while others wait

LONGEST = 3600.0
"""Seconds that a whole match may take while others wait. Without this limit, a guest who moves just
before IDLE runs out could occupy the table for a day."""

PATIENCE = 60.0
"""Seconds that a table is kept after its guest's connection is lost, unless --patience is given."""

CHECKING_BURST = 5.0  # seconds that verifying stored matches may take in one burst: about ten hands
CHECKING_SHARE = 0.2  # seconds of verifying in each second after the burst
LATEST = 64  # how many waiting guests are remembered

BEHIND = 60.0
"""If others wait when a guest leaves, that guest lets them go first for this many seconds. Within
that time, the program of anybody who is waiting at a terminal tries again."""

_SHORT = 6  # digits of a match's short name


class ClubTable(KeeperNotices):
    """A guest's table, until the guest leaves for good. ``side`` is our side of the connection."""

    def __init__(self, club: Club, key: bytes, number: int) -> None:
        match = club.match
        self.number = number
        self.key = key
        self.matches = 0  # played to the end
        self.began = match.reactor.seconds()  # when the guest sat down for this match
        self._club = club
        self.home, self.command, self.presenter = match.home, match.command, match.presenter
        self.reactor, self.seat, self.plays = match.reactor, HOST, match.plays
        self.table: HumanTable | None = None
        self._idle: Timer | None = None
        self._since: float | None = None  # when the guest's time to act began; kept on reconnecting
        self.keeper = TableKeeper(
            match.home,
            "host",
            match.identity,
            name=match.name,
            options=club.options,
            rng=os.urandom,
            now=time.time,
            fresh=club.fresh and key not in club.begun,
            notices=self,
        )
        self.keeper.listens = club.listens
        self.other = OtherPlayer(self.keeper, HOST, match.known, match.names)
        self.sessions = Sessions()
        self._series = Series(self, club.options, club.limit)
        self._absence = Absence(
            self.reactor, club.patience, remind=lambda minutes: None, give_up=self._give_up_guest
        )
        self.side = replace(
            match.side_of(self.keeper, self._player_for, bot=True),
            seat_for=self._seat_for,
            position_for=self._position_for,
            known=match.known,
            extensions=self._series.extensions,
            own_addresses=lambda: (
                () if self.other.is_hidden_from() else match.contact.own_addresses()
            ),
        )

    @property
    def session(self) -> Session | None:
        return self.sessions.current

    @property
    def is_kept(self) -> bool:
        return self._absence.is_waiting

    def leave(self, cut: CloseReason | None = None) -> None:
        """Leave with a goodbye, or cut the session for the reason *cut*. The session may take a
        while to end."""
        if self._absence.is_waiting:
            self._absence.end()
            self._end(CloseReason("left", "The table is closed."))
        elif self.session is not None and cut is not None:
            self.session.cut(cut)
        elif self.session is not None:
            self.session.leave()

    @property
    def is_open(self) -> bool:
        return self.session is not None and not self.session.done.called

    def make_room(self) -> None:
        if self.reactor.seconds() - self.began >= LONGEST:
            self._send_away(
                "This match has taken more than an hour, and others are waiting for the table."
            )

    def close(self) -> None:
        """Unlock the match, and forget an offer that the guest has had time to accept."""
        cancel(self._idle)
        self._absence.end()
        with suppress(StoreError):
            self.keeper.forget_offer()
        self.keeper.close()

    # --- called by the network -----------------------------------------------------------

    def _player_for(self, session: Session) -> ClubPlayer:
        self.sessions.current = session
        self._absence.end()
        return ClubPlayer(self, session)

    def _position_for(self, key: bytes, claimed: Position | None) -> Position | None:
        try:
            with self._club.checking():
                return self.keeper.position_for(key, claimed)
        except (StoreError, UnreadableLog) as error:
            self._tell(f"{error} ({error.code})")
            raise

    def _seat_for(self, peer: PeerInfo) -> Seat:
        self.other.peer = peer
        with self._club.checking():
            seat = self.keeper.seat_for(peer)
        if seat.can_continue():
            self._tell(f"Match {self._short()} with {self._name} continues.")
        self._start_clock(self._since)
        return seat

    # --- called by the keeper --------------------------------------------------------------

    def damaged(self, why: StoreError) -> None:
        self._tell(f"{why} ({why.code})")

    # --- called by the player --------------------------------------------------------------

    def connected(self, peer: PeerInfo) -> None:
        who = "A guest" if peer.known_as is None else safe_quote(peer.known_as)
        self._tell(f"{who} has connected from {peer.address}, with the key {peer.fingerprint}.")

    def on_entry(self, event: Admitted) -> None:
        self._start_clock()
        offer = event.after.offer
        if isinstance(event.message, m.Accept) and offer is not None:
            self._club.begun.add(self.key)
            warnings = self.other.note_name(event.message.name)
            starts = f"match {self._short()} starts, with these rules: {offer.rules}"
            self._tell(f"{self._name} accepts: {starts}.")
            for warning in warnings:
                self._tell(warning)

    def on_session_end(self, closed: CloseReason) -> None:
        cancel(self._idle)
        club = self._club
        patient = club.patience != 0
        match self._series.what_follows(closed, has_left=club.has_left, patient=patient):
            case Next.NEXT_MATCH:
                self._since = None
                if closed.code == "finished" and not self._series.was_already_over():
                    self._tell_result()
                    self.began = self.reactor.seconds()
                    self._series.count_match()
                self._series.clear()
                self._absence.begin(CloseReason(NOT_BACK, "The guest hasn't come back."))
            case Next.RESUME:
                kept = f" The table is kept for {plural(round(club.patience), 'second')}."
                if closed.code in AT_ONCE:  # the guest is already here again
                    kept = ""
                self._tell(f"{self._name}: {_sentence(closed)}{kept}")
                self._absence.begin(closed)
            case _:
                self._end(closed)

    # --- the end of a visit ----------------------------------------------------------------

    def _give_up_guest(self, closed: CloseReason) -> None:
        self._end(closed)
        self._club.free(self.key)

    def _end(self, closed: CloseReason) -> None:
        self.keeper.note_closing(closed.code)
        if closed.code == "finished" and not self.keeper.over_on_arrival:
            self._tell_result()
            return
        seat = self.keeper.live
        goes_on = seat is not None and seat.can_continue() and seat.agreed()
        then = ""
        if goes_on and closed.failure != "B":
            then = f" Match {self._short()} continues when {self._name} returns."
        self._tell(f"{self._name}: {_sentence(closed)}{then} ({closed.code})")

    def _tell_result(self) -> None:
        seat, stored = self.keeper.live, self.keeper.stored
        if seat is None or stored is None or seat.table.match is None:
            return
        self.matches += 1
        match = seat.table.match
        told = account(match, self._club.match.names.display(seat.table.keys, seat.table.names))
        won = " ".join(told[: 1 if match.resigned is None else 2])
        with_whom = f"Match {self._short()} with {self.other.name()}"
        self._tell(f"{with_whom} is over. {won} The log is {stored.path}.")

    def _tell(self, line: str) -> None:
        self._club.tell(self.number, line)

    @property
    def _name(self) -> str:
        return self.other.name("The")

    def _short(self) -> str:
        stored = self.keeper.stored
        return "" if stored is None else stored.path.stem[:_SHORT]

    # --- guests who do not move ------------------------------------------------------------

    def _start_clock(self, since: float | None = None) -> None:
        """Start to measure how long the guest takes to act, from now or from *since*."""
        cancel(self._idle)
        seat, now = self.keeper.live, self.reactor.seconds()
        seconds = IDLE if seat is not None and seat.agreed() else UNDECIDED
        self._since = now if since is None else since
        self._idle = self.reactor.callLater(max(self._since + seconds - now, 0.0), self._too_long)

    def _too_long(self) -> None:
        since = self._since
        if since is not None and self._club.queue.others_wait(self.key, since):
            self._send_away("Nobody played for a while, and others are waiting for the table.")
        else:
            self._start_clock()

    def _send_away(self, sentence: str) -> None:
        closed = CloseReason("left", sentence)
        if self._absence.is_waiting:
            self._absence.end()
            self._give_up_guest(closed)
        elif self.session is not None:
            self.session.end(closed, Goodbye("left", "Others are waiting for this table."))


class ClubPlayer(AutomaticPlayer):
    """The bot at a table of a club. It shows our player no moves and no chat."""

    def __init__(self, table: ClubTable, session: Session) -> None:
        super().__init__(session, table.plays or choose)
        self._table = table

    def connected(self, peer: PeerInfo) -> None:
        self._table.connected(peer)

    def show(self, event: Admitted) -> None:
        self._table.on_entry(event)

    def closed(self, reason: CloseReason) -> None:
        self._table.on_session_end(reason)


def _sentence(closed: CloseReason) -> str:
    return isolate_quotes(safe(closed.sentence, limit=1_000))  # it may quote a goodbye


class Club:
    """All tables of the club (ginpeer.net.access_policy.SidePool), and the end of the program.
    ``limit``: how many matches each guest plays. ``patience``: how many seconds a table is kept
    after its guest's connection is lost. ``fresh``: whether to ignore matches that
    began before the club."""

    def __init__(self, match: OneMatch, args: Namespace, options: Options) -> None:
        self.match = match
        self.options = options
        self.limit: int = args.matches or 1
        self.patience: float = PATIENCE if args.patience is None else args.patience
        self.fresh: bool = args.new
        self.listens: str | None = None  # where we wait for guests (TableKeeper)
        self.has_left = False  # whether our player has closed the club
        self.begun: set[bytes] = set()  # the guests who have begun a match in this club
        self._tables: int = args.tables or 1
        self._guests: dict[bytes, ClubTable] = {}
        self.queue = ClubQueue()
        self._checking = WorkingTime(CHECKING_BURST, CHECKING_SHARE, match.reactor.seconds())
        self._given = self._matches = 0  # guest visits, and finished matches
        self.closed: Any = Deferred()  # fires once the club is closed and all guests have left

    # --- called when guests arrive and leave -------------------------------------------------

    @property
    def is_full(self) -> bool:
        return self.has_left or len(self._guests) >= self._tables

    def assign(self, key: bytes) -> Side | None:
        """Return our side of this guest's table, or of a free one; None if the guest must wait."""
        found = self._guests.get(key)
        if found is None and not self.is_full and self._may_sit_down(key):
            taken = {table.number for table in self._guests.values()}
            number = next(each for each in range(1, self._tables + 1) if each not in taken)
            found = self._guests[key] = ClubTable(self, key, number)
            self._given += 1
        if found is None:
            return None
        self.queue.note_seated(key)
        return found.side

    def note_left(self, key: bytes) -> None:
        """Free this guest's table after its connection has ended, unless the table is kept."""
        found = self._guests.get(key)
        if found is not None and not found.is_kept:
            self.free(key)

    def note_refused(self, key: bytes) -> None:
        """If all tables are taken, note that this guest waits, and send away a guest who has played
        too long. A guest refused while a table is free isn't waiting for anybody to leave."""
        if not self.is_full:
            return
        self.queue.note_refused(key, self.match.reactor.seconds())
        if self._guests:
            min(self._guests.values(), key=lambda each: each.began).make_room()

    def _may_sit_down(self, key: bytes) -> bool:
        now = self.match.reactor.seconds()
        if self.queue.is_behind(key, now):
            return False
        return self._checking.has_any(now) or not self._has_to_be_checked(key)

    def _has_to_be_checked(self, key: bytes) -> bool:
        """Return whether a match with this guest is stored. A finished match counts: if the guest
        claims to lack its end, we verify the whole log."""
        with suppress(StoreError):  # reported when the guest gets its table
            return any(notes.peer == key for _, notes in noted_matches(self.match.home))
        return False

    # --- called by the tables ----------------------------------------------------------------

    @contextmanager
    def checking(self) -> Iterator[None]:
        """Count the time spent inside this block as time for checking stored matches."""
        began = self.match.reactor.seconds()
        try:
            yield
        finally:
            self._checking.spend(max(0.0, self.match.reactor.seconds() - began))

    def free(self, key: bytes) -> None:
        """Free the table of a guest who has left. Guests who were already waiting go first."""
        found = self._guests.pop(key, None)
        if found is None:
            return
        if self.queue.others_wait(key, found.began):
            self.queue.note_left(key, self.match.reactor.seconds())
        self._matches += found.matches
        found.close()
        if not self.has_left:
            self.tell(found.number, "Waiting for the next guest.")
        elif not self._guests:
            self._finish()

    # --- our player ends the club ------------------------------------------------------------

    def greet(self) -> None:
        many = "one at a time" if self._tables == 1 else f"up to {self._tables} at once"
        self.match.presenter.info(
            "Send this invite to everyone who wants to play. They type ginpeer join and the "
            f"invite, and play against the bot, {many}, until this program ends."
        )

    def interrupt(self) -> None:
        if self.has_left:
            self.match.after.status = INTERRUPTED
            self.match.after.halt()
        else:
            self.leave()

    def leave(self) -> None:
        self._close(None)

    def hang_up(self) -> None:
        """Cut all sessions, because the terminal is gone. The guests keep their matches."""
        self._close(CloseReason("hung-up", "The terminal was closed. The log is kept."))

    def _close(self, cut: CloseReason | None) -> None:
        if self.has_left:
            return
        self.has_left = True
        self.match.contact.stop()
        for key, table in tuple(self._guests.items()):
            table.leave(cut)
            if not table.is_open:
                self.free(key)
        if not self._guests:
            self._finish()

    def _finish(self) -> None:
        ending = self.match.after
        if ending.status is None:
            ending.status = 0 if self._matches else ENDED_EARLY
            told = f"Guest visits: {self._given}. Finished matches: {self._matches}."
            self.match.presenter.show_end(
                "left", f"The club is closed. {told}", ending.status, None
            )
            self.closed.callback(None)

    def tell(self, number: int, line: str) -> None:
        where = "" if self._tables == 1 else f"Table {number}: "
        self.match.presenter.info(f"{time.strftime('%H:%M:%S')} {where}{line}")


class ClubQueue:
    """The guests who are waiting for a table. Times are in seconds."""

    def __init__(self) -> None:
        self._came: dict[bytes, float] = {}  # when each guest last found no free table; latest last
        self._left: dict[bytes, float] = {}  # when guests left while others waited; latest last

    def note_refused(self, key: bytes, now: float) -> None:
        _note(self._came, key, now)

    def note_seated(self, key: bytes) -> None:
        self._came.pop(key, None)

    def note_left(self, key: bytes, now: float) -> None:
        """Note that this guest left a table, or was sent away from it, while others waited."""
        _note(self._left, key, now)

    def others_wait(self, key: bytes, since: float) -> bool:
        """Return whether a different guest has found no free table since this time."""
        return any(at >= since for other, at in self._came.items() if other != key)

    def is_behind(self, key: bytes, now: float) -> bool:
        left = self._left.get(key)
        if left is None or now - left >= BEHIND:
            self._left.pop(key, None)
            return False
        return self.others_wait(key, now - BEHIND)


def _note(times: dict[bytes, float], key: bytes, now: float) -> None:
    times.pop(key, None)
    times[key] = now
    if len(times) > LATEST:
        del times[next(iter(times))]


def check_club(args: Namespace, command: str) -> bool:
    """Return whether our player wants a club. Raises Failure if the options don't allow one."""
    if not (args.club or args.tables):
        return False
    if not args.bot:
        raise Failure(
            "usage",
            "You can play only one friend at a time. To let everyone play against the bot, add "
            f"--bot. For a second table, run {command} host again in another window; it uses its "
            "own port.",
        )
    if args.friend is not None:
        raise Failure(
            "usage",
            "A club is open to everyone. To wait for one friend, leave out --club and --tables.",
        )
    return True
