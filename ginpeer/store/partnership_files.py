"""The files of a partnership, whose two tables see each other's score (WIRE 9.12).

A file beside a log says that another table may see the log. The program at the table creates it
when both players have consented, and removes it when one of them withdraws consent. `ginpeer link`,
a separate program, shows the logs, and checks for the file before each send. The file contains the
time of the consent, in seconds since 1970, because copying can change a file's own time.

`ginpeer link` stores its results for the command `tally` at the table: lines to be read aloud, and
their time. It holds a lock while it runs, so after a crash the lines are known to be old.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from unicodedata import category

from ginpeer.store import files
from ginpeer.store.files import StoreError
from ginpeer.store.home import Home, StoredMatch
from ginpeer.store.json_files import read_json, remove, write_json

EVENING: Final = 12 * 3600.0
"""How long a consent or a result is valid, in seconds, so neither lasts until the next evening."""

SHARED_SUFFIX: Final = ".shown"
_FILE: Final = "standing.json"
_LOCK: Final = "link.lock"
_TIME_BYTES: Final = 20
_CLOCK_SLACK: Final = 60.0  # seconds; a clock that is corrected while it runs changes by less
_MAX_BYTES: Final = 1 << 18
_MAX_LINES: Final = 500  # an evening has about 50 hands, with a line for each


def mark_shared(log_path: Path, now: float) -> None:
    data = str(int(now)).encode()
    files.write_atomically(log_path.with_suffix(SHARED_SUFFIX), data, replace=True)


def unmark_shared(log_path: Path) -> None:
    remove(log_path.with_suffix(SHARED_SUFFIX))


def shared_logs(home: Home, since: float) -> tuple[StoredMatch, ...]:
    """Return the logs that were marked as shared at *since* (seconds since 1970) or later, the
    latest last. Raises StoreError."""
    return tuple(log for log in reversed(home.logs()) if _marked(log.path) >= since)


def unmark_later(home: Home, now: float) -> None:
    """Remove marks that were made while the clock was ahead by a minute or more: otherwise they
    would count once more when the clock gets there. Raises StoreError."""
    for log in shared_logs(home, now + _CLOCK_SLACK):
        unmark_shared(log.path)


def _marked(log_path: Path) -> float:
    try:
        return int(files.read_small(log_path.with_suffix(SHARED_SUFFIX), _TIME_BYTES))
    except (OSError, ValueError):  # earlier versions left the file empty
        return float("-inf")


@dataclass(frozen=True, slots=True)
class CachedStanding:
    """The score, as ``lines`` to be read aloud, and whether the link is still ``running``."""

    lines: tuple[str, ...]
    running: bool


@contextmanager
def only_link(home: Home) -> Iterator[None]:
    """Hold the lock that allows only one link at a time. Raises StoreError (link-runs)."""
    path = home.path / _LOCK
    files.make_folder(home.path)
    with files.store_errors("open", path):
        fd = files.create_or_open(path)
    try:
        ours = True
        with suppress(OSError):  # a file system without locks
            ours = files.try_lock(fd)
        if not ours:
            raise StoreError(
                "link-runs",
                "A link between two tables is already running in this home; one is enough.",
            )
        yield
    finally:
        files.close(fd)


def forget_standing(home: Home) -> None:
    """Remove the score stored by an earlier link. A new link starts without one."""
    remove(home.path / _FILE)


def cache_standing(home: Home, lines: Sequence[str], now: float) -> None:
    kept = {"version": 1, "time": int(now), "lines": list(lines)[-_MAX_LINES:]}
    write_json(home.path / _FILE, kept, indent=None)


def cached_standing(home: Home, now: float) -> CachedStanding | None:
    """Return the score stored by the running link, without lines if it has none yet, or else by the
    last link of this evening. Return None if there is neither. *now*: in seconds since 1970."""
    running = files.is_locked(home.path / _LOCK)
    match read_json(home.path / _FILE, _MAX_BYTES):
        case {"version": 1, "lines": list(lines), **more} if len(lines) <= _MAX_LINES:
            stored = more.get("time")  # versions up to 1.19.0 stored none
            is_tonights = running or (isinstance(stored, int) and now - EVENING <= stored <= now)
            if is_tonights and all(isinstance(each, str) and _can_be_shown(each) for each in lines):
                return CachedStanding(tuple(lines), running)
    return CachedStanding((), running=True) if running else None


def _can_be_shown(line: str) -> bool:
    """Return whether a line is safe to print: others may have written to the file after us."""
    return not any(category(each) in ("Cc", "Cs", "Zl", "Zp") for each in line)
