"""Routers that are asked to let a friend in: by a host that waits, by a guest while both dial.

# Rule 1: the invite waits for the routers (invitation.py). If they answer later, while the host
# waits, their answer goes into another invite, and our player is told.
# Rule 2: a port stands open only while we listen there, and only ours.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from cli.match.one_match import OneMatch
from cli.match.router_leases import RouterLeases
from ginpeer.net.address import Address
from ginpeer.net.host import Listening
from ginpeer.net.interfaces import Timer
from ginpeer.net.mapping.outcome import Event, Mapped, Outcome, Unmapped
from ginpeer.net.mapping.port_mapping import PortMapping
from ginpeer.net.own_addresses import Place, Reach, own_places

if TYPE_CHECKING:
    from twisted.internet.defer import Deferred

TOLD_AFTER = 0.9
"""Seconds after which our player is told that we are waiting for the routers."""

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
        answered: Callable[[Outcome | None], None],
        again: Callable[[str], None],
        mapping: Callable[..., PortMapping] = PortMapping,
    ) -> None:
        """*answered* is called once: with None when a router has opened a port, or else with why
        none did. *again* is called with the reason whenever a later answer may have changed the
        invite."""
        self._match = match
        self._listening = listening
        self._answered = answered
        self._again = again
        self._has_answered = False
        self._timer: Timer | None = None
        leases = RouterLeases(match.home.path, listening.port, match.presenter.info)
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
        self._timer = self._match.reactor.callLater(TOLD_AFTER, self._still_asking)
        self._mapping.begin()

    def look_again(self) -> None:
        """A connection from outside was lost: the router may have forgotten us."""
        self._mapping.look_again()

    def _still_asking(self) -> None:
        self._match.presenter.info(
            "Asking your router to let a friend in from outside. This takes up to ten seconds."
        )

    def _answer(self, outcome: Outcome | None) -> None:
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        if not self._has_answered:
            self._has_answered = True
            self._answered(outcome)

    def _told(self, event: Event) -> None:
        match event:
            case Mapped():
                self._mapped(event)
            case Unmapped():
                self._listening.drop(event.outside)
                self._match.presenter.info(
                    f"Your router lets nobody in at {event.outside} any more; it is asked again. "
                    f"{event.sentence} ({event.code})"
                )
            case Outcome(code="mapped"):
                self._answer(None)
            case Outcome():
                if event.seen_at is not None:
                    seen = Address(event.seen_at, self._listening.port)
                    self._listening.add_closed(seen)
                self._answer(event)
                self._again("This invite includes your router's address, for when both dial.")

    def _mapped(self, event: Mapped) -> None:
        listening = self._listening
        if event.instead_of is not None:
            listening.drop(event.instead_of)
        listening.add(event.outside, reach=Reach.OUTSIDE)
        if not self._has_answered:
            if self._timer is not None and self._timer.active():
                self._timer.cancel()
            self._timer = self._match.reactor.callLater(_ANOTHER, self._answer, None)
            return
        self._match.tell_whereabouts()
        self._again(
            f"Your router now lets a friend in at {event.outside} ({event.protocol.value}). This "
            "invite includes that address."
        )


class GuestRouters:
    """A guest's routers, asked while it listens because it does not reach its host."""

    def __init__(
        self,
        match: OneMatch,
        answered: Callable[[bool], None] = lambda opened: None,
        mapping: Callable[..., PortMapping] = PortMapping,
    ) -> None:
        """*answered* is called with whether a router has opened our port, once that is known."""
        self._match = match
        self._answered = answered
        self._make = mapping
        self._mapping: PortMapping | None = None
        self._answer: Deferred[Address] | None = None
        self._number = 0  # of our port

    def ask(self, port: Any) -> Deferred[Address]:
        """The address at which a router lets the host in to *port*, an IListeningPort; fails if
        none does. What is open stays so until `close`."""
        here = port.getHost()
        number = self._number = here.port
        leases = RouterLeases(self._match.home.path, number, self._match.presenter.info)
        from twisted.internet.defer import Deferred

        self._answer = Deferred(lambda _: None)
        if not can_be_mapped(own_places(here.host, number)):
            self._answer.errback(NotMapped("There is no router to ask."))
            self._answered(False)
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
                self._answered(True)
            case Outcome() if event.seen_at is not None:
                answer.callback(Address(event.seen_at, self._number))
                self._answered(False)
            case Outcome():
                answer.errback(NotMapped(event.sentence))
                self._answered(False)


class NotMapped(Exception):
    """No router lets anybody in."""
