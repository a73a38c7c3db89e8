"""A token bucket: what a peer may send in a burst, and how fast that comes back."""

from __future__ import annotations


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


class Allowances:
    """Buckets that outlive a connection: whoever comes back finds them as they were left."""

    def __init__(self) -> None:
        self._buckets: dict[str, TokenBucket] = {}

    def bucket(self, name: str, burst: float, rate: float, now: float) -> TokenBucket:
        """The bucket of this name; a full one, the first time."""
        if name not in self._buckets:
            self._buckets[name] = TokenBucket(burst, rate, now)
        return self._buckets[name]
