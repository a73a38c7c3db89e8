"""Ask routers to let a friend connect: for a waiting host, and for a guest while both sides dial.

Rule 1: only our own port is opened, and only while we listen there.
Rule 2: a lease is stored before a router is asked for it, so that the next start can close what a
crash has left open.
"""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli.match.one_match import OneMatch
from ginpeer.net.acceptor import Acceptor
from ginpeer.net.address import Address
from ginpeer.net.interfaces import Timer, cancel
from ginpeer.net.mapping.methods import Lease, LeaseError, read_leases, write_leases
from ginpeer.net.mapping.port_mapping import PortMapping
from ginpeer.net.mapping.results import MappingEvent, MappingResult, PortMapped, PortUnmapped
from ginpeer.net.own_addresses import Reach, ReachableAddress, listening_addresses, own_hosts
from ginpeer.store import StoreError
from ginpeer.store.small_files import MappingNotes

if TYPE_CHECKING:
    from twisted.internet.defer import Deferred

    from cli.match.hosting import HostContact
    from cli.match.public_address import PublicAddressLookup

TOLD_AFTER = 0.9  # seconds until our player is told that we are waiting for the routers
_ANOTHER = 0.15  # seconds for a second answer: a router may open both IPv4 and IPv6


def can_be_mapped(addresses: Iterable[ReachableAddress]) -> bool:
    """Return whether asking a router could help a machine with these addresses."""
    return any(each.reach in (Reach.HOME, Reach.IPV6, Reach.VPN) for each in addresses)


class HostRouters:
    """Asks a host's routers to let friends connect, while the host waits. Reports to the invitation
    once whether a router has opened the port, and later each answer that changes the invite."""

    def __init__(self, match: OneMatch, listening: Acceptor, invitation: HostContact) -> None:
        self._match = match
        self._listening = listening
        self._invitation = invitation
        self._has_answered = False
        self._timer: Timer | None = None
        ours = own_hosts()  # the player may have named another machine's address
        own = [each.host for each in listening.addresses if ":" in each.host and each.host in ours]
        self._mapping = _mapping_of(match, listening.port, self._on_event, own=own)
        match.reactor.addSystemEventTrigger("before", "shutdown", self._mapping.stop)

    def ask(self) -> None:
        """Keep asking the routers to open our port until the program ends."""
        self._timer = self._match.reactor.callLater(
            TOLD_AFTER,
            self._match.presenter.info,
            "Asking your router to open a port for your friend. This takes up to ten seconds.",
        )
        self._mapping.begin()

    def look_again(self) -> None:
        """Renew the leases. A connection from outside has ended, so a router may have restarted."""
        self._mapping.look_again()

    def _answer(self, outcome: MappingResult | None) -> None:
        cancel(self._timer)
        if not self._has_answered:
            self._has_answered = True
            self._invitation.on_router_answer(outcome)

    def _on_event(self, event: MappingEvent) -> None:
        match event:
            case PortMapped():
                self._mapped(event)
            case PortUnmapped():
                self._listening.drop(event.outside)
                self._match.presenter.info(
                    f"Your router no longer lets anybody in at {event.outside}. Asking it again. "
                    f"{event.sentence} ({event.code})"
                )
            case MappingResult(code="mapped"):
                self._answer(None)
            case MappingResult():
                if event.seen_at is not None:
                    seen = Address(event.seen_at, self._listening.port)
                    self._listening.add_closed(seen)
                self._answer(event)
                self._invitation.reprint(
                    "This invite includes your router's address, so that both programs can dial."
                )

    def _mapped(self, event: PortMapped) -> None:
        listening = self._listening
        if event.instead_of is not None:
            listening.drop(event.instead_of)
        listening.add(event.outside, reach=Reach.OUTSIDE)
        if not self._has_answered:
            cancel(self._timer)
            self._timer = self._match.reactor.callLater(_ANOTHER, self._answer, None)
            return
        self._match.send_addresses()
        self._invitation.reprint(
            f"Your router now lets your friend in at {event.outside} ({event.protocol.value}). "
            "This invite includes that address."
        )


class GuestRouters:
    """Asks a guest's routers to let its host connect, because the guest can't reach the host."""

    def __init__(self, match: OneMatch, public: PublicAddressLookup) -> None:
        """*public* is told whether a router has opened our port, once that is known."""
        self._match = match
        self._public = public
        self._mapping: PortMapping | None = None
        self._stopped: Deferred[None] | None = None  # fires when the previous mapping has stopped
        self._answer: Deferred[Address] | None = None
        self._number = 0  # our port
        match.reactor.addSystemEventTrigger("before", "shutdown", self._stop)

    def ask(self, port: Any) -> Deferred[Address]:
        """Return a Deferred of the address at which a router lets the host connect to *port*, an
        IListeningPort. It fails if no router does. The port stays open until `close`."""
        here = port.getHost()
        number = self._number = here.port
        from twisted.internet.defer import Deferred

        answer: Deferred[Address] = Deferred(lambda _: None)
        self._answer = answer
        if not can_be_mapped(listening_addresses(here.host, number)):
            answer.errback(NotMapped("There is no router to ask."))
            self._public.on_router_result(opened=False)
            return answer

        def begin(_: object) -> None:
            if self._answer is answer:  # the port hasn't been closed since
                self._mapping = _mapping_of(self._match, number, self._on_event)
                self._mapping.begin()

        if self._stopped is None:
            begin(None)
        else:  # the previous mapping still writes this port's leases
            self._stopped.addCallback(begin)
        return answer

    def close(self) -> None:
        if self._mapping is not None:
            self._stopped = self._mapping.stop()
        self._mapping = self._answer = None

    def _stop(self) -> Deferred[None] | None:
        self.close()
        return self._stopped

    def _on_event(self, event: MappingEvent) -> None:
        answer = self._answer
        if answer is None or answer.called:
            return
        match event:
            case PortMapped():
                answer.callback(event.outside)
            case MappingResult() if event.seen_at is not None:
                answer.callback(Address(event.seen_at, self._number))
            case MappingResult():
                answer.errback(NotMapped(event.sentence))
            case PortUnmapped():
                return
        self._public.on_router_result(opened=isinstance(event, PortMapped))


class NotMapped(Exception):
    """Raised when no router has opened our port."""


def _mapping_of(
    match: OneMatch, port: int, on_event: Callable[[MappingEvent], None], own: Sequence[str] = ()
) -> PortMapping:
    """Return a mapping of our port that remembers its leases. The caller stops it."""
    leases = RouterLeases(match.home.path, port, match.presenter.info)
    mapping = PortMapping(
        match.reactor,
        port,
        rng=os.urandom,
        on_event=on_event,
        store=leases.store,
        remembered=leases.remembered(),
        own=own,
    )
    return mapping


class RouterLeases:
    """The stored leases of one home, for a program that listens on *port*."""

    def __init__(self, home: Path, port: int, warn: Callable[[str], None]) -> None:
        """*warn* is called once if nothing can be stored."""
        self._notes = MappingNotes(home)
        self._port = port
        self._warn: Callable[[str], None] | None = warn

    def remembered(self) -> tuple[Lease, ...]:
        """Return the leases of our port, and of every port at which no program listens."""
        found: list[Lease] = []
        for port in self._notes.ports():
            if port != self._port and not _is_free(port):
                continue
            try:
                found += read_leases(self._notes.read(port) or "")
            except LeaseError:
                continue  # those leases end by themselves when they expire
        return tuple(found)

    def store(self, leases: tuple[Lease, ...]) -> None:
        ports = {lease.internal_port for lease in leases}
        try:
            for port in {*self._notes.ports(), *ports}:
                of_this = [lease for lease in leases if lease.internal_port == port]
                if of_this:
                    self._notes.write(port, write_leases(of_this))
                elif port == self._port or _is_free(port):
                    self._notes.forget(port)
        except StoreError as error:
            warn, self._warn = self._warn, None
            if warn is not None:
                warn(f"{error.sentence} ({error.code})")


def _is_free(port: int) -> bool:
    """Return whether no program listens on this port, so that its leases are leftovers."""
    # Windows otherwise lets us bind although another program listens at one of the addresses.
    exclusive: int = getattr(socket, "SO_EXCLUSIVEADDRUSE", 0)
    taken = (errno.EADDRINUSE, errno.EACCES) if exclusive else (errno.EADDRINUSE,)
    for family, everywhere in ((socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::")):  # noqa: S104
        try:
            with socket.socket(family, socket.SOCK_STREAM) as probe:
                if exclusive:
                    probe.setsockopt(socket.SOL_SOCKET, exclusive, 1)
                if family == socket.AF_INET6:
                    probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                probe.bind((everywhere, port))
        except OSError as error:
            if error.errno in taken:
                return False
    return True
