"""`ginpeer logs`: the matches that are stored in the home, one line for each, the latest first."""

from __future__ import annotations

import os
import time
from argparse import Namespace

from cli.commands.home_and_log import open_home, own_names, store_failures
from cli.terminal.lines import tell
from cli.version import version
from cli.words.match_list import aside_line, match_line
from cli.words.own_command import command_for
from cli.words.own_names import OwnNames
from ginpeer.keeper.listing import MatchList
from ginpeer.keeper.standings import Unfinished
from ginpeer.names.shown import safe


def run_logs(args: Namespace) -> int:
    """Each line is printed before the next match is looked at, which can take seconds."""
    home = open_home(args.home)
    home.remember(version(), time.time)
    with store_failures():
        stored = MatchList(home)
    if not stored.matches:
        folder = safe(str(home.matches))
        tell(f"No matches are stored in {folder}.", kept=[folder])
    names = OwnNames(own_names(args.home))
    aside = 0
    for match in stored.matches:
        listed = stored.listed(match)
        tell(f"{match.short}  {match_line(listed, names)}", flush=True)
        for evidence in home.evidence(match) if stored.convicts(match) else ():
            path = safe(str(evidence))
            tell(f"  evidence against the other player: {path}", kept=[path])
        aside += isinstance(listed.standing, Unfinished) and listed.standing.aside
    stored.keep()
    if aside:
        command = command_for(args.home, os.environ)
        tell(aside_line(aside, command), kept=[command])
    return 0
