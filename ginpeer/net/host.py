"""The host's side: listen, hand out an invite, let one guest in.

# Rule 1: a stranger costs a bounded amount: one small frame at most, Timing.greeting seconds, and
# one of a bounded number of places, which somebody else takes over when they are all in use
# (entrance.py).
# Rule 2: seat, deck and log hear of a guest only when the door has let it in.
# Rule 3: who has dialled does not matter. Whom we dial comes through the same entrance, and we say
# nothing before it does: so whoever makes us dial somewhere makes us open a few connections.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.interfaces import IAddress
from twisted.internet.protocol import Factory
from twisted.logger import Logger

from ginpeer.net.address import (
    Address,
    AddressError,
    canonical_host,
)
from ginpeer.net.connection import PeerConnection, Timing
from ginpeer.net.crossing import Outside
from ginpeer.net.entrance import Crowd, Entrance, Room, origin_of, room_for_strangers
from ginpeer.net.handshake import Door, Link, Refused, welcome_statement
from ginpeer.net.interfaces import Clock, Closed
from ginpeer.net.invite import Invite
from ginpeer.net.listening_port import bind, local_address
from ginpeer.net.own_addresses import Place, Reach, own_places, place_of, with_place
from ginpeer.net.packed import MAX_ADDRESSES
from ginpeer.net.reply import Reply, ReplyError
from ginpeer.net.session import Session, Side, goodbye_for
from ginpeer.net.simultaneous_open import HOST_EVERY, Dialling, may_dial
from ginpeer.net.throttle import Tries
from ginpeer.net.tls import HostTLS, Secured, tls_factory
from protocol.frames import SIGNATURE_BYTES, Hello, Welcome

_log = Logger()


@dataclass(frozen=True, slots=True)
class TurnedAway:
    """Somebody who came to the door and was not let in: from where, why by a stable code, and by
    which key, where TLS has proven one. Nothing in it is the stranger's own words. ``our_fault``:
    something of ours has failed (class C)."""

    address: str
    code: str
    key: bytes | None = None
    our_fault: bool = False


class Listening:
    """An open door. ``invite`` leads to it, ``places`` says by whom each of its addresses can be
    reached; ``arrival`` fires with the first session.

    ``arrival`` stays silent if nobody comes before ``stop``. Every session, the first and those
    of a guest that comes back, is also handed to ``Side.player_for``.
    """

    def __init__(
        self,
        reactor: Any,
        hall: _Hall,
        entrance: Entrance,
        port: Any,
        invite: Invite,
        places: tuple[Place, ...],
    ) -> None:
        self.invite = invite
        self.places = places
        self.arrival = hall.arrival
        self._reactor = reactor
        self._hall = hall
        self._entrance = entrance
        self._port = port

    @property
    def port(self) -> int:
        """The TCP port."""
        return int(self._port.getHost().port)

    @property
    def addresses(self) -> tuple[Address, ...]:
        """Where the invite sends the guest."""
        return self.invite.addresses

    @property
    def local_address(self) -> Address:
        """Where programs of this machine reach the port."""
        return local_address(self._port)

    def add(self, address: Address, *, reach: Reach | None = None) -> Invite:
        """The guest can be sent there as well: the invite that says so, with the same secret.
        *reach*: from where, if more is known than the address says. Raises InviteError for what no
        invite can name."""
        place = place_of(address) if reach is None else Place(address, reach)
        return self._lead_to(with_place(self.places, place))

    def drop(self, address: Address) -> Invite:
        """Nobody gets in there any more. What is left of the addresses is never nothing."""
        left = tuple(place for place in self.places if place.address != address)
        return self._lead_to(left or self.places)

    def _lead_to(self, places: tuple[Place, ...]) -> Invite:
        self.invite = replace(self.invite, addresses=_addresses(places))
        self.places = places
        return self.invite

    @property
    def seated(self) -> bool:
        """Whether a guest sits at the table."""
        return self._hall.door.occupied

    def meet(self, reply: Reply) -> tuple[Address, ...]:
        """Dial the guest that has replied, to our invite or as one that needs none; gives the
        addresses. Raises ReplyError:
        ``reply-elsewhere``, ``reply-late``, ``reply-addresses``."""
        if not (reply.answers(self.invite) or self._hall.door.expects(reply.guest)):
            raise ReplyError(
                "reply-elsewhere",
                "This reply is to another invite. Your friend types ginpeer join and the invite of "
                "this match, and sends the reply that is shown then.",
            )
        if self.seated:
            raise ReplyError("reply-late", "Your friend sits at the table already.")
        addresses = tuple(each for each in reply.addresses if may_dial(self._port, each))
        if not addresses:
            raise ReplyError(
                "reply-addresses", "The reply leads to this machine itself, and to no other."
            )
        self.dial(addresses)
        return addresses

    def ask(self, outside: Outside) -> Deferred[Address]:
        """Ask somebody by which address the outside sees this port."""
        return outside(self._port)

    def may_dial(self, address: Address) -> bool:
        """Whether somebody else may send us there (simultaneous_open.py)."""
        return may_dial(self._port, address)

    def dial(self, addresses: Iterable[Address]) -> None:
        """Dial a guest from this port, in the place of any that was dialled before, until one sits
        at the table, and again when its connection is lost; each time for PATIENCE seconds
        (simultaneous_open.py)."""
        self._hall.dial(
            Dialling(
                self._reactor,
                self._hall.clock,
                self._port,
                addresses,
                self._entrance,
                every=HOST_EVERY,
            )
        )

    def stop(self) -> Deferred[None]:
        """Let nobody in any more. A session goes on; fires when the port is closed."""
        self._hall.dial(None)
        self._entrance.close()
        for connection in self._hall.strangers:
            connection.cut(Closed("host-stopped", "The host stopped waiting."))
        return maybeDeferred(self._port.stopListening)


class _Hall:
    """Everybody who came through the entrance, let in or not."""

    def __init__(
        self,
        side: Side,
        door: Door,
        clock: Clock,
        timing: Timing,
        room: Room,
        turned_away: Callable[[TurnedAway], None] | None,
    ) -> None:
        self._turned_away = turned_away
        self.arrival: Deferred[Session] = Deferred()
        self.side = side
        self.door = door
        self.clock = clock
        self.timing = timing
        self._securing: Crowd[HostConnection] = Crowd(room.securing)
        self._greeters: Crowd[HostConnection] = Crowd(room.greeters)
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
            self._tell(connection.address, connection.failed, connection.key)

    def gone(self, address: Any, code: str) -> None:
        """Somebody has gone, or had to go, before its first byte."""
        self._tell(address, Closed(code, "", "A"), None)

    def _tell(self, address: Any, closed: Closed, key: bytes | None) -> None:
        """A guest that sits here is no stranger: of its attempts at our several addresses all but
        one end without a session."""
        if self._turned_away is None or closed.code == "host-stopped":
            return
        if key is None or self.seated(key) is None:
            fault = closed.failure == "C"
            self._turned_away(TurnedAway(_whence(address), closed.code, key, fault))

    def dial(self, dialling: Dialling | None) -> None:
        """Look for the guest in this way from now on, while nobody sits here."""
        if self._dialling is not None:
            self._dialling.stop()
        self._dialling = dialling
        if dialling is not None and not self.door.occupied:
            dialling.start()

    def free(self) -> None:
        """The guest is gone; it may come back, and be looked for."""
        self.door.occupied = False
        if self._dialling is not None:
            self._dialling.start()

    def seat(self, connection: HostConnection, session: Session) -> None:
        if self._dialling is not None:
            self._dialling.stop()
        self._no_stranger(connection)
        connection.begin()
        if not self.arrival.called:
            self.arrival.callback(session)

    def _join(self, crowd: Crowd[HostConnection], connection: HostConnection) -> None:
        goes = crowd.add(connection, connection.origin)
        if goes is not None:
            goes.make_room()

    def _no_stranger(self, connection: HostConnection) -> None:
        self._securing.remove(connection)
        self._greeters.remove(connection)


class HostConnection(PeerConnection):
    """A connection that somebody made to us."""

    def __init__(self, hall: _Hall, origin: str, address: Any) -> None:
        """*origin*: see entrance.py. *address*: as Twisted knows it."""
        super().__init__(hall.side, hall.clock, hall.timing)
        self.origin = origin
        self.address = address
        self._hall = hall
        self._link: Link | None = None
        self._took_table = False
        self._session_here: Session | None = None

    def greet(self, link: Secured) -> None:
        """The guest speaks first."""
        self._hall.secured(self)
        self._link = Link(link.exporter, self._side.identity.public, link.peer_key)

    def greeted(self, frame: Hello | Welcome) -> None:
        """The guest has spoken: let it in or send it away."""
        link = self._link
        if link is None or not isinstance(frame, Hello):
            self.refuse_garbled("frame-unexpected", "The other side took itself for the host.")
            return
        earlier = self._hall.seated(link.guest_key)
        if earlier is not None and self._clock.seconds() - earlier.begun >= self._timing.greeting:
            # The same guest comes back before we have noticed that it was gone. Not so soon after
            # it sat down: then it may be the slower of its attempts at our addresses (join.py),
            # which would take the table from the faster; it is told to try again.
            earlier.done.addCallback(self._then_let_in, frame)
            earlier.cut(
                Closed(
                    "peer-came-back", "The other player has come back by another connection.", "A"
                )
            )
            return
        self._let_in(frame)

    def _then_let_in(self, closed: Closed, frame: Hello) -> Closed:
        """The table is free in a moment."""
        self._clock.callLater(0, self._guarded, self._let_in, frame)
        return closed

    def _let_in(self, frame: Hello) -> None:
        link = self._link
        if link is None or not self.is_greeting:  # it has gone meanwhile
            return
        try:
            version = self._hall.door.let_in(frame, link, self.origin)
        except Refused as refused:
            _log.info("refused {address}: {code}", address=self.peer_address(), code=refused.code)
            closed = Closed(refused.code, refused.sentence, "A")
            self.refuse(closed, goodbye_for(refused.code, refused.sentence))
            return
        self._took_table = True
        side = self._side
        position = side.position_for(link.guest_key, frame.position)
        unsigned = Welcome(version, position, side.software, bytes(SIGNATURE_BYTES))
        signature = side.identity.sign(welcome_statement(link, frame, unsigned))
        self.send(Welcome(version, position, side.software, signature))
        # Without a position of ours a new match begins, whatever the guest has stored. A guest that
        # has named another match than ours is sent all of ours.
        theirs = frame.position
        if position is None or (theirs is not None and theirs.table != position.table):
            theirs = None
        self._session_here = self.open(link.guest_key, frame.software, theirs)
        self._hall.seat(self, self._session_here)

    @property
    def key(self) -> bytes | None:
        """Whose it is, once TLS has proven it."""
        return None if self._link is None else self._link.guest_key

    @property
    def session_here(self) -> Session | None:
        """What this connection carries, once its guest was let in."""
        return self._session_here

    def make_room(self) -> None:
        """Others have come, and there is room for so many only."""
        self.cut(Closed("crowded-out", "Too many others came before the greeting was over.", "A"))
        self.abort()  # whatever else it may have been closing for

    def ended(self) -> None:
        """The table is free again."""
        if self._took_table:
            self._hall.free()
        self._hall.leave(self)


class _Strangers(Factory):
    """Builds the connection above TLS."""

    noisy = False

    def __init__(self, hall: _Hall) -> None:
        self._hall = hall

    def buildProtocol(self, addr: IAddress | None) -> HostConnection:
        return self._hall.enter(addr)


def listen(
    reactor: Any,
    side: Side,
    secret: bytes,
    *,
    address: Address | None = None,
    advertise: Iterable[Address] = (),
    expected: Iterable[bytes] = (),
    nobody_else: bool = False,
    timing: Timing | None = None,
    clock: Clock | None = None,
    turned_away: Callable[[TurnedAway], None] | None = None,
) -> Listening:
    """Open a port and wait for a guest.

    *secret*: SECRET_BYTES fresh random bytes for the invite. *address*: where to listen; without
    it, on all of this machine's addresses at DEFAULT_PORT, or at any free port if that is taken.
    *advertise*: what the invite names first, before our guess. *expected*: keys let in without the
    invite, to go on with a match; with *nobody_else* no other is. *clock* times sessions; *reactor*
    does the network. *turned_away* hears of everybody who came and was not let in, as often as
    they come.

    Raises ListenError, or InviteError for addresses that no invite can name.
    """
    clock = clock if clock is not None else reactor
    timing = timing or Timing()
    sittings = side.allowances.bucket("sitting", timing.sittings, 1 / timing.again, clock.seconds())
    door = Door(
        secret,
        expected,
        nobody_else=nobody_else,
        may_sit=lambda: sittings.take(clock.seconds()),
        tries=Tries(clock, timing.tries, 1 / timing.try_again),
    )
    room = room_for_strangers()
    hall = _Hall(side, door, clock, timing, room, turned_away)
    tls = tls_factory(HostTLS(side.identity), _Strangers(hall), reactor)
    entrance = Entrance(tls, clock, timing.greeting, room.silent, hall.gone)
    port = bind(reactor, address, entrance)
    bound = port.getHost()
    host = address.host if address is not None else bound.host
    try:
        places = _places(advertise, own_places(host, bound.port))
        invite = Invite.of(side.identity.public, secret, _addresses(places))
    except Exception:  # raised again: whatever it was, the port must not stay open
        port.stopListening()
        raise
    return Listening(reactor, hall, entrance, port, invite, places)


def _places(named: Iterable[Address], own: tuple[Place, ...]) -> tuple[Place, ...]:
    """What the player has named, and what was found beside it; the loopback only if it is alone."""
    given = tuple(place_of(address, given=True) for address in named)
    if not given:
        return own
    there = {place.address for place in given}
    found = (each for each in own if each.reach is not Reach.LOOPBACK and each.address not in there)
    return (*given, *tuple(found)[: max(0, MAX_ADDRESSES - len(given))])


def _addresses(places: tuple[Place, ...]) -> tuple[Address, ...]:
    return tuple(place.address for place in places)


def _whence(address: Any) -> str:
    """An address as we write addresses."""
    try:
        return str(Address(canonical_host(address.host.partition("%")[0]), address.port))
    except (AttributeError, AddressError):
        return "somewhere"
