# The journal of one match: what makes a crash harmless.
#
# Rule 1: `append` returns when the entry is durable, or raises. Only then may it be sent or
#         shown.
# Rule 2: a seed is durable before anything made from it leaves.
# Rule 3: after any failure the journal is closed for good. What it tried last is taken back where
#         the disk allows it; where not, reopening finds either a torn record, which
#         is dropped, or a whole one, which then counts: it is signed, and was never sent
#         differently. It may be in memory only, whatever a second fsync says: so what comes last
#         is written again in its place before it counts. All before it was synced without an
#         error, or no journal would have gone on behind it.
# Rule 4: one process at a time. The log file itself is locked while a journal is open, so there
#         is no lock file that a crash could leave behind; reading it stays possible.

"""Append-only storage of a match that is being played."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

from ginpeer.store import files, log, recovery
from ginpeer.store.errors import StoreError, UnreadableLog, printable, store_error
from ginpeer.store.match_files import (
    EVIDENCE_SUFFIXES,
    LOG_SUFFIX,
    MAX_HAND,
    MAX_NOTES_BYTES,
    NAME_DIGITS,
    NOTES_SUFFIX,
    SEED_BYTES,
    SEEDS_HEADER,
    SEEDS_SUFFIX,
    TABLE_ID_BYTES,
    MatchNotes,
    Role,
    file_stem,
    read_seeds,
    seed_line,
)


class Journal:
    """An open match, locked for this process. Made by `create` or `reopen`.

    `entries` and `seeds` are what the files hold; `path` is the log.
    """

    def __init__(
        self,
        path: Path,
        fd: int,
        notes: MatchNotes,
        entries: Sequence[bytes] = (),
        stored_seeds: Mapping[int, bytes] | None = None,
    ) -> None:
        self.path = path
        self.notes = notes
        self.entries = list(entries)
        self.seeds = dict(stored_seeds or {})
        self._fd = fd
        self._seeds_fd = -1
        self._open = True

    # --- opening -----------------------------------------------------------------------

    @classmethod
    def create(cls, folder: Path, notes: MatchNotes) -> Journal:
        """A new match in `folder`. Raises `StoreError`; then no file is left behind.

        The order matters: the log's name is taken first, which decides between two processes,
        and its first bytes are written last, so that a log that can be read has its notes. What
        is unlinked after a failure is ours: it goes before the lock does, and whoever waits for the
        lock sees then that the file has no name any more.
        """
        path = folder / (file_stem(notes.table) + LOG_SUFFIX)
        files.make_folder(folder)
        try:
            try:
                fd = files.create(path)
            except FileExistsError:
                fd = files.open_for_writing(path)
        except OSError as why:
            raise store_error("create", path, why) from why
        journal = cls(path, fd, notes)
        journal._lock()
        try:
            journal._refuse_stored()
        except (OSError, StoreError) as why:
            journal.close()
            if isinstance(why, OSError):
                raise store_error("read", path, why) from why
            raise
        try:
            files.truncate(fd, 0)
            files.write_atomically(journal._notes_path, notes.encode(), replace=True)
            files.write_atomically(journal._seeds_path, SEEDS_HEADER, replace=True)
            journal._seeds_fd = files.open_for_writing(journal._seeds_path)
            _append(fd, log.MAGIC)
            files.sync_folder(folder)
        except (OSError, StoreError) as why:
            for made in (path, journal._seeds_path, journal._notes_path):
                with contextlib.suppress(OSError):  # Windows keeps open ones; they hold no entry
                    files.unlink(made)
            journal.close()
            if isinstance(why, OSError):
                raise store_error("create", path, why) from why
            raise
        return journal

    @classmethod
    def reopen(cls, path: Path) -> Journal:
        """A stored match, to go on with it. Raises `StoreError` or `UnreadableLog`.

        A torn last record or seed is cut off; nothing else is changed. The log's time stays: it
        says when the match last went on.
        """
        try:
            fd = files.open_for_writing(path)
        except FileNotFoundError:
            raise StoreError("no-such-match", f"There is no match {printable(path)}.") from None
        except OSError as why:
            raise store_error("open", path, why) from why
        unread = MatchNotes(b"", "host", "", b"", (), 0)
        journal = cls(path, fd, unread)
        journal._lock()
        try:
            journal._read_back()
        except (OSError, StoreError, UnreadableLog) as why:
            journal.close()
            if isinstance(why, OSError):
                raise store_error("open", path, why) from why
            raise
        return journal

    @staticmethod
    def is_in_use(path: Path) -> bool:
        """Whether a running ginpeer, perhaps this one, plays the match of this log. It is opened
        and locked for that, and read by nobody; a log that cannot be is in nobody's use."""
        try:
            fd = files.open_for_writing(path)
        except OSError:
            return False
        try:
            return not files.try_lock(fd)
        except OSError:
            return False
        finally:
            files.close(fd)

    def _lock(self) -> None:
        try:
            # Without its name it is not the match's file any more, but one that was given up.
            ours = files.try_lock(self._fd) and files.has_name(self._fd, self.path)
        except OSError as why:
            self.close()
            raise store_error("lock", self.path, why) from why
        if not ours:
            self.close()
            raise StoreError(
                "match-in-use",
                f"Another running ginpeer is playing the match {printable(self.path)}.",
            )

    def _refuse_stored(self) -> None:
        """Only a file without an entry, which a crash in `create` has left, is taken over."""
        try:
            held = self._stored().entries
        except UnreadableLog as why:
            size = files.size_of(self._fd)
            if why.code == "empty-log" or (why.code == "not-a-log" and size <= len(log.MAGIC)):
                return
            raise StoreError(
                "match-exists", f"The name of this match is taken: {why.sentence}"
            ) from why
        if held:
            raise StoreError(
                "match-exists",
                f"A match with this table id is already stored in {printable(self.path)}.",
            )

    def _stored(self) -> log.LogFile:
        # closefd: on NFS, closing any descriptor of the file would give up the lock.
        with os.fdopen(self._fd, "rb", closefd=False) as file:
            return recovery.read_own_open_log(file, self.path)

    def _read_back(self) -> None:
        put_times_back = files.keep_times(self._fd, self.path)
        stored = self._stored()
        last = log.record_bytes(stored.entries[-1]) if stored.entries else log.MAGIC
        files.write_again(self._fd, max(stored.good_end - len(last), 0), last)
        put_times_back()
        files.sync(self._fd)
        files.sync_folder(self.path.parent)
        self.entries = list(stored.entries)
        try:
            self.notes = MatchNotes.decode(files.read_small(self._notes_path, MAX_NOTES_BYTES))
            if file_stem(self.notes.table) != self.path.stem:
                raise ValueError("the notes of another match")
        except FileNotFoundError as why:
            raise StoreError(
                "bad-match-file",
                f"{printable(self._notes_path)} is missing; the match cannot go on.",
            ) from why
        except (ValueError, RecursionError) as why:
            raise StoreError(
                "bad-match-file",
                f"{printable(self._notes_path)} is damaged; the match cannot go on.",
            ) from why
        self.seeds, end = read_seeds(self._seeds_path)
        self._seeds_fd = files.open_for_writing(self._seeds_path)
        last = seed_line(*[*self.seeds.items()][-1]) if self.seeds else SEEDS_HEADER
        files.write_again(self._seeds_fd, max(end - len(last), 0), last)
        files.sync(self._seeds_fd)

    @property
    def _seeds_path(self) -> Path:
        return self.path.with_suffix(SEEDS_SUFFIX)

    @property
    def _notes_path(self) -> Path:
        return self.path.with_suffix(NOTES_SUFFIX)

    # --- storing -----------------------------------------------------------------------

    def append(self, entry: bytes) -> None:
        """Store one entry; return when it is durable. Raises `StoreError`."""
        self._check_open()
        if not 1 <= len(entry) <= log.MAX_ENTRY_BYTES:
            raise StoreError("entry-too-long", f"An entry of {len(entry)} bytes cannot be stored.")
        self._refuse_unreadable(entry)
        self._store(self._fd, self.path, log.record_bytes(entry))
        self.entries.append(entry)

    def _refuse_unreadable(self, entry: bytes) -> None:
        """No log is written that is too long to be read again. A seat stops long before; whoever
        else stores entries stops here."""
        size = files.size_of(self._fd) + log.LENGTH_BYTES + len(entry)
        if size > log.MAX_LOG_BYTES or len(self.entries) >= log.MAX_ENTRIES:
            raise StoreError(
                "log-full",
                f"{printable(self.path)} is as long as a log may be; a longer one could not be "
                "read again.",
            )

    def append_seed(self, hand: int, seed: bytes) -> None:
        """Store a hand's seed; return when it is durable. Raises `StoreError`.

        A hand has one seed: to store another for it would mean dealing it twice.
        """
        self._check_open()
        if len(seed) != SEED_BYTES or not 0 <= hand <= MAX_HAND:
            raise ValueError("a seed has 32 bytes, and a hand number is not negative")
        if hand in self.seeds:
            if self.seeds[hand] == seed:
                return
            raise StoreError("seed-exists", f"Hand {hand} already has another seed.")
        self._store(self._seeds_fd, self._seeds_path, seed_line(hand, seed))
        self.seeds[hand] = seed

    def forget_offer(self) -> None:
        """Close, and remove what is no match: one entry at most, which the other player has not
        accepted. More than that is kept. Raises `StoreError`.

        The log goes first: without it the rest is nobody's match, whenever the power fails.
        """
        self._check_open()
        if len(self.entries) > 1:
            self.close()
            return
        removed = (self.path, self._seeds_path, self._notes_path)
        if sys.platform == "win32":  # which removes no open files
            self.close()
        try:
            for path in removed:
                files.unlink(path)
            files.sync_folder(self.path.parent)
        except OSError as why:
            raise store_error("remove", self.path, why) from why
        finally:
            self.close()

    def close(self) -> None:
        """Give the match free. What was appended is already durable."""
        self._open = False
        for fd in (self._fd, self._seeds_fd):
            if fd >= 0:
                files.close(fd)
        self._fd = self._seeds_fd = -1

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _check_open(self) -> None:
        if not self._open:
            raise StoreError("store-closed", f"{printable(self.path)} was closed after a failure.")

    def _store(self, fd: int, path: Path, data: bytes) -> None:
        try:
            good_end = files.size_of(fd)
            try:
                _append(fd, data)
            except OSError:
                with contextlib.suppress(OSError):
                    files.truncate(fd, good_end)
                    files.sync(fd)
                raise
        except OSError as why:
            self.close()
            raise store_error("write", path, why) from why


def _append(fd: int, data: bytes) -> None:
    files.write_at(fd, files.size_of(fd), data)
    files.sync(fd)


def write_evidence(folder: Path, stem: str, entries: Sequence[bytes]) -> Path | None:
    """A log file of its own that ends with the illegal entry. Raises `StoreError`.

    Evidence is never overwritten; the same evidence is kept once. None if nine others are kept
    already: one is enough to convict, and the peer must not fill the disk.
    """
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


class TableJournal:
    """Stores what a seat wants stored, from before there is a table until the end.

    The guest learns the table's id from the host's first entry, so the files are made when the
    first thing is to be stored. Every method returns only when it is durable, and raises
    `StoreError`. ``level`` is noted of a match that begins.
    """

    def __init__(self, folder: Path, role: Role, name: str, now: Callable[[], float]) -> None:
        self.journal: Journal | None = None
        self._folder = folder
        self._role: Role = role
        self._name = name
        self._now = now
        self._peer = b""
        self._addresses: tuple[str, ...] = ()
        self.level: int | None = None

    def meet(self, peer: bytes, addresses: Sequence[str]) -> None:
        """Say who sits opposite, before the first entry; it is kept for resuming."""
        self._peer = peer
        self._addresses = tuple(addresses)

    def persist(self, table: bytes, entry: bytes) -> None:
        self._at(table).append(entry)

    def persist_seed(self, table: bytes, hand: int, seed: bytes) -> None:
        self._at(table).append_seed(hand, seed)

    def persist_evidence(self, table: bytes, entries: tuple[bytes, ...]) -> None:
        """Also before there is a table: then the entries' hash names the file."""
        if len(table) == TABLE_ID_BYTES:
            stem = file_stem(table)
        else:
            stem = hashlib.sha256(b"".join(entries)).hexdigest()[:NAME_DIGITS]
        write_evidence(self._folder, stem, entries)

    def close(self) -> None:
        if self.journal is not None:
            self.journal.close()

    def _at(self, table: bytes) -> Journal:
        if self.journal is None:
            notes = MatchNotes(
                *(table, self._role, self._name, self._peer),
                *(self._addresses, int(self._now()), self.level),
            )
            self.journal = Journal.create(self._folder, notes)
        if self.journal.notes.table != table:
            raise ValueError("one journal keeps one table")
        return self.journal
