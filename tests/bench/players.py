"""`python -m tests.bench.players --against FOLDER:CLASS ...`: the bot against other players.

Each row says how many games of mirrored pairs the first player won, and its points per hand, with
the standard errors over pairs; how many of its knocks were gin, how many were undercut, and how
long its decisions took. A player is the bot, one of its levels (level-1, ...), or a Java player of
the EAAI challenge, from the folder with its package `ginrummy`: for example
`../gin-rummy-eaai:ginrummy.SimpleGinRummyPlayer`.
"""

from __future__ import annotations

import argparse
import re
from functools import partial
from random import Random

from ginpeer.adviser.advise import choose
from ginpeer.adviser.levels import BEST, player_at
from ginpeer.rules import parse_ruleset
from tests.bench.java_player import JavaPlayer, is_java_player
from tests.bench.mirrored import CHALLENGE, HEAD, Choose, Maker, played_apart, row

PLAYERS = ("bot", *(f"level-{number}" for number in range(1, BEST)))


def named(name: str) -> Maker:
    """Return a Maker for the player with this name. Another process can look it up."""
    return partial(_made, name)


def _made(name: str, seed: str) -> Choose:
    if name == "bot":
        return choose
    if name in PLAYERS:
        return player_at(int(name.removeprefix("level-")), Random(seed).randbytes)
    return JavaPlayer(name)


def _player(text: str) -> str:
    if text not in PLAYERS and not is_java_player(text):
        raise argparse.ArgumentTypeError(
            f"{text} is neither a Java player's FOLDER:CLASS nor one of {', '.join(PLAYERS)}"
        )
    return text


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.players", description=__doc__)
    parser.add_argument("--player", default="bot", type=_player, metavar="NAME")
    parser.add_argument("--against", nargs="+", type=_player, default=PLAYERS, metavar="NAME")
    parser.add_argument("--games", type=int, default=1_000, help="with each; an even number")
    parser.add_argument("--rules", help="a rule set; without it those of the EAAI challenge")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--jobs", type=int, default=1, help="processes that play at once")
    options = parser.parse_args()
    rules = CHALLENGE if options.rules is None else parse_ruleset(options.rules)
    print(f"{options.player}, {rules}\n{'':<14}{HEAD}")
    for name in options.against:
        makers, pairs = (named(options.player), named(name)), max(1, options.games // 2)
        tally = played_apart(*makers, pairs, rules=rules, seed=options.seed, jobs=options.jobs)
        print(f"{re.split(r'[/.:]', name)[-1]:<14}{row(tally)}", flush=True)


if __name__ == "__main__":
    main()
