"""A match again, step by step: what is told of each step, to a person and as lines for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from cli.words.analysis import value_line
from cli.words.board import table_lines
from cli.words.cards import Style
from cli.words.event_lines import event_line, event_lines, hand_line
from cli.words.grammar import plural
from cli.words.lessons import Teller
from cli.words.narration import narrate
from cli.words.score_sheet import hand_lines, score_sheet
from cli.words.verdict import headline, players
from ginpeer.adviser import Advice, explain
from ginpeer.analysis import Decision, view_before
from ginpeer.names.nicknames import NOBODY, KnownNames
from ginpeer.record import Degree, Record, Step
from ginpeer.referee.referee import Admitted
from ginpeer.referee.table import ROLES, Table
from ginpeer.rules.cards import CardSet, cards_of, mask_of
from ginpeer.rules.hand import Phase
from protocol import messages as m


@dataclass(frozen=True, slots=True)
class Told:
    """One thing that happened: for a person, and as lines for programs."""

    hand: int
    """0 before the first hand."""
    lines: tuple[str, ...]
    events: tuple[str, ...]


def told_steps(
    record: Record,
    style: Style,
    known: KnownNames = NOBODY,
    values: Mapping[int, Decision] | None = None,
) -> Iterator[Told]:
    """What happened, in order, without the steps that say nothing to a reader. *known*: by what
    names the reader knows the players; *values*: what choices were worth, by their entries."""
    for step in record.steps:
        told = _told(step, style, known, None if values is None else values.get(step.entry))
        if told is not None:
            yield told


def _told(step: Step, style: Style, known: KnownNames, value: Decision | None) -> Told | None:
    first, last, drawn = _in_its_position(step), step.entries[-1], step.drawn
    said = narrate(first if drawn is None else last, style, drawn=drawn, known=known)
    events = event_lines(first)
    if not said and not events:
        return None
    if drawn is not None:
        events.append(event_line("drawn", card=str(drawn), seat=ROLES[step.author]))
    lines = _numbered(step.entry, step.hand_number, said)
    if value is not None:
        lines.append(_value(step, value, style, known))
    if isinstance(last.message, _WITH_BOARD) and last.after.hand is not None:
        lines += _board(step, last.after, style, known)
        events += _board_events(step, last.after)
    return Told(step.hand_number, tuple(lines), tuple(events))


def _value(step: Step, decision: Decision, style: Style, known: KnownNames) -> str:
    """What the choice of this step was worth."""
    table, view = step.entries[0].before, view_before(step)
    if view is None:
        raise AssertionError("a choice is a move")
    name = known.display(table.keys, table.names)[1 - step.author]
    teller, best = Teller(name, style, view.hand.rules), decision.best
    advice = Advice(best.move, best.points, explain(view, best.move))
    return f"  {value_line(teller, decision, advice)}"


def _in_its_position(step: Step) -> Admitted:
    """The entry after whose discard the other player may knock by a limit of this turn: that hangs
    on the moves of the hand, which the tables of a record are without."""
    entry, after = step.entries[0], step.after
    if isinstance(entry.message, m.Discard) and entry.after.hand is not None:
        return replace(entry, after=replace(entry.after, hand=after))
    return entry


def _numbered(entry: int, hand: int, told: Sequence[str]) -> list[str]:
    if not told:
        return []
    where = f"Hand {hand}, entry {entry}: " if hand else f"Entry {entry}: "
    first = told[0].removeprefix(f"Hand {hand}: ")
    return [where + first, *(f"  {line}" for line in told[1:])]


# After these hands and piles are worth showing: something of them has just changed.
_WITH_BOARD = (
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


def _shown(step: Step, seat: int) -> CardSet | None:
    """A hand that is seen through its seed. One that was laid open is told with the knock."""
    cards = step.hand(seat)
    if cards is None or step.degree(seat) is Degree.PUBLIC:
        return None
    return mask_of(cards)


def _board(step: Step, table: Table, style: Style, known: KnownNames) -> list[str]:
    """Both hands, sorted into melds and deadwood, and the piles."""
    hand = table.hand
    if hand is None:
        return []
    lines, names = [], known.display(table.keys, table.names)
    for seat, name in enumerate(names):
        if hand.knocker == seat:
            continue  # whose melds have just been told
        cards = _shown(step, seat)
        shown = _hidden(table, seat, style) if cards is None else style.hand(cards, hand.rules)
        lines.append(f"  {name}: {shown}.")
    if hand.phase is not Phase.LAY_OFF and hand.rules.mahjong:
        lines += [f"  {line}" for line in table_lines(hand, style, names)]
    elif hand.phase is not Phase.LAY_OFF:
        upcard = "none" if hand.upcard is None else style.card(hand.upcard)
        lines.append(f"  Upcard: {upcard}; stock: {plural(hand.stock_left, 'card')}.")
    return lines


def _hidden(table: Table, seat: int, style: Style) -> str:
    """What everybody knows of a hand that is not shown."""
    if table.deck is None or table.hand is None:
        return "hidden"
    count = plural(len(table.deck.hands[seat]), "card")
    held = table.hand.known_held(seat)
    return f"{count}, seen taken: {style.cards(cards_of(held))}" if held else f"{count}, hidden"


def _board_events(step: Step, table: Table) -> list[str]:
    """The hands as lines for programs, like those at the table, with the seat behind."""
    lines = []
    for seat in (0, 1):
        cards = _shown(step, seat)
        if cards is not None and table.hand is not None:
            lines.append(hand_line(cards, table.hand.rules, seat))
    return lines


# --- before and after the steps ----------------------------------------------------------


def heading(record: Record, only: int | None, known: KnownNames = NOBODY) -> list[str]:
    """The verdict, the players, and whose cards are shown; *only*: the seat that was asked for."""
    verdict = record.verdict
    lines = [headline(verdict), *players(verdict.table, known)]
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


def sheet(record: Record, known: KnownNames = NOBODY) -> list[str]:
    """The score sheet, without the account if the settlement has just told it."""
    match, names = record.match, known.display(record.table.keys, record.table.names)
    if match is None:
        return []
    lines = hand_lines(match, names)
    settled = any(isinstance(step.message, m.Settle) for step in record.steps)
    if not settled and (lines or match.finished):
        lines = score_sheet(match, names)
    return ["The score sheet:", *lines] if lines else []


def hands_in(table: Table) -> str:
    """Which hands a log has."""
    if not table.hand_number:
        return "the log ends before the first hand."
    if table.hand_number == 1:
        return "the log has one hand, number 1."
    return f"the log has hands 1 to {table.hand_number}."


def keys(steps: Sequence[Told]) -> str:
    """What may be typed between two steps."""
    numbers = sorted({step.hand for step in steps if step.hand})
    if len(numbers) < 2:
        return "Enter goes on, q quits; there is no other hand to jump to."
    return f"Enter, q, or the number of a hand: {numbers[0]} to {numbers[-1]}."
