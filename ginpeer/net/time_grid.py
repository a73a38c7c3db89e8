"""Delays messages whose timing could reveal our cards until moments chosen before the work begins.

A bot thinks longer when it may knock, and while our program looks at a card that it has just been
given, it answers no ping. The opponent can measure both. So bots' moves and answers to pings wait
for one of the moments origin + n * step, where origin is the start of the session:

    entry comes        work is done                                step
    |------------------|..............|...............|----------------|
    begun                      begun + step/2         leaves here

Rule 1: an incoming entry sets the moment for everything that follows it: the first that is at least
half a step later. How long the work takes doesn't change that moment. So the answer to a ping right
after a share leaves at the same time whether looking at the share took 49 microseconds or 20 ms.
Calls that are already waiting wait for that moment as well. Otherwise a share sent right before a
pong is due would delay that pong by the time that we look at the share.
Rule 2: once that moment has passed, the next call sets a new one in the same way.
Rule 3: if other work makes a timer fire late, the call waits for the next moment. It doesn't wait
for ever: even on a machine that is always late, a ping must be answered eventually.
Rule 4: calls are made in the order in which they were requested.

Work that takes longer than half a step can still show. And our program can't delay what the
system or TLS answers by itself (PROTOCOL 1.2).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from math import ceil

from ginpeer.net.interfaces import Clock, Timer, cancel

STEP = 0.05  # seconds; a bot needs about 5 ms for a move, and a person doesn't notice the wait
_LATE = 0.25  # of a step; if a timer fires later than that, its call waits for the next moment
_PATIENCE = 10  # how many times a call may be put off to the next moment


class TimeGrid:
    """Calls functions a whole number of steps after its creation; with *step* 0, immediately."""

    def __init__(self, clock: Clock, step: float) -> None:
        self._clock = clock
        self._step = step
        self._origin = clock.seconds()
        self._begun = self._origin
        self._waiting: deque[tuple[float, Callable[[], None]]] = deque()
        self._closed = False
        self._timer: Timer | None = None
        self._stepped = 0  # how many times the first call was put off because we were late

    def begin(self) -> None:
        """Set the next moment: an entry has come, and work begins that may depend on our cards."""
        self._begun = self._clock.seconds()
        if not self._waiting:
            return
        due = self._moment(self._begun + self._step / 2)
        self._waiting = deque((max(due, earlier), call) for earlier, call in self._waiting)
        if self._timer is not None:
            cancel(self._timer)
            self._timer = None
            self._wait()

    def call(self, call: Callable[[], None]) -> None:
        """Call this function at the moment set by rules 1 and 2."""
        if self._closed:
            return
        if not self._step:
            call()
            return
        now = self._clock.seconds()
        due = self._moment(self._begun + self._step / 2)
        if not self._begun <= now <= due:
            due = self._moment(now + self._step / 2)
        self._waiting.append((due, call))
        self._wait()

    def close(self) -> None:
        """Drop the waiting calls, and make no more calls."""
        self._closed = True
        self._waiting.clear()
        cancel(self._timer)
        self._timer = None

    def _moment(self, at: float) -> float:
        """Return the first moment of the grid at or after this time."""
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
