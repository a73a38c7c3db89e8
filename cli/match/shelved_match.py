"""Unfinished matches that are put aside for a new one: who is asked, and what is said of them.

# Rule 1: a person is asked, the host before it offers a new match in the place of an unfinished
# one, the guest with the offer. A program has said what it wants by how it was started.
# Rule 2: nothing is lost by it. Whatever is put aside is named, with the command that goes on
# with it, when it is put aside and again at the end.
"""

from __future__ import annotations

from contextlib import suppress

from cli.match.contact import Sessions
from cli.table.presenter import Presenter
from cli.table.table import HumanTable
from cli.words.shelved_match import (
    declined_for,
    guest_is_asked,
    host_is_asked,
    is_put_aside,
    lie_aside,
    missing_here,
    short_name,
    stays_as_it_is,
)
from ginpeer.keeper import TableKeeper, aside
from ginpeer.names.nicknames import NOBODY, KnownNames
from ginpeer.referee.table import GUEST, HOST
from ginpeer.rules.ruleset import RuleSet
from ginpeer.store import Home, StoreError, UnreadableLog
from protocol.frames import Position


class ShelvedMatches:
    """The unfinished matches with the player opposite, beside the one that is played."""

    def __init__(
        self,
        home: Home,
        keeper: TableKeeper,
        presenter: Presenter,
        seat: int,
        resume: str,
        sessions: Sessions,
        names: KnownNames = NOBODY,
    ) -> None:
        """*seat*: ours. *resume*: the command that goes on with a match, without its name.
        *names*: what our player calls others."""
        self._home = home
        self._keeper = keeper
        self._presenter = presenter
        self._seat = seat
        self._resume = resume
        self._sessions = sessions
        self._names = names

    def warning(self) -> str | None:
        """What a host is told before it begins a new match in the place of an unfinished one."""
        stored = self._keeper.replaces
        if stored is None or self._seat == GUEST:
            return None
        return host_is_asked(stored, f"{self._resume} {short_name(stored)}", self._names)

    def ask_before(self, table: HumanTable) -> None:
        """The other player has sat down: ask ours (Rule 1) if a new match would put one aside."""
        stored = self._keeper.replaces
        if stored is None:
            return
        name = f"{self._resume} {short_name(stored)}"
        if self._seat == GUEST:
            table.say_aside(guest_is_asked(stored, name, self._names), declined_for(stored))
        elif self._keeper.waits_with_offer:
            table.ask_aside(
                host_is_asked(stored, name, self._names), self._offer_new, self._keep_stored
            )

    def _offer_new(self) -> None:
        session = self._sessions.current
        if session is not None and session.ending is None:
            session.offer()

    def _keep_stored(self) -> None:
        stored, session = self._keeper.replaces, self._sessions.current
        if stored is None or session is None:
            return
        if self._keeper.keep_stored():
            session.take_up_stored()
        else:
            session.leave_stored(stays_as_it_is(stored))

    def agreed(self) -> None:
        """A new match was agreed: say which one is put aside for it."""
        stored = self._keeper.replaces
        if stored is not None:
            name = f"{self._resume} {short_name(stored)}"
            told = is_put_aside(stored, name, by_us=self._seat == HOST)
            self._presenter.put_aside(short_name(stored), told)

    def say_what_is_left(self, peer: bytes) -> None:
        """At the end: what is still unfinished with the player of this key."""
        with suppress(StoreError):
            found = list(aside(self._home, peer))
            if found:
                self._presenter.info(lie_aside(found, self._resume))


_MANY_HANDS = 3
"""Hands whose proofs are not verified again in the blink of an eye."""


class StoredMatchNotices:
    """Each thing is told once, however often the other player comes."""

    def __init__(self, presenter: Presenter, command: str) -> None:
        """*command*: how this program is called."""
        self._presenter = presenter
        self._command = command
        self._damage: StoreError | None = None
        self._missing: bytes | None = None

    def checking(self, hands: int) -> None:
        """To verify the proofs of a hand takes some tenths of a second."""
        if hands >= _MANY_HANDS:
            self._presenter.info(f"Checking the log of {hands} hands.")

    def dropped(self) -> None:
        """What follows looks like any beginning, and the match before it is not over."""
        self._presenter.info(
            "The host goes on with another match than the one that your program has named. That "
            f"one is kept as it is; {self._command} resume and its name goes on with it."
        )

    def not_stored(self, error: StoreError | UnreadableLog) -> None:
        """Our own files keep us from saying where a match stands; the other side is told nothing
        of it."""
        self._presenter.info(f"{error.sentence} ({error.code})")

    def damaged(self, damage: StoreError | None) -> None:
        """A stored match stays as it is because of its files."""
        if damage is not None and damage is not self._damage:
            self._damage = damage
            self._presenter.info(f"{damage.sentence} ({damage.code})")

    def missing(self, table: bytes | None, goes_on: Position | None) -> None:
        """The other player has named a match that is not here."""
        if table is not None and table != self._missing:
            self._missing = table
            going_on = None if goes_on is None else goes_on.table.hex()[:6]
            self._presenter.info(missing_here(table, going_on))

    def other_rules(self, typed: RuleSet | None, played: RuleSet) -> None:
        """Who has typed rules, and finds the match of other rules going on."""
        if typed not in (None, played):
            self._presenter.info(
                f"It keeps the rules that it was begun with; {self._command} host --new begins "
                "another."
            )
