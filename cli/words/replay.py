"""A match again, from front to back: what is told of it to a person and as lines for programs, and
what stands before and behind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cli.words.event_lines import event_line, event_lines, hand_line
from cli.words.grammar import plural
from cli.words.score_sheet import hand_lines, score_sheet
from cli.words.step_lines import StepNarrator
from cli.words.verdict import headline, player_lines
from ginpeer.names.nicknames import NOBODY, KnownNames
from ginpeer.record import Degree, Record, Step, Walk
from ginpeer.referee.table import ROLES, Table
from ginpeer.rules.cards import mask_of
from protocol import messages as m


def step_paragraphs(walk: Walk, places: Iterable[int], teller: StepNarrator) -> Iterator[list[str]]:
    """What happened at these places, in order; each begins with the number of its entry, as
    verdicts and analyses name it, and a deal with that of its hand."""
    for place in places:
        step = walk.step_at(place)
        first, *others = teller.told(step)
        yield [f"{_number(step)}{first}", *(f"  {line}" for line in others)]


def _number(step: Step) -> str:
    if isinstance(step.message, m.DealCommit | m.DealShares):
        return ""  # it says which hand begins
    return f"{step.entry}: " if step.hand_number else f"Entry {step.entry}: "


# --- for programs ------------------------------------------------------------------------


def step_events(step: Step) -> list[str]:
    """What happened, as lines for programs; often nothing."""
    last, drawn = step.entries[-1], step.drawn
    lines = event_lines(step.entries[0])
    if drawn is not None:
        lines.append(event_line("drawn", card=str(drawn), seat=ROLES[step.author]))
    if isinstance(last.message, _CHANGES_BOARD) and last.after.hand is not None:
        lines += _hands(step, last.after)
    return lines


_CHANGES_BOARD = (
    m.DealShares,
    m.Pass,
    m.TakeUpcard,
    m.TakeDiscards,
    m.DrawStock,
    m.Share,
    m.Lay,
    m.Discard,
    m.Knock,
)


def _hands(step: Step, table: Table) -> list[str]:
    """The hands that are seen through their seeds, like the own hand at the table, with the seat
    behind. One that was laid open is told with the knock."""
    lines = []
    for seat in (0, 1):
        cards = step.hand(seat)
        if cards is not None and step.degree(seat) is not Degree.PUBLIC and table.hand is not None:
            lines.append(hand_line(mask_of(cards), table.hand.rules, seat))
    return lines


# --- before and after the steps ----------------------------------------------------------


def replay_heading(record: Record, only: int | None, known: KnownNames = NOBODY) -> list[str]:
    """The verdict, the players, and whose cards are shown; *only*: the seat that was asked for."""
    verdict = record.verdict
    lines = [headline(verdict), *player_lines(verdict.table, known)]
    for seat, name in enumerate(known.display(verdict.table.keys, verdict.table.names)):
        lines.append(f"The cards of {name}: {_source(record, seat, only)}.")
    return lines


_SOURCES = {
    Degree.OWN: "from this machine's own records",
    Degree.TYPED: "as they were typed",
    Degree.DISCLOSED: "disclosed in the log",
}


def _source(record: Record, seat: int, only: int | None) -> str:
    if only == 1 - seat:
        return "hidden, because the other player's view was asked for"
    degrees = [record.degree(hand.number, seat) for hand in record.table.records]
    shown = [degree for degree in degrees if degree is not Degree.PUBLIC]
    if not shown:
        unknown = "not written down" if record.typed is not None else "not disclosed"
        return f"hidden, because they are {unknown}"
    source = next(said for degree, said in _SOURCES.items() if degree in shown)
    if len(shown) == len(degrees):
        return f"shown, {source}"
    return f"shown in {len(shown)} of {plural(len(degrees), 'hand')}, {source}"


def replay_score_sheet(record: Record, known: KnownNames = NOBODY) -> list[str]:
    """The score sheet, without the account if the settlement has just told it."""
    match, names = record.match, known.display(record.table.keys, record.table.names)
    if match is None:
        return []
    lines = hand_lines(match, names)
    settled = any(isinstance(step.message, m.Settle) for step in record.steps)
    if not settled and (lines or match.finished):
        lines = score_sheet(match, names)
    return ["The score sheet:", *lines] if lines else []


def hand_count(hands: int) -> str:
    """Which hands a log has of which something is told."""
    if not hands:
        return "the log ends before the first hand."
    if hands == 1:
        return "the log has one hand, number 1."
    return f"the log has hands 1 to {hands}."
