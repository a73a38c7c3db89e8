"""`python -m tests.bench.levels [--pairs N] [--seed S] [--jobs N] [STEP ...]`: the levels' ladder.

Each level plays the one below it, in matches of standard gin on mirrored deals (mirrored.py). Told
are the matches that it wins, with the standard error, the points a hand, and the time a choice
takes. STEP is the number of the upper level; without one, all are played. The goal is 60 to 80 of
100 at each step: where one falls out of it, change `error` in ginpeer/adviser/levels.py,
from the best level downward, whose own play is given, and measure that step anew.
"""

import argparse
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from ginpeer.adviser.levels import BEST
from ginpeer.bot.at_level import player_at
from tests.bench.mirrored import Tally, pair

GOAL = (60, 80)
CHUNK = 5


def _at(number):
    return lambda view, rng: player_at(number, rng)(view)


def some_pairs(upper: int, lower: int, seed: str, start: int) -> Tally:
    tally = Tally()
    for number in range(start, start + CHUNK):
        tally.add(pair((_at(upper), _at(lower)), f"{seed} {number}"))
    return tally


def step(upper: int, lower: int, pairs: int, seed: str, jobs: int) -> Tally:
    """So many pairs of matches between two levels."""
    tally = Tally()
    with ProcessPoolExecutor(jobs) as pool:
        for more in pool.map(partial(some_pairs, upper, lower, seed), range(0, pairs, CHUNK)):
            tally.add(more)
    return tally


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m tests.bench.levels")
    options.add_argument("--pairs", type=int, default=200)
    options.add_argument("--seed", default="levels")
    options.add_argument("--jobs", type=int, default=1)
    options.add_argument("steps", type=int, nargs="*", default=range(2, BEST + 1))
    typed = options.parse_args()
    print(f"{'':10}{'matches won, %':>18}{'points a hand':>18}{'ms a choice, p99':>22}")
    for upper in typed.steps:
        tally = step(upper, upper - 1, typed.pairs, typed.seed, typed.jobs)
        won, points = tally.of(tally.won), tally.of(tally.points)
        mean, slow = tally.taken(0)
        good = "" if GOAL[0] <= 100 * won[0] <= GOAL[1] else f"  not {GOAL[0]} to {GOAL[1]}"
        print(
            f"{upper} to {upper - 1:<5}{100 * won[0]:12.1f} +- {100 * won[1]:.1f}"
            f"{points[0]:12.1f} +- {points[1]:.1f}{mean:12.1f}, {slow:.1f}{good}",
            flush=True,
        )


if __name__ == "__main__":
    main()
