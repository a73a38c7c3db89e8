"""The prompt and the typed text, on the last row or rows of a terminal: the fewest bytes that
update them.

# House rules
#
# 1. A screen reader speaks what changes. A letter typed at the end is sent as that letter alone, a
#    move of the cursor as that move, a change in the middle as the rest of the line; what both
#    lines begin with stays.
# 2. The cursor is never left behind a full row, where terminals disagree about the next step: a
#    blank takes it to the next one.
# 3. A line that needs more rows than the screen has is shown in parts, or its first rows could not
#    be reached any more.
#
# Why no library does it. For the same sitting of 34 keys and one line of news (python -m
# tests.bench.keys) this sends 196 bytes; twisted.conch's recvline of Twisted 26.10 sends 203, and
# prompt_toolkit 3.0.53 some 2,100, 37 for each letter: it hides the cursor, sets three modes and
# shows the cursor again around each key. recvline is as sparing, but it clears the screen as it
# begins, leaves the terminal in insert mode if it is killed, takes no letter beyond ASCII, and puts
# the cursor at the end of the line after news.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cli.terminal.output import columns_of_character, width_of

NO_CHARACTER = "\N{REPLACEMENT CHARACTER}"
_LEAST = 2  # columns; a terminal of one cannot hold a wide character
_CUT = "<", ">"  # where a part of a long line begins or ends


@dataclass(frozen=True, slots=True)
class PromptLine:
    """The prompt, the text after it, and the number of characters of the text before the cursor."""

    prompt: str = ""
    text: str = ""
    at: int = 0

    @property
    def whole(self) -> str:
        return self.prompt + self.text


BLANK = PromptLine()

Cell = tuple[int, int]
"""Row and column, from the beginning of the prompt."""


def fit_to_screen(prompt: str, text: str, at: int, columns: int, rows: int) -> PromptLine:
    """Return the part of a line that a screen of this size can show."""
    text = visible(text)
    if len(text) < columns or _places(prompt + text, max(columns, _LEAST))[-1][0] < rows - 1:
        return PromptLine(prompt, text, at)
    room = max(rows - 1, 1) * columns - width_of(prompt) - len(_CUT)
    part = max(1, room // 2 - rows)  # were all of it wide, and a column lost in each row
    first = at // part * part
    before = _CUT[0] if first else ""
    behind = _CUT[1] if first + part < len(text) else ""
    return PromptLine(
        prompt, before + text[first : first + part] + behind, len(before) + at - first
    )


def visible(text: str) -> str:
    """Return typed text with every character shown: none that hides, or turns the line around."""
    safe = "".join(c if c.isprintable() else NO_CHARACTER for c in text)
    if safe and not columns_of_character(safe[0]):  # a mark would stand on the prompt
        return NO_CHARACTER + safe[1:]
    return safe


def redraw_codes(old: PromptLine, new: PromptLine, columns: int) -> str:
    """Return what turns the old line into the new one on a terminal."""
    columns = max(columns, _LEAST)
    was, will = _places(old.whole, columns), _places(new.whole, columns)
    keep = _kept(old, new, was[-1])
    sent, here = "", was[_cursor(old)]
    if keep < max(len(new.whole), len(old.whole)):
        start = _places(new.whole[:keep], columns)[-1]
        sent = _move(here, start) + "".join(_written(new.whole[keep:], start[1], columns))
        here = will[-1]
        if keep < len(new.whole) and not here[1]:
            sent += " \r"
        sent += _erased(here, was[-1])
    return sent + _move(here, will[_cursor(new)])


def with_cursor_at_end(old: PromptLine) -> PromptLine:
    """Return the same line with the cursor after all of it."""
    return PromptLine(old.prompt, old.text, len(old.text))


def fills_row(line: PromptLine, columns: int) -> bool:
    """Return whether the end of the line is at the beginning of a row."""
    row, column = _places(line.whole, max(columns, _LEAST))[-1]
    return row > 0 and not column


def _cursor(line: PromptLine) -> int:
    return len(line.prompt) + line.at


def _kept(old: PromptLine, new: PromptLine, end: Cell) -> int:
    """Return how many characters at the beginning need not be sent again. *end*: where the old line
    ends."""
    if old.prompt != new.prompt:
        return 0
    before, after = old.whole, new.whole
    keep = least = len(old.prompt)
    while keep < min(len(before), len(after)) and before[keep] == after[keep]:
        keep += 1
    appended = keep == len(before) and old.at == len(old.text) and end[1] > 0
    while keep > least and (_joins(before, keep) or (_joins(after, keep) and not appended)):
        keep -= 1  # a mark comes and goes with the character that it stands on
    return keep


def _joins(text: str, at: int) -> bool:
    return at < len(text) and not columns_of_character(text[at])


def _places(text: str, columns: int) -> list[Cell]:
    """Return the cell of each character, and of the end."""
    places, row, column, in_escape = [], 0, 0, False
    for character in text:
        in_escape, wide = _step(character, in_escape)
        if column + wide > columns or column >= columns:
            row, column = row + 1, 0
        places.append((row, column))
        column += wide
    if column >= columns:
        row, column = row + 1, 0
    return [*places, (row, column)]


def _written(text: str, column: int, columns: int) -> Iterator[str]:
    """Yield the text from this column on. A last column that is too narrow for a wide character
    gets a blank, because not every terminal skips it."""
    in_escape = False
    for character in text:
        in_escape, wide = _step(character, in_escape)
        if column + wide > columns:
            yield " " * (columns - column)
            column = 0
        yield character
        column += wide


def _step(character: str, in_escape: bool) -> tuple[bool, int]:
    """Return whether a colour code continues after this character, and the columns that it
    takes."""
    if in_escape or character == "\x1b":
        return character != "m", 0
    return False, columns_of_character(character)


def _erased(here: Cell, end: Cell) -> str:
    """Return what clears from here to the old end and brings the cursor back."""
    if end <= here:
        return ""
    if end[0] > here[0]:
        return "\x1b[J"
    return " \b" if end[1] == here[1] + 1 else "\x1b[K"


def _move(here: Cell, there: Cell) -> str:
    """Return the shortest way from one cell to another."""
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
    """Return the code for so many rows or columns (ECMA-48 8.3.18 to 8.3.22)."""
    if not count:
        return ""
    number = "" if abs(count) == 1 else abs(count)
    return f"\x1b[{number}{forth if count > 0 else back}"
