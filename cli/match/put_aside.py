"""Unfinished matches that are put aside for a new one: who is asked, and what is said of them.

# Rule 1: a person is asked, the host before it offers a new match in the place of an unfinished
# one, the guest with the offer. A program has said what it wants by how it was started.
# Rule 2: nothing is lost by it. Whatever is put aside is named, with the command that goes on
# with it, when it is put aside and again at the end.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from cli.table.table import HumanTable
from cli.table.voice import Voice
from cli.text.put_aside import (
    declined_for,
    guest_is_asked,
    host_is_asked,
    is_put_aside,
    lie_aside,
    short_name,
    stays_as_it_is,
)
from ginpeer.keeper import TableKeeper, aside
from ginpeer.names.nicknames import NOBODY, KnownNames
from ginpeer.net.session import Session
from ginpeer.referee.table import GUEST, HOST
from ginpeer.store import Home, StoreError


class PutAside:
    """The unfinished matches with the player opposite, beside the one that is played."""

    def __init__(
        self,
        home: Home,
        keeper: TableKeeper,
        voice: Voice,
        seat: int,
        resume: str,
        session: Callable[[], Session | None],
        names: KnownNames = NOBODY,
    ) -> None:
        """*seat*: ours. *resume*: the command that goes on with a match, without its name.
        *session*: the one that lasts, or was the last. *names*: what our player calls others."""
        self._home = home
        self._keeper = keeper
        self._voice = voice
        self._seat = seat
        self._resume = resume
        self._session = session
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
        session = self._session()
        if session is not None and session.ending is None:
            session.offer()

    def _keep_stored(self) -> None:
        stored, session = self._keeper.replaces, self._session()
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
            self._voice.put_aside(short_name(stored), told)

    def say_what_is_left(self, peer: bytes) -> None:
        """At the end: what is still unfinished with the player of this key."""
        with suppress(StoreError):
            found = list(aside(self._home, peer))
            if found:
                self._voice.info(lie_aside(found, self._resume))
