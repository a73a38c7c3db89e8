"""The page of a match with its words: the sentences of a replay, of the verdict and of the score
sheet, put together for somebody who has never heard of the program.

A page goes to strangers, so it contains nothing that only this home knows: players have the names
that they gave themselves. Anybody who has the log can make the page again, byte for byte, and so
check one that came from elsewhere.

The verifier in a page makes the sentences of the steps again, from the log, to compare them. If you
change them here or in the modules below, change ginpeer/page/verifier/src/told.js, too.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import replace

from cli.program import version
from cli.text.cards import Style
from cli.text.narration import narrate
from cli.text.score_sheet import account, result_text, score_line
from cli.text.verdict import failure_lines, headline, proof_lines, replay_heading
from ginpeer.names.nicknames import NO_KNOWN_NAMES
from ginpeer.names.quoting import safe
from ginpeer.notation import write_sheet
from ginpeer.page import HandTexts, PageTexts, is_same_page, match_page
from ginpeer.record import Degree, Record, RecordedHand, Step, sheet_of, steps_document
from ginpeer.record.record import start_time
from ginpeer.rules.cards import mask_of
from ginpeer.rules.match import Match
from ginpeer.rules.ruleset import STANDARD, RuleSet
from protocol import messages as m

_STYLE = Style(symbols=True)


def page_of(record: Record) -> bytes:
    """Return the page of a match, in UTF-8: the same bytes each time."""
    # A score sheet is written again, so that it says that somebody typed it.
    log = record.log() if record.typed is None else write_sheet(sheet_of(record, None)).encode()
    return match_page(steps_document(record), page_texts(record), log, version())


def page_report(record: Record, command: str) -> tuple[str, list[str]]:
    """Compare the page that a record was read from with the one that its log makes. Return "same"
    or "differs" for programs, and lines that say so. *command*: how this program is called."""
    page, own = record.page or b"", page_of(record)
    if page == own:
        return "same", ["This page is exactly what this program makes from its log, byte for byte."]
    if is_same_page(page, own):
        return "same", [
            "Once unpacked, this page is exactly what this program makes from its log, byte for "
            "byte."
        ]
    makers = re.findall(rb'<meta name="generator" content="(ginpeer [0-9a-z.+]{1,30})">', page)
    named = safe(makers[0].decode("utf-8", "replace")) if makers else "no version"
    again = f"{command} export {safe(shlex.quote(record.name), 1_000)} own.html"
    this = f"ginpeer {version()}"
    if named == this:
        found = "This page was changed: it isn't what this program makes from its log."
    else:
        found = (
            "This page was changed, or a different version made it: it names "
            f"{named}, and this is {this}."
        )
    return "differs", [
        f"{found} To make your own, type: {again}",
        "What follows covers the log in the page, and nothing else in it.",
    ]


def page_texts(record: Record) -> PageTexts:
    """Return a record's match in words."""
    verdict, table = record.verdict, record.table
    names = NO_KNOWN_NAMES.display(table.keys, table.names)
    told = ((step.entry, tuple(_told(step))) for step in record.steps)
    first, last = proof_lines(verdict)
    return PageTexts(
        names=names,
        verdict=headline(verdict),
        reasons=tuple(failure_lines(verdict)),
        rules="" if table.offer is None else safe(table.offer.rules),
        begun=None if table.offer is None else start_time(table.offer.started),
        cards=tuple(replay_heading(record, None)[-2:]),
        proven=(first, last),
        steps={entry: lines for entry, lines in told if lines},
        hands=tuple(_hand(hand, names, record.rules or STANDARD) for hand in record.hands),
        account=tuple(_account(record.match, names)),
    )


def _told(step: Step) -> list[str]:
    """Return what a replay tells of a step, without the number of the entry."""
    first, drawn = step.entries[0], step.drawn
    if isinstance(first.message, m.Discard) and first.after.hand is not None:
        # Whether the other player may knock now hangs on the moves of the hand.
        first = replace(first, after=replace(first.after, hand=step.after))
    lines = narrate(first if drawn is None else step.entries[-1], _STYLE, drawn=drawn)
    prefix = f"Hand {step.hand_number}: "
    return [line.removeprefix(prefix) for line in lines]


def _hand(hand: RecordedHand, names: tuple[str, str], rules: RuleSet) -> HandTexts:
    dealt = next((step for step in hand if isinstance(step.message, m.DealShares)), None)
    lines = []
    for seat, name in enumerate(names):
        cards = None if dealt is None else dealt.hand(seat)
        if dealt is not None and cards is not None and dealt.degree(seat) is not Degree.PUBLIC:
            shown = _STYLE.hand(mask_of(cards), rules)
            lines.append(f"{name} is dealt: {shown}.")
    result = hand.result
    ends = "It is not over." if result is None else result_text(result, names, rules)
    return HandTexts(tuple(lines), ends)


def _account(match: Match | None, names: tuple[str, str]) -> list[str]:
    """Say who has won and what the stake comes to, or what the score is; the page's table has the
    other numbers."""
    if match is None or not match.finished:
        return [] if match is None or not match.results else [score_line(match, names)]
    lines = account(match, names)
    outcome = lines[: 1 + (match.resigned is not None)]
    return [*outcome, *(lines[-1:] if match.settlement().stake else [])]
