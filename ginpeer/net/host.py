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
from dataclasses import replace
from typing import Any

from twisted.internet.defer import Deferred, maybeDeferred

from ginpeer.net.access_policy import ClubPolicy, Tables
from ginpeer.net.address import Address
from ginpeer.net.address_codec import MAX_ADDRESSES
from ginpeer.net.admission import AdmissionFactory, stranger_limits
from ginpeer.net.connection import Timing
from ginpeer.net.hall import Acceptor, RejectedConnection, Strangers
from ginpeer.net.handshake import SingleGuestPolicy
from ginpeer.net.hole_punch import AddressQuery
from ginpeer.net.interfaces import Clock, CloseReason
from ginpeer.net.invite import Invite
from ginpeer.net.listening_port import bind, local_address
from ginpeer.net.own_addresses import Place, Reach, own_places, place_of, with_place
from ginpeer.net.reply import Reply, ReplyError
from ginpeer.net.session import Side
from ginpeer.net.simultaneous_open import HOST_EVERY, Dialling, may_dial
from ginpeer.net.tls import HostTLS, tls_factory


class Listening:
    """An open door. ``invite`` leads to it, ``places`` says by whom each of its addresses can be
    reached; ``arrival`` fires with the first session.

    ``arrival`` stays silent if nobody comes before ``stop``. Every session, the first and those
    of a guest that comes back, is also handed to ``Side.player_for``.
    """

    def __init__(
        self,
        reactor: Any,
        hall: Acceptor,
        entrance: AdmissionFactory,
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

    def add_closed(self, address: Address) -> Invite:
        """Add an address at which the outside sees us but can't connect, unless more is known about
        it already."""
        if any(place.address == address for place in self.places):
            return self.invite
        return self.add(address, reach=Reach.CLOSED)

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
                "reply-addresses",
                "The reply leads to this machine itself, and to no other. A friend's reply comes "
                "from the friend's own machine; on this one, ginpeer join and the invite lead here "
                "without any.",
            )
        self.dial(addresses)
        return addresses

    def ask(self, outside: AddressQuery) -> Deferred[Address]:
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

    def wait_on(self) -> None:
        """Nothing was begun with the guest who sat there last: wait as before."""
        self._hall.door.as_before()

    def stop(self) -> Deferred[None]:
        """Let nobody in any more. A session goes on; fires when the port is closed."""
        self._hall.dial(None)
        self._entrance.close()
        for connection in self._hall.strangers:
            connection.cut(CloseReason("host-stopped", "The host stopped waiting."))
        return maybeDeferred(self._port.stopListening)


def listen(
    reactor: Any,
    side: Side,
    secret: bytes,
    *,
    address: Address | None = None,
    advertise: Iterable[Address] = (),
    expected: Iterable[bytes] = (),
    nobody_else: bool = False,
    club: Tables | None = None,
    timing: Timing | None = None,
    clock: Clock | None = None,
    turned_away: Callable[[RejectedConnection], None] | None = None,
) -> Listening:
    """Open a port and wait for a guest.

    *secret*: SECRET_BYTES fresh random bytes for the invite. *address*: where to listen; without
    it, on all of this machine's addresses at DEFAULT_PORT, or the next port that is free.
    *advertise*: what the invite names first, before our guess. *expected*: keys let in without the
    invite, to go on with a match; with *nobody_else* no other is. *club*: the tables at which
    whoever has the invite may sit, each with a side of its own (club_door.py); *side* greets.
    *clock* times sessions; *reactor* does the network. *turned_away* hears of everybody who came
    and was not let in, as often as they come.

    Raises ListenError, or InviteError for addresses that no invite can name.
    """
    clock = clock if clock is not None else reactor
    timing = timing or Timing()
    door = (
        _door_for_one(side, secret, expected, nobody_else, timing, clock)
        if club is None
        else ClubPolicy(secret, club, clock, expected)
    )
    room = stranger_limits()
    hall = Acceptor(side, door, clock, timing, room, turned_away)
    tls = tls_factory(HostTLS(side.identity), Strangers(hall), reactor)
    entrance = AdmissionFactory(tls, clock, timing.greeting, room.silent, hall.gone)
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


def _door_for_one(
    side: Side,
    secret: bytes,
    expected: Iterable[bytes],
    nobody_else: bool,
    timing: Timing,
    clock: Clock,
) -> SingleGuestPolicy:
    sittings = side.allowances.bucket(
        "sitting", timing.admissions, 1 / timing.again, clock.seconds()
    )
    return SingleGuestPolicy(
        secret,
        expected,
        nobody_else=nobody_else,
        may_sit=lambda: sittings.take(clock.seconds()),
    )


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
