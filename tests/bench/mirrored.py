"""Play games in which each deal is played from both sides, so that luck cancels out, and sum up the
results in a row of numbers. A pair of games is one observation."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from math import sqrt
from random import Random

from ginpeer.rules import Hand, Match, Move, Outcome, RuleSet, View, parse_ruleset

CHALLENGE = parse_ruleset("standard big-gin=none game-bonus=0 box=0 shutout=none swap-limit=1000")
"""The rules of the EAAI challenge (Neller 2021): games to 100, 25 points for gin and for an
undercut, no big gin, no boxes, no limit on swaps."""

Choose = Callable[[View], Move]
Maker = Callable[[str], Choose]
"""A function that makes a player for one game, whose random choices come from the given seed."""

CHUNK = 5  # pairs that a process plays before it reports them

HEAD = (
    f"{'games':>6}{'won':>7}{'s.e.':>6}{'points a hand':>15}{'s.e.':>6}"
    f"{'knocks':>8}{'gin':>6}{'undercut':>10}{'void':>6}{'ms':>8}{'p99':>8}"
)
"""The heading of the rows. It gives the share of hands in which the first player knocked; of those
knocks, the shares that were gin and undercut; the share of hands that nobody won; and the
milliseconds of the first player's decisions, mean and p99."""


@dataclass
class Tally:
    """One player's results against another. For each pair, ``pairs`` has the number of games that
    the player won, and ``points`` has the result of each hand."""

    pairs: list[float] = field(default_factory=list)
    points: list[list[int]] = field(default_factory=list)
    gins: int = 0
    knocks: int = 0
    undercut: int = 0
    voids: int = 0
    seconds: list[float] = field(default_factory=list)

    @property
    def games(self) -> int:
        return 2 * len(self.pairs)

    @property
    def hands(self) -> int:
        return sum(map(len, self.points))

    @property
    def won(self) -> tuple[float, float]:
        """Return the share of games won, with its standard error, computed over pairs."""
        share = sum(self.pairs) / self.games
        return share, self._error([won / 2 - share for won in self.pairs])

    @property
    def a_hand(self) -> tuple[float, float]:
        """Return the points per hand, with the standard error computed over pairs, because the
        hands of a pair share deals."""
        mean = sum(map(sum, self.points)) / self.hands
        each = self.hands / len(self.pairs)
        return mean, self._error([(sum(pair) - mean * len(pair)) / each for pair in self.points])

    @property
    def milliseconds(self) -> tuple[float, float]:
        """Return the mean and the 99th percentile of the time for a decision."""
        ordered = sorted(self.seconds)
        return 1e3 * sum(ordered) / len(ordered), 1e3 * ordered[int(0.99 * len(ordered))]

    def add(self, other: Tally) -> None:
        """Add the results of other pairs."""
        self.pairs += other.pairs
        self.points += other.points
        self.gins += other.gins
        self.knocks += other.knocks
        self.undercut += other.undercut
        self.voids += other.voids
        self.seconds += other.seconds

    @staticmethod
    def _error(differences: list[float]) -> float:
        """Return the standard error of a mean from which the pairs have these differences."""
        count = len(differences)
        return sqrt(sum(each**2 for each in differences) / max(1, count - 1) / count)


def row(tally: Tally) -> str:
    """Return the figures for the columns of HEAD."""
    (won, error), (points, about) = tally.won, tally.a_hand
    (mean, late), hands, knocks = tally.milliseconds, tally.hands, tally.knocks or 1
    return (
        f"{tally.games:>6}{100 * won:>6.1f}%{100 * error:>6.1f}{points:>+15.2f}{about:>6.2f}"
        f"{100 * tally.knocks / hands:>7.0f}%{100 * tally.gins / knocks:>5.0f}%"
        f"{100 * tally.undercut / knocks:>9.0f}%{100 * tally.voids / hands:>5.0f}%"
        f"{mean:>8.2f}{late:>8.2f}"
    )


def play(
    one: Maker,
    other: Maker,
    pairs: int,
    *,
    rules: RuleSet = CHALLENGE,
    seed: str = "1",
    first: int = 0,
) -> Tally:
    """Play this many pairs of games, numbered from *first*. Both games of a pair have the same
    deals, with the players swapped. A pair's number seeds all its randomness."""
    tally = Tally()
    for number in range(first, first + pairs):
        won = 0.0
        tally.points.append([])
        for seat in (0, 1):
            makers = (one, other) if seat == 0 else (other, one)
            players = [make(f"{seed}/{number}/{seat}/{at}") for at, make in enumerate(makers)]
            won += _game(players, seat, Random(f"{seed}/{number}"), number % 2, rules, tally)
        tally.pairs.append(won)
    return tally


def played_apart(
    one: Maker, other: Maker, pairs: int, *, rules: RuleSet, seed: str, jobs: int
) -> Tally:
    """Play the same pairs in several processes. The makers must be functions that another process
    can find by name."""
    tally = Tally()
    with ProcessPoolExecutor(jobs) as pool:
        some = partial(_some, one, other, pairs, rules, seed)
        for more in pool.map(some, range(0, pairs, CHUNK)):
            tally.add(more)
    return tally


def _some(one: Maker, other: Maker, pairs: int, rules: RuleSet, seed: str, first: int) -> Tally:
    return play(one, other, min(CHUNK, pairs - first), rules=rules, seed=seed, first=first)


def _game(
    players: list[Choose], seat: int, deals: Random, dealer: int, rules: RuleSet, tally: Tally
) -> float:
    match = Match.begin(rules, dealer)
    while not match.finished:
        hand = match.deal(seed=deals.getrandbits(60))
        while not hand.over:
            hand = _turn(players, seat, hand, match, tally)
        match = match.after(hand)
        result = hand.result
        if result is None:
            raise AssertionError("a hand that is over has a result")
        tally.points[-1].append(result.points_of(seat) - result.points_of(1 - seat))
        tally.voids += result.kind is Outcome.VOID
        if result.knocker == seat:
            tally.knocks += 1
            tally.gins += result.kind in (Outcome.GIN, Outcome.BIG_GIN)
            tally.undercut += result.winner != seat
    return 0.5 if match.winner is None else float(match.winner == seat)


def _turn(players: list[Choose], seat: int, hand: Hand, match: Match, tally: Tally) -> Hand:
    mover, begun = hand.to_move, time.process_time()
    move = players[mover](View(mover, hand, match))
    if mover == seat:
        tally.seconds.append(time.process_time() - begun)
    return hand.apply(move)
