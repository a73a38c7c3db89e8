"""What a choice that cost points has in common with others: what its player can do better.

# A loss is a difference of two values, and the values say no reason. So the facts of the move that
# was played are set against those of the best one, and the greatest difference between them, in
# points, is the reason. Where none of them speaks for the best move, nothing is said
# (Lesson.CLOSER_LOOK).
"""

from __future__ import annotations

from enum import Enum

from ginpeer.adviser import Advice, DiscardFacts, Facts, KnockFacts
from ginpeer.rules import Knock, Spread, TakeUpcard, popcount


class Lesson(Enum):
    """What to do better; the value is the word for programs."""

    TAKE = "take-the-upcard"
    LEAVE = "leave-the-upcard"
    KEEP_MELD = "keep-the-meld"
    NOT_FEED = "do-not-feed"
    THROW_HIGH = "throw-the-high-card"
    KEEP_NEAR = "keep-what-is-near"
    GO_GIN = "go-gin"
    KNOCK = "knock"
    WAIT = "do-not-knock-yet"
    KNOCK_BETTER = "knock-otherwise"
    LAY_OFF = "answer-better"
    CLOSER_LOOK = "look-closer"


def lesson_of(played: Advice, best: Advice) -> Lesson:
    """The reason for which one choice is better than the other, which was played."""
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


# What differs between two throws, in points. They only choose among reasons: what a loss amounts to
# the adviser says. A card that makes a meld for the other at once costs about 8 points, one that
# lies near a card of the other's some 2, each pair that the other may hold a fifth of a point. Of
# each pip that is kept about a third is paid in the end. Each card that would meld the one thrown
# is worth half a point, one that makes gin two, one that improves the hand in any way a tenth.
_SURE, _WANTED, _PAIR, _PIP, _OUT, _GIN, _HELP = 8.0, 2.0, 0.2, 0.33, 0.5, 2.0, 0.1
_LEAST = 0.3
"""Below this no difference is a reason."""


def _of_throws(did: DiscardFacts, better: DiscardFacts) -> Lesson:
    if did.broken > better.broken:
        return Lesson.KEEP_MELD
    reasons = {
        Lesson.NOT_FEED: _danger(did) - _danger(better),
        Lesson.THROW_HIGH: _PIP * (did.deadwood - better.deadwood),
        Lesson.KEEP_NEAR: _future(did) - _future(better),
    }
    lesson = max(reasons, key=lambda each: reasons[each])
    return lesson if reasons[lesson] >= _LEAST else Lesson.CLOSER_LOOK


def _danger(throw: DiscardFacts) -> float:
    """About what the other gains by it."""
    return (
        _SURE * bool(throw.sure)
        + _WANTED * min(2, popcount(throw.wants))
        + _PAIR * len(throw.melds)
    )


def _future(throw: DiscardFacts) -> float:
    """About what is given away with it."""
    after = throw.after
    left = _GIN * popcount(after.gin) + _HELP * popcount(after.better)
    return _OUT * popcount(throw.outs) - left
