# The end of our own log after a power cut.
#
# An entry is written with one call and synced before we use it, so only the last record can be in
# doubt. What is left of it may be
#
#   - a beginning (the file ends inside the record), which every reader reports as torn;
#   - all its bytes, but with some blocks zeroed, because the file had grown before its blocks were
#     written. If a zeroed block contained the record's length, the rest can look like
#     records of any length.
#
# The second kind looks like damage. Two conditions together distinguish it. First, the rest of the
# file is no longer than one record can be, and contains a block of zeros. The two zero bytes with
# which every record begins don't count as one, even at the end of a block. Second, that rest
# doesn't begin with an entry that one of the two players has signed. Then the entry was never sent
# or shown, and we drop it. We rejected two other ways: dropping everything unsigned, because a log
# whose last entry has rotted must not be cut silently; and a checksum in each record, because the
# signature already is one.
#
# Only our own logs are read like this. Verifying a log reports damage as damage.

"""Reads our own log without the part that a power cut has left unfinished."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import BinaryIO, Final

from ginpeer.referee.transitions import identity_of
from ginpeer.store import log
from ginpeer.store.log import LogFile, LogReader
from protocol.crypto.identity import BadPublicKey
from protocol.entry import NotAnEntry, RawEntry

BLOCK: Final = 512
"""Bytes in a block. Whatever reaches a medium in one piece is a multiple of this."""
_LONGEST_RECORD: Final = log.LENGTH_BYTES + log.MAX_ENTRY_BYTES
_ALWAYS_ZERO: Final = 2  # bytes that a record begins with: no entry that is played has 64 KiB


def read_own_log(path: Path) -> LogFile:
    """Read our own log. What a power cut may have left of its last record is reported as torn."""
    with log.open_regular_file(path) as file, log.unreadable_errors(path):
        return read_own_open_log(file, path)


def read_own_open_log(file: BinaryIO, path: Path) -> LogFile:
    """Read an open log as `read_own_log` does. May raise OSError as well."""
    reader = LogReader.of_file(file, path)
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
    """Return the number of entries without the trailing ones that neither player has signed,
    looking back by at most the length of one record."""
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
    """Return whether some block of these bytes is all zeros. They start with a record, at this
    offset of the file. In the first and last block, only the bytes given here count."""
    first = BLOCK - start % BLOCK
    borders = (0, *range(first, len(data), BLOCK), len(data))
    blocks = (data[at:end] for at, end in pairwise(borders) if max(at, _ALWAYS_ZERO) < end)
    return any(not any(block) for block in blocks)
