"""Correct what is said about the points of choices, by what they brought when the bot played on
against itself.

Rule 1: a correction never changes the order of choices: only the best choice decides which table
        applies, and every table is strictly increasing.
Rule 2: the tables are fitted to what `python -m tests.bench.claims` measures. After every change
        of the values, measure again, with a seed that wasn't used to choose them.
"""
# Why the values need it: the best choice is the one with the highest estimate, which is more often
# too high than too low. And the values were learned in a league of mostly weaker players, so they
# expect too much against an equal.

from __future__ import annotations

from itertools import pairwise
from typing import Final

from ginpeer.adviser.advise import Choice
from ginpeer.rules.hand import Phase
from ginpeer.rules.moves import Discard, DrawStock, Knock, Move, Pass, TakeUpcard
from ginpeer.rules.view import View

Table = tuple[tuple[float, float], ...]
"""Points by the values, ascending, each with the corrected points."""

LOST: Final[dict[type[Move], Table]] = {
    Pass: ((0, 0), (5, 0.5)),
    TakeUpcard: ((0, 0), (1.5, 0.2), (4, 1.4), (6, 4), (8, 6.8), (12, 10.3), (16, 13.7)),
    DrawStock: ((0, 0), (1, 1), (4, 2.4), (7, 3), (9, 4.5), (13, 8.5)),
    Discard: ((0, 0), (2, 0.9), (5, 3.6), (8, 6.2), (12, 11), (15, 13.4), (26, 22)),
}
"""What another choice loses, by the best move. A missed knock needs no correction."""

EXPECTED: Final[dict[type[Move], Table]] = {
    Pass: ((-5, -9.6), (20, 18.6)),
    TakeUpcard: ((0, -2.8), (20, 18.4), (35, 34.5), (60, 53)),
    DrawStock: ((0, -2.9), (20, 17.9)),
    Discard: ((0, -2.5), (20, 18.2)),
    Knock: ((0, -2), (20, 20), (30, 30.8), (45, 43.7)),
}
"""What the best move brings until the end of the hand."""


def corrected(tables: dict[type[Move], Table], best: type[Move], points: float) -> float:
    """Return the corrected points: between two entries of the best move's table in proportion, and
    beyond its ends with the same difference as there."""
    table = tables.get(best, ((0, 0),))
    if points < table[0][0]:
        return points - table[0][0] + table[0][1]
    for (low, least), (high, most) in pairwise(table):
        if points < high:
            return least + (points - low) * (most - least) / (high - low)
    return points - table[-1][0] + table[-1][1]


def calibrated(view: View, best: Choice, choice: Choice) -> Choice:
    """Return a choice with the corrected points; *best* is the best choice in the same position.
    The tables are for hands that count once, and not for a move that makes the hand void."""
    if _makes_void(view, best.move):
        return choice
    move, times = type(best.move), 2 if view.hand.counts_double else 1
    lost = corrected(LOST, move, (best.points - choice.points) / times)
    return Choice(choice.move, (corrected(EXPECTED, move, best.points / times) - lost) * times)


def _makes_void(view: View, move: Move) -> bool:
    if isinstance(move, Discard):
        return view.hand.apply(move).over
    return isinstance(move, Pass) and view.hand.phase is Phase.LAST_CHANCE
