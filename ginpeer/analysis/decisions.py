"""A player's choices in a recorded match, each valued as that seat saw it at the time; what the
mistakes teach; the sums over a match; and each player's chance of winning after each choice.

Rule 1: a choice is valued from the View of its seat, and from nothing else in the log.
Rule 2: skill is measured by the loss compared with the best choice; luck is how much more a card
        from the stock was worth than the mean of all cards that the seat hadn't seen. Neither
        includes the other.
Rule 3: a loss is a difference of two values, and values give no reasons. So we compare the facts of
        the move that was played with those of the best one: the greatest difference, in points, is
        the reason. If none favours the best move, we give no reason (Lesson.CLOSER_LOOK).
Rule 4: each chance is estimated from what that player saw. With cards that only one player knows,
        both may think that they are ahead, so the two chances don't add up to one. After a hand
        only the score counts, and the chances are those of the score.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from ginpeer.adviser.advise import (
    Advice,
    Choice,
    DiscardFacts,
    Facts,
    KnockFacts,
    advise,
    assess,
    calibrated,
    choices,
    draw_values,
    win_chance,
)
from ginpeer.adviser.value_model import score_chance
from ginpeer.record import Record, RecordedHand, Step
from ginpeer.rules.cards import Card, Illegal, popcount
from ginpeer.rules.hand import WALL, Phase
from ginpeer.rules.match import Match, View
from ginpeer.rules.moves import Knock, Move, Spread, TakeUpcard

MAX_MOVES = 1_000
"""Longer hands aren't analysed. No hand played in earnest has a tenth as many moves. But if the
rules set no limit, two players can take each other's discards as long as the log has room, and
every choice looks at all earlier moves again."""

# --- choices and draws ------------------------------------------------------------------


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
    view: View  # the table as the player saw it
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
    card: Card
    luck: float


def _moves_of(hand: RecordedHand) -> Iterator[tuple[Step, View, Move]]:
    """Yield the moves of a hand, each with the table as its player saw it."""
    for step in hand.steps:
        position, match = step.before, step.entries[0].before.match
        if step.move is not None and position is not None and match is not None:
            yield step, View(step.author, position, match), step.move


def too_long(hand: RecordedHand) -> bool:
    return len(hand.steps) > MAX_MOVES


def _knows_its_cards(view: View) -> bool:
    try:
        return view.cards != 0
    except Illegal:
        return False


def cards_known(hand: RecordedHand, seat: int) -> bool:
    """Return whether this seat's cards are known at its first choice; True if it made none."""
    first = next((view for _, view, _ in _moves_of(hand) if view.seat == seat), None)
    return first is None or _knows_its_cards(first)


def _valued_moves(hand: RecordedHand, seat: int) -> list[tuple[Step, View, Move]]:
    """Return this seat's moves that can be valued: none if the hand is ``too_long``."""
    if too_long(hand):
        return []
    return [each for each in _moves_of(hand) if each[1].seat == seat and _knows_its_cards(each[1])]


def decisions_in(hand: RecordedHand, seat: int) -> list[Decision]:
    """Return this seat's choices in a hand, as far as they can be valued, in order."""
    found = (_decision(*each) for each in _valued_moves(hand, seat))
    return [decision for decision in found if decision is not None]


def _decision(step: Step, view: View, move: Move) -> Decision | None:
    """Return the decision; None if there was nothing to choose."""
    found = choices(view)
    # sensible_moves() has only the best answer to a knock; the player may choose any legal one.
    options = view.legal_moves() if view.hand.phase is Phase.LAY_OFF else found
    if len(options) == 1:
        return None
    # Not every legal move is among the sensible ones.
    played = next((each for each in found if each.move == move), None) or assess(view, move)
    best = found[0] if found[0].points > played.points else played
    return Decision(
        step.hand_number,
        step.entry,
        view,
        _kind(view, best, move),
        calibrated(view, best, played),
        calibrated(view, best, best),
        could_knock=any(isinstance(each.move, Knock) for each in found),
    )


def _kind(view: View, best: Choice, move: Move) -> DecisionKind:
    if view.hand.phase is Phase.LAY_OFF:
        return DecisionKind.ANSWER
    if view.hand.phase is not Phase.DISCARD:
        return DecisionKind.DRAW
    knocks = isinstance(best.move, Knock) or isinstance(move, Knock)
    return DecisionKind.KNOCK if knocks else DecisionKind.THROW


def draws_in(hand: RecordedHand, seat: int) -> list[DrawnCard]:
    """Return this seat's cards from the stock in a hand, as far as they can be valued, in order."""
    return [
        DrawnCard(hand.number, step.entry, step.drawn, luck_by_card(view)[step.drawn])
        for step, view, _ in _valued_moves(hand, seat)
        if step.drawn is not None
    ]


def luck_by_card(view: View) -> dict[Card, float]:
    """Return each unseen card's value if the seat draws it from the stock now, minus the average of
    these values. Raises what ``draw_values`` raises."""
    worths = draw_values(view)
    mean = sum(worth for _, worth in worths) / len(worths)
    return {card: worth - mean for card, worth in worths}


# --- what the mistakes teach -----------------------------------------------------------


class Lesson(Enum):
    """What a player could do better. The value is the lesson's name in JSON."""

    TAKE = "take-the-upcard"
    LEAVE = "leave-the-upcard"
    KEEP_MELD = "keep-the-meld"
    DO_NOT_FEED = "do-not-feed"
    THROW_HIGH = "throw-the-high-card"
    KEEP_NEAR = "keep-what-is-near"
    GO_GIN = "go-gin"
    KNOCK = "knock"
    WAIT = "do-not-knock-yet"
    KNOCK_BETTER = "knock-otherwise"
    LAY_OFF = "answer-better"
    CLOSER_LOOK = "look-closer"


def lesson_of(played: Advice, best: Advice) -> Lesson:
    did, better = played.facts, best.facts
    match best.move, played.move:
        case Knock(), _ if isinstance(better, KnockFacts) and better.gin and not _gin(did):
            return Lesson.GO_GIN
        case Knock(), Knock():
            return Lesson.KNOCK_BETTER
        case Knock(), _:
            return Lesson.KNOCK
        case _, Knock():
            return Lesson.WAIT
        case TakeUpcard(), _:
            return Lesson.TAKE
        case _, TakeUpcard():
            return Lesson.LEAVE
        case Spread(), _:
            return Lesson.LAY_OFF
    if isinstance(did, DiscardFacts) and isinstance(better, DiscardFacts):
        return _of_throws(did, better)
    return Lesson.CLOSER_LOOK


def _gin(facts: Facts) -> bool:
    return isinstance(facts, KnockFacts) and facts.gin


# The differences between two discards, in points. They only choose among reasons: the adviser says
# how large a loss is. A card that makes a meld for the opponent at once costs about 8 points, a
# card near one of the opponent's about 2, and each pair that the opponent may hold a fifth of a
# point. About a third of each pip kept is paid in the end. Each card that would meld the discarded
# one is worth half a point, one that makes gin two points, and one that improves the hand in any
# way a tenth.
_SURE, _WANTED, _PAIR, _PIP, _OUT, _GIN, _HELP = 8.0, 2.0, 0.2, 0.33, 0.5, 2.0, 0.1
_MIN_DIFFERENCE = 0.3  # a smaller difference isn't a reason


def _of_throws(did: DiscardFacts, better: DiscardFacts) -> Lesson:
    if did.broken > better.broken:
        return Lesson.KEEP_MELD
    reasons = {
        Lesson.DO_NOT_FEED: _danger(did) - _danger(better),
        Lesson.THROW_HIGH: _PIP * (did.deadwood - better.deadwood),
        Lesson.KEEP_NEAR: _future(did) - _future(better),
    }
    lesson = max(reasons, key=lambda each: reasons[each])
    return lesson if reasons[lesson] >= _MIN_DIFFERENCE else Lesson.CLOSER_LOOK


def _danger(throw: DiscardFacts) -> float:
    """Estimate what the opponent gains by this discard."""
    return (
        _SURE * bool(throw.sure)
        + _WANTED * min(2, popcount(throw.wants))
        + _PAIR * len(throw.melds)
    )


def _future(throw: DiscardFacts) -> float:
    """Estimate what the player gives away with this discard: nothing if nobody draws again."""
    after = throw.after
    if after.stock <= WALL:
        return 0
    left = _GIN * after.gin + _HELP * after.better
    return _OUT * popcount(throw.outs) - left


# --- mistakes, and the sums over a match -----------------------------------------------

MIN_MISTAKE_LOSS = 0.5
"""A choice that cost fewer points isn't a mistake, because values aren't accurate enough."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """A choice that cost MIN_MISTAKE_LOSS or more, with the facts of the move played and of the
    best one."""

    decision: Decision
    played: Advice
    best: Advice
    lesson: Lesson


@dataclass(frozen=True, slots=True)
class KindTotal:
    kind: DecisionKind
    choices: int
    mistakes: int
    loss: float


@dataclass(frozen=True, slots=True)
class HandTotal:
    """The sums over one hand: 0 if its cards aren't ``known`` or it is ``too_long``."""

    number: int
    known: bool
    too_long: bool
    loss: float
    luck: float


@dataclass(frozen=True, slots=True)
class LessonTotal:
    """All mistakes that teach the same lesson, costliest first."""

    lesson: Lesson
    mistakes: tuple[Mistake, ...]

    @property
    def loss(self) -> float:
        return _lost(mistake.decision for mistake in self.mistakes)


@dataclass(frozen=True, slots=True)
class Analysis:
    """One player's choices and draws in a match, or in one hand of it."""

    seat: int
    hands: tuple[HandTotal, ...]
    decisions: tuple[Decision, ...]  # in order, where there was a choice
    draws: tuple[DrawnCard, ...]  # the cards from the stock, in order
    mistakes: tuple[Mistake, ...]  # costliest first

    @property
    def loss(self) -> float:
        """The cost of all choices, compared with the best ones."""
        return _lost(self.decisions)

    @property
    def luck(self) -> float:
        """How much more the cards from the stock were worth than average cards."""
        return sum(draw.luck for draw in self.draws)

    @property
    def valued(self) -> int:
        """The number of hands with a choice or a draw that could be valued."""
        return len({made.hand for made in self.decisions} | {draw.hand for draw in self.draws})

    @property
    def hidden(self) -> tuple[int, ...]:
        """The numbers of the hands in which the player's cards aren't known."""
        return tuple(hand.number for hand in self.hands if not hand.known)

    def kinds(self) -> tuple[KindTotal, ...]:
        totals = []
        for kind in DecisionKind:
            made = [each for each in self.decisions if each.kind is kind]
            mistakes = sum(each.loss >= MIN_MISTAKE_LOSS for each in made)
            totals.append(KindTotal(kind, len(made), mistakes, _lost(made)))
        return tuple(totals)

    def lessons(self) -> tuple[LessonTotal, ...]:
        """Return the lessons of the mistakes, costliest first."""
        found: dict[Lesson, list[Mistake]] = {}
        for mistake in self.mistakes:
            found.setdefault(mistake.lesson, []).append(mistake)
        totals = [LessonTotal(lesson, tuple(each)) for lesson, each in found.items()]
        return tuple(sorted(totals, key=lambda total: -total.loss))


def analyse(
    record: Record,
    seat: int,
    only: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    *,
    luck: bool = True,
) -> Analysis:
    """Analyse the choices of this seat in every hand, or in hand number *only*, as far as its cards
    are known.

    Takes about a tenth of a second for each hand; the log is judged first, unless it already was.
    Without *luck*, draws aren't valued, which saves nine tenths of that time. *progress* is called
    before each hand with two numbers: the hands done so far and all hands.

    Raises Unreadable (of ginpeer.rules) for an invalid seat, ValueError for rules that the adviser
    doesn't cover, and LookupError if there is no such hand.
    """
    record = record.seen_by(seat)
    hands = [hand for hand in record.hands if only in (None, hand.number)]
    if only is not None and not hands:
        raise LookupError(f"there is no hand {str(only)[:12]}")
    decisions: list[Decision] = []
    draws: list[DrawnCard] = []
    totals = []
    for done, hand in enumerate(hands):
        if progress is not None:
            progress(done, len(hands))
        made, drawn = decisions_in(hand, seat), draws_in(hand, seat) if luck else []
        known, lucky = cards_known(hand, seat), sum(draw.luck for draw in drawn)
        totals.append(HandTotal(hand.number, known, too_long(hand), _lost(made), lucky))
        decisions += made
        draws += drawn
    mistakes = [_mistake(made) for made in decisions if made.loss >= MIN_MISTAKE_LOSS]
    mistakes.sort(key=lambda each: -each.decision.loss)
    return Analysis(seat, tuple(totals), tuple(decisions), tuple(draws), tuple(mistakes))


def _mistake(decision: Decision) -> Mistake:
    played, best = (advise(decision.view, each) for each in (decision.played, decision.best))
    return Mistake(decision, played, best, lesson_of(played, best))


def _lost(decisions: Iterable[Decision]) -> float:
    return sum(decision.loss for decision in decisions)


# --- the chance of winning after each choice -------------------------------------------


@dataclass(frozen=True, slots=True)
class Chances:
    """The chances after an entry, in thousandths."""

    entry: int
    host: int  # the host's chance, from what the host saw
    guest: int  # the guest's chance, from what the guest saw


def chances_in(record: Record) -> Iterator[Chances]:
    """Yield both players' chances after each move and each hand. Skip hands that are ``too_long``,
    hands in which a player's cards aren't known, and hands for which ``score_chance`` returns None.
    Yield nothing if the score at the start of the record isn't known."""
    for hand in record.hands if record.table.begins == 1 else ():
        if not too_long(hand) and all(cards_known(hand, seat) for seat in (0, 1)):
            yield from _chances_of(hand)


def _chances_of(hand: RecordedHand) -> Iterator[Chances]:
    made = [*_moves_of(hand)]
    if not made:
        return
    match = made[0][1].match
    now = [score_chance(match, seat) for seat in (0, 1)]
    for step, view, move in made:
        chance = win_chance(view, move)
        now[view.seat] = now[view.seat] if chance is None else chance
        if now[0] is None or now[1] is None:
            return
        yield Chances(step.entry, now[0], now[1])
    if hand.result is not None:
        host = _chance_of_host(match.record(hand.result))
        if host is not None:
            yield Chances(made[-1][0].entry, host, 1000 - host)


def _chance_of_host(match: Match) -> int | None:
    """Return the host's chance from the score after a hand, which may have ended its game."""
    game = match.played_game
    if not game.over:
        return score_chance(match, 0)
    return 500 if game.winner is None else 1000 * (game.winner == 0)
