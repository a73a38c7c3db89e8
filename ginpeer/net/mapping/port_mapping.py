"""Port mapping: asks the routers to open a port, keeps it open, and closes it again.

Rule 1: we open only our own TCP port at our own address, and only between ``begin`` and ``stop``,
which the caller calls when it starts and stops listening.
Rule 2: we ask only this machine's routers.
Rule 3: whatever routers do, the result is reported within MappingTiming.whole seconds, and
``stop`` takes at most MappingTiming.stopping.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from twisted.internet.defer import Deferred, gatherResults

from ginpeer.net.mapping.gateways import Gateway, find_gateways
from ginpeer.net.mapping.maintained_mapping import LeaseRegistry, MaintainedMapping, Tasks
from ginpeer.net.mapping.methods import (
    Lease,
    MappingContext,
    MappingMethod,
    MappingTiming,
    RouterPorts,
)
from ginpeer.net.mapping.pcp import NatPmp, Pcp
from ginpeer.net.mapping.results import MappingEvent, MappingProtocol, Refusal, overall_result
from ginpeer.net.mapping.upnp import Upnp, UpnpPinhole, UpnpRouter


@dataclass(eq=False)
class PortMapping:
    """Opens one port of ours at all of this machine's routers."""

    reactor: Any
    port: int
    _: KW_ONLY
    rng: Callable[[int], bytes]
    on_event: Callable[[MappingEvent], None]
    """Called with each address that friends can connect to (PortMapped), each that no longer works
    (PortUnmapped), and once with the overall MappingResult."""
    store: Callable[[tuple[Lease, ...]], None] = lambda leases: None
    """Called with all leases before a router is asked for one and whenever they change. It writes
    them to disk before it returns (``write_leases``), and must not raise."""
    remembered: Sequence[Lease] = ()
    """The leases stored by an earlier run. They are taken back unless they are wanted again."""
    own: Sequence[str] = ()  # as for `find_gateways`
    gateways: Sequence[Gateway] | None = None  # instead of those that `find_gateways` finds
    timing: MappingTiming = field(default_factory=MappingTiming)
    ports: RouterPorts = field(default_factory=RouterPorts)

    def __post_init__(self) -> None:
        self._context = MappingContext(self.reactor, self.rng, self.timing, self.ports)
        self._registry = LeaseRegistry(self.store)
        self._tasks = Tasks()
        self._routers: dict[str, UpnpRouter] = {}
        self._mappings: list[MaintainedMapping] = []
        self._is_stopping = False
        self._stopped: Deferred[None] | None = None

    @property
    def leases(self) -> tuple[Lease, ...]:
        return self._registry.leases

    def begin(self) -> None:
        """Start asking. Call this once."""
        self._tasks.start(self._begin())

    def look_again(self) -> None:
        """Renew now: a connection from outside was lost, and the router may have restarted."""
        for mapping in self._mappings:
            mapping.look_again()

    def stop(self) -> Deferred[None]:
        """Take back all open mappings, and report no more events. The Deferred fires when that is
        done or has taken too long; it never fails. If no router has confirmed that a mapping is
        closed, it stays among the leases for the next start."""
        if self._stopped is None:
            self._is_stopping = True
            for mapping in self._mappings:
                mapping.stop()
            self._tasks.cancel()
            answered = self._registry.answered
            # Do this first, since storing may fail on a full disk.
            self._stopped = self._bounded(answered, self.timing.stopping)
            for lease in self._registry.leases:
                if lease not in answered and not lease.permanent:
                    self._registry.drop(lease)
        waiting: Deferred[None] = Deferred()
        self._stopped.addCallback(waiting.callback)
        return waiting

    async def _begin(self) -> None:
        reactor, timing = self.reactor, self.timing
        until = reactor.seconds() + timing.whole
        gateways = self.gateways
        if gateways is None:
            gateways = await find_gateways(reactor, tuple(self.own))
        self._mappings = self._mappings_at(gateways)
        wanted = {
            (method.protocol, *method.gateway, self.port)
            for mapping in self._mappings
            for method in mapping.methods
        }
        for lease in self.remembered:
            self._registry.keep(lease)
        left = tuple(lease for lease in self.remembered if lease.key not in wanted)
        await self._bounded(left, timing.forgetting, forget=True)
        results = [
            self._tasks.start(mapping.establish(until - reactor.seconds()))
            for mapping in self._mappings
        ]
        found = await gatherResults(results)
        self._report(overall_result(tuple(answer for answers in found for answer in answers or ())))

    def _report(self, event: MappingEvent) -> None:
        if not self._is_stopping:
            self.on_event(event)

    def _mappings_at(self, gateways: Sequence[Gateway]) -> list[MaintainedMapping]:
        context, port = self._context, self.port
        self._routers = {each.host: UpnpRouter(context, each) for each in gateways if not each.ipv6}
        router = next(iter(self._routers.values()), None)  # the one through which packets leave
        mappings = []
        for gateway in gateways:
            methods: list[MappingMethod] = [Pcp(context, gateway, port)]
            if not gateway.ipv6:
                upnp = Upnp(context, self._routers[gateway.host], gateway, port)
                methods += [NatPmp(context, gateway, port), upnp]
            elif router is not None:
                by_ipv4 = Gateway(router.gateway.host, gateway.own)
                for each in (gateway, by_ipv4):
                    methods.append(UpnpPinhole(context, router, each, port))
            mappings.append(
                MaintainedMapping(context, methods, port, self._registry, self._tasks, self._report)
            )
        return mappings

    def _bounded(
        self, leases: tuple[Lease, ...], seconds: float, *, forget: bool = False
    ) -> Deferred[None]:
        """Take these leases back within so many seconds. *forget*: drop leases that expire by
        themselves even if that fails."""
        tasks = Tasks()
        taking = [tasks.start(self._take_back(lease, forget)) for lease in leases]
        for each in taking:
            each.addTimeout(seconds, self.reactor)
        return gatherResults(taking).addCallback(lambda _: None)

    async def _take_back(self, lease: Lease, forget: bool) -> None:
        """Take a lease back, and keep it in the registry until a router has confirmed that."""
        try:
            method = self._method_of(lease)
            if method is not None:
                await method.take_back(lease)
                self._registry.drop(lease)
        except Refusal:
            pass
        finally:
            if forget and not lease.permanent:
                self._registry.drop(lease)

    def _method_of(self, lease: Lease) -> MappingMethod | None:
        """Return the method that takes this lease back, or None if its router isn't here."""
        context, port = self._context, lease.internal_port
        gateway = Gateway(lease.gateway, lease.own)
        if lease.protocol is MappingProtocol.PCP:
            return Pcp(context, gateway, port)
        if lease.protocol is MappingProtocol.NAT_PMP:
            return NatPmp(context, gateway, port)
        if gateway.ipv6:
            return UpnpPinhole(context, UpnpRouter(context, gateway), gateway, port)
        router = self._routers.get(lease.gateway)
        return None if router is None else Upnp(context, router, router.gateway, port)
