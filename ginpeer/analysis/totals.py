"""A player's choices in a match, added up: by kind, by hand, and by what the mistakes teach.

A loss is a difference of two values, and values give no reasons. So we compare the facts of the
move that was played with those of the best one: the greatest difference, in points, is the
reason. If none favours the best move, we give no reason (Lesson.CLOSER_LOOK).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum

from ginpeer.adviser.advise import Advice, DiscardFacts, Facts, KnockFacts, advise
from ginpeer.analysis.decisions import (
    Decision,
    DecisionKind,
    DrawnCard,
    cards_known,
    choices_made,
    too_long,
    view_before,
)
from ginpeer.record import Record
from ginpeer.rules import Knock, Spread, TakeUpcard, popcount

# --- lessons --------------------------------------------------------------------------


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
    """Return why the best choice is better than the one that was played."""
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
    """Estimate what the player gives away with this discard."""
    after = throw.after
    left = _GIN * popcount(after.gin) + _HELP * popcount(after.better)
    return _OUT * popcount(throw.outs) - left


# --- totals ---------------------------------------------------------------------------

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
    mistakes: tuple[Mistake, ...]  # the mistakes, costliest first

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
    mistakes: list[Mistake] = []
    totals = []
    for done, hand in enumerate(hands):
        if progress is not None:
            progress(done, len(hands))
        before = len(decisions), len(draws)
        for made in choices_made(hand, seat, draws=luck):
            if isinstance(made, DrawnCard):
                draws.append(made)
                continue
            decisions.append(made)
            if made.loss >= MIN_MISTAKE_LOSS:
                mistakes.append(_mistake(record, made))
        loss = _lost(decisions[before[0] :])
        luck_here = sum(draw.luck for draw in draws[before[1] :])
        known = cards_known(hand, seat)
        totals.append(HandTotal(hand.number, known, too_long(hand), loss, luck_here))
    mistakes.sort(key=lambda each: -each.decision.loss)
    return Analysis(seat, tuple(totals), tuple(decisions), tuple(draws), tuple(mistakes))


def _mistake(record: Record, decision: Decision) -> Mistake:
    view = view_before(record.step_of(decision.entry))
    if view is None:
        raise AssertionError("a decision is a move")
    played, best = advise(view, decision.played), advise(view, decision.best)
    return Mistake(decision, played, best, lesson_of(played, best))


def _lost(decisions: Iterable[Decision]) -> float:
    return sum(decision.loss for decision in decisions)
