"""Packs matches into one file, and reads them back.

An archive is a ZIP file with these members, uncompressed and in this order:

  README.txt                        says what the archive is; skipped when it is read back
  matches/<16 hex>.ginlog           a log, byte for byte as in the home
  matches/<16 hex>.evidence.ginlog  evidence, likewise; then .evidence-2.ginlog etc.

So every system can open it, and the same matches always make the same bytes: the names are sorted,
and all other fields are constant, except the modification time of each log, which lists show (to
two seconds, in UTC).

Anybody may have made an archive. So the length of the central directory at its end is checked
before the directory is read, and then every member is checked: its name must be one of the above,
since it becomes a path, and it must be uncompressed and unencrypted, so that nothing grows when it
is unpacked. This module doesn't judge the bytes of a log.
"""

from __future__ import annotations

import calendar
import io
import os
import re
import time
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from ginpeer.store.files import printable
from ginpeer.store.log import MAX_LOG_BYTES, open_regular_file, unreadable_errors
from ginpeer.store.match_files import EVIDENCE_SUFFIXES, LOG_SUFFIX, NAME_DIGITS
from protocol.codes import CodedError

ABOUT: Final = "README.txt"
_FOLDER: Final = "matches/"
_MAX_MEMBERS: Final = 20_000
_MAX_DIRECTORY: Final = 4 * 1024 * 1024
_MAX_BYTES: Final = 1024 * 1024 * 1024
"""The maximum size of all files together. The archive is built in memory, and never needs ZIP64."""
_END: Final = 22  # bytes of the record at the end, which has no comment
_END_MAGIC: Final = b"PK\x05\x06"
_ZIP64_MAGIC: Final = b"PK\x06\x07"
_ZIP64_LOCATOR: Final = 20  # bytes of the ZIP64 locator that would precede it
_FIRST: Final = 315_532_800  # 1980, when ZIP's calendar begins, in seconds since 1970
_LAST: Final = 4_354_819_198  # the last time that it can express: the end of 2107
_MEMBER: Final = re.compile(
    rf"{_FOLDER}([0-9a-f]{{{NAME_DIGITS}}})"
    rf"({'|'.join(map(re.escape, (LOG_SUFFIX, *EVIDENCE_SUFFIXES)))})"
)


@dataclass(frozen=True, slots=True)
class PackedFile:
    """One log or evidence file. *modified*: when it was last written to, in seconds since 1970."""

    match: str
    suffix: str
    data: bytes
    modified: float

    @property
    def name(self) -> str:
        return f"{self.match}{self.suffix}"


class BadArchive(CodedError, ValueError):
    code = "bad-archive"

    def __init__(self, sentence: str) -> None:
        super().__init__(self.code, sentence)


def pack_archive(about: str, held: Iterable[PackedFile]) -> bytes:
    """Pack these files, given in the order of their names. Raises BadArchive if there are too many
    or they are too large."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED, allowZip64=False) as archive:
        archive.writestr(_info(ABOUT, 0.0), about.encode())
        for number, each in enumerate(held, 2):
            if number > _MAX_MEMBERS or out.tell() + len(each.data) > _MAX_BYTES:
                raise BadArchive(
                    "These matches don't fit into one archive, which can have at most "
                    f"{_MAX_MEMBERS} files and {_MAX_BYTES} bytes."
                )
            archive.writestr(_info(f"{_FOLDER}{each.name}", each.modified), each.data)
    return out.getvalue()  # Python 3.13 and later complain about a view after an error


def _info(name: str, modified: float) -> zipfile.ZipInfo:
    at = time.gmtime(min(max(modified, _FIRST), _LAST))
    when = (at.tm_year, at.tm_mon, at.tm_mday, at.tm_hour, at.tm_min, at.tm_sec)
    info = zipfile.ZipInfo(name, when)
    info.create_system = 3  # the same on every system, so the bytes are the same
    info.external_attr = 0o100600 << 16
    return info


def unpack_archive(path: Path) -> Iterator[PackedFile]:
    """Yield the files in an archive, one at a time, a match's log before its evidence. All names
    and sizes are checked before the first is yielded. A damaged file is yielded empty.
    Raises BadArchive, and UnreadableLog if the archive cannot be read."""
    with open_regular_file(path, "an archive") as file, unreadable_errors(path):
        try:
            size = _checked_size(file, path)
            with zipfile.ZipFile(file) as archive:
                members = _checked(archive, path, size)
                for info, match, suffix in members:
                    yield PackedFile(match, suffix, _read(archive, info), _seconds(info))
        except BadArchive:
            raise
        except (zipfile.BadZipFile, ValueError, RuntimeError) as why:
            raise BadArchive(f"{printable(path)} is damaged: {printable(str(why))}.") from why


def _read(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """Return a member's bytes, or b"" if it is damaged: no log is empty. Raises OSError."""
    try:
        return archive.read(info)
    except (zipfile.BadZipFile, ValueError, RuntimeError, EOFError):
        return b""


def _checked_size(file: BinaryIO, path: Path) -> int:
    """Return the size of the archive if it ends with a central directory that isn't too long."""
    size = os.fstat(file.fileno()).st_size
    file.seek(max(0, size - _END - _ZIP64_LOCATOR))
    tail = file.read(_END + _ZIP64_LOCATOR)
    end = tail[-_END:]
    if not end.startswith(_END_MAGIC) or end[-2:] != b"\0\0":
        raise BadArchive(f"{printable(path)} isn't a ginpeer archive, or its end is missing.")
    count, table = int.from_bytes(end[10:12], "little"), int.from_bytes(end[12:16], "little")
    if tail[:-_END].startswith(_ZIP64_MAGIC) or table > _MAX_DIRECTORY or count > _MAX_MEMBERS:
        raise BadArchive(f"{printable(path)} contains more files than a ginpeer archive can.")
    return size


def _checked(
    archive: zipfile.ZipFile, path: Path, size: int
) -> list[tuple[zipfile.ZipInfo, str, str]]:
    """Return the members except README.txt. Raises BadArchive if we wouldn't have packed one."""
    members, seen, together = [], set(), 0
    for info in archive.infolist():
        name, together = info.orig_filename, together + info.file_size
        found = _MEMBER.fullmatch(name)
        if name in seen:
            raise BadArchive(f"{printable(path)} contains {printable(name)} twice.")
        if found is None and name != ABOUT:
            raise BadArchive(
                f"{printable(path)} contains {printable(name)}, which doesn't belong in a ginpeer "
                "archive."
            )
        seen.add(name)
        plain = info.compress_type == zipfile.ZIP_STORED and not info.flag_bits & 0x41
        if not plain or info.compress_size != info.file_size or together > size:
            raise BadArchive(f"{printable(name)} in {printable(path)} is compressed or encrypted.")
        if info.file_size > MAX_LOG_BYTES:
            raise BadArchive(f"{printable(name)} in {printable(path)} is longer than a log can be.")
        if found is not None:
            members.append((info, found[1], found[2]))
    return sorted(members, key=lambda each: (each[1], each[2] != LOG_SUFFIX, each[2]))


def _seconds(info: zipfile.ZipInfo) -> float:
    """Return when a member was last written to, or 0 if its time is invalid."""
    try:
        return float(max(0, calendar.timegm((*info.date_time, 0, 0, 0))))
    except (ValueError, OverflowError):
        return 0.0
