"""What a terminal shows: whole lines, and below them the prompt with the typed text.

House rules

1. Pipes and files get every line unchanged. Lines too wide for a terminal are wrapped here,
   between words; the rows that follow are indented like the line's own text.
2. A quotation wider than a row begins on a row of its own, and each of its rows begins with MARK,
   outside the quotation marks. Our quotation marks enclose what somebody else wrote
   (ginpeer.names); without the mark, a text could be laid out so that one of its rows looks like a
   line of ours. For the same reason a quoted word that is wider than the terminal is split, and
   quoted characters are counted as wide as any terminal could show them.
3. A word of ours that is wider than the terminal, such as a path, stays in one piece so that it
   can be copied. So does a command like "ginpeer --home DIR resume", or a path with spaces that
   the caller names.
4. A screen reader speaks what changes. So a letter typed at the end is sent as that letter alone,
   a cursor movement as that movement, and a change in the middle as the rest of the line. If the
   old and the new line begin alike, that beginning isn't sent again.
5. The cursor never stays at the end of a full row, because terminals disagree about what happens
   next: a blank moves it to the next row.
6. A typed line that needs more rows than the screen has is shown in parts; otherwise its first
   rows could no longer be reached.

Terminals disagree about the width of joined emoji, and of characters newer than their tables. We
never show joiners in typed text (`visible`).

Why we don't use a library. For the same sitting of 34 keys and one line of news (measured in
2026) this sends 196 bytes; twisted.conch's recvline of Twisted 26.10 sends 203, and
prompt_toolkit 3.0.53 about 2,100, 37 for each letter: it hides the cursor, sets three modes and
shows the cursor again around each key. recvline sends as little, but it clears the screen when it
starts, leaves the terminal in insert mode if it is killed, accepts no letters beyond ASCII, and
puts the cursor at the end of the line after printing news.
"""

from __future__ import annotations

import json
import os
import re
import sys
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TextIO

from ginpeer.names import QUOTE

MARK = "| "  # what each row begins with when a quotation takes several rows
_COLUMNS = 80  # the width of a terminal that doesn't report one
_LEAST = 8  # columns; a narrower terminal has to wrap the rows itself
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
    """Print lines, wrapped for a terminal. *whole*: don't wrap them, because the player may copy
    them from the screen. *kept*: parts of lines that must not be broken."""
    stream = sys.stdout if stream is None else stream
    columns = None if whole else terminal_columns(stream)
    for line in lines:
        print(line if columns is None else wrap_line(line, columns, kept), file=stream, flush=flush)


def print_json(document: Mapping[str, Any]) -> None:
    print(json.dumps(document, indent=2))


def terminal_columns(stream: TextIO | None) -> int | None:
    """Return the width of a terminal; None if the stream isn't one. COLUMNS overrides it."""
    try:
        if stream is None or not stream.isatty():
            return None
        said = os.environ.get("COLUMNS", "")
        if said.isascii() and said.isdigit() and int(said):
            return int(said)
        return os.get_terminal_size(stream.fileno()).columns or _COLUMNS
    except (OSError, ValueError):  # closed, or a terminal in name only
        return _COLUMNS


def wrap_line(line: str, columns: int, kept: Sequence[str] = ()) -> str:
    """Return the line, wrapped if the terminal would break it. *kept* parts are never broken."""
    if width_of(line) <= columns and not (QUOTE in line and _widest(line) > columns):
        return line
    return "\n".join(_Rows(line, max(columns, _LEAST), kept).rows)


class _Rows:
    def __init__(self, line: str, columns: int, kept: Sequence[str]) -> None:
        self.rows: list[str] = []
        self._columns = columns
        self._indent = _indent(line, columns)
        self._row = ""
        self._left = columns  # columns left in this row
        self._inside = False  # whether inside quotation marks
        self._words = 0  # in this row
        units = "|".join((*(f"{re.escape(part)}[^ ]*" for part in kept if part), _COMMAND))
        words = re.findall(f"( *)({units}|[^ ]*)", line)
        for at, (spaces, word) in enumerate(words):
            if self._words and not self._inside and QUOTE in word:
                wide = _quotation(words[at:])
                if len(spaces) + wide > self._left:  # a quotation too wide for the rest of this row
                    self._begin_row(len(self._indent) + wide > self._columns)
            self._add(spaces, word)
        self.rows.append(self._row)

    def _add(self, spaces: str, word: str) -> None:
        if not word:
            return
        quoted = self._inside or QUOTE in word
        wide = _widest(word) if quoted else width_of(word)
        if self._words and len(spaces) + wide > self._left:
            if quoted or wide <= self._columns or self._left <= 0:
                self._begin_row()
            else:  # the terminal wraps this word, so that it can be copied in one piece
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
        """Add a quoted word that is wider than the terminal, letter by letter."""
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
    wide, inside = 0, False
    for spaces, word in words:
        wide += _widest(word) + (len(spaces) if wide else 0)
        inside ^= word.count(QUOTE) % 2 == 1
        if not inside:
            break
    return wide


def _indent(line: str, columns: int) -> str:
    """Return the indentation of the rows that follow: where the line's text begins."""
    told = line.partition(QUOTE)[0]
    column = max((found.end() for found in re.finditer(r"\S {2,}(?=\S)", told)), default=0)
    own = len(line) - len(line.lstrip(" "))
    return " " * (column if own < column <= columns // 2 else min(own, columns // 2))


def _widest(text: str) -> int:
    """Return the most columns that a text may take up: a non-ASCII character may be wide, or
    unknown to the terminal."""
    plain = text if "\x1b" not in text else re.sub(r"\x1b\[[0-9;]*m", "", text)
    return sum(1 if c.isascii() else 0 if unicodedata.category(c) == "Cf" else 2 for c in plain)


# --- the width of a text ----------------------------------------------------------------

_CACHED = 1024  # characters; nobody uses more distinct ones


@lru_cache(_CACHED)
def columns_of_character(character: str) -> int:
    """Return 2 for a wide East Asian character, 0 for combining marks and isolates, or else 1."""
    if " " <= character <= "~":
        return 1
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    if "\u1160" <= character <= "\u11ff":  # Hangul vowels and finals, which join the one before
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def width_of(text: str) -> int:
    """Return how many columns a text takes up."""
    return sum(wide for _, wide in _with_widths(text))


def _with_widths(text: str) -> Iterator[tuple[str, int]]:
    """Yield each character and how many columns it takes up: 0 for those of a colour code."""
    in_escape = False
    for character in text:
        if in_escape or character == "\x1b":
            in_escape = character != "m"
            yield character, 0
        else:
            yield character, columns_of_character(character)


# --- the prompt and the typed text ------------------------------------------------------

NO_CHARACTER = "\N{REPLACEMENT CHARACTER}"
_LEAST_FOR_PROMPT = 2  # columns; a terminal of one can't show a wide character
_CUT = "<", ">"  # shown where a part of a long line begins or ends


@dataclass(frozen=True, slots=True)
class PromptLine:
    """The prompt, the text after it, and how many characters of the text are before the cursor."""

    prompt: str = ""
    text: str = ""
    at: int = 0

    @property
    def whole(self) -> str:
        return self.prompt + self.text

    @property
    def cursor(self) -> int:
        return len(self.prompt) + self.at


BLANK = PromptLine()

Cell = tuple[int, int]  # row and column, from the beginning of the prompt


def fit_to_screen(prompt: str, text: str, at: int, columns: int, rows: int) -> PromptLine:
    """Return the part of a line that a screen of this size can show."""
    text = visible(text)
    end = _places(prompt + text, max(columns, _LEAST_FOR_PROMPT))[-1]
    if len(text) < columns or end[0] < rows - 1:
        return PromptLine(prompt, text, at)
    room = max(rows - 1, 1) * columns - width_of(prompt) - len(_CUT)
    part = max(1, room // 2 - rows)  # fits even if all characters are wide and rows lose a column
    first = at // part * part
    before = _CUT[0] if first else ""
    after = _CUT[1] if first + part < len(text) else ""
    shown = before + text[first : first + part] + after
    return PromptLine(prompt, shown, len(before) + at - first)


def visible(text: str) -> str:
    """Return typed text with every character visible, and none that hides or reverses others."""
    safe = "".join(c if c.isprintable() else NO_CHARACTER for c in text)
    if safe and not columns_of_character(safe[0]):  # a combining mark would join the prompt
        return NO_CHARACTER + safe[1:]
    return safe


def redraw_codes(old: PromptLine, new: PromptLine, columns: int) -> str:
    """Return the codes that turn the old line into the new one on a terminal."""
    columns = max(columns, _LEAST_FOR_PROMPT)
    was, will = _places(old.whole, columns), _places(new.whole, columns)
    keep = _kept(old, new, was[-1])
    sent, here = "", was[old.cursor]
    if keep < max(len(new.whole), len(old.whole)):
        start = _places(new.whole[:keep], columns)[-1]
        sent = _move(here, start) + "".join(_written(new.whole[keep:], start[1], columns))
        here = will[-1]
        if keep < len(new.whole) and not here[1]:
            sent += " \r"
        sent += _erased(here, was[-1])
    return sent + _move(here, will[new.cursor])


def with_cursor_at_end(old: PromptLine) -> PromptLine:
    return PromptLine(old.prompt, old.text, len(old.text))


def fills_row(line: PromptLine, columns: int) -> bool:
    """Return whether the line fills its last row, so that its end is at the start of the next."""
    row, column = _places(line.whole, max(columns, _LEAST_FOR_PROMPT))[-1]
    return row > 0 and not column


def _kept(old: PromptLine, new: PromptLine, end: Cell) -> int:
    """Return how many characters needn't be sent again. *end*: where the old line ends."""
    if old.prompt != new.prompt:
        return 0
    before, after = old.whole, new.whole
    keep = least = len(old.prompt)
    while keep < min(len(before), len(after)) and before[keep] == after[keep]:
        keep += 1
    appended = keep == len(before) and old.at == len(old.text) and end[1] > 0
    while keep > least and (_joins(before, keep) or (_joins(after, keep) and not appended)):
        keep -= 1  # a combining mark is redrawn together with its base character
    return keep


def _joins(text: str, at: int) -> bool:
    return at < len(text) and not columns_of_character(text[at])


def _places(text: str, columns: int) -> list[Cell]:
    """Return the cell of each character, and the cell after the last one."""
    places, row, column = [], 0, 0
    for _, wide in _with_widths(text):
        if column + wide > columns or column >= columns:
            row, column = row + 1, 0
        places.append((row, column))
        column += wide
    if column >= columns:
        row, column = row + 1, 0
    return [*places, (row, column)]


def _written(text: str, column: int, columns: int) -> Iterator[str]:
    """Yield what to write for text that begins in this column. If only one column is left for a
    wide character, fill that column with a blank, because not every terminal skips it."""
    for character, wide in _with_widths(text):
        if column + wide > columns:
            yield " " * (columns - column)
            column = 0
        yield character
        column += wide


def _erased(here: Cell, end: Cell) -> str:
    """Return the codes that clear from *here* to *end* and leave the cursor at *here*."""
    if end <= here:
        return ""
    if end[0] > here[0]:
        return "\x1b[J"
    return " \b" if end[1] == here[1] + 1 else "\x1b[K"


def _move(here: Cell, there: Cell) -> str:
    """Return the shortest codes that move the cursor from one cell to another."""
    rows, columns = there[0] - here[0], there[1] - here[1]
    sent = _steps(rows, "A", "B")
    if not columns:
        return sent
    left = "\b" * -columns
    ways = [_steps(columns, "D", "C")]
    if 0 < len(left) < len(ways[0]):
        ways.append(left)
    if not there[1]:
        ways.append("\r")
    return sent + min(ways, key=len)


def _steps(count: int, back: str, forth: str) -> str:
    """Return the code that moves by this many rows or columns (ECMA-48 8.3.18 to 8.3.22)."""
    if not count:
        return ""
    number = "" if abs(count) == 1 else abs(count)
    return f"\x1b[{number}{forth if count > 0 else back}"
