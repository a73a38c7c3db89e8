"""The choices that a player made in a recorded match, each valued as that seat saw it at the time.

Rule 1: a choice is valued from the View of its seat, and from nothing else in the log.
Rule 2: skill is the loss against the best choice; luck is how much more a card from the stock was
        worth than the mean of all cards that the seat hadn't seen. Neither includes the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from ginpeer.adviser import Choice, assess, calibrated, choices, draw_values
from ginpeer.record import RecordedHand, Step
from ginpeer.rules import Card, Illegal, Knock, Move, Phase, View

MAX_MOVES = 1_000
"""Longer hands aren't analysed. No hand played in earnest has a tenth of these moves, but if the
rules set no limit, two players can take each other's discards as long as the log has room, and
every choice looks at all earlier moves again."""


class DecisionKind(Enum):
    """The question that the player had to decide."""

    DRAW = "draw"  # to take the upcard, to draw from the stock, or to pass
    THROW = "throw"
    KNOCK = "knock"  # whether to knock, and with which cards
    ANSWER = "answer"  # which melds and lay-offs against a knock


@dataclass(frozen=True, slots=True)
class Decision:
    """One choice among several. A move's points are those that its player can expect from there
    to the end of the hand, ``calibrated``."""

    hand: int  # the number of the hand in the match, from 1
    entry: int  # the number of the entry in the log, from 0
    seat: int
    kind: DecisionKind
    played: Choice
    best: Choice  # ``played`` if nothing is better
    could_knock: bool = False

    @property
    def loss(self) -> float:
        """The value of the best move minus that of the move played; 0 or more."""
        return self.best.points - self.played.points


@dataclass(frozen=True, slots=True)
class DrawnCard:
    """A card drawn from the stock, and by how much its uncorrected value beat the average."""

    hand: int
    entry: int
    seat: int
    card: Card
    luck: float


def choices_made(
    hand: RecordedHand, seat: int, *, draws: bool = True
) -> Iterator[Decision | DrawnCard]:
    """Yield this seat's choices in a hand, and unless *draws* is False its draws, in order. Yield
    nothing if its cards aren't known (``cards_known``) or the hand is ``too_long``."""
    if too_long(hand) or not cards_known(hand, seat):
        return
    for step in hand.steps:
        view = view_before(step)
        if step.author != seat or step.move is None or view is None or not _knows_its_cards(view):
            continue
        decision = _decision(step, view, step.move)
        if decision is not None:
            yield decision
        if draws and step.drawn is not None:
            yield DrawnCard(
                hand.number, step.entry, seat, step.drawn, luck_by_card(view)[step.drawn]
            )


def too_long(hand: RecordedHand) -> bool:
    return len(hand.steps) > MAX_MOVES


def cards_known(hand: RecordedHand, seat: int) -> bool:
    """Return whether this seat's cards are known at its first choice; True if it made none."""
    made = (view_before(step) for step in hand.steps if step.author == seat)
    first = next((view for view in made if view is not None), None)
    return first is None or _knows_its_cards(first)


def view_before(step: Step) -> View | None:
    """Return the table as the step's author saw it; None if the step isn't a move."""
    position, match = step.before, step.entries[0].before.match
    if step.move is None or position is None or match is None:
        return None
    return View(step.author, position, match)


def luck_by_card(view: View) -> dict[Card, float]:
    """Return each unseen card's value if the seat draws it from the stock now, minus the average of
    these values. Raises what ``draw_values`` raises."""
    worths = draw_values(view)
    mean = sum(worth for _, worth in worths) / len(worths)
    return {card: worth - mean for card, worth in worths}


def _knows_its_cards(view: View) -> bool:
    try:
        return view.cards != 0
    except Illegal:
        return False


def _decision(step: Step, view: View, move: Move) -> Decision | None:
    """Return the decision; None if there was nothing to choose."""
    found = choices(view)
    # sensible_moves() has only the best answer to a knock; the player may choose any legal one.
    options = view.legal_moves() if view.hand.phase is Phase.LAY_OFF else found
    if len(options) == 1 and found[0].move == move:
        return None
    played = next((each for each in found if each.move == move), None)
    if played is None:  # a legal move that isn't sensible
        played = assess(view, move)
    best = found[0] if found[0].points > played.points else played
    played, best = calibrated(view, best, played), calibrated(view, best, best)
    return Decision(
        step.hand_number,
        step.entry,
        step.author,
        _kind(view, best, move),
        played,
        best,
        could_knock=any(isinstance(each.move, Knock) for each in found),
    )


def _kind(view: View, best: Choice, move: Move) -> DecisionKind:
    if view.hand.phase is Phase.LAY_OFF:
        return DecisionKind.ANSWER
    if view.hand.phase is not Phase.DISCARD:
        return DecisionKind.DRAW
    knocks = isinstance(best.move, Knock) or isinstance(move, Knock)
    return DecisionKind.KNOCK if knocks else DecisionKind.THROW
