"""A coarse grid of moments at which what could tell of our cards by its timing leaves.

# A bot that may knock thinks longer than one that may not, and while our side looks at a card it
# has just been given, it answers no ping. Whoever sits opposite can measure both. So bots' moves
# and the answers to pings wait for the next of the moments origin + n * step, where origin is when
# the session began, and the moment is chosen by when the work began, not by how long it took:
#
#     entry comes        work is done                                step
#     |------------------|..............|...............|----------------|
#     begun                      begun + step/2         leaves here
#
# Rule 1: what is asked for within half a step of an entry counts as asked for when the entry came.
# So the answer to a ping that came right behind a share is the same whether looking at the share
# took 49 microseconds or 20 milliseconds.
# Rule 2: it leaves at the first moment of the grid that is at least half a step later. Work that
# takes longer than that steps on, by whole steps.
# Rule 3: a timer that fires late, because the machine was busy with something else, steps on too;
# but not for ever, for on a machine that is always late a ping must be answered at last.
# Rule 4: what is told in some order leaves in that order.
#
# It makes the channel coarse and does not close it: work that takes half a step shows. And what
# the system or TLS answer by themselves is not ours to delay (PROTOCOL 1.2).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from math import ceil

from ginpeer.net.interfaces import Clock, Timer

STEP = 0.05
"""Seconds. A bot thinks for 4 ms at most, and a riffle with its proof takes some 10; a person does
not notice."""

_LATE = 0.25
"""Of a step: a timer that fires later than this steps on."""
_PATIENCE = 10
"""Steps that a late timer steps on at most."""


class TimeGrid:
    """Calls things at moments that are whole steps behind the one at which it was made.

    With *step* 0 it calls at once.
    """

    def __init__(self, clock: Clock, step: float) -> None:
        self._clock = clock
        self._step = step
        self._origin = clock.seconds()
        self._begun: float | None = None
        self._waiting: deque[tuple[float, Callable[[], None]]] = deque()
        self._closed = False
        self._timer: Timer | None = None
        self._stepped = (
            0  # by how many steps the first that waits was put off, because we were late
        )

    def begin(self) -> None:
        """An entry has come: work begins that may depend on our cards."""
        self._begun = self._clock.seconds()

    def call(self, call: Callable[[], None]) -> None:
        """Call it at the next moment of the grid, by rules 1 and 2."""
        if self._closed:
            return
        if not self._step:
            call()
            return
        now = self._clock.seconds()
        asked = now
        if self._begun is not None and 0 <= now - self._begun < self._step / 2:
            asked = self._begun
        self._waiting.append((self._moment(max(asked + self._step / 2, now)), call))
        self._wait()

    def close(self) -> None:
        """Forget what waits; nothing is called any more."""
        self._closed = True
        self._waiting.clear()
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer = None

    def _moment(self, at: float) -> float:
        """The first moment of the grid that is not before this."""
        return self._origin + ceil((at - self._origin) / self._step) * self._step

    def _wait(self) -> None:
        if self._timer is None and self._waiting:
            due = self._waiting[0][0]
            self._timer = self._clock.callLater(max(0.0, due - self._clock.seconds()), self._fire)

    def _fire(self) -> None:
        self._timer = None
        now, due = self._clock.seconds(), self._waiting[0][0]
        if now - due > _LATE * self._step and self._stepped < _PATIENCE:
            self._stepped += 1
            self._waiting[0] = (self._moment(now), self._waiting[0][1])
            self._wait()
            return
        self._stepped = 0
        ready = []
        while self._waiting and self._waiting[0][0] <= max(now, due):
            ready.append(self._waiting.popleft()[1])
        try:
            for call in ready:
                call()
        finally:
            self._wait()
