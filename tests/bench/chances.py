"""`python -m tests.bench.chances [--matches N] [--rules RULES] [--seed S]`: are the stated chances
of winning right?

The bot plays itself in games to a number of points. After each move, `win_chance` says how likely
the player who moved is to win the game, judging by what that player saw. The table compares this
with how often that player won, in ten classes from 0 to 100 %. `both` is the mean of the latest
chances that both players saw, which is what a page draws. Moves of one game share its winner, so a
class is about as accurate as the number of its games, not of its moves.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from random import Random

from ginpeer.adviser.advise import choose, win_chance
from ginpeer.adviser.value_model import score_chance
from ginpeer.rules import Match, RuleSet, View, parse_ruleset

Forecast = tuple[int, bool]
"""A chance in thousandths, and whether the player won."""


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m tests.bench.chances")
    options.add_argument("--matches", type=int, default=500)
    options.add_argument("--rules", default="standard")
    options.add_argument("--seed", default="chances")
    typed = options.parse_args()
    rules = parse_ruleset(typed.rules)
    own: list[Forecast] = []
    both: list[Forecast] = []
    for number in range(typed.matches):
        match, said = played(rules, Random(f"{typed.seed} {number}"))
        won = match.winner
        own += [(chances[seat], seat == won) for seat, chances in said]
        both += [((chances[0] + 1000 - chances[1]) // 2, won == 0) for _, chances in said]
    print(f"{typed.matches} matches, {rules}, seed {typed.seed}")
    for name, forecasts in (("own", own), ("both", both)):
        print_table(name, forecasts)


def played(rules: RuleSet, rng: Random) -> tuple[Match, list[tuple[int, tuple[int, int]]]]:
    """Play a match; return it, and for each move the seat and both seats' latest chances."""
    match = Match.begin(rules, rng.randrange(2))
    said = []
    while not match.finished:
        hand = match.deal(seed=rng.getrandbits(64))
        now = [score_chance(match, seat) or 0 for seat in (0, 1)]
        while not hand.over:
            view = View(hand.to_move, hand, match)
            move = choose(view)
            chance = win_chance(view, move)
            if chance is not None:
                now[view.seat] = chance
                said.append((view.seat, (now[0], now[1])))
            hand = hand.apply(move)
        match = match.after(hand)
    return match, said


def print_table(name: str, forecasts: list[Forecast]) -> None:
    brier = sum((chance / 1000 - true) ** 2 for chance, true in forecasts) / len(forecasts)
    print(f"{name}: {len(forecasts)} moves, Brier score {brier:.4f}")
    for low, among in classes(forecasts):
        mean = sum(chance for chance, _ in among) / len(among) / 10
        came = 100 * sum(true for _, true in among) / len(among)
        print(
            f"  {low:3} to {low + 10:3} %: {len(among):7} moves, said {mean:4.1f}, won {came:4.1f}"
        )


def classes(forecasts: list[Forecast]) -> Iterator[tuple[int, list[Forecast]]]:
    for low in range(0, 100, 10):
        among = [forecast for forecast in forecasts if min(9, forecast[0] // 100) * 10 == low]
        if among:
            yield low, among


if __name__ == "__main__":
    main()
