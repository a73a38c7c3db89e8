"""The page of a match and its text: the verdict, what it proves, and the moves in notation,
arranged for somebody who has never heard of the program. The script in the page adds the rest.

A page goes to strangers, so it contains nothing that only this home knows: players have the names
that they chose for themselves. Anybody who has the log can make the page again, byte for byte, and
so check a page from elsewhere.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable

from cli.program import version
from cli.text.analysis import (
    choice_made,
    judge_line,
    lesson_lines,
    place_of,
    play_cost,
)
from cli.text.cards import Style
from cli.text.match_result import result_heading, totals
from cli.text.mistakes import ChoicePhrases, mistake_reasons
from cli.text.rules_in_words import rules_in_words
from cli.text.verdict import failure_lines, headline, proof_lines, replay_heading
from ginpeer.analysis import LEAST, Analysis, analyse, can_advise, chances_in
from ginpeer.names import NO_KNOWN_NAMES, safe
from ginpeer.notation import write_sheet
from ginpeer.page import ANALYSIS, PageAnalysis, PageTexts, PlayerAdvice, Result, match_page
from ginpeer.record import Record, sheet_of, verdict_document
from ginpeer.record.record import start_time
from ginpeer.rules import parse_ruleset


def page_of(
    record: Record, *, analysed: bool = True, progress: Callable[[int, int], None] | None = None
) -> bytes:
    """Return the page of a match in UTF-8. The same match always makes the same bytes. *analysed*:
    with an analysis, if there is one. *progress*: as for `ginpeer.analysis.analyse`."""
    sheet = write_sheet(sheet_of(record, None))
    # A score sheet is rewritten, so that it says that somebody typed it.
    log = record.log() if record.typed is None else sheet.encode()
    texts = _texts(record, sheet, _analysis(record, progress) if analysed else None)
    return match_page(verdict_document(record.verdict), texts, log, version())


def page_report(record: Record, command: str) -> tuple[str, list[str]]:
    """Compare the page from which a record was read with the page that its log makes. Return "same"
    or "differs" for programs, and lines that say so. *command*: the command that starts this
    program."""
    page = record.page or b""
    own = page_of(record, analysed=f'<section id="{ANALYSIS}"'.encode() in page)
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


def _texts(record: Record, sheet: str, analysis: PageAnalysis | None) -> PageTexts:
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
        analysis=analysis,
    )


def _result(record: Record) -> Result | None:
    """Return who won and how, if the log proves it."""
    match = record.verdict.table.match
    if record.verdict.word != "valid" or match is None or not match.finished:
        return None
    first, between, after = result_heading(match)
    reached = tuple((total.seat, total.points, total.account) for total in totals(match))
    return Result(first, between, after, reached)


def _analysis(record: Record, progress: Callable[[int, int], None] | None) -> PageAnalysis | None:
    """Return the analysis of both players as far as the log shows their cards."""
    rules, table = record.rules, record.table
    proven = record.verdict.word == "valid" or record.typed is not None
    if rules is None or not can_advise(rules) or not proven:
        return None
    found = [analyse(record, seat, None, progress, luck=False) for seat in (0, 1)]
    names = NO_KNOWN_NAMES.display(table.keys, table.names)
    style = Style(symbols=True)
    decisions = [made for each in found for made in each.decisions]
    if not decisions:
        return None
    return PageAnalysis(
        judge=judge_line("each player"),
        players=tuple(
            _advice(record, each, ChoicePhrases(names[1 - each.seat], style, rules))
            for each in found
            if each.valued
        ),
        best=tuple(sorted(made.entry for made in decisions if not made.loss)),
        close=tuple(sorted(made.entry for made in decisions if 0 < made.loss < LEAST)),
        chances=tuple((at.entry, at.host, at.guest) for at in chances_in(record)),
    )


def _advice(record: Record, found: Analysis, teller: ChoicePhrases) -> PlayerAdvice:
    choices = (
        (
            mistake.decision.entry,
            place_of(record, mistake.decision),
            f"{choice_made(record, teller, mistake)} {mistake_reasons(teller, mistake)}",
        )
        for mistake in found.mistakes
    )
    lessons = lesson_lines(record, found, teller, reasons=True)
    return PlayerAdvice(found.seat, f"{play_cost(found)}.", tuple(lessons), tuple(choices))
