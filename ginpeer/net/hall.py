"""Everybody who came through the entrance, let in or not, and whom the host looks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IAddress
from twisted.internet.protocol import Factory

from ginpeer.net.access_policy import ClubPolicy
from ginpeer.net.address import Address, canonical_host
from ginpeer.net.admission import BoundedSet, Limits, origin_of
from ginpeer.net.connection import Timing
from ginpeer.net.handshake import SingleGuestPolicy
from ginpeer.net.host_connection import HostConnection
from ginpeer.net.interfaces import Clock, CloseReason
from ginpeer.net.session import Session, Side
from ginpeer.net.simultaneous_open import Dialling


@dataclass(frozen=True, slots=True)
class RejectedConnection:
    """Somebody who came to the door and was not let in: from where, why by a stable code, and by
    which key, where TLS has proven one. Nothing in it is the stranger's own words. ``our_fault``:
    something of ours has failed (class C)."""

    address: str
    code: str
    key: bytes | None = None
    our_fault: bool = False
    has_invite: bool = False
    """Whether it has the invite, which nobody has used, but a guest that is expected came first."""


class Acceptor:
    """Everybody who came through the entrance, let in or not."""

    def __init__(
        self,
        side: Side,
        door: SingleGuestPolicy | ClubPolicy,
        clock: Clock,
        timing: Timing,
        room: Limits,
        turned_away: Callable[[RejectedConnection], None] | None,
    ) -> None:
        self._turned_away = turned_away
        self.arrival: Deferred[Session] = Deferred()
        self.side = side
        self.door = door
        self.clock = clock
        self.timing = timing
        self._securing: BoundedSet[HostConnection] = BoundedSet(room.securing)
        self._greeters: BoundedSet[HostConnection] = BoundedSet(room.greeters)
        self._connections: set[HostConnection] = set()
        self._dialling: Dialling | None = None

    def seated(self, key: bytes) -> Session | None:
        """The session in which this guest sits at the table already."""
        for connection in self._connections:
            session = connection.session_here
            if session is not None and session.peer.key == key and session.ending is None:
                return session
        return None

    @property
    def strangers(self) -> list[HostConnection]:
        """Those who have begun TLS and were not let in."""
        return [*self._securing, *self._greeters]

    def enter(self, address: Any) -> HostConnection:
        host = str(getattr(address, "host", ""))
        connection = HostConnection(self, origin_of(host), address)
        self._connections.add(connection)
        self._join(self._securing, connection)
        return connection

    def secured(self, connection: HostConnection) -> None:
        """TLS is done there."""
        self._securing.remove(connection)
        self._join(self._greeters, connection)

    def leave(self, connection: HostConnection) -> None:
        self._connections.discard(connection)
        self._no_stranger(connection)
        if connection.is_stranger and connection.failed is not None:
            has_invite = connection.has_invite
            self._tell(connection.address, connection.failed, connection.key, has_invite)

    def gone(self, address: Any, code: str) -> None:
        """Somebody has gone, or had to go, before its first byte."""
        self._tell(address, CloseReason(code, "", "A"), None)

    def _tell(
        self, address: Any, closed: CloseReason, key: bytes | None, has_invite: bool = False
    ) -> None:
        """A guest that sits here is no stranger: of its attempts at our several addresses all but
        one end without a session."""
        if self._turned_away is None or closed.code == "host-stopped":
            return
        if key is None or self.seated(key) is None:
            fault = closed.failure == "C"
            self._turned_away(
                RejectedConnection(_whence(address), closed.code, key, fault, has_invite)
            )

    def dial(self, dialling: Dialling | None) -> None:
        """Look for the guest in this way from now on, while nobody sits here."""
        if self._dialling is not None:
            self._dialling.stop()
        self._dialling = dialling
        if dialling is not None and not self.door.occupied:
            dialling.start()

    def side_of(self, key: bytes) -> Side:
        """What we bring to the table of a guest that was let in."""
        return self.door.side_of(key) if isinstance(self.door, ClubPolicy) else self.side

    def free(self, key: bytes) -> None:
        """The guest is gone; it may come back, and be looked for."""
        self.door.leave(key)
        if self._dialling is not None and not self.door.occupied:
            self._dialling.start()

    def seat(self, connection: HostConnection, session: Session) -> None:
        if self._dialling is not None:
            self._dialling.stop()
        self._no_stranger(connection)
        connection.begin()
        if not self.arrival.called:
            self.arrival.callback(session)

    def _join(self, crowd: BoundedSet[HostConnection], connection: HostConnection) -> None:
        goes = crowd.add(connection, connection.origin)
        if goes is not None:
            goes.make_room()

    def _no_stranger(self, connection: HostConnection) -> None:
        self._securing.remove(connection)
        self._greeters.remove(connection)


class Strangers(Factory):
    """Builds the connection above TLS."""

    noisy = False

    def __init__(self, hall: Acceptor) -> None:
        self._hall = hall

    def buildProtocol(self, addr: IAddress | None) -> HostConnection:
        return self._hall.enter(addr)


def _whence(address: Any) -> str:
    """An address as we write addresses."""
    return str(Address(canonical_host(address.host.partition("%")[0]), address.port))
