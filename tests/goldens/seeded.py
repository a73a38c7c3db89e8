"""The program with foreseeable randomness and a clock that starts at one moment, for the corpus.

Run as `python -m tests.goldens.seeded SEED ARGUMENT ...`. Never part of what ships: who knows the
seed knows every card. Bytes are drawn from one stream per length, so that a random name for a
temporary file does not change which cards are dealt.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections import Counter

START = 1_700_000_000.0  # 2023-11-14 22:13:20 UTC


def foresee(seed: str) -> None:
    """Replace os.urandom and the wall clock for the rest of this process."""
    drawn: Counter[int] = Counter()
    began, real = time.monotonic(), time.monotonic

    def insecure_urandom(length: int) -> bytes:
        drawn[length] += 1
        return hashlib.shake_256(f"{seed}/{length}/{drawn[length]}".encode()).digest(length)

    os.urandom = insecure_urandom
    time.time = lambda: START + real() - began


if __name__ == "__main__":
    seed, *arguments = sys.argv[1:]
    foresee(seed)
    from cli.main import main

    sys.argv = ["ginpeer", *arguments]
    sys.exit(main(arguments))
