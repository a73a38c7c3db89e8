"""`ginpeer export`: write a match, or several in one page, for others to look at. This module also
verifies a page of several matches.

Rule 1: the referee first verifies the whole log, and the exit status is the verdict's. The export
        says how far the match is proven.
Rule 2: an export is for others, so it contains only what the log shows to everybody. The seeds that
        this machine keeps are not used.
Rule 3: an evening lasts from 6:00 to 6:00 the next day, in this machine's local time. A match
        belongs to the evening in which it began, as its host's clock claims in the log.
        Practice doesn't count, so it isn't part of an evening. Matches named on the command line
        are always included.
Rule 4: a page contains only signed logs that can be read to the end, so that the page can be
        reproduced from them.
"""

from __future__ import annotations

import json
import os
import sys
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime, timedelta

from cli.commands.home_and_files import (
    UnreadableFile,
    bot_keys,
    known_names,
    open_home,
    open_record,
    verdict_on,
    writable_target,
    write_file,
)
from cli.program import Failure, failures_of
from cli.terminal.output import print_json, print_lines
from cli.text.grammar import plural
from cli.text.page import changed_page, evening_page_of, has_analysis, in_order, page_of
from cli.text.position import NoSuchStep, position_at, position_picture, position_text
from cli.text.verdict import failure_lines, hand_count, headline, verdict_report
from ginpeer.names import KnownNames, safe
from ginpeer.notation import write_sheet
from ginpeer.record import Record, UnreadableLog, sheet_of, steps_document, verdict_document
from ginpeer.referee.referee import Finding, Verdict
from ginpeer.store import LogSource, PageOfSeveral, StoredMatch, StoreError, open_log
from ginpeer.store.log import message_in
from ginpeer.store.page_log import MAX_LOGS, MAX_PAGE_BYTES
from protocol.messages import Offer

_BEGINS = timedelta(hours=6)
_NO_TIME = (OverflowError, ValueError, OSError)
"""What Python raises for a time that it can't represent as a date. A host can claim any time of up
to 53 bits."""


def _text(record: Record, args: Namespace) -> bytes:
    if args.step is not None:
        return position_text(position_at(record, args.step)).encode("utf-8")
    return write_sheet(sheet_of(record, args.hand)).encode("utf-8")


def _picture(record: Record, args: Namespace) -> bytes:
    if args.step is None:
        raise Failure("usage", "A picture shows one step. Name the step, as in: --step h3s20.")
    return position_picture(position_at(record, args.step))


def _page(record: Record, args: Namespace) -> bytes:
    place = args.step or (args.hand and f"h{args.hand}s1")
    if place is not None:
        raise Failure(
            "usage",
            "A page contains the whole match, because it contains the log. To see this hand in it, "
            f"open page.html#{safe(place, 40)}.",
        )
    return page_of(record, analysed=not args.no_analysis)


def _document(record: Record, args: Namespace) -> bytes:
    if args.step is not None:
        sentence = "JSON can't show a single step. Use --hand, or write to a .txt or .svg file."
        raise Failure("usage", sentence)
    steps, hand = steps_document(record), args.hand
    if hand is not None:
        steps["hands"] = [each for each in steps["hands"] if each["number"] == hand]
        if not steps["hands"]:
            raise LookupError(hand)
    return (json.dumps(steps, indent=1) + "\n").encode("ascii")


FORMATS: Mapping[str, Callable[[Record, Namespace], bytes]] = {
    "text": _text,
    "html": _page,
    "json": _document,
    "svg": _picture,
}
"""The formats; their names are the choices for --as (cli.commands.arguments.options). Each function
raises LookupError if there is no such hand or step, and Failure if its format can't show it."""

_ENDINGS = {
    **dict.fromkeys((".gin", ".txt"), "text"),
    **dict.fromkeys((".html", ".htm"), "html"),
    ".json": "json",
    ".svg": "svg",
}


def run_export(args: Namespace) -> int:
    *logs, file = (args.log, *args.files) if args.files or args.evening else (args.log, None)
    named = None if file in (None, "-") else file
    chosen = args.format or ("html" if named is None and args.evening else _format_of(named))
    if named is not None:
        writable_target(named, replace=args.replace)
    if args.evening or len(logs) > 1:
        return _export_evening(args, logs, named, chosen)
    # A page must contain the log that was judged.
    record = open_record(args.log, args.home, snapshot=True)
    verdict = verdict_on(record, steps=True)
    try:
        data = FORMATS[chosen](record, args)
    except NoSuchStep as error:
        raise Failure("no-such-step", str(error)) from None
    except LookupError:
        hands = hand_count(len(record.hands))
        raise Failure("no-such-hand", f"There is no hand {args.hand}: {hands}") from None
    if named is None:
        _print(data)
        return verdict.finding.value
    shown = write_file(named, data, args.replace)
    if verdict.finding is not Finding.VALID:
        print_lines(headline(verdict), *failure_lines(verdict, known_names(args.home)))
    print_lines(f"Written: {shown}")
    return verdict.finding.value


def _export_evening(args: Namespace, logs: list[str], named: str | None, chosen: str) -> int:
    if args.evening and logs:
        raise Failure("usage", "With --evening, name only the file to write, and no log.")
    if chosen != "html":
        raise Failure("usage", "Only a web page can contain several matches; name an .html file.")
    if args.hand is not None or args.step is not None:
        raise Failure("usage", "A page of several matches contains all their hands.")
    if args.evening:
        records, left_out = matches_of_evening(args.evening, args.home)
    else:
        records, left_out = named_matches(logs, args.home), []
    if len(records) == 1:  # verify takes a page with one log for the page of that match
        data = page_of(records[0], analysed=not args.no_analysis)
    else:
        data = evening_page_of(records, analysed=not args.no_analysis)
    if len(data) > MAX_PAGE_BYTES:
        raise Failure(
            "page-too-large",
            f"A page can have at most {MAX_PAGE_BYTES} bytes; these matches need {len(data)}.",
        )
    if named is None:
        _print(data)
        if sys.stderr is not None:
            print_lines(*left_out, stream=sys.stderr)
    else:
        shown = write_file(named, data, args.replace)
        known = known_names(args.home)
        print_lines(*summary_lines(records, known), *left_out, f"Written: {shown}")
    return worst_status(record.verdict for record in records)


def _format_of(named: str | None) -> str:
    if named is None:
        return "text"
    format_name = _ENDINGS.get(os.path.splitext(named)[1].casefold())
    if format_name is not None:
        return format_name
    raise Failure(
        "usage",
        f"The ending of {safe(named, 200)} doesn't name a format. Use one of "
        f"{', '.join(_ENDINGS)}, or add --as text.",
    )


def _print(data: bytes) -> None:
    """Write the bytes unchanged, whatever the terminal's encoding."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


# --- the matches of a page ---------------------------------------------------------------


def named_matches(logs: list[str], home: str | None) -> list[Record]:
    """Judge these logs, and return their records in the order in which the matches began."""
    _check_number(len(logs))
    return in_order([_judged_log(log, home) for log in logs])


def _check_number(matches: int) -> None:
    if matches > MAX_LOGS:
        raise Failure("usage", f"A page can contain at most {MAX_LOGS} matches, not {matches}.")


def _judged_log(log: str, home: str | None) -> Record:
    """Judge this log, and return its record. Raises UnreadableFile if it can't be read, or if it is
    a typed match, which nobody has signed."""
    record = open_record(log, home, snapshot=True)
    verdict = verdict_on(record, steps=True)
    if verdict.finding is Finding.UNREADABLE:
        raise UnreadableFile(verdict.code, verdict.sentence, verdict.failing_entry)
    return record


def matches_of_evening(day: str, given: str | None) -> tuple[list[Record], list[str]]:
    home = open_home(given)
    with failures_of(StoreError):
        stored = home.logs()
    records: list[Record] = []
    practised = unreadable = begun = 0
    bots = bot_keys(home)
    for match in stored:
        if _evening_of(match) != day:
            continue
        notes = home.notes(match)
        if notes is not None and (notes.is_practice or notes.peer in bots):
            practised += 1
            continue
        try:
            record = _judged_log(str(match.path), given)
        except UnreadableFile:
            unreadable += 1
            continue
        if bots.intersection(record.table.keys):  # practice whose notes are missing
            practised += 1
            continue
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
