"""What was learned from stored logs, so that it need not be learned again: a cache of facts about
them, and beside each log a mark that says how much of it was verified here.

The cache is one file of rows, and rows are only ever added to its end.

Rule 1: it can be thrown away, and is never the only copy. It decides nothing that the log would
        not decide, and ginpeer verify never uses it: whoever can write the home can write it, too.
Rule 2: what was read from a file counts only for that file: with the same size, the same inode
        and, to the nanosecond, the same modification and change times. Resetting a file's
        modification time updates its change time, so a hidden edit shows.
Rule 3: it never makes a command fail or wait. Nothing is synced, but each row has a checksum. It
        covers the version of the program as well, since another one may have judged differently.
        If most rows don't count, the file is written anew.

The mark says how many of a log's entries need not be verified again when the match is resumed:

  .verified   {"version": 1, "entries": their number, "mac": 64 hex digits}

Rule 4: a mark counts only for the very same bytes. Its MAC covers the entries and the version of
        this program, under a key that only our identity key yields. Whoever can forge it could
        play in our name anyway (PROTOCOL B.11).
Rule 5: a mark is written only for entries that a referee in this process has admitted, or that
        an earlier mark covers. If it can't be written, only time is lost.
Rule 6: a mark only lets `Seat.restore` skip signatures and proofs. The rules are applied again, and
        `verify` and `replay` never use it.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Final

from ginpeer import __version__
from ginpeer.store import files
from ginpeer.store.files import StoreError
from ginpeer.store.json_files import of_32_bytes, plain, read_record, within, write_json
from protocol.crypto.hashing import derive_seed, framed_hash
from protocol.crypto.identity import IdentityKey
from protocol.entry import MAX_LOG_ENTRIES

INDEX_NAME: Final = "log_index.txt"
_EARLIER_NAME: Final = "log_index.sqlite"  # of versions up to 1.21; no version reads it any longer
_MAX_BYTES: Final = 256 * 1024 * 1024
_MAX_TEXT: Final = 256 * 1024  # characters in one row
_ROWS_AT_ONCE: Final = 256  # rows that are written together


class LogIndex:
    """Texts about logs: one for each kind and name, with the stamp of the file that it was read
    from. A text is one line without tabs, as are kind, name and stamp."""

    def __init__(self, home: Path) -> None:
        self._path = home / INDEX_NAME
        self._worn = False  # whether most of the file's rows no longer count
        self._new: dict[tuple[str, str], tuple[str, str]] = {}

    def lookup(self, kind: str, name: str, stamp: str) -> str | None:
        """Return the last text of this kind under this name; None if its stamp isn't this one."""
        found = self._notes.get((kind, name))
        return found[1] if found is not None and found[0] == stamp else None

    def note(self, kind: str, name: str, stamp: str, said: str) -> None:
        if not stamp or len(said) > _MAX_TEXT:
            return
        if self._notes.get((kind, name)) != (stamp, said):
            self._notes[kind, name] = self._new[kind, name] = (stamp, said)
        if len(self._new) >= _ROWS_AT_ONCE:
            self.flush()

    @cached_property
    def _notes(self) -> dict[tuple[str, str], tuple[str, str]]:
        found: dict[tuple[str, str], tuple[str, str]] = {}
        try:
            rows = files.read_small(self._path, _MAX_BYTES).splitlines()
        except FileNotFoundError:
            return found
        except OSError:  # it may be too large
            self._worn = True
            return found
        for row in rows:
            check, _, text = row.partition(b"\t")
            with suppress(ValueError):  # a row that isn't ours
                kind, name, stamp, said = text.decode("ascii").split("\t")
                if check == _sum(text):
                    found[kind, name] = (stamp, said)
        self._worn = 2 * len(found) < len(rows)
        return found

    def flush(self) -> None:
        """Write the new texts. The index is only a cache, so failures are ignored."""
        if not self._new or self._path.is_symlink():  # a link may lead to somebody else's file
            return
        with suppress(OSError):
            files.unlink(self._path.with_name(_EARLIER_NAME))
        with suppress(OSError):
            fd = files.create_or_open(self._path)
            try:
                if not files.try_lock(fd):
                    return  # another process is writing; the next flush comes soon
                if self._worn:
                    files.truncate(fd, 0)
                rows = self._notes if self._worn else self._new
                files.write_at(fd, files.size_of(fd), b"".join(map(_row, rows.items())))
                self._worn, self._new = False, {}
            finally:
                files.close(fd)


def _row(note: tuple[tuple[str, str], tuple[str, str]]) -> bytes:
    text = "\t".join((*note[0], *note[1])).encode("ascii")
    return b"\n%s\t%s" % (_sum(text), text)  # the first \n ends a row that a crash may have torn


def _sum(text: bytes) -> bytes:
    digest = hashlib.sha256(f"{__version__}\0".encode() + text)
    return digest.hexdigest()[:32].encode("ascii")


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
