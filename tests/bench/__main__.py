"""`python -m tests.bench [ROUNDS]`: every number with a goal, in one table."""

import platform
import sys

from protocol.crypto import group
from protocol.crypto.shuffle import argument_bytes
from tests.bench import deadwood, deck, engine, match, openspiel, timing

WIDTH = 46


def line(name, *columns):
    print(f"{name:<{WIDTH}}" + "".join(f"{column:>10}" for column in columns))


def main(rounds: int) -> None:
    group.require_constant_time()
    v, prices, rows = deck.run(rounds)
    print(
        f"ginpeer bench: group {group._backend.name}, Python {platform.python_version()}, "
        f"{platform.machine()}, processor time of all threads, medians of {rounds} rounds"
    )
    print()
    line("V, one multiplication of a variable element", f"{v * 1e6:.1f} us")
    for name, price in prices.items():
        line(f"  {name}, each", "", f"{price:.2f} V")
    print()
    line("deck", "ms", "V", "goal V", "mult.", "base", "add.")
    for row in rows:
        line(
            row.name,
            f"{row.milliseconds:.1f}",
            f"{row.v:.0f}",
            row.goal or "",
            row.calls["multiplications"],
            row.calls["base"],
            row.calls["additions"],
        )
    print()
    line("match", "measured", "goal")
    for n, goal in deck.PROOF_GOALS.items():
        line(f"shuffle argument, {n} cards", f"{argument_bytes(n):,}", f"{goal:,}")
    for name, number in match.run().items():
        line(name, f"{number:,.1f}".removesuffix(".0"), match.GOALS.get(name, ""))
    print()
    line("rules", "measured", "goal")
    for name, rate in deadwood.run().items():
        line(name, f"{rate:,}", "100,000" if "10 cards" in name else "30,000")
    print()
    line("random hands per second, one core", "measured", "of std.", "goal")
    for name, (rate, ratio) in engine.run().items():
        goal = f"{engine.GOAL:,}" if name == "standard" else ""
        line(name, f"{rate:,}", f"{ratio:.2f}", goal)
    print()
    print(*openspiel.lines(), sep="\n")
    print()
    line("a bot's time to move tells, as AUC", "can knock", "deadwood", "turns", "ms")
    for name, leak in timing.run().items():
        line(
            f"  {name}",
            f"{leak.could_knock:.2f}",
            f"{leak.deadwood:.2f}",
            leak.turns,
            f"{leak.mean:.0f}",
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 11)
