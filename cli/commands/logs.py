"""`ginpeer logs`: the matches that are stored in the home, one line each, latest first.

If our notes already show that a match wasn't asked for, its log isn't read. So the matches of one
friend, or of one day, are listed at once, whatever else is stored.
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Callable, Iterator

from cli.commands.friends import friend_named
from cli.commands.home_and_files import known_names, open_home, store_failures
from cli.commands.rules import typed_rules
from cli.program import own_command, version
from cli.terminal.output import print_lines
from cli.text.match_list import match_line, shelved_line
from cli.text.players import ClaimedNames
from ginpeer.match_store.listing import ListedMatch, MatchList
from ginpeer.match_store.match_status import UnfinishedMatch, keys_in, rules_in
from ginpeer.names.quoting import safe
from ginpeer.rules.cards import RulesError
from ginpeer.rules.ruleset import has_rules, parse_ruleset
from ginpeer.store import StoredMatch


def run_logs(args: Namespace) -> int:
    """List the stored matches. Each line is printed before the next match is read, because reading
    may take seconds. Raises Failure."""
    home = open_home(args.home)
    home.remember(version(), time.time)
    friend = None if args.friend is None else friend_named(args.home, args.friend).key
    by_rules = _asked_rules(args.rules)
    with store_failures():
        stored = MatchList(home)
    if not stored.matches:
        folder = safe(str(home.matches))
        print_lines(f"No matches are stored in {folder}.", kept=[folder])
    names = ClaimedNames(known_names(args.home))
    wide = max((len(match.short) for match in stored.matches), default=0)
    told = aside = 0
    for listed in _asked(stored, args.since, args.until, friend):
        if not by_rules(listed):
            continue
        told += 1
        print_lines(f"{listed.match.short:{wide}}  {match_line(listed, names)}", flush=True)
        for evidence in home.evidence(listed.match) if stored.convicts(listed.match) else ():
            path = safe(str(evidence))
            print_lines(f"  evidence against the other player: {path}", kept=[path])
        aside += isinstance(listed.status, UnfinishedMatch) and listed.status.aside
        if told == args.limit:
            break
    stored.keep()
    if stored.matches and not told:
        print_lines("No stored match fits.")
    if aside:
        command = own_command(args.home)
        print_lines(shelved_line(aside, command), kept=[command])
    return 0


def _asked(
    stored: MatchList, since: str | None, until: str | None, friend: bytes | None
) -> Iterator[ListedMatch]:
    """Yield the matches of these days and with this friend, in the order of the list."""
    for match in stored.matches:
        if not _was_played(match, since, until):
            continue
        if friend is None:
            yield stored.listed(match)
        elif stored.may_be_with(match, friend):
            listed = stored.listed(match)
            if friend in keys_in(listed.status):
                yield listed


def _was_played(match: StoredMatch, since: str | None, until: str | None) -> bool:
    if since is until is None:
        return True
    day = time.strftime("%Y-%m-%d", time.localtime(match.modified))
    return (since or day) <= day <= (until or day)


def _asked_rules(typed: str | None) -> Callable[[ListedMatch], bool]:
    """Return a test of whether a match was played by rules with these names and values. Raises
    Failure if the text isn't a rule set."""
    if typed is None:
        return lambda listed: True
    typed_rules(typed)
    found: dict[str, bool] = {}

    def by_them(listed: ListedMatch) -> bool:
        rules = rules_in(listed.status)
        if rules not in found:
            try:
                found[rules] = bool(rules) and has_rules(parse_ruleset(rules), typed)
            except RulesError:  # rules of a later version
                found[rules] = False
        return found[rules]

    return by_them
