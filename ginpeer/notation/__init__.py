"""Gin rummy on paper: a notation that a person reads and writes (proto/NOTATION.md).

A text says what happened in a match, one line a turn. It proves nothing: whoever reads one gets
what was written down, replayed by the rules.

Reading order:

sheet     a match as it stands on paper, made by replaying
tags      what stands at its head, and how a hostile text stands there
accounts  results, scores and settlement, computed
writing   a sheet as a text
"""

from ginpeer.notation.sheet import Cards, Made, Play, Sheet, SheetHand, SheetMaker
from ginpeer.notation.writing import VERSION, written

__all__ = [
    "VERSION",
    "Cards",
    "Made",
    "Play",
    "Sheet",
    "SheetHand",
    "SheetMaker",
    "written",
]
