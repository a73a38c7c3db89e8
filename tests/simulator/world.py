"""The clock that everything waits for, the generator that decides everything, and the trace.

One event is one call of the clock. Events run one by one, in the order of their times and, at one
time, of their making; so nothing depends on real time, on hashes or on addresses. Each is noted in
the trace, whose digest is the same for the same seed, in every process.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Callable
from typing import NoReturn

from twisted.internet.base import DelayedCall
from twisted.internet.task import Clock


class Violated(AssertionError):
    """An invariant does not hold: what the simulator is there to find."""


class World(Clock):
    """Simulated time, and whatever is decided by chance."""

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
        """A generator of its own, so that one part's choices do not move another's."""
        return random.Random("/".join(map(str, (self.seed, *whom))))

    def note(self, what: str, *details: object) -> None:
        """One line of the trace; bytes are noted by their hash."""
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
        """An invariant does not hold. Kept, since the product takes whatever is raised inside of it
        for a fault of its own, and a Deferred keeps it to itself."""
        self.broken = self.broken or Violated(f"seed {self.seed}, {self.rightNow:.3f} s: {why}")
        raise self.broken

    @property
    def digest(self) -> str:
        """Of the whole trace so far."""
        return self._digest.hexdigest()

    def fault(self, kind: str) -> None:
        """Count a fault that has been done, by its kind."""
        self.counts[kind] += 1
        self.note("fault", kind)

    def at_once(self, call: Callable[..., object], *args: object) -> DelayedCall:
        return self.callLater(0, call, *args)

    def step(self) -> bool:
        """Go to the next event and let it happen; False where nothing will ever happen."""
        self._sortCalls()  # stable: at one time, in the order of their making
        if not self.calls:
            return False
        call = self.calls.pop(0)
        self.rightNow = max(self.rightNow, call.getTime())
        call.called = 1
        self.steps += 1
        call.func(*call.args, **call.kw)
        return True


def insecure_bytes_from(rng: random.Random) -> Callable[[int], bytes]:
    """In the shape of os.urandom, and foreseeable."""
    return rng.randbytes
