"""The clock that everything waits for, the generator that decides everything, and the trace.

One event is one call of the clock. Events run one by one, ordered by time and then by when they
were scheduled, so nothing depends on real time, on hashes or on memory addresses. Each event is
noted in the trace, whose digest is the same for the same seed in every process.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Callable
from typing import NoReturn

from twisted.internet.task import Clock


class Violated(AssertionError):
    """An invariant was broken: the simulator exists to raise this."""


class World(Clock):
    """Simulated time, and the source of all randomness."""

    def __init__(self, seed: int, *, trace: bool = False) -> None:
        super().__init__()
        self.seed = seed
        self.rng = random.Random(f"world/{seed}")
        self.counts: Counter[str] = Counter()
        self.steps = 0
        self.broken: Violated | None = None
        self._print = trace
        self._digest = hashlib.sha256()

    def random_for(self, *whom: object) -> random.Random:
        """Return a separate generator, so that one part's choices don't affect another's."""
        return random.Random("/".join(map(str, (self.seed, *whom))))

    def note(self, what: str, *details: object) -> None:
        """Add a line to the trace; bytes are noted by their hash."""
        words = [
            f"{hashlib.sha256(word).hexdigest()[:12]}:{len(word)}"
            if isinstance(word, bytes)
            else str(word)
            for word in details
        ]
        line = f"{self.rightNow:.6f} {what} {' '.join(words)}"
        self._digest.update(line.encode() + b"\n")
        if self._print:
            print(line, flush=True)

    def refute(self, why: str) -> NoReturn:
        """Report a broken invariant. The message is kept, because the product takes any exception
        raised inside it for its own fault, and a Deferred may swallow it."""
        self.broken = self.broken or Violated(f"seed {self.seed}, {self.rightNow:.3f} s: {why}")
        raise self.broken

    @property
    def digest(self) -> str:
        """Return the digest of the whole trace so far."""
        return self._digest.hexdigest()

    def fault(self, kind: str) -> None:
        """Count a fault of this kind that was just caused."""
        self.counts[kind] += 1
        self.note("fault", kind)

    def step(self) -> bool:
        """Run the next event; return False if there is none left."""
        self._sortCalls()  # stable: events of the same time run in the order of their scheduling
        if not self.calls:
            return False
        call = self.calls.pop(0)
        self.rightNow = max(self.rightNow, call.getTime())
        call.called = 1
        self.steps += 1
        call.func(*call.args, **call.kw)
        return True


def insecure_bytes_from(rng: random.Random) -> Callable[[int], bytes]:
    """Return a predictable replacement for os.urandom."""
    return rng.randbytes
