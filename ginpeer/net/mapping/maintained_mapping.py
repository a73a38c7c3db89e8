"""Keeps our port open at one address of ours: several methods ask the router, and the first grant
is maintained.

Rule 1: the better method asks first; the next one starts when those before it have failed or have
used up their head start. PCP goes before NAT-PMP, since its nonce protects our mapping from
others. UPnP goes last: anybody may delete its entries, and some routers keep them for ever.
Rule 2: the first grant wins, even over a better method that answers later: its address may
already have been announced.
Rule 3: a second grant is taken back, unless it has the same external port: many routers have one
table for all protocols, so taking it back would close both. Such a grant stays until the end.
Rule 4: a renewal is a complete request. If it fails, all methods try again, at growing intervals.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
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
from ginpeer.net.mapping.methods import Grant, Lease, MappingContext, MappingMethod
from ginpeer.net.mapping.results import (
    GRANT_SENTENCES,
    SILENT,
    MappingEvent,
    PortMapped,
    PortUnmapped,
    Refusal,
    RouterAnswer,
    classify_public_address,
)

_log = Logger()


class LeaseRegistry:
    """The leases that may be open at routers, one for each key. *store* is called with all of them
    at each change."""

    def __init__(self, store: Callable[[tuple[Lease, ...]], None]) -> None:
        self._store = store
        self._leases: dict[Any, Lease] = {}
        self._unanswered: set[Any] = set()

    @property
    def leases(self) -> tuple[Lease, ...]:
        return tuple(self._leases.values())

    @property
    def answered(self) -> tuple[Lease, ...]:
        """The leases whose router has answered, so that taking them back is worth waiting for."""
        return tuple(each for each in self.leases if each.key not in self._unanswered)

    def get(self, method: MappingMethod, port: int) -> Lease | None:
        return self._leases.get((method.protocol, *method.gateway, port))

    def give_up(self, lease: Lease) -> None:
        """Record that this lease is being taken back although no router has answered for it."""
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


class Tasks:
    """Running coroutines, which can be cancelled together."""

    def __init__(self) -> None:
        self._running: set[Deferred[Any]] = set()

    def start(self, work: Coroutine[Any, Any, Any]) -> Deferred[Any]:
        """Run a coroutine. Our own errors are logged, and the Deferred then fires with None."""
        task = Deferred.fromCoroutine(work)
        self._running.add(task)

        def ended(result: Any) -> Any:
            self._running.discard(task)
            if not isinstance(result, Failure):
                return result
            if not isinstance(result.value, CancelledError):
                _log.failure("asking the router failed", failure=result)
            return None

        return task.addBoth(ended)

    def cancel(self) -> None:
        for task in tuple(self._running):
            task.cancel()


@dataclass(eq=False)
class MaintainedMapping:
    """Opens *port* by the first of *methods* that succeeds, and keeps it open."""

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
        self._asking = False
        self._stopped = False

    async def establish(self, seconds: float) -> tuple[RouterAnswer, ...]:
        """Ask by all methods, for at most so many seconds. A grant is reported immediately."""
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
        """Stop asking. The caller also cancels the running tasks and takes back the leases in the
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
            late = Refusal("answer-late" if method.is_heard else "no-answer")
            refusal = error if isinstance(error, Refusal) else late
            self._on_refusal(number, method, refusal)
            return _refused(method, refusal)
        self._granted.add(number)
        if self._winner is None:
            return self._on_grant(method, grant)
        if self._lease is None or self._lease.external_port != grant.lease.external_port:  # rule 3
            self.tasks.start(self._take_back(method, grant.lease))
        return _refused(method, Refusal("not-needed"))

    def _open_gates(self) -> None:
        """Let a method ask if all before it have failed (rule 1), and all methods if one has
        succeeded: they notice that they aren't needed."""
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
        self._retry = timing.retry
        self._open_gates()
        self._plan(max(timing.soonest, min(grant.lifetime / 2, timing.renewal)))
        code = classify_public_address(host)
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
        """Renew the lease, or try all methods again (rule 4)."""
        timing = self.context.timing
        if self._winner is not None:
            lease = self.registry.get(self._winner, self.port) or self._lease
            try:
                asking = Deferred.fromCoroutine(self._winner.ask(lease, self.registry.keep))
                asking.addTimeout(timing.whole, self.context.reactor)
                self._on_grant(self._winner, await asking)
                return
            except (Refusal, TimeoutError):
                pass  # the router has restarted, or is a different one
        answers = await self.establish(timing.whole)
        if self._winner is None:
            first = answers[0]
            self._on_loss(first.code, first.sentence)
            self._plan(self._retry)
            self._retry = min(2 * self._retry, timing.renewal)


def _refused(method: MappingMethod, refusal: Refusal) -> RouterAnswer:
    code, sentence, seen_at = refusal.code, refusal.sentence, refusal.seen_at
    return RouterAnswer(method.protocol, method.gateway, code, sentence, seen_at=seen_at)
