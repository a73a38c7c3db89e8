"""Measure how many times a second we can compute the least deadwood of a hand: random hands that
don't repeat, on one core, without a cache."""

import random
import time

from ginpeer.rules import ORDINARY, mask_of, melding, parse_ruleset

HANDS = 100_000


def run(hands=HANDS, seed=1):
    """Return the evaluations a second, the best of three passes, for ten cards, and for eleven and
    their best discard: by ordinary rules, and with runs around the corner and aces that count
    15."""
    rng = random.Random(seed)
    around = melding(parse_ruleset("tedesco"))
    return {
        f"{name} per second": round(_rate(judge, size, hands, rng))
        for name, judge, size in (
            ("least deadwood of 10 cards", ORDINARY.deadwood, 10),
            ("best discard of 11 cards", ORDINARY.deadwood_after_discard, 11),
            ("around the corner, 10 cards", around.deadwood, 10),
            ("around the corner, 11 cards", around.deadwood_after_discard, 11),
        )
    }


def _rate(judge, size, count, rng):
    passes = []
    for _ in range(3):
        # Each pass has new hands, so that no result can be cached.
        hands = [mask_of(rng.sample(range(52), size)) for _ in range(count)]
        start = time.perf_counter()
        for hand in hands:
            judge(hand)
        passes.append(time.perf_counter() - start)
    return count / min(passes)


if __name__ == "__main__":
    for name, rate in run().items():
        print(f"{name}: {rate:,}")
