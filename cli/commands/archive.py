"""`ginpeer archive`: a friend's matches packed into one file, and read back.

What is packed can be given to anyone: logs and evidence, never a key, a seed or an address.
"""

from __future__ import annotations

import time
from argparse import Namespace
from pathlib import Path

from cli.commands.friends import friend_named
from cli.commands.home_and_log import UnreadableFile, open_home, store_failures
from cli.commands.new_file import writable_target, write_file
from cli.failure import USAGE, Failure
from cli.terminal.lines import print_lines
from cli.version import version
from cli.words.archive import (
    about,
    left_out_line,
    packed_lines,
    put_back_lines,
    refused_line,
    stopped_lines,
)
from ginpeer.keeper.archive import PutBack, choose, files_of, put_back
from ginpeer.names.shown import in_marks, safe
from ginpeer.record import UnreadableLog
from ginpeer.store import Home, StoreError
from ginpeer.store.packed_matches import BadArchive, packed, unpacked
from protocol.crypto.identity import fingerprint

_LETTERS = 9  # of a fingerprint, in the name of a file


def run_archive(args: Namespace) -> int:
    """Pack, or read back. Raises Failure."""
    if (args.restore is None) is (args.friend is None):
        raise Failure("usage", "Name a friend whose matches to pack, or a file after --restore.")
    home = open_home(args.home)
    home.remember(version(), time.time)
    try:
        with store_failures():
            return _pack(home, args) if args.restore is None else _restore(home, args.restore)
    except BadArchive as why:
        raise Failure(why.code, why.sentence, USAGE) from why
    except UnreadableLog as why:
        raise UnreadableFile(why.code, why.sentence, why.entry) from why


def _pack(home: Home, args: Namespace) -> int:
    friend = friend_named(args.home, args.friend)
    start = fingerprint(friend.key)[:_LETTERS].strip("-")
    named = args.file or f"ginpeer-matches-{start}.zip"  # no name that somebody else has chosen
    writable_target(named, replace=args.replace)
    chosen = choose(home, friend.key)
    if not chosen.packed:
        raise Failure(
            "nothing-to-pack",
            f"No finished match with {in_marks(friend.called, 60)} is stored here.",
            USAGE,
        )
    write_file(named, packed(about(chosen), files_of(home, chosen)), args.replace)
    print_lines(*packed_lines(chosen, safe(named, 200)), kept=[safe(named, 200)])
    return 0


def _restore(home: Home, named: str) -> int:
    done = PutBack()
    try:
        put_back(home, unpacked(Path(named)), done)
    except (BadArchive, UnreadableLog, StoreError):
        print_lines(*stopped_lines(done))
        raise
    print_lines(*put_back_lines(done))
    left_out = left_out_line(done)
    if done.refused:
        print_lines(*([left_out] if left_out else []))
        raise BadArchive(refused_line(done))
    if left_out:
        raise Failure("archive-differs", left_out, USAGE)
    return 0
