"""`ginpeer host`: print an invite, wait for its guest, play.

Exit statuses; `join`, `resume` and `practice` have the same ones:

0   the match is finished and signed by both, or paused by agreement
1   the other player signed something illegal; the proof is kept beside the log
2   wrong usage: an invite, a name, rules or an address that can't be used
4   the match ended early, or never began: somebody left, the connection was lost, nobody came, the
    guest declined the rules. Whatever was played is in the log
70  a fault of this machine (a full disk, say); everything stored until then is kept
130 Ctrl-C was pressed a second time while leaving
129, 143 SIGHUP or SIGTERM, and the program couldn't leave in good order; what was stored is kept
141 nobody reads our output any more; our player left the table and the log is kept
"""

from __future__ import annotations

import time
from argparse import Namespace
from dataclasses import replace
from itertools import chain

from cli.commands.friends import friend_named
from cli.commands.home_and_files import known_names, open_home, store_failures
from cli.commands.match_options import (
    check_one_each,
    remembered_ways,
    typed_host_options,
    typed_options,
    typed_ways,
    ways_of_match,
)
from cli.match.club import Club, check_club
from cli.match.hosting import host_club, host_match
from cli.match.one_match import MatchPlan, OneMatch
from cli.match.practice import is_practice
from cli.match.route import check_may_tell
from cli.match.sitting import ask_name_once, own_faults
from cli.program import own_command
from cli.terminal.questions import can_ask
from cli.text.shelved_match import opponent
from ginpeer.match_store import LoadedMatch, active_matches, just_played
from ginpeer.rules.ruleset import PRESETS
from ginpeer.store import Journal, Peer


def run_host(args: Namespace) -> int:
    _take_friend_from_rules(args)
    rules = " ".join(args.rules)
    if args.hands is not None:
        rules = f"{rules} hands={args.hands}"
    options = typed_options(rules, args.disclose)
    check_one_each("--advertise", args.advertise, args.friend)
    friend, ways = None, typed_ways(args, "host")
    if args.friend is not None:
        friend = friend_named(args.home, args.friend)
        check_may_tell(friend, direct=args.direct)
    last = None if args.new else _match_to_come_back_to(args, friend)
    listens = None if last is None else last.notes.listens
    known = () if friend is None else friend.ways
    saved = ways_of_match(known, listens, for_anybody=friend is None)
    if friend is None and last is not None:
        whom = opponent(last, known_names(args.home))
        as_before = remembered_ways(args, saved, "host", f"the port of your match with {whom}")
    else:
        as_before = remembered_ways(args, saved, "host")
    hides = "" if args.direct else None
    host_options = replace(typed_host_options(args, ways), friend=friend, hides=hides)
    is_club = check_club(args, own_command(args.home))
    ask_name_once(args)
    plan = MatchPlan("host", options, ways=ways, as_before=as_before)
    match = OneMatch(args, plan)
    if is_club:
        club = Club(match, args, options)
        return match.run(lambda: host_club(match, host_options, club), club)
    return match.run(lambda: host_match(match, host_options))


def _match_to_come_back_to(args: Namespace, friend: Peer | None) -> LoadedMatch | None:
    """Return the latest match for which a guest (this friend, if there is one) may come back: to
    continue it or, if it has just ended, to play another."""
    home, key = open_home(args.home), None if friend is None else friend.key
    home.remember()
    with own_faults():
        ended = just_played(home, time.time()) if can_ask() and not args.bot else None
        latest = () if ended is None or key not in (None, ended.notes.peer) else (ended,)
        for stored in chain(latest, active_matches(home, "host", key)):
            if not is_practice(stored) and not Journal.is_in_use(stored.match.path):
                return stored
    return None


def _take_friend_from_rules(args: Namespace) -> None:
    """Read the last of several rules as a friend, if it names one: in "host --rules oklahoma Ben",
    argparse takes the name for a rule."""
    *rules, last = args.rules
    if args.friend is not None or not rules or last in PRESETS or "=" in last:
        return
    with store_failures():
        if open_home(args.home).known_peers(time.time).find(last):
            args.rules, args.friend = rules, last
