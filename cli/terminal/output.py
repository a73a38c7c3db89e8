"""Whole lines on a terminal: no word is split at its edge, and what a peer has said keeps a mark.

# House rules
#
# 1. Pipes and files get every line as it is. Only where a terminal would break a line itself, it is
#    broken here, between words; rows that follow begin where the line's own text began.
# 2. A quotation that is wider than a row begins a row of its own, and each of its rows begins with
#    a mark, MARK, outside the quotation marks. Between our quotation marks stands what somebody
#    else wrote (ginpeer.names.quoting), and without the mark a text could be laid out so that one
#    of its rows looks like a line of ours. So words between quotation marks are also broken where
#    they are wider than the terminal, and counted as wide as any terminal could show them.
# 3. A word of ours that is wider than the terminal, a path say, is left in one piece to be copied.
#    So is a command, "ginpeer --home DIR resume", and a path with spaces that the caller names.
#
# Terminals differ on the width of joined emoji, and of characters newer than their tables. Typed
# text contains no joiners by the time it is shown (cli.terminal.prompt_row).
"""

from __future__ import annotations

import os
import re
import sys
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import TextIO

from ginpeer.names.quoting import QUOTE

MARK = "| "
"""What each row begins with of somebody else's words that take several."""

_COLUMNS = 80  # of a terminal that does not say it
_LEAST = 8  # columns; on less, rows run over
_COMMAND = (
    r"ginpeer(?: --home (?:'[^'\"]*'|[^ '\"]+))? [a-z]+(?: --[a-z]+)*(?: [0-9a-f]{6,16}\b)?[^ ]*"
)


def print_lines(
    *lines: str,
    stream: TextIO | None = None,
    flush: bool = False,
    whole: bool = False,
    kept: Sequence[str] = (),
) -> None:
    """Print whole lines, to standard output if no *stream* is given.

    *whole*: don't wrap lines that the player will copy from the screen. *kept*: parts of lines that
    must not be broken either.
    """
    stream = sys.stdout if stream is None else stream
    columns = None if whole else terminal_columns(stream)
    for line in lines:
        print(line if columns is None else wrap_line(line, columns, kept), file=stream, flush=flush)


def terminal_columns(stream: TextIO | None) -> int | None:
    """Return the width of a terminal; None for a stream that isn't one. COLUMNS overrides it."""
    try:
        if stream is None or not stream.isatty():
            return None
        said = os.environ.get("COLUMNS", "")
        if said.isascii() and said.isdigit() and int(said):
            return int(said)
        return os.get_terminal_size(stream.fileno()).columns or _COLUMNS
    except (OSError, ValueError):  # closed, or a terminal only in name
        return _COLUMNS


def wrap_line(line: str, columns: int, kept: Sequence[str] = ()) -> str:
    """Return a line broken between words wherever the terminal would break it, but not within the
    parts to be *kept*."""
    if width_of(line) <= columns and not (QUOTE in line and _widest(line) > columns):
        return line
    return "\n".join(_Rows(line, max(columns, _LEAST), kept).rows)


class _Rows:
    """The rows of one line on a terminal with so many columns."""

    def __init__(self, line: str, columns: int, kept: Sequence[str]) -> None:
        self.rows: list[str] = []
        self._columns = columns
        self._indent = _indent(line, columns)
        self._row = ""
        self._left = columns  # of this row
        self._inside = False  # quotation marks
        self._words = 0  # in this row
        units = "|".join((*(f"{re.escape(part)}[^ ]*" for part in kept if part), _COMMAND))
        words = re.findall(f"( *)({units}|[^ ]*)", line)
        for at, (spaces, word) in enumerate(words):
            if not self._inside and QUOTE in word:
                self._make_room(spaces, _quotation(words[at:]))
            self._add(spaces, word)
        self.rows.append(self._row)

    def _make_room(self, spaces: str, wide: int) -> None:
        """Begin a row for a quotation that is too *wide* for the rest of this one; with the mark,
        if it needs several rows."""
        if self._words and len(spaces) + wide > self._left:
            self._begin_row(len(self._indent) + wide > self._columns)

    def _add(self, spaces: str, word: str) -> None:
        """Add a word and the spaces before it."""
        if not word:
            return
        quoted = self._inside or QUOTE in word
        wide = _widest(word) if quoted else width_of(word)
        if self._words and len(spaces) + wide > self._left:
            if quoted or wide <= self._columns or self._left <= 0:
                self._begin_row()
            else:  # to be copied whole; the terminal breaks it
                spaces = spaces[: self._left]
        if self._words or not self.rows:
            self._put(spaces, len(spaces))
        if quoted and wide > self._left:
            self._put_in_pieces(word)
        else:
            self._put(word, wide)
        self._inside ^= word.count(QUOTE) % 2 == 1
        self._words += 1

    def _put_in_pieces(self, word: str) -> None:
        """Add a quoted word that is wider than the terminal, letter by letter, keeping track of
        where our quotation marks begin and end."""
        inside = self._inside
        for character in word:
            wide = _widest(character)
            if wide > self._left:
                self._begin_row(inside)
            self._put(character, wide)
            inside ^= character == QUOTE

    def _put(self, text: str, wide: int) -> None:
        self._row += text
        self._left -= wide

    def _begin_row(self, inside: bool | None = None) -> None:
        self.rows.append(self._row)
        inside = self._inside if inside is None else inside
        self._row = self._indent + (MARK if inside else "")
        self._left = self._columns - len(self._row)
        self._words = 0


def _quotation(words: list[tuple[str, str]]) -> int:
    """Return the width of the quotation that begins with the first of these words."""
    wide, inside = 0, False
    for spaces, word in words:
        wide += _widest(word) + (len(spaces) if wide else 0)
        inside ^= word.count(QUOTE) % 2 == 1
        if not inside:
            break
    return wide


def _indent(line: str, columns: int) -> str:
    """Return the indentation of the rows that follow: that of the line's own text, after a column
    or two of other things."""
    told = line.partition(QUOTE)[0]
    column = max((found.end() for found in re.finditer(r"\S {2,}(?=\S)", told)), default=0)
    own = len(line) - len(line.lstrip(" "))
    return " " * (column if own < column <= columns // 2 else min(own, columns // 2))


def _widest(text: str) -> int:
    """Return the most columns that a text may take: a character that isn't ASCII may be wide, or
    unknown to the terminal."""
    plain = text if "\x1b" not in text else re.sub(r"\x1b\[[0-9;]*m", "", text)
    return sum(1 if c.isascii() else 0 if unicodedata.category(c) == "Cf" else 2 for c in plain)


_CACHED = 1024  # characters; nobody types with more


# --- the width of a text ----------------------------------------------------------------


@lru_cache(_CACHED)
def columns_of_character(character: str) -> int:
    """Return 0, 1 or 2: wide East Asian characters take two columns, marks and isolates none."""
    if " " <= character <= "~":
        return 1
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    if "\u1160" <= character <= "\u11ff":  # Hangul vowels and ends, which join what stands before
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def width_of(text: str) -> int:
    """Return the columns that a text takes in a row; colour codes take none."""
    width, in_escape = 0, False
    for character in text:
        if in_escape:
            in_escape = character != "m"
        elif character == "\x1b":
            in_escape = True
        else:
            width += columns_of_character(character)
    return width
