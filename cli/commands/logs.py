"""`ginpeer logs`: list the matches stored in the home, one row each, latest first; or describe one
of them in sentences.

If our notes already show that a match wasn't asked for, its log isn't read. So the matches of one
friend, or of one day, are listed quickly, no matter how many others are stored.
"""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterator

from cli.commands.friends import friend_named
from cli.commands.home_and_files import known_names, open_home
from cli.commands.rules import typed_rules
from cli.program import failures_of, own_command
from cli.terminal.output import print_lines, terminal_columns, width_of
from cli.text.cards import style_for
from cli.text.grammar import plural
from cli.text.match_list import ClaimedNames, MatchRow, match_line, match_row
from ginpeer.match_store.listing import ListedMatch, MatchList
from ginpeer.match_store.matches import UnfinishedMatch, keys_in, rules_in
from ginpeer.names import safe
from ginpeer.rules.cards import RulesError
from ginpeer.rules.ruleset import has_rules, parse_ruleset
from ginpeer.store import Home, StoredMatch, StoreError

_WITH, _RESULT = 14, 24
"""The widths of the columns for the opponent and the result. A row is printed before the next match
is read, so no width depends on a later row."""

_CUT = "..."


def run_logs(args: Namespace) -> int:
    """Print each row before the next match is read, because reading may take seconds."""
    home = open_home(args.home)
    home.remember()
    named = _match_named(home, args.friend)
    friend = None if args.friend is None or named else friend_named(args.home, args.friend).key
    by_rules = _asked_rules(args.rules)
    with failures_of(StoreError):
        stored = MatchList(home)
    if not stored.matches:
        folder = safe(str(home.matches))
        print_lines(f"No matches are stored in {folder}.", kept=[folder])
    names = ClaimedNames(known_names(args.home))
    wide = max((len(match.short) for match in stored.matches), default=0)
    columns, bold = terminal_columns(sys.stdout), style_for(sys.stdout).colour
    shown = shelved = 0
    for listed in _asked(stored, args.since, args.until, friend, named):
        if not by_rules(listed):
            continue
        shown += 1
        if named is not None:
            print_lines(f"{listed.match.short}  {match_line(listed, names)}")
        else:
            name = f"{listed.match.short:{wide}}"
            row = row_text(name, match_row(listed, names), columns=columns, bold=bold)
            print_lines(row, whole=True, flush=True)
        for each in home.evidence_beside(listed.match.path):
            path = safe(str(each))
            print_lines(f"  evidence that a player broke the rules: {path}", kept=[path])
        if isinstance(listed.status, UnfinishedMatch):
            shelved += listed.status.shelved
        if shown == args.limit:
            break
    home.save_cache()
    if stored.matches and not shown:
        print_lines("None of your matches fits these options.")
    if shelved:
        command = own_command(args.home)
        matches = plural(shelved, "unfinished match is", "unfinished matches are")
        print_lines(
            f"{matches} shelved; to continue {'it' if shelved == 1 else 'one'}, type {command} "
            "resume and its short name.",
            kept=[command],
        )
    return 0


def row_text(name: str, row: MatchRow, *, columns: int | None, bold: bool) -> str:
    """Return a row of the table that fits into *columns*; None: any number. *bold*: whether to
    print it in bold if it is our player's turn. If the row is too long, leave out first the blanks
    that align the columns, and then words at the end of the rules. If not even the first word fits,
    put the rules on a row of their own."""
    begun = f"{name}  {row.when}  {row.players}"
    after_players = max(0, _WITH - width_of(row.players))
    after_result = max(0, _RESULT - width_of(row.result))
    rules, below = row.rules, ""
    if columns is not None:
        room = columns - 1 - width_of(f"{begun}  {row.result}  ")
        rules = _cut_at_word(rules, room)
        blanks = max(0, room - len(rules))
        after_players = min(after_players, blanks)
        after_result = min(after_result, blanks - after_players)
        if row.rules and not rules:
            indent = " " * (width_of(name) + len("  "))
            below = f"\n{indent}{_cut_at_word(row.rules, columns - 1 - len(indent)) or row.rules}"
    result = f"{row.result}{' ' * after_result}"
    text = f"{begun}{' ' * after_players}  {result}  {rules}".rstrip() + below
    return f"\x1b[1m{text}\x1b[0m" if bold and row.is_ours else text


def _cut_at_word(rules: str, room: int) -> str:
    """Return the rules, or as many of their words as fit, with dots; empty if no word fits."""
    if len(rules) <= room:
        return rules
    kept = rules[: max(0, room - len(_CUT)) + 1].rpartition(" ")[0]
    return kept + _CUT if kept else ""


def _match_named(home: Home, text: str | None) -> StoredMatch | None:
    """Return the match with this short name, unless a friend has that name."""
    if text is None:
        return None
    with failures_of(StoreError):
        if home.known_peers(time.time).find(text):
            return None
        return home.log_named(text)


def _asked(
    stored: MatchList,
    since: str | None,
    until: str | None,
    friend: bytes | None,
    named: StoredMatch | None,
) -> Iterator[ListedMatch]:
    """Yield the matches from these days with this friend, in list order, or only the named one."""
    for match in stored.matches:
        if named is not None and match.name != named.name:
            continue
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
    if typed is None:
        return lambda listed: True
    typed_rules(typed)

    def by_them(listed: ListedMatch) -> bool:
        rules = rules_in(listed.status)
        try:
            return bool(rules) and has_rules(parse_ruleset(rules), typed)
        except RulesError:  # rules of a later version
            return False

    return by_them
