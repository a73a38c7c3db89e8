"""What is learned for which rules, and how the result is written."""

from __future__ import annotations

import ctypes as c
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from ginpeer.adviser.advise import choices
from ginpeer.adviser.features import DRAWING, KEEPING, KNOCKING
from ginpeer.adviser.value_model import HEADS, UNITS
from ginpeer.rules import Match, View, parse_ruleset
from tests.training.kernel import Plan, Player, kernel
from tests.training.values_file import write_values

SEED = 20_261_122
CHUNK = 50_000  # hands after which a past version of the learner is kept for the league
_RATES = {"rate": 3e-3, "last_rate": 3e-5, "trace": 0.85, "explores": 0.04, "keep": 0.998}
_SIZES = (KEEPING, DRAWING, KNOCKING)
_SCALES = (1, 25, 1, 25)  # the kernel divides points by 25


@dataclass(frozen=True)
class Lesson:
    """What values are learned for: how cards meld and the knock limit, as kernel.c defines them,
    for how many hands, and the rule sets that use these values."""

    ways: int
    limits: int
    hands: int
    rules: tuple[str, ...]


LESSONS = {
    "standard": Lesson(0, 10, 1_000_000, ("standard", "classic", "hollywood")),
    "oklahoma": Lesson(0, 13, 500_000, ("oklahoma", "oklahoma-floating", "straight")),
    "corner": Lesson(4, 12, 500_000, ("around-the-corner", "tedesco")),
}

SIMPLE = {
    "knocks at once": Player(None, 0, 0, 1, 0, 0, 0, 1, 10, 10, 5),
    "gin only": Player(None, 0, 0, 0.1, 2, 0, 0, 0, 0, 0, 4),
}
"""The players against whom the results are measured. Fields (dead, seven, danger ...): kernel.c."""


def learn(name: str, hands: int | None = None, told: Callable[[str], None] = print) -> bytes:
    """Learn the values of this lesson, and return their file. On the same machine, the same seed
    gives the same file."""
    hands = LESSONS[name].hands if hands is None else hands
    # First train a player who plays only for gin, which the league would otherwise lack. A player
    # who knocks when that is best doesn't learn the value of hands in which nobody knocked.
    _train(name, hands // 4, True, told)
    _train(name, hands, False, told)
    about: dict[str, Any] = {"name": name, "seed": SEED, "hands": hands}
    about["won of 1,000 games"] = {
        against: _won(name, player) for against, player in SIMPLE.items()
    }
    return write_values(about, [_net(net) for net in range(3)])


def _train(name: str, hands: int, seeks: bool, told: Callable[[str], None]) -> None:
    lesson, library = LESSONS[name], kernel()
    plan = Plan(
        **_RATES,
        hands=hands,
        seed=SEED,
        ways=lesson.ways,
        limits=lesson.limits,
        batch=64,
        seeks=seeks,
    )
    library.begin(SEED, not seeks)
    for done in range(0, hands, CHUNK):
        count = min(CHUNK, hands - done)
        library.train(c.byref(plan), done, count)
        errors = ", ".join(f"{library.error_of(net) / count:.3f}" for net in range(3))
        who = f"{name}, for gin alone" if seeks else name
        told(f"{who}: {done + count:,} hands, squared errors a hand {errors}")


def _won(name: str, player: Player) -> int:
    found = (c.c_double * 8)()
    lesson = LESSONS[name]
    kernel().measure(7, 500, lesson.ways, lesson.limits, c.byref(player), 1, found)
    return round(found[1])


def _net(net: int) -> tuple[list[float], list[float]]:
    columns, library = UNITS + HEADS, kernel()
    weights = [
        weight * (_SCALES[at % columns - UNITS] if at % columns >= UNITS else 1)
        for at, weight in enumerate(library.weights(net)[: _SIZES[net] * columns])
    ]
    outs = library.outs(net)[: UNITS * HEADS]
    return weights, [out * _SCALES[at % HEADS] for at, out in enumerate(outs)]


def plays(name: str, hands: int = 2) -> str:
    """Return a digest of how these values play: all choices and their points in hands dealt from
    fixed seeds."""
    told = hashlib.sha256()
    for text in LESSONS[name].rules:
        match = Match.begin(parse_ruleset(text), 0)
        for number in range(hands):
            hand, chance = match.deal(seed=number), Random(number)
            while not hand.over:
                found = choices(View(hand.to_move, hand, match))
                told.update("".join(f"{each.move} {each.points}\n" for each in found).encode())
                # Mostly the best move, so that games go as usual.
                hand = hand.apply(found[0 if chance.random() < 0.9 else -1].move)
            after = match.record(hand.result) if hand.result is not None else match
            match = after if not after.finished else Match.begin(match.rules, 0)
    return told.hexdigest()[:32]
