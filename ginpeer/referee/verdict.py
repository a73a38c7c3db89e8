"""A whole log, judged by the same door that every live entry goes through.

A verdict says no more than is proven: "valid" only for a match played to its end and
signed by both, "incomplete" for a prefix of one, "forged" for entries that do not hold.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from ginpeer.referee.referee import Admitted, Referee
from ginpeer.referee.table import Table
from ginpeer.referee.violations import Garbled, Unsupported, Violation


class Finding(Enum):
    """What a log is; the number is the exit status of `ginpeer verify`."""

    VALID = 0
    FORGED = 1
    UNREADABLE = 2
    INCOMPLETE = 3


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of judging a log."""

    finding: Finding
    table: Table
    """The state after the last good entry."""
    entries: int
    """How many entries hold."""
    code: str
    sentence: str
    failing_entry: int | None = None
    culprit: int | None = None
    """The seat that signed the failing entry, where a signature proves it."""


def judge(
    entries: Iterable[bytes], torn_bytes: int = 0, watch: list[Admitted] | None = None
) -> Verdict:
    """Admit every entry in order; the first that is refused decides.

    *torn_bytes* is the length of an unfinished last record in the file. Every admitted
    entry is appended to *watch*, for replaying.
    """
    referee = Referee()
    for raw in entries:
        try:
            admitted = referee.admit(raw)
        except Violation as error:
            return _refused(referee, error, error.seat)
        except Unsupported as error:
            at = len(referee.entries)
            table = referee.table
            return Verdict(Finding.UNREADABLE, table, at, error.code, error.sentence, at)
        except Garbled as error:
            return _refused(referee, error, None)
        if watch is not None:
            watch.append(admitted)
    return _unfinished_or_valid(referee, torn_bytes)


def _refused(referee: Referee, error: Garbled | Violation, culprit: int | None) -> Verdict:
    at = len(referee.entries)
    return Verdict(Finding.FORGED, referee.table, at, error.code, error.sentence, at, culprit)


def _unfinished_or_valid(referee: Referee, torn_bytes: int) -> Verdict:
    table, count = referee.table, len(referee.entries)
    if torn_bytes:
        return Verdict(
            Finding.FORGED if table.finished else Finding.INCOMPLETE,
            table,
            count,
            "torn",
            f"The file ends with {torn_bytes} bytes that are no whole entry {count}.",
            count,
        )
    if table.finished:
        return Verdict(
            Finding.VALID, table, count, "valid", "Every entry holds; the match is finished."
        )
    who = "nobody" if table.owed_by is None else table.names[table.owed_by]
    return Verdict(
        Finding.INCOMPLETE,
        table,
        count,
        "incomplete",
        f"Every entry holds so far; {who} owes {table.awaiting.value}.",
    )
