"""Two sessions in one process: practice against a bot, with no socket in between.

Seats, journals, players and sessions are the same as over the network; only the wire differs.
A frame that one side sends is delivered to the other in a later turn of the reactor, one frame a
turn. So the stack stays flat, and the program stays responsive to a person at the keyboard.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from ginpeer.net.interfaces import Clock, PeerInfo
from ginpeer.net.session import Session, Side, position_to_continue
from ginpeer.net.timing import TimeGrid
from protocol.crypto.identity import fingerprint
from protocol.frames import Frame, Goodbye, Position

ADDRESS = "local"  # as in ginpeer.store.match_files


def connect_in_process(
    host: Side, guest: Side, clock: Clock, *, grid: float = 0.0
) -> tuple[Session, Session]:
    """Connect two sides. Return the host's session and the guest's, which begin in the next turn of
    *clock*. *grid*: seconds between the moments at which bots move (timing.py); 0: they move
    immediately."""
    errands = _Errands(clock)
    host_wire, guest_wire = _LocalWire(errands), _LocalWire(errands)
    # The guest names its position first, as in a hello.
    guest_position = guest.position_for(host.identity.public, None)
    host_position = host.position_for(guest.identity.public, guest_position)
    theirs = position_to_continue(host_position, guest_position)

    def session(side: Side, peer: Side, position: Position | None, wire: _LocalWire) -> Session:
        key, known = peer.identity.public, side.known
        name = known.name_of(key) if known is not None else None
        info = PeerInfo(key, fingerprint(key), ADDRESS, position, name, bot=peer.bot)
        return Session(side, info, wire, clock, TimeGrid(clock, grid))

    host_session = session(host, guest, theirs, host_wire)
    guest_session = session(guest, host, host_position, guest_wire)
    host_wire.session, host_wire.other = host_session, guest_wire
    guest_wire.session, guest_wire.other = guest_session, host_wire
    errands.post(host_session.begin)
    errands.post(guest_session.begin)
    return host_session, guest_session


class _Errands:
    """Makes calls in order, one in each turn of the clock, because Twisted doesn't keep the order
    of calls that are due at the same time."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._waiting: deque[Callable[[], None]] = deque()

    def post(self, errand: Callable[[], None]) -> None:
        self._waiting.append(errand)
        if len(self._waiting) == 1:
            self._clock.callLater(0, self._run_one)

    def _run_one(self) -> None:
        errand = self._waiting.popleft()
        if self._waiting:
            self._clock.callLater(0, self._run_one)
        errand()


class _LocalWire:
    """One end of the wire. The session catches its own faults, so posted calls never raise."""

    session: Session  # this and `other` are set before anything is sent
    other: _LocalWire

    def __init__(self, errands: _Errands) -> None:
        self._errands = errands
        self._closed = False

    def send(self, frame: Frame) -> None:
        if not self._closed:
            self._errands.post(lambda: self.other._deliver(frame))

    def part(self, goodbye: Goodbye | None) -> None:
        if goodbye is not None:
            self.send(goodbye)
        self.abort()

    def abort(self) -> None:
        if not self._closed:
            self._closed = True
            self._errands.post(self.session.on_wire_lost)
            self._errands.post(self.other._hang_up)

    def _deliver(self, frame: Frame) -> None:
        if not self._closed:
            self.session.receive(frame)

    def _hang_up(self) -> None:
        """End the session as if a network connection had been lost: the other end is gone."""
        if not self._closed:
            self._closed = True
            self.session.on_wire_lost()
