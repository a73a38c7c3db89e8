"""The program with foreseeable randomness and a clock that stands still, for the corpus.

Run as `python -m tests.goldens.seeded [--slower=N] SEED ARGUMENT ...`. With N, everything that the
program waits for by itself takes N times as long, so that a busy machine does not make it say that
it waits. Never part of what ships: who knows the
seed knows every card. Bytes are drawn from one stream per length, so that a random name for a
temporary file does not change which cards are dealt.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import sys
import time
from collections import Counter

START = 1_700_000_000.0  # 2023-11-14 22:13:20 UTC


def foresee(seed: str, slower: int = 1) -> None:
    """Replace os.urandom and the clocks for the rest of this process.

    The wall clock stands still, for logs hold the second at which a match began, and the reactor's
    clock goes on.
    """
    drawn: Counter[int] = Counter()
    began, real = time.monotonic(), time.monotonic

    def insecure_urandom(length: int) -> bytes:
        drawn[length] += 1
        return hashlib.shake_256(f"{seed}/{length}/{drawn[length]}".encode()).digest(length)

    os.urandom = insecure_urandom
    time.monotonic = lambda: began + (real() - began) / slower
    time.time = time.monotonic
    importlib.import_module("twisted.python.runtime")  # keeps what is time.time now
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
