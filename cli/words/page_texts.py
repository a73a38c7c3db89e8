"""What a page says in words: the sentences of a replay, of the verdict and of the score sheet, put
together for whoever has never heard of the program.

A page goes to strangers, so nothing of what this home knows is in it: players are called as they
call themselves.

The verifier in a page makes the same sentences anew, from the log, to compare them: what is said
otherwise here or in the modules below is said so in ginpeer/page/verifier/src/told.js, too.
"""

from __future__ import annotations

from dataclasses import replace

from cli.words.cards import Style
from cli.words.narration import narrate
from cli.words.replay import heading
from cli.words.result import result_text
from cli.words.score_sheet import score_line
from cli.words.settlement import account
from cli.words.verdict import begun, headline, proven, what_happened
from ginpeer.names.nicknames import NOBODY
from ginpeer.names.shown import safe
from ginpeer.page import HandTexts, Texts
from ginpeer.record import Degree, Record, RecordedHand, Step
from ginpeer.rules.cards import mask_of
from ginpeer.rules.match import Match
from ginpeer.rules.ruleset import STANDARD, RuleSet
from protocol import messages as m

_STYLE = Style(symbols=True)


def page_texts(record: Record) -> Texts:
    """The match of a record in words."""
    verdict, table = record.verdict, record.table
    names = NOBODY.display(table.keys, table.names)
    told = ((step.entry, tuple(_told(step))) for step in record.steps)
    first, last = proven(verdict)
    return Texts(
        names=names,
        verdict=headline(verdict),
        reasons=tuple(what_happened(verdict)),
        rules="" if table.offer is None else safe(table.offer.rules),
        begun=None if table.offer is None else begun(table.offer.started),
        cards=tuple(heading(record, None)[-2:]),
        proven=(first, last),
        steps={entry: lines for entry, lines in told if lines},
        hands=tuple(_hand(hand, names, record.rules or STANDARD) for hand in record.hands),
        account=tuple(_account(record.match, names)),
    )


def _told(step: Step) -> list[str]:
    """What a replay tells of a step, without the number of the entry."""
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
    """Who has won and what the stake comes to, or how the match stands; the numbers between stand
    in the page's table."""
    if match is None or not match.finished:
        return [] if match is None or not match.results else [score_line(match, names)]
    lines = account(match, names)
    outcome = lines[: 1 + (match.resigned is not None)]
    return [*outcome, *(lines[-1:] if match.settlement().stake else [])]
