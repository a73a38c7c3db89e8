"""Run the program with predictable randomness and a stopped clock, for the corpus.

Run as `python -m tests.goldens.seeded [--slower=N] SEED ARGUMENT ...`. With N, the program's clock
runs N times slower, so that it doesn't say that it is waiting just because the machine is busy.
Never ship this: anyone who knows the seed knows every card. Bytes are drawn from one stream per
length, so that a random name for a temporary file doesn't change which cards are dealt.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import sys
import time
from collections import Counter
from collections.abc import Callable

START = 1_700_000_000.0  # 2023-11-14 22:13:20 UTC


def insecure_urandom(seed: str) -> Callable[[int], bytes]:
    """Return a replacement for os.urandom whose bytes follow from *seed*."""
    drawn: Counter[int] = Counter()

    def urandom(length: int) -> bytes:
        drawn[length] += 1
        return hashlib.shake_256(f"{seed}/{length}/{drawn[length]}".encode()).digest(length)

    return urandom


def foresee(seed: str, slower: int = 1) -> None:
    """Replace os.urandom and the clocks for the rest of this process.

    The wall clock stands still, because logs contain the second at which a match began; the
    reactor's clock continues.
    """
    began, real = time.monotonic(), time.monotonic
    os.urandom = insecure_urandom(seed)
    time.monotonic = lambda: began + (real() - began) / slower
    time.time = time.monotonic
    importlib.import_module("twisted.python.runtime")  # it keeps the current time.time
    time.time = lambda: START


if __name__ == "__main__":
    arguments = sys.argv[1:]
    slower = 1
    if arguments[0].startswith("--slower="):
        slower = int(arguments.pop(0).partition("=")[2])
    seed = arguments.pop(0)
    foresee(seed, slower)
    from cli.main import main

    sys.argv = ["ginpeer", *arguments]
    sys.exit(main(arguments))
