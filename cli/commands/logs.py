"""`ginpeer logs`: the matches that are stored in the home, one line for each, the latest first."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Sequence

from cli.commands.home_and_log import open_home, own_names, store_failures
from cli.terminal.lines import tell
from cli.words.match_list import aside_line, match_line
from cli.words.own_command import command_for
from cli.words.own_names import OwnNames
from ginpeer.keeper.listing import MatchList, Unfinished
from ginpeer.names.shown import safe

_SHORT = 6
"""Digits of a match's short name that are shown, where they are enough to tell all apart."""


def run_logs(args: Namespace) -> int:
    """Each line is printed before the next match is looked at, which can take seconds."""
    home = open_home(args.home)
    with store_failures():
        stored = MatchList(home)
    if not stored.matches:
        folder = safe(str(home.matches))
        tell(f"No matches are stored in {folder}.", kept=[folder])
    digits = _digits_to_tell_apart([match.name for match in stored.matches])
    names = OwnNames(own_names(args.home))
    aside = 0
    for match in stored.matches:
        listed = stored.listed(match)
        tell(f"{match.name[:digits]}  {match_line(listed, names)}", flush=True)
        for evidence in home.evidence(match):
            path = safe(str(evidence))
            tell(f"  evidence against the other player: {path}", kept=[path])
        aside += isinstance(listed.standing, Unfinished) and listed.standing.aside
    if aside:
        command = command_for(args.home, os.environ)
        tell(aside_line(aside, command), kept=[command])
    return 0


def _digits_to_tell_apart(names: Sequence[str]) -> int:
    longest = max(map(len, names), default=_SHORT)
    for digits in range(_SHORT, longest):
        if len({name[:digits] for name in names}) == len(names):
            return digits
    return longest
