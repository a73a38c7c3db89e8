# What `ginpeer link` has found, for the word `tally` at the table, which is another program: lines
# to be read aloud, beside a lock that is held as long as the link runs. After a crash the lock is
# free, and what stands there is known to be old.

"""How a partnership stands, as the link of this home has found it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final
from unicodedata import category

from ginpeer.store import files
from ginpeer.store.errors import StoreError, store_error
from ginpeer.store.home import Home

_FILE: Final = "standing.json"
_LOCK: Final = "link.lock"
_MAX_BYTES: Final = 1 << 18
_MAX_LINES: Final = 500  # an evening has some 50 hands, and a line for each


@dataclass(frozen=True, slots=True)
class CachedStanding:
    """*lines*: to be read aloud. *running*: whether the link that has written them still runs."""

    lines: tuple[str, ...]
    running: bool


@contextmanager
def only_link(home: Home) -> Iterator[None]:
    """Hold the lock of the one link of a home. Raises StoreError with code link-runs where another
    program holds it."""
    path = home.path / _LOCK
    files.make_folder(home.path)
    try:
        try:
            fd = files.create(path)
        except FileExistsError:
            fd = files.open_for_writing(path)
    except OSError as why:
        raise store_error("open", path, why) from why
    try:
        if not _locked(fd):
            raise StoreError(
                "link-runs", "A link between two tables runs in this home already; one is enough."
            )
        yield
    finally:
        files.close(fd)


def cache_standing(home: Home, lines: Sequence[str]) -> None:
    """In the place of what stood there. Raises StoreError."""
    data = json.dumps({"version": 1, "lines": list(lines)[-_MAX_LINES:]}).encode("ascii") + b"\n"
    files.write_atomically(home.path / _FILE, data, replace=True)


def cached_standing(home: Home) -> CachedStanding | None:
    """None where there is none that can be read."""
    try:
        kept = json.loads(files.read_small(home.path / _FILE, _MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        return None
    match kept:
        case {"version": 1, "lines": list(lines)} if len(lines) <= _MAX_LINES:
            if all(isinstance(line, str) and _can_be_shown(line) for line in lines):
                return CachedStanding(tuple(lines), _runs(home))
    return None


def _can_be_shown(line: str) -> bool:
    """Names in it were made harmless when it was written; whoever has written here since may not
    have done so."""
    return not any(category(each) in ("Cc", "Cs", "Zl", "Zp") for each in line)


def _runs(home: Home) -> bool:
    try:
        fd = files.open_for_writing(home.path / _LOCK)
    except OSError:
        return False
    try:
        return not _locked(fd)
    finally:
        files.close(fd)


def _locked(fd: int) -> bool:
    """Whether the lock is ours now; also where the file system knows none."""
    try:
        return files.try_lock(fd)
    except OSError:
        return True
