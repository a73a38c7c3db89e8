"""A log wherever it lies: a file by its name, an open file, or bytes in memory.

# A file that is named is opened each time that it is read, and entry by entry: the largest one,
# full of noise, costs no more memory than one entry. An open file is another's, and can be read
# once: so all of it is taken over at once, up to the size that a log may have.
"""

from __future__ import annotations

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
        if not hasattr(given, "read"):
            raise TypeError(f"a log is read from a path, bytes or a binary file, not {given!r}")
        name = getattr(given, "name", None)
        name = name if isinstance(name, str) else "<file>"
        return cls(name, _taken_over(given, name))

    @contextmanager
    def opened(self) -> Iterator[LogReader]:
        """The entries, from the first. Raises `UnreadableLog` where this is no log at all."""
        if self.data is not None:
            yield LogReader.of_bytes(self.data, self.name)
            return
        with opened_log(self.name) as log:
            yield log


def _taken_over(file: BinaryIO, name: str) -> bytes:
    chunks, size = [], 0
    try:
        while chunk := file.read(_CHUNK):
            if not isinstance(chunk, bytes):
                raise TypeError(f"a log is bytes; {shown(name)} is open as text")
            chunks.append(chunk)
            size += len(chunk)
            if size > MAX_LOG_BYTES:
                raise UnreadableLog(
                    "log-too-large",
                    f"{shown(name)} goes on behind {MAX_LOG_BYTES} bytes, which is the most that "
                    "a log has.",
                )
    except OSError as why:
        raise unreadable(name, why) from why
    return b"".join(chunks)
