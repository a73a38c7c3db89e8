"""How many columns of a terminal a text takes.

# About: terminals differ on emoji that are joined, and on characters newer than their tables. What
# is typed holds no joiners by the time it is shown (cli.terminal.prompt_row).
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

_CACHED = 1024  # characters; nobody types with more


@lru_cache(_CACHED)
def columns_of_character(character: str) -> int:
    """0, 1 or 2: wide East Asian characters take two, marks and isolates none."""
    if " " <= character <= "~":
        return 1
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    if "\u1160" <= character <= "\u11ff":  # Hangul vowels and ends, which join what stands before
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def width_of(text: str) -> int:
    """The columns that a text takes in a row; colour codes take none."""
    width, in_escape = 0, False
    for character in text:
        if in_escape:
            in_escape = character != "m"
        elif character == "\x1b":
            in_escape = True
        else:
            width += columns_of_character(character)
    return width
