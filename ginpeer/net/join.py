"""The guest's side: follow an invite to its host.

# The addresses are tried in the invite's order, the next one when the last has failed or has
# kept us waiting for Timing.stagger seconds (as RFC 8305 does with one host's addresses). The
# first to let us in wins; the others are dropped. Two ends come earlier:
#   - whoever has shown the host's key is the host: nothing new is tried while it greets;
#   - what the host itself answers (invite used, table taken) is final; but one that does not let
#     us in there may wait for us at another port, as a second program of the same home does.
# An address where somebody else's key answers is no reason to stop: a laptop's 127.0.0.1 is a
# different machine for everyone. But if no address lets us in, that is what the player hears.
# If no address leads there, both dial (crossing.py), and the race continues:
#   - Each address of the invite is dialled again REDIAL seconds after it has failed: a name may
#     point to a different address by then, an onion service may be back, and crossing.py dials
#     neither of these.
#   - Anybody may connect. Such an attempt says nothing about the host until it has shown the
#     host's key, there are at most MAX_COMERS of them, and only an answer of the host itself ends
#     the race. A taken table doesn't end it: most likely another of our attempts has taken it.
# A slow line is no reason for both to dial. They don't while an attempt has a TCP connection, nor
# before the last address has had HolePunch.after seconds (with an onion address: ONION_PATIENCE).
"""

from __future__ import annotations

from collections import deque
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IAddress
from twisted.internet.protocol import Factory, Protocol
from twisted.python.failure import Failure

from ginpeer.net.address import Address, AddressError, canonical_host, is_onion
from ginpeer.net.admission import BoundedSet, origin_of
from ginpeer.net.codes import Invite
from ginpeer.net.connection import Timing
from ginpeer.net.dialler import Dialler
from ginpeer.net.guest_connection import BOTH_JOIN, GuestConnection
from ginpeer.net.handshake import REFUSALS
from ginpeer.net.hole_punch import HolePunch
from ginpeer.net.interfaces import Clock, CloseReason, Timer, cancel
from ginpeer.net.listening_port import ListenError
from ginpeer.net.not_reached import (
    VERDICTS,
    Attempt,
    JoinError,
    connect_failure,
    join_error,
    not_dialled,
    weight,
    worth_telling,
)
from ginpeer.net.own_addresses import Reach, own_hosts, place_of
from ginpeer.net.peer_addresses import may_be_dialled
from ginpeer.net.session import Session, Side
from ginpeer.net.tls import GuestTLS, tls_factory
from protocol.crypto.identity import fingerprint, fingerprint_of_hash, key_hash
from protocol.frames import Welcome

_NOT_HERE = frozenset({"not-expected", "invite-wrong", "table-taken"})
"""Answers of a host that may let us in at another of its doors. An invite that is used is so
at the door that it leads to."""

_NEAR = frozenset({Reach.HOME, Reach.VPN, Reach.LINK, Reach.CONTAINER, Reach.LOOPBACK})

MAX_COMERS = 32
"""Connections at once, while both dial, on which nobody has let us in; each costs some 60 KB."""

REDIAL = 15.0
"""Seconds from a failed attempt until its address is dialled again, while both dial."""

SLOWEST = 60.0
"""The longest pause for a name; one whose address moves is remembered for about as long."""

ONION_PATIENCE = 20.0
"""Seconds that Tor usually needs to connect to an onion address."""


def join(
    reactor: Any,
    invite: Invite,
    side: Side,
    *,
    timing: Timing | None = None,
    clock: Clock | None = None,
    dialler: Dialler | None = None,
    crossing: HolePunch | None = None,
) -> Deferred[Session]:
    """Follow an invite. Fires once the host's signed welcome is there and the player has been told.

    Fails with JoinError. Cancelling it drops every attempt. *clock* times sessions and
    attempts; *reactor* does the network. *dialler*: how addresses are dialled, if not directly.
    *crossing*: how both dial, if the host's addresses lead nowhere.
    """
    clock = clock if clock is not None else reactor
    timing, dialler = timing or Timing(), dialler or Dialler()
    race = _Race(reactor, invite, side, timing, clock, dialler, crossing)
    race.start()
    return race.outcome


class _Race:
    def __init__(
        self,
        reactor: Any,
        invite: Invite,
        side: Side,
        timing: Timing,
        clock: Clock,
        dialler: Dialler,
        crossing: HolePunch | None = None,
    ) -> None:
        self.outcome: Deferred[Session] = Deferred(lambda _: self._drop_all())
        self.reactor = reactor
        self.invite = invite
        self.side = side
        self.timing = timing
        self.clock = clock
        self.dialler = dialler
        self._waiting = deque(filter(may_be_dialled, invite.addresses))
        self._running: list[_Runner] = []
        self._attempts = [
            not_dialled(each) for each in invite.addresses if not may_be_dialled(each)
        ]
        self._timer: Timer | None = None
        self._over = False
        self._final = False  # the host itself has answered
        self._crossing = crossing if crossing is not None and crossing.of_use() else None
        self._crosses: Timer | None = None
        self._waited = False  # long enough for every address
        self._redials: list[Timer] = []
        self._pauses: dict[Address, float] = {}
        self._comers: BoundedSet[_Runner] = BoundedSet(MAX_COMERS)

    def start(self) -> None:
        if key_hash(self.side.identity.public) == self.invite.host:
            self._over = True
            self.outcome.errback(JoinError("same-key", REFUSALS["same-key"]))
            return
        if not self._waiting:
            self._drop_all()
            self.outcome.errback(join_error(tuple(self._attempts), own_hosts()))
            return
        self._start_next()

    def reached(self) -> None:
        """Somebody has shown the host's key."""
        self._stop_timer()

    def failed(self, runner: _Runner, closed: CloseReason) -> None:
        """One attempt came to nothing."""
        self._running.remove(runner)
        self._comers.remove(runner)
        crosses = self._both_dial()
        final = closed.code in VERDICTS or closed.failure == "C"
        if closed.code == "table-taken" and crosses:
            final = False
        if final or not runner.is_comer:
            attempt = Attempt(runner.address, closed.code, closed.sentence)
            self._attempts = [each for each in self._attempts if each.address != runner.address]
            self._attempts.append(attempt)
        if self._over:
            return
        if runner.is_comer and closed is BOTH_JOIN:
            self._both_join(runner.address)
        if final:
            self._only_beside(runner.address, closed.code)
            self._final = self._final or not self._waiting
        if not runner.is_comer:
            if crosses and not final:
                self._dial_later(runner.address)
            if self._waiting:
                self._stop_timer()
                self._start_next()
                return
        if self._final or not self._crossed():
            self._end_if_none_runs()

    def _only_beside(self, address: Address, code: str) -> None:
        """The host has answered at this address: leave none to be tried but its other ports, if it
        does not let us in at this one."""
        others = [each for each in self._waiting if each.port != address.port]
        self._waiting = deque(others if code in _NOT_HERE else ())

    def comes(self, address: IAddress | None) -> Protocol | None:
        """Both dial, and a connection is there; nobody knows yet with whom."""
        if self._over:
            return None
        host = _plain(str(getattr(address, "host", "")))
        runner = _Runner(self, Address(host, int(getattr(address, "port", 0))), is_comer=True)
        self._running.append(runner)
        goes = self._comers.add(runner, origin_of(host))
        if goes is not None:
            goes.drop()
        return runner.take(address)

    def _both_join(self, address: Address) -> None:
        """Somebody has come who joins as well. Whoever comes from elsewhere may be anybody."""
        if self._crossing is not None and self._crossing.dials(address.host):
            self._crossing.because(BOTH_JOIN.sentence)

    def _crossed(self) -> bool:
        """Whether both dial. If not, begin that if no attempt is still running."""
        self._cross()
        return self._both_dial()

    def _both_dial(self) -> bool:
        return self._crossing is not None and self._crossing.is_open

    def _dialled(self) -> list[_Runner]:
        """The running attempts at addresses of the invite."""
        return [each for each in self._running if not each.is_comer]

    def _hopeless(self) -> bool:
        """Whether somebody has answered, so that dialling from another side changes nothing."""
        told = worth_telling(tuple(self._attempts), own_hosts())
        return any(weight(attempt) < 2 for attempt in told)

    def _waited_enough(self) -> None:
        self._waited = True
        self._cross()

    def _cross(self) -> None:
        """Begin to dial from both sides, if the host's addresses lead nowhere, or not soon."""
        if self._crossing is None or self._crossing.is_open or self._hopeless():
            return
        under_way = self._dialled()
        if any(runner.is_connected for runner in under_way) or (under_way and not self._waited):
            return
        self._stop_crosses()
        attempts = worth_telling(tuple(self._attempts), own_hosts())
        where = ", ".join(map(str, self.invite.addresses))
        failed = {each.address for each in self._attempts}
        all_failed = attempts and failed.issuperset(self.invite.addresses)
        why = (
            join_error(attempts, own_hosts()).sentence
            if all_failed
            else f"No answer yet from {where}."
        )
        try:
            self._crossing.begin(_Comers(self), why, self._end)
        except ListenError:
            self._crossing = None  # no port at all: then the addresses have the last word
            return
        busy = {*self._waiting, *(runner.address for runner in under_way)}
        for address in filter(may_be_dialled, self.invite.addresses):
            if address not in busy:
                self._dial_later(Address(*address))

    def _dial_later(self, address: Address) -> None:
        """Dial an address of the invite again. Outside the Internet the pauses grow; for a name,
        which may stand for any address, up to SLOWEST."""
        pause = self._pauses.get(address, REDIAL)
        reach = place_of(address).reach
        if reach in _NEAR:
            self._pauses[address] = 2 * pause
        elif reach is Reach.GIVEN:
            self._pauses[address] = min(2 * pause, SLOWEST)
        self._redials = [each for each in self._redials if each.active()]
        self._redials.append(self.clock.callLater(pause, self._dial, address))

    def _stop_redials(self) -> None:
        for timer in self._redials:
            cancel(timer)

    def _end(self) -> None:
        """Both have dialled for long enough."""
        if self._crossing is not None:
            self._crossing.end()
        self._crossing = None
        self._stop_redials()
        self._end_if_none_runs()

    def _end_if_none_runs(self) -> None:
        if not self._running and not self._over:
            self._drop_all()
            self.outcome.errback(join_error(tuple(self._attempts), own_hosts()))

    def welcomed(self, runner: _Runner, connection: GuestConnection, welcome: Welcome) -> None:
        """One attempt was let in: the first wins. The others are cut, and take no welcome."""
        session = connection.open(
            connection.host_key, welcome.software, welcome.position, welcome.extensions
        )
        self._running.remove(runner)
        if self._crossing is not None:
            self._crossing.led = runner.is_comer
        self._drop_all()
        connection.begin()
        self.outcome.callback(session)

    def _start_next(self) -> None:
        address = Address(*self._waiting.popleft())
        if self._waiting:
            self._timer = self.clock.callLater(self.timing.stagger, self._start_next)
        elif self._crossing is not None and self._crosses is None:
            self._crosses = self.clock.callLater(self._patience(), self._waited_enough)
        self._dial(address)

    def _patience(self) -> float:
        """Seconds that the last address gets before both dial."""
        after = 0.0 if self._crossing is None else self._crossing.after
        slow = after and any(is_onion(each.host) for each in self.invite.addresses)
        return max(after, ONION_PATIENCE) if slow else after

    def _dial(self, address: Address) -> None:
        runner = _Runner(self, address)
        self._running.append(runner)
        runner.start()

    def _drop_all(self) -> None:
        self._over = True
        self._waiting.clear()
        self._stop_timer()
        self._stop_crosses()
        self._stop_redials()
        if self._crossing is not None:
            self._crossing.end()
        for runner in tuple(self._running):
            runner.drop()

    def _stop_timer(self) -> None:
        cancel(self._timer)

    def _stop_crosses(self) -> None:
        cancel(self._crosses)


class _Runner:
    """One attempt at one address. Tells the race of its failure exactly once."""

    def __init__(self, race: _Race, address: Address, *, is_comer: bool = False) -> None:
        """*is_comer*: both dial, and whoever is at this address has connected."""
        self.address = address
        self.is_comer = is_comer
        self.is_connected = False  # by TCP
        self._race = race
        self._tls = GuestTLS(race.side.identity, race.invite.host)
        self._connection: GuestConnection | None = None
        self._connecting: Deferred[Any] | None = None
        self._timeout: Timer | None = None
        self._ended = False

    def start(self) -> None:
        race, dialler = self._race, self._race.dialler
        factory = tls_factory(self._tls, _RunnerFactory(self), race.reactor)
        seconds = dialler.seconds(self.address, race.timing.connecting)
        self._timeout = race.clock.callLater(seconds, self._too_late)
        endpoint = dialler.endpoint(race.reactor, self.address, race.clock)
        self._connecting = endpoint.connect(factory)
        self._connecting.addCallbacks(self._connected, self._not_connected)

    def take(self, address: IAddress | None) -> Protocol | None:
        """The protocol for a connection that is there already."""
        tls = tls_factory(self._tls, _RunnerFactory(self), self._race.reactor)
        return tls.buildProtocol(address)

    def build_connection(self) -> GuestConnection:
        race = self._race
        self._connection = GuestConnection(self, race.side, race.clock, race.timing)
        return self._connection

    def drop(self) -> None:
        """Nobody needs this attempt any more."""
        if self._connection is not None:
            self._connection.cut(CloseReason("not-needed", "Another connection was faster."))
        elif self._connecting is not None:
            self._connecting.cancel()

    # --- told by the connection --------------------------------------------------------

    @property
    def secret(self) -> bytes:
        return self._race.invite.secret

    @property
    def host(self) -> bytes:
        return self._race.invite.host

    def reached(self) -> None:
        self._race.reached()

    def welcomed(self, connection: GuestConnection, welcome: Welcome) -> None:
        self._race.welcomed(self, connection, welcome)

    def fail(self, closed: CloseReason) -> None:
        if not self._ended:
            self._ended = True
            self._stop_timer()
            self._race.failed(self, closed)

    def mismatch(self) -> CloseReason | None:
        """The loud one: somebody else answers where the host should."""
        if self._tls.mismatch is None:
            return None
        return CloseReason(
            "pinned-key-mismatch",
            f"WRONG KEY at {self.address}: the invite names {fingerprint_of_hash(self.host)}, but "
            f"{fingerprint(self._tls.mismatch)} answered. That is not your host. Do not go on "
            "before the host has told you, by another way, that this is right.",
            "A",
        )

    # --- told by the endpoint ----------------------------------------------------------

    def _connected(self, protocol: object) -> None:
        self.is_connected = True
        self._stop_timer()

    def _not_connected(self, reason: Failure) -> None:
        if self._connection is None:
            self.fail(connect_failure(self.address, reason.value))

    def _too_late(self) -> None:
        if self._connecting is not None:
            self._connecting.cancel()

    def _stop_timer(self) -> None:
        cancel(self._timeout)


class _RunnerFactory(Factory):
    noisy = False

    def __init__(self, runner: _Runner) -> None:
        self._runner = runner

    def buildProtocol(self, addr: IAddress | None) -> GuestConnection:
        return self._runner.build_connection()


class _Comers(Factory):
    """Whoever connects while both dial."""

    noisy = False

    def __init__(self, race: _Race) -> None:
        self._race = race

    def buildProtocol(self, addr: IAddress | None) -> Any:
        return self._race.comes(addr)


def _plain(host: str) -> str:
    """The IP address of whoever has come, as we write addresses."""
    try:
        return canonical_host(host.partition("%")[0])
    except AddressError:
        return host
