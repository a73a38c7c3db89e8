"""The journal of a match that is being played, which makes a crash harmless. Also reads our own
log, without the part that a power cut has left unfinished.

Rule 1: `append` returns when the entry is durable, or raises. Only after it returns may the entry
        be sent or shown. A seed is durable before anything made from it is sent.
Rule 2: after any failure the journal is closed for good. Its last write is undone if the disk
        allows that. If not, reopening finds either a torn record, which is dropped, or a whole
        one, which then counts: it is signed, and was never sent in another form. That record may
        be in memory only, whatever a second fsync reports, so it is rewritten in place before
        it counts. Everything before it was synced without an error; otherwise no journal would
        have continued after it.
        (Rejected: one sync for a received entry and our answer to it. A draw would take three
        syncs instead of four. But then a power cut could damage an entry that is followed by a
        whole, signed one, and `read_own_log` relies on only the last record being in doubt.)
Rule 3: entries are never removed, except by `cut_back`. Only practice calls it: there, both logs
        of the match are ours.
Rule 4: only one process uses a journal at a time. The log file itself is locked while a journal is
        open, so a crash can't leave a lock file behind; the log can still be read. On a network
        drive, a lock might not stop another machine, so nothing is written to a file that another
        program has changed.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from pathlib import Path
from typing import BinaryIO, Final

from ginpeer.referee.transitions import identity_of
from ginpeer.store import files, log
from ginpeer.store.files import StoreError, UnreadableLog, printable
from ginpeer.store.log import LogFile, LogReader
from ginpeer.store.match_files import (
    CLOSING_SUFFIX,
    EVIDENCE_SUFFIXES,
    LOG_SUFFIX,
    MAX_HAND,
    MAX_NOTES_BYTES,
    NOTES_SUFFIX,
    SEED_BYTES,
    SEEDS_HEADER,
    SEEDS_SUFFIX,
    MatchNotes,
    file_stem,
    read_seeds,
    seed_line,
)
from protocol.crypto.identity import BadPublicKey
from protocol.entry import NotAnEntry, RawEntry, record_bytes

# --- the end of our own log after a power cut -----------------------------------------
#
# An entry is written with one call and synced before we use it, so only the last record can be in
# doubt. What is left of that record may be
#
#   - a beginning (the file ends inside the record), which every reader reports as torn;
#   - all its bytes, but with some blocks zeroed, because the file had grown before its blocks were
#     written. If a zeroed block contained the record's length, the rest can look like records of
#     any length.
#
# The second kind looks like damage. Two conditions together distinguish it. First, the rest of the
# file is no longer than one record can be, and contains a block of zeros. Second, that rest doesn't
# begin with an entry that one of the two players has signed. Then the entry was never sent or
# shown, and we drop it. We rejected two alternatives: dropping everything unsigned, because a log
# whose last entry has rotted must not be cut silently; and a checksum in each record, because the
# signature already is one. Verifying a log still reports damage as damage.

BLOCK: Final = 512
"""Bytes in a block. A disk writes whole blocks of this size, or of a multiple of it."""
_LONGEST_RECORD: Final = log.LENGTH_BYTES + log.MAX_ENTRY_BYTES
_ALWAYS_ZERO: Final = 2  # the first bytes of any record: no entry that is played has 64 KiB


def read_own_log(path: Path) -> LogFile:
    """Read our own log. What a power cut may have left of its last record is reported as torn."""
    with log.open_regular_file(path) as file, log.unreadable_errors(path):
        return read_own_open_log(file, path)


def read_own_open_log(file: BinaryIO, path: Path) -> LogFile:
    """Read an open log as `read_own_log` does. May raise OSError as well."""
    reader = LogReader(file, path)
    entries = tuple(reader)
    if reader.fault is None and reader.good_end + reader.torn != reader.size:
        raise OSError(0, "only part of it could be read")  # else what wasn't read would be cut off
    lengths = (log.LENGTH_BYTES + len(entry) for entry in entries)
    starts = tuple(accumulate(lengths, initial=len(log.MAGIC)))  # and the end of the last one
    sound = _sound(entries, starts, reader.size)
    if sound < len(entries) or reader.fault is not None:
        start = starts[sound]
        file.seek(start)
        rest = file.read(_LONGEST_RECORD + 1)
        if reader.size - start <= _LONGEST_RECORD and _has_zero_block(rest, start):
            return LogFile(entries[:sound], reader.size - start, start)
    if reader.fault is not None:
        raise reader.fault
    return LogFile(entries, reader.torn, reader.good_end)


def _sound(entries: Sequence[bytes], starts: Sequence[int], size: int) -> int:
    """Return the number of entries, without those at the end that neither player has signed. Look
    back by at most the length of one record."""
    keys = {key for entry in entries[:2] if (key := _key_in(entry)) is not None}
    number = len(entries)
    while (
        number
        and size - starts[number - 1] <= _LONGEST_RECORD
        and not _signed(entries[number - 1], keys)
    ):
        number -= 1
    return number


def _key_in(entry: bytes) -> bytes | None:
    message = log.message_in(entry)
    try:
        return None if message is None else identity_of(message)
    except BadPublicKey:
        return None


def _signed(entry: bytes, keys: Iterable[bytes]) -> bool:
    try:
        return any(map(RawEntry.split(entry).is_signed_by, keys))
    except NotAnEntry:
        return False


def _has_zero_block(data: bytes, start: int) -> bool:
    """Return whether some block of these bytes is all zeros. They begin with a record, at offset
    *start* of the file. In the first and last block, only these bytes count."""
    first = BLOCK - start % BLOCK
    borders = (0, *range(first, len(data), BLOCK), len(data))
    blocks = (data[at:end] for at, end in pairwise(borders) if max(at, _ALWAYS_ZERO) < end)
    return any(not any(block) for block in blocks)


# --- the journal of a match ------------------------------------------------------------


class Journal:
    """An open match, locked for this process. Call `create` or `reopen` to get one. `entries` and
    `seeds` are the contents of the files; `path` is the log."""

    def __init__(self, path: Path, fd: int, notes: MatchNotes) -> None:
        self.path = path
        self.notes = notes
        self.entries: list[bytes] = []
        self.seeds: dict[int, bytes] = {}
        self._fd = fd
        self._seeds_fd = -1
        self._ends: dict[Path, int] = {}  # where our last write to each file ended
        self._open = True

    # --- opening -----------------------------------------------------------------------

    @classmethod
    def create(cls, folder: Path, notes: MatchNotes) -> Journal:
        """Create a new match in `folder`. On failure, leave no file behind and raise `StoreError`.

        The log's name is taken first, so that only one of two processes succeeds. Its first bytes
        are written last, so that a readable log always has its notes. After a failure, our files
        are unlinked before the lock is released, so a process that was waiting for the lock sees
        that the file no longer has a name.
        """
        path = folder / (file_stem(notes.table) + LOG_SUFFIX)
        files.make_folder(folder)
        if not os.path.lexists(path):
            _refuse_seeds_without_log(path.with_suffix(SEEDS_SUFFIX))
        with files.store_errors("create", path):
            fd = files.create_or_open(path)
        journal = cls(path, fd, notes)
        with journal._closed_on_failure():
            try:
                journal._lock()
                with files.store_errors("read", path):
                    journal._refuse_stored()
            except StoreError as why:
                with contextlib.suppress(OSError):
                    # Without locks, each attempt would leave an empty file.
                    if why.code != "match-in-use" and files.size_of(fd) == 0:
                        files.unlink(path)
                raise
            try:
                with files.store_errors("create", path):
                    files.truncate(fd, 0)
                    files.write_atomically(journal._notes_path, notes.encode(), replace=True)
                    files.write_atomically(journal._seeds_path, SEEDS_HEADER, replace=True)
                    journal._seeds_fd = files.open_for_writing(journal._seeds_path)
                    _append(fd, log.MAGIC)
                    files.sync_folder(folder)
                    journal._note_ends()
            except StoreError:
                for made in (path, journal._seeds_path, journal._notes_path):
                    # Windows can't delete an open file, but one without entries is harmless.
                    with contextlib.suppress(OSError):
                        files.unlink(made)
                raise
        return journal

    @classmethod
    def reopen(cls, path: Path) -> Journal:
        """Reopen a stored match. Raises `StoreError` or `UnreadableLog`. A torn last record or seed
        is cut off; nothing else changes. The log keeps its modification time,
        which shows when the match was last played."""
        with files.store_errors("open", path):
            try:
                fd = files.open_for_writing(path)
            except FileNotFoundError:
                raise StoreError("no-such-match", f"There is no match {printable(path)}.") from None
        unread = MatchNotes(b"", "host", "", b"", (), 0)
        journal = cls(path, fd, unread)
        with journal._closed_on_failure():
            journal._lock()
            with files.store_errors("open", path):
                journal._read_back()
        return journal

    @staticmethod
    def is_in_use(path: Path) -> bool:
        """Return whether a running ginpeer, perhaps this one, is playing the match of this log."""
        return files.is_locked(path)

    @contextlib.contextmanager
    def _closed_on_failure(self) -> Iterator[None]:
        """Close the journal if this block fails (rule 2)."""
        try:
            yield
        except (StoreError, UnreadableLog):
            self.close()
            raise

    def _lock(self) -> None:
        with files.store_errors("lock", self.path):
            # A file that has lost its name is no longer the match's file: it was given up.
            ours = files.try_lock(self._fd) and files.has_name(self._fd, self.path)
        if not ours:
            raise StoreError(
                "match-in-use",
                f"The match {printable(self.path)} is already open in another window or program "
                "on this machine. Continue there, or close that one and try again.",
            )

    def _refuse_stored(self) -> None:
        """Raise StoreError if the match is already stored. A file without entries, left by a crash
        in `create`, doesn't count."""
        try:
            held = self._stored().entries
        except UnreadableLog as why:
            size = files.size_of(self._fd)
            if why.code == "empty-log" or (why.code == "not-a-log" and size <= len(log.MAGIC)):
                return
            raise StoreError(
                "match-exists", f"The name of this match is already taken: {why.sentence}"
            ) from why
        if held:
            raise StoreError(
                "match-exists",
                f"A match with this table id is already stored in {printable(self.path)}.",
            )

    def _stored(self) -> log.LogFile:
        # closefd: on NFS, closing any descriptor of the file would release the lock.
        with os.fdopen(self._fd, "rb", closefd=False) as file:
            return read_own_open_log(file, self.path)

    def _read_back(self) -> None:
        status = os.fstat(self._fd)
        stored = self._stored()
        last = record_bytes(stored.entries[-1]) if stored.entries else log.MAGIC
        files.write_again(self._fd, max(stored.good_end - len(last), 0), last)
        files.set_times(self.path, status.st_atime_ns, status.st_mtime_ns)
        files.sync(self._fd)
        files.sync_folder(self.path.parent)
        self.entries = list(stored.entries)
        try:
            self.notes = MatchNotes.decode(files.read_small(self._notes_path, MAX_NOTES_BYTES))
            if file_stem(self.notes.table) != self.path.stem:
                raise ValueError("the notes of another match")
        except (FileNotFoundError, ValueError, RecursionError) as why:
            what = "missing" if isinstance(why, FileNotFoundError) else "damaged"
            raise StoreError(
                "bad-match-file",
                f"{printable(self._notes_path)} is {what}; the match can't continue.",
            ) from why
        self.seeds, end = read_seeds(self._seeds_path)
        self._seeds_fd = files.open_for_writing(self._seeds_path)
        last = seed_line(*[*self.seeds.items()][-1]) if self.seeds else SEEDS_HEADER
        files.write_again(self._seeds_fd, max(end - len(last), 0), last)
        files.sync(self._seeds_fd)
        self._note_ends()

    def _note_ends(self) -> None:
        self._ends = {
            self.path: files.size_of(self._fd),
            self._seeds_path: files.size_of(self._seeds_fd),
        }

    @property
    def _seeds_path(self) -> Path:
        return self.path.with_suffix(SEEDS_SUFFIX)

    @property
    def _notes_path(self) -> Path:
        return self.path.with_suffix(NOTES_SUFFIX)

    # --- storing -----------------------------------------------------------------------

    def append(self, entry: bytes) -> None:
        """Store one entry, and return when it is durable. Raises `StoreError`."""
        self._check_open()
        if not 1 <= len(entry) <= log.MAX_ENTRY_BYTES:
            raise StoreError("entry-too-long", f"An entry of {len(entry)} bytes can't be stored.")
        size = self._ends[self.path] + log.LENGTH_BYTES + len(entry)
        if size > log.MAX_LOG_BYTES or len(self.entries) >= log.MAX_ENTRIES:
            raise StoreError(
                "log-full",
                f"{printable(self.path)} is as long as a log can be; if it were longer, it "
                "couldn't be read again.",
            )
        self._store(self._fd, self.path, record_bytes(entry))
        self.entries.append(entry)

    def append_seed(self, hand: int, seed: bytes) -> None:
        """Store a hand's seed, and return when it is durable. Raises `StoreError`. Storing a second
        seed would mean dealing the hand twice."""
        self._check_open()
        if len(seed) != SEED_BYTES or not 0 <= hand <= MAX_HAND:
            raise ValueError("a seed has 32 bytes, and a hand number is not negative")
        if hand in self.seeds:
            if self.seeds[hand] == seed:
                return
            raise StoreError("seed-exists", f"Hand {hand} already has a different seed.")
        self._store(self._seeds_fd, self._seeds_path, seed_line(hand, seed))
        self.seeds[hand] = seed

    def cut_back(self, entries: int) -> None:
        """Keep only the first *entries*, and note that moves were taken back. Return when that
        is durable. Raises `StoreError`. The notes are written first, so that no cut goes
        unrecorded. All seeds are kept: the hands that were taken back are dealt from them again."""
        self._check_open()
        kept = self.entries[:entries]
        with self._closed_on_failure(), files.store_errors("write", self.path):
            self._check_unchanged(self._fd, self.path)
            self._change_notes(replace(self.notes, taken_back=True))
            closing = self.path.with_suffix(CLOSING_SUFFIX)
            with contextlib.suppress(FileNotFoundError):
                files.unlink(closing)  # it names an entry only by its number
                files.sync_folder(closing.parent)
            end = len(log.MAGIC) + sum(log.LENGTH_BYTES + len(entry) for entry in kept)
            files.truncate(self._fd, end)
            files.sync(self._fd)
            self.entries = kept
            self._ends[self.path] = end

    def note_listening(self, address: str) -> None:
        """Note the address where we wait for the guest of this match. Raises `StoreError`."""
        self._check_open()
        self._change_notes(replace(self.notes, listens=address))

    def _change_notes(self, notes: MatchNotes) -> None:
        if notes != self.notes:
            files.write_atomically(self._notes_path, notes.encode(), replace=True)
            self.notes = notes

    def forget_offer(self) -> None:
        """Close the journal, and remove its files if they contain no more than an offer. Raises
        `StoreError`. The log is removed first: if the power fails then, the other files belong to
        no match."""
        self._check_open()
        try:
            with files.store_errors("remove", self.path):
                if len(self.entries) > 1 or self._is_changed(self._fd, self.path):
                    return
                if sys.platform == "win32":  # it can't remove open files
                    self.close()
                for path in (self.path, self._seeds_path, self._notes_path):
                    files.unlink(path)
                    files.sync_folder(self.path.parent)
        finally:
            self.close()

    def close(self) -> None:
        self._open = False
        for fd in (self._fd, self._seeds_fd):
            if fd >= 0:
                files.close(fd)
        self._fd = self._seeds_fd = -1

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _is_changed(self, fd: int, path: Path) -> bool:
        """Return whether another program has written to a file, or replaced it with another."""
        return files.size_of(fd) != self._ends[path] or not files.has_name(fd, path)

    def _check_unchanged(self, fd: int, path: Path) -> None:
        if not os.path.lexists(path):
            raise StoreError(
                "match-in-use",
                f"{printable(path)} was moved or removed while the match was open. Nothing was "
                "written. If you moved it, continue the match from its new place.",
            )
        if self._is_changed(fd, path):  # the lock didn't stop that program
            raise StoreError(
                "match-in-use",
                f"Another program has changed {printable(path)}, perhaps ginpeer on another "
                "machine. Nothing was written. Continue the match in one place only.",
            )

    def _check_open(self) -> None:
        if not self._open:
            raise StoreError("store-closed", f"{printable(self.path)} was closed after an error.")

    def _store(self, fd: int, path: Path, data: bytes) -> None:
        with self._closed_on_failure(), files.store_errors("write", path):
            good_end = self._ends[path]
            self._check_unchanged(fd, path)
            try:
                _append(fd, data)
                self._ends[path] = good_end + len(data)
            except OSError:
                with contextlib.suppress(OSError):
                    files.truncate(fd, good_end)
                    files.sync(fd)
                raise


def _refuse_seeds_without_log(path: Path) -> None:
    """Raise StoreError if this file has seeds of a match whose log is missing. The log may still
    come back, perhaps from a program that synchronises the home. A crash can cause this only while
    an offer is forgotten; the host then offers a match with another id."""
    if os.path.lexists(path) and read_seeds(path)[0]:
        raise StoreError(
            "match-exists",
            f"{printable(path)} has your seeds for this match, but the log is missing. Put the log "
            "back in the same folder, or ask the host to start a new match.",
        )


def _append(fd: int, data: bytes) -> None:
    files.write_at(fd, files.size_of(fd), data)
    files.sync(fd)


def write_evidence(folder: Path, stem: str, entries: Sequence[bytes]) -> Path | None:
    """Write a separate log that ends with the illegal entry, and return its path. Evidence is never
    overwritten, and the same evidence is kept only once. Return None if nine other files exist: one
    is enough to convict, and the peer must not fill the disk. Raises `StoreError`."""
    files.make_folder(folder)
    data = log.log_bytes(entries)
    for suffix in EVIDENCE_SUFFIXES:
        path = folder / (stem + suffix)
        if files.write_atomically(path, data, replace=False):
            return path
        with contextlib.suppress(OSError):
            if files.read_small(path, log.MAX_LOG_BYTES) == data:
                return path
    return None
