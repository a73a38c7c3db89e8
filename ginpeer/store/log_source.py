"""A log wherever it lies: a file by its name, an open file, or bytes in memory.

# A file that is named is opened each time that it is read, and entry by entry: the largest one,
# full of noise, costs no more memory than one entry. An open file is another's, and can be read
# once: so all of it is taken over at once, up to the size that a log may have.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO, TypeAlias

from ginpeer.store.errors import UnreadableLog, shown
from ginpeer.store.log import MAX_LOG_BYTES, LogReader, opened_log, unreadable

GivenLog: TypeAlias = str | os.PathLike[str] | bytes | BinaryIO
"""What a log can be read from: a path, its bytes, or a binary file that is open."""

_CHUNK = 1024 * 1024


@dataclass(frozen=True, slots=True)
class LogSource:
    """Where a log is read from, as often as somebody asks."""

    name: str
    """What it is called in sentences: the path, or what an open file says that it is."""
    data: bytes | None
    """All of it, where it is no file by its name."""

    @classmethod
    def of(cls, given: GivenLog) -> LogSource:
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
        if self.data is not None:
            yield LogReader.of_bytes(self.data, self.name)
            return
        with opened_log(self.name) as log:
            yield log


def _name_of(file: BinaryIO) -> str:
    """What it is called, if it says so with a text. Whatever else it does is no reason not to read
    it."""
    try:
        name = file.name
    except Exception:
        return "<file>"
    return name if isinstance(name, str) else "<file>"


def _taken_over(file: BinaryIO, name: str) -> bytes:
    chunks, size = [], 0
    while chunk := _next_chunk(file, name):
        chunks.append(chunk)
        size += len(chunk)
        if size > MAX_LOG_BYTES:
            raise UnreadableLog(
                "log-too-large",
                f"{shown(name)} goes on behind {MAX_LOG_BYTES} bytes, which is the most that "
                "a log has.",
            )
    return b"".join(chunks)


def _next_chunk(file: BinaryIO, name: str) -> bytes:
    """What comes next; nothing at the end. A file may be anybody's: one that is closed, broken off
    or badly compressed raises what its own module likes."""
    try:
        chunk: object = file.read(_CHUNK)
    except OSError as why:
        raise unreadable(name, why) from why
    except (TypeError, MemoryError):
        raise
    except Exception as why:
        raise _failing(name, shown(str(why)) or type(why).__name__) from why
    if chunk is None:
        raise _failing(name, "it does not wait for its bytes, and has none yet")
    if not isinstance(chunk, bytes):
        raise TypeError(f"a log is bytes; {shown(name)} gives {type(chunk).__name__}")
    return chunk


def _failing(name: str, reason: str) -> UnreadableLog:
    return UnreadableLog("disk-error", f"{shown(name)} cannot be read: {reason}.")
