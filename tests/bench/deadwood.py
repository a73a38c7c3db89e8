"""How many least deadwoods a second, on random hands that do not repeat: one core, no cache.

Run by hand: ``python tests/bench/deadwood.py``. ``run()`` gives the numbers to other programs.
"""

import random
import time

from ginpeer.rules import ORDINARY, mask_of, melding, parse_ruleset

HANDS = 100_000


def run(hands=HANDS, seed=1):
    """Evaluations a second, best of three passes, of ten cards and of eleven with their best
    discard: by ordinary rules, and where runs go around the corner and aces count 15."""
    rng = random.Random(seed)
    around = melding(parse_ruleset("tedesco"))
    return {
        f"{name} per second": round(_rate(judge, size, hands, rng))
        for name, judge, size in (
            ("least deadwood of 10 cards", ORDINARY.deadwood, 10),
            ("best discard of 11 cards", ORDINARY.best_discards, 11),
            ("around the corner, 10 cards", around.deadwood, 10),
            ("around the corner, 11 cards", around.best_discards, 11),
        )
    }


def _rate(judge, size, count, rng):
    passes = []
    for _ in range(3):
        # New hands for each pass, so that nothing could have been remembered.
        hands = [mask_of(rng.sample(range(52), size)) for _ in range(count)]
        start = time.perf_counter()
        for hand in hands:
            judge(hand)
        passes.append(time.perf_counter() - start)
    return count / min(passes)


if __name__ == "__main__":
    for name, rate in run().items():
        print(f"{name}: {rate:,}")
