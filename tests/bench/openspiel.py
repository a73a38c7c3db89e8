"""`python -m tests.bench.openspiel`: compare the rules engine with OpenSpiel's gin rummy, which is
written in C++ and called from Python here, too (pip install open_spiel).

Machines differ, but the ratio of two programs that do the same work in turn on one machine hardly
does.
"""

import random
import time
from statistics import median

import pyspiel

from ginpeer.rules import ORDINARY, STANDARD, mask_of
from tests.rules.drawing import shuffled_deal

DRAWN_HANDS = 20_000
RANDOM_HANDS = 50
PASSES = 5


def _deadwoods(hands):
    """Return both rates. Of eleven cards, the best discard doesn't count."""
    size = len(hands[0])
    theirs_of = pyspiel.gin_rummy.GinRummyUtils(13, 4, 10).min_deadwood
    ours_of = ORDINARY.deadwood if size == 10 else ORDINARY.deadwood_after_discard
    masks = [mask_of(hand) for hand in hands]
    start = time.process_time()
    ours = [ours_of(mask) for mask in masks]
    between = time.process_time()
    theirs = [theirs_of(hand) for hand in hands]
    end = time.process_time()
    if ours != theirs:
        raise RuntimeError("OpenSpiel finds a different deadwood")
    return len(hands) / (between - start), len(hands) / (end - between)


def _random_hands(rng):
    """Return both rates; OpenSpiel's includes the shuffling."""
    ours = 0.0
    for number in range(RANDOM_HANDS):
        hand, stock = shuffled_deal(rng, number % 2, STANDARD)
        hand = hand.knowing_stock(tuple(stock))
        start = time.process_time()
        while not hand.over:
            hand = hand.apply(rng.choice(hand.legal_moves()))
        ours += time.process_time() - start
    game = pyspiel.load_game("gin_rummy")
    start = time.process_time()
    for _ in range(RANDOM_HANDS):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(rng.choice(state.legal_actions()))
    return RANDOM_HANDS / ours, RANDOM_HANDS / (time.process_time() - start)


def main():
    rates = {}
    for number in range(PASSES):
        rng = random.Random(number)
        for size in (10, 11):
            hands = [rng.sample(range(52), size) for _ in range(DRAWN_HANDS)]
            rates.setdefault(f"least deadwood of {size} cards", []).append(_deadwoods(hands))
        rates.setdefault("random hands", []).append(_random_hands(rng))
    for task, pairs in rates.items():
        ours, theirs = map(median, zip(*pairs, strict=True))
        print(f"{task} per second: {ours:,.0f}, OpenSpiel {theirs:,.0f}; ratio {ours / theirs:.2f}")


if __name__ == "__main__":
    main()
