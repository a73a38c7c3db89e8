"""A replayed match, as sentences and as lines for programs: one step of it, or the position.

Rule 1: for a hand that is shown, each discard comes with the deadwood count, and the melds are
        listed when they change. What hasn't changed isn't repeated, but a player can ask for it in
        a walk.
Rule 2: a step's description doesn't depend on its neighbours, so it reads the same both ways.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from cli.text.advice import AdvicePhrases
from cli.text.analysis import value_line
from cli.text.board import position_lines, table_lines
from cli.text.cards import NO_MELDS, Style
from cli.text.event_lines import event_lines, hand_line
from cli.text.grammar import at_start, does, plural
from cli.text.narration import narrate
from cli.text.score_sheet import hand_lines, score_sheet
from ginpeer.adviser.advise import advise
from ginpeer.analysis.decisions import Decision
from ginpeer.names import NO_KNOWN_NAMES, KnownNames
from ginpeer.record import Degree, Record, Step, StepCursor
from ginpeer.record.steps_document import layout
from ginpeer.referee.table import ROLES, Table
from ginpeer.rules import card_order
from ginpeer.rules.cards import Card, cards_of, mask_of
from ginpeer.rules.hand import Hand, Phase
from protocol import messages as m


def step_paragraphs(
    walk: StepCursor, places: Iterable[int], teller: StepNarrator
) -> Iterator[list[str]]:
    """Yield what happened at each of these steps. The first line begins with the entry's number, as
    in verdicts; at a deal, it begins with the hand's number."""
    for place in places:
        step = walk.step_at(place)
        first, *others = teller.lines(step)
        yield [f"{_number(step)}{first}", *(f"  {line}" for line in others)]


def _number(step: Step) -> str:
    if isinstance(step.message, m.DealCommit | m.DealShares):
        return ""  # the line says which hand begins
    return f"{step.entry}: " if step.hand_number else f"Entry {step.entry}: "


# --- for programs ------------------------------------------------------------------------


def step_events(step: Step) -> list[str]:
    """Return what happened as lines for programs; often there are none."""
    last, drawn = step.entries[-1], step.drawn
    lines = event_lines(step.entries[0])
    if drawn is not None:
        lines.append(f"event drawn card={drawn} seat={ROLES[step.author]}")
    if isinstance(last.message, _CHANGES_BOARD) and last.after.hand is not None:
        for seat in (0, 1):  # a hand that only a knock revealed is in the knock's line
            cards = step.hand(seat)
            if cards is not None and step.degree(seat) is not Degree.PUBLIC:
                lines.append(hand_line(mask_of(cards), last.after.hand.rules, seat))
    return lines


_CHANGES_HAND = (m.TakeUpcard, m.TakeDiscards, m.DrawStock, m.Discard)
_CHANGES_BOARD = (*_CHANGES_HAND, m.DealShares, m.Pass, m.Share, m.Lay, m.Knock)


# --- the score sheet ---------------------------------------------------------------------


def replay_score_sheet(record: Record, known: KnownNames = NO_KNOWN_NAMES) -> list[str]:
    """Return the score sheet, without the account if the settlement has just been shown. Return []
    if the score isn't known."""
    match, names = record.match, known.display(record.table.keys, record.table.names)
    if match is None or record.table.begins > 1:
        return []
    lines = hand_lines(match, names)
    settled = any(isinstance(step.message, m.Settle) for step in record.steps)
    if not settled and (lines or match.finished):
        lines = score_sheet(match, names)
    return ["The score sheet:", *lines] if lines else []


ValueOfStep = Callable[[Step], Decision | None]
"""Returns what the choice at a step was worth; None if that is unknown or there was no choice."""


def no_value(step: Step) -> Decision | None:
    return None


@dataclass(frozen=True, slots=True)
class StepNarrator:
    """Describes steps of a replay. *full*: show the whole position after each step of a hand."""

    style: Style
    known: KnownNames = NO_KNOWN_NAMES
    valued: ValueOfStep = no_value
    full: bool = False

    def lines(self, step: Step) -> list[str]:
        """Return what happened and what it changed; [] if a walk doesn't stop at this step."""
        if isinstance(step.message, m.DealShares) and step.after is not None:
            lines = self._dealt(step, step.after)
        else:
            lines = narrate_step(step, self.style, self.known, self._left(step))
            lines += self._new_melds(step)
        value = self.valued(step)
        if value is not None:
            lines.append(self._value(step, value))
        if self.full and step.move is not None:
            lines += self._hands(step)
            hand = step.after  # the melds of a knock have just been shown
            if hand is not None and not hand.over and hand.phase is not Phase.LAY_OFF:
                lines += table_lines(hand, self.style, self._names(step))
        return lines

    def position(self, step: Step) -> list[str]:
        table = _as_it_stood(step)
        return [*self._hands(step), *position_lines(table, self.style, None, self.known)]

    # --- what happened -------------------------------------------------------------------

    def _dealt(self, step: Step, hand: Hand) -> list[str]:
        opening = narrate(step.entries[0], self.style, known=self.known)
        dealer = self._names(step)[hand.dealer]
        lines = [" ".join((f"Hand {step.hand_number}: {does(dealer, 'deal')}.", *opening))]
        return [*lines, *self._hands(step, every=self.full)]

    def _left(self, step: Step) -> int | None:
        """Return the deadwood after a discard. None if it isn't known, or in Mahjong gin, where
        cards don't count until they are laid."""
        after = step.after
        if not isinstance(step.message, m.Discard) or after is None or after.rules.mahjong:
            return None
        cards = after.hands[step.author]
        return None if cards is None else card_order.laid_out(cards, after.rules).total

    def _new_melds(self, step: Step) -> list[str]:
        before, after = step.before, step.after
        if not isinstance(step.message, _CHANGES_HAND) or before is None or after is None:
            return []
        had, has = _melds(before, step.author), _melds(after, step.author)
        if had is None or has is None or set(had) == set(has):
            return []
        return [f"Melds: {self.style.melds(has)}."]

    def _value(self, step: Step, decision: Decision) -> str:
        rules = decision.view.hand.rules
        teller = AdvicePhrases(self._names(step)[1 - step.author], self.style, rules)
        return value_line(teller, decision, advise(decision.view, decision.best))

    # --- the whole position --------------------------------------------------------------

    def _hands(self, step: Step, *, every: bool = True) -> list[str]:
        """Return a line for each hand. *every*: include hands that aren't shown."""
        hand = step.after
        if hand is None:
            return ["No cards have been dealt."]
        lines = []
        for seat, name in enumerate(self._names(step)):
            if every or hand.hands[seat] is not None:
                lines.append(f"{at_start(name)}: {held_cards(hand, seat, self.style)}.")
        return lines

    def _names(self, step: Step) -> tuple[str, str]:
        table = step.entries[0].before if step.hand_number else step.entries[-1].after
        return self.known.display(table.keys, table.names)


def _melds(hand: Hand, seat: int) -> tuple[int, ...] | None:
    cards = hand.hands[seat]
    return None if cards is None else card_order.laid_out(cards, hand.rules).melds


def held_cards(hand: Hand, seat: int, style: Style) -> str:
    """Return the known cards of a hand in words, as the player laid them down or, before that,
    arranged for the least deadwood."""
    found = layout(hand, seat)
    if found is None:
        return _hidden_hand(hand, seat, style)
    melds, loose, _ = found
    cards = hand.hands[seat]
    if hand.rules.mahjong and cards is not None:
        return style.hand(cards, hand.rules)
    told = [
        f"{style.meld(meld)} with {style.cards(added)} laid off" if added else style.meld(meld)
        for meld, added in zip(melds, added_cards(hand, seat, len(melds)), strict=True)
    ]
    left = f"deadwood {style.deadwood(loose, hand.rules)}" if loose else "no deadwood"
    return f"{('; ' if style.words else ', ').join(told) or NO_MELDS}; {left}"


def added_cards(hand: Hand, seat: int, count: int) -> list[list[Card]]:
    """Return the cards laid off on each of this seat's *count* melds."""
    laid = hand.layoffs(1 - seat) if hand.knocker == seat else ()
    return [[card for card, at in laid if at == meld] for meld in range(count)]


def _hidden_hand(hand: Hand, seat: int, style: Style) -> str:
    """Say what everybody knows of a hand that isn't shown."""
    held = hand.known_held(seat)
    taken = f"including {style.cards(cards_of(held))} from the pile" if held else "hidden"
    return f"{plural(hand.size(seat), 'card')}, {taken}"


def narrate_step(
    step: Step, style: Style, known: KnownNames = NO_KNOWN_NAMES, deadwood: int | None = None
) -> list[str]:
    """Return what happened at a step. *deadwood*: the count after a discard; None leaves it out."""
    begun = replace(step.entries[0], after=_as_it_stood(step))
    event = begun if step.drawn is None else step.entries[-1]
    return narrate(event, style, drawn=step.drawn, known=known, deadwood=deadwood)


def _as_it_stood(step: Step) -> Table:
    """Return the table after a step, with the hand's position. The tables in a record lack the
    hand's moves, which the knock limit of a turn may depend on."""
    table = step.entries[-1].after
    return table if table.hand is None else replace(table, hand=step.after)
