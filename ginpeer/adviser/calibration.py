"""Correct the points that hints and analyses give for a choice, by what such choices were worth
when the bot played on against itself.

Rule 1: a correction never changes the order of choices: all choices in a position have the same
        table, and every table is strictly increasing.
Rule 2: the tables are fitted to what `python -m tests.bench.claims` measures. After every change
        of the values, measure again, with a seed that wasn't used to choose them.
"""
# Why the values need a correction: the best choice is the one with the highest estimate, which is
# more often too high than too low. And the values were learned in a league of mostly weaker
# players, so they expect too much against an equal one.

from __future__ import annotations

from itertools import pairwise
from typing import Final

from ginpeer.adviser.advise import Choice
from ginpeer.rules.hand import Phase
from ginpeer.rules.moves import Discard, DrawStock, Knock, Move, Pass, TakeUpcard
from ginpeer.rules.view import View

Table = tuple[tuple[float, float], ...]
"""Estimated points, ascending, each with the corrected points."""

LOST: Final[dict[type[Move], Table]] = {
    Pass: ((0, 0), (5, 0.2)),
    TakeUpcard: ((0, 0), (3, 0.2), (9, 8.1), (13, 10.6)),
    DrawStock: ((0, 0), (2, 1.7), (9, 4.1)),
    Discard: ((0, 0), (3, 1.7), (9, 7.2)),
}
"""The loss of any other choice, for each type of best move. A missed knock needs no correction."""

LOST_BY_KNOCKING: Final[Table] = ((0, 0), (1, 0.2), (4, 3.3), (14, 12.1))
"""The loss of any other choice if a knock is possible and a discard is better."""

EXPECTED: Final[dict[type[Move], Table]] = {
    Pass: ((0, -4.6), (20, 19.2)),
    TakeUpcard: ((0, -2.7), (25, 23.6)),
    DrawStock: ((0, -2.8), (25, 23.3), (35, 30.5)),
    Discard: ((0, -2.5), (25, 23.7), (35, 30.8)),
    Knock: ((0, -2), (24, 24.1), (28, 30), (35, 33.8)),
}
"""What the best move is worth in points by the end of the hand, for each type of move."""

_AS_CLAIMED: Table = ((0, 0),)


def corrected_loss(best: type[Move], points: float, *, can_knock: bool) -> float:
    """Return the corrected loss of a choice against the best move. *points*: the estimated loss."""
    waits = can_knock and best is Discard
    return corrected(LOST_BY_KNOCKING if waits else LOST.get(best, _AS_CLAIMED), points)


def expected(best: type[Move], points: float) -> float:
    """Return the corrected points for the best move. *points*: the estimated points."""
    return corrected(EXPECTED.get(best, _AS_CLAIMED), points)


def corrected(table: Table, points: float) -> float:
    """Return the corrected points: interpolated between two entries of the table, and beyond its
    ends corrected by as much as the nearest entry."""
    if points < table[0][0]:
        return points - table[0][0] + table[0][1]
    for (low, least), (high, most) in pairwise(table):
        if points < high:
            return least + (points - low) * (most - least) / (high - low)
    return points - table[-1][0] + table[-1][1]


def calibrated(view: View, best: Choice, choice: Choice) -> Choice:
    """Return a choice with the corrected points; *best* is the best choice in the same position.
    The tables are for hands that count once. They don't apply if the best move makes the hand void,
    or leaves the opponent only the last discard to take."""
    if _ends_play(view, best.move):
        return choice
    move, times = type(best.move), 2 if view.hand.counts_double else 1
    can_knock = any(isinstance(each, Knock) for each in view.sensible_moves())
    loss = corrected_loss(move, (best.points - choice.points) / times, can_knock=can_knock)
    return Choice(choice.move, (expected(move, best.points / times) - loss) * times)


def _ends_play(view: View, move: Move) -> bool:
    if isinstance(move, Discard):
        return view.hand.apply(move).phase in (Phase.LAST_CHANCE, Phase.OVER)
    return isinstance(move, Pass) and view.hand.phase is Phase.LAST_CHANCE
