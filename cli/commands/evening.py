"""Several matches in one page: which ones belong to an evening, and verifying such a page.

Rule 1: an evening lasts from 6:00 to 6:00 the next day, by the local time of this machine. A
        match belongs to the evening in which it began, as its host's clock claims in the log.
Rule 2: practice binds nobody, so it isn't part of an evening. Nor is an offer that nobody
        accepted. A match that is named is always part of the page.
Rule 3: a page has only signed logs that can be read to their end, so that it can be made again
        from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta

from cli.commands.home_and_files import (
    UnreadableFile,
    bot_keys,
    known_names,
    open_home,
    open_record,
    store_failures,
    verdict_on,
)
from cli.failure import Failure
from cli.terminal.output import print_json, print_lines
from cli.text.evening_texts import evening_page_of, in_order
from cli.text.grammar import plural
from cli.text.page_texts import changed_page, has_analysis
from cli.text.verdict import failure_lines, headline, verdict_report
from ginpeer.names import KnownNames
from ginpeer.record import Record, UnreadableLog, verdict_document
from ginpeer.referee.referee import Finding, Verdict
from ginpeer.store import LogSource, PageOfSeveral, StoredMatch, open_log
from ginpeer.store.log import message_in
from ginpeer.store.page_log import MAX_LOGS
from protocol.messages import Offer

_BEGINS = timedelta(hours=6)
_NO_TIME = (OverflowError, ValueError, OSError)
"""What Python raises for a time that it can't represent as a date. A host can claim any time of up
to 53 bits."""


# --- the matches of a page ---------------------------------------------------------------


def named_matches(logs: list[str], home: str | None) -> list[Record]:
    """Judge these logs, and return their records in the order in which the matches began."""
    _check_number(len(logs))
    return in_order([_judged_log(log, home) for log in logs])


def _check_number(matches: int) -> None:
    if matches > MAX_LOGS:
        raise Failure("usage", f"A page can contain at most {MAX_LOGS} matches, not {matches}.")


def _judged_log(log: str, home: str | None) -> Record:
    """Judge this log, and return its record. Raises UnreadableFile, also for a typed match."""
    record = open_record(log, home, snapshot=True)
    verdict = verdict_on(record, steps=True)
    if verdict.finding is Finding.UNREADABLE:
        raise UnreadableFile(verdict.code, verdict.sentence, verdict.failing_entry)
    return record


def matches_of_evening(day: str, given: str | None) -> tuple[list[Record], list[str]]:
    """Return the matches of an evening, and lines that say which ones were left out."""
    home = open_home(given)
    with store_failures():
        stored = home.logs()
    records: list[Record] = []
    practised = unreadable = begun = 0
    bots = bot_keys(home)
    for match in stored:
        if _evening_of(match) != day:
            continue
        notes = home.notes(match)
        if notes is not None and (notes.level is not None or notes.peer in bots):
            practised += 1
            continue
        try:
            record = _judged_log(str(match.path), given)
        except UnreadableFile:
            unreadable += 1
        else:
            begun += 1
            if record.match is not None:
                records.append(record)
    _check_number(len(records))
    if not records:
        also = ", except practice" if practised else ""
        logs = plural(unreadable, "log")
        unread = f" {logs} from that time can't be read." if unreadable else ""
        raise Failure(
            "no-such-log",
            f"No match in this home began between 6:00 on {day} and 6:00 the next day{also}."
            + unread,
        )
    left_out = [
        plural(count, *nouns)
        for count, nouns in (
            (practised, ("practice match", "practice matches")),
            (begun - len(records), ("match that never began", "matches that never began")),
            (unreadable, ("log that can't be read", "logs that can't be read")),
        )
        if count
    ]
    return in_order(records), [f"Left out: {', '.join(left_out)}."] if left_out else []


def _evening_of(match: StoredMatch) -> str | None:
    with suppress(UnreadableLog, *_NO_TIME), open_log(match.path) as log:
        offer = message_in(next(iter(log), b""))
        if isinstance(offer, Offer):
            return (datetime.fromtimestamp(offer.started) - _BEGINS).date().isoformat()
    return None


def summary_lines(records: Iterable[Record], known: KnownNames) -> Iterator[str]:
    """Say which matches of a page aren't valid or finished, and why."""
    for at, record in enumerate(records, 1):
        verdict = record.verdict
        if verdict.finding is not Finding.VALID:
            yield f"Match {at}: {headline(verdict)}"
            yield from failure_lines(verdict, known)


def worst_status(verdicts: Iterable[Verdict]) -> int:
    """Return the exit status of the worst verdict: 1 before 2 before 3 before 0."""
    found = [verdict.finding.value for verdict in verdicts]
    return min(filter(None, found), default=0)


# --- verifying the page of an evening ----------------------------------------------------


def verify_evening(found: PageOfSeveral, *, as_json: bool, home: str | None) -> int:
    """Judge every log in a page, check the page itself, and return the worst log's exit status."""
    page = found.page
    records = [Record(LogSource(found.name, log)) for log in found.logs]
    verdicts = [_judged(record) for record in records]
    is_same = Finding.UNREADABLE not in {verdict.finding for verdict in verdicts} and (
        page == evening_page_of(records, analysed=has_analysis(page))
    )
    if as_json:
        documents = [verdict_document(verdict) for verdict in verdicts]
        whole = {"schema": 1, "page": "same" if is_same else "differs", "matches": documents}
        print_json(whole)
        return worst_status(verdicts)
    known = known_names(home)
    lines = []
    for at, verdict in enumerate(verdicts, 1):
        names = " and ".join(known.display(verdict.table.keys, verdict.table.names))
        lines += [f"Match {at} of {len(verdicts)}: {names}", *verdict_report(verdict, known), ""]
    if is_same:
        lines.append("This page is what ginpeer makes from its logs, byte for byte.")
    else:
        warning = "The verdicts below are only about the logs in this page."
        all_names = [name for verdict in verdicts for name in verdict.table.names]
        lines = [changed_page(page, "its logs", all_names), warning, "", *lines[:-1]]
    print_lines(*lines)
    return worst_status(verdicts)


def _judged(record: Record) -> Verdict:
    try:
        return verdict_on(record, steps=True)
    except UnreadableFile as why:
        return why.verdict
