"""`ginpeer practice`: play against the bot, over a connection inside this process.

cli.commands.play lists the exit statuses."""

from __future__ import annotations

from argparse import Namespace

from cli.commands.rules import typed_rules
from cli.match.identity import ask_name_once
from cli.match.one_match import MatchPlan, OneMatch
from cli.match.practice import practise
from ginpeer.seat.seat import Options


def run_practice(args: Namespace) -> int:
    options = Options(typed_rules(" ".join(args.rules) or "standard"))
    ask_name_once(args)
    match = OneMatch(args, MatchPlan("host", options, practice=True))
    return match.run(lambda: practise(match))
