"""When a message leaves, and how long we wait for a peer.

A bot thinks longer when it may knock, and our program can't answer a ping while it is looking at a
card that it has just been given. The opponent can measure both. So bots' moves and answers to pings
wait for one of the moments origin + n * step, where origin is the start of the session:

    entry comes        work is done                                step
    |------------------|..............|...............|----------------|
    begun                      begun + step/2         leaves here

Rule 1: an incoming entry sets the moment for everything that follows it: the first one at least
half a step later. How long the work takes doesn't change that moment. Calls that are already
waiting wait for that moment as well. Otherwise a share sent right before a pong is due would delay
that pong by the time it takes us to look at the share.
Rule 2: once that moment has passed, the next call sets a new one in the same way.
Rule 3: if other work makes a timer fire late, the call waits for the next moment. It doesn't wait
for ever: even on a machine that is always late, a ping must be answered eventually.

Work that takes longer than half a step can still be noticed. And our program can't delay what the
system or TLS answers by itself (PROTOCOL 1.2).

We wait for a peer that has disconnected, or that owes the next entry. A person is told how long it
has been, at growing intervals, and decides whether to leave. A wait ends by itself only if a time
limit was set. We don't wait for a player who has left or has broken the rules, or whose program has
failed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass
from itertools import chain, count
from math import ceil

from ginpeer.net.interfaces import Clock, CloseReason, Timer, cancel

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


# --- waiting for a peer ----------------------------------------------------------------

SOON = 2.0  # seconds before a person is told that we wait; a quick opponent needs no such line

_MINUTE = 60.0
_GONE = (2, 10, 30)  # minutes until a person is reminded of an absent opponent; then every hour
_THINKING = (10, 30)  # the same for an opponent who owes the next entry; we don't hurry a thinker

# Codes with which sessions end
CAME_BACK = "peer-came-back"  # the session makes room for the same player's next one (acceptor.py)
TAKES_UP = "takes-up-stored"  # the host continues a stored match instead of a new one (session.py)
NOT_BACK = "not-back"  # both players wanted another match, and one didn't come back

AT_ONCE = frozenset({CAME_BACK, TAKES_UP, NOT_BACK})
"""The codes after which the other player is already reconnecting, or was about to. So we wait a
little even if our player has no patience (`Absence.begin`)."""

LOST = AT_ONCE | {
    *("connection-lost", "peer-silent", "peer-not-reading"),
    "log-withheld",  # the peer may come back with the right files
}
"""The codes after which the other player may come back."""

_AT_THE_DOOR = 30.0  # seconds that a returning player has to be admitted again


class Reminder:
    """Calls *say* after each of *moments*, then every hour, with the minutes that have passed."""

    def __init__(self, clock: Clock, moments: tuple[int, ...], say: Callable[[int], None]) -> None:
        self._clock = clock
        self._minutes = moments
        self._say = say
        self._timer: Timer | None = None

    def begin(self) -> None:
        self.stop()
        moments = chain(self._minutes, count(60, 60))
        self._wait(self._clock.seconds(), next(moments), moments)

    def stop(self) -> None:
        cancel(self._timer)
        self._timer = None

    def _wait(self, begun: float, minutes: int, moments: Iterator[int]) -> None:
        due = begun + minutes * _MINUTE - self._clock.seconds()
        self._timer = self._clock.callLater(max(due, 0.0), self._tell, begun, minutes, moments)

    def _tell(self, begun: float, minutes: int, moments: Iterator[int]) -> None:
        """Report how many minutes have passed, only once even if the machine slept meanwhile."""
        passed = self._clock.seconds() - begun
        coming = next(moments)
        while coming * _MINUTE <= passed:
            minutes, coming = coming, next(moments)
        self._wait(begun, coming, moments)
        self._say(minutes)


@dataclass(eq=False)
class Absence:
    """The wait after a lost connection, until the opponent comes back or somebody gives up.
    ``is_waiting`` says whether we are waiting now."""

    clock: Clock
    patience: float | None  # seconds until we give up; None: wait for ever
    _: KW_ONLY
    remind: Callable[[int], None]  # called now and then with the minutes that have passed
    give_up: Callable[[CloseReason], None]  # called with the reason why the session ended

    def __post_init__(self) -> None:
        self.is_waiting = False
        self._reminder = Reminder(self.clock, _GONE, self.remind)
        self._deadline: Timer | None = None

    def begin(self, closed: CloseReason) -> None:
        """Start waiting; a failed attempt to continue doesn't extend the wait."""
        if self.is_waiting:
            return
        self.is_waiting = True
        self._reminder.begin()
        if self.patience is not None:
            # A player that has just come back is already connecting, whatever our patience.
            seconds = max(self.patience, _AT_THE_DOOR if closed.code in AT_ONCE else 0.0)
            self._deadline = self.clock.callLater(seconds, self._expire, closed)

    def end(self) -> None:
        """Stop waiting: the opponent is back, or the match is closed."""
        self.is_waiting = False
        self._reminder.stop()
        cancel(self._deadline)
        self._deadline = None

    def _expire(self, closed: CloseReason) -> None:
        self.end()
        self.give_up(closed)


@dataclass(eq=False)
class Waiting:
    """Announces that we are waiting for the next entry of a connected player. A person is told once
    a turn, after a moment; a program is told immediately for each entry. After that, both are only
    reminded now and then."""

    clock: Clock
    patient: bool  # whether our player is a person
    say: Callable[[], None]  # names the player we wait for
    remind: Callable[[int], None]  # called now and then with the minutes that have passed

    def __post_init__(self) -> None:
        self._reminder = Reminder(self.clock, _THINKING, self.remind)
        self._timer: Timer | None = None
        self._said = False

    def begin(self) -> None:
        self.stop()
        self._reminder.begin()
        if not self.patient:
            self.say()
        elif not self._said:
            self._timer = self.clock.callLater(SOON, self._tell)

    def stop(self) -> None:
        """Stop waiting: an entry has come, or we no longer need one."""
        self._reminder.stop()
        cancel(self._timer)
        self._timer = None

    def new_turn(self) -> None:
        """Allow another announcement: a new turn has begun."""
        self._said = False

    def skip_announcement(self) -> None:
        """Skip the next announcement, because our player has just been told the same thing."""
        self._said = True

    def _tell(self) -> None:
        self._timer = None
        self._said = True
        self.say()
