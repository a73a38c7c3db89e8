"""A guest's search for its host: one series of attempts at the addresses of an invite (`connect`),
or one series after another until the host is reached (`Reconnector`).

Addresses are tried in the invite's order. The next attempt starts when the last one has failed or
has taken Timing.stagger seconds (as RFC 8305 does with one host's addresses). The first host to
admit us wins. Two events stop new attempts before that:
  - A peer has shown the host's key. It is the host: we try nothing new while it greets.
  - The host itself has answered (invite used, table taken). That is final, except that a host which
    refuses us at one port may admit us at another, where a second program uses the same home.
If somebody else's key answers at an address, the search continues: 127.0.0.1 is a different
machine for everyone. But if no host admits us, the player is shown that answer.

If no address reaches the host, both sides dial (hole_punch.py), and the attempts continue. Each
address is dialled again some time after it has failed: a name may point elsewhere by then, and an
onion service may be back. Since anybody may connect to us, a connection made to us counts as the
host's only once the peer has shown the host's key, and only an answer from the host itself ends the
search. "Table taken" doesn't end it: most likely the host has admitted another of our attempts.
A slow line doesn't mean that both sides must dial. So hole punching doesn't start while an attempt
has a TCP connection, nor until the last address has had HolePunch.after seconds.

Rule 1: after a failure that may be temporary, another series follows, at growing intervals; any
other answer from the host or the network is final.
Rule 2: if only the host's player can change an answer, a guest waits for that only if it is
persistent or in the middle of a match.
Rule 3: if a host admits us only to drop us, we retry as rarely as if it weren't there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import repeat
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.protocol import Protocol
from twisted.python.failure import Failure

from ginpeer.net.address import MAX_ADDRESSES, Address, is_onion
from ginpeer.net.codes import Invite
from ginpeer.net.connection import Timing
from ginpeer.net.connection_attempt import (
    BOTH_JOIN,
    AttemptContext,
    AttemptFailed,
    ConnectionAttempt,
    Dialler,
)
from ginpeer.net.handshake import REFUSALS
from ginpeer.net.hole_punch import HolePunch
from ginpeer.net.interfaces import CloseReason, GuestPort, Timer, cancel
from ginpeer.net.limits import BoundedSet, origin_of
from ginpeer.net.not_reached import (
    MET_NOBODY,
    NO_WAY_OUT,
    VERDICTS,
    FailedAttempt,
    JoinError,
    join_error,
    not_dialled,
    rank,
    worth_telling,
)
from ginpeer.net.own_addresses import Reach, classify_address, may_be_dialled, own_hosts
from ginpeer.net.session import Session, Side
from ginpeer.net.tcp import ListenError, ProtocolFactory, address_of
from protocol.crypto.identity import key_hash

TAKEN = "table-taken"  # the host has no room for us, but may have a moment later

_NOT_HERE = frozenset({"not-expected", "invite-wrong", TAKEN})
"""Answers from a host that may still admit us at another of its ports. "Invite used" isn't among
them: only the port to which the invite leads gives that answer."""

_NEAR = frozenset({Reach.HOME, Reach.VPN, Reach.LINK, Reach.CONTAINER, Reach.LOOPBACK})

MAX_INCOMING = 32  # connections at a time while both sides dial; each costs about 60 KB
REDIAL = 15.0  # seconds until an address that failed is dialled again, while both sides dial
SLOWEST = 60.0  # seconds at most before a name is dialled again: resolvers cache its old address
ONION_PATIENCE = 20.0
"""Seconds that Tor usually needs to connect to an onion address. After that it is dialled a second
time, through other circuits: Tor may wait for two minutes on a circuit to a service that has since
been restarted."""


def connect(
    reactor: Any,
    invite: Invite,
    side: Side,
    *,
    timing: Timing | None = None,
    dialler: Dialler | None = None,
    hole_punch: HolePunch | None = None,
) -> Deferred[Session]:
    """Follow an invite. Once the host has admitted us, fires with the session, which has begun.

    Fails with JoinError. Cancelling drops every attempt. *dialler*: how addresses are dialled, if
    not directly. *hole_punch*: how both sides dial, if no address of the host works.
    """
    context = AttemptContext(reactor, invite, side, timing or Timing(), dialler or Dialler())
    connector = Connector(context, hole_punch)
    connector.start()
    return connector.outcome


class Connector:
    """Tries the addresses of an invite until one connection to the host wins, or none is left."""

    def __init__(self, context: AttemptContext, hole_punch: HolePunch | None = None) -> None:
        self.outcome: Deferred[Session] = Deferred(lambda _: self._drop_all())
        self._context = context
        self._reactor = context.reactor
        self._addresses = context.invite.addresses
        self._waiting = deque(filter(may_be_dialled, self._addresses))
        self._running: list[ConnectionAttempt] = []
        self._failed = [not_dialled(each) for each in self._addresses if not may_be_dialled(each)]
        self._timer: Timer | None = None  # until the next address is tried
        self._over = False
        self._final = False  # whether the host itself has given a final answer
        useful = hole_punch is not None and hole_punch.is_useful()
        self._hole_punch = hole_punch if useful else None
        self._patience: Timer | None = None  # starts hole punching, even if attempts are running
        self._waited = False  # whether every address has had long enough
        self._later: list[Timer] = []  # until an address is dialled again
        self._pauses: dict[Address, float] = {}
        self._incoming: BoundedSet[ConnectionAttempt] = BoundedSet(MAX_INCOMING)

    # --- the addresses of the invite, one after the other ------------------------------

    def start(self) -> None:
        if key_hash(self._context.side.identity.public) == self._context.invite.host:
            self._over = True
            self.outcome.errback(JoinError("same-key", REFUSALS["same-key"]))
        elif not self._waiting:
            self._fail()
        else:
            self._start_next()

    def _start_next(self) -> None:
        address = Address(*self._waiting.popleft())
        if self._waiting:
            self._timer = self._reactor.callLater(self._context.timing.stagger, self._start_next)
        elif self._hole_punch is not None and self._patience is None:
            after = self._hole_punch.after
            if after and any(is_onion(each.host) for each in self._addresses):
                after = max(after, ONION_PATIENCE)
            self._patience = self._reactor.callLater(after, self._waited_enough)
        self._dial(address)

    def _dial(self, address: Address) -> None:
        if is_onion(address.host):
            self._call_later(ONION_PATIENCE, self._dial_again, address)
        self._begin(ConnectionAttempt(self._context, address))

    def _dial_again(self, address: Address) -> None:
        """Dial an onion address a second time if the first attempt is still not connected."""
        if any(not attempt.is_connected for attempt in self._attempts_at(address)):
            self._begin(ConnectionAttempt(self._context, address))

    def _attempts_at(self, address: Address) -> list[ConnectionAttempt]:
        dialled = (each for each in self._running if not each.is_incoming)
        return [each for each in dialled if each.address == address]

    def _call_later(self, seconds: float, act: Callable[[Address], None], address: Address) -> None:
        self._later = [each for each in self._later if each.active()]
        self._later.append(self._reactor.callLater(seconds, act, address))

    def _begin(self, attempt: ConnectionAttempt) -> None:
        self._running.append(attempt)
        Deferred.fromCoroutine(self._follow(attempt)).addErrback(self._end_with_fault)

    async def _follow(self, attempt: ConnectionAttempt) -> None:
        """Follow an attempt until the host has admitted us or the attempt has failed."""
        try:
            connection = await attempt.connect()
            cancel(self._timer)  # try no other address for now: this peer has the host's key
            session = await connection.admitted
        except AttemptFailed as failed:
            self._on_failure(attempt, failed.reason)
            return
        if self._hole_punch is not None:
            self._hole_punch.worked = attempt.is_incoming
        self._drop_all(but=attempt)
        connection.begin()
        self._running.remove(attempt)  # only now, so that an earlier fault closes the connection
        self.outcome.callback(session)

    # --- both dial ---------------------------------------------------------------------

    def _both_dial(self) -> bool:
        return self._hole_punch is not None and self._hole_punch.is_open

    def _waited_enough(self) -> None:
        self._waited = True
        self._punch()

    def _punch(self) -> None:
        """Start hole punching if the host's addresses have failed or take too long."""
        if self._hole_punch is None or self._hole_punch.is_open:
            return
        attempts = worth_telling(tuple(self._failed), own_hosts())
        if any(rank(attempt) < 2 for attempt in attempts):
            return  # a peer has answered, so dialling from the other side wouldn't help
        under_way = [each for each in self._running if not each.is_incoming]
        if any(attempt.is_connected for attempt in under_way) or (under_way and not self._waited):
            return
        cancel(self._patience)
        where = ", ".join(map(str, self._addresses))
        failed = {each.address for each in self._failed}
        all_failed = attempts and failed.issuperset(self._addresses)
        why = (
            join_error(attempts, own_hosts()).sentence
            if all_failed
            else f"No answer yet from {where}."
        )
        try:
            self._hole_punch.begin(ProtocolFactory(self.take), why, self._stop_punching)
        except ListenError:
            self._hole_punch = None  # no port can be opened: report the failed addresses instead
            return
        busy = {*self._waiting, *(attempt.address for attempt in under_way)}
        for address in filter(may_be_dialled, self._addresses):
            if address not in busy:
                self._dial_later(Address(*address))

    def _dial_later(self, address: Address) -> None:
        """Dial an address of the invite again after a pause. The pauses grow if the address isn't
        on the Internet. A name may resolve to any address, so its pauses grow only to SLOWEST."""
        pause = self._pauses.get(address, REDIAL)
        reach = classify_address(address).reach
        if self._hole_punch is not None and self._hole_punch.is_slow:
            pause = SLOWEST
        elif reach in _NEAR:
            self._pauses[address] = 2 * pause
        elif reach is Reach.GIVEN:
            self._pauses[address] = min(2 * pause, SLOWEST)
        self._call_later(pause, self._dial, address)

    def take(self, address: Any) -> Protocol | None:
        """Build the protocol for a connection made while both sides dial. We don't know its peer
        yet."""
        if self._over:
            return None
        here = address_of(address)
        attempt = ConnectionAttempt(self._context, here, is_incoming=True)
        crowded_out = self._incoming.add(attempt, origin_of(here.host))
        if crowded_out is not None:
            crowded_out.drop()
        protocol = attempt.accept(address)
        self._begin(attempt)
        return protocol

    def _stop_punching(self) -> None:
        """End hole punching: its time is up."""
        if self._hole_punch is not None:
            self._hole_punch.end()
        self._hole_punch = None
        cancel(*self._later)
        self._end_if_none_runs()

    # --- the end -----------------------------------------------------------------------

    def _on_failure(self, attempt: ConnectionAttempt, closed: CloseReason) -> None:
        self._running.remove(attempt)
        self._incoming.remove(attempt)
        both_dial = self._both_dial()
        final = closed.code in VERDICTS or closed.failure == "C"
        if both_dial and self._hole_punch is not None:
            if not self._hole_punch.is_slow:
                final = final and closed.code != TAKEN
            elif not attempt.is_incoming:  # our player has to know who answers there now
                final = final or closed.code in _ANSWERS
        if final or not attempt.is_incoming:
            failed = FailedAttempt(attempt.address, closed.code, closed.sentence)
            self._failed = [each for each in self._failed if each.address != attempt.address]
            self._failed.append(failed)
        if self._over:
            return
        if attempt.is_incoming and closed is BOTH_JOIN and self._hole_punch is not None:
            self._hole_punch.report(closed.sentence, attempt.address.host)
        if final:
            # Try no other address, except the host's other ports if it may admit us there.
            others = [each for each in self._waiting if each.port != attempt.address.port]
            self._waiting = deque(others if closed.code in _NOT_HERE else ())
            self._final = self._final or not self._waiting
        if not attempt.is_incoming:
            if both_dial and not final and not self._attempts_at(attempt.address):
                self._dial_later(attempt.address)
            if self._waiting:
                cancel(self._timer)
                self._start_next()
                return
        if not self._final:
            self._punch()
        if self._final or not self._both_dial():
            self._end_if_none_runs()

    def _end_if_none_runs(self) -> None:
        if not self._running and not self._over:
            self._fail()

    def _end_with_fault(self, failure: Failure) -> None:
        """End the search, because our own program has failed."""
        if failure.value is not None:
            self._context.side.caught(failure.value)
        try:
            self._drop_all()
        finally:
            if not self.outcome.called:
                self.outcome.errback(failure)

    def _fail(self) -> None:
        self._drop_all()
        self.outcome.errback(join_error(tuple(self._failed), own_hosts()))

    def _drop_all(self, but: ConnectionAttempt | None = None) -> None:
        self._over = True
        self._waiting.clear()
        cancel(self._timer, self._patience, *self._later)
        if self._hole_punch is not None:
            self._hole_punch.end()
        for attempt in tuple(self._running):
            if attempt is not but:
                attempt.drop()


# --- one series after another -----------------------------------------------------------------

_NOT_THERE = MET_NOBODY | {
    *("host-unreachable", "connection-lost", "greeting-timeout", "tls-failed"),
    TAKEN,  # by our lost connection, until the host notices the loss
}
"""Possibly temporary failures to reach a host."""

_LOST = _NOT_THERE | {"not-dialled"}
"""The same, for a guest in the middle of a match. "Not dialled" may be temporary as well: while our
network is down, we don't dial link-local addresses."""

_ANSWERS = frozenset({"pinned-key-mismatch", BOTH_JOIN.code})
"""Answers from somebody other than the host, at an address where the host may be later."""

_NOT_LET_IN = frozenset({"invite-wrong", "invite-used", "not-expected", "pinned-key-mismatch"})
"""Refusals that only the host's player can lift. The guest keeps trying if it is persistent or in
the middle of a match, and its player is told."""

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
    persistent: bool = False  # whether to keep trying until the host is reached
    dialler: Dialler | None = None  # how addresses are dialled, if not directly
    hole_punch: HolePunch | None = None  # how both sides dial, if no address of the host works
    queues: bool = False  # whether to keep trying until the host has room for us

    def __post_init__(self) -> None:
        self._pauses = _pauses()
        self._session: Session | None = None  # the last session
        self._reported_absence = False
        self._reported: set[str] = set()  # the codes that the guest has been told
        self._stop: Callable[[], object] = lambda: None

    def try_now(self) -> None:
        invite, dialler = self._newest(), self.dialler
        coming = connect(
            self.reactor, invite, self.side, dialler=dialler, hole_punch=self.hole_punch
        )
        self._stop = coming.cancel
        coming.addCallbacks(self._on_session, self._on_failure)

    def try_later(self) -> None:
        """Try again after a pause. The pauses grow, and start over after a useful session."""
        last, self._session = self._session, None
        lasted = 0.0 if last is None else self.reactor.seconds() - last.begun
        if lasted >= _LASTING or (last is not None and last.was_useful):
            self._pauses = _pauses()
            if self.hole_punch is not None:
                self.hole_punch.renew()
        timer = self.reactor.callLater(next(self._pauses), self.try_now)
        self._stop = lambda: cancel(timer)

    def give_up(self) -> None:
        self._stop()

    def _newest(self) -> Invite:
        """Return the invite, headed by the addresses that the host has named since it was made."""
        found = self.guest.host_addresses
        if not found:
            return self.invite
        addresses = dict.fromkeys((*found, *self.invite.addresses))
        return replace(self.invite, addresses=tuple(addresses)[:MAX_ADDRESSES])

    def _on_session(self, session: Session) -> None:
        self._session = session
        self._reported.clear()
        self._stop = lambda: None

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
        elif (self.persistent and error.code in _NOT_THERE) or (
            guest.was_admitted and error.code in _LOST
        ):
            if not guest.was_admitted and not self._reported_absence:
                guest.on_host_absent()
            self._reported_absence = True
            if guest.was_admitted and error.code != TAKEN:
                guest.on_lost()
            self.try_later()
        else:
            guest.on_failure(error.code, error.sentence)

    def _is_worth_waiting(self, code: str) -> bool:
        """Return whether to keep trying until a player removes the cause of this failure."""
        if code == BOTH_JOIN.code or code in NO_WAY_OUT:
            return self.persistent or self.guest.was_admitted
        if code == TAKEN:
            return self.queues and not self.guest.was_admitted
        return code in _NOT_LET_IN and (self.persistent or self.guest.has_match)
