# The seeds file: text, one line a hand, private.
#
#   ginseeds1
#   0 3f7a... (64 hex digits)
#
# A last line that lacks its newline, or in which there are zero bytes, was torn by a crash before
# the seed was used; it is dropped.

"""The private file of hand seeds."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from ginpeer.store import files
from ginpeer.store.errors import StoreError, printable, store_error

HEADER: Final = b"ginseeds1\n"
SEED_BYTES: Final = 32
MAX_HAND: Final = 2**32 - 1
_MAX_FILE_BYTES: Final = 1024 * 1024  # ten thousand hands
_LINE: Final = re.compile(rb"(0|[1-9][0-9]{0,9}) ([0-9a-f]{64})")


def seed_line(hand: int, seed: bytes) -> bytes:
    return b"%d %s\n" % (hand, seed.hex().encode("ascii"))


def read_seeds(path: Path) -> tuple[dict[int, bytes], int]:
    """The seeds by hand number, and where the last whole line ends. Raises `StoreError`."""
    try:
        data = files.read_small(path, _MAX_FILE_BYTES)
    except FileNotFoundError as why:
        raise StoreError(
            "bad-seeds-file", f"{printable(path)} is missing; the match cannot go on."
        ) from why
    except OSError as why:
        raise store_error("read", path, why) from why
    if not data.startswith(HEADER[: len(data)]):
        raise _damaged(path)
    if len(data) < len(HEADER):
        return {}, 0
    seeds: dict[int, bytes] = {}
    end = data.rfind(b"\n") + 1
    lines = data[len(HEADER) : end].splitlines(keepends=True)
    for number, line in enumerate(lines, 1):
        match = _LINE.fullmatch(line[:-1])
        if match is None and number == len(lines) and b"\0" in line:
            return seeds, end - len(line)
        if match is None or int(match[1]) in seeds:
            raise _damaged(path)
        seeds[int(match[1])] = bytes.fromhex(match[2].decode("ascii"))
    return seeds, end


def _damaged(path: Path) -> StoreError:
    return StoreError(
        "bad-seeds-file",
        f"{printable(path)} is damaged: it is not a list of seeds, and the match cannot go on.",
    )
