"""The note that is kept beside a log when a table is closed before its match is over.

What the log proves is who owes the next entry. Since when, and when the table was closed, is what
our own clock said: nobody else can check it, so it stands in a file of its own, never in the log.

The note also says how the match stood, so that a list of many matches need not verify each to say
it. It holds for the log with as many entries, and for our own: what others gave us has no notes.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from ginpeer.referee.table import Table
from ginpeer.store import files

CLOSING_SUFFIX: Final = ".closed"
_MAX_BYTES: Final = 4096
_VERSION: Final = 1
_LATEST: Final = (
    2**53
)  # seconds since 1970, as in an offer; no clock's, and none that fails to show


@dataclass(frozen=True, slots=True)
class ClosingNote:
    """How a table was left. Times are seconds since 1970, by this machine's clock.

    `entry` is the number of the entry that is owed, `owed_by` is "host" or "guest", `owes` what it
    is, in words; `since`: when the log last grew; `closed`: when the table was closed, and `code`
    why; None where the program was ended before it could say, and the log was judged later. `game`
    and `scores` say how the match stood; no scores before the first hand.
    """

    entry: int
    owed_by: str
    owes: str
    since: int
    closed: int | None
    code: str
    game: int = 1
    scores: tuple[int, int] | None = None

    @classmethod
    def of(cls, table: Table, since: int, closed: int | None, code: str) -> ClosingNote | None:
        """The note on an unfinished match; None where nothing is owed."""
        if table.owed_by is None:
            return None
        match = table.match
        return cls(
            entry=table.sequence,
            owed_by=("host", "guest")[table.owed_by],
            owes=table.awaiting.value,
            since=since,
            closed=closed,
            code=code,
            game=1 if match is None else match.game.number,
            scores=None if match is None else match.scores,
        )


def last_modified(log_path: Path) -> int:
    """When a log last grew, as its file says. Raises OSError."""
    return int(log_path.stat().st_mtime)


def write_closing_note(log_path: Path, closing: ClosingNote) -> None:
    """Keep it, in the place of an earlier one. Raises StoreError."""
    data = json.dumps({"version": _VERSION, **asdict(closing)}, indent=1).encode("ascii") + b"\n"
    files.write_atomically(log_path.with_suffix(CLOSING_SUFFIX), data, replace=True)


def read_closing_note(log_path: Path) -> ClosingNote | None:
    """The note beside a log; None where there is none that can be read."""
    try:
        data = files.read_small(log_path.with_suffix(CLOSING_SUFFIX), _MAX_BYTES)
        match json.loads(data):
            case {
                "version": 1,
                "entry": int(entry),
                "owed_by": "host" | "guest" as owed_by,
                "owes": str(owes),
                "since": int(since),
                "closed": int() | None as closed,
                "code": str(code),
                "game": int(game),
                "scores": [int(), int()] | None as scores,
            }:
                both = None if scores is None else (scores[0], scores[1])
                times = (since,) if closed is None else (since, closed)
                if not all(0 <= at < _LATEST for at in times):
                    return None
                return ClosingNote(entry, owed_by, owes, since, closed, code, game, both)
    except (OSError, ValueError, RecursionError):
        return None
    return None
