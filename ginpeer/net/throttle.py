"""Rate limits: for what a peer sends, for work on its behalf, for notices that strangers cause."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Generic, TypeVar

from ginpeer.net.interfaces import Clock, Timer, cancel

T = TypeVar("T")


class TokenBucket:
    """A bucket of up to ``burst`` tokens that gains ``rate`` tokens a second. It starts full."""

    def __init__(self, burst: float, rate: float, now: float) -> None:
        self._burst = burst
        self._rate = rate
        self._tokens = burst
        self._at = now

    def take(self, now: float) -> bool:
        """Take one token, if there is one. Setting the clock back loses no token."""
        self._refill(now)
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True

    def _refill(self, now: float) -> None:
        passed = max(0.0, now - self._at)
        self._tokens = min(self._burst, self._tokens + passed * self._rate)
        self._at = now


class WorkingTime(TokenBucket):
    """A bucket of seconds: allows ``burst`` seconds of work without a pause, and ``rate`` of every
    second after that. Work that has begun is finished, however long it takes, and paid for
    afterwards, so the balance may be negative."""

    def has_any(self, now: float) -> bool:
        self._refill(now)
        return self._tokens > 0

    def spend(self, seconds: float) -> None:
        self._tokens -= seconds


class Allowances:
    """Token buckets that outlive a connection, so that a peer can't refill them by reconnecting."""

    def __init__(self) -> None:
        self._buckets: dict[str, TokenBucket] = {}

    def bucket(self, name: str, burst: float, rate: float, now: float) -> TokenBucket:
        """Return the bucket with this name; a new one starts full."""
        if name not in self._buckets:
            self._buckets[name] = TokenBucket(burst, rate, now)
        return self._buckets[name]


@dataclass(eq=False)
class RateLimited(Generic[T]):
    """Passes events on to *each*: up to *burst* in succession, then *rate* a second. The rest are
    only counted, and their number is passed to *rest* with the next event, or after *pause*
    seconds. So thousands of strangers don't fill our player's screen."""

    clock: Clock
    burst: float
    rate: float
    pause: float
    _: KW_ONLY
    each: Callable[[T], None]
    rest: Callable[[int], None]

    def __post_init__(self) -> None:
        self._bucket = TokenBucket(self.burst, self.rate, self.clock.seconds())
        self._untold = 0
        self._timer: Timer | None = None

    def admit(self, what: T) -> None:
        if self._bucket.take(self.clock.seconds()):
            self._tell_rest()
            self.each(what)
            return
        self._untold += 1
        if self._timer is None:
            self._timer = self.clock.callLater(self.pause, self._tell_rest)

    def stop(self) -> None:
        cancel(self._timer)
        self._timer, self._untold = None, 0

    def _tell_rest(self) -> None:
        untold = self._untold
        self.stop()
        if untold:
            self.rest(untold)
