"""One run of the program: what cli/match builds, without a screen, signals or a reactor.

The keeper, the door, the sessions and everything below them are the product's own. So is the code
that decides whether to wait for a lost player, and how a guest comes back. This module only repeats
what a person at the table would do: wait as long as the program does, leave once the host answers
that another invite is needed, and talk to the friend if the stored match can't continue.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from ginpeer.match_store import LoadedMatch, TableKeeper, stored_matches, unfinished_matches
from ginpeer.net.acceptor import Acceptor
from ginpeer.net.address import Address
from ginpeer.net.codes import SECRET_BYTES, Invite
from ginpeer.net.connector import Reconnector
from ginpeer.net.hole_punch import HolePunch
from ginpeer.net.interfaces import CloseReason, GuestPort, PeerInfo
from ginpeer.net.session import Session, Side
from ginpeer.net.timing import LOST, Absence
from ginpeer.referee.transitions import RefusedEntry
from ginpeer.seat.seat import Options, Seat, SeedLost
from ginpeer.store import Home, StoreError, UnreadableLog
from protocol.crypto.identity import IdentityKey
from protocol.frames import Position
from tests.faults.disk import Crash
from tests.simulator.network import Reactor
from tests.simulator.player import SimPlayer
from tests.simulator.world import Violated, insecure_bytes_from

if TYPE_CHECKING:
    from tests.simulator.machine import Machine

PORT = 7777
_READS = 20.0
"""Simulated seconds until a person reacts to what the program has said."""


class Process:
    """One run, from its start to its end. Everything in it goes through `run`."""

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
        self._listening: Acceptor | None = None
        self._connection: Reconnector | None = None
        self._absence = Absence(self, None, remind=self._waits_long, give_up=self._gives_up)
        self._is_seated = False

    @property
    def has_seat(self) -> bool:
        return self.keeper is not None and self.keeper.live is not None

    @property
    def seat(self) -> Seat:
        """Return our seat, which exists once a peer has connected."""
        if not self.has_seat:
            self.world.refute("nobody has sat down")
        return self.keeper.live

    def seat_at(self, table: bytes) -> Seat | None:
        """Return our seat if it plays this match. Without a seat, the process may still send a
        guest the end of a match that is over."""
        return self.seat if self.has_seat and self.seat.table.table_id == table else None

    # --- the only entrance to the process ----------------------------------------------

    def run(self, call: Callable[..., object], *args: Any) -> None:
        """Run something in this process, and check the result."""
        if self.is_over:
            return
        machine = self.machine
        machine.enter()
        self.observer.running = machine.role
        self.world.note("run", machine.role)
        try:
            call(*args)
        except Crash:
            pass
        except Violated:
            raise
        except Exception as error:  # no exception should have reached this point
            traceback.print_exc()
            self.world.refute(f"left into the scheduler: {error!r}")
        if self.world.broken is not None:
            raise self.world.broken
        if machine.is_dying:
            machine.goes_down(machine.choose_death())
            return
        self.observer.check_process(self)

    def later(self, delay: float, call: Callable[..., object], *args: Any) -> Any:
        """Start a timer that ends with this process."""
        self._calls = [one for one in self._calls if one.active()]
        timer = self.world.callLater(delay, self.run, call, *args)
        self._calls.append(timer)
        return timer

    def at_once(self, call: Callable[..., object], *args: Any) -> Any:
        return self.later(0, call, *args)

    def seconds(self) -> float:
        return self.world.seconds()

    def callLater(self, delay: float, call: Callable[..., object], *args: Any) -> Any:
        """Start a timer on behalf of the product."""
        self._timers = [one for one in self._timers if one.active()]
        self._timers.append(self.later(delay, call, *args))
        return self._timers[-1]

    def sleep(self, seconds: float) -> None:
        """Close the lid: nothing happens in this process until it is opened again."""
        until = self.world.seconds() + seconds
        for timer in self._calls:
            if timer.active() and timer.getTime() < until:
                timer.delay(until - timer.getTime())

    def touch(self, what: str) -> None:
        self.machine.touch(what)

    def frames_for(self, data: bytes) -> list[bytes]:
        """Return the frames to send in place of this one."""
        liar = self.machine.match.liar
        if liar is None or not self.machine.lies:
            return [data]
        return liar.instead_of(self, data)

    def end(self) -> None:
        """End the process of its own accord. If no connection is left, no timer of the product may
        be left either."""
        ends = [end for one in self.machine.match.network.connections for end in one.ends]
        if not any(end.process is self and not end.gone for end in ends):
            left = [one for one in self._timers if one.active()]
            if left:
                self.world.refute(f"left in the clock: {left}")
        self.vanish(silent=False)

    def vanish(self, *, silent: bool) -> None:
        """End the process abruptly. Its kernel closes what was left open, unless the power is
        off."""
        self.is_over = True
        for timer in self._calls:
            if timer.active():
                timer.cancel()
        network = self.machine.match.network
        for number in [at for at, port in network.ports.items() if port.process is self]:
            del network.ports[number]
        for connection in network.connections:
            for end in connection.ends:
                if end.process is self:
                    if silent:
                        end.gone = True
                    else:
                        end.drop()

    # --- starting -----------------------------------------------------------------------

    def begin(self) -> None:
        """Start as cli/commands and cli/match do."""
        try:
            self._begin()
        except (StoreError, UnreadableLog, SeedLost, RefusedEntry) as error:
            self.observer.on_close(self, CloseReason(error.code, str(error), "C"))
            self._exit(error.code)

    def _begin(self) -> None:
        machine, match = self.machine, self.machine.match
        home = Home(machine.home)
        identity = home.identity(self._bytes)
        machine.identities.append(identity)
        self.observer.keep_secret(identity.private_key.private_bytes_raw(), "an identity key")
        only = self._chosen(home)
        options = Options(match.plan.rules, match.plan.disclosure)
        self.keeper = TableKeeper(
            home,
            machine.role,
            identity,
            name=machine.role.title(),
            options=options,
            rng=self._bytes,
            now=machine.wall,
            only=only,
        )
        side = self._side_with(self._usual_side(home, identity), options)
        if machine.role == "host":
            self._wait_for_guest(side, only)
        else:
            self._follow(side, only)

    def _usual_side(self, home: Home, identity: IdentityKey) -> Side:
        return Side(
            identity=identity,
            software="simulated",
            seat_for=self._seat_for,
            player_for=self._player_for,
            journal=self.keeper,
            known=home.known_peers(self.machine.wall),
            position_for=self._position_for,
        )

    def _side_with(self, side: Side, options: Options) -> Side:
        """Return the side for all connections. A scene may add to it."""
        return side

    def _chosen(self, home: Home) -> LoadedMatch | None:
        """Return the match that `resume` would continue, if that is how the program was started."""
        if self.mode != "resume":
            return None
        found = [*unfinished_matches(home, self.machine.role)]
        if not found and self.machine.finished is not None:
            found = [
                one for one in stored_matches(home) if one.notes.table == self.machine.finished
            ]
        return found[0] if found else None

    def _wait_for_guest(self, side: Side, only: LoadedMatch | None) -> None:
        expected = set()
        if only is not None:
            expected = {only.notes.peer}
            self.keeper.restore_seat(only.notes.peer)
        here = Address(self.machine.address, PORT)
        secret = self._bytes(SECRET_BYTES)
        self.observer.keep_secret(secret, "the invite's secret")
        self._listening = Acceptor(
            self._reactor,
            side,
            secret,
            address=here,
            advertise=(here,),
            expected=self._expected_at_the_door(expected),
            nobody_else=only is not None,
        )
        self.machine.match.invite = self._listening.invite

    def _expected_at_the_door(self, expected: set[bytes]) -> Iterable[bytes]:
        return expected

    def _addresses_of(self, stored: LoadedMatch) -> tuple[Address, ...]:
        """Return the addresses at which to look for the host of a stored match."""
        return (Address(self.machine.other.address, PORT),)

    def _follow(self, side: Side, only: LoadedMatch | None) -> None:
        invite = self.machine.match.invite
        if only is not None:
            there = self._addresses_of(only)
            invite = Invite.of(only.notes.peer, bytes(SECRET_BYTES), there)
        if invite is None:
            self._exit("no-invite")
            return
        host = self.keeper.key_of(invite.host)
        if host is not None:
            self.keeper.restore_seat(host)
        self._connection = Reconnector(
            self._reactor,
            invite,
            side,
            self._guest_port(invite),
            persistent=only is not None,
            hole_punch=self._hole_punch(),
        )
        self._connection.try_now()

    def _hole_punch(self) -> HolePunch | None:
        """Return the hole punch, or None if the scene has none."""
        return None

    def _guest_port(self, invite: Invite) -> SimGuest:
        return SimGuest(self)

    def is_refused(self, code: str) -> None:
        """Have the person read the refusal, and ask for the host's new invite."""
        self._missed(code)
        self.later(_READS, self._asks_for_invite, self.sessions, code)

    def _asks_for_invite(self, sessions: int, code: str) -> None:
        if self.sessions == sessions:  # unless the host has let us in meanwhile
            self._exit(code)

    def has_no_way(self, code: str) -> None:
        self._missed(code)
        if code == "internal-error":
            self.world.refute("joining failed in another way than by a JoinError")
        self._exit(code)

    def _missed(self, code: str) -> None:
        self.world.note("not joined", code)
        self.observer.codes.add(code)
        host = self.machine.other.process
        if code == "not-expected" and host is not None:
            self.world.callLater(_READS, host.run, host.hears_that_nobody_comes)

    def hears_that_nobody_comes(self) -> None:
        """Leave, because the friend can't connect: they have a different key now, so the match that
        the program waits for can't continue."""
        if not self._is_seated:
            self._exit("left")

    # --- called by the session ---------------------------------------------------------

    def _position_for(self, key: bytes, claimed: Position | None) -> Position | None:
        position = self.keeper.position_for(key, claimed)
        liar = self.machine.match.liar
        if liar is not None and self.machine.lies:
            return liar.position(self, position)
        return position

    def _seat_for(self, peer: PeerInfo) -> Seat:
        self._absence.end()
        seat = self.keeper.seat_for(peer)
        self.observer.check_stored(self)
        return seat

    def _player_for(self, session: Session) -> SimPlayer:
        self.sessions += 1
        session.done.addCallback(self._ended)
        self._is_seated = True
        return self._player(session)

    def _player(self, session: Session) -> SimPlayer:
        return SimPlayer(self, session)

    def _ended(self, closed: CloseReason) -> None:
        """Handle the loss of the connection."""
        self._is_seated = False
        if self.is_over:
            return
        seat = self.keeper.live if self.has_seat else None
        can_resume = seat is not None and seat.can_come_back()
        if not self.leaving and closed.code in LOST and can_resume:
            self._absence.begin(closed)
            if self._connection is not None:  # the host listens
                self._connection.try_later()
        else:
            self._exit(closed.code)

    def _waits_long(self, minutes: int) -> None:
        self.world.counts["told of a long wait"] += 1

    def _gives_up(self, closed: CloseReason) -> None:
        self.world.refute("a person at a terminal waits for as long as they like")

    def _exit(self, code: str) -> None:
        if self.leaving:
            return
        self.leaving = True
        self._absence.end()
        if self._connection is not None:
            self._connection.give_up()
        self.at_once(self.machine.leaves, code)


class SimGuest(GuestPort):
    """The guest of one simulated program."""

    def __init__(self, process: Process) -> None:
        self._process = process

    @property
    def was_admitted(self) -> bool:
        return self._process.has_seat

    @property
    def has_match(self) -> bool:
        return self._process.has_seat and self._process.seat.agreed()

    @property
    def is_over(self) -> bool:
        return self._process.leaving or self._process.machine.is_dying

    def on_refused(self, code: str, sentence: str) -> None:
        self._process.is_refused(code)

    def on_failure(self, code: str, sentence: str) -> None:
        self._process.has_no_way(code)
