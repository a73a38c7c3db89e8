"""One address of ours that is to be reached: the ways to ask for it, and the one that has it open.

# Rule 1: the better way asks first; the next one begins when those before have failed, or have kept
# us waiting for its head start. PCP goes before NAT-PMP, since its nonce keeps what is ours from
# others, and UPnP goes last: anybody may delete its entries, and some routers keep them for ever.
# Rule 2: the first grant wins, also over a better way that answers later: it has been told already.
# Rule 3: what is granted besides is taken back, but not if it is the same port outside: many
# routers have one table for all protocols, and would close both. That one stays until the end.
# Rule 4: a renewal is a whole request. If it fails, all ways are tried anew, ever more seldom.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from twisted.internet.defer import (
    CancelledError,
    Deferred,
    TimeoutError,  # of addTimeout, and another than Python's own
    gatherResults,
)
from twisted.logger import Logger
from twisted.python.failure import Failure

from ginpeer.net.address import Address
from ginpeer.net.interfaces import Timer
from ginpeer.net.mapping.lease import Lease
from ginpeer.net.mapping.methods import Grant, MappingContext, MappingMethod
from ginpeer.net.mapping.outside import classify_public_address
from ginpeer.net.mapping.refusals import SILENT, Refusal
from ginpeer.net.mapping.results import (
    MappingEvent,
    PortMapped,
    PortUnmapped,
    RouterAnswer,
    answer_granted,
    answer_refused,
)

_log = Logger()


class LeaseRegistry:
    """The leases that may stand, one for each way. *stored* hears of the whole at each change."""

    def __init__(self, stored: Callable[[tuple[Lease, ...]], None]) -> None:
        self._stored = stored
        self._leases: dict[Any, Lease] = {}
        self._given_up: set[Any] = set()

    @property
    def leases(self) -> tuple[Lease, ...]:
        return tuple(self._leases.values())

    def of(self, way: MappingMethod, port: int) -> Lease | None:
        """What this way has open, or had."""
        return self._leases.get((way.protocol, *way.gateway, port))

    @property
    def standing(self) -> tuple[Lease, ...]:
        """Those that are worth waiting for when they are taken back: the router has answered."""
        return tuple(each for each in self.leases if each.way not in self._given_up)

    def give_up(self, lease: Lease) -> None:
        """It was asked for and not answered, and is being taken back."""
        self._given_up.add(lease.way)

    def keep(self, lease: Lease) -> None:
        self._given_up.discard(lease.way)
        if self._leases.get(lease.way) != lease:
            self._leases[lease.way] = lease
            self._stored(self.leases)

    def drop(self, lease: Lease) -> None:
        if self._leases.pop(lease.way, None) is not None:
            self._stored(self.leases)


class Tasks:
    """What is under way, so that it can be stopped."""

    def __init__(self) -> None:
        self._running: set[Deferred[Any]] = set()

    def start(self, work: Coroutine[Any, Any, Any]) -> Deferred[Any]:
        """Errors of ours are logged; the Deferred then fires with None."""
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


class MaintainedMapping:
    """Opens *port* by the first of *ways* that does it, and keeps it open."""

    def __init__(
        self,
        around: MappingContext,
        ways: Sequence[MappingMethod],
        port: int,
        book: LeaseRegistry,
        tasks: Tasks,
        told: Callable[[MappingEvent], None],
    ) -> None:
        self.ways = ways
        self._around = around
        self._port = port
        self._book = book
        self._tasks = tasks
        self._told = told
        self._winner: MappingMethod | None = None
        self._lease: Lease | None = None  # the winner's
        self._granted: set[int] = set()  # the ways that have opened it before
        self._outside: Address | None = None  # as it was told
        self._ended: set[int] = set()  # the ways that have failed, in this hunt
        self._gates: dict[int, Deferred[None]] = {}
        self._next: Timer | None = None
        self._retry = around.timing.retry
        self._hunting = False
        self._stopped = False

    async def hunt(self, seconds: float) -> tuple[RouterAnswer, ...]:
        """Ask all ways; ends after so many seconds at the latest. What the router has opened is
        told at once."""
        clock = self._around.clock
        self._winner = self._lease = None
        self._ended.clear()
        self._hunting = True
        tries = [
            Deferred.fromCoroutine(self._try(number, way)) for number, way in enumerate(self.ways)
        ]

        def too_late() -> None:
            for each in tries:
                each.cancel()

        over = clock.callLater(seconds, too_late)
        try:
            return tuple(await gatherResults(tries))
        finally:
            self._hunting = False
            if over.active():
                over.cancel()
            too_late()  # where the hunt itself was cancelled

    def look_again(self) -> None:
        """Ask again now: the connection has been lost, or the network is another."""
        if not self._hunting:
            self._plan(0)

    def stop(self) -> None:
        """Ask for nothing more. Whoever stops it also cancels what is under way, and takes back
        what the book says."""
        self._stopped = True
        self._cancel_next()

    async def _try(self, number: int, way: MappingMethod) -> RouterAnswer:
        try:
            await self._turn(number)
            if self._winner is not None:
                raise Refusal("not-needed")
            grant = await way.ask(self._book.of(way, self._port), self._book.keep)
        except (Refusal, CancelledError) as error:
            late = Refusal("answer-late" if way.is_heard else "no-answer")
            refusal = error if isinstance(error, Refusal) else late
            self._failed(number, way, refusal)
            return answer_refused(way, refusal)
        self._granted.add(number)
        if self._winner is not None:
            self._superfluous(way, grant.lease)
            return answer_refused(way, Refusal("not-needed"))
        return self._won(way, grant)

    async def _turn(self, number: int) -> None:
        """Rule 1."""
        starts = self._around.timing.head_starts
        gate: Deferred[None] = Deferred()
        self._gates[number] = gate
        after = starts[min(number, len(starts) - 1)]
        timer = self._around.clock.callLater(after, self._open_gate, number)
        try:
            await gate
        finally:
            self._gates.pop(number, None)
            if timer.active():
                timer.cancel()

    def _open_gate(self, number: int) -> None:
        gate = self._gates.pop(number, None)
        if gate is not None:
            gate.callback(None)

    def _failed(self, number: int, way: MappingMethod, refusal: Refusal) -> None:
        if self._stopped:
            return
        lease = self._book.of(way, self._port)
        if lease is not None and refusal.code in SILENT:
            if number not in self._granted:
                self._book.give_up(lease)
                self._tasks.start(self._take_back(way, lease))
        elif lease is not None and refusal.code != "not-needed" and not lease.permanent:
            self._book.drop(lease)
        self._ended.add(number)
        for waiting in tuple(self._gates):
            if self._ended >= set(range(waiting)):
                self._open_gate(waiting)

    def _won(self, way: MappingMethod, grant: Grant) -> RouterAnswer:
        self._winner, self._lease = way, grant.lease
        self._retry = self._around.timing.retry
        for waiting in tuple(self._gates):
            self._open_gate(waiting)
        timing = self._around.timing
        self._plan(max(timing.soonest, min(grant.lifetime / 2, timing.renewal)))
        code = classify_public_address(grant.outside)
        answer = answer_granted(way, grant, code)
        if code != "mapped" or answer.outside is None:
            self._lost(code, answer.sentence)
        elif answer.outside != self._outside:
            before, self._outside = self._outside, answer.outside
            self._told(
                PortMapped(answer.outside, way.protocol, way.gateway, grant.lifetime, before)
            )
        return answer

    def _lost(self, code: str, sentence: str) -> None:
        if self._outside is not None:
            before, self._outside = self._outside, None
            self._told(PortUnmapped(before, self.ways[0].gateway, code, sentence))

    def _superfluous(self, way: MappingMethod, lease: Lease) -> None:
        """Rule 3."""
        won = self._lease
        if won is None or won.external_port != lease.external_port:
            self._tasks.start(self._take_back(way, lease))

    async def _take_back(self, way: MappingMethod, lease: Lease) -> None:
        try:
            await way.take_back(lease)
        except Refusal:
            if lease.permanent:
                return  # it stays in the book, to be tried again at the end
        self._book.drop(lease)

    # --- renewing ------------------------------------------------------------------------------

    def _cancel_next(self) -> None:
        if self._next is not None and self._next.active():
            self._next.cancel()

    def _plan(self, seconds: float) -> None:
        self._cancel_next()
        if self._stopped:
            return
        clock = self._around.clock
        self._next = clock.callLater(seconds, lambda: self._tasks.start(self._renew()))

    async def _renew(self) -> None:
        """Rule 4."""
        if self._winner is not None:
            lease = self._book.of(self._winner, self._port) or self._lease
            try:
                asking = Deferred.fromCoroutine(self._winner.ask(lease, self._book.keep))
                asking.addTimeout(self._around.timing.whole, self._around.clock)
                self._won(self._winner, await asking)
                return
            except (Refusal, TimeoutError):
                pass  # the router has restarted, or is another
        answers = await self.hunt(self._around.timing.whole)
        if self._winner is None:
            first = answers[0]
            self._lost(first.code, first.sentence)
            self._plan(self._retry)
            self._retry = min(2 * self._retry, self._around.timing.renewal)
