"""`ginpeer verify`: what a log proves, for a person and as JSON.

The document of --json is described at the head of ginpeer.record.verdict_document. Its
verdict is the exit status, too: valid 0, illegal and forged 1, unreadable 2, incomplete 3.

A page can be checked because it is reproducible: its log makes the same bytes again. So besides the
verdict on the log, verify says whether the page matches it. That doesn't change the exit status.
"""

from __future__ import annotations

import json
import os
from argparse import Namespace

from cli.commands.home_and_log import (
    Unreadable,
    open_record,
    own_names,
    refuse_typed,
    verdict_kept,
    verdict_on,
)
from cli.terminal.lines import tell
from cli.words.own_command import command_for
from cli.words.page_texts import page_report
from cli.words.verdict import report
from ginpeer.record import unreadable_verdict, verdict_document


def run_verify(args: Namespace) -> int:
    """Judge the log and print the verdict. Return its exit status, even for a changed page."""
    page, lines = None, list[str]()
    try:
        record = open_record(args.log, args.home)
        with verdict_kept(record, args.home):
            verdict = verdict_on(record)
        refuse_typed(record)
        if record.page is not None:
            page, lines = page_report(record, command_for(args.home, os.environ))
    except Unreadable as error:
        if not args.json:
            raise
        verdict = unreadable_verdict(error.code, error.sentence, error.failing_entry)
    if args.json:
        made = (
            verdict_document(verdict)
            if page is None
            else verdict_document(verdict) | {"page": page}
        )
        print(json.dumps(made, indent=2))
    else:
        told = report(verdict, own_names(args.home))
        tell(*told, *lines) if page != "differs" else tell(*lines, *told)
    return verdict.finding.value
