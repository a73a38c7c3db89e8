"""The page of a match and its text: the verdict, what it proves, and the moves in notation,
arranged for somebody who has never heard of the program. The script in the page adds the rest.

A page goes to strangers, so it contains nothing that only this home knows: players have the names
that they chose for themselves. Anybody who has the log can make the page again, byte for byte, and
so check a page from elsewhere.
"""

from __future__ import annotations

import re
import shlex

from cli.program import version
from cli.text.match_result import result_heading, totals
from cli.text.rules_in_words import rules_in_words
from cli.text.verdict import failure_lines, headline, proof_lines, replay_heading
from ginpeer.names import NO_KNOWN_NAMES, safe
from ginpeer.notation import write_sheet
from ginpeer.page import PageTexts, Result, match_page
from ginpeer.record import Record, sheet_of, verdict_document
from ginpeer.record.record import start_time
from ginpeer.rules import parse_ruleset


def page_of(record: Record) -> bytes:
    """Return the page of a match in UTF-8. The same match always makes the same bytes."""
    sheet = write_sheet(sheet_of(record, None))
    # A score sheet is rewritten, so that it says that somebody typed it.
    log = record.log() if record.typed is None else sheet.encode()
    return match_page(verdict_document(record.verdict), _texts(record, sheet), log, version())


def page_report(record: Record, command: str) -> tuple[str, list[str]]:
    """Compare the page from which a record was read with the page that its log makes. Return "same"
    or "differs" for programs, and lines that say so. *command*: the command that starts this
    program."""
    page, own = record.page or b"", page_of(record)
    if page == own:
        return "same", ["This page is exactly what this program makes from its log, byte for byte."]
    makers = re.findall(rb'<meta name="generator" content="(ginpeer [0-9a-z.+]{1,30})">', page)
    named = safe(makers[0].decode("utf-8", "replace")) if makers else "no version"
    again = f"{command} export {safe(shlex.quote(record.name), 1_000)} own.html"
    this = f"ginpeer {version()}"
    if named == this:
        found = "This page was changed: it isn't what this program makes from its log."
    else:
        found = (
            "This page was changed, or made by a different version: it names "
            f"{named}, and this is {this}."
        )
    return "differs", [
        f"{found} To make your own, type: {again}",
        "The verdict below is only about the log in this page.",
    ]


def _texts(record: Record, sheet: str) -> PageTexts:
    """Return the texts of a match's page. *sheet*: the match in notation."""
    verdict, table = record.verdict, record.table
    first, last = proof_lines(verdict)
    _, begins, hands = sheet.partition("\nhand ")
    rules = verdict_document(verdict)["rules"]
    return PageTexts(
        names=NO_KNOWN_NAMES.display(table.keys, table.names),
        verdict=headline(verdict),
        reasons=tuple(failure_lines(verdict)),
        rules="Gin rummy" if rules is None else rules_in_words(parse_ruleset(rules)),
        rule_text=rules,
        result=_result(record),
        begun=None if table.offer is None else start_time(table.offer.started),
        cards=tuple(replay_heading(record, None)[-2:]),
        proven=(first, last),
        moves=f"{begins}{hands}".removeprefix("\n"),
    )


def _result(record: Record) -> Result | None:
    """Return who won and how, if the log proves it."""
    match = record.verdict.table.match
    if record.verdict.word != "valid" or match is None or not match.finished:
        return None
    first, between, after = result_heading(match)
    reached = tuple((total.seat, total.points, total.account) for total in totals(match))
    return Result(first, between, after, reached)
