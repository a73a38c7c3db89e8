"""The choices that a player made in a recorded match, each valued as that seat saw it at the time.

Rule 1: a choice is valued from the View of its seat, and from nothing else in the log.
Rule 2: skill is the loss against the best choice; luck is how much more a card from the stock was
        worth than the mean of all cards that the seat hadn't seen. Neither includes the other.

The course of a match: after each choice, each player's chance of winning the game.

Rule 1: each chance is estimated from what that player saw. With cards that only one player knows,
        both may think that they are ahead, so the two chances don't add up to one.
Rule 2: after a hand only the score counts, and the chances are those of the score.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from ginpeer.adviser.advise import Choice, assess, calibrated, choices, draw_values, win_chance
from ginpeer.adviser.value_model import score_chance
from ginpeer.record import Record, RecordedHand, Step
from ginpeer.rules import Card, Illegal, Knock, Match, Move, Phase, View

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


# --- chances ---------------------------------------------------------------

SURE = 1000
_TIED = SURE // 2


@dataclass(frozen=True, slots=True)
class Chances:
    """The chances after an entry, in thousandths."""

    entry: int
    host: int  # the host's chance, from what the host saw
    guest: int  # the guest's chance, from what the guest saw


def chances_in(record: Record) -> Iterator[Chances]:
    """Yield both players' chances after each move and each hand. Skip a hand that is ``too_long``,
    in which cards aren't known, or for which ``win_chance`` has none. Yield nothing if the score at
    the start of the record isn't known."""
    for hand in record.hands if record.table.begins == 1 else ():
        if not too_long(hand) and all(cards_known(hand, seat) for seat in (0, 1)):
            yield from _chances_of(hand)


def _chances_of(hand: RecordedHand) -> Iterator[Chances]:
    made = [(step, view) for step in hand.steps if (view := view_before(step)) is not None]
    if not made:
        return
    match = made[0][1].match
    now = [score_chance(match, seat) for seat in (0, 1)]
    for step, view in made:
        if step.move is not None:
            chance = win_chance(view, step.move)
            now[view.seat] = now[view.seat] if chance is None else chance
        if now[0] is None or now[1] is None:
            return
        yield Chances(step.entry, now[0], now[1])
    if hand.result is not None:
        yield _after(made[-1][0].entry, match.record(hand.result))


def _after(entry: int, match: Match) -> Chances:
    """Return the chances of the score after a hand, which may have ended its game."""
    game = match.played_game
    host = score_chance(match, 0)
    if game.over:
        host = _TIED if game.winner is None else SURE * (game.winner == 0)
    if host is None:
        raise AssertionError("chances were found for this hand")
    return Chances(entry, host, SURE - host)
