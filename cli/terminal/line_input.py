"""Bytes from a pipe, made into lines; and what either a pipe or a keyboard may say.

# Two ways to the same events. LineSplitter cuts whatever comes from a pipe, or from a terminal that
# edits its own lines. cli.terminal.line_editor is for a terminal that hands over every key
# (cli/terminal/console.py switches it): only then is it known what has been typed so far, and a
# line of news can be shown above it without garbling it. Both are fed bytes and do no I/O.
#
# Nothing here grows without bound: of a line that is longer than MAX_LINE only that fact is kept.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass

MAX_LINE = 4_000
"""Characters of one line; a chat line may have 500, a move written out has about 150."""


@dataclass(frozen=True, slots=True)
class TypedLine:
    """One line, without its end."""

    text: str


@dataclass(frozen=True, slots=True)
class OverlongLine:
    """A line of more than MAX_LINE characters; it was not kept."""


@dataclass(frozen=True, slots=True)
class EndOfInput:
    """No more input. Not ``final`` for Ctrl-D on an empty line: there the keyboard remains."""

    final: bool = True


InputEvent = TypedLine | OverlongLine | EndOfInput


class LineSplitter:
    """Cuts a stream of bytes into lines, ended by LF or CRLF."""

    def __init__(self, encoding: str = "utf-8") -> None:
        self._decoder = tolerant_decoder(encoding)
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
            events.append(EndOfInput())
        return events

    def _append(self, piece: str, events: list[InputEvent]) -> None:
        if self._overlong:
            return
        self._text += piece
        if len(self._text) > MAX_LINE + 1:  # a CR may still go
            self._text, self._overlong = "", True
            events.append(OverlongLine())  # said at once: its end may never come

    def _finish(self, events: list[InputEvent]) -> None:
        if not self._overlong:
            events.append(TypedLine(self._text.removesuffix("\r")))
        self._text, self._overlong = "", False


def tolerant_decoder(encoding: str) -> codecs.IncrementalDecoder:
    """A decoder that never fails: what is no text becomes U+FFFD."""
    try:
        return codecs.getincrementaldecoder(encoding)("replace")
    except LookupError:
        return codecs.getincrementaldecoder("utf-8")("replace")
