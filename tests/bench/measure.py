"""Measure time in units of V, one multiplication of a variable element by libsodium.

A machine's speed changes from one moment to the next, and machines differ even more. So we compare
ratios with the goals: each measurement comes between two measurements of V, and the median of
several such ratios counts. Seconds are this process's processor time in all threads, so other
programs on the machine don't count.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from protocol.crypto.group import BASE, ORDER
from protocol.crypto.group_sodium import load_sodium
from protocol.crypto.hashing import hash_to_group

_POINT = hash_to_group(b"bench", b"bench").encoded
_SCALAR = pow(3, 5000, ORDER)
V_BATCH = 20


def multiply_once() -> None:
    load_sodium().multiply(_SCALAR, _POINT)


def seconds(task: Callable[[], object], times: int = 1) -> float:
    """Return the processor seconds for one run, averaged over this many runs in a row."""
    start = time.process_time()
    for _ in range(times):
        task()
    return (time.process_time() - start) / times


@dataclass
class Timed:
    """One task's seconds, and the same in V, over the rounds."""

    seconds: list[float]
    in_v: list[float]

    @property
    def milliseconds(self) -> float:
        return 1000 * median(self.seconds)

    @property
    def v(self) -> float:
        return median(self.in_v)


def interleaved(
    tasks: dict[str, Callable[[], object]], rounds: int
) -> tuple[float, dict[str, Timed]]:
    """Return V in seconds, and every task timed once a round, between two measurements of V."""
    timed = {name: Timed([], []) for name in tasks}
    all_v = []
    for task in tasks.values():
        task()  # fill the caches before the clock starts
    for _ in range(rounds):
        for name, task in tasks.items():
            before = seconds(multiply_once, V_BATCH)
            taken = seconds(task)
            after = seconds(multiply_once, V_BATCH)
            all_v += [before, after]
            timed[name].seconds.append(taken)
            timed[name].in_v.append(2 * taken / (before + after))
    return median(all_v), timed


class CountingGroup:
    """A back-end that counts the calls that it passes on to another one."""

    def __init__(self, backend) -> None:
        self._backend = backend
        self.name, self.constant_time = backend.name, backend.constant_time
        self.counts = dict.fromkeys(("multiplications", "base", "additions", "decodings"), 0)

    def is_canonical(self, encoded):
        self.counts["decodings"] += 1
        return self._backend.is_canonical(encoded)

    def add(self, a, b):
        self.counts["additions"] += 1
        return self._backend.add(a, b)

    def subtract(self, a, b):
        self.counts["additions"] += 1
        return self._backend.subtract(a, b)

    def multiply(self, scalar, element):
        self.counts["multiplications"] += 1
        return self._backend.multiply(scalar, element)

    def base_multiple(self, scalar):
        self.counts["base"] += 1
        return self._backend.base_multiple(scalar)

    def multi_multiply(self, scalars, elements):
        self.counts["multiplications"] += len(scalars)
        self.counts["additions"] += max(0, len(scalars) - 1)
        return self._backend.multi_multiply(scalars, elements)

    def map_uniform(self, uniform):
        return self._backend.map_uniform(uniform)


def library_calls(task: Callable[[], object]) -> dict[str, int]:
    """Count a task's calls of each library function; the counts are the same on every machine."""
    from protocol.crypto import group

    counting = CountingGroup(group._backend)
    group._backend = counting
    try:
        task()
    finally:
        group._backend = counting._backend
    return counting.counts


def one_of_each() -> dict[str, Callable[[], object]]:
    """Return the library's other operations, to be measured in V."""
    library = load_sodium()
    other = hash_to_group(b"other", b"bench").encoded

    def many(operation):
        return lambda: [operation() for _ in range(V_BATCH)]

    return {
        "base": many(lambda: library.base_multiple(_SCALAR)),
        "additions": many(lambda: library.add(_POINT, other)),
        "decodings": many(lambda: library.is_canonical(BASE.encoded)),
    }
