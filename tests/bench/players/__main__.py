"""`python -m tests.bench.players`: the bot against players to measure by, in one table.

Each row says how many games of mirrored pairs the first player won, with the standard error over
pairs; points a hand; of its knocks how many were gin and how many undercut; and the time that it
took to decide.
"""

from __future__ import annotations

import argparse
import sys

from ginpeer.bot import choose
from ginpeer.rules import parse_ruleset
from tests.bench.players import reference, version_1_0
from tests.bench.players.mirrored import CHALLENGE, Tally, play
from tests.bench.players.reference import Choose

PLAYERS: dict[str, Choose] = {
    "bot": choose,
    "version-1.0": version_1_0.choose,
    "at-once": reference.at_once,
    "simple": reference.Simple(1),
    "gin-only": reference.gin_only,
}
HEAD = (
    f"{'games':>6}{'won':>7}{'s.e.':>6}{'points':>8}{'s.e.':>6}"
    f"{'knocks':>8}{'gin':>6}{'undercut':>10}{'void':>6}{'ms':>7}{'p99':>7}"
)


def row(tally: Tally) -> str:
    """The numbers of one match-up."""
    (won, error), (points, about) = tally.won, tally.a_hand
    (mean, late), hands = tally.milliseconds, len(tally.points)
    knocks = tally.knocks or 1
    return (
        f"{tally.games:>6}{100 * won:>6.1f}%{100 * error:>6.1f}{points:>+8.2f}{about:>6.2f}"
        f"{100 * tally.knocks / hands:>7.0f}%{100 * tally.gins / knocks:>5.0f}%"
        f"{100 * tally.undercut / knocks:>9.0f}%{100 * tally.voids / hands:>5.0f}%"
        f"{mean:>7.2f}{late:>7.2f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.players", description=__doc__)
    parser.add_argument("--player", default="bot", choices=PLAYERS)
    parser.add_argument("--against", nargs="*", choices=PLAYERS, default=list(PLAYERS))
    parser.add_argument("--games", type=int, default=1_000, help="with each; an even number")
    parser.add_argument("--rules", help="a rule set; without it those of the EAAI challenge")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rules = CHALLENGE if options.rules is None else parse_ruleset(options.rules)
    print(f"{options.player}, {rules}")
    print(f"{'':<14}{HEAD}")
    for name in options.against:

        def shown(tally: Tally, name: str = name) -> None:
            if sys.stderr.isatty() and len(tally.pairs) % 10 == 0:
                print(f"\r{name:<14}{row(tally)}", end="", file=sys.stderr, flush=True)

        tally = play(
            *(PLAYERS[options.player], PLAYERS[name], max(1, options.games // 2)),
            rules=rules,
            seed=options.seed,
            shown=shown,
        )
        print(f"{name:<14}{row(tally)}", flush=True)


main()
