"""`ginpeer verify`: say what a log proves, in sentences or as JSON.

proto/verdict.schema.json describes the document of --json. The exit status gives the verdict,
too: valid 0, illegal and forged 1, unreadable 2, incomplete 3.

A page can be checked because it is reproducible: the same log always makes the same page. So verify
also says whether a page matches its log, and warns of a log that a browser would show as a page.
That doesn't change the exit status.
"""

from __future__ import annotations

from argparse import Namespace

from cli.commands.home_and_files import (
    UnreadableFile,
    known_names,
    open_record,
    remember_verdict,
    verdict_on,
)
from cli.program import own_command
from cli.terminal.output import print_json, print_lines
from cli.text.verdict import verdict_report
from ginpeer.record import verdict_document
from ginpeer.store import PageOfSeveral


def run_verify(args: Namespace) -> int:
    page, lines = None, list[str]()
    try:
        record = open_record(args.log, args.home)
        with remember_verdict(record, args.home):
            verdict = verdict_on(record)
        if record.typed is not None:
            raise UnreadableFile("unproven", record.verdict.sentence)
        if record.page is not None:
            from cli.text.page import page_report  # few logs are in a page

            page, lines = page_report(record, own_command(args.home))
        elif record.name.lower().endswith((".html", ".htm")):
            lines = [_LOG_NAMED_LIKE_PAGE]
    except UnreadableFile as error:
        if isinstance(error.__cause__, PageOfSeveral):
            from cli.commands.export import verify_evening

            return verify_evening(error.__cause__, as_json=args.json, home=args.home)
        if not args.json:
            raise
        verdict = error.verdict
    if args.json:
        document = verdict_document(verdict)
        if page is not None:
            document["page"] = page
        print_json(document)
    else:
        told = verdict_report(verdict, known_names(args.home))
        print_lines(*told, *lines) if page == "same" else print_lines(*lines, *told)
    return verdict.finding.value


_LOG_NAMED_LIKE_PAGE = (
    "This is a log, not a page: if a browser shows it as a page, that proves nothing. The verdict "
    "below is only about the log."
)
"""The names in a log, and the bytes after its last entry, can be HTML."""
