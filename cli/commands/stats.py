"""`ginpeer stats`: show statistics of this home's matches. Only verified logs are counted.

A log is verified when it is first counted, which takes seconds. It isn't verified again while its
bytes stay the same, because the home's index remembers the verdict.
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Iterator
from functools import partial

from cli.commands.friends import friend_named
from cli.commands.home_and_files import (
    bot_keys,
    known_names,
    open_home,
    progress_line,
    writable_target,
    write_file,
)
from cli.match.identity import own_identity
from cli.program import Failure, failures_of, own_command
from cli.terminal.output import print_json, print_lines
from cli.text.statistics import JUDGED, section_lines, statistics_sections
from ginpeer.match_store import noted_matches
from ginpeer.statistics.page import page
from ginpeer.statistics.summary import (
    ChoiceCounts,
    CountedLog,
    DatedLog,
    choices_in,
    stats_document,
    summarize,
    verify_log,
)
from ginpeer.store import Home, StoreError


def run_stats(args: Namespace) -> int:
    home = open_home(args.home)
    home.remember()
    friend = None if args.friend is None else friend_named(args.home, args.friend)
    if args.html is not None:
        writable_target(args.html, replace=args.replace)
    key = None if friend is None else friend.key
    with failures_of(StoreError):
        own = home.known_names(time.time).own
        if own is None and home.identity_file.is_sealed() and home.logs():
            own = _key_of(home)  # no match here says which key is ours
        logs = list(_counted(home, key))
    bots = bot_keys(home)
    summary = summarize(logs, own, friend=key, bots=bots)
    choices: list[ChoiceCounts] = []
    if not args.json and own is not None:
        with failures_of(StoreError):
            choices = list(_choices(home, own, key, bots))
    known = known_names(args.home)
    called = None if friend is None else known.display_one(friend.key, friend.called)
    title = f"Your matches with {called}" if called else "Your matches"
    sections = statistics_sections(summary, known, choices, called)
    shown = None
    if args.html is not None:
        shown = write_file(args.html, page(title, sections), args.replace)
    if args.json:
        print_json(stats_document(summary))
    elif shown is not None:
        print_lines(f"Written: {shown}")
    elif not logs and called:
        print_lines(f"No match with {called} is stored here.")
    elif not logs:
        command = own_command(args.home)
        print_lines(
            f"No matches are stored here yet; {command} practice starts one.", kept=[command]
        )
    else:
        for at, section in enumerate(sections):
            print_lines(*([""] if at else []), *section_lines(section))
    return 0


def _key_of(home: Home) -> bytes | None:
    """Return our public key; None if nobody can type its passphrase."""
    try:
        return own_identity(home).public
    except Failure as why:
        if why.code != "no-passphrase":
            raise
        return None


def _counted(home: Home, friend: bytes | None) -> Iterator[DatedLog]:
    """Yield every log that may be of a match with this friend, verified if need be."""
    noted = {match.name: notes for match, notes in noted_matches(home)}
    asked = [
        match
        for match in home.logs()
        if friend is None or match.name not in noted or noted[match.name].peer == friend
    ]
    remembered = [(match, home.cached(match, CountedLog)) for match in asked]
    unknown = sum(counted is None for _, counted in remembered)
    begun = 0
    with progress_line() as tell:

        def show(at: int, number: int, read: int, size: int) -> None:
            tell(f"verifying log {at} of {unknown}, {100 * read // size}%")

        for match, found in remembered:
            if found is None:
                begun += 1
                found = verify_log(home, match, partial(show, begun))
            notes = noted.get(match.name)
            against_bot = notes is not None and notes.is_practice
            taken_back = notes is not None and notes.taken_back
            yield DatedLog(found, match.modified, against_bot, taken_back)
    home.save_cache()


def _choices(
    home: Home, own: bytes, friend: bytes | None, bots: frozenset[bytes]
) -> Iterator[ChoiceCounts]:
    """Yield our choices in each of the latest verified matches with people. Raises StoreError."""
    seen, yielded = set[bytes](), 0
    noted = {match.name: notes for match, notes in noted_matches(home)}
    with progress_line() as tell:
        for match in home.logs():
            notes, counted = noted.get(match.name), home.cached(match, CountedLog)
            played = None if counted is None else counted.match
            if played is None or not played.finished or own not in played.keys:
                continue
            seat = played.keys.index(own)
            peer = played.keys[1 - seat]
            if peer in bots or friend not in (None, peer) or played.table in seen:
                continue
            if notes is not None and (notes.is_practice or notes.taken_back):
                continue
            seen.add(played.table)
            tell(f"analysing match {yielded + 1} of at most {JUDGED}")
            choices = choices_in(home, match, seat)
            if choices != ChoiceCounts():  # empty if the rules or unknown cards prevent an analysis
                yielded += 1
                yield choices
            if yielded == JUDGED:
                return
