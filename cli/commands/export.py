"""`ginpeer export`: write a match for others to look at.

Rule 1: the referee first verifies the whole log, and the exit status is the verdict's. The export
        says how far the match is proven.
Rule 2: an export is for others, so it contains only what the log shows to everybody. The seeds that
        this machine keeps are not used.
Rule 3: a file is written completely or not at all, and replaces another only with --replace.

To add a format, add a line to FORMATS, and its name to the choices of --as in
cli.commands.arguments.options.
"""

from __future__ import annotations

import json
import os
import sys
from argparse import Namespace
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from cli.commands.evening import matches_of_evening, named_matches, summary_lines, worst_status
from cli.commands.home_and_files import (
    known_names,
    open_record,
    verdict_on,
    writable_target,
    write_file,
)
from cli.failure import Failure
from cli.terminal.output import print_lines
from cli.text.evening_texts import evening_page_of
from cli.text.page_texts import page_of
from cli.text.position import NoSuchStep, pictured, position_at, position_text
from cli.text.verdict import failure_lines, hand_count, headline
from ginpeer.names import safe
from ginpeer.notation import write_sheet
from ginpeer.page import position_picture
from ginpeer.record import Record, sheet_of, steps_document
from ginpeer.referee.referee import Finding
from ginpeer.store.page_log import MAX_PAGE_BYTES


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A format for exported matches. *make* raises LookupError if there is no such hand or step,
    and Failure if this format can't show it. *suffixes*: the endings of its files."""

    make: Callable[[Record, Namespace], bytes]
    suffixes: tuple[str, ...]


def _text(record: Record, args: Namespace) -> bytes:
    if args.step is not None:
        return position_text(position_at(record, args.step)).encode("utf-8")
    return write_sheet(sheet_of(record, args.hand)).encode("utf-8")


def _picture(record: Record, args: Namespace) -> bytes:
    if args.step is None:
        raise Failure("usage", "A picture shows one step. Name the step, as in: --step h3s20.")
    return position_picture(pictured(position_at(record, args.step)))


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


FORMATS: Mapping[str, ExportFormat] = {
    "text": ExportFormat(_text, (".gin", ".txt")),
    "html": ExportFormat(_page, (".html", ".htm")),
    "json": ExportFormat(_document, (".json",)),
    "svg": ExportFormat(_picture, (".svg",)),
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
        data = FORMATS[chosen].make(record, args)
    except NoSuchStep as error:
        raise Failure("no-such-step", str(error)) from None
    except LookupError:
        hands = hand_count(record.table.hand_number)
        raise Failure("no-such-hand", f"There is no hand {args.hand}: {hands}") from None
    if named is None:
        _print(data)
        return verdict.finding.value
    write_file(named, data, args.replace)
    if verdict.finding is not Finding.VALID:
        print_lines(headline(verdict), *failure_lines(verdict, known_names(args.home)))
    print_lines(f"Written: {safe(named, 200)}")
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
        write_file(named, data, args.replace)
        known = known_names(args.home)
        print_lines(*summary_lines(records, known), *left_out, f"Written: {safe(named, 200)}")
    return worst_status(record.verdict for record in records)


def _format_of(named: str | None) -> str:
    if named is None:
        return "text"
    ending = os.path.splitext(named)[1].casefold()
    for name, each in FORMATS.items():
        if ending in each.suffixes:
            return name
    known = ", ".join(suffix for each in FORMATS.values() for suffix in each.suffixes)
    raise Failure(
        "usage",
        f"The ending of {safe(named, 200)} doesn't name a format. Use one of {known}, or add "
        "--as text.",
    )


def _print(data: bytes) -> None:
    """Write the bytes unchanged, whatever the terminal's encoding."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
