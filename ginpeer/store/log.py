"""The log file's format, and reading a log that a stranger may have written.

  file   = magic record*
  magic  = "ginlog1" and a newline; a different digit means a later format, which we can't read
  record = length (4 bytes, big-endian, 1 to 128 Ki) entry (length bytes, as it was signed)

A file that we are given as a log can come from anybody: it may be a friend's mail, a web page or a
prank. So we first check what kind of file it is (we never wait for a FIFO or a device), check every
size before allocating memory for it, and limit the total. The referee asks for one entry at a time,
and stops reading at the first that it can't apply. So a file of noise, however large, takes no more
memory than one entry. To this module, an entry is only bytes.

A file may end in the middle of a record, after a power failure or because somebody shortened it. We
report that as `torn`, not as an error: the part before it is still a log. Some file systems fill
the torn end with zeros. A record can't have length zero, so zeros up to the end count as torn too.

A log is given as a file name or as bytes, either by itself or in a page that contains it
(ginpeer.store.page_log). A named file is opened each time it is read. A page is read whole,
since it is compared with the page that we generate from its log.
"""

from __future__ import annotations

import errno
import io
import os
import re
import stat
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, TypeAlias

from ginpeer.store import files
from ginpeer.store.files import NotationFile, UnreadableLog, printable
from ginpeer.store.page_log import MAX_PAGE_BYTES, is_page, log_in_page
from protocol import entry as entry_format
from protocol.entry import NotAnEntry, NotCanonical, RawEntry, record_bytes
from protocol.messages import Malformed, Message

MAGIC: Final = b"ginlog1\n"
LENGTH_BYTES: Final = entry_format.RECORD_HEAD_BYTES
MAX_ENTRY_BYTES: Final = 128 * 1024  # a frame's limit: nothing longer can have been played
MAX_LOG_BYTES: Final = entry_format.MAX_LOG_BYTES
MAX_ENTRIES: Final = entry_format.MAX_LOG_ENTRIES
MAX_NOTATION_BYTES: Final = 8 * 1024 * 1024  # ginpeer.notation has a lower limit, and says so
_LATER_MAGIC: Final = re.compile(rb"ginlog[2-9]\n")
_NO_FILE: Final = (errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG)

LogInput: TypeAlias = str | os.PathLike[str] | bytes
"""A log to be read, or a page that contains it: a path or the bytes."""

_BEGINNING = 64  # enough to recognize a page after a byte order mark and some white space


@dataclass(frozen=True, slots=True)
class LogFile:
    """The contents of a log file."""

    entries: tuple[bytes, ...]
    torn: int  # bytes of an unfinished last record
    good_end: int  # the offset at which the last whole record ends


def message_in(entry: bytes) -> Message | None:
    """Return the message of an entry, without checking its signature; None if it can't be read."""
    try:
        return RawEntry.split(entry).decode().message
    except (NotAnEntry, NotCanonical, Malformed):
        return None


def log_bytes(entries: Sequence[bytes]) -> bytes:
    return MAGIC + b"".join(record_bytes(entry) for entry in entries)


class LogReader:
    """Reads the entries of an open log file. Iterate over it only once. Afterwards, `torn` and
    `good_end` are as in `LogFile`, and `fault` is the reason why the rest can't be read, or None.
    Bytes added to the file later are not read, and bytes cut off later count as torn."""

    def __init__(self, file: BinaryIO, name: Path | str, *, page: bytes | None = None) -> None:
        """Check the size and the beginning of the file. Raises `UnreadableLog` or OSError."""
        size = file.seek(0, io.SEEK_END)
        file.seek(0)
        if size == 0:
            raise UnreadableLog("empty-log", f"{printable(name)} is empty.")
        if size > MAX_LOG_BYTES:
            raise UnreadableLog(
                "log-too-large",
                f"{printable(name)} has {size} bytes; a log has at most {MAX_LOG_BYTES}.",
            )
        magic = file.read(len(MAGIC))
        if _is_notation(magic, name):
            raise NotationFile(name, magic + file.read(MAX_NOTATION_BYTES - len(magic)))
        _refuse_magic(magic, name)
        is_whole = magic == MAGIC
        self.size = size
        self.page = page
        self.torn = 0 if is_whole else len(magic)
        self.good_end = len(MAGIC) if is_whole else 0
        self.fault: UnreadableLog | None = None
        self._file = file
        self._name = name
        self._count = 0
        self._left = self.size - len(magic) if is_whole else 0

    @classmethod
    def of_bytes(cls, data: bytes, name: str) -> LogReader:
        return cls(io.BytesIO(data), name)

    def __iter__(self) -> Iterator[bytes]:
        while self._left and (entry := self._next()) is not None:
            self._count += 1
            self._left -= LENGTH_BYTES + len(entry)
            self.good_end += LENGTH_BYTES + len(entry)
            yield entry
        self._left = 0

    def _next(self) -> bytes | None:
        """Return the next entry, or None if there is none; then `torn` or `fault` may say why."""
        try:
            with unreadable_errors(self._name):
                return self._read_record()
        except UnreadableLog as why:
            self.fault = why
        return None

    def _read_record(self) -> bytes | None:
        head = self._file.read(min(LENGTH_BYTES, self._left))
        if len(head) < LENGTH_BYTES:
            self.torn = len(head)
            return None
        length = int.from_bytes(head, "big")
        if length == 0 and _only_zeros(self._file):
            self.torn = self._left
            return None
        if not 1 <= length <= MAX_ENTRY_BYTES:
            raise UnreadableLog(
                "bad-record",
                f"Entry {self._count} of {self._file_name()} claims to have {length} bytes; "
                f"it can have 1 to {MAX_ENTRY_BYTES}.",
                self._count,
            )
        if self._count == MAX_ENTRIES:
            raise UnreadableLog(
                "log-too-large", f"{self._file_name()} has more than {MAX_ENTRIES} entries."
            )
        if length > self._left - LENGTH_BYTES:
            self.torn = self._left
            return None
        entry = self._file.read(length)
        if len(entry) < length:  # it shrank while being read
            self.torn = len(head) + len(entry)
            return None
        return entry

    def _file_name(self) -> str:
        """Return the name without its folders, because a page of the match may quote the error."""
        return printable(Path(self._name).name)


@contextmanager
def open_log(path: Path | str) -> Iterator[LogReader]:
    """Open a log file. Raises `UnreadableLog` immediately if `path` is anything else."""
    with open_regular_file(path) as file:
        with unreadable_errors(path):
            reader = LogReader(file, path)
        yield reader


@contextmanager
def open_regular_file(path: Path | str, wanted: str = "a log file") -> Iterator[BinaryIO]:
    """Open a regular file. Raises `UnreadableLog` immediately for anything else."""
    path = Path(path)
    with unreadable_errors(path):
        try:
            _refuse_special(path, path.stat(), wanted)  # before opening: a device may react
            file = os.fdopen(files.open_for_reading(path), "rb")
        except UnreadableLog:
            raise
        except (FileNotFoundError, ValueError):  # ValueError: a character that no name can have
            raise UnreadableLog("no-such-log", f"There is no file {printable(path)}.") from None
    with file:
        with unreadable_errors(path):
            _refuse_special(path, os.fstat(file.fileno()), wanted)  # it may have been replaced
        yield file


def log_file_bytes(path: Path | str) -> bytes:
    """Return the bytes of a file that begins like a log and isn't too large. Raises
    `UnreadableLog`."""
    with open_log(path):
        pass
    with unreadable_errors(path):
        return files.read_small(Path(path), MAX_LOG_BYTES)


def read_log(path: Path | str) -> LogFile:
    """Return all entries of a log file together. Raises `UnreadableLog`."""
    with open_log(path) as reader:
        entries = tuple(reader)
    if reader.fault is not None:
        raise reader.fault
    return LogFile(entries, reader.torn, reader.good_end)


def _is_notation(magic: bytes, name: Path | str) -> bool:
    """Return whether this is a match in notation: it has the tag [Gin "1"], or is named *.gin."""
    if MAGIC.startswith(magic) or _LATER_MAGIC.fullmatch(magic):
        return False
    tagged = magic.removeprefix(b"\xef\xbb\xbf").lower().startswith(b"[gin")
    return tagged or os.fspath(name).lower().endswith(".gin")


def _refuse_magic(magic: bytes, name: Path | str) -> None:
    if _LATER_MAGIC.fullmatch(magic):
        raise UnreadableLog(
            "too-new",
            f"{printable(name)} is a log in a newer format, {magic.decode('ascii').strip()}; "
            f"this program reads {MAGIC.decode('ascii').strip()}.",
        )
    if magic != MAGIC[: len(magic)]:
        is_text = magic.isascii() and magic.translate(None, b"\r\n").decode("ascii").isprintable()
        typed = " The name of a typed match must end with .gin." if is_text else ""
        raise UnreadableLog("not-a-log", f"{printable(name)} isn't a ginpeer log.{typed}")


@contextmanager
def unreadable_errors(name: Path | str) -> Iterator[None]:
    """Turn an OSError that this block raises into an UnreadableLog."""
    try:
        yield
    except OSError as why:
        code, sentence = files.code_of(why), f"{printable(name)} can't be read"
        if why.errno in _NO_FILE:
            code, sentence = "no-such-log", f"There is no file {printable(name)}"
        raise UnreadableLog(code, f"{sentence}: {files.reason_of(why)}.") from why


def _only_zeros(file: BinaryIO) -> bool:
    while chunk := file.read(MAX_ENTRY_BYTES):
        if chunk.strip(b"\0"):
            return False
    return True


def _refuse_special(path: Path, status: os.stat_result, wanted: str) -> None:
    mode = status.st_mode
    if stat.S_ISREG(mode):
        return
    kinds = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
    kind = kinds.get(stat.S_IFMT(mode), "a device")
    raise UnreadableLog("not-a-file", f"{printable(path)} is {kind}, not {wanted}.")


@dataclass(frozen=True, slots=True)
class LogSource:
    """A source from which a log can be read repeatedly."""

    name: str  # the log's name in sentences
    data: bytes | None  # all its bytes, unless it is a named file

    @classmethod
    def of(cls, given: LogInput) -> LogSource:
        if isinstance(given, bytes):
            return cls("<bytes>", given)
        return cls(os.fspath(given), None)

    @contextmanager
    def opened(self) -> Iterator[LogReader]:
        """Open the log at its first entry. Raises `UnreadableLog` if this isn't a log."""
        with self._file() as file:
            with unreadable_errors(self.name):
                page = _page_in(file)
                log = file if page is None else io.BytesIO(log_in_page(page, self.name))
                reader = LogReader(log, Path(self.name), page=page)
            yield reader

    def snapshot(self) -> LogSource:
        """Read the log, without its page, into memory, so that later changes to the file don't
        affect it. Raises `UnreadableLog`."""
        with self._file() as file, unreadable_errors(self.name):
            page = _page_in(file)
            data = file.read(MAX_LOG_BYTES + 1) if page is None else log_in_page(page, self.name)
        return LogSource(self.name, data)

    def _file(self) -> AbstractContextManager[BinaryIO]:
        return open_regular_file(self.name) if self.data is None else io.BytesIO(self.data)


def _page_in(file: BinaryIO) -> bytes | None:
    """Return the bytes of the file if it is a page, or else None."""
    is_one = is_page(file.read(_BEGINNING))
    file.seek(0)
    return file.read(MAX_PAGE_BYTES + 1) if is_one else None
