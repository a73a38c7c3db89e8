"""Rate limits: what a peer may send in a burst, and how fast that comes back (a token bucket); and
what our own player is told, where anybody may set that off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from ginpeer.net.interfaces import Clock, Timer, cancel

T = TypeVar("T")


class TokenBucket:
    """Holds up to ``burst`` tokens and gains ``rate`` of them a second; starts full."""

    def __init__(self, burst: float, rate: float, now: float) -> None:
        self._burst = burst
        self._rate = rate
        self._tokens = burst
        self._at = now

    def take(self, now: float) -> bool:
        """One token, if there is one. *now* is in seconds; nothing is lost when it is set back."""
        passed = max(0.0, now - self._at)
        self._tokens = min(self._burst, self._tokens + passed * self._rate)
        self._at = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True


class WorkingTime:
    """So many seconds of work at once, *burst*, and *share* of every second after that. What was
    begun is done to its end, whatever it takes, and paid for afterwards: so it may be owed."""

    def __init__(self, burst: float, share: float, now: float) -> None:
        self._burst = burst
        self._share = share
        self._left = burst
        self._at = now

    def has_any(self, now: float) -> bool:
        """Whether more may be begun; *now* is in seconds, and may be set back."""
        passed = max(0.0, now - self._at)
        self._left = min(self._burst, self._left + passed * self._share)
        self._at = now
        return self._left > 0

    def spend(self, seconds: float) -> None:
        """So long it took."""
        self._left -= seconds


class Allowances:
    """Buckets that outlive a connection: whoever comes back finds them as they were left."""

    def __init__(self) -> None:
        self._buckets: dict[str, TokenBucket] = {}

    def bucket(self, name: str, burst: float, rate: float, now: float) -> TokenBucket:
        """The bucket of this name; a full one, the first time."""
        if name not in self._buckets:
            self._buckets[name] = TokenBucket(burst, rate, now)
        return self._buckets[name]


class RateLimited(Generic[T]):
    """Passes on what comes: up to *burst* of it at once, *rate* of it a second after that, and of
    the rest only how many they were, at the next that is passed on or *pause* seconds later.

    Strangers may come by the thousand, and our player has a game to play.
    """

    def __init__(
        self,
        clock: Clock,
        burst: float,
        rate: float,
        pause: float,
        *,
        each: Callable[[T], None],
        rest: Callable[[int], None],
    ) -> None:
        self._clock = clock
        self._pause = pause
        self._each = each
        self._rest = rest
        self._bucket = TokenBucket(burst, rate, clock.seconds())
        self._untold = 0
        self._timer: Timer | None = None

    def come(self, what: T) -> None:
        """One more."""
        if self._bucket.take(self._clock.seconds()):
            self._tell_rest()
            self._each(what)
            return
        self._untold += 1
        if self._timer is None:
            self._timer = self._clock.callLater(self._pause, self._tell_rest)

    def stop(self) -> None:
        """Pass on nothing more."""
        cancel(self._timer)
        self._timer, self._untold = None, 0

    def _tell_rest(self) -> None:
        untold = self._untold
        self.stop()
        if untold:
            self._rest(untold)
