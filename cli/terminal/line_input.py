"""Bytes from a keyboard or a pipe, made into lines.

# Two ways to the same events. Lines cuts whatever comes from a pipe, or from a terminal that edits
# its own lines. LineEditor is for a terminal that hands over every key (cli/terminal/console.py
# switches it): only then is it known what has been typed so far, and a line of news can be shown
# above it without garbling it. Both are fed bytes and do no I/O.
#
# Nothing here grows without bound: of a line that is longer than MAX_LINE only that fact is kept.
"""

from __future__ import annotations

import codecs
import unicodedata
from dataclasses import dataclass

MAX_LINE = 4_000
"""Characters of one line; a chat line may have 500, a move written out has about 150."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line, without its end."""

    text: str


@dataclass(frozen=True, slots=True)
class TooLong:
    """A line of more than MAX_LINE characters; it was not kept."""


@dataclass(frozen=True, slots=True)
class End:
    """No more input. Not ``final`` for Ctrl-D on an empty line: there the keyboard remains."""

    final: bool = True


InputEvent = Line | TooLong | End


class Lines:
    """Cuts a stream of bytes into lines, ended by LF or CRLF."""

    def __init__(self, encoding: str = "utf-8") -> None:
        self._decoder = _decoder(encoding)
        self._text = ""
        self._overlong = False

    def feed(self, data: bytes) -> list[InputEvent]:
        """What these bytes complete; no bytes at all mean the end of the input."""
        pieces = self._decoder.decode(data, final=not data).split("\n")
        events: list[InputEvent] = []
        for at, piece in enumerate(pieces):
            self._append(piece, events)
            if at < len(pieces) - 1:
                self._finish(events)
        if not data:
            if self._text or self._overlong:
                self._finish(events)  # a last line needs no line end
            events.append(End())
        return events

    def _append(self, piece: str, events: list[InputEvent]) -> None:
        if self._overlong:
            return
        self._text += piece
        if len(self._text) > MAX_LINE + 1:  # a CR may still go
            self._text, self._overlong = "", True
            events.append(TooLong())  # said at once: its end may never come

    def _finish(self, events: list[InputEvent]) -> None:
        if not self._overlong:
            events.append(Line(self._text.removesuffix("\r")))
        self._text, self._overlong = "", False


class LineEditor:
    """A line being typed, key by key.

    Backspace, Ctrl-W (a word) and Ctrl-U (the line) erase; Ctrl-D on an empty line is the end;
    arrows and other escape sequences do nothing. ``text`` is what has been typed so far.
    """

    def __init__(self, encoding: str = "utf-8") -> None:
        self.text = ""
        self._decoder = _decoder(encoding)
        self._escape = ""  # the key that an open escape sequence hangs on: ESC, "[" or "O"
        self._overlong = False

    def feed(self, data: bytes) -> list[InputEvent]:
        """What these keys complete; no bytes at all mean that the terminal is gone."""
        events: list[InputEvent] = []
        for key in self._decoder.decode(data, final=not data):
            if not self._in_escape(key):
                self._press(key, events)
        if not data:
            events.append(End())
        return events

    def clear(self) -> None:
        """Forget what has been typed."""
        self.text, self._overlong = "", False

    def _press(self, key: str, events: list[InputEvent]) -> None:
        if key in "\r\n":
            events.append(TooLong() if self._overlong else Line(self.text))
            self.clear()
        elif key == "\x04":  # Ctrl-D
            if not self.text and not self._overlong:
                events.append(End(final=False))
        elif key in "\x7f\b":
            self._erase_one()
        elif key == "\x15":  # Ctrl-U
            self.clear()
        elif key == "\x17":  # Ctrl-W
            kept = self.text.rstrip(" ").rpartition(" ")
            self.text = kept[0] + kept[1]
        elif key == "\t":
            self._insert(" ")
        elif unicodedata.category(key) != "Cc":
            self._insert(key)

    def _insert(self, key: str) -> None:
        if len(self.text) >= MAX_LINE:
            self._overlong = True
        else:
            self.text += key

    def _erase_one(self) -> None:
        """One character with the marks that stand on it."""
        while self.text and unicodedata.combining(self.text[-1]):
            self.text = self.text[:-1]
        self.text = self.text[:-1]
        self._overlong = False

    def _in_escape(self, key: str) -> bool:
        """Whether the key belongs to an escape sequence: ESC O key, or ESC [ parameters final
        (ECMA-48 5.4). A key after a lone ESC counts, and so does Enter wherever it comes."""
        state, self._escape = self._escape, ""
        if key == "\x1b" or (state == "\x1b" and key in "[O"):
            self._escape = key
        elif state == "[" and " " <= key < "@":
            self._escape = state
        else:
            return state in ("[", "O") and key >= " "
        return True


def _decoder(encoding: str) -> codecs.IncrementalDecoder:
    """A decoder that never fails: what is no text becomes U+FFFD."""
    try:
        return codecs.getincrementaldecoder(encoding)("replace")
    except LookupError:
        return codecs.getincrementaldecoder("utf-8")("replace")


def width_of(text: str) -> int:
    """The columns that a text takes on a terminal, about: wide East Asian characters take two,
    marks, isolates and colour codes none."""
    width, in_escape = 0, False
    for character in text:
        if in_escape:
            in_escape = character != "m"
        elif character == "\x1b":
            in_escape = True
        elif not unicodedata.combining(character) and unicodedata.category(character) != "Cf":
            width += 2 if unicodedata.east_asian_width(character) in "WF" else 1
    return width
