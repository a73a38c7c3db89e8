"""The files beside the log of a match.

  .match   what resuming needs besides log, seeds and key, as JSON
  .seeds   our hand seeds, private: text, one line per hand
             ginseeds1
             0 3f7a... (64 hex digits)
  .closed  the state of a match that was closed before it was over, as JSON

The log proves who owes the next entry, but only our own clock says how long they have owed it and
when the table was closed. Nobody else can check that, so it is noted here, never in the log. The
closing note also records the score, so that a list of many matches need not verify each one. It
applies only while the log has as many entries as it says.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal

from ginpeer.referee.table import Table
from ginpeer.store import files
from ginpeer.store.files import StoreError, printable
from ginpeer.store.json_files import (
    at_most,
    decode,
    json_bytes,
    of_32_bytes,
    plain,
    read_record,
    within,
    write_json,
)

TABLE_ID_BYTES: Final = 32
NAME_DIGITS: Final = 16
LOG_SUFFIX: Final = ".ginlog"
SEEDS_SUFFIX: Final = ".seeds"
NOTES_SUFFIX: Final = ".match"
EVIDENCE_SUFFIX: Final = ".evidence.ginlog"
EVIDENCE_SUFFIXES: Final = (
    EVIDENCE_SUFFIX,
    *(f".evidence-{number}{LOG_SUFFIX}" for number in range(2, 10)),
)
"""The suffixes of a match's evidence files. At most nine are kept; one is enough to convict."""
MAX_NOTES_BYTES: Final = 64 * 1024
_MAX_ADDRESSES: Final = 16
_MAX_TEXT: Final = 300
_MAX_LEVEL: Final = 9  # of the bot; there are six today

IN_PROCESS: Final = "local"
"""Noted instead of an address if the opponent was the bot in our own process."""

Role = Literal["host", "guest"]

SEEDS_HEADER: Final = b"ginseeds1\n"
SEED_BYTES: Final = 32
MAX_HAND: Final = 2**32 - 1
_MAX_SEEDS_BYTES: Final = 1024 * 1024  # ten thousand hands
_SEED_LINE: Final = re.compile(rb"(0|[1-9][0-9]{0,9}) ([0-9a-f]{64})")

CLOSING_SUFFIX: Final = ".closed"
_MAX_CLOSING_BYTES: Final = 4096
_Words = Annotated[str, at_most(100)]  # bounded, so any note that was read can be rewritten
_Time = Annotated[int, within(0, 2**53 - 1)]  # as in an offer; every clock's time is below that


@dataclass(frozen=True, slots=True)
class MatchNotes:
    """What resuming a match needs besides its log, its seeds and the identity key."""

    table: Annotated[bytes, of_32_bytes]
    role: Role
    name: str  # our own name
    peer: Annotated[bytes, of_32_bytes]  # the other player's key
    addresses: tuple[str, ...]  # where we reached that player, or where they came from
    created: int  # in seconds since 1970
    level: Annotated[int, within(1, _MAX_LEVEL)] | None = None  # of the bot in our own process
    taken_back: bool = False  # whether our player took back moves
    listens: str | None = None  # the address where we, as the host, last waited

    @property
    def is_practice(self) -> bool:
        """Whether the opponent was the bot in our own process. Matches of version 1.0.0, and
        matches with rules for which the bot has no levels, note no level."""
        return self.level is not None or IN_PROCESS in self.addresses

    def encode(self) -> bytes:
        entry = plain(self)
        entry["name"] = self.name[:_MAX_TEXT]
        entry["addresses"] = [each[:_MAX_TEXT] for each in self.addresses[:_MAX_ADDRESSES]]
        for name in ("level", "taken_back", "listens"):
            if entry[name] in (None, False):
                del entry[name]
        return json_bytes({"version": 1, **entry})

    @classmethod
    def decode(cls, data: bytes) -> MatchNotes:
        return decode(cls, json.loads(data), version=1, lenient=True)


def file_stem(table: bytes) -> str:
    """Return the stem of a match's file names: hex digits, whatever table id the peer chose."""
    if len(table) != TABLE_ID_BYTES:
        raise ValueError("a table id has 32 bytes")
    return table.hex()[:NAME_DIGITS]


def read_notes(log_path: Path) -> MatchNotes | None:
    """Return the notes beside a log, or None if they are missing or can't be read."""
    path = log_path.with_suffix(NOTES_SUFFIX)
    return read_record(MatchNotes, path, MAX_NOTES_BYTES, version=1, lenient=True)


def seed_line(hand: int, seed: bytes) -> bytes:
    return b"%d %s\n" % (hand, seed.hex().encode("ascii"))


def read_seeds(path: Path) -> tuple[dict[int, bytes], int]:
    """Return the seeds by hand number, and where the last whole line ends. A last line that lacks
    its newline, or contains zero bytes, was torn by a crash before the seed was used; it is
    dropped. Raises `StoreError`."""
    data = files.read_stored(path, _MAX_SEEDS_BYTES)
    if data is None:
        raise StoreError(
            "bad-seeds-file", f"{printable(path)} is missing; the match can't continue."
        )
    if not data.startswith(SEEDS_HEADER[: len(data)]):
        raise _damaged(path)
    if len(data) < len(SEEDS_HEADER):
        return {}, 0
    seeds: dict[int, bytes] = {}
    end = data.rfind(b"\n") + 1
    lines = data[len(SEEDS_HEADER) : end].split(b"\n")[:-1]
    for number, line in enumerate(lines, 1):
        match = _SEED_LINE.fullmatch(line)
        if match is None and number == len(lines) and b"\0" in line:
            return seeds, end - len(line) - 1
        if match is None or int(match[1]) in seeds:
            raise _damaged(path)
        seeds[int(match[1])] = bytes.fromhex(match[2].decode("ascii"))
    return seeds, end


def _damaged(path: Path) -> StoreError:
    return StoreError(
        "bad-seeds-file",
        f"{printable(path)} is damaged: it isn't a list of seeds. The match can't continue.",
    )


@dataclass(frozen=True, slots=True)
class ClosingNote:
    """The state of an unfinished match, noted when its table is closed. Times are seconds since
    1970, by this machine's clock."""

    entry: int  # the number of the entry that is owed
    owed_by: Role
    owes: _Words  # the kind of that entry
    since: _Time  # when the log last grew
    closed: _Time | None  # None if the program ended before it could record that
    code: _Words  # why the note was written
    game: int = 1
    scores: tuple[int, int] | None = None  # None before the first hand

    @classmethod
    def of(cls, table: Table, since: int, closed: int | None, code: str) -> ClosingNote | None:
        """Return the note on an unfinished match, or None if nothing is owed."""
        if table.owed_by is None:
            return None
        match = table.match
        return cls(
            entry=table.sequence,
            owed_by="guest" if table.owed_by else "host",
            owes=table.awaiting.value,
            since=since,
            closed=closed,
            code=code,
            game=1 if match is None else match.game.number,
            scores=None if match is None else match.scores,
        )


def write_closing_note(log_path: Path, closing: ClosingNote) -> None:
    write_json(log_path.with_suffix(CLOSING_SUFFIX), {"version": 1, **plain(closing)})


def read_closing_note(log_path: Path) -> ClosingNote | None:
    return read_record(
        ClosingNote, log_path.with_suffix(CLOSING_SUFFIX), _MAX_CLOSING_BYTES, version=1
    )
