"""Gin rummy on paper: a notation that a person reads and writes (proto/NOTATION.md).

A text says what happened in a match, one line a turn. It proves nothing: whoever reads one gets
what was written down, replayed by the rules.

Reading order:

sheet     a match as it stands on paper, made by replaying
tags      what stands at its head, and how a hostile text stands there
accounts  results, scores and settlement, computed
writing   a sheet as a text
errors    why a text is no sheet
said      what one line can say
slips     what was probably meant by a line that cannot be
lines     a line, read
head      the tags of a text that is read
reading   a text as a sheet, replayed by the rules
"""

from ginpeer.notation.errors import BadNotation
from ginpeer.notation.reading import MAX_BYTES, read_sheet
from ginpeer.notation.sheet import Cards, Play, PlayedMove, Sheet, SheetHand, SheetMaker
from ginpeer.notation.writing import VERSION, write_sheet

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
