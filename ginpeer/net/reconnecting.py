"""A guest's attempts to connect to its host: once, or repeatedly until the host is there.

Rule 1: a failure that may soon pass leads to another attempt, at growing intervals; any other
answer from the host or the network is final.
Rule 2: if only the host's player can change an answer, only a guest in the middle of a match
waits for that.
Rule 3: if a host admits us only to drop us, we retry as rarely as if it weren't there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import repeat
from typing import Any

from ginpeer.net.address import MAX_ADDRESSES
from ginpeer.net.codes import Invite
from ginpeer.net.connection_attempt import BOTH_JOIN, Dialler
from ginpeer.net.connector import connect
from ginpeer.net.hole_punch import HolePunch
from ginpeer.net.interfaces import GuestPort, cancel
from ginpeer.net.not_reached import JoinError
from ginpeer.net.session import Session, Side
from ginpeer.net.socks import UNREACHED

TAKEN = "table-taken"  # the host has no room for us; a moment later it may have

_NOT_THERE = UNREACHED | {
    *("connection-refused", "connect-timeout", "unreachable", "unknown-host", "cannot-connect"),
    *("host-unreachable", "connection-lost", "greeting-timeout", "tls-failed"),
    TAKEN,  # by the connection that was lost, until the host notices
}
"""Failures to reach a host that may soon pass."""

_NOT_LET_IN = frozenset({"invite-wrong", "invite-used", "not-expected", "pinned-key-mismatch"})
"""Answers that the host's player can change by typing something else. A guest in the middle of a
match is notified, and waits for that."""

_LASTING = 30.0  # seconds that a connection must last to count as a good one


def _pauses() -> Iterator[float]:
    """Yield the seconds between attempts to reach a host again."""
    yield from (1.0, 2.0, 4.0, 8.0, 15.0)
    yield from repeat(30.0)


@dataclass(eq=False)
class Reconnector:
    """Connects to one host through *reactor*, as often as needed."""

    reactor: Any
    invite: Invite
    side: Side
    guest: GuestPort
    persistent: bool = False  # whether to keep trying until the host is there
    dialler: Dialler | None = None  # how addresses are dialled, if not directly
    hole_punch: HolePunch | None = None  # how both sides dial, if no address of the host works
    queues: bool = False  # whether to keep trying until the host has room for us

    def __post_init__(self) -> None:
        self._pauses = _pauses()
        self._session: Session | None = None  # the last one
        self._reported_absence = False
        self._reported: set[str] = set()  # the codes of the host's answers
        self._stop: Callable[[], object] = lambda: None

    def try_now(self) -> None:
        coming = connect(
            self.reactor,
            self._newest(),
            self.side,
            dialler=self.dialler,
            hole_punch=self.hole_punch,
        )
        self._stop = coming.cancel
        coming.addCallbacks(self._on_session, self._on_failure)

    def try_later(self) -> None:
        """Try again after a pause. The pauses grow, and start over after a useful session."""
        if self._session is not None and self._was_useful(self._session):
            self._pauses = _pauses()
            if self.hole_punch is not None:
                self.hole_punch.renew()
        self._session = None
        timer = self.reactor.callLater(next(self._pauses), self.try_now)
        self._stop = lambda: cancel(timer)

    def give_up(self) -> None:
        self._stop()

    def _newest(self) -> Invite:
        """Return the invite, with the addresses that the host has named since then."""
        found = self.guest.host_addresses
        if not found:
            return self.invite
        addresses = dict.fromkeys((*found, *self.invite.addresses))
        return replace(self.invite, addresses=tuple(addresses)[:MAX_ADDRESSES])

    def _on_session(self, session: Session) -> None:
        self._session = session
        self._stop = lambda: None

    def _was_useful(self, session: Session) -> bool:
        lasted = self.reactor.seconds() - session.begun
        return lasted >= _LASTING or session.advanced

    def _on_failure(self, failure: Any) -> None:
        self._stop = lambda: None
        error, guest = failure.value, self.guest
        if guest.is_over:
            return
        if not isinstance(error, JoinError):
            guest.on_failure("internal-error", "ginpeer failed before the match began.")
        elif self._is_worth_waiting(error.code):
            if error.code not in self._reported:
                self._reported.add(error.code)
                guest.on_refused(error.code, error.sentence)
            self.try_later()
        elif (self.persistent or guest.was_admitted) and error.code in _NOT_THERE:
            if not guest.was_admitted and not self._reported_absence:
                guest.on_not_there()
            self._reported_absence = True
            if guest.was_admitted and error.code != TAKEN:
                guest.on_lost()
            self.try_later()
        else:
            guest.on_failure(error.code, error.sentence)

    def _is_worth_waiting(self, code: str) -> bool:
        """Return whether to wait until the host's player changes this answer."""
        if code == BOTH_JOIN.code:
            return self.persistent or self.guest.was_admitted
        if code == TAKEN:
            return self.queues and not self.guest.was_admitted
        return code in _NOT_LET_IN and (self.persistent or self.guest.has_match)
