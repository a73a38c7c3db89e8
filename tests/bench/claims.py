"""`python -m tests.bench.claims [--rounds N] [--seed S]`: how accurate are the points that analyses
and hints give for a choice?

An analysis says how many points a choice lost. Players of all levels, and three who misjudge every
move by much more, play standard gin against the bot. After one of their choices that lost
something, the bot plays the rest of the hand twice, for both sides, with the cards actually held
and the stock in the same order: once after the best choice, and once after the choice made. The
first table has the means for each kind of choice, in classes by the loss that the values claim: the
claimed loss, the corrected one (ginpeer.adviser.advise), and the true one.

A hint says how many points the best choice can be expected to gain. The second table compares this
with what the choice gained when the bot played itself, without the luck of the draw.

Below each table is the number of classes whose corrected mean is within one standard error of the
true one.

The hands are played in C (claims.c), which needs a compiler. A standard error (s.e.) is computed
over hands, because the choices of a hand share its cards.
"""

from __future__ import annotations

import argparse
import ctypes as c
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from math import sqrt
from pathlib import Path
from typing import NamedTuple

from ginpeer.adviser.advise import advise
from ginpeer.adviser.levels import LEVELS
from ginpeer.adviser.value_model import COLUMNS, price_at, values_for
from ginpeer.rules.moves import Discard, DrawStock, Knock, Pass, TakeUpcard
from tests.training.kernel import compiled

TARGET = 100  # of a match
EVERYTHING = 52  # cards to recall, as in claims.c
BANDS = (0.02, 0.5, 1, 2, 3, 5, 8, 12)
"""The smallest loss of each class."""
BLUNDERS = (4_000, 8_000, 16_000)
"""How far the other players misjudge each move, so that there are losses of every class."""
WINS = (-100, -15, -10, -5, 0, 5, 10, 15, 20, 25, 30)
"""The smallest number of expected points in each class."""
KINDS = ("draw", "discard", "knock")
MOVES = (Pass, TakeUpcard, DrawStock, Discard, Knock, Knock)
"""The kinds and moves of claims.c; the last move is big gin."""


class CLevel(c.Structure):
    _fields_ = (("error", c.c_long), ("cards_remembered", c.c_int), ("ahead", c.c_int))


class CDecision(c.Structure):
    """A decision, as claims.c declares it."""

    _fields_ = (
        *(
            (name, c.c_int)
            for name in ("hand", "seat", "kind", "best_move", "can_knock", "is_void")
        ),
        *((name, c.c_float) for name in ("best", "loss", "brought", "lost")),
    )


class Claim(NamedTuple):
    """The points that the values claim, the corrected points that are shown, and the true ones."""

    hand: tuple[int, int]
    claimed: float
    said: float
    true: float


@cache
def library() -> c.CDLL:
    """Return claims.c with the shipped values of standard gin."""
    found, values = compiled(Path(__file__).with_name("claims.c")), values_for("standard")
    nets = (values.keeping, values.drawing, values.knocking)
    weights = [
        _ints(weight for feature in net.packed for weight in _lanes(feature)) for net in nets
    ]
    pointers = (c.POINTER(c.c_int) * 3)(*weights)
    factors = _ints(factor for net in nets for unit in net.factors for factor in unit)
    needs = range(TARGET + 1)
    prices = _ints(
        part
        for mine in needs
        for theirs in needs
        for part in price_at(max(1, mine), max(1, theirs))
    )
    found.begin(pointers, factors, prices)
    found.mistakes.restype = found.expectations.restype = c.c_long
    return found


def _lanes(packed: int) -> Iterator[int]:
    """Yield the weights of a feature (Net)."""
    for _ in range(COLUMNS):
        weight = (packed + (1 << 31)) % (1 << 32) - (1 << 31)
        packed = (packed - weight) >> 32
        yield weight


def _ints(numbers: Iterable[int]) -> c.Array[c.c_int]:
    found = [*numbers]
    return (c.c_int * len(found))(*found)


def mistakes(seed: int, hands: int = 100_000, quota: int = 3_400) -> Sequence[CDecision]:
    """Return choices that lost something, at most *quota* of each kind and class."""
    levels = [
        *(CLevel(level.error, level.cards_remembered, level.ahead) for level in LEVELS),
        *(CLevel(error, EVERYTHING, 1) for error in BLUNDERS),
    ]
    bands = [round(1000 * least) for least in BANDS]
    found = (CDecision * (len(KINDS) * len(bands) * quota))()
    made = library().mistakes(
        *(c.c_long(seed), c.c_long(hands), (CLevel * len(levels))(*levels), len(levels)),
        *((c.c_long * len(bands))(*bands), len(bands), c.c_long(quota), found),
    )
    return found[:made]


def expectations(seed: int, most: int = 340_000) -> Sequence[CDecision]:
    """Return at most this many choices that the bot makes when it plays itself."""
    found = (CDecision * most)()
    return found[: library().expectations(c.c_long(seed), c.c_long(most), found)]


def one_hand(deck: Sequence[int], first: int) -> tuple[list[tuple[int, int]], int]:
    """Let the bot play itself with this deck. Return the kind (MOVES) and the value of each choice,
    and the points of seat 0."""
    out, points = (c.c_int * 1_000)(), c.c_int()
    made = library().one_hand((c.c_int * 52)(*deck), first, out, c.byref(points))
    return [(out[at], out[at + 1]) for at in range(0, 2 * made, 2)], points.value


class Means(NamedTuple):
    """The mean claimed, shown and true points of a class of choices, with a standard error."""

    count: int
    claimed: float
    said: float
    true: float
    error: float


def means(claims: Sequence[Claim]) -> Means:
    count, off = len(claims), dict.fromkeys((claim.hand for claim in claims), 0.0)
    claimed, said, true = (sum(claim[at] for claim in claims) / count for at in (1, 2, 3))
    for claim in claims:
        off[claim.hand] += claim.true - claim.claimed - (true - claimed)
    error = sqrt(sum(each**2 for each in off.values())) / count
    return Means(count, claimed, said, true, error)


HEAD = f"{'choices':>8}{'claimed':>9}{'said':>8}{'true':>8}{'s.e.':>7}"


def print_classes(name: str, lows: Sequence[float], claims: Sequence[Claim]) -> list[bool]:
    """Print a row for each class; *lows* are the smallest claims of the classes. Return for each
    class whether the mean shown is within one standard error of the true one."""
    within = []
    for low, high in zip(lows, (*lows[1:], None), strict=True):
        some = [
            one for one in claims if one.claimed >= low and (high is None or one.claimed < high)
        ]
        if some:
            band = f"{low:g} or more" if high is None else f"{low:g} to {high:g}"
            count, claimed, said, true, error = means(some)
            print(
                f"{name + ', ' + band:<32}{count:>8}{claimed:>9.2f}{said:>8.2f}{true:>8.2f}"
                f"{error:>7.2f}",
                flush=True,
            )
            within.append(abs(said - true) <= error)
    return within


def print_count(within: Sequence[bool]) -> None:
    """Print how many classes are stated correctly, and how many would be if the calibration were
    perfect."""
    print(
        f"Within one standard error: {sum(within)} of {len(within)} classes; "
        f"of a perfect calibration, {0.683 * len(within):.0f}.\n"
    )


def lost(at: int, one: CDecision) -> Claim:
    said = advise.corrected_loss(MOVES[one.best_move], one.loss, can_knock=one.can_knock)
    return Claim((at, one.hand), one.loss, one.loss if one.is_void else said, one.lost)


def expected(at: int, one: CDecision) -> Claim:
    said = advise.expected(MOVES[one.best_move], one.best)
    return Claim((at, one.hand), one.best, one.best if one.is_void else said, one.brought)


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m tests.bench.claims")
    options.add_argument("--rounds", type=int, default=3, help="each with up to 3,400 of a class")
    options.add_argument("--seed", type=int, default=1)
    typed = options.parse_args()
    made: list[tuple[CDecision, Claim]] = []
    found: list[tuple[CDecision, Claim]] = []
    for at in range(typed.rounds):
        seed = 1_000 * typed.seed + at
        made += [(one, lost(at, one)) for one in mistakes(seed)]
        found += [(one, expected(at, one)) for one in expectations(seed)]
    print(f"{'lost':<32}{HEAD}")
    within = []
    for kind, name in enumerate(KINDS):
        within += print_classes(name, BANDS, [claim for one, claim in made if one.kind == kind])
    print_count(within)
    for move in MOVES[:-1]:
        some = [claim for one, claim in made if MOVES[one.best_move] is move]
        print_classes(f"better {move.__name__}", BANDS, some)
    print(f"\n{'expected':<32}{HEAD}")
    print_count(print_classes("all", WINS, [claim for _, claim in found]))
    for move in MOVES[:-1]:
        some = [claim for one, claim in found if MOVES[one.best_move] is move]
        print_classes(move.__name__, WINS, some)


if __name__ == "__main__":
    main()
