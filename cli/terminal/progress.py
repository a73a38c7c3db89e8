"""How far a slow check is, on standard error, and on a terminal only."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from ginpeer.record.judging import Progress

_SLOW = 2.0  # seconds of verifying after which a terminal is told how far it is,
_OFTEN = 0.5  # and seconds from then on


@contextmanager
def progress_told() -> Iterator[Progress | None]:
    """What tells a terminal how far the judging of a log is; None where nobody looks."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    begun = told = time.monotonic()

    def tell(number: int, read: int, size: int) -> None:
        nonlocal told
        now = time.monotonic()
        if now - begun > _SLOW and now - told > _OFTEN:
            told = now
            percent = 100 * read // size
            print(f"\r{number} entries, {percent} %", end="", file=sys.stderr, flush=True)

    try:
        yield tell
    finally:
        if told > begun:
            print(file=sys.stderr)
