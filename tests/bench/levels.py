"""`python -m tests.bench.levels [--pairs N] [--seed S] [--jobs N] [STEP ...]`: the ladder of
levels.

Each level plays the next lower one in matches of standard gin on mirrored deals (mirrored.py, which
explains the columns). STEP is the number of the upper level; without it, all steps are played. The
goal is that the upper level wins 60 to 75 % of the matches. If a step misses it, change `error` in
ginpeer/adviser/levels.py, from the best level (whose play is fixed) downward, and measure that step
again with seeds that you haven't used before.
"""

import argparse

from ginpeer.adviser.levels import BEST
from ginpeer.rules import STANDARD
from tests.bench.mirrored import HEAD, played_apart, row
from tests.bench.players import named

GOAL = (60, 75)


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m tests.bench.levels")
    options.add_argument("--pairs", type=int, default=200)
    options.add_argument("--seed", default="levels")
    options.add_argument("--jobs", type=int, default=1)
    options.add_argument("steps", type=int, nargs="*", default=range(2, BEST + 1))
    typed = options.parse_args()
    print(f"{'':10}{HEAD}")
    for upper in typed.steps:
        players = named("bot" if upper == BEST else f"level-{upper}"), named(f"level-{upper - 1}")
        tally = played_apart(
            *players, typed.pairs, rules=STANDARD, seed=typed.seed, jobs=typed.jobs
        )
        good = "" if GOAL[0] <= 100 * tally.won[0] <= GOAL[1] else f"  not {GOAL[0]} to {GOAL[1]}"
        print(f"{f'{upper} to {upper - 1}':<10}{row(tally)}{good}", flush=True)


if __name__ == "__main__":
    main()
