"""Both sides dial: no address of the host answers, because each player's router drops unsolicited
packets. The guest's player sends a reply, and each side dials the other from the port on which it
listens (WIRE 9.10). The matches are those of an evening, with all of its faults.

A router lets a packet in if one was sent to that address from the same port within the last minute.
If such a SYN meets a dial in progress to its sender, the two become one connection (simultaneous
open); otherwise it reaches the listening port. Everything below that is left to tests/lab (sequence
numbers, RST and ICMP, routers that choose other ports, shared sockets).

These invariants are added to those of an evening:

1. A host dials only the addresses in a reply, and a guest only those in its invite.
2. While the players are connected, nobody dials, and no port of the guest's is open.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from unittest import mock

from twisted.internet.defer import Deferred, fail
from twisted.internet.error import ConnectionRefusedError

from ginpeer.net import simultaneous_open
from ginpeer.net.address import Address
from ginpeer.net.codes import Invite, Reply, ReplyError, parse_reply
from ginpeer.net.hole_punch import HolePunch
from ginpeer.net.session import Side
from ginpeer.seat.seat import Options
from tests.simulator.evening import Evening, EveningGuest, EveningObserver, EveningProcess
from tests.simulator.network import Connection
from tests.simulator.process import PORT, Process, SimGuest
from tests.simulator.world import Violated

if TYPE_CHECKING:
    from tests.simulator.machine import Machine
    from tests.simulator.match import Outcome

GUEST_PORT = PORT + 1
_FORGETS = 60.0
_SYN_AGAIN = (0.0, 1.0, 3.0)
"""Seconds after which a kernel sends each SYN of a dial that is still in progress."""


class Dial:
    """One attempt from a listening port (see connect_from)."""

    def __init__(self, reactor: Any, port: Any, target: Address) -> None:
        self._process: PunchingProcess = reactor.process
        self._port = port
        self.target = target
        self._factory: Any = None
        self._outcome: Deferred[Any] | None = None

    @property
    def source(self) -> Address:
        here = self._port.getHost()
        return Address(here.host, here.port)

    @property
    def is_under_way(self) -> bool:
        return self._outcome is not None and not self._process.is_over

    def connect(self, factory: Any) -> Deferred[Any]:
        self._process.watcher.on_dial_from_port(self._process, self.target)
        self._factory = factory
        outcome = self._outcome = Deferred(lambda _: self._cancel())
        self._process.evening.under_way.append(self)
        for seconds in _SYN_AGAIN:
            self._process.later(seconds, self._send, outcome)
        return outcome

    def succeeds(self, end: Any) -> None:
        outcome, self._outcome = self._outcome, None
        if outcome is None or end.gone:
            end.abortConnection()
            if outcome is not None:
                outcome.errback(ConnectionRefusedError())
            return
        protocol = self._factory.buildProtocol(end.getPeer())
        if protocol is None:
            end.abortConnection()
            outcome.errback(ConnectionRefusedError())
        else:
            end.made(protocol)
            outcome.callback(protocol)

    def _cancel(self) -> None:
        self._outcome = None

    def _send(self, outcome: Deferred[Any]) -> None:
        if self._outcome is not outcome:
            return
        evening, world = self._process.evening, self._process.world
        evening.opened[self.source, self.target] = world.seconds()
        world.callLater(evening.network.delay(), self._arrives, outcome)

    def _arrives(self, outcome: Deferred[Any]) -> None:
        """Let a SYN arrive at the other side's router."""
        if self._outcome is not outcome or not self.is_under_way:
            return
        evening, network = self._process.evening, self._process.evening.network
        since = evening.opened.get((self.target, self.source))
        if since is None or evening.world.seconds() - since > _FORGETS:
            return
        evening.under_way = [each for each in evening.under_way if each.is_under_way]
        theirs = [
            each
            for each in evening.under_way
            if (each.source, each.target) == (self.target, self.source)
        ]
        port = network.ports.get(self.target.port)
        if not theirs and (port is None or port.process.is_over):
            return
        other = theirs[0]._process if theirs else port.process
        network._made += 1
        mine_is_guest = self._process.machine.role == "guest"
        ends = (self._process, other) if mine_is_guest else (other, self._process)
        connection = Connection(network, network._made, *ends)
        network.connections.append(connection)
        mine, others = connection.ends if mine_is_guest else connection.ends[::-1]
        self._process.later(network.delay(), self.succeeds, mine)
        if theirs:
            evening.world.counts["simultaneous open"] += 1
            other.later(network.delay(), theirs[0].succeeds, others)
        else:
            evening.world.counts["a dial met a listening port"] += 1
            other.later(network.delay(), port.accept, others)


def connect_from(reactor: Any, port: Any, target: Address, factory: Any, **_: Any) -> Deferred[Any]:
    """Replace simultaneous_open.connect_from."""
    try:
        return Dial(reactor, port, target).connect(factory)
    except Violated:  # the world knows, and ends the run
        return fail()


class PunchingProcess(EveningProcess):
    """One run of a program in which both sides dial."""

    evening: Punching
    watcher: PunchingObserver
    _punch: HolePunch | None = None
    _reply: Reply | None = None

    def _side_with(self, side: Side, options: Options) -> Side:
        self._key = side.identity.public
        return super()._side_with(side, options)

    def _guest_port(self, invite: Invite) -> SimGuest:
        guest = _PunchingGuest(self)
        here = Address(self.machine.address, GUEST_PORT)
        self.watcher.may_dial["guest"].update(invite.addresses)
        self._punch = HolePunch(self._reactor, invite, self._key, guest, address=here)
        self.later(30.0, self._shows_reply_again)
        self.later(700.0, self._gives_up_waiting, self.sessions)
        return guest

    def _hole_punch(self) -> HolePunch | None:
        return self._punch

    def shows(self, reply: Reply) -> None:
        """Send this reply to the host's player."""
        self._reply = reply
        self.world.callLater(self.evening.rng.choice((1.0, 5.0, 15.0)), self._sends, reply)

    def _sends(self, reply: Reply) -> None:
        host = self.machine.other.process
        if host is not None:
            host.run(host.takes, str(reply))

    def _shows_reply_again(self) -> None:
        self.later(30.0, self._shows_reply_again)
        if self._reply is not None and self._punch.is_open:
            self.shows(self._reply)

    def _gives_up_waiting(self, sessions: int) -> None:
        """Start the program again once it has dialled for long enough, as its player would."""
        self.later(700.0, self._gives_up_waiting, self.sessions)
        if not self._is_seated and sessions == self.sessions:
            self._exit("gives-up")

    def takes(self, text: str) -> None:
        """Paste a reply into the host's program."""
        reply = parse_reply(text)
        self.watcher.may_dial["host"].update(reply.addresses)
        try:
            self._listening.dial_guest(reply)
        except ReplyError as error:
            self.world.counts[f"reply refused: {error.code}"] += 1
            guest = self.machine.other.process
            if error.code == "reply-elsewhere" and guest is not None:
                self.world.callLater(5.0, guest.run, guest._exit, "asks-for-invite")

    def _exit(self, code: str) -> None:
        if self._listening is not None:
            self._listening.dial(None)
        super()._exit(code)


class _PunchingGuest(EveningGuest):
    _process: PunchingProcess

    def on_reply(self, why: str, reply: Reply) -> None:
        self._process.shows(reply)


class PunchingObserver(EveningObserver):
    """An observer that also knows which addresses the players have given to each other."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.may_dial: dict[str, set[Address]] = {"host": set(), "guest": set()}

    def on_dial(self, process: Process, host: str, port: int) -> None:
        if Address(host, port) not in self.may_dial[process.machine.role]:
            self.world.refute(f"the {process.machine.role} dials {host}, which nobody has named")

    def on_dial_from_port(self, process: PunchingProcess, target: Address) -> None:
        """Check one dial from a listening port."""
        self.world.counts["dials from a listening port"] += 1
        self.on_dial(process, *target)
        if process._is_seated:
            self.world.refute(f"the {process.machine.role} dials while the two are connected")

    def check_process(self, process: Process) -> None:
        super().check_process(process)
        port = process.machine.match.network.ports.get(GUEST_PORT)
        if port is not None and port.process is process and process._is_seated:
            self.world.refute("the guest's port is open while the two are connected")


class Punching(Evening):
    """An evening between two homes whose routers block incoming connections."""

    process = PunchingProcess
    watched_by = PunchingObserver
    observer: PunchingObserver

    def __init__(self, seed: int, **more: Any) -> None:
        super().__init__(seed, **more)
        self.tonight.wanted = self.world.random_for("punching").choice((1, 1, 2))
        self.opened: dict[tuple[Address, Address], float] = {}
        self.under_way: list[Dial] = []
        for machine, address in zip(self.machines, ("198.51.100.1", "198.51.100.2"), strict=True):
            machine.move_to(address)
            self._hide(machine, address)

    def _hide(self, machine: Machine, address: str) -> None:
        """Never answer ordinary connection attempts to this machine."""
        machine.addresses = ()
        self.network.silent.add(address)

    def play(self) -> Outcome:
        with self._simulated_dials():
            return super().play()

    @contextmanager
    def _simulated_dials(self) -> Iterator[None]:
        with mock.patch.object(simultaneous_open, "connect_from", connect_from):
            yield
