# Which logs of ours may be shown to another table of the same partnership (PROTOCOL 9.12). An empty
# file beside the log says so; the program at the table makes it when both players have consented,
# and takes it away when one takes that back. Who shows logs is another program, and looks each time
# before it sends.

"""The mark beside a log that both of its players have consented to show."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ginpeer.store import files
from ginpeer.store.errors import store_error
from ginpeer.store.home import Home, StoredMatch

SHARED_SUFFIX: Final = ".shown"


def mark_shared(log_path: Path) -> None:
    """The log may be shown from now on. Raises StoreError."""
    files.write_atomically(log_path.with_suffix(SHARED_SUFFIX), b"", replace=True)


def unmark_shared(log_path: Path) -> None:
    """It may not. Raises StoreError."""
    path = log_path.with_suffix(SHARED_SUFFIX)
    try:
        files.unlink(path)
    except FileNotFoundError:
        return
    except OSError as why:
        raise store_error("remove", path, why) from why


def shared_logs(home: Home, since: float) -> tuple[StoredMatch, ...]:
    """The logs that may be shown, the latest last, and were marked so not before *since*, in
    seconds since 1970: consent is for an evening. Raises StoreError."""
    return tuple(log for log in reversed(home.logs()) if _marked(log.path) >= since)


def _marked(log_path: Path) -> float:
    """When it was; never: minus infinity."""
    try:
        return log_path.with_suffix(SHARED_SUFFIX).stat().st_mtime
    except OSError:
        return float("-inf")
