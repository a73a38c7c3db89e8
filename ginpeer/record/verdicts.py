"""A log file, judged as a whole: what the referee says of its entries, and what lies behind them.

# Rule 1: the verdict is the referee's (ginpeer.referee.verdict). Here the file is brought before it
#         entry by entry, and nothing else is judged.
# Rule 2: what comes first decides: a damaged length makes the rest unreadable, but only behind
#         entries that hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from ginpeer.referee.referee import Admitted
from ginpeer.referee.table import Table
from ginpeer.referee.verdict import Finding, Verdict, judge, torn, unreadable
from ginpeer.store import LogReader

UNPROVEN: Final = "unproven"
"""The code of the verdict on a match that was typed: nobody signed it, and no entry holds."""

Progress = Callable[[int, int, int], None]
"""Called before each entry is judged, with the entry's number (from 0), the bytes read so far, the
entry's included, and the bytes of the whole log."""


def judge_log(
    log: LogReader, progress: Progress | None = None, watch: list[Admitted] | None = None
) -> Verdict:
    """The verdict on an open log, which is read up to the first entry that does not hold. Every
    entry that holds is appended to *watch*.

    Raises UnreadableLog if not even one entry can be read.
    """
    verdict = judge(log if progress is None else _told(log, progress), watch=watch)
    if verdict.finding in (Finding.FORGED, Finding.UNREADABLE):
        return verdict
    if log.fault is None:
        return torn(verdict, log.torn) if log.torn else verdict
    if not verdict.entries:
        raise log.fault
    return unreadable(verdict, log.fault.code, log.fault.sentence)


def unreadable_verdict(code: str, sentence: str, entry: int | None = None) -> Verdict:
    """The verdict on what is no log at all, for whoever needs one of that too; *entry* is the
    number of the record at fault, if it is one's."""
    return Verdict(Finding.UNREADABLE, Table(), 0, code, sentence, entry)


def verdict_word(verdict: Verdict) -> str:
    """The verdict in one word: valid, illegal, forged, incomplete, unreadable.

    A log is illegal where a player's own signature convicts that player, and forged where entries
    do not hold and nobody is convicted.
    """
    if verdict.finding is Finding.FORGED and verdict.culprit is not None:
        return "illegal"
    return verdict.finding.name.lower()


def _told(log: LogReader, progress: Progress) -> Iterator[bytes]:
    for number, entry in enumerate(log):
        progress(number, log.good_end, log.size)
        yield entry
