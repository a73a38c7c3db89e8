"""The progress of a slow check or analysis: on standard error, and only if that is a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ginpeer.record.record import Progress

_SLOW = 2.0  # seconds of work before progress is shown
_OFTEN = 0.5  # seconds between updates


@contextmanager
def judging_progress() -> Iterator[Progress | None]:
    """Show how far the judging of a log is. Yield what the judge calls; None if standard error
    isn't a terminal."""
    with _line_told() as tell:
        if tell is None:
            yield None
        else:
            yield lambda number, read, size: tell(f"{number} entries, {100 * read // size} %")


@contextmanager
def verifying_progress(logs: int) -> Iterator[Callable[[], Progress | None]]:
    """Show how far the verifying of so many logs is. Yield a function that is called before each
    log, and returns what its judge calls."""
    with _line_told() as tell:
        begun = 0

        def next_log() -> Progress | None:
            nonlocal begun
            begun += 1
            if tell is None:
                return None
            return lambda number, read, size: tell(
                f"verifying log {begun} of {logs}, {100 * read // size} %"
            )

        yield next_log


@contextmanager
def analysis_progress(seats: int) -> Iterator[Callable[[int, int], None] | None]:
    """Show how far the analysis of so many players is. Yield what each analysis calls before every
    hand, with the hands done and the hands in all; None if standard error isn't a terminal."""
    with _line_told() as tell:
        if tell is None:
            yield None
            return
        begun = 0

        def hand(done: int, hands: int) -> None:
            nonlocal begun
            begun += not done
            tell(f"analysed, {100 * ((begun - 1) * hands + done) // (seats * hands)} %")

        yield hand


@contextmanager
def _line_told() -> Iterator[Callable[[str], None] | None]:
    """Yield a function that overwrites the line before, neither too soon nor too often; None if
    standard error isn't a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    begun = told = time.monotonic()

    def tell(line: str) -> None:
        nonlocal told
        now = time.monotonic()
        if now - begun > _SLOW and now - told > _OFTEN:
            told = now
            print(f"\r{line}", end="", file=sys.stderr, flush=True)

    try:
        yield tell
    finally:
        if told > begun:
            print(file=sys.stderr)
