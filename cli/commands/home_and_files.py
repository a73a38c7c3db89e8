"""Find what a command line names: the home folder, a log (by its file or its match's short name) or
a new file. Also show the progress of slow work, such as judging a log."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from cli.program import USAGE, Failure, failures_of, own_command
from cli.text.cards import Style, style_for
from cli.text.grammar import plural
from ginpeer.names import NO_KNOWN_NAMES, KnownNames, safe
from ginpeer.record import CachedVerdict, Record, UnreadableLog, unreadable_verdict
from ginpeer.referee.referee import Verdict
from ginpeer.store import Home, LogSource, StoreError, files
from ginpeer.store.small_files import Settings, read_settings

_BOT_HOME = "bot"


class UnreadableFile(Failure):
    """Raised when a named log can't be read. `verdict` is the verdict on such a log."""

    def __init__(self, code: str, sentence: str, failing_entry: int | None = None) -> None:
        super().__init__(code, sentence, USAGE)
        self.verdict = unreadable_verdict(code, sentence, failing_entry)


def open_home(given: str | None) -> Home:
    with failures_of(StoreError):
        return Home.locate(given, os.environ)


def bot_keys(home: Home) -> frozenset[bytes]:
    """Return the key of the practice bot, whose home is inside ours; empty if it has no key."""
    try:
        key = Home(home.path / _BOT_HOME).identity_file.load(None)
    except StoreError:
        return frozenset()
    return frozenset(() if key is None else {key.public})


def own_style(home: str | None, *, words: bool = False) -> Style:
    """Return the style of standard output, with the words and colours that our player prefers."""
    settings = Settings()
    with suppress(StoreError, ValueError):
        settings = read_settings(Home.locate(home, os.environ).path)
    return replace(style_for(sys.stdout), words=words or settings.words, four=settings.four_colours)


def known_names(home: str | None) -> KnownNames:
    """Return our player's names for others, or none if they can't be read."""
    try:
        return Home.locate(home, os.environ).known_names(time.time)
    except (StoreError, ValueError):
        return NO_KNOWN_NAMES


def with_own_seeds(record: Record, home: str | None) -> Record:
    try:
        return record.with_home(Home.locate(home, os.environ))
    except (StoreError, ValueError):  # without readable seeds, the log is all that we show
        return record


def open_record(named: str, home: str | None, *, snapshot: bool = False) -> Record:
    """Return the record of the log in this file, or else of the stored match with this name.

    `verdict_on` opens the log, and only once, because some systems can read /dev/stdin from its
    beginning only once. With *snapshot*, the log is read now, so that the same bytes are judged
    and shown even if the file changes. Raises UnreadableFile.
    """
    with as_unreadable():
        source = LogSource.of(_path_named(named, home))
        return Record(source.snapshot() if snapshot else source)


def verdict_on(record: Record, *, steps: bool = False) -> Verdict:
    """Judge a record, showing the progress on a terminal. *steps*: keep what is needed to walk
    through the steps afterwards. Raises UnreadableFile if there is no log, or no entry can be
    read."""
    with as_unreadable(), progress_line() as tell:

        def show(number: int, read: int, size: int) -> None:
            tell(f"{plural(number + 1, 'entry', 'entries')}, {100 * read // size}%")

        return record.judge(show, steps=steps)


@contextmanager
def remember_verdict(record: Record, given: str | None) -> Iterator[None]:
    """Save the verdict found within this block for the list of matches, if this log is stored."""
    match, home = None, None
    with suppress(StoreError, ValueError):
        home = Home.locate(given, os.environ)
        match = home.stored_at(Path(record.name).absolute())
    yield
    if home is not None and match is not None and record.typed is None:
        home.remember()
        home.cache(match, CachedVerdict.of(record.verdict))
        home.save_cache()


@contextmanager
def as_unreadable() -> Iterator[None]:
    """End the command with `UnreadableFile` if a log can't be read."""
    try:
        yield
    except UnreadableLog as why:
        raise UnreadableFile(why.code, why.sentence, why.entry) from why
    except StoreError as why:
        raise UnreadableFile(why.code, why.sentence) from why


def _path_named(named: str, home: str | None) -> Path:
    """Return the path of the file or stored match. Raises UnreadableFile or StoreError."""
    path = Path(named)
    try:
        os.lstat(path)
        return path
    except (OSError, ValueError) as error:
        may_exist = isinstance(error, PermissionError)
    if named == "-":
        raise UnreadableFile("no-such-log", "A log can't be read from a pipe; name a file.")
    stored = Home.locate(home, os.environ).log_named(named)
    if stored is not None:
        return stored.path
    if may_exist:
        return path  # reading it says why
    raise UnreadableFile(
        "no-such-log",
        f"There is no file {safe(named, 200)}, and no stored match with that name; "
        f"{own_command(home)} logs lists your matches.",
    )


# --- files to write ---------------------------------------------------------------------


def writable_target(named: str, *, replace: bool) -> Path:
    """Return the path to write to, with links resolved. Raises Failure if the file exists and may
    not be replaced, or isn't a regular file."""
    try:
        with failures_of(StoreError), files.store_errors("write", Path(named)):
            target = Path(os.path.realpath(named))  # fails if the current folder is gone
        if not os.path.lexists(target):
            return target
    except ValueError as why:  # a NUL, or a character not allowed in file names
        raise Failure("usage", f"{safe(named, 200)} can't be a file name.") from why
    if not target.is_file():
        raise Failure("not-a-file", f"{safe(named, 200)} isn't a file that can be overwritten.")
    if not replace:
        raise _exists(named)
    return target


def write_file(
    named: str, data: bytes | memoryview, replace: bool, *, private: bool = False
) -> str:
    """Write a file completely or not at all, and return its name as it can be shown. A file that is
    replaced keeps its permissions, unless the new one is *private*."""
    target, mode = writable_target(named, replace=replace), None
    with suppress(OSError):  # a new file
        mode = None if private else target.stat().st_mode & 0o777
    with failures_of(StoreError):
        if not files.write_atomically(target, data, replace=replace, mode=mode):
            raise _exists(named)
    return safe(named, 200)


def _exists(named: str) -> Failure:
    return Failure("file-exists", f"{safe(named, 200)} already exists; --replace overwrites it.")


# --- the progress of slow work --------------------------------------------------------

_PROGRESS_DELAY = 2.0  # seconds of work before progress is shown
_PROGRESS_INTERVAL = 0.5  # seconds between updates


@contextmanager
def progress_line() -> Iterator[Callable[[str], None]]:
    """Yield a function that shows the progress of slow work, in one line on standard error. The
    line appears only after some seconds, isn't updated too often, and is erased at the end.
    Without a terminal, the function shows nothing."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda line: None
        return
    begun = told = time.monotonic()
    wide = 0  # columns that earlier lines have filled

    def tell(line: str) -> None:
        nonlocal told, wide
        now = time.monotonic()
        if now - begun > _PROGRESS_DELAY and now - told > _PROGRESS_INTERVAL:
            told = now
            wide = max(wide, len(line))
            print(f"\r{line:<{wide}}", end="", file=sys.stderr, flush=True)

    try:
        yield tell
    finally:
        if wide:
            print(f"\r{' ' * wide}\r", end="", file=sys.stderr, flush=True)
