"""Packs the matches with a friend into one file, and restores them, each log byte for byte.

House rules

1. Only data that can be handed to anyone is packed: logs and evidence.
2. A match that can continue is left out. A player who restored an old copy of it and played on
   would sign two entries for the same place, which would convict them.
3. A restored match gets no notes of ours. So it never continues, and it doesn't matter who made the
   archive: the log might as well have been copied here by hand.
4. Nothing is overwritten. If we still have a match's notes or seeds but not its log, restoring the
   log would let the match continue, so it is restored only if it is valid and finished (see 2).
5. Evidence ends a match. So none is put beside a match for which we have notes: it is our own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ginpeer.match_store.listing import ListedMatch, MatchList
from ginpeer.match_store.matches import (
    DecidedMatch,
    FinishedMatch,
    InvalidMatch,
    UnreadableMatch,
    keys_in,
)
from ginpeer.record import judge_log
from ginpeer.referee.referee import Finding
from ginpeer.store import Home, LogReader, UnreadableLog, files, log_file_bytes
from ginpeer.store.archive_file import PackedFile
from ginpeer.store.match_files import LOG_SUFFIX, file_stem
from protocol.entry import RawEntry


@dataclass(slots=True)
class ArchiveChoice:
    """The matches with one friend: those to archive, and those left out. Latest first."""

    packed: list[ListedMatch] = field(default_factory=list)
    unfinished: list[ListedMatch] = field(default_factory=list)
    """Left out, because they aren't finished."""
    invalid: list[ListedMatch] = field(default_factory=list)
    """Left out, because they can't be read or aren't valid."""


def choose_matches(home: Home, friend: bytes) -> ArchiveChoice:
    """Choose which stored matches with this friend to pack. Judging one may take seconds."""
    found, stored = ArchiveChoice(), MatchList(home)
    for match in stored.matches:
        if not stored.may_be_with(match, friend):
            continue
        listed = stored.listed(match)
        convicts = home.evidence_beside(match.path)
        ended = isinstance(listed.status, FinishedMatch | DecidedMatch)
        if isinstance(listed.status, UnreadableMatch | InvalidMatch):
            if listed.own is not None:  # our notes say that it was with this friend
                found.invalid.append(listed)
        elif friend in keys_in(listed.status):
            (found.packed if ended or convicts else found.unfinished).append(listed)
    home.save_cache()
    return found


def archived_files(home: Home, chosen: ArchiveChoice) -> Iterator[PackedFile]:
    """Yield the files of these matches, in the order of their names. Raises UnreadableLog."""
    for listed in sorted(chosen.packed, key=lambda listed: listed.match.name):
        match = listed.match
        paths = (match.path, *home.evidence_beside(match.path))
        for path in sorted(paths, key=lambda path: path.name):
            suffix = path.name[len(match.name) :]
            yield PackedFile(match.name, suffix, log_file_bytes(path), match.modified)


@dataclass(slots=True)
class RestoreReport:
    """The outcome for each file in an archive, by name."""

    written: list[str] = field(default_factory=list)
    identical: list[str] = field(default_factory=list)  # already stored here, with the same bytes
    conflicting: list[str] = field(default_factory=list)
    """Left out, because different files with these names are stored here."""
    continuing: list[str] = field(default_factory=list)
    """Left out, because the match could then continue (rule 4)."""
    without_log: list[str] = field(default_factory=list)
    """Evidence that was left out: its log is missing, came after it or was left out, or the match
    is one of our own."""
    refused: list[str] = field(default_factory=list)
    """For each file that isn't the log that its name claims, a sentence that says why."""


def restore_archive(home: Home, held: Iterator[PackedFile], done: RestoreReport) -> None:
    """Write the files that aren't stored yet, and record in *done* what happened to each. A match's
    log must come before its evidence. Raises StoreError, and whatever *held* raises; files written
    before that stay, and are recorded in *done*."""
    files.make_folder(home.matches)
    try:
        _restore(home, held, done)
    finally:
        files.remove_if_empty(home.matches)


def _restore(home: Home, held: Iterator[PackedFile], done: RestoreReport) -> None:
    sound: set[str] = set()
    own = {match.name for match in home.logs() if home.notes(match) is not None}
    for each in held:
        fault = _fault_of(each)
        if fault is not None:
            done.refused.append(fault)
            continue
        if each.suffix != LOG_SUFFIX and (each.match not in sound or each.match in own):
            (done.identical if _is_stored(home, each) else done.without_log).append(each.name)
            continue
        if _would_continue(home, each):
            done.continuing.append(each.name)
        elif files.write_atomically(home.matches / each.name, each.data, replace=False):
            now = (home.matches / each.name).stat().st_mtime_ns  # never in the future
            modified = min(int(each.modified * 1e9), now)
            files.set_times(home.matches / each.name, modified, modified)
            done.written.append(each.name)
            sound.add(each.match)
        elif _is_stored(home, each):
            done.identical.append(each.name)
            sound.add(each.match)
        else:
            done.conflicting.append(each.name)


def _would_continue(home: Home, log: PackedFile) -> bool:
    """Return whether we have notes or seeds but no log of this match, and this log isn't valid
    and finished. The referee judges that, since anybody may have written its last entries."""
    if not home.lost_log(log.match):
        return False
    return judge_log(LogReader.of_bytes(log.data, log.name)).finding is not Finding.VALID


def _is_stored(home: Home, each: PackedFile) -> bool:
    try:
        return log_file_bytes(home.matches / each.name) == each.data
    except UnreadableLog:
        return False


def _fault_of(each: PackedFile) -> str | None:
    """Return why this isn't the whole log of the match that it is named after; None if it is."""
    first: bytes | None = None
    try:
        log = LogReader.of_bytes(each.data, each.name)
        for entry in log:
            first = entry if first is None else first
        table = None if first is None else RawEntry.split(first).decode().table
    except ValueError:  # UnreadableLog, NotAnEntry, NotCanonical, Malformed
        return f"{each.name} in the archive is damaged, or isn't the log of a match."
    if table is None or log.fault is not None or log.torn:
        return f"The log {each.name} in the archive is incomplete."
    if file_stem(table) != each.match:
        return (
            f"The log {each.name} in the archive belongs to a different match than its name says."
        )
    return None
