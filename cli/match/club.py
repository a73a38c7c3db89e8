"""A club: the bot plays everybody who comes with the same invite, at one table or several.

Rule 1: each table has one guest at a time (club_table.py). A guest that comes while all tables
  are taken is refused with `table-taken`; its program knows that code, and tries again.
Rule 2: the program ends when our player ends it, not when a match ends.
Rule 3: a guest is waiting if it was refused and has had no table since. Guests don't announce when
  they stop trying, so only the latest attempt of each counts, and only the last LATEST guests are
  remembered. A guest who left a table while others waited goes behind them, for BEHIND seconds.
Rule 4: while a returning guest's stored match is found and verified, nobody else is served. So
  verifying may take only CHECKING_SHARE of the time, plus a burst. When that is used up, a guest is
  refused with `table-taken`, except one who has no stored match here, or whose seat is kept.
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from cli.failure import Failure
from cli.match.aftermath import ENDED_EARLY, INTERRUPTED
from cli.match.club_table import ClubTable, KeptSeats
from cli.match.one_match import OneMatch
from ginpeer.match_store import noted_matches
from ginpeer.net.interfaces import CloseReason
from ginpeer.net.session import Side
from ginpeer.net.throttle import WorkingTime
from ginpeer.seat.seat import Options
from ginpeer.store import StoreError

PATIENCE = 60.0
"""Seconds that a table is kept after its guest's connection is lost, unless --patience is given."""

CHECKING_BURST = 5.0  # seconds that verifying stored matches may take in one burst: about ten hands
CHECKING_SHARE = 0.2  # seconds of verifying in each second after the burst
LATEST = 64  # how many waiting guests are remembered

BEHIND = 60.0
"""Seconds that a guest who left while others waited stays behind them. By then, the program of
anybody who waits at a terminal has tried again."""


class Club:
    """All tables of the club (ginpeer.net.access_policy.SidePool), and the end of the program.
    ``limit``: how many matches each guest plays. ``patience``: how many seconds a table is kept
    after its guest's connection is lost. ``fresh``: whether old matches are ignored."""

    def __init__(self, match: OneMatch, args: Namespace, options: Options) -> None:
        from twisted.internet.defer import Deferred

        self.match = match
        self.options = options
        self.limit: int = args.matches or 1
        self.patience: float = PATIENCE if args.patience is None else args.patience
        self.fresh: bool = args.new
        self.listens: str | None = None  # where we wait for guests (TableKeeper)
        self.is_over = False
        self._tables: int = args.tables or 1
        self._guests: dict[bytes, ClubTable] = {}
        self.queue = ClubQueue()
        self.kept_seats = KeptSeats()
        self._checking = WorkingTime(CHECKING_BURST, CHECKING_SHARE, match.reactor.seconds())
        self._given = self._matches = 0  # visits of guests to a table, and matches finished
        self.closed: Any = Deferred()  # fires once the club is closed and all guests have left

    # --- called when guests arrive and leave -------------------------------------------------

    @property
    def is_full(self) -> bool:
        return self.is_over or len(self._guests) >= self._tables

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
        """Free this guest's table, because its connection is gone, unless the table is kept."""
        found = self._guests.get(key)
        if found is not None and not found.is_kept:
            self.free(key)

    def note_refused(self, key: bytes) -> None:
        """Note that no table was free for this guest. Send away a guest who has played too long."""
        self.queue.note_refused(key, self.match.reactor.seconds())
        if self._guests:
            min(self._guests.values(), key=lambda each: each.began).make_room()

    def _may_sit_down(self, key: bytes) -> bool:
        now = self.match.reactor.seconds()
        if self.queue.is_behind(key, now):
            return False
        return self._checking.has_any(now) or not self._has_to_be_checked(key)

    def _has_to_be_checked(self, key: bytes) -> bool:
        """Return whether a match with this guest is stored whose seat isn't kept in memory. A
        finished match counts: if the guest claims to lack its end, we verify the whole log."""
        with suppress(StoreError):  # reported when the guest gets its table
            noted = noted_matches(self.match.home)
            tables = {notes.table for _, notes in noted if notes.peer == key}
            return not tables <= {seat.table.table_id for seat in self.kept_seats}
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
        if not self.is_over:
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
        if self.is_over:
            self.match.after.status = INTERRUPTED
            self.match.after.halt()
        else:
            self.leave()

    def leave(self) -> None:
        """Say goodbye at every table."""
        self._close(None)

    def hang_up(self) -> None:
        """Cut all sessions, because the terminal is gone. The guests keep their matches."""
        self._close(CloseReason("hung-up", "The terminal was closed. The log is kept."))

    @property
    def has_left(self) -> bool:
        return self.is_over

    def _close(self, cut: CloseReason | None) -> None:
        if self.is_over:
            return
        self.is_over = True
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
        """Return whether a different guest has come and found no table since this time."""
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
