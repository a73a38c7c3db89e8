"""Gin rummy on paper: a notation for people to read and write (proto/NOTATION.md).

A text says what happened in a match, one line a turn. It proves nothing: reading one replays what
somebody wrote down, by the rules.

Reading order:

sheet    a match as it stands on paper, built by replaying; the tags at its head, with hostile
         values escaped; and the error for a text that isn't a sheet
writing  a sheet as a text, with its computed results, scores and settlement
lines    parse one line into what it says
reading  a whole text as a sheet, replayed by the rules
"""

from ginpeer.notation.reading import MAX_BYTES, read_sheet
from ginpeer.notation.sheet import (
    VERSION,
    BadNotation,
    Cards,
    Play,
    PlayedMove,
    Sheet,
    SheetHand,
    SheetMaker,
)
from ginpeer.notation.writing import write_sheet

__all__ = [
    "MAX_BYTES",
    "VERSION",
    "BadNotation",
    "Cards",
    "Play",
    "PlayedMove",
    "Sheet",
    "SheetHand",
    "SheetMaker",
    "read_sheet",
    "write_sheet",
]
