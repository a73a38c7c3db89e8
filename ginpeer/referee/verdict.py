"""Judge a whole log through the same door as every live entry.

A verdict says no more than is proven: "valid" only for a match played to its end and signed by
both, "incomplete" for the beginning of one, "forged" for entries that aren't valid.

A log that ends with an illegal entry is evidence: its verdict says whose signature convicts whom of
what. It doesn't require trust in the person who hands it on. That person could have made up
everything but the signature, and the signature is bound to one history, since an entry names the
hash of the one before.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum

from ginpeer.referee.referee import Admitted, Referee
from ginpeer.referee.table import Table
from ginpeer.referee.violations import MalformedEntry, UnsupportedEntry, Violation


class Finding(Enum):
    """What a log is; the number is the exit status of `ginpeer verify`."""

    VALID = 0
    FORGED = 1
    UNREADABLE = 2
    INCOMPLETE = 3


@dataclass(frozen=True, slots=True)
class Conviction:
    """A signed entry that no honest player signs in this match, and who signed it."""

    seat: int
    place: int
    """The number in the match for which the entry was signed."""
    entry: bytes
    admitted: bytes | None
    """The other entry that already had this number; None if it was free."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of judging a log."""

    finding: Finding
    table: Table
    """The state after the last valid entry."""
    entries: int
    """How many entries are valid."""
    code: str
    sentence: str
    failing_entry: int | None = None
    conviction: Conviction | None = None

    @property
    def culprit(self) -> int | None:
        """The seat that signed the failing entry, if a signature proves it."""
        return None if self.conviction is None else self.conviction.seat

    @property
    def word(self) -> str:
        """The verdict in one word: valid, illegal, forged, incomplete, unreadable.

        A log is illegal if a player's own signature convicts that player, and forged if entries
        aren't valid and nobody is convicted.
        """
        if self.finding is Finding.FORGED and self.culprit is not None:
            return "illegal"
        return self.finding.name.lower()


def judge(
    entries: Iterable[bytes], torn_bytes: int = 0, watch: list[Admitted] | None = None
) -> Verdict:
    """Admit every entry in order; the first refusal decides.

    *torn_bytes* is the length of an unfinished last record in the file. Every admitted entry is
    appended to *watch*, for replaying.
    """
    referee = Referee()
    for raw in entries:
        try:
            admitted = referee.admit(raw)
        except Violation as error:
            return _refused(referee, error, _conviction(referee, error, raw))
        except UnsupportedEntry as error:
            at = len(referee.entries)
            table = referee.table
            return Verdict(Finding.UNREADABLE, table, at, error.code, error.sentence, at)
        except MalformedEntry as error:
            return _refused(referee, error, None)
        if watch is not None:
            watch.append(admitted)
    verdict = _unfinished_or_valid(referee)
    return torn(verdict, torn_bytes) if torn_bytes else verdict


def torn(verdict: Verdict, torn_bytes: int) -> Verdict:
    """Return the verdict on a file that has less than an entry after the valid entries."""
    return replace(
        verdict,
        finding=Finding.FORGED if verdict.table.finished else Finding.INCOMPLETE,
        code="torn",
        sentence=f"The file ends with {torn_bytes} bytes that are no whole entry "
        f"{verdict.entries}.",
        failing_entry=verdict.entries,
    )


def unreadable(verdict: Verdict, code: str, sentence: str) -> Verdict:
    """Return the verdict on a file that can't be read after the valid entries."""
    return replace(
        verdict,
        finding=Finding.UNREADABLE,
        code=code,
        sentence=sentence,
        failing_entry=verdict.entries,
    )


def _refused(
    referee: Referee, error: MalformedEntry | Violation, conviction: Conviction | None
) -> Verdict:
    at = len(referee.entries)
    return Verdict(Finding.FORGED, referee.table, at, error.code, error.sentence, at, conviction)


def _conviction(referee: Referee, error: Violation, raw: bytes) -> Conviction:
    is_taken = error.entry < len(referee.entries)
    admitted = referee.entries[error.entry] if is_taken else None
    return Conviction(error.seat, error.entry, raw, admitted)


def _unfinished_or_valid(referee: Referee) -> Verdict:
    table, count = referee.table, len(referee.entries)
    if table.finished:
        return Verdict(
            Finding.VALID, table, count, "valid", "Every entry holds; the match is finished."
        )
    who = "nobody" if table.owed_by is None else table.called[table.owed_by]
    return Verdict(
        Finding.INCOMPLETE,
        table,
        count,
        "incomplete",
        f"Every entry holds so far; {who} owes {table.awaiting.value}.",
    )
