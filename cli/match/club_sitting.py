"""One guest at one table of a club: its match, or its matches, against the bot.

# Rule 1: everything that a match has is made anew for each guest: keeper, log, seat, seeds, player.
# Nothing passes from one guest to the next but the disk, where the log of each stays.
# Rule 2: who is lost keeps the table for a while, who has left does not. What is unfinished lies
# stored then, and goes on when its guest comes again and a table is free.
# Rule 3: while others wait, a guest who does not move, or whose match takes longer than LONGEST, is
# sent away. The match is stored, and continues when the guest comes back, after those others.
# Rule 4: what a guest does ends its sitting, and never the program.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from cli.match.evening import Evening
from cli.match.other_player import OtherPlayer
from cli.text.club import NOT_BACK as NOT_BACK_SENTENCE
from cli.text.club import (
    SENT_AWAY,
    TOOK_TOO_LONG,
    begins,
    goes_on,
    has_come,
    has_left,
    is_lost,
    result,
)
from ginpeer.bot import choose
from ginpeer.keeper import TableKeeper
from ginpeer.names.shown import isolated, safe
from ginpeer.net.automatic_player import AutomaticPlayer
from ginpeer.net.interfaces import Closed, PeerInfo, Timer
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

UNDECIDED = 180.0
"""Seconds that a guest has for the offer, while others wait."""

IDLE = 600.0
"""Seconds that a guest has for its next entry, while others wait."""

LONGEST = 3600.0
"""Seconds that a whole match may take while others wait. Without this limit, a guest who moves just
before IDLE runs out could keep the table for a day."""

_SHORT = 6  # digits of a match's short name


class Sitting:
    """A guest at its table, until it has gone for good. ``side`` is what we bring there."""

    def __init__(self, club: Club, key: bytes, tell: Callable[[str], None]) -> None:
        """*tell*: says a line of this table."""
        match = club.match
        self.key = key
        self.session: Session | None = None  # the one that lasts, or was the last
        self.matches = 0  # played to the end
        self.began = match.reactor.seconds()  # when the guest sat down for this match
        self._club = club
        self._tell = tell
        self._clock = match.reactor
        self._names = match.names
        self._idle: Timer | None = None
        self._since: float | None = None  # when the guest was last asked; no return begins it anew
        self._ended = False  # and it was said how
        self._keeper = TableKeeper(
            match.home,
            "host",
            match.identity,
            name=match.name,
            options=club.options,
            rng=os.urandom,
            now=time.time,
            fresh=club.fresh,
            kept=club.stood_up,
        )
        known = match.home.known_peers(time.time)
        self._other = OtherPlayer(self._keeper, HOST, known, match.names)
        self._evening = Evening(
            self._keeper,
            self,
            HOST,
            club.options,
            club.limit,
            name=lambda: self._other.name("The"),
            session=lambda: self.session,
            clock=self._clock,
        )
        self._absence = Absence(
            self._clock, club.patience, remind=lambda minutes: None, give_up=self._not_back
        )
        self.side = replace(
            match.side_of(self._keeper, match.identity, self._player_for, bot=True),
            seat_for=self._seat_for,
            position_for=self._position_for,
            known=known,
            extensions=self._evening.extensions,
            whereabouts=lambda: () if self._other.is_not_to_know() else match.whereabouts(),
        )

    @property
    def is_kept(self) -> bool:
        """Whether the table waits for its guest, who is lost."""
        return self._absence.lasts

    def leave(self, cut: Closed | None = None) -> None:
        """Our side goes home, with a goodbye, or cut off for this reason. Whether the session still
        has to end says ``is_open``."""
        if self._absence.lasts:
            self._absence.end()
            self._end(Closed("left", "The table is closed."))
        elif self.session is not None and cut is not None:
            self.session.cut(cut)
        elif self.session is not None:
            self.session.leave()

    @property
    def is_open(self) -> bool:
        """Whether a session lasts here."""
        return self.session is not None and not self.session.done.called

    def make_room(self) -> None:
        """Send the guest away if its match has taken too long, because others are waiting."""
        if self._clock.seconds() - self.began >= LONGEST:
            self._send_away(TOOK_TOO_LONG)

    def close(self) -> None:
        """Give the match free, and forget an offer that came to nothing: its guest had time to come
        back with its acceptance, and no card was dealt."""
        self._stop_clock()
        self._absence.end()
        seat = self._keeper.live
        if seat is not None and seat.can_go_on():
            self._club.stood_up.keep(seat)
        with suppress(StoreError):
            self._keeper.forget_offer()
        self._keeper.close()

    # --- asked by the network ------------------------------------------------------------

    def _player_for(self, session: Session) -> ClubPlayer:
        self.session = session
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
        self._absence.end()
        with self._club.checking():
            seat = self._keeper.seat_for(peer)
        if self._keeper.passed_over is not None:
            self._tell(f"{self._keeper.passed_over} ({self._keeper.passed_over.code})")
        if seat.can_go_on():
            self._tell(goes_on(self._other.name("The"), self._short()))
        self._start_clock(self._since)
        return seat

    # --- asked by the evening ------------------------------------------------------------

    def info(self, *lines: str) -> None:
        """How many matches were won by whom: of one sitting that is no news in a club."""

    # --- told by the player ----------------------------------------------------------------

    def connected(self, peer: PeerInfo) -> None:
        self._tell(has_come(peer.fingerprint, peer.known_as, peer.address))

    def shown(self, event: Admitted) -> None:
        self._start_clock()
        offer = event.after.offer
        if isinstance(event.message, m.Accept) and offer is not None:
            warnings = self._other.named(event.message.name)
            rules = str(offer.rules)
            self._tell(begins(self._other.name("The"), self._short(), rules))
            for warning in warnings:
                self._tell(warning)

    def over(self, closed: Closed) -> None:
        """The session has ended: the table waits on for its guest, or it is free."""
        self._stop_clock()
        over = self._club.is_over
        if not over and self._evening.goes_on(closed, self._other.peer):
            self._since = None
            if closed.code == "finished" and not self._evening.has_counted():
                self._tell_result()
                self.began = self._clock.seconds()
                self._evening.next_match(closed, None)
            else:
                self._evening.clear(None)
            self._absence.begin(Closed(NOT_BACK, NOT_BACK_SENTENCE))
        elif not over and self._absence.follows(closed, self._keeper.live):
            seconds = self._club.patience
            self._tell(is_lost(self._other.name("The"), _sentence(closed), seconds))
            self._absence.begin(closed)
        else:
            self._end(closed)

    # --- inside ----------------------------------------------------------------------------

    def _not_back(self, closed: Closed) -> None:
        self._end(closed)
        self._club.free(self.key)

    def _end(self, closed: Closed) -> None:
        if self._ended:
            return
        self._ended = True
        self._keeper.note_closing(closed.code)
        if closed.code == "finished" and not self._keeper.came_over:
            self._tell_result()
            return
        seat = self._keeper.live
        goes_on = seat is not None and seat.can_go_on() and seat.agreed()
        self._tell(
            has_left(
                self._other.name("The"),
                _sentence(closed),
                closed.code,
                self._short() if goes_on and closed.failure != "B" else None,
            )
        )

    def _tell_result(self) -> None:
        seat, stored = self._keeper.live, self._keeper.stored
        if seat is None or stored is None or seat.table.match is None:
            return
        self.matches += 1
        table = seat.table
        names = self._names.display(table.keys, table.names)
        self._tell(
            result(seat.table.match, names, self._other.name(), self._short(), str(stored.path))
        )

    def _short(self) -> str:
        stored = self._keeper.stored
        return "" if stored is None else stored.path.stem[:_SHORT]

    # --- who does not move -----------------------------------------------------------------

    def _start_clock(self, since: float | None = None) -> None:
        """*since*: when it was started before the connection was lost."""
        self._stop_clock()
        seat, now = self._keeper.live, self._clock.seconds()
        seconds = IDLE if seat is not None and seat.agreed() else UNDECIDED
        self._since = now if since is None else since
        self._idle = self._clock.callLater(max(self._since + seconds - now, 0.0), self._too_long)

    def _stop_clock(self) -> None:
        if self._idle is not None and self._idle.active():
            self._idle.cancel()
        self._idle = None

    def _too_long(self) -> None:
        since = self._since
        if since is not None and self._club.others_wait(self.key, since):
            self._send_away(SENT_AWAY)
        else:
            self._start_clock()

    def _send_away(self, sentence: str) -> None:
        closed = Closed("left", sentence)
        if self._absence.lasts:
            self._absence.end()
            self._not_back(closed)
        elif self.session is not None:
            self.session.end(closed, Goodbye("left", "Others are waiting for this table."))


class ClubPlayer(AutomaticPlayer):
    """The bot at a table of a club; it does not repeat what is said there, nor each move."""

    def __init__(self, sitting: Sitting, session: Session) -> None:
        super().__init__(session, choose)
        self._sitting = sitting

    def connected(self, peer: PeerInfo) -> None:
        self._sitting.connected(peer)

    def show(self, event: Admitted) -> None:
        self._sitting.shown(event)

    def closed(self, reason: Closed) -> None:
        self._sitting.over(reason)


def _sentence(closed: Closed) -> str:
    return isolated(safe(closed.sentence, limit=1_000))  # it may quote a goodbye
