"""`ginpeer verify`: what a log proves, for a person and as JSON.

The document of --json is described at the head of ginpeer.record.document. Its verdict is said in
the exit status, too: valid 0, illegal and forged 1, unreadable 2, incomplete 3.
"""

from __future__ import annotations

import json
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
from cli.words.verdict import report
from ginpeer.record import document, nothing_read


def run_verify(args: Namespace) -> int:
    """Judge the log and say so; the exit status is the verdict's."""
    try:
        record = open_record(args.log, args.home)
        with verdict_kept(record, args.home):
            verdict = verdict_on(record)
        refuse_typed(record)
    except Unreadable as error:
        if not args.json:
            raise
        verdict = nothing_read(error.code, error.sentence, error.failing_entry)
    if args.json:
        print(json.dumps(document(verdict), indent=2))
    else:
        tell(*report(verdict, own_names(args.home)))
        if record.in_page:
            tell("Judged was the log in this page, and nothing else that the page says.")
    return verdict.finding.value
