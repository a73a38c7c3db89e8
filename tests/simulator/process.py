"""One run of the program: what cli/match puts together, without screen, signals and reactor.

The keeper, the door, the sessions and all below them are the product's own. What is said again here
is only how a sitting goes on: the guest tries again after a lost connection, the host's door stays
open, and any other end of a session ends the program.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

from ginpeer.keeper import Stored, TableKeeper, accepted, stored_matches, unfinished
from ginpeer.net.address import Address
from ginpeer.net.host import Listening, listen
from ginpeer.net.invite import Invite
from ginpeer.net.join import JoinError, join
from ginpeer.net.roles import Closed, PeerInfo
from ginpeer.net.session import Session, Side
from ginpeer.referee.violations import Refused
from ginpeer.seat.seat import Options, Seat, SeedLost
from ginpeer.store import Home, StoreError, UnreadableLog
from protocol.frames import Position
from tests.faults.disk import Crash
from tests.simulator.network import Reactor
from tests.simulator.player import SimPlayer
from tests.simulator.world import Violated, insecure_bytes_from

if TYPE_CHECKING:
    from tests.simulator.machine import Machine

PORT = 7777
_LOST = frozenset({"connection-lost", "peer-silent", "peer-came-back"})
_NOT_THERE = frozenset(
    {
        "connection-refused",
        "connect-timeout",
        "cannot-connect",
        "host-unreachable",
        "connection-lost",
        "greeting-timeout",
        "table-taken",
        "tls-failed",
    }
)


class Process:
    """From its start to its end. Everything that happens in it goes through `run`."""

    def __init__(self, machine: Machine, mode: str) -> None:
        self.machine = machine
        self.world = machine.world
        self.observer = machine.match.observer
        self.mode = mode
        self.is_over = False
        self.keeper: TableKeeper | None = None
        self.sessions = 0
        self.leaving = False
        self.rng = self.world.random_for("bytes", machine.role, machine.boots)
        self._bytes = insecure_bytes_from(self.rng)
        self._reactor = Reactor(machine.match.network, self)
        self._calls: list[Any] = []
        self._timers: list[Any] = []
        self._listening: Listening | None = None
        self._joining: Any = None
        self._pauses = iter(())
        self._player: SimPlayer | None = None

    @property
    def has_seat(self) -> bool:
        return self.keeper is not None and self.keeper.live is not None

    @property
    def seat(self) -> Seat:
        """Our seat, once somebody sat down opposite."""
        if not self.has_seat:
            self.world.refute("nobody has sat down")
        return self.keeper.live

    # --- the only door into it ---------------------------------------------------------

    def run(self, call: Callable[..., object], *args: Any) -> None:
        """Let something happen in this process, and look at what came of it."""
        if self.is_over:
            return
        machine = self.machine
        machine.enter()
        self.observer.running = machine.role
        self.world.note("run", machine.role, call.__qualname__)
        try:
            call(*args)
        except Crash:
            pass
        except Violated:
            raise
        except Exception as error:  # whatever it is, it should not have come here
            traceback.print_exc()
            self.world.refute(f"left into the scheduler: {error!r}")
        if self.world.broken is not None:
            raise self.world.broken
        if machine.is_dying:
            machine.goes_down(machine.choose_death())
            return
        self.observer.looks(self)

    def later(self, delay: float, call: Callable[..., object], *args: Any) -> Any:
        """A timer of this process; it ends with it."""
        self._calls = [one for one in self._calls if one.active()]
        timer = self.world.callLater(delay, self.run, call, *args)
        self._calls.append(timer)
        return timer

    def at_once(self, call: Callable[..., object], *args: Any) -> Any:
        return self.later(0, call, *args)

    def seconds(self) -> float:
        return self.world.seconds()

    def callLater(self, delay: float, call: Callable[..., object], *args: Any) -> Any:
        """The product's own timers."""
        self._timers = [one for one in self._timers if one.active()]
        self._timers.append(self.later(delay, call, *args))
        return self._timers[-1]

    def sleep(self, seconds: float) -> None:
        """The lid is closed: nothing happens here before it is opened again."""
        until = self.world.seconds() + seconds
        for timer in self._calls:
            if timer.active() and timer.getTime() < until:
                timer.delay(until - timer.getTime())

    def touch(self, what: str) -> None:
        self.machine.touch(what)

    def frames_for(self, data: bytes) -> list[bytes]:
        """What is sent instead of this frame."""
        liar = self.machine.match.liar
        if liar is None or not self.machine.lies:
            return [data]
        return liar.instead_of(self, data)

    def end(self) -> None:
        """It ends by itself. Where no connection is left, no timer of the product is, either."""
        ends = [end for one in self.machine.match.network.connections for end in one.ends]
        if not any(end.process is self and not end.gone for end in ends):
            left = [one for one in self._timers if one.active()]
            if left:
                self.world.refute(f"left in the clock: {left}")
        self.vanish(silent=False)

    def vanish(self, *, silent: bool) -> None:
        """It is no more. Its kernel closes what it has left open, unless the power is off."""
        self.is_over = True
        for timer in self._calls:
            if timer.active():
                timer.cancel()
        network = self.machine.match.network
        if self._listening is not None and network.ports.get(PORT) is self._listening._port:
            del network.ports[PORT]
        for connection in network.connections:
            for end in connection.ends:
                if end.process is self:
                    if silent:
                        end.gone = True
                    else:
                        end.drop()

    # --- beginning ---------------------------------------------------------------------

    def begin(self) -> None:
        """As cli/commands/play.py and Sitting begin."""
        try:
            self._begin()
        except (StoreError, UnreadableLog, SeedLost, Refused) as error:
            self.observer.closes(self, Closed(error.code, str(error), "C"))
            self._exit(error.code)

    def _begin(self) -> None:
        machine, match = self.machine, self.machine.match
        home = Home(machine.home)
        identity = home.identity(self._bytes)
        machine.identities.append(identity)
        self.observer.keeps_secret(identity.private_key.private_bytes_raw(), "an identity key")
        only = self._chosen(home)
        self.keeper = TableKeeper(
            home,
            machine.role,
            identity,
            name=machine.role.title(),
            options=Options(match.plan.rules, match.plan.disclosure),
            rng=self._bytes,
            now=machine.wall,
            only=only,
        )
        side = Side(
            identity=identity,
            software="simulated",
            seat_for=self._seat_for,
            player_for=self._player_for,
            journal=self.keeper.journal,
            known=home.known_peers(machine.wall),
            position_for=self._position_for,
        )
        if machine.role == "host":
            self._wait_for_guest(side, only)
        else:
            self._follow(side, only)

    def _chosen(self, home: Home) -> Stored | None:
        """What `resume` would go on with, where the user has typed that."""
        if self.mode != "resume":
            return None
        found = [one for one in unfinished(home, self.machine.role) if accepted(one)]
        if not found and self.machine.finished is not None:
            found = [
                one for one in stored_matches(home) if one.notes.table == self.machine.finished
            ]
        return found[0] if found else None

    def _wait_for_guest(self, side: Side, only: Stored | None) -> None:
        expected = set()
        if only is not None:
            expected = {only.notes.peer}
            self.keeper.put_back(only.notes.peer)
        here = Address(self.machine.address, PORT)
        secret = self._bytes(16)
        self.observer.keeps_secret(secret, "the invite's secret")
        self._listening = listen(
            self._reactor,
            side,
            secret,
            address=here,
            advertise=(here,),
            expected=expected,
            nobody_else=only is not None,
            clock=self,
        )
        self.machine.match.invite = self._listening.invite

    def _follow(self, side: Side, only: Stored | None) -> None:
        invite = self.machine.match.invite
        if only is not None:
            there = (Address(self.machine.other.address, PORT),)
            invite = Invite(only.notes.peer, bytes(16), there)
        if invite is None:
            self._exit("no-invite")
            return
        self.keeper.put_back(invite.host_key)
        self._pauses = _pauses()

        def go() -> None:
            self._joining = join(self._reactor, invite, side, clock=self)
            self._joining.addCallbacks(came, failed)

        def came(session: Session) -> None:
            self._pauses = _pauses()

        def failed(failure: Any) -> None:
            error = failure.value
            if failure.check(Crash) or self.leaving:
                return
            if not isinstance(error, JoinError):
                self.world.refute(f"joining failed with {error!r}")
            self.world.note("not joined", error.code)
            self.observer.codes.add(error.code)
            persistent = only is not None or self.keeper.live is not None
            if persistent and error.code in _NOT_THERE:
                self.try_again()
            else:
                self._exit(error.code)

        self._go = go
        go()

    def try_again(self) -> None:
        """The guest goes to the host again; the host's door is open."""
        if self.machine.role == "guest":
            self.later(next(self._pauses), self._go)

    # --- asked by the session ----------------------------------------------------------

    def _position_for(self, key: bytes, claimed: Position | None) -> Position | None:
        position = self.keeper.position_for(key, claimed)
        liar = self.machine.match.liar
        if liar is not None and self.machine.lies:
            return liar.position(self, position)
        return position

    def _seat_for(self, peer: PeerInfo) -> Seat:
        seat = self.keeper.seat_for(peer)
        self.observer.reads(self)
        return seat

    def _player_for(self, session: Session) -> SimPlayer:
        self.sessions += 1
        session.done.addCallback(self._ended)
        self._player = SimPlayer(self, session)
        return self._player

    def _ended(self, closed: Closed) -> None:
        """The connection is gone."""
        if self.is_over:
            return
        live = None if self.keeper is None else self.keeper.live
        waits = (
            closed.code in _LOST
            and live is not None
            and live.table.accept is not None
            and not live.table.finished
        )
        if waits:
            self.try_again()
        else:
            self._exit(closed.code)

    def _exit(self, code: str) -> None:
        self.leaving = True
        self.at_once(self.machine.leaves, code)


def _pauses() -> Any:
    return chain((1.0, 2.0, 4.0, 8.0, 15.0), repeat(30.0))
