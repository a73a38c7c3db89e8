"""Levels of play, from a player who learned the rules yesterday to the adviser at its best.

Rule 1: a level sees its seat's View, like every player, or less of it, but never more. It doesn't
        change the deal, and its errors come from the randomness that is passed in.
Rule 2: each level wins 60 to 75 of 100 matches against the one below. Measure that again after
        every change of the values, on seeds that weren't used to choose the levels:
        `python -m tests.bench.levels`.
"""
# What makes a player weaker:
#
#   error             how far it misjudges the value of each move (standard deviation)
#   cards_remembered  how many of the latest cards shown on the pile it remembers; once it has
#                     forgotten a card, it knows neither that it is gone nor who took it
#   ahead             without this, it judges a move only by the deadwood left, not by what the next
#                     draw may be or what the opponent may do with a card

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from ginpeer.adviser.advise import can_advise, choices, choose
from ginpeer.adviser.observation import Observation, observe
from ginpeer.rules.cards import cards_of, mask_of
from ginpeer.rules.match import View
from ginpeer.rules.moves import Discard, DrawStock, Knock, Move, TakeUpcard


@dataclass(frozen=True, slots=True)
class Level:
    """How well a player plays; ``error`` is in thousandths of a point."""

    error: int
    cards_remembered: int
    ahead: bool


LEVELS: Final = (
    Level(error=3_200, cards_remembered=0, ahead=False),
    Level(error=2_350, cards_remembered=0, ahead=False),
    Level(error=1_700, cards_remembered=0, ahead=False),
    Level(error=1_000, cards_remembered=0, ahead=False),
    Level(error=2_000, cards_remembered=8, ahead=True),
)
"""The levels below the best, weakest first. The first is level 1."""

BEST: Final = len(LEVELS) + 1  # the number of the best level, at which the bot never errs


def player_at(number: int, rng: Callable[[int], bytes]) -> Callable[[View], Move]:
    """Return a function that chooses the bot's moves at this level, from 1 to ``BEST``; in Mahjong
    gin the bot always plays its best. *rng* returns as many random bytes as it is asked for."""

    def play(view: View) -> Move:
        if number >= BEST or not can_advise(view.hand.rules):
            return choose(view)
        return choose_at(view, LEVELS[number - 1], rng)

    return play


def choose_at(view: View, level: Level, rng: Callable[[int], bytes]) -> Move:
    """Return the move that a player of this level makes; *rng* is as in ``player_at``. Takes at
    most as long as ``choices``, and raises the same errors."""
    if level.ahead:
        found = choices(view, recalled(view, level.cards_remembered))
        valued = [(round(1000 * each.points), each.move) for each in found]
    else:
        valued = [(_at_a_glance(view, move), move) for move in view.sensible_moves()]
    valued = [(worth + level.error * _normal(rng) // _ONE, move) for worth, move in valued]
    return max(valued, key=lambda pair: pair[0])[1]


def recalled(view: View, count: int) -> Observation:
    """Return the observation of a player who remembers only the latest *count* cards shown on the
    pile. The upcard is always known, because it is in sight."""
    hand, seen = view.hand, observe(view)
    shown = [move.card for _, move in hand.moves if isinstance(move, Discard)]
    if hand.first_upcard is not None:
        shown.insert(0, hand.first_upcard)
    mind = mask_of(shown[max(0, len(shown) - count) :])
    there = 0 if hand.upcard is None else hand.upcard.bit
    return replace(
        seen,
        pile=seen.pile & (mind | there),
        held=seen.held & mind,
        thrown=seen.thrown & mind,
        left=seen.left & mind,
    )


_PIP = 800  # thousandths of a point per pip, to a player who doesn't look ahead
_DRAW = 4  # pips by which that player expects a draw to reduce the deadwood
_KNOCK = 50_000  # in thousandths; large enough for that player to knock whenever it may


def _at_a_glance(view: View, move: Move) -> int:
    """Return the value of a move to a player who looks only at deadwood, in thousandths."""
    deadwood, cards = view.hand.melding.deadwood, view.cards
    match move:
        case Discard(card):
            return -_PIP * deadwood(cards & ~card.bit)
        case Knock():
            return _KNOCK - _PIP * view.hand.melding.pips(move.deadwood)
        case TakeUpcard() if view.hand.upcard is not None:
            eleven = cards | view.hand.upcard.bit
            return -_PIP * min(deadwood(eleven & ~card.bit) for card in cards_of(cards))
        case DrawStock():
            return -_PIP * (deadwood(cards) - _DRAW)
    return -_PIP * (deadwood(cards) - _DRAW // 2)  # a pass, or the only spread


# The sum of twelve uniform numbers is close enough to a normal distribution, and the same on every
# machine.
_TERMS, _BYTES = 12, 2
_ONE = 1 << 8 * _BYTES


def _normal(rng: Callable[[int], bytes]) -> int:
    """Return a random number of mean 0 and standard deviation ``_ONE``."""
    drawn = rng(_TERMS * _BYTES)
    return sum(
        int.from_bytes(drawn[at : at + _BYTES], "big") for at in range(0, len(drawn), _BYTES)
    ) - _TERMS * (_ONE // 2)
