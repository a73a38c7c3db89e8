"""A cursor over the steps of a record. It moves forward and back, to a hand, a turn or an entry, to
the next knock or discard, and to the highest deadwood.

Rule 1: the cursor judges nothing and stores only places. A step is made when it is requested
        (ginpeer.record.steps), so going back costs as much as going forward.
Rule 2: a place is a step worth showing to a viewer: a step about the match, the deal of a hand as
        a whole, or a move. The other steps of a deal and of a cut aren't places.

A *turn* begins with a draw, a take or a pass, and lasts until the next one. Turns are counted
from 1 in each hand, passes included, and 0 is the deal. The answer to a knock belongs to the turn
of the knock. The *highest deadwood* of a seat is the largest count that one of its own discards
leaves, including a knock's discard. If several discards leave it, the first counts.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Container
from dataclasses import dataclass
from enum import Enum

from ginpeer.record.record import Record
from ginpeer.record.steps import BEGINS_TURN, Step
from ginpeer.rules.card_order import laid_out
from ginpeer.rules.hand import Phase
from ginpeer.rules.moves import Discard, Knock
from protocol import messages as m


class Landmark(Enum):
    """The kind of step that `to_next` looks for."""

    KNOCK = "knock"  # a knock, or gin
    DISCARD = "discard"  # a discard, including a knock's


@dataclass(frozen=True, slots=True)
class HighestDeadwood:
    """The place of the highest deadwood, the seat that discarded there, and the deadwood left."""

    place: int
    seat: int
    count: int


class StepCursor:
    """A movable place in a record, which starts at the first step.

    ``place`` counts from 0 to ``last``. Each method that moves returns whether the place changed,
    except ``to_entry`` and ``to_highest``. ``steps`` has all steps as the seat in ``shown_seat``
    sees them, or with all known cards if that is None. A record without valid entries has no
    places: check ``len`` first.
    """

    def __init__(self, record: Record) -> None:
        """Find all places. This judges the record, unless it has already been judged with steps."""
        self._record = record
        self.shown_seat: int | None = None
        self.steps = record.steps
        self._at: list[int] = []  # for each place, its index in the steps
        self._first: dict[int, int] = {}  # the first place of each hand, by the hand's number
        self._turns: list[int] = []  # places where a turn begins
        self._find_places()
        self.place = 0

    def _find_places(self) -> None:
        """Find all places in one pass, without reading any card."""
        for at, step in enumerate(self.steps):
            if not is_place(step):
                continue
            number = step.hand_number
            if isinstance(step.message, m.DealShares):
                self._at[-1] = at  # replaces the commitment that began the deal
                continue
            if number:
                self._first.setdefault(number, len(self._at))
            if isinstance(step.move, BEGINS_TURN):
                self._turns.append(len(self._at))
            self._at.append(at)

    # --- the current place ------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._at)

    @property
    def last(self) -> int:
        return len(self._at) - 1

    @property
    def step(self) -> Step:
        """The step at the current place, as the seat in ``shown_seat`` sees it."""
        return self.step_at(self.place)

    def step_at(self, place: int) -> Step:
        """Return the step at this place. Raises IndexError if there is none."""
        if place < 0:
            raise IndexError(place)
        return self.steps[self._at[place]]

    @property
    def hand(self) -> int:
        """The number of the current hand; 0 for steps about the match."""
        return self.step.hand_number

    @property
    def hands(self) -> int:
        """The number of hands, including an unfinished one."""
        return len(self._first)

    @property
    def turn(self) -> int:
        """The number of the current turn; 0 at the deal and outside hands."""
        return bisect_right(self.turn_places(), self.place)

    @property
    def turns(self) -> int:
        """The number of turns in the current hand."""
        return len(self.turn_places())

    def turn_places(self, seat: int | None = None) -> list[int]:
        """Return the places where the turns of the current hand begin, or only those of *seat*."""
        if not self.hand:
            return []
        places = self.places_of(self.hand)
        first, end = bisect_left(self._turns, places[0]), bisect_right(self._turns, places[-1])
        turns = self._turns[first:end]
        return [p for p in turns if seat is None or self.step_at(p).author == seat]

    def places_of(self, hand: int) -> range:
        """Return the places of a hand. Raises LookupError if there is no such hand."""
        first = self._first.get(hand)
        if first is None:
            raise LookupError(f"there is no hand {str(hand)[:12]}; the log has {self.hands}")
        return range(first, bisect_right(self._at, hand, lo=first, key=self._order))

    def _order(self, at: int) -> int:
        """Return a step's hand number, for sorting. Steps after the last hand get the next one."""
        return self.steps[at].hand_number or self.hands + 1

    def show_seat(self, seat: int | None) -> None:
        """Show only this seat's cards from now on, or all known cards if *seat* is None. The place
        stays the same. Raises Unreadable (of ginpeer.rules) for an invalid seat."""
        record = self._record if seat is None else self._record.seen_by(seat)
        self.steps, self.shown_seat = record.steps, seat

    # --- moving -----------------------------------------------------------------------------------

    def go(self, count: int) -> bool:
        """Move forward by this many places (back if negative), but not past either end."""
        return self._to(min(max(self.place + count, 0), self.last))

    def to_start(self) -> bool:
        return self._to(0)

    def to_end(self) -> bool:
        return self._to(self.last)

    def to_hand(self, number: int) -> bool:
        """Move to the deal of this hand."""
        first = self._first.get(number)
        return first is not None and self._to(first)

    def to_hand_start(self) -> bool:
        return self.to_hand(self.hand)

    def to_hand_end(self) -> bool:
        """Move to the last move of the current hand, to the resignation that ended it, or to the
        last step of an unfinished hand. Seeds disclosed afterwards don't count."""
        if not self.hand:
            return False
        places = self.places_of(self.hand)
        done = (p for p in reversed(places) if not isinstance(self.step_at(p).message, m.Disclose))
        return self._to(next(done, places[-1]))

    def to_turn(self, number: int, seat: int | None = None) -> bool:
        """Move to the beginning of this turn of the current hand; 0 is the deal. With *seat*, only
        this seat's turns are counted."""
        if number == 0:
            return self.to_hand_start()
        turns = self.turn_places(seat)
        return 1 <= number <= len(turns) and self._to(turns[number - 1])

    def to_entry(self, number: int) -> bool:
        """Move to the place that shows this entry. An entry within a deal or a cut is shown at the
        end of that deal or cut. Return whether there is such a place."""
        place = bisect_right(self._at, number, key=lambda at: self.steps[at].entry) - 1
        if place < 0:
            return False
        if number > self.step_at(place).entries[-1].sequence:
            if place == self.last:
                return False
            place += 1
        self._to(place)
        return True

    def to_next(
        self, landmark: Landmark, seats: Container[int] = (0, 1), *, back: bool = False
    ) -> bool:
        """Move to the next landmark of this kind by one of these seats, in any hand; with *back*,
        to the previous one. Return whether there is one."""
        found = _is_knock if landmark is Landmark.KNOCK else _is_discard
        places = range(self.place - 1, -1, -1) if back else range(self.place + 1, len(self))
        for place in places:
            step = self.step_at(place)
            if step.author in seats and found(step):
                return self._to(place)
        return False

    def to_highest(
        self, seats: Container[int] = (0, 1), *, everywhere: bool = False
    ) -> HighestDeadwood | None:
        """Move to the highest deadwood of these seats in this hand, or *everywhere* in the match,
        and return it. Return None if their cards are hidden or they haven't discarded."""
        hand = self.places_of(self.hand) if self.hand else ()
        best = None
        for place in range(len(self)) if everywhere else hand:
            step = self.step_at(place)
            count = _left_after_discard(step) if step.author in seats else None
            if count is not None and (best is None or count > best.count):
                best = HighestDeadwood(place, step.author, count)
        if best is not None:
            self._to(best.place)
        return best

    def _to(self, place: int) -> bool:
        moved, self.place = place != self.place, place
        return moved


def is_place(step: Step) -> bool:
    """Return whether a step is worth showing to a viewer (rule 2)."""
    match step.message:
        case m.Offer() | m.Accept() | m.DealCommit() | m.DealShares() | m.Resign() | m.Disclose():
            return True
        case m.CutReveal():  # this entry reveals the cut cards
            return step.entries[-1].after.match is not None
        case m.Settle():  # both players sign the same score, so one place is enough
            return step.author == 0
        case _:
            return step.move is not None


def _is_knock(step: Step) -> bool:
    hand = step.entries[-1].after.hand
    return hand is not None and hand.phase is Phase.LAY_OFF


def _is_discard(step: Step) -> bool:
    return isinstance(step.move, Discard | Knock)


def _left_after_discard(step: Step) -> int | None:
    """Return the deadwood that a discard left; None if the cards are hidden, or for other steps."""
    after = step.after if _is_discard(step) else None
    cards = None if after is None else after.hands[step.author]
    return None if after is None or cards is None else laid_out(cards, after.rules).total
