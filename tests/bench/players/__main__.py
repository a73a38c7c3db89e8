"""`python -m tests.bench.players`: the bot against its benchmark players, in one table.

Each row says how many games of mirrored pairs the first player won, and its points per hand, with
the standard errors over pairs; how many of its knocks were gin and how many were undercut; and how
long its decisions took. NAME can also be the folder of a checkout, for the bot of that version: for
an earlier one, `git worktree add ../before COMMIT`, and `--against ../before`. FOLDER:CLASS is a
Java player of the EAAI challenge, from the folder with its package `ginrummy`, for example
`../gin-rummy-eaai:ginrummy.SimpleGinRummyPlayer`.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from ginpeer.rules import parse_ruleset
from tests.bench.mirrored import CHALLENGE, HEAD, played_apart, row
from tests.bench.players.checkout import is_checkout
from tests.bench.players.java import is_java_player
from tests.bench.players.named import PLAYERS, named


def _player(text: str) -> str:
    """Return a name from PLAYERS or of a Java player, or the full path of a folder."""
    if text in PLAYERS or is_java_player(text):
        return text
    if not is_checkout(text):
        raise argparse.ArgumentTypeError(
            f"{text} is neither the folder of a checkout nor one of {', '.join(PLAYERS)}"
        )
    return str(Path(text).resolve())


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.players", description=__doc__)
    parser.add_argument("--player", default="bot", type=_player, metavar="NAME")
    parser.add_argument("--against", nargs="*", type=_player, default=PLAYERS, metavar="NAME")
    parser.add_argument("--games", type=int, default=1_000, help="with each; an even number")
    parser.add_argument("--rules", help="a rule set; without it those of the EAAI challenge")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--jobs", type=int, default=1, help="processes that play at once")
    options = parser.parse_args()
    rules = CHALLENGE if options.rules is None else parse_ruleset(options.rules)
    print(f"{options.player}, {rules}")
    print(f"{'':<14}{HEAD}")
    for name in options.against:
        told, pairs, one, other = "", max(1, options.games // 2), options.player, name
        for tally in played_apart(
            named(one), named(other), pairs, rules=rules, seed=options.seed, jobs=options.jobs
        ):
            told = f"{re.split(r'[/.:]', name)[-1]:<14}{row(tally)}"
            if sys.stderr.isatty():
                print(f"\r{told}", end="", file=sys.stderr, flush=True)
        if sys.stderr.isatty():
            print("\r", end="", file=sys.stderr)
        print(told, flush=True)


if __name__ == "__main__":
    main()
