"""Games of two players in which each deal is played from both sides, so that luck cancels out."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from math import sqrt
from random import Random

from ginpeer.rules import Hand, Match, Outcome, RuleSet, View, parse_ruleset
from tests.bench.players.reference import Choose

CHALLENGE = parse_ruleset("standard big-gin=none game-bonus=0 box=0 shutout=none swap-limit=1000")
"""The rules of the EAAI challenge (Neller 2021): games to 100, gin and an undercut bring 25, no big
gin, no boxes, and nobody counts swaps."""


@dataclass
class Tally:
    """What one player did against another. ``pairs`` has for each pair of games how many of the two
    it won, ``points`` what each hand brought it."""

    pairs: list[int] = field(default_factory=list)
    points: list[int] = field(default_factory=list)
    gins: int = 0
    knocks: int = 0
    undercut: int = 0
    voids: int = 0
    seconds: list[float] = field(default_factory=list)

    @property
    def games(self) -> int:
        return 2 * len(self.pairs)

    @property
    def won(self) -> tuple[float, float]:
        """The share of games won, with its standard error over pairs."""
        return _mean([won / 2 for won in self.pairs])

    @property
    def a_hand(self) -> tuple[float, float]:
        """Points a hand, with the standard error over hands, as if they were independent."""
        return _mean([float(points) for points in self.points])

    @property
    def milliseconds(self) -> tuple[float, float]:
        """For a decision, the mean and the 99th of a hundred."""
        ordered = sorted(self.seconds)
        return 1e3 * sum(ordered) / len(ordered), 1e3 * ordered[int(0.99 * len(ordered))]


def play(
    one: Choose,
    other: Choose,
    pairs: int,
    *,
    rules: RuleSet = CHALLENGE,
    seed: int = 1,
    shown: Callable[[Tally], None] = lambda tally: None,
) -> Tally:
    """So many pairs of games between two players: each game's deals come once more in its twin,
    with the players in each other's place. *shown* gets the tally after each pair."""
    tally = Tally()
    for number in range(pairs):
        won = 0
        for seat in (0, 1):
            players = (one, other) if seat == 0 else (other, one)
            won += _game(players, seat, Random(f"{seed}/{number}"), number % 2, rules, tally)
        tally.pairs.append(won)
        shown(tally)
    return tally


def _game(
    players: tuple[Choose, Choose],
    seat: int,
    deals: Random,
    dealer: int,
    rules: RuleSet,
    tally: Tally,
) -> int:
    match = Match.begin(rules, dealer)
    while not match.finished:
        hand = match.deal(seed=deals.getrandbits(60))
        while not hand.over:
            hand = _turn(players, seat, hand, match, tally)
        result = hand.result
        if result is None:
            raise AssertionError("a hand that is over has a result")
        match = match.record(result)
        tally.points.append(result.points_of(seat) - result.points_of(1 - seat))
        tally.voids += result.kind is Outcome.VOID
        if result.knocker == seat:
            tally.knocks += 1
            tally.gins += result.kind in (Outcome.GIN, Outcome.BIG_GIN)
            tally.undercut += result.winner != seat
    return int(match.winner == seat)


def _turn(
    players: tuple[Choose, Choose], seat: int, hand: Hand, match: Match, tally: Tally
) -> Hand:
    mover, begun = hand.to_move, time.process_time()
    move = players[mover](View(mover, hand, match))
    if mover == seat:
        tally.seconds.append(time.process_time() - begun)
    return hand.apply(move)


def _mean(numbers: list[float]) -> tuple[float, float]:
    count = len(numbers)
    mean = sum(numbers) / count
    if count < 2:
        return mean, 0.0
    variance = sum((number - mean) ** 2 for number in numbers) / (count - 1)
    return mean, sqrt(variance / count)
