# The log file.
#
#   file   = magic record*
#   magic  = "ginlog1\n" (8 bytes)
#   record = length (4 bytes, big-endian, 1 to 128 Ki) entry (length bytes, as it was signed)
#
# A log may come from anybody: a friend's mail, a web page, a prank. So before anything else
# it is asked what kind of file it is (no FIFO or device is waited for), every size is
# checked before memory is taken for it, and the whole is bounded. Whether the entries are
# any good is the referee's to say; here they are bytes.
#
# A file may end in the middle of a record: our own, cut by a power failure, or one that was
# shortened. That is reported as `torn`, not as an error: what comes before is still a log.
# Some file systems fill the torn end with zeros, and a length of zero is no record: zeros up to
# the end are torn too.

"""The log file's format, and reading one that a stranger may have written."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from ginpeer.store import files
from ginpeer.store.errors import UnreadableLog, code_of, reason_of, shown

MAGIC: Final = b"ginlog1\n"
LENGTH_BYTES: Final = 4
MAX_ENTRY_BYTES: Final = 128 * 1024  # a frame's cap: nothing longer can have been played
MAX_LOG_BYTES: Final = 64 * 1024 * 1024  # some 400 hands; a match to 100 has about 1 MB
MAX_ENTRIES: Final = 2**17  # 400 hands have some 40,000


@dataclass(frozen=True, slots=True)
class LogFile:
    """What a log file holds.

    `torn` counts the bytes of an unfinished last record, 0 if the file ends cleanly; `good_end`
    is the offset where the last whole record ends.
    """

    entries: tuple[bytes, ...]
    torn: int
    good_end: int


def record(entry: bytes) -> bytes:
    """One entry as it stands in the file. The caller has checked its length."""
    return len(entry).to_bytes(LENGTH_BYTES, "big") + entry


def log_bytes(entries: Sequence[bytes]) -> bytes:
    """A whole log file."""
    return MAGIC + b"".join(record(entry) for entry in entries)


def read_log(path: Path | str) -> LogFile:
    """The entries of a log file. Raises `UnreadableLog`, whatever `path` turns out to be."""
    path = Path(path)
    try:
        _refuse_special(path, path.stat())  # before opening: a device may react to that
        with os.fdopen(files.open_for_reading(path), "rb") as file:
            return read_open_log(file, path)
    except UnreadableLog:
        raise
    except (FileNotFoundError, ValueError):  # ValueError: a NUL, or what no name can contain
        raise UnreadableLog("no-such-log", f"There is no file {shown(path)}.") from None
    except OSError as why:
        raise UnreadableLog(
            code_of(why), f"{shown(path)} cannot be read: {reason_of(why)}."
        ) from why


def read_open_log(file: BinaryIO, path: Path) -> LogFile:
    """As `read_log`, from an open file; it may raise OSError as well."""
    status = os.fstat(file.fileno())
    _refuse_special(path, status)
    if status.st_size == 0:
        raise UnreadableLog("empty-log", f"{shown(path)} is empty.")
    if status.st_size > MAX_LOG_BYTES:
        raise UnreadableLog(
            "log-too-large",
            f"{shown(path)} has {status.st_size} bytes; a log has at most {MAX_LOG_BYTES}.",
        )
    # From here on the file may still grow, so it is never asked for more than it had.
    size = status.st_size
    magic = file.read(len(MAGIC))
    if magic != MAGIC[: len(magic)]:
        raise UnreadableLog("not-a-log", f"{shown(path)} is not a log of ginpeer.")
    if len(magic) < len(MAGIC):
        return LogFile((), len(magic), 0)
    entries: list[bytes] = []
    end = len(MAGIC)
    while end < size:
        entry = _read_record(file, size - end, entries, path)
        if entry is None:
            break
        entries.append(entry)
        end += LENGTH_BYTES + len(entry)
        if len(entries) > MAX_ENTRIES:
            raise UnreadableLog(
                "log-too-large", f"{shown(path)} has more than {MAX_ENTRIES} entries."
            )
    return LogFile(tuple(entries), size - end, end)


def _read_record(file: BinaryIO, left: int, before: list[bytes], path: Path) -> bytes | None:
    """The next entry, or None if the file ends before it does."""
    head = file.read(min(LENGTH_BYTES, left))
    if len(head) < LENGTH_BYTES:
        return None
    length = int.from_bytes(head, "big")
    if length == 0 and _only_zeros(file):
        return None
    if not 1 <= length <= MAX_ENTRY_BYTES:
        raise UnreadableLog(
            "bad-record",
            f"Entry {len(before)} of {shown(path)} claims to have {length} bytes; "
            f"1 to {MAX_ENTRY_BYTES} are possible.",
            len(before),
            tuple(before),
        )
    if length > left - LENGTH_BYTES:
        return None
    entry = file.read(length)
    return entry if len(entry) == length else None  # it shrank while it was read


def _only_zeros(file: BinaryIO) -> bool:
    while chunk := file.read(MAX_ENTRY_BYTES):
        if chunk.strip(b"\0"):
            return False
    return True


def _refuse_special(path: Path, status: os.stat_result) -> None:
    mode = status.st_mode
    if stat.S_ISREG(mode):
        return
    if stat.S_ISDIR(mode):
        kind = "a folder"
    elif stat.S_ISFIFO(mode):
        kind = "a pipe"
    elif stat.S_ISSOCK(mode):
        kind = "a socket"
    else:
        kind = "a device"
    raise UnreadableLog("not-a-file", f"{shown(path)} is {kind}, not a log file.")
