"""Have the routers let a friend in: ask them, keep the port open, and close it again.

# Rule 1: nothing is opened but our own TCP port at our own address, and only between ``begin`` and
# ``stop``: whoever uses this calls them when it listens and when it listens no more.
# Rule 2: nobody is asked but the routers of this machine.
# Rule 3: whatever routers do, the outcome is told within MappingTiming.whole seconds, and ``stop`` takes
# MappingTiming.stopping.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from twisted.internet.defer import Deferred, gatherResults

from ginpeer.net.interfaces import Clock
from ginpeer.net.mapping.gateways import Gateway, find_gateways
from ginpeer.net.mapping.lease import Lease
from ginpeer.net.mapping.maintained_mapping import LeaseRegistry, MaintainedMapping, Tasks
from ginpeer.net.mapping.methods import (
    MappingContext,
    MappingMethod,
    MappingTiming,
    NatPmp,
    Pcp,
    RouterPorts,
)
from ginpeer.net.mapping.refusals import MappingProtocol, Refusal
from ginpeer.net.mapping.results import MappingEvent, overall_result
from ginpeer.net.mapping.upnp import Upnp, UpnpPinhole, UpnpRouter


class PortMapping:
    """One port of ours at all routers of this machine.

    *rng* gives random bytes. *told* hears of each way in at once (Mapped), of one that has gone
    (Unmapped), and once of the whole (Outcome). *stored* hears of all leases before a router is
    asked for one and whenever they change; it stores them before it returns (``write_leases``), and
    must not raise. *remembered* are those that the start before has stored: they are taken back,
    but where the same is wanted again. *own*: our IPv6 addresses that are to be opened; without
    one, that which packets leave from. *gateways*: found, if none are given.

    Where several protocols would open the port the first that grants it stays, with a head start
    for PCP and then for NAT-PMP (opening.py says why).
    """

    def __init__(
        self,
        reactor: Any,
        port: int,
        *,
        rng: Callable[[int], bytes],
        told: Callable[[MappingEvent], None],
        stored: Callable[[tuple[Lease, ...]], None] = lambda leases: None,
        remembered: Sequence[Lease] = (),
        own: Iterable[str] = (),
        gateways: Sequence[Gateway] | None = None,
        clock: Clock | None = None,
        timing: MappingTiming | None = None,
        ports: RouterPorts | None = None,
    ) -> None:
        self._around = MappingContext(
            reactor,
            clock if clock is not None else reactor,
            rng,
            timing or MappingTiming(),
            ports or RouterPorts(),
        )
        self._port = port
        self._told = told
        self._own = tuple(own)
        self._given = None if gateways is None else tuple(gateways)
        self._remembered = tuple(remembered)
        self._book = LeaseRegistry(stored)
        self._tasks = Tasks()
        self._routers: dict[str, UpnpRouter] = {}
        self._openings: list[MaintainedMapping] = []
        self._stopping = False
        self._stopped: Deferred[None] | None = None

    @property
    def leases(self) -> tuple[Lease, ...]:
        """What may stand open at routers now."""
        return self._book.leases

    def begin(self) -> None:
        """Ask. Called once."""
        self._tasks.start(self._begin())

    def look_again(self) -> None:
        """Renew now: a connection from outside was lost, and the router may have restarted."""
        for opening in self._openings:
            opening.look_again()

    def stop(self) -> Deferred[None]:
        """Take back all open mappings, and stop telling events.

        The Deferred fires when that is done, or has taken too long; it never fails. A mapping that
        no router has confirmed as closed stays among the leases, for the next start: a machine that
        is short of time, memory or sockets may not get as far.
        """
        if self._stopped is None:
            self._stopping = True
            for opening in self._openings:
                opening.stop()
            self._tasks.cancel()
            standing = self._book.standing
            # Do this first, since storing may fail on a machine that is full.
            self._stopped = self._bounded(standing, self._around.timing.stopping)
            for lease in self._book.leases:
                if lease not in standing and not lease.permanent:
                    self._book.drop(lease)
        waiting: Deferred[None] = Deferred()

        def done(result: None) -> None:
            waiting.callback(None)

        self._stopped.addCallback(done)
        return waiting

    async def _begin(self) -> None:
        clock, timing = self._around.clock, self._around.timing
        until = clock.seconds() + timing.whole
        gateways = self._given
        if gateways is None:
            gateways = await find_gateways(self._around.reactor, self._own)
        self._openings = self._open_at(gateways)
        wanted = {
            (way.protocol, *way.gateway, self._port)
            for opening in self._openings
            for way in opening.ways
        }
        for lease in self._remembered:
            self._book.keep(lease)
        left = tuple(lease for lease in self._remembered if lease.way not in wanted)
        await self._bounded(left, timing.forgetting, forget=True)
        hunts = [
            self._tasks.start(opening.hunt(until - clock.seconds())) for opening in self._openings
        ]
        found = await gatherResults(hunts)
        self._tell(overall_result(tuple(answer for answers in found for answer in answers or ())))

    def _tell(self, event: MappingEvent) -> None:
        if not self._stopping:
            self._told(event)

    def _open_at(self, gateways: tuple[Gateway, ...]) -> list[MaintainedMapping]:
        around, port = self._around, self._port
        four = [gateway for gateway in gateways if not gateway.ipv6]
        self._routers = {gateway.host: UpnpRouter(around, gateway) for gateway in four}
        openings: list[tuple[MappingMethod, ...]] = [
            (
                Pcp(around, gateway, port),
                NatPmp(around, gateway, port),
                Upnp(around, self._routers[gateway.host], port),
            )
            for gateway in four
        ]
        router = next(iter(self._routers.values()), None)  # the one that packets leave by
        for gateway in gateways:
            if not gateway.ipv6:
                continue
            ways: tuple[MappingMethod, ...] = (Pcp(around, gateway, port),)
            if router is not None:
                by_ipv4 = Gateway(router.gateway.host, gateway.own)
                ways += tuple(
                    UpnpPinhole(around, router, each, port) for each in (gateway, by_ipv4)
                )
            openings.append(ways)
        return [
            MaintainedMapping(around, ways, port, self._book, self._tasks, self._tell)
            for ways in openings
        ]

    def _bounded(
        self, leases: tuple[Lease, ...], seconds: float, *, forget: bool = False
    ) -> Deferred[None]:
        """Take these leases back, within so many seconds. *forget*: drop those that expire by
        themselves, even if that fails."""
        tasks = Tasks()
        all_done = gatherResults([tasks.start(self._take_back(lease, forget)) for lease in leases])
        timer = self._around.clock.callLater(seconds, tasks.cancel)

        def done(_results: Any) -> None:
            if timer.active():
                timer.cancel()

        return all_done.addBoth(done)

    async def _take_back(self, lease: Lease, forget: bool) -> None:
        """Take a lease back, and keep it noted until a router has confirmed that it is gone."""
        try:
            way = self._way_of(lease)
            if way is not None:
                await way.take_back(lease)
                self._book.drop(lease)
        except Refusal:
            pass
        finally:
            if forget and not lease.permanent:
                self._book.drop(lease)

    def _way_of(self, lease: Lease) -> MappingMethod | None:
        """How to take it back; None if its router is not here."""
        router = self._routers.get(lease.gateway)
        gateway = Gateway(lease.gateway, lease.own)
        if lease.protocol is MappingProtocol.PCP:
            return Pcp(self._around, gateway, lease.internal_port)
        if lease.protocol is MappingProtocol.NAT_PMP:
            return NatPmp(self._around, gateway, lease.internal_port)
        if gateway.ipv6:
            return UpnpPinhole(self._around, None, gateway, lease.internal_port)
        return None if router is None else Upnp(self._around, router, lease.internal_port)
