"""Compare the rules engine with OpenSpiel's gin rummy, which is written in C++ and called from
Python here, too.

Run by hand: ``python -m tests.bench.openspiel``, after ``pip install open_spiel``. Other programs
call ``run()``. Machines differ, but the ratio of two programs that do the same work in turn on one
machine hardly does.
"""

import random
import time
from statistics import median

from ginpeer.rules import ORDINARY, STANDARD, mask_of
from tests.bench.engine import play

try:
    import pyspiel
except ImportError:
    pyspiel = None

ABSENT = "OpenSpiel isn't installed, so nothing is compared with it: pip install open_spiel"
DRAWN_HANDS = 20_000
RANDOM_HANDS = 50
PASSES = 5


def run(passes=PASSES):
    """Return, for each task, how often a second we do it and OpenSpiel does it (medians over the
    passes); None without OpenSpiel. Raises RuntimeError if the two disagree on a deadwood."""
    if pyspiel is None:
        return None
    rates = {}
    for number in range(passes):
        rng = random.Random(number)
        for size in (10, 11):
            hands = [rng.sample(range(52), size) for _ in range(DRAWN_HANDS)]
            rates.setdefault(f"least deadwood of {size} cards", []).append(_deadwoods(hands))
        pair = (RANDOM_HANDS / play(STANDARD, RANDOM_HANDS, number), _random_hands(rng))
        rates.setdefault("random hands", []).append(pair)
    return {task: tuple(map(median, zip(*pairs, strict=True))) for task, pairs in rates.items()}


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
    """Return OpenSpiel's rate, including the shuffling."""
    game = pyspiel.load_game("gin_rummy")
    start = time.process_time()
    for _ in range(RANDOM_HANDS):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(rng.choice(state.legal_actions()))
    return RANDOM_HANDS / (time.process_time() - start)


def lines():
    """Yield the comparison as text."""
    rates = run()
    if rates is None:
        yield ABSENT
        return
    for task, (ours, theirs) in rates.items():
        yield f"{task} per second: {ours:,.0f}, OpenSpiel {theirs:,.0f}; ratio {ours / theirs:.2f}"


if __name__ == "__main__":
    print(*lines(), sep="\n")
