"""A log wherever it lies: a file by its name, an open file, or bytes in memory; as it is, or in a
page that carries it (ginpeer.store.page_log).

# A file that is named is opened each time that it is read, and entry by entry: the largest one,
# full of noise, costs no more memory than one entry. An open file is another's, and can be read
# once: so all of it is taken over at once, up to the size that a log may have. A page is also read
# whole, since it is compared with what its log makes.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeAlias

from ginpeer.store.errors import UnreadableLog, printable
from ginpeer.store.log import MAX_LOG_BYTES, LogReader, open_regular_file, unreadable_log
from ginpeer.store.page_log import MAX_PAGE_BYTES, is_page, log_in_page

LogInput: TypeAlias = str | os.PathLike[str] | bytes | BinaryIO
"""What a log can be read from: a path, its bytes, or a binary file that is open. All of them may be
a page instead."""

_CHUNK = 1024 * 1024
_BEGINNING = 64  # enough to tell a page, behind a mark of UTF-8 and some white space


@dataclass(frozen=True, slots=True)
class LogSource:
    """Where a log is read from, as often as somebody asks."""

    name: str
    """What it is called in sentences: the path, or what an open file says that it is."""
    data: bytes | None
    """All of it, where it is no file by its name."""

    @classmethod
    def of(cls, given: LogInput) -> LogSource:
        """An open file is read from where it stands.

        Raises `UnreadableLog` for an open file that cannot be read or has too much, and TypeError
        for anything else. That it is a log is asked by whoever opens it.
        """
        if isinstance(given, bytes):
            return cls("<bytes>", given)
        if isinstance(given, str | os.PathLike):
            return cls(os.fspath(given), None)
        if isinstance(given, io.TextIOBase):
            raise TypeError('a log is bytes; open its file with "rb", not as text')
        if not hasattr(given, "read"):
            raise TypeError(
                f"a log is read from a path, bytes or a binary file, not {type(given).__name__}"
            )
        name = _name_of(given)
        return cls(name, _taken_over(given, name))

    @contextmanager
    def opened(self) -> Iterator[LogReader]:
        """The entries, from the first. Raises `UnreadableLog` where this is no log at all."""
        with self._file() as file:
            try:
                log = self._reader(file)
            except OSError as why:
                raise unreadable_log(self.name, why) from why
            yield log

    def taken(self) -> LogSource:
        """The same log, all of it in memory and out of its page, so that nothing that happens to
        the file changes it any more. Raises `UnreadableLog`."""
        with self._file() as file:
            try:
                if is_page(_beginning(file)):
                    data = log_in_page(file.read(MAX_PAGE_BYTES + 1), self.name)
                else:
                    data = file.read(MAX_LOG_BYTES + 1)
            except OSError as why:
                raise unreadable_log(self.name, why) from why
        return LogSource(self.name, data)

    @contextmanager
    def _file(self) -> Iterator[BinaryIO]:
        if self.data is not None:
            yield io.BytesIO(self.data)
            return
        with open_regular_file(self.name) as file:
            yield file

    def _reader(self, file: BinaryIO) -> LogReader:
        if is_page(_beginning(file)):
            page = file.read(MAX_PAGE_BYTES + 1)
            log = log_in_page(page, self.name)
            return LogReader(io.BytesIO(log), self.name, len(log), page=page)
        if self.data is None:
            return LogReader.of_file(file, Path(self.name))
        return LogReader.of_bytes(self.data, self.name)


def _beginning(file: BinaryIO) -> bytes:
    """Some bytes of a file, which stands at its beginning and goes on standing there."""
    read = file.read(_BEGINNING)
    file.seek(0)
    return read


def _name_of(file: BinaryIO) -> str:
    """What it is called, if it says so with a text. Whatever else it does is no reason not to read
    it."""
    try:
        name = file.name
    except Exception:
        return "<file>"
    return name if isinstance(name, str) else "<file>"


def _taken_over(file: BinaryIO, name: str) -> bytes:
    chunks: list[bytes] = []
    size = 0
    while chunk := _next_chunk(file, name):
        chunks.append(chunk)
        size += len(chunk)
        if size > (MAX_PAGE_BYTES if is_page(chunks[0][:_BEGINNING]) else MAX_LOG_BYTES):
            raise UnreadableLog(
                "log-too-large",
                f"{printable(name)} goes on behind {MAX_LOG_BYTES} bytes, which is the most that "
                "a log has.",
            )
    return b"".join(chunks)


def _next_chunk(file: BinaryIO, name: str) -> bytes:
    """What comes next; nothing at the end. A file may be anybody's: one that is closed, broken off
    or badly compressed raises what its own module likes."""
    try:
        chunk: object = file.read(_CHUNK)
    except OSError as why:
        raise unreadable_log(name, why) from why
    except (TypeError, MemoryError):
        raise
    except Exception as why:
        raise _failing(name, printable(str(why)) or type(why).__name__) from why
    if chunk is None:
        raise _failing(name, "it does not wait for its bytes, and has none yet")
    if not isinstance(chunk, bytes):
        raise TypeError(f"a log is bytes; {printable(name)} gives {type(chunk).__name__}")
    return chunk


def _failing(name: str, reason: str) -> UnreadableLog:
    return UnreadableLog("disk-error", f"{printable(name)} cannot be read: {reason}.")
