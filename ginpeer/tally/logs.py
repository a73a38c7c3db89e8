"""Why there is no score, each with a stable code and a sentence."""
# @@ logs: """The logs of a tally: what is needed of each, whether it can count, and each match once."""
# @@

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ginpeer.names.shown import safe
from ginpeer.record import word
from ginpeer.referee.table import Table
from ginpeer.referee.verdict import Finding, Verdict
from ginpeer.rules.match import Match

# --- errors ---


class TallyError(Exception):
    """These logs cannot be added up."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


class Mismatch(TallyError):
    """The logs do not belong together, or not in this order, or not to this team.

    `code` is one of: tally-mismatch, tally-team, tally-order; tally-unfinished
    where the tables still play.
    """

    def __init__(self, sentence: str, code: str = "tally-mismatch") -> None:
        super().__init__(code, sentence)


class NotScored(TallyError):
    """Some of the logs cannot count. `finding` is the worst that was found of one."""

    def __init__(self, bad: int, total: int, finding: Finding) -> None:
        logs = "log" if total == 1 else "logs"
        super().__init__("not-scored", f"Not scored: {bad} of {total} {logs} cannot count.")
        self.finding = finding


# --- logs ---

Key = bytes


@dataclass(frozen=True, slots=True)
class TableLog:
    """A verified log of a match that is finished, or is still being played. ``name`` is how it was
    named, and ``started`` what the host's clock said when the match was offered, in seconds since
    1970."""

    name: str
    table_id: bytes
    started: int
    keys: tuple[Key, Key]
    names: tuple[str, str]
    match: Match
    head: bytes = b""
    """The hash of the last entry."""

    @classmethod
    def of(cls, name: str, verdict: Verdict) -> TableLog | None:
        """What the tally needs of a valid log; the rest, which is much, is let go. None for a log
        that is not valid, or in which no match was begun."""
        return cls.of_table(name, verdict.table) if verdict.finding is Finding.VALID else None

    @classmethod
    def of_table(cls, name: str, table: Table) -> TableLog | None:
        """The same of a match that may still be played. None before it is agreed who deals."""
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

    def called(self, name: str) -> TableLog:
        """The same under another name."""
        return replace(self, name=name)


@dataclass(frozen=True, slots=True)
class JudgedLog:
    """A log and what the referee says of it; ``log`` is None if it cannot count, or, being a
    ``copy``, counts already."""

    name: str
    verdict: str
    """valid, illegal, forged, unreadable or incomplete; duplicate for a copy, fork for another
    ending of the same match."""
    code: str
    sentence: str
    finding: Finding
    """What the whole tally comes to if this is the worst of its logs."""
    log: TableLog | None
    copy: bool = False

    @classmethod
    def of(cls, named: str, verdict: Verdict) -> JudgedLog:
        """*named*: as a person named it."""
        name, sentence = safe(named, limit=200), safe(verdict.sentence)
        log = TableLog.of(name, verdict)
        if log is None and verdict.finding is Finding.VALID:
            sentence = "No match was begun in it."
            return cls(name, "valid", "no-hand", sentence, Finding.UNREADABLE, None)
        if verdict.finding is Finding.FORGED:
            sentence = f"At entry {verdict.failing_entry}: {sentence}"
        return cls(name, word(verdict), verdict.code, sentence, verdict.finding, log)


def each_match_once(judged: Sequence[JudgedLog]) -> list[JudgedLog]:
    """A match counts once, whether its log was named twice or both players kept one.

    It is known by its keys, too: a host chooses the table id, and can choose that of a match in
    which it had no part. Two logs of one match are the same to the last entry, whose hash is that
    of the whole chain, or its players have signed two endings.
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
    """Another log of the match of *first*."""
    same = f"It is the same match as {first.name}, and"
    if copy:
        sentence = f"{same} counts once."
        return JudgedLog(name, "duplicate", "tally-duplicate", sentence, Finding.VALID, None, True)
    sentence = f"{same} ends otherwise: a player has signed twice."
    return JudgedLog(name, "fork", "tally-fork", sentence, Finding.UNREADABLE, None)


def counted(judged: Sequence[JudgedLog]) -> list[TableLog]:
    """The logs that count, if none of them fails to. Raises NotScored."""
    bad = [log.finding for log in judged if log.log is None and not log.copy]
    if bad:
        worst = min(bad, key=lambda finding: finding.value)
        raise NotScored(len(bad), len(judged), worst)
    return [log.log for log in judged if log.log is not None]
