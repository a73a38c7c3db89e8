"""Measure how many hands a second the rules engine plays with random moves, on one core without a
cache.

Run by hand: ``python -m tests.bench.engine``. Other programs call ``run()``. We also measure the
presets that only keep score differently and play the standard hand: a variant must cost nothing if
it changes nothing.
"""

import random
import time
from statistics import median

from ginpeer.rules import PRESETS, parse_ruleset
from tests.rules.drawing import shuffled_deal

HANDS = 200
PASSES = 5
GOAL = 1_000  # of the standard game, on one core


def run(hands=HANDS, passes=PASSES):
    """Return, for each preset, the hands a second (the median of the passes) and the ratio to
    standard's.

    Each pass takes the presets in turn, so that anything that slows the machine slows all of them.
    """
    for preset in PRESETS.values():
        play(parse_ruleset(preset.name), 2, seed=0)  # build the tables before the clock starts
    seconds = {name: [] for name in PRESETS}
    for number in range(passes):
        for name, preset in PRESETS.items():
            seconds[name].append(play(parse_ruleset(preset.name), hands, seed=number))
    standard = median(seconds["standard"])
    return {
        name: (round(hands / median(taken)), standard / median(taken))
        for name, taken in seconds.items()
    }


def play(rules, hands, seed):
    """Return the processor seconds for this many hands, without the shuffling."""
    rng, taken = random.Random(seed), 0.0
    for number in range(hands):
        hand, stock = shuffled_deal(rng, number % 2, rules)
        hand = hand.knowing_stock(tuple(stock))
        start = time.process_time()
        while not hand.over:
            hand = hand.apply(rng.choice(hand.legal_moves()))
        taken += time.process_time() - start
    return taken


if __name__ == "__main__":
    for name, (rate, ratio) in run().items():
        goal = f", goal {GOAL:,}" if name == "standard" else ""
        print(f"{name}: {rate:,} hands a second, {ratio:.2f} of standard{goal}")
