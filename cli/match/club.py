"""A club: the bot plays whoever comes with the one invite, at one table or several.

# Rule 1: a table is given to one guest at a time (club_sitting.py). Who comes while all are taken
# hears `table-taken`, which its program knows, and tries again.
# Rule 2: the program ends when our player ends it, and not with a match.
# Rule 3: while the stored match of a guest that comes again is found and verified, nothing else is
# served. So that takes CHECKING_SHARE of the time at most, but for a burst; who would take more
# hears `table-taken`; not so a guest who has no match here, or whose seats are kept.
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from cli.failure import Failure
from cli.match.club_queue import Queue
from cli.match.club_sitting import Sitting
from cli.match.ending import ENDED_EARLY
from cli.match.interrupts import INTERRUPTED
from cli.match.one_match import OneMatch
from cli.match.stood_up import StoodUp
from cli.text.club import NEXT, at_once, person_needs_bot, summary
from ginpeer.keeper import with_notes
from ginpeer.net.interfaces import Closed
from ginpeer.net.session import Side
from ginpeer.net.throttle import WorkingTime
from ginpeer.seat.seat import Options
from ginpeer.store import StoreError

PATIENCE = 60.0
"""Seconds for which the table of a lost guest is kept, where no others are typed."""

CHECKING_BURST = 5.0
"""Seconds of verifying stored matches at once: some ten hands."""

CHECKING_SHARE = 0.2
"""Seconds of that in each second afterwards."""


class Club:
    """The tables (ginpeer.net.club_door.Tables), and the end of the program.

    ``options``, ``limit``, ``patience`` and ``fresh`` hold for every guest: what is offered, how
    many matches, for how many seconds its table is kept, and whether no old match goes on.
    ``stood_up`` are the seats of guests that have left."""

    def __init__(self, match: OneMatch, args: Namespace, options: Options) -> None:
        self.match = match
        self.options = options
        self.limit: int = args.matches or 1
        self.patience: float = PATIENCE if args.patience is None else args.patience
        self.fresh: bool = args.new
        self.is_over = False
        self._tables: int = args.tables or 1
        self._sittings: dict[bytes, Sitting] = {}
        self._numbers: dict[bytes, int] = {}
        self._queue = Queue()
        self.stood_up = StoodUp()
        self._checking = WorkingTime(CHECKING_BURST, CHECKING_SHARE, match.reactor.seconds())
        self._given = self._matches = 0
        match.leaving = self

    # --- asked at the door -------------------------------------------------------------------

    @property
    def full(self) -> bool:
        """Whether no table is free."""
        return self.is_over or len(self._sittings) >= self._tables

    def give(self, key: bytes) -> Side | None:
        """The table that is kept for this guest, or a free one."""
        found = self._sittings.get(key)
        if found is None and not self.full and self._may_sit_down(key):
            taken = set(self._numbers.values())
            number = next(each for each in range(1, self._tables + 1) if each not in taken)
            found = Sitting(self, key, self._teller(number))
            self._sittings[key], self._numbers[key] = found, number
            self._given += 1
        if found is None:
            return None
        self._queue.has_table(key)
        return found.side

    def left(self, key: bytes) -> None:
        """This guest's connection is gone."""
        found = self._sittings.get(key)
        if found is not None and not found.is_kept:
            self.free(key)

    def wanted(self, key: bytes) -> None:
        """Note that no table was free for this guest, and let the match that has lasted longest
        make room if it has taken too long."""
        self._queue.waits(key, self.match.reactor.seconds())
        if self._sittings:
            min(self._sittings.values(), key=lambda each: each.began).make_room()

    def _may_sit_down(self, key: bytes) -> bool:
        now = self.match.reactor.seconds()
        if self._queue.is_behind(key, now):
            return False
        return self._checking.has_any(now) or not self._has_to_be_checked(key)

    def _has_to_be_checked(self, key: bytes) -> bool:
        """Whether there is a match with this guest whose seat is not kept."""
        with suppress(StoreError):  # which is told when its table is laid
            noted = with_notes(self.match.home)
            tables = {notes.table for _, notes in noted if notes.peer == key}
            return not tables <= {seat.table.table_id for seat in self.stood_up}
        return False

    # --- told by the tables ------------------------------------------------------------------

    def others_wait(self, key: bytes, since: float) -> bool:
        """Whether somebody but this guest found no table since then, by the reactor's clock."""
        return self._queue.others_wait(key, since)

    @contextmanager
    def checking(self) -> Iterator[None]:
        """What is done inside is on account of the time for stored matches."""
        began = self.match.reactor.seconds()
        try:
            yield
        finally:
            self._checking.spend(max(0.0, self.match.reactor.seconds() - began))

    def free(self, key: bytes) -> None:
        """Give the table of a guest who has left for good to the next guest. If the first one comes
        back, guests who were already waiting go first."""
        found = self._sittings.pop(key, None)
        if found is None:
            return
        if self._queue.others_wait(key, found.began):
            self._queue.has_left(key, self.match.reactor.seconds())
        number = self._numbers.pop(key)
        self._matches += found.matches
        found.close()
        if not self.is_over:
            self._teller(number)(NEXT)
        elif not self._sittings:
            self._finish()

    # --- our player ends it ------------------------------------------------------------------

    def greet(self) -> None:
        """Say what the invite is good for."""
        self.match.voice.info(at_once(self._tables))

    def interrupt(self) -> None:
        """Ctrl-C: leave all tables; again, at once."""
        if self.is_over:
            self.match.ending.status = INTERRUPTED
            self.match.ending.halt()
        else:
            self.leave()

    def leave(self) -> None:
        """Say goodbye at every table."""
        self._close(None)

    def hang_up(self) -> None:
        """The terminal is gone: the guests' tables wait."""
        self._close(Closed("hung-up", "The terminal was closed; the log is kept."))

    @property
    def has_left(self) -> bool:
        """Whether our player wants to go."""
        return self.is_over

    def _close(self, cut: Closed | None) -> None:
        if self.is_over:
            return
        self.is_over = True
        self.match.ending.give_up()
        for key, sitting in tuple(self._sittings.items()):
            sitting.leave(cut)
            if not sitting.is_open:
                self.free(key)
        if not self._sittings:
            self._finish()

    def _finish(self) -> None:
        ending = self.match.ending
        if ending.status is None:
            ending.status = 0 if self._matches else ENDED_EARLY
            told = summary(self._given, self._matches)
            self.match.voice.ended("left", told, ending.status, None)
            ending.halt()

    def _teller(self, number: int) -> Callable[[str], None]:
        where = "" if self._tables == 1 else f"Table {number}: "

        def tell(line: str) -> None:
            at = time.strftime("%H:%M:%S")
            self.match.voice.info(f"{at} {where}{line}")

        return tell


def check_club(args: Namespace, command: str) -> bool:
    """Whether a club is wanted; raises Failure where it cannot be."""
    if not (args.club or args.tables):
        return False
    if not args.bot:
        raise Failure("usage", person_needs_bot(command))
    if args.friend is not None:
        raise Failure("usage", "A club plays whoever comes; without --club only a friend may come.")
    return True
