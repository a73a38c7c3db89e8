"""The logs of a tally: what the tally needs from each log, whether the log counts, and errors for
logs that can't be scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ginpeer.names import safe
from ginpeer.referee.referee import Finding, Verdict
from ginpeer.referee.table import Table
from ginpeer.rules.match import Match
from protocol.codes import CodedError

# --- why logs can't be scored ------------------------------------------------------------


class TallyError(CodedError):
    """These logs can't be added up."""


class Mismatch(TallyError):
    """The logs don't belong together, aren't in a possible order, or don't fit the named team.

    `code` is one of: tally-mismatch, tally-team, tally-order; or tally-unfinished if the tables are
    still playing.
    """

    def __init__(self, sentence: str, code: str = "tally-mismatch") -> None:
        super().__init__(code, sentence)


class NotScored(TallyError):
    """Some of the logs don't count. `finding` is the worst finding among them."""

    def __init__(self, bad: int, total: int, finding: Finding) -> None:
        logs = "log" if total == 1 else "logs"
        super().__init__("not-scored", f"Not scored: {bad} of {total} {logs} can't be counted.")
        self.finding = finding


# --- logs -----------------------------------------------------------------------------

Key = bytes


@dataclass(frozen=True, slots=True)
class TableLog:
    """A verified log of a match, finished or not. ``name`` is the user's name for the log, and
    ``started`` is when the match was offered, as the host claims, in seconds since 1970."""

    name: str
    table_id: bytes
    started: int
    keys: tuple[Key, Key]
    names: tuple[str, str]
    match: Match
    head: bytes = b""  # the hash of the last entry

    @classmethod
    def of(cls, name: str, verdict: Verdict) -> TableLog | None:
        """Return what the tally needs from a log; None unless it is valid and contains a match."""
        return cls.of_table(name, verdict.table) if verdict.finding is Finding.VALID else None

    @classmethod
    def of_table(cls, name: str, table: Table) -> TableLog | None:
        """Return what the tally needs from a match in play; None before it is agreed who deals."""
        host, guest = table.keys
        if table.offer is None or table.match is None or host is None or guest is None:
            return None
        return cls(
            name,
            table.table_id,
            table.offer.started,
            (host, guest),
            table.names,
            table.match,
            table.head,
        )


@dataclass(frozen=True, slots=True)
class JudgedLog:
    """A log and the verdict on it. ``log`` is None if it doesn't count or is a ``copy``."""

    name: str
    verdict: str
    """valid, illegal, forged, unreadable or incomplete; duplicate for a copy, fork for a different
    ending of the same match."""
    code: str
    sentence: str
    finding: Finding  # the finding of the whole tally if this is the worst of its logs
    log: TableLog | None
    copy: bool = False

    @classmethod
    def of(cls, named: str, verdict: Verdict) -> JudgedLog:
        name, sentence = safe(named, limit=200), safe(verdict.sentence)
        log = TableLog.of(name, verdict)
        if log is None and verdict.finding is Finding.VALID:
            sentence = "The log contains no match."
            return cls(name, "valid", "no-hand", sentence, Finding.UNREADABLE, None)
        if verdict.finding is Finding.FORGED:
            sentence = f"At entry {verdict.failing_entry}: {sentence}"
        return cls(name, verdict.word, verdict.code, sentence, verdict.finding, log)


def each_match_once(judged: Sequence[JudgedLog]) -> list[JudgedLog]:
    """Mark copies, so that a match counts once even if its log is listed twice, or if the logs of
    both players are listed.

    A match is identified by its table id and its keys: a host chooses the table id, and could
    choose that of a match in which it took no part. Two logs of one match have the same last entry,
    whose hash covers the whole chain, unless a player has signed two different entries.
    """
    seen: dict[tuple[bytes, tuple[Key, Key]], TableLog] = {}
    found = []
    for log in judged:
        if log.log is not None:
            match = (log.log.table_id, log.log.keys)
            first = seen.setdefault(match, log.log)
            if first is not log.log:
                log = _again(log.name, first, first.head == log.log.head)
        found.append(log)
    return found


def _again(name: str, first: TableLog, copy: bool) -> JudgedLog:
    """Return the verdict on a further log of the same match as *first*."""
    same = f"It's the same match as {first.name}"
    if copy:
        sentence = f"{same}, so it counts once."
        return JudgedLog(name, "duplicate", "tally-duplicate", sentence, Finding.VALID, None, True)
    sentence = f"{same}, but with a different ending: a player signed two different entries."
    return JudgedLog(name, "fork", "tally-fork", sentence, Finding.UNREADABLE, None)


def counted(judged: Sequence[JudgedLog]) -> list[TableLog]:
    """Return the logs that count. Raises NotScored if any log doesn't count, except copies."""
    bad = [log.finding for log in judged if log.log is None and not log.copy]
    if bad:
        worst = min(bad, key=lambda finding: finding.value)
        raise NotScored(len(bad), len(judged), worst)
    return [log.log for log in judged if log.log is not None]
