"""Matches of two players on mirrored deals: each pair of matches is played on the same decks, once
from either seat, so that luck of the deal counts for both. A pair is one observation."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from ginpeer.rules import STANDARD, Match, Move, RuleSet, View

Bytes = Callable[[int], bytes]
Player = Callable[[View, Bytes], Move]


@dataclass
class Tally:
    """What came of the pairs, as the first player counts them: of each the part of its two matches
    that was won, and the points less the other's a hand; and the seconds that each choice took."""

    won: list[float] = field(default_factory=list)
    points: list[float] = field(default_factory=list)
    seconds: tuple[list[float], list[float]] = field(default_factory=lambda: ([], []))

    @staticmethod
    def of(numbers: Sequence[float]) -> tuple[float, float]:
        """The mean, and its standard error."""
        mean = sum(numbers) / len(numbers)
        spread = sum((number - mean) ** 2 for number in numbers) / max(1, len(numbers) - 1)
        return mean, math.sqrt(spread / len(numbers))

    def taken(self, player: int) -> tuple[float, float]:
        """Milliseconds a choice of player 0 or 1: the mean, and what 99 of 100 stay below."""
        taken = sorted(self.seconds[player])
        return 1000 * sum(taken) / len(taken), 1000 * taken[len(taken) * 99 // 100]

    def add(self, other: "Tally") -> None:
        self.won += other.won
        self.points += other.points
        for mine, more in zip(self.seconds, other.seconds, strict=True):
            mine += more


def pair(players: tuple[Player, Player], seed: str, rules: RuleSet = STANDARD) -> Tally:
    """Two matches on the same decks, each player once in either seat."""
    tally, won, points, hands = Tally(), 0.0, 0, 0
    for first in (0, 1):
        match, number = Match.begin(rules, 0), 0
        draws = [Random(f"{seed} {first} {seat}").randbytes for seat in (0, 1)]
        while not match.finished:
            number += 1
            hand = match.deal(seed=f"{seed} {number}")
            while not hand.over:
                who = (hand.to_move + first) % 2  # which player sits there
                view = View(hand.to_move, hand, match)
                began = time.perf_counter()
                move = players[who](view, draws[who])
                tally.seconds[who].append(time.perf_counter() - began)
                hand = hand.apply(move)
            match = match.after(hand)
            if hand.result is not None and hand.result.winner is not None:
                mine = (hand.result.winner + first) % 2 == 0
                points += hand.result.points if mine else -hand.result.points
        hands += number
        won += 0.5 if match.winner is None else float((match.winner + first) % 2 == 0)
    tally.won.append(won / 2)
    tally.points.append(points / hands)
    return tally
