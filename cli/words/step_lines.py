"""One step of a replay in words: what changed by it, or the whole position.

# Rule 1: of a hand that is seen, the count is told when a card is thrown, and its melds when they
#         are others than before. What has not changed is not told again; whoever asks hears it.
# Rule 2: everything is told of the step alone, so that it sounds the same from whichever side one
#         comes to it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from cli.words.analysis import value_line
from cli.words.board import table_lines
from cli.words.cards import Style
from cli.words.choices import ChoicePhrases
from cli.words.grammar import at_start, does, plural
from cli.words.match_state import position_lines
from cli.words.narration import narrate
from ginpeer.adviser import Advice, explain
from ginpeer.analysis import Decision, view_before
from ginpeer.names.nicknames import NOBODY, KnownNames
from ginpeer.record import Step
from ginpeer.referee.table import Table
from ginpeer.rules import card_order
from ginpeer.rules.cards import cards_of
from ginpeer.rules.hand import Hand, Phase
from protocol import messages as m

ValueOfStep = Callable[[Step], Decision | None]
"""What the choice of a step was worth; None where there was nothing to choose, or nothing known."""


def no_value(step: Step) -> Decision | None:
    """Nothing is said of values."""
    return None


@dataclass(frozen=True, slots=True)
class StepNarrator:
    """How steps are told: cards in this style, players by the names that the reader knows.
    *full*: the whole position stands behind each step of a hand."""

    style: Style
    known: KnownNames = NOBODY
    valued: ValueOfStep = no_value
    full: bool = False

    def told(self, step: Step) -> list[str]:
        """What happened, and what changed by it; nothing for a step that is no place of a walk."""
        lines = self._said(step)
        value = self.valued(step)
        if value is not None:
            lines.append(self._value(step, value))
        if self.full and step.move is not None:
            lines += self._hands(step)
            lines += self._lies_open(step)
        return lines

    def position(self, step: Step) -> list[str]:
        """Everything after a step: both hands, what lies open, whose turn it is."""
        table = _as_it_stood(step)
        return [*self._hands(step), *position_lines(table, self.style, None, self.known)]

    # --- what happened -------------------------------------------------------------------

    def _said(self, step: Step) -> list[str]:
        if isinstance(step.message, m.DealShares):
            return self._dealt(step)
        at_start = replace(step.entries[0], after=_as_it_stood(step))
        event = at_start if step.drawn is None else step.entries[-1]
        deadwood = self._left(step)
        said = narrate(event, self.style, drawn=step.drawn, known=self.known, deadwood=deadwood)
        return [*said, *self._new_melds(step)]

    def _dealt(self, step: Step) -> list[str]:
        """The whole deal, and the hands that are seen."""
        hand = step.after
        if hand is None:
            raise AssertionError("the last shares of a deal begin a hand")
        opening = narrate(step.entries[0], self.style, known=self.known)
        dealer = self._names(step)[hand.dealer]
        lines = [" ".join((f"Hand {step.hand_number}: {does(dealer, 'deal')}.", *opening))]
        seen = self.full or any(cards is not None for cards in hand.hands)
        return [*lines, *(self._hands(step, every=self.full) if seen else ())]

    def _left(self, step: Step) -> int | None:
        """The deadwood behind a discard. In Mahjong gin nothing counts before it is laid."""
        after = step.after
        if not isinstance(step.message, m.Discard) or after is None or after.rules.mahjong:
            return None
        cards = after.hands[step.author]
        return None if cards is None else card_order.laid_out(cards, after.rules).counting

    def _new_melds(self, step: Step) -> list[str]:
        """The melds of the hand, where a card that came or went has made others of them."""
        before, after = step.before, step.after
        if not isinstance(step.message, _CHANGES_HAND) or before is None or after is None:
            return []
        had, has = _melds(before, step.author), _melds(after, step.author)
        if had is None or has is None or set(had) == set(has):
            return []
        return [f"Melds: {self.style.melds(has)}."]

    def _value(self, step: Step, decision: Decision) -> str:
        view = view_before(step)
        if view is None:
            raise AssertionError("a choice is a move")
        teller = ChoicePhrases(self._names(step)[1 - step.author], self.style, view.hand.rules)
        best = decision.best
        advice = Advice(best.move, best.points, explain(view, best.move))
        return value_line(teller, decision, advice)

    # --- the whole position --------------------------------------------------------------

    def _hands(self, step: Step, *, every: bool = True) -> list[str]:
        """A line for each hand; *every*: also for one that is not seen."""
        hand = step.after
        if hand is None:
            return ["No cards are dealt."]
        lines = []
        for seat, name in enumerate(self._names(step)):
            cards = hand.hands[seat]
            if cards is not None:
                lines.append(f"{at_start(name)}: {self.style.hand(cards, hand.rules)}.")
            elif every:
                lines.append(f"{at_start(name)}: {self._hidden(hand, seat)}.")
        return lines

    def _hidden(self, hand: Hand, seat: int) -> str:
        """What everybody knows of a hand that is not shown."""
        count = plural(hand.size(seat), "card")
        held = hand.known_held(seat)
        taken = f"seen taken: {self.style.cards(cards_of(held))}"
        return f"{count}, {taken if held else 'hidden'}"

    def _lies_open(self, step: Step) -> list[str]:
        hand = step.after
        if hand is None or hand.over or hand.phase is Phase.LAY_OFF:
            return []  # the melds of the knock have just been told
        return table_lines(hand, self.style, self._names(step))

    def _names(self, step: Step) -> tuple[str, str]:
        table = step.entries[0].before if step.hand_number else step.entries[-1].after
        return self.known.display(table.keys, table.names)


_CHANGES_HAND = (m.TakeUpcard, m.TakeDiscards, m.DrawStock, m.Discard)


def _melds(hand: Hand, seat: int) -> tuple[int, ...] | None:
    cards = hand.hands[seat]
    return None if cards is None else card_order.laid_out(cards, hand.rules).melds


def _as_it_stood(step: Step) -> Table:
    """The table after the step, with the position by which the knock limit of a turn is known:
    that hangs on the moves of the hand, which the tables of a record are without."""
    table = step.entries[-1].after
    return table if table.hand is None else replace(table, hand=step.after)
