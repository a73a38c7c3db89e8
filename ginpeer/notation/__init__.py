"""Gin rummy on paper: a notation for people to read and write (proto/NOTATION.md).

A text says what happened in a match, one line for each turn. It proves nothing: the reader only
replays, by the rules, what somebody wrote down.

Reading order:

sheet    a match as somebody would write it down, built by replaying; its text, with hostile tags
         escaped; and the error for a text that isn't a sheet
lines    parse one line into a statement
reading  turn a whole text into a sheet, replayed by the rules
"""

from ginpeer.notation.reading import MAX_BYTES, read_sheet
from ginpeer.notation.sheet import (
    BadNotation,
    Cards,
    Play,
    PlayedMove,
    Sheet,
    SheetHand,
    SheetMaker,
    write_sheet,
)

__all__ = [
    "MAX_BYTES",
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
