"""One guest at one table of a club, and its match or matches against the bot.

Rule 1: each guest gets a keeper, log, seat, seeds and player of its own. Guests share nothing but
  the disk, which keeps each guest's log.
Rule 2: a guest whose connection is lost keeps the table for a while; a guest who leaves doesn't. An
  unfinished match is stored, and continues when its guest comes back and a table is free.
Rule 3: while others wait, a guest who doesn't move, or whose match takes longer than LONGEST, is
  sent away. The match is stored, and can continue after those others have had a table.
Rule 4: to restore a seat from the store, all proofs in its log are checked, and nobody else is
  served meanwhile. A guest that leaves and comes back again and again must not cost more than one
  that stays. So the latest KEPT seats stay in memory, with logs of up to MAX_BYTES in total. The
  keeper decides which of them still match the store (TableKeeper).
Rule 5: whatever a guest does ends its own visit, and never the program.
Rule 6: the only texts from a guest that are shown are its name and its goodbye, sanitised. The key
  identifies the guest.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from cli.match.bot_player import AutomaticPlayer
from cli.match.contact import MatchParts
from cli.match.series import Next, Series
from cli.text.grammar import plural
from cli.text.score_sheet import account
from ginpeer.adviser import choose
from ginpeer.match_store import KeeperNotices, TableKeeper
from ginpeer.names import isolate_quotes, safe, safe_quote
from ginpeer.net.interfaces import CloseReason, PeerInfo, Timer, cancel
from ginpeer.net.session import Session
from ginpeer.net.waiting import NOT_BACK, Absence
from ginpeer.referee.referee import Admitted
from ginpeer.referee.table import HOST
from ginpeer.seat.seat import Seat
from ginpeer.store import StoreError, UnreadableLog
from protocol import messages as m
from protocol.frames import Goodbye, Position

if TYPE_CHECKING:
    from cli.match.club import Club

UNDECIDED = 180.0  # seconds that a guest has to answer the offer while others wait
IDLE = 600.0  # seconds that a guest has to send its next entry while others wait

LONGEST = 3600.0
"""Seconds that a whole match may take while others wait. Without this limit, a guest who moves just
before IDLE runs out could occupy the table for a day."""

KEPT = 16  # how many seats stay in memory after their guests have left
MAX_BYTES = 16 * 1024 * 1024  # how many bytes the logs of those seats may have in total
_SHORT = 6  # digits of a match's short name


class KeptSeats:
    """The seats of guests that have left in the middle of a match, latest first."""

    def __init__(self) -> None:
        self._seats: list[Seat] = []

    def __iter__(self) -> Iterator[Seat]:
        return iter(self._seats)

    def keep(self, seat: Seat) -> None:
        table = seat.table.table_id
        seats = [seat, *(one for one in self._seats if one.table.table_id != table)]
        self._seats, size = [], 0
        for one in seats[:KEPT]:
            size += sum(map(len, one.entries))
            if size > MAX_BYTES:
                break
            self._seats.append(one)


class ClubTable(KeeperNotices):
    """A guest's table, until the guest leaves for good. ``side`` is our side of the connection."""

    def __init__(self, club: Club, key: bytes, number: int) -> None:
        match = club.match
        self.number = number
        self.key = key
        self.matches = 0  # played to the end
        self.began = match.reactor.seconds()  # when the guest sat down for this match
        self._club = club
        self._clock = match.reactor
        self._names = match.names
        self._idle: Timer | None = None
        self._since: float | None = None  # when the guest's time to act began; kept on reconnecting
        self._keeper = TableKeeper(
            match.home,
            "host",
            match.identity,
            name=match.name,
            options=club.options,
            rng=os.urandom,
            now=time.time,
            fresh=club.fresh,
            kept=club.kept_seats,
            notices=self,
        )
        self._keeper.listens = club.listens
        parts = MatchParts.of(match, HOST, self._keeper)
        self._other, self._sessions = parts.other, parts.sessions
        self._series = Series(parts, club.options, club.limit)
        self._absence = Absence(
            self._clock, club.patience, remind=lambda minutes: None, give_up=self._give_up_guest
        )
        self.side = replace(
            match.side_of(self._keeper, self._player_for, bot=True),
            seat_for=self._seat_for,
            position_for=self._position_for,
            known=match.known,
            extensions=self._series.extensions,
            own_addresses=lambda: (
                () if self._other.is_hidden_from() else match.contact.own_addresses()
            ),
        )

    @property
    def session(self) -> Session | None:
        return self._sessions.current

    @property
    def is_kept(self) -> bool:
        """Whether the table is kept for its guest, whose connection is lost."""
        return self._absence.is_waiting

    def leave(self, cut: CloseReason | None = None) -> None:
        """Leave with a goodbye, or cut the session for the reason *cut*. That may take a while."""
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
        if self._clock.seconds() - self.began >= LONGEST:
            self._send_away(
                "This match has taken more than an hour, and others are waiting for the table."
            )

    def close(self) -> None:
        """Unlock the match, and forget an offer that the guest has had time to accept."""
        self._stop_clock()
        self._absence.end()
        seat = self._keeper.live
        if seat is not None and seat.can_continue():
            self._club.kept_seats.keep(seat)
        with suppress(StoreError):
            self._keeper.forget_offer()
        self._keeper.close()

    # --- called by the network -----------------------------------------------------------

    def _player_for(self, session: Session) -> ClubPlayer:
        self._sessions.current = session
        self._absence.end()
        return ClubPlayer(self, session)

    def _position_for(self, key: bytes, claimed: Position | None) -> Position | None:
        try:
            with self._club.checking():
                return self._keeper.position_for(key, claimed)
        except (StoreError, UnreadableLog) as error:
            self._tell(f"{error} ({error.code})")
            raise

    def _seat_for(self, peer: PeerInfo) -> Seat:
        self._other.peer = peer
        with self._club.checking():
            seat = self._keeper.seat_for(peer)
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
            warnings = self._other.note_name(event.message.name)
            starts = f"match {self._short()} starts, with these rules: {offer.rules}"
            self._tell(f"{self._name} accepts: {starts}.")
            for warning in warnings:
                self._tell(warning)

    def on_session_end(self, closed: CloseReason) -> None:
        self._stop_clock()
        club = self._club
        patient = club.patience != 0
        match self._series.what_follows(closed, has_left=club.is_over, patient=patient):
            case Next.NEXT_MATCH:
                self._since = None
                if closed.code == "finished" and not self._series.was_already_over():
                    self._tell_result()
                    self.began = self._clock.seconds()
                    self._series.count_match()
                self._series.clear()
                self._absence.begin(CloseReason(NOT_BACK, "The guest hasn't come back."))
            case Next.RESUME:
                kept = f"The table is kept for {plural(round(club.patience), 'second')}."
                self._tell(f"{self._name}: {_sentence(closed)} {kept}")
                self._absence.begin(closed)
            case _:
                self._end(closed)

    # --- the end of a visit ----------------------------------------------------------------

    def _give_up_guest(self, closed: CloseReason) -> None:
        self._end(closed)
        self._club.free(self.key)

    def _end(self, closed: CloseReason) -> None:
        self._keeper.note_closing(closed.code)
        if closed.code == "finished" and not self._keeper.over_on_arrival:
            self._tell_result()
            return
        seat = self._keeper.live
        goes_on = seat is not None and seat.can_continue() and seat.agreed()
        then = ""
        if goes_on and closed.failure != "B":
            then = f" Match {self._short()} continues when {self._name} returns."
        self._tell(f"{self._name}: {_sentence(closed)}{then} ({closed.code})")

    def _tell_result(self) -> None:
        seat, stored = self._keeper.live, self._keeper.stored
        if seat is None or stored is None or seat.table.match is None:
            return
        self.matches += 1
        match = seat.table.match
        told = account(match, self._names.display(seat.table.keys, seat.table.names))
        won = " ".join(told[: 1 if match.resigned is None else 2])
        with_whom = f"Match {self._short()} with {self._other.name()}"
        self._tell(f"{with_whom} is over. {won} The log is {stored.path}.")

    def _tell(self, line: str) -> None:
        self._club.tell(self.number, line)

    @property
    def _name(self) -> str:
        return self._other.name("The")

    def _short(self) -> str:
        stored = self._keeper.stored
        return "" if stored is None else stored.path.stem[:_SHORT]

    # --- guests who do not move ------------------------------------------------------------

    def _start_clock(self, since: float | None = None) -> None:
        """Start the time that the guest has to act, either now or as of *since*."""
        self._stop_clock()
        seat, now = self._keeper.live, self._clock.seconds()
        seconds = IDLE if seat is not None and seat.agreed() else UNDECIDED
        self._since = now if since is None else since
        self._idle = self._clock.callLater(max(self._since + seconds - now, 0.0), self._too_long)

    def _stop_clock(self) -> None:
        cancel(self._idle)
        self._idle = None

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
        super().__init__(session, choose)
        self._table = table

    def connected(self, peer: PeerInfo) -> None:
        self._table.connected(peer)

    def show(self, event: Admitted) -> None:
        self._table.on_entry(event)

    def closed(self, reason: CloseReason) -> None:
        self._table.on_session_end(reason)


def _sentence(closed: CloseReason) -> str:
    return isolate_quotes(safe(closed.sentence, limit=1_000))  # it may quote a goodbye
