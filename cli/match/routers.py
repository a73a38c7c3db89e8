"""Routers that are asked to let a friend in: by a host that waits, by a guest while both dial.

# Rule 1: the invite waits for the routers less than a second. What they say later is added to it
# while the host waits, and said.
# Rule 2: a port stands open only while we listen there, and only ours.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from cli.match.one_match import OneMatch
from cli.match.router_leases import RouterLeases
from cli.words.places import outside_line
from ginpeer.net.address import Address
from ginpeer.net.host import Listening
from ginpeer.net.interfaces import Timer
from ginpeer.net.mapping.outcome import Event, Mapped, Outcome, Unmapped
from ginpeer.net.mapping.port_mapping import PortMapping
from ginpeer.net.own_addresses import Place, Reach, own_places

if TYPE_CHECKING:
    from twisted.internet.defer import Deferred

INVITE_WAITS = 0.9
"""Seconds for the routers, before the invite is printed."""

_ANOTHER = 0.15
"""Seconds after the first way in, for a second one: a router may open IPv4 and IPv6."""


def can_be_mapped(places: Iterable[Place]) -> bool:
    """Whether a router is of use to whoever can be reached at these places."""
    return any(place.reach in (Reach.HOME, Reach.IPV6, Reach.VPN) for place in places)


class Routers:
    """The routers, asked for one open door."""

    def __init__(
        self,
        match: OneMatch,
        listening: Listening,
        ready: Callable[[], None],
        mapping: Callable[..., PortMapping] = PortMapping,
    ) -> None:
        """*ready* is called once, when the invite is to be printed."""
        self._match = match
        self._listening = listening
        self._ready = ready
        self._announced = False
        self._over = False
        self._timer: Timer | None = None
        leases = RouterLeases(match.home.path, listening.port, match.voice.info)
        self._mapping = mapping(
            match.reactor,
            listening.port,
            rng=os.urandom,
            told=self._told,
            stored=leases.store,
            remembered=leases.remembered(),
            own=[each.host for each in listening.addresses if ":" in each.host],
        )

    def ask(self) -> None:
        """Ask them, until the program ends."""
        self._match.reactor.addSystemEventTrigger("before", "shutdown", self._mapping.stop)
        self._timer = self._match.reactor.callLater(INVITE_WAITS, self._announce)
        self._mapping.begin()

    def look_again(self) -> None:
        """A connection from outside was lost: the router may have forgotten us."""
        self._mapping.look_again()

    def _announce(self) -> None:
        if self._announced:
            return
        self._announced = True
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._ready()
        if not self._over and not self._from_outside():
            self._match.voice.info(
                "Your router is asked to let a friend from outside in; that takes a few seconds."
            )

    def _from_outside(self) -> bool:
        return any(place.from_outside for place in self._listening.places)

    def _told(self, event: Event) -> None:
        match event:
            case Mapped():
                self._mapped(event)
            case Unmapped():
                self._listening.drop(event.outside)
                self._match.voice.info(
                    f"Your router lets nobody in at {event.outside} any more; it is asked again. "
                    f"{event.sentence} ({event.code})"
                )
            case Outcome():
                self._over = True
                before, late = self._listening.invite, self._announced
                if event.code != "mapped" and event.seen_at is not None:
                    seen = Address(event.seen_at, self._listening.port)
                    self._listening.add(seen, reach=Reach.CLOSED)
                self._announce()
                if event.code != "mapped":
                    self._not_mapped(event)
                if late and self._listening.invite != before:
                    self._print_again("This invite says where your router is, for when both dial")

    def _mapped(self, event: Mapped) -> None:
        listening, match = self._listening, self._match
        before = listening.invite
        if event.instead_of is not None:
            listening.drop(event.instead_of)
        invite = listening.add(event.outside, reach=Reach.OUTSIDE)
        if not self._announced:
            if self._timer is not None and self._timer.active():
                self._timer.reset(_ANOTHER)
            return
        match.tell_whereabouts()
        if invite == before:
            return
        self._print_again(
            f"Your router lets a friend in at {event.outside} now ({event.protocol.value}). This "
            "invite says so"
        )

    def _print_again(self, why: str) -> None:
        if not self._listening.arrival.called:
            self._match.voice.info(f"{why}; send it in the place of the one above:")
            self._match.console.print(f"invite: {self._listening.invite}", whole=True)

    def _not_mapped(self, outcome: Outcome) -> None:
        line = outside_line(self._listening.places, self._listening.port)
        if line is not None:
            self._match.voice.info(f"{outcome.sentence} {line} ({outcome.code})")


class GuestRouters:
    """A guest's routers, asked while it listens because it does not reach its host."""

    def __init__(self, match: OneMatch, mapping: Callable[..., PortMapping] = PortMapping) -> None:
        self._match = match
        self._make = mapping
        self._mapping: PortMapping | None = None
        self._answer: Deferred[Address] | None = None
        self._number = 0  # of our port

    def ask(self, port: Any) -> Deferred[Address]:
        """The address at which a router lets the host in to *port*, an IListeningPort; fails if
        none does. What is open stays so until `close`."""
        here = port.getHost()
        number = self._number = here.port
        leases = RouterLeases(self._match.home.path, number, self._match.voice.info)
        from twisted.internet.defer import Deferred

        self._answer = Deferred(lambda _: None)
        if not can_be_mapped(own_places(here.host, number)):
            self._answer.errback(NotMapped("There is no router to ask."))
            return self._answer
        self._mapping = self._make(
            self._match.reactor,
            number,
            rng=os.urandom,
            told=self._told,
            stored=leases.store,
            remembered=leases.remembered(),
        )
        self._match.reactor.addSystemEventTrigger("before", "shutdown", self._mapping.stop)
        self._mapping.begin()
        return self._answer

    def close(self) -> None:
        """We listen no more."""
        if self._mapping is not None:
            self._mapping.stop()
        self._mapping = self._answer = None

    def _told(self, event: Event) -> None:
        answer = self._answer
        if answer is None or answer.called:
            return
        match event:
            case Mapped():
                answer.callback(event.outside)
            case Outcome() if event.seen_at is not None:
                answer.callback(Address(event.seen_at, self._number))
            case Outcome():
                answer.errback(NotMapped(event.sentence))


class NotMapped(Exception):
    """No router lets anybody in."""
