"""Remembers what was learned from stored logs: a cache of facts about them in SQLite, and beside
each log a mark that says how much of it was verified here.

Rule 1: the cache can be thrown away: everything in it can be read from the logs again. ginpeer
        verify never uses it, because whoever can write to the home can write to the cache.
Rule 2: what was read from a file counts only while the file has the same size and inode and, to
        the nanosecond, the same modification and change times. Resetting a file's modification time
        updates its change time, so a hidden edit shows.
Rule 3: the cache never makes a command fail. A file that can't be read or written, or that another
        process keeps locked for too long, counts as missing. A file that is damaged, or made by
        another version or by somebody else, is thrown away. Nothing is synced, but each row has a
        checksum: after a power cut, a row is whole or doesn't count.
Rule 4: no connection stays open. Rows are looked up in memory, so nothing is locked while a match
        is played, and two tables in one home don't wait for each other.

The mark says how many of a log's entries need not be verified again when the match is resumed:

  .verified   {"version": 1, "entries": their number, "mac": 64 hex digits}

Rule 5: a mark counts only for exactly the same bytes. Its MAC covers the entries and the version
        of this program, under a key derived from our identity key. Whoever can forge it could
        play in our name anyway (PROTOCOL B.11).
Rule 6: a mark is written only for entries that a referee in this process has admitted, or that
        an earlier mark covers. If it can't be written, only time is lost.
Rule 7: a mark only lets `Seat.restore` skip proofs. Signatures are verified and the rules applied
        again, and `verify` and `replay` never use it.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import stat
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from ginpeer import __version__
from ginpeer.store import files
from ginpeer.store.files import StoreError
from ginpeer.store.json_files import of_32_bytes, plain, read_record, within, write_json
from protocol.crypto.hashing import derive_seed, framed_hash
from protocol.crypto.identity import IdentityKey
from protocol.entry import MAX_LOG_ENTRIES

try:
    import sqlite3
except ImportError:  # some systems' Python comes without it
    sqlite3 = None  # type: ignore[assignment]

INDEX_NAME: Final = "log_index.sqlite"
_WAIT: Final = 0.25  # seconds to wait for another process, whose writes take milliseconds
_MAX_BYTES: Final = 256 * 1024 * 1024
_MAX_ROWS: Final = 50_000
_MAX_TEXT: Final = 256 * 1024  # characters in one row
_ROWS_AT_ONCE: Final = 256  # rows that are written together
_SUM_BYTES: Final = 16
_VALUE_ERRORS: Final = (ValueError, TypeError, OverflowError)
"""The errors that Python raises for values that this table never contains."""
_NOT_ITS_FAULT: Final = frozenset({3, 5, 6, 7, 8, 9, 10, 13, 14, 15, 22})
"""SQLite's primary error codes that don't mean that the file is bad: PERM, BUSY, LOCKED, NOMEM,
READONLY, INTERRUPT, IOERR, FULL, CANTOPEN, PROTOCOL, NOLFS."""
_SCHEMA: Final = (
    "CREATE TABLE told (kind TEXT NOT NULL, name TEXT NOT NULL, stamp TEXT NOT NULL, "
    "said TEXT NOT NULL, sum BLOB NOT NULL, PRIMARY KEY (kind, name)) WITHOUT ROWID"
)


class LogIndex:
    """Notes about logs: one for each kind and log, with the stamp of the file that it was read
    from. *program*: the version of ginpeer, since another version may have judged differently."""

    def __init__(self, home: Path, program: str = __version__) -> None:
        self._path = home / INDEX_NAME
        self._version = int.from_bytes(_sum(_SCHEMA, program)[:4], "big") >> 1
        self._told: dict[str, dict[str, tuple[str, str]]] = {}
        self._new: dict[tuple[str, str], tuple[str, str]] = {}

    def lookup(self, kind: str, name: str, stamp: str) -> str | None:
        """Return the note of this kind for this log if it has this stamp, or else None."""
        found = self._notes(kind).get(name)
        return found[1] if found is not None and found[0] == stamp else None

    def note(self, kind: str, name: str, stamp: str, said: str) -> None:
        if not stamp or len(said) > _MAX_TEXT:
            return
        notes = self._notes(kind)
        if notes.get(name) == (stamp, said):
            return
        notes[name] = self._new[kind, name] = (stamp, said)
        if len(self._new) >= _ROWS_AT_ONCE:
            self.flush()

    def _notes(self, kind: str) -> dict[str, tuple[str, str]]:
        if kind not in self._told:
            self._told[kind] = self._read(kind)
        return self._told[kind]

    def flush(self) -> None:
        """Write new notes. The index is only a convenience, so failures are ignored."""
        new, self._new = self._new, {}
        if new and not self._write(new):
            self._write(new)  # the first attempt has thrown away a bad file

    # --- the file ----------------------------------------------------------------------

    def _read(self, kind: str) -> dict[str, tuple[str, str]]:
        found: dict[str, tuple[str, str]] = {}
        if not self._exists() or sqlite3 is None:
            return found
        with suppress(sqlite3.Error, *_VALUE_ERRORS), closing(self._connection("ro")) as index:
            if self._is_ours(index):
                rows = index.execute(
                    "SELECT name, stamp, said, sum FROM told WHERE kind = ?", (kind,)
                )
                for name, stamp, said, check in rows:
                    if check == _sum(kind, name, stamp, said):
                        found[name] = (stamp, said)
        return found

    def _write(self, new: dict[tuple[str, str], tuple[str, str]]) -> bool:
        """Write these rows. Return False if the file was thrown away instead."""
        with suppress(OSError):
            files.close(files.create(self._path))  # private; SQLite gives its journal the same mode
        if not self._exists() or sqlite3 is None:
            return True
        try:
            with closing(self._connection("rw")) as index:
                index.execute("PRAGMA synchronous = OFF")
                index.execute("BEGIN IMMEDIATE")
                if not index.execute("SELECT name FROM sqlite_schema LIMIT 1").fetchall():
                    index.execute(_SCHEMA)
                    index.execute(f"PRAGMA user_version = {self._version}")
                keeps = self._is_ours(index)
                if keeps:
                    index.executemany(
                        "INSERT OR REPLACE INTO told VALUES (?, ?, ?, ?, ?)",
                        (
                            (kind, name, stamp, said, _sum(kind, name, stamp, said))
                            for (kind, name), (stamp, said) in new.items()
                        ),
                    )
                    index.execute("COMMIT")
        except sqlite3.Error as why:
            code = getattr(why, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
            keeps = code & 0xFF in _NOT_ITS_FAULT
        except _VALUE_ERRORS:
            keeps = False
        if keeps:
            return True
        return not self._throw_away()  # only now, since Windows removes only a closed file

    def _connection(self, mode: str) -> sqlite3.Connection:
        where = f"{self._path.as_uri()}?mode={mode}"
        index = sqlite3.connect(where, timeout=_WAIT, isolation_level=None, uri=True)
        index.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 4 * _MAX_TEXT)
        index.execute("PRAGMA trusted_schema = OFF")
        return index

    def _is_ours(self, index: sqlite3.Connection) -> bool:
        """Return whether the index was created by this version of the program, contains nothing
        that SQLite would run, like a view or a trigger, and doesn't have too many rows."""
        version = index.execute("PRAGMA user_version").fetchone()
        made = index.execute("SELECT sql FROM sqlite_schema LIMIT 2").fetchall()
        if version != (self._version,) or made != [(_SCHEMA,)]:
            return False
        (rows,) = index.execute("SELECT count(*) FROM told").fetchone()
        return bool(rows <= _MAX_ROWS)

    def _exists(self) -> bool:
        """Return whether there is a file that may be the index. Remove it if it is too large."""
        try:
            status = os.stat(self._path, follow_symlinks=False)
        except OSError:
            return False
        if status.st_size > _MAX_BYTES:
            self._throw_away()
            return False
        return stat.S_ISREG(status.st_mode)

    def _throw_away(self) -> bool:
        """Remove the index, and return whether it is gone."""
        with suppress(OSError):
            if stat.S_ISREG(os.stat(self._path, follow_symlinks=False).st_mode):
                with suppress(FileNotFoundError):
                    files.unlink(self._path.with_name(f"{INDEX_NAME}-journal"))
                files.unlink(self._path)
                return True
        return False


def _sum(*parts: str) -> bytes:
    return hashlib.sha256("\0".join(parts).encode()).digest()[:_SUM_BYTES]


# --- how much of a log was verified here -----------------------------------------------

_SUFFIX: Final = ".verified"
_MAX_MARK: Final = 4096


@dataclass(frozen=True, slots=True)
class _Mark:
    entries: Annotated[int, within(1, MAX_LOG_ENTRIES)]
    mac: Annotated[bytes, of_32_bytes]


def verified_entries(log: Path, entries: Sequence[bytes], identity: IdentityKey) -> int:
    """Return how many entries at the start of this log a valid mark covers; 0 without one."""
    mark = read_record(_Mark, log.with_suffix(_SUFFIX), _MAX_MARK, version=1)
    if mark is None or mark.entries > len(entries):
        return 0
    expected = _mac(entries[: mark.entries], identity)
    return mark.entries if hmac.compare_digest(mark.mac, expected) else 0


def mark_verified(log: Path, entries: Sequence[bytes], identity: IdentityKey) -> None:
    with suppress(OSError, StoreError):
        mark = _Mark(len(entries), _mac(entries, identity))
        write_json(log.with_suffix(_SUFFIX), {"version": 1, **plain(mark)})


def _mac(entries: Sequence[bytes], identity: IdentityKey) -> bytes:
    verified = framed_hash(
        "verified-entries",
        ("software", __version__.encode("ascii")),
        *(("entry", entry) for entry in entries),
    )
    return derive_seed(identity.secret_seed, "verified-log", verified)
