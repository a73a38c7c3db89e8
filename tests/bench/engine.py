"""How many hands a second the rules engine plays by itself, moves at random: one core, no cache.

Run by hand: ``python -m tests.bench.engine``. ``run()`` gives the numbers to other programs. The
presets that only keep score in another way play the standard hand, and are measured all the same:
a variant must cost nothing where it changes nothing.
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
    """For each preset its hands a second, the median of the passes, and their ratio to standard's.

    Each pass takes the presets in turn, so that what slows the machine slows them alike.
    """
    for preset in PRESETS.values():
        _play(parse_ruleset(preset.name), 2, seed=0)  # tables are made before the clock runs
    seconds = {name: [] for name in PRESETS}
    for number in range(passes):
        for name, preset in PRESETS.items():
            seconds[name].append(_play(parse_ruleset(preset.name), hands, seed=number))
    standard = median(seconds["standard"])
    return {
        name: (round(hands / median(taken)), standard / median(taken))
        for name, taken in seconds.items()
    }


def _play(rules, hands, seed):
    """Seconds of the processor for so many hands, their shuffling left out."""
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
