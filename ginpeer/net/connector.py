"""A guest's search for its host: try the addresses of an invite, once.

# The addresses are tried in the invite's order, the next one when the last has failed or has
# kept us waiting for Timing.stagger seconds (as RFC 8305 does with one host's addresses). The
# first to admit us wins; the others are dropped. Two ends come earlier:
#   - whoever has shown the host's key is the host: nothing new is tried while it greets;
#   - what the host itself answers (invite used, table taken) is final; but one that
#     refuses us there may wait for us at another port, as a second program of the same home does.
# An address where somebody else's key answers is no reason to stop: a laptop's 127.0.0.1 is a
# different machine for everyone. But if no host admits us, that is what the player hears.
# If no address leads there, both dial (hole_punch.py), and the attempts continue:
#   - Each address of the invite is dialled again REDIAL seconds after it has failed: a name may
#     point to a different address by then, an onion service may be back, and hole_punch.py dials
#     neither of these.
#   - Anybody may connect. Such an attempt says nothing about the host until it has shown the
#     host's key, there are at most MAX_COMERS of them, and only an answer of the host itself ends
#     them. A taken table doesn't end them: most likely another of our attempts has taken it.
# A slow line is no reason for both to dial. They don't while an attempt has a TCP connection, nor
# before the last address has had HolePunch.after seconds (with an onion address: ONION_PATIENCE).
"""

from __future__ import annotations

from collections import deque
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.protocol import Protocol

from ginpeer.net.address import Address, AddressError, canonical_host, is_onion
from ginpeer.net.admission import BoundedSet, origin_of
from ginpeer.net.codes import Invite
from ginpeer.net.connection import Timing
from ginpeer.net.connection_attempt import BOTH_JOIN, ConnectionAttempt, Dialler, GuestConnection
from ginpeer.net.handshake import REFUSALS
from ginpeer.net.hole_punch import HolePunch
from ginpeer.net.interfaces import Clock, CloseReason, Timer, cancel
from ginpeer.net.listening_port import ListenError, ProtocolFactory
from ginpeer.net.not_reached import (
    VERDICTS,
    FailedAttempt,
    JoinError,
    join_error,
    not_dialled,
    weight,
    worth_telling,
)
from ginpeer.net.own_addresses import Reach, classify_address, may_be_dialled, own_hosts
from ginpeer.net.session import Session, Side
from protocol.crypto.identity import key_hash
from protocol.frames import Welcome

_NOT_HERE = frozenset({"not-expected", "invite-wrong", "table-taken"})
"""Answers of a host that may still admit us at another of its ports. That an invite is used is what
the port says to which it leads."""

_NEAR = frozenset({Reach.HOME, Reach.VPN, Reach.LINK, Reach.CONTAINER, Reach.LOOPBACK})

MAX_COMERS = 32
"""How many incoming connections to keep at once while both sides dial; each costs some 60 KB."""

REDIAL = 15.0
"""Seconds until an address that has failed is dialled again, while both sides dial."""

SLOWEST = 60.0
"""The longest pause before dialling a name again. Resolvers remember a name's old address about
as long."""

ONION_PATIENCE = 20.0
"""Seconds that Tor usually needs to connect to an onion address."""


def connect(
    reactor: Any,
    invite: Invite,
    side: Side,
    *,
    timing: Timing | None = None,
    clock: Clock | None = None,
    dialler: Dialler | None = None,
    hole_punch: HolePunch | None = None,
) -> Deferred[Session]:
    """Follow an invite. Fires once the host's signed welcome is there and the player has been told.

    Fails with JoinError. Cancelling it drops every attempt. *clock* times sessions and
    attempts; *reactor* does the network. *dialler*: how addresses are dialled, if not directly.
    *hole_punch*: how both sides dial, if the host's addresses lead nowhere.
    """
    clock = clock if clock is not None else reactor
    timing, dialler = timing or Timing(), dialler or Dialler()
    connector = Connector(reactor, invite, side, timing, clock, dialler, hole_punch)
    connector.start()
    return connector.outcome


class Connector:
    """Tries the addresses of an invite until one connection to the host wins, or none is left."""

    def __init__(
        self,
        reactor: Any,
        invite: Invite,
        side: Side,
        timing: Timing,
        clock: Clock,
        dialler: Dialler,
        hole_punch: HolePunch | None = None,
    ) -> None:
        self.outcome: Deferred[Session] = Deferred(lambda _: self._drop_all())
        self.reactor = reactor
        self.invite = invite
        self.side = side
        self.timing = timing
        self.clock = clock
        self.dialler = dialler
        self._waiting = deque(filter(may_be_dialled, invite.addresses))
        self._running: list[ConnectionAttempt] = []
        self._failed = [not_dialled(each) for each in invite.addresses if not may_be_dialled(each)]
        self._timer: Timer | None = None  # until the next address is tried
        self._over = False
        self._final = False  # the host itself has answered
        useful = hole_punch is not None and hole_punch.is_useful()
        self._hole_punch = hole_punch if useful else None
        self._patience: Timer | None = None  # until hole punching, although attempts are running
        self._waited = False  # long enough for every address
        self._redials: list[Timer] = []
        self._pauses: dict[Address, float] = {}
        self._comers: BoundedSet[ConnectionAttempt] = BoundedSet(MAX_COMERS)

    # --- the addresses of the invite, one after the other ------------------------------

    def start(self) -> None:
        """Try the first address."""
        if key_hash(self.side.identity.public) == self.invite.host:
            self._over = True
            self.outcome.errback(JoinError("same-key", REFUSALS["same-key"]))
        elif not self._waiting:
            self._fail()
        else:
            self._start_next()

    def _start_next(self) -> None:
        address = Address(*self._waiting.popleft())
        if self._waiting:
            self._timer = self.clock.callLater(self.timing.stagger, self._start_next)
        elif self._hole_punch is not None and self._patience is None:
            after = self._hole_punch.after
            if after and any(is_onion(each.host) for each in self.invite.addresses):
                after = max(after, ONION_PATIENCE)
            self._patience = self.clock.callLater(after, self._waited_enough)
        self._dial(address)

    def _dial(self, address: Address) -> None:
        attempt = ConnectionAttempt(self, address)
        self._running.append(attempt)
        attempt.start()

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
        if any(weight(attempt) < 2 for attempt in attempts):
            return  # a peer has answered, so dialling from another side changes nothing
        under_way = [each for each in self._running if not each.is_comer]
        if any(attempt.is_connected for attempt in under_way) or (under_way and not self._waited):
            return
        cancel(self._patience)
        where = ", ".join(map(str, self.invite.addresses))
        failed = {each.address for each in self._failed}
        all_failed = attempts and failed.issuperset(self.invite.addresses)
        why = (
            join_error(attempts, own_hosts()).sentence
            if all_failed
            else f"No answer yet from {where}."
        )
        try:
            self._hole_punch.begin(ProtocolFactory(self.take), why, self._stop_punching)
        except ListenError:
            self._hole_punch = None  # no port at all: then the addresses have the last word
            return
        busy = {*self._waiting, *(attempt.address for attempt in under_way)}
        for address in filter(may_be_dialled, self.invite.addresses):
            if address not in busy:
                self._dial_later(Address(*address))

    def _dial_later(self, address: Address) -> None:
        """Dial an address of the invite again. For an address that isn't on the Internet the pauses
        grow; for a name, which may stand for any address, up to SLOWEST."""
        pause = self._pauses.get(address, REDIAL)
        reach = classify_address(address).reach
        if reach in _NEAR:
            self._pauses[address] = 2 * pause
        elif reach is Reach.GIVEN:
            self._pauses[address] = min(2 * pause, SLOWEST)
        self._redials = [each for each in self._redials if each.active()]
        self._redials.append(self.clock.callLater(pause, self._dial, address))

    def take(self, address: Any) -> Protocol | None:
        """Build the protocol for a connection made while both sides dial, with a peer that we don't
        know yet."""
        if self._over:
            return None
        host = _plain(str(getattr(address, "host", "")))
        attempt = ConnectionAttempt(
            self, Address(host, int(getattr(address, "port", 0))), is_comer=True
        )
        self._running.append(attempt)
        goes = self._comers.add(attempt, origin_of(host))
        if goes is not None:
            goes.drop()
        return attempt.take(address)

    def _stop_punching(self) -> None:
        """End hole punching: its time is used up."""
        if self._hole_punch is not None:
            self._hole_punch.end()
        self._hole_punch = None
        cancel(*self._redials)
        self._end_if_none_runs()

    # --- called by the attempts --------------------------------------------------------

    def reached(self) -> None:
        """Try no further address for now: a peer has shown the host's key."""
        cancel(self._timer)

    def welcomed(
        self, attempt: ConnectionAttempt, connection: GuestConnection, welcome: Welcome
    ) -> None:
        """Begin the session and cut the other attempts: the host has admitted us."""
        session = connection.open(
            connection.host_key, welcome.software, welcome.position, welcome.extensions
        )
        self._running.remove(attempt)
        if self._hole_punch is not None:
            self._hole_punch.worked = attempt.is_comer
        self._drop_all()
        connection.begin()
        self.outcome.callback(session)

    def failed(self, attempt: ConnectionAttempt, closed: CloseReason) -> None:
        """Note that an attempt has failed, and try what is left."""
        self._running.remove(attempt)
        self._comers.remove(attempt)
        both_dial = self._both_dial()
        final = closed.code in VERDICTS or closed.failure == "C"
        if closed.code == "table-taken" and both_dial:
            final = False
        if final or not attempt.is_comer:
            failed = FailedAttempt(attempt.address, closed.code, closed.sentence)
            self._failed = [each for each in self._failed if each.address != attempt.address]
            self._failed.append(failed)
        if self._over:
            return
        if attempt.is_comer and closed is BOTH_JOIN:
            self._report_both_join(attempt.address)
        if final:
            # Try no other address, except the host's other ports if it may admit us there.
            others = [each for each in self._waiting if each.port != attempt.address.port]
            self._waiting = deque(others if closed.code in _NOT_HERE else ())
            self._final = self._final or not self._waiting
        if not attempt.is_comer:
            if both_dial and not final:
                self._dial_later(attempt.address)
            if self._waiting:
                cancel(self._timer)
                self._start_next()
                return
        if not self._final:
            self._punch()
        if self._final or not self._both_dial():
            self._end_if_none_runs()

    def _report_both_join(self, address: Address) -> None:
        """Tell the guest that the other side is joining, too. A peer at an address that we don't
        dial may be anybody, and isn't reported."""
        if self._hole_punch is not None and self._hole_punch.is_target(address.host):
            self._hole_punch.report_reason(BOTH_JOIN.sentence)

    # --- the end -----------------------------------------------------------------------

    def _end_if_none_runs(self) -> None:
        if not self._running and not self._over:
            self._fail()

    def _fail(self) -> None:
        self._drop_all()
        self.outcome.errback(join_error(tuple(self._failed), own_hosts()))

    def _drop_all(self) -> None:
        self._over = True
        self._waiting.clear()
        cancel(self._timer, self._patience, *self._redials)
        if self._hole_punch is not None:
            self._hole_punch.end()
        for attempt in tuple(self._running):
            attempt.drop()


def _plain(host: str) -> str:
    """Return a peer's IP address as we write addresses."""
    try:
        return canonical_host(host.partition("%")[0])
    except AddressError:
        return host
