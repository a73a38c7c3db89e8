# The end of our own log after a power cut.
#
# An entry is written with one call and synced before anything is made of it, so at most one record
# is in doubt: the last. What is left of it may be
#
#   - a beginning (the file ends inside the record), which every reader calls torn;
#   - all its bytes, but some blocks of them zeros: the file had grown before its blocks were
#     written. If these hold the record's length, what follows reads as records of any length.
#
# The second kind looks like damage. Two things together distinguish it: the rest of the file, no
# longer than one record can be, has a block of zeros (the two zero bytes with which every record
# begins don't count as one, even at the end of a block); and it does not begin with an entry that
# one of the two players has signed. Then it was never sent or shown, and is dropped. Rejected:
# dropping whatever is not signed, for a log whose last entry has rotted away must not be cut
# silently; and a checksum in each record, for the signature is one.
#
# Only our own logs are read like this. Verifying a log calls damage damage.

"""Reading our own log up to what a power cut has left unfinished."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import BinaryIO, Final

from ginpeer.referee.transitions import identity_of
from ginpeer.store import files, log
from ginpeer.store.log import LogFile, LogReader
from protocol.codec.entries import NotCanonical
from protocol.crypto.identity import BadPublicKey, BadSignature, verify_signature
from protocol.entry import NotAnEntry, RawEntry
from protocol.messages import Malformed

BLOCK: Final = 512
"""Bytes: what reaches a medium together is a multiple of it."""
_LONGEST_RECORD: Final = log.LENGTH_BYTES + log.MAX_ENTRY_BYTES
_ALWAYS_ZERO: Final = 2  # bytes that a record begins with: no entry that is played has 64 KiB


def read_own_log(path: Path) -> LogFile:
    """As `read_log`, but what a power cut may leave of the last record is torn, not an error."""
    with log.open_log(path) as reader:
        return _read(reader, lambda start: files.read_small(path, log.MAX_LOG_BYTES)[start:])


def read_own_open_log(file: BinaryIO, path: Path) -> LogFile:
    """As `read_own_log`, from an open file; it may raise OSError as well."""

    def rest(start: int) -> bytes:
        file.seek(start)
        return file.read(_LONGEST_RECORD + 1)

    return _read(LogReader.of_file(file, path), rest)


def _read(reader: LogReader, rest: Callable[[int], bytes]) -> LogFile:
    """*rest* gives what the file holds from an offset on."""
    entries = tuple(reader)
    lengths = (log.LENGTH_BYTES + len(entry) for entry in entries)
    starts = tuple(accumulate(lengths, initial=len(log.MAGIC)))  # and where the last one ends
    sound = _sound(entries, starts, reader.size)
    if sound < len(entries) or reader.fault is not None:
        start = starts[sound]
        if reader.size - start <= _LONGEST_RECORD and _has_zero_block(rest(start), start):
            return LogFile(entries[:sound], reader.size - start, start)
    if reader.fault is not None:
        raise reader.fault
    return LogFile(entries, reader.torn, reader.good_end)


def _sound(entries: Sequence[bytes], starts: Sequence[int], size: int) -> int:
    """How many entries come before the last ones, within the length of one record, that neither
    player has signed."""
    keys = {key for entry in entries[:2] if (key := _key_in(entry)) is not None}
    number = len(entries)
    while (
        number
        and size - starts[number - 1] <= _LONGEST_RECORD
        and not any(_signed(entries[number - 1], key) for key in keys)
    ):
        number -= 1
    return number


def _key_in(entry: bytes) -> bytes | None:
    try:
        return identity_of(RawEntry.split(entry).decode().message)
    except (NotAnEntry, NotCanonical, Malformed, BadPublicKey):
        return None


def _signed(entry: bytes, key: bytes) -> bool:
    try:
        raw = RawEntry.split(entry)
        verify_signature(key, raw.signed_message, raw.signature)
    except (NotAnEntry, BadSignature):
        return False
    return True


def _has_zero_block(data: bytes, start: int) -> bool:
    """Whether some block of these bytes is zeros; they begin at this offset of the file with a
    record. The first and the last block count as far as they belong to them."""
    first = BLOCK - start % BLOCK
    borders = (0, *range(first, len(data), BLOCK), len(data))
    blocks = (data[at:end] for at, end in pairwise(borders) if max(at, _ALWAYS_ZERO) < end)
    return any(not any(block) for block in blocks)
