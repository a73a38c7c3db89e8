"""A host whose routers are asked to let a friend in (`ginpeer host`, without `--no-mapping`).

# Rule 1: the invite waits for the routers less than a second. What they say later is added to it
# while the host waits, and said.
# Rule 2: what may be open at a router is on the disk before it is asked for. The next start takes
# back what a crash has left.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable

from cli.match.one_match import OneMatch
from cli.words.places import outside_line
from ginpeer.net.host import Listening
from ginpeer.net.interfaces import Timer
from ginpeer.net.mapping.lease import Lease, LeaseError, read_leases, write_leases
from ginpeer.net.mapping.outcome import Event, Mapped, Outcome, Unmapped
from ginpeer.net.mapping.port_mapping import PortMapping
from ginpeer.net.own_addresses import Reach
from ginpeer.store import StoreError
from ginpeer.store.port_notes import PortNotes

INVITE_WAITS = 0.9
"""Seconds for the routers, before the invite is printed."""

_ANOTHER = 0.15
"""Seconds after the first way in, for a second one: a router may open IPv4 and IPv6."""


def can_be_mapped(listening: Listening) -> bool:
    """Whether this door can be reached from other machines at all."""
    return any(place.reach in (Reach.HOME, Reach.IPV6, Reach.VPN) for place in listening.places)


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
        self._told_of_disk = False
        self._timer: Timer | None = None
        self._notes = PortNotes(match.home.path)
        self._mapping = mapping(
            match.reactor,
            listening.port,
            rng=os.urandom,
            told=self._told,
            stored=self._store,
            remembered=self._remembered(),
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
                self._announce()
                if event.code != "mapped":
                    self._not_mapped(event)

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
        if invite == before or listening.arrival.called:
            return
        match.voice.info(
            f"Your router lets a friend in at {event.outside} now ({event.protocol.value}). This "
            "invite says so; send it in the place of the one above:"
        )
        match.console.print(f"invite: {invite}", whole=True)

    def _not_mapped(self, outcome: Outcome) -> None:
        line = outside_line(self._listening.places, self._listening.port)
        if line is not None:
            self._match.voice.info(f"{outcome.sentence} {line} ({outcome.code})")

    # --- what may stand open, kept for the next start --------------------------------------

    def _remembered(self) -> tuple[Lease, ...]:
        """That of our port, and of every other where nobody of ours listens any more."""
        found: list[Lease] = []
        for port in self._notes.ports():
            if port != self._listening.port and not _is_free(port):
                continue
            try:
                found += read_leases(self._notes.read(port) or "")
            except LeaseError:
                continue  # the routers close what it named when its time is over
        return tuple(found)

    def _store(self, leases: tuple[Lease, ...]) -> None:
        ports = {lease.internal_port for lease in leases}
        try:
            for port in {*self._notes.ports(), *ports}:
                of_this = [lease for lease in leases if lease.internal_port == port]
                if of_this:
                    self._notes.write(port, write_leases(of_this))
                elif port == self._listening.port or _is_free(port):
                    self._notes.forget(port)
        except StoreError as error:
            if not self._told_of_disk:
                self._told_of_disk = True
                self._match.voice.info(f"{error.sentence} ({error.code})")


def _is_free(port: int) -> bool:
    """Whether no program listens at this port of ours: then what was opened for it is left over."""
    try:
        with socket.create_server(("127.0.0.1", port)):
            return True
    except OSError:
        return False
