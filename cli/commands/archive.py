"""`ginpeer archive`: pack the matches with a friend into one file, or restore them from it.

An archive can be given to anyone: it contains logs and evidence, never a key, a seed or an address.
A copy of the whole home, which --with-key makes, is for its owner alone, and is encrypted with a
passphrase.
"""

from __future__ import annotations

import os
import time
from argparse import Namespace
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from cli.commands.friends import friend_named
from cli.commands.home_and_files import as_unreadable, open_home, writable_target, write_file
from cli.program import Failure, failures_of
from cli.terminal.output import print_lines
from cli.terminal.questions import FILE_VARIABLE, ask_new_passphrase, ask_passphrase, with_retries
from cli.text.grammar import plural
from cli.text.match_list import status_text
from ginpeer.match_store.archive import (
    ArchiveChoice,
    RestoreReport,
    archived_files,
    choose_matches,
    restore_archive,
)
from ginpeer.names import safe, safe_quote
from ginpeer.record import UnreadableLog
from ginpeer.store import Home, StoreError
from ginpeer.store.archive_file import BadArchive, pack_archive, unpack_archive
from ginpeer.store.home_archive import is_home_copy, pack_home, unpack_home
from protocol.crypto.identity import fingerprint

_LETTERS = 9  # how many letters of a fingerprint a file name contains


def run_archive(args: Namespace) -> int:
    if sum(each is not None for each in (args.friend, args.restore, args.with_key)) != 1:
        raise Failure(
            "usage",
            "Name the friend whose matches you want to pack, or a file after --restore or "
            "--with-key.",
        )
    home = open_home(args.home)
    copied = args.restore is not None and is_home_copy(Path(args.restore))
    if args.with_key is not None or copied:
        with failures_of(BadArchive), failures_of(StoreError):
            if copied:
                return _restore_home(home, Path(args.restore))
            return _pack_home(home, args.with_key, replace=args.replace)
    home.remember()
    with as_unreadable(), failures_of(BadArchive), failures_of(StoreError):
        return _pack(home, args) if args.restore is None else _restore(home, args.restore)


def _pack(home: Home, args: Namespace) -> int:
    friend = friend_named(args.home, args.friend)
    start = fingerprint(friend.key)[:_LETTERS].strip("-")
    named = args.file or f"ginpeer-matches-{start}.zip"  # without a name that others chose
    writable_target(named, replace=args.replace)
    chosen = choose_matches(home, friend.key)
    if not chosen.packed:
        raise Failure(
            "nothing-to-pack",
            f"No finished match with {safe_quote(friend.called, 60)} is stored here.",
        )
    packed = pack_archive(about(chosen), archived_files(home, chosen))
    shown = write_file(named, packed, args.replace)
    print_lines(f"{_matches(len(chosen.packed))} packed into {shown}", kept=[shown])
    if chosen.unfinished:
        names = _names(each.match.short for each in chosen.unfinished)
        print_lines(
            f"Left out as unfinished: {names}. A match you can continue must be in one place only."
        )
    if chosen.invalid:
        names = _names(each.match.short for each in chosen.invalid)
        print_lines(f"Left out, because the log can't be read or isn't valid: {names}.")
    return 0


def _pack_home(home: Home, named: str, *, replace: bool) -> int:
    target = writable_target(named, replace=replace)
    key = home.identity_file
    if key.is_sealed() is None:
        raise Failure("nothing-to-pack", "This home has no key yet, so there is nothing to copy.")
    for place in filter(os.path.exists, (target, *target.parents)):
        if os.path.samefile(place, home.path) or os.path.samefile(place, key.path):
            raise Failure("usage", "The copy can't be inside the home that it copies.")
    packed = pack_home(home.path, ask_new_passphrase(os.environ), os.urandom)
    shown = write_file(named, packed, replace, private=True)
    print_lines(f"{_HOME_PACKED} {shown}", ONE_AT_A_TIME, kept=[shown])
    return 0


def _restore_home(home: Home, path: Path) -> int:
    def unpacked() -> int:
        with failures_of(StoreError):
            return unpack_home(home.path, path, lambda: ask_passphrase(what="this copy"))

    logs = unpacked() if os.environ.get(FILE_VARIABLE) else with_retries(unpacked)
    print_lines(
        f"Your key, friends, settings and {_matches(logs)} have been restored.", ONE_AT_A_TIME
    )
    return 0


def _restore(home: Home, named: str) -> int:
    done = RestoreReport()
    if not os.path.lexists(named):  # before anything is created in the home
        raise UnreadableLog("no-such-log", f"There is no file {safe(named, 200)}.")
    try:
        restore_archive(home, unpack_archive(Path(named)), done)
    except (BadArchive, UnreadableLog, StoreError):
        if done.written:
            print_lines(
                f"Restored before the error: {_names(done.written)}. Run the command again to "
                "restore the rest."
            )
        raise
    print_lines(f"{plural(len(done.written), 'file')} restored.")
    if done.identical:
        count = plural(len(done.identical), "identical file was", "identical files were")
        print_lines(f"{count} already here.")
    left_out = left_out_line(done)
    if done.refused:
        print_lines(*([left_out] if left_out else []))
        first, *others = done.refused  # files that aren't the logs that their names claim
        have = "has" if len(others) == 1 else "have"
        also = f" {plural(len(others), 'other file')} in it {have} the same problem."
        raise BadArchive(first + also if others else first)
    if left_out:
        raise Failure("archive-differs", left_out)
    return 0


# --- sentences --------------------------------------------------------------------------

_SHOWN = 20  # how many names a sentence lists

_HOME_PACKED = (
    "Your key, friends, settings and matches have been packed, locked with that passphrase, into"
)
ONE_AT_A_TIME = (
    "The key is now in more than one place. Play on one machine at a time: two copies that play "
    "the same match could sign two different moves for the same turn, and that counts as cheating."
)


def about(chosen: ArchiveChoice) -> str:
    """Return the text that describes an archive, which depends only on the matches in it."""
    lines = [
        "Matches of gin rummy, packed by ginpeer.",
        "",
        'Each file in the folder "matches" is the signed log of a match, byte for byte, or',
        "evidence that goes with one. ginpeer archive --restore puts them into a home;",
        "ginpeer verify checks each.",
        "The results below are what the last entries of each log claim.",
        "",
    ]
    # A ZIP file keeps times in units of two seconds. Sorting by these gives restored matches the
    # same order.
    for listed in sorted(chosen.packed, key=lambda one: (one.match.modified // 2, one.match.name)):
        day = time.strftime("%Y-%m-%d", time.gmtime(listed.match.modified))
        claimed = status_text(replace(listed, own=None))  # the archive's reader isn't "you"
        lines.append(f"{listed.match.name}  {day}  {claimed}")
    return "\n".join((*lines, ""))


def left_out_line(done: RestoreReport) -> str:
    told = []
    if done.conflicting:
        told.append(
            f"Not restored, because different files are already here: {_names(done.conflicting)}. "
            "The files here are unchanged."
        )
    if done.continuing:
        told.append(
            "Not restored, because ginpeer might continue from an old copy: "
            f"{_names(done.continuing)}. This home still has notes or seeds of what you played, "
            "but no log."
        )
    if done.without_log:
        told.append(
            f"Evidence that was not restored: {_names(done.without_log)}. Evidence needs the log "
            "of its match from the same archive, and is never added to a match that you played."
        )
    return " ".join(told)


def _matches(count: int) -> str:
    return plural(count, "match", "matches")


def _names(found: Iterable[str]) -> str:
    names = list(found)
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
