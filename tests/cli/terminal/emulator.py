"""A terminal emulator with the features that the table needs. It keeps the contents of the screen.

It is stricter than any real terminal: if terminals differ in something (moving back from the end of
a full row, a wide character in the last column, a combining mark at the start of a row), it fails.
"""

import re

from cli.terminal.output import columns_of_character

_SEQUENCE = re.compile(r"\x1b\[([0-9;]*)([A-Za-z])|.", re.DOTALL)


class Emulator:
    """``rows``: rows of cells, including those that have scrolled off the top of the screen."""

    def __init__(self, columns, height=1000):
        self.columns, self.height = columns, height
        self.rows = [[]]
        self.row = self.column = self.top = 0

    def write(self, text):
        for found in _SEQUENCE.finditer(text):
            if found[2]:
                self._obey(found[2], int(found[1] or 1))
            else:
                self._put(found[0])

    def text(self):
        """Return all rows, without trailing blanks."""
        return ["".join(row).rstrip() for row in self.rows]

    def _settled(self):
        assert self.column < self.columns, "a step from behind a full row"

    def _put(self, character):
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self.column = 0  # the line discipline turns it into CR LF
            self._down()
        elif character == "\b":
            self._settled()
            assert self.column, "a step back from the first column"
            self.column -= 1
        else:
            self._print(character, columns_of_character(character))

    def _print(self, character, wide):
        if not wide:
            assert self.column, "a mark on nothing"
            at = self.column - 1
            while not self.rows[self.row][at]:
                at -= 1
            self.rows[self.row][at] += character
            return
        if self.column >= self.columns:
            self.column = 0
            self._down()
        assert self.column + wide <= self.columns, "a wide character in the last column"
        row = self.rows[self.row]
        row.extend(" " * (self.column + wide - len(row)))
        for at in range(self.column, self.column + wide):
            self._break_wide(row, at)
        row[self.column] = character
        if wide > 1:
            row[self.column + 1] = ""
        self.column += wide

    @staticmethod
    def _break_wide(row, at):
        """Blank both halves of a wide character when one of them is overwritten."""
        if not row[at]:
            row[at - 1] = row[at] = " "
        elif at + 1 < len(row) and not row[at + 1]:
            row[at] = row[at + 1] = " "

    def _down(self):
        self.row += 1
        if self.row == len(self.rows):
            self.rows.append([])
        self.top = max(self.top, self.row - self.height + 1)

    def _obey(self, final, count):
        if final == "m":
            return
        self._settled()
        match final:
            case "A":
                self.row = max(self.top, self.row - count)
            case "B":
                assert self.row + count < len(self.rows), "a row that is not there"
                self.row += count
            case "C":
                self.column += count
                self._settled()
            case "D":
                assert count <= self.column
                self.column -= count
            case "K":
                self._clear_row()
            case "J":
                self._clear_row()
                del self.rows[self.row + 1 :]
            case _:
                raise AssertionError(final)

    def _clear_row(self):
        row = self.rows[self.row]
        if self.column < len(row):
            self._break_wide(row, self.column)
        del row[self.column :]
