"""Port mapping: asks the routers to open a port, keeps it open, and closes it again.

Rule 1: we open only our own TCP port at our own address, and only between ``begin`` and ``stop``,
which the caller calls when it starts and stops listening. We ask only this machine's routers.
Rule 2: whatever routers do, the result is reported within MappingTiming.total seconds, and
``stop`` takes at most MappingTiming.stopping.
Rule 3: for each address of ours, the best method asks first; each of the others starts when those
before it have failed or have used up their head start. PCP goes before NAT-PMP, since its nonce
protects our mapping from others. UPnP goes last: anybody may delete its entries, and some routers
keep them for ever.
Rule 4: the first grant wins, even over a better method that answers later: its address may
already have been announced.
Rule 5: a second grant is released, unless it has the same external port: many routers have one
table for all protocols, so releasing one grant would close both. Such a grant stays until the end.
Rule 6: a renewal is a complete request. If it fails, all methods try again, at growing intervals.
The intervals also grow while the router has opened the port but doesn't know its public address.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from twisted.internet.defer import (
    CancelledError,
    Deferred,
    TimeoutError,  # addTimeout raises this one, not the builtin
    gatherResults,
)
from twisted.logger import Logger
from twisted.python.failure import Failure

from ginpeer.net.address import Address
from ginpeer.net.interfaces import Timer, cancel
from ginpeer.net.mapping.gateways import Gateway, find_gateways
from ginpeer.net.mapping.methods import (
    Grant,
    Lease,
    MappingContext,
    MappingMethod,
    MappingTiming,
    RouterPorts,
)
from ginpeer.net.mapping.pcp import NatPmp, Pcp
from ginpeer.net.mapping.results import (
    GRANT_SENTENCES,
    SILENT,
    MappingEvent,
    MappingProtocol,
    PortMapped,
    PortUnmapped,
    Refusal,
    RouterAnswer,
    classify_public_address,
    overall_result,
)
from ginpeer.net.mapping.upnp import Upnp, UpnpPinhole, UpnpRouter

_log = Logger()


class LeaseRegistry:
    """The leases that may be open at routers, one for each key. *store* is called with all of them
    after each change."""

    def __init__(self, store: Callable[[tuple[Lease, ...]], None]) -> None:
        self._store = store
        self._leases: dict[Any, Lease] = {}
        self._unanswered: set[Any] = set()

    @property
    def leases(self) -> tuple[Lease, ...]:
        return tuple(self._leases.values())

    @property
    def answered(self) -> tuple[Lease, ...]:
        """The leases whose router has answered, so that releasing them is worth waiting for."""
        return tuple(each for each in self.leases if each.key not in self._unanswered)

    def get(self, method: MappingMethod, port: int) -> Lease | None:
        return self._leases.get((method.protocol, *method.gateway, port))

    def give_up(self, lease: Lease) -> None:
        """Record that this lease is being released although no router has answered for it."""
        self._unanswered.add(lease.key)

    def keep(self, lease: Lease) -> None:
        """Add a lease, or replace the one with the same key."""
        self._unanswered.discard(lease.key)
        if self._leases.get(lease.key) != lease:
            self._leases[lease.key] = lease
            self._store(self.leases)

    def drop(self, lease: Lease) -> None:
        if self._leases.pop(lease.key, None) is not None:
            self._store(self.leases)


class Tasks(set[Deferred[Any]]):
    """Running coroutines, which can be cancelled together."""

    def start(self, work: Coroutine[Any, Any, Any]) -> Deferred[Any]:
        """Run a coroutine. Our own errors are logged, and the Deferred then fires with None."""
        task = Deferred.fromCoroutine(work)
        self.add(task)

        def ended(result: Any) -> Any:
            self.discard(task)
            if not isinstance(result, Failure):
                return result
            if not isinstance(result.value, CancelledError):
                _log.failure("asking the router failed", failure=result)
            return None

        return task.addBoth(ended)

    def cancel(self) -> None:
        for task in tuple(self):
            task.cancel()


@dataclass(eq=False)
class MaintainedMapping:
    """Opens *port* with the first of *methods* that succeeds, and keeps it open."""

    context: MappingContext
    methods: Sequence[MappingMethod]
    port: int
    registry: LeaseRegistry
    tasks: Tasks
    on_event: Callable[[MappingEvent], None]

    def __post_init__(self) -> None:
        self._winner: MappingMethod | None = None
        self._lease: Lease | None = None  # the winner's
        self._granted: set[int] = set()  # the methods that have opened the port before
        self._outside: Address | None = None  # as last reported
        self._failed: set[int] = set()  # the methods that have failed in this round
        self._gates: list[Deferred[None]] = []  # each fires when its method may ask
        self._next: Timer | None = None
        self._retry = self.context.timing.retry
        self._asking = True  # so that look_again waits for the first search
        self._stopped = False

    async def establish(self, seconds: float) -> tuple[RouterAnswer, ...]:
        """Request the mapping with each method (rule 3), for at most this many seconds in total.
        Report a grant immediately."""
        self._winner = self._lease = None
        self._failed.clear()
        self._gates = [Deferred() for _ in self.methods]
        self._asking = True
        tries = [
            Deferred.fromCoroutine(self._try(number, method))
            for number, method in enumerate(self.methods)
        ]
        for each in tries:
            each.addTimeout(seconds, self.context.reactor)
        try:
            return tuple(await gatherResults(tries))
        finally:
            self._asking = False
            for each in tries:
                each.cancel()  # in case this coroutine itself was cancelled

    def look_again(self) -> None:
        """Renew now: a connection has been lost, or the network has changed."""
        if not self._asking:
            self._plan(0)

    def stop(self) -> None:
        """Stop asking. The caller also cancels the running tasks and releases the leases in the
        registry."""
        self._stopped = True
        cancel(self._next)

    async def _try(self, number: int, method: MappingMethod) -> RouterAnswer:
        try:
            starts, reactor = self.context.timing.head_starts, self.context.reactor
            head_start = starts[min(number, len(starts) - 1)]
            await self._gates[number].addTimeout(head_start, reactor, lambda *_: None)
            if self._winner is not None:
                raise Refusal("not-needed")
            lease = self.registry.get(method, self.port)
            grant = await method.ask(lease, self.registry.keep)
        except (Refusal, CancelledError) as error:
            late = Refusal("answer-late" if method.has_answered else "no-answer")
            refusal = error if isinstance(error, Refusal) else late
            self._on_refusal(number, method, refusal)
            return _refused(method, refusal)
        self._granted.add(number)
        if self._winner is None:
            return self._on_grant(method, grant)
        if self._lease is None or self._lease.external_port != grant.lease.external_port:  # rule 5
            self.tasks.start(self._take_back(method, grant.lease))
        return _refused(method, Refusal("not-needed"))

    def _open_gates(self) -> None:
        """Open the gate of each method that may ask because all before it have failed (rule 3).
        Once one has succeeded, open all gates: the others then notice that they aren't needed."""
        for number, gate in enumerate(self._gates):
            may_ask = self._winner is not None or self._failed >= set(range(number))
            if may_ask and not gate.called:
                gate.callback(None)

    def _on_refusal(self, number: int, method: MappingMethod, refusal: Refusal) -> None:
        if self._stopped:
            return
        lease = self.registry.get(method, self.port)
        if lease is not None and refusal.code in SILENT:
            if number not in self._granted:
                self.registry.give_up(lease)
                self.tasks.start(self._take_back(method, lease))
        elif lease is not None and refusal.code != "not-needed" and not lease.permanent:
            self.registry.drop(lease)
        self._failed.add(number)
        self._open_gates()

    def _on_grant(self, method: MappingMethod, grant: Grant) -> RouterAnswer:
        timing, host = self.context.timing, grant.outside
        self._winner, self._lease = method, grant.lease
        self._open_gates()
        wait = min(grant.lifetime / 2, timing.renewal)
        code = classify_public_address(host)
        if code == "outside-unknown":  # probably a short outage
            wait = min(wait, self._retry)
            self._retry = min(2 * self._retry, timing.renewal)
        else:
            self._retry = timing.retry
        self._plan(max(timing.soonest, wait))
        sentence = GRANT_SENTENCES[code]
        outside = None if host is None else Address(host, grant.lease.external_port)
        if code != "mapped" or outside is None:
            self._on_loss(code, sentence)
        elif outside != self._outside:
            before, self._outside = self._outside, outside
            self.on_event(PortMapped(outside, method.protocol, before))
        return RouterAnswer(
            method.protocol, method.gateway, code, sentence, outside, grant.lifetime
        )

    def _on_loss(self, code: str, sentence: str) -> None:
        if self._outside is not None:
            before, self._outside = self._outside, None
            self.on_event(PortUnmapped(before, code, sentence))

    async def _take_back(self, method: MappingMethod, lease: Lease) -> None:
        try:
            await method.take_back(lease)
        except Refusal:
            if lease.permanent:
                return  # it stays in the registry, to be tried again at the end
        self.registry.drop(lease)

    def _plan(self, seconds: float) -> None:
        cancel(self._next)
        if not self._stopped:
            self._next = self.context.reactor.callLater(
                seconds, lambda: self.tasks.start(self._renew())
            )

    async def _renew(self) -> None:
        """Renew the lease, or try all methods again (rule 6)."""
        timing = self.context.timing
        if self._winner is not None:
            lease = self.registry.get(self._winner, self.port) or self._lease
            try:
                asking = Deferred.fromCoroutine(self._winner.ask(lease, self.registry.keep))
                asking.addTimeout(timing.total, self.context.reactor)
                self._on_grant(self._winner, await asking)
                return
            except (Refusal, TimeoutError):
                pass  # the router has restarted, or is a different one
        answers = await self.establish(timing.total)
        if self._winner is None:
            first = answers[0]
            self._on_loss(first.code, first.sentence)
            self._plan(self._retry)
            self._retry = min(2 * self._retry, timing.renewal)


def _refused(method: MappingMethod, refusal: Refusal) -> RouterAnswer:
    code, sentence, seen_at = refusal.code, refusal.sentence, refusal.seen_at
    return RouterAnswer(method.protocol, method.gateway, code, sentence, seen_at=seen_at)


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
    """The leases stored by an earlier run. They are released unless they are wanted again."""
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
        """Close all open mappings, and report no more events. The Deferred fires when that is done
        or has taken too long; it never fails. A mapping that no router has confirmed as closed
        stays among the leases for the next start."""
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
        until = reactor.seconds() + timing.total
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
        if self._is_stopping:
            return
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
                by_ipv4 = Gateway(router.gateway.host, gateway.own_address)
                for each in (gateway, by_ipv4):
                    methods.append(UpnpPinhole(context, router, each, port))
            mappings.append(
                MaintainedMapping(context, methods, port, self._registry, self._tasks, self._report)
            )
        return mappings

    def _bounded(
        self, leases: tuple[Lease, ...], seconds: float, *, forget: bool = False
    ) -> Deferred[None]:
        """Release these leases within this many seconds. *forget*: even if that fails, drop those
        that aren't permanent."""
        taking = [Tasks().start(self._take_back(lease, forget)) for lease in leases]
        for each in taking:
            each.addTimeout(seconds, self.reactor)
        return gatherResults(taking).addCallback(lambda _: None)

    async def _take_back(self, lease: Lease, forget: bool) -> None:
        """Release a lease, and keep it in the registry until its router has confirmed that."""
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
        """Return the method that can release this lease, or None if its router wasn't found."""
        context, port = self._context, lease.internal_port
        gateway = Gateway(lease.gateway, lease.own_address)
        if lease.protocol is not MappingProtocol.UPNP:
            kind = Pcp if lease.protocol is MappingProtocol.PCP else NatPmp
            return kind(context, gateway, port)
        if gateway.ipv6:
            return UpnpPinhole(context, UpnpRouter(context, gateway), gateway, port)
        router = self._routers.get(lease.gateway)
        return None if router is None else Upnp(context, router, router.gateway, port)
