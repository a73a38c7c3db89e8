"""A guest on its way to the host: once, or again and again until it is there.

# Rule 1: what can be different a moment later is tried again, ever more rarely; whatever else the
# host or the network answers is final.
# Rule 2: an answer of the host that only its player can change is waited out by whoever is in the
# middle of a match, and by nobody else.
# Rule 3: a host that lets us in only to drop us is asked as rarely as one that is not there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import repeat
from typing import Any

from ginpeer.net.address import Address
from ginpeer.net.address_codec import MAX_ADDRESSES
from ginpeer.net.codes import Invite
from ginpeer.net.connector import connect
from ginpeer.net.dialler import Dialler
from ginpeer.net.guest_connection import BOTH_JOIN
from ginpeer.net.hole_punch import HolePunch
from ginpeer.net.interfaces import Clock
from ginpeer.net.not_reached import JoinError
from ginpeer.net.session import Session, Side
from ginpeer.net.socks_messages import UNREACHED

TAKEN = "table-taken"
"""What a host answers whose table, or tables, others have; a moment later it may be free."""

_NOT_THERE = frozenset(
    {
        "connection-refused",
        "connect-timeout",
        "unreachable",
        "unknown-host",
        "cannot-connect",
        "host-unreachable",
        "connection-lost",
        "greeting-timeout",
        TAKEN,  # by the connection that was lost, until the host notices
        "tls-failed",
    }
    | UNREACHED
)
"""Ways not to reach a host that can be different a moment later."""

_NOT_LET_IN = frozenset({"invite-wrong", "invite-used", "not-expected", "pinned-key-mismatch"})
"""Answers that can be different when the other player has typed something else. Whoever is in the
middle of a match waits for that, and is told."""

_LASTING = 30.0
"""Seconds at the table, after which a connection that is lost was a good one."""


class Reconnector:
    """The attempts to reach one host."""

    def __init__(
        self,
        reactor: Any,
        invite: Invite,
        side: Side,
        *,
        persistent: bool,
        seated: Callable[[], bool],
        agreed: Callable[[], bool],
        over: Callable[[], bool],
        not_there: Callable[[], None],
        not_let_in: Callable[[str, str], None],
        failed: Callable[[str, str], None],
        clock: Clock | None = None,
        dialler: Dialler | None = None,
        hole_punch: HolePunch | None = None,
        found_at: Callable[[], tuple[Address, ...]] = tuple,
        queues: bool = False,
        gone: Callable[[], None] = lambda: None,
    ) -> None:
        """*persistent*: try until the host is there. *queues*: try until its table is free, and
        tell *not_let_in* so. *seated*: whether we have sat at its table
        already, which makes us persistent, too. *agreed*: whether a match was agreed there. *over*:
        whether nobody wants to go there any more.

        *not_there* hears, once, that the host is not there before we have sat at its table.
        *not_let_in* hears, once for each code, with code and sentence, that the host does not let
        us in, or joins as we do, and is asked again. *failed* hears, with code and sentence, that
        there is no way.
        *clock* times sessions and attempts; *reactor* does the network; *dialler*: how addresses
        are dialled, if not directly; *crossing*: how both dial, where the host's addresses lead
        nowhere. *found_at*: where the host has said since that it is, to be tried first. *gone*
        hears, each time, that the host does not answer at whose table we have sat."""
        self._reactor = reactor
        self._dialler = dialler
        self._clock: Clock = clock if clock is not None else reactor
        self._invite = invite
        self._side = side
        self._hole_punch = hole_punch
        self._found_at = found_at
        self._queues = queues
        self._gone = gone
        self._persistent = persistent
        self._seated = seated
        self._agreed = agreed
        self._over = over
        self._not_there = not_there
        self._not_let_in = not_let_in
        self._failed = failed
        self._pauses = _pauses()
        self._session: Session | None = None  # that we were let into last
        self._told = False
        self._answers: set[str] = set()  # of the host, that were told
        self._stop: Callable[[], object] = lambda: None

    def go(self) -> None:
        """Try now."""
        coming = connect(
            self._reactor,
            self._newest(),
            self._side,
            clock=self._clock,
            dialler=self._dialler,
            hole_punch=self._hole_punch,
        )
        self._stop = coming.cancel
        coming.addCallbacks(self._came, self._missed)

    def _newest(self) -> Invite:
        """The invite, with where the host has moved to."""
        found = self._found_at()
        if not found:
            return self._invite
        addresses = dict.fromkeys((*found, *self._invite.addresses))
        return replace(self._invite, addresses=tuple(addresses)[:MAX_ADDRESSES])

    def later(self) -> None:
        """Try again after a pause, which grows from one attempt to the next, and begins small
        again after a session that was of use."""
        if self._session is not None and self._was_of_use(self._session):
            self._pauses = _pauses()
            if self._hole_punch is not None:
                self._hole_punch.renew()
        self._session = None
        call = self._clock.callLater(next(self._pauses), self.go)
        self._stop = lambda: call.cancel() if call.active() else None

    def give_up(self) -> None:
        """Try no more."""
        self._stop()

    def _came(self, session: Session) -> None:
        self._session = session
        self._stop = lambda: None

    def _was_of_use(self, session: Session) -> bool:
        lasted = self._clock.seconds() - session.begun
        return lasted >= _LASTING or session.advanced

    def _missed(self, failure: Any) -> None:
        self._stop = lambda: None
        error = failure.value
        if self._over():
            return
        if not isinstance(error, JoinError):
            self._failed("internal-error", "This program failed before the match began.")
        elif self._both_join(error.code) or self._may_queue(error.code):
            self._tell_answer(error.code, error.sentence)
            self.later()
        elif (self._persistent or self._seated()) and error.code in _NOT_THERE:
            self._tell_once()
            if self._seated() and error.code != TAKEN:
                self._gone()
            self.later()
        elif (self._persistent or self._agreed()) and error.code in _NOT_LET_IN:
            self._tell_answer(error.code, error.sentence)
            self.later()
        else:
            self._failed(error.code, error.sentence)

    def _both_join(self, code: str) -> bool:
        return code == BOTH_JOIN.code and (self._persistent or self._seated())

    def _may_queue(self, code: str) -> bool:
        return code == TAKEN and self._queues and not self._seated()

    def _tell_once(self) -> None:
        if not self._seated() and not self._told:  # else the table has said that it waits
            self._not_there()
        self._told = True

    def _tell_answer(self, code: str, sentence: str) -> None:
        if code not in self._answers:
            self._answers.add(code)
            self._not_let_in(code, sentence)


def _pauses() -> Iterator[float]:
    """Seconds between attempts to reach a host again."""
    yield from (1.0, 2.0, 4.0, 8.0, 15.0)
    yield from repeat(30.0)
