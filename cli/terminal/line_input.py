"""Turns bytes into keys and lines: from a pipe, or from a terminal whose keys edit a line.

Two classes produce the same events. LineSplitter reads from a pipe, or from a terminal that edits
its own lines. LineEditor reads single keys from a terminal that passes them on one by one
(cli.terminal.console says when and why). Both classes are fed bytes and do no I/O.

House rules

1. Nothing here grows without bound: a line longer than MAX_LINE is reported, not kept.
2. Keys are processed one by one as the events are requested, so a line is answered before the
   next key takes effect. A paste of several lines therefore has the same effect as typing them and
   waiting for each answer.
3. The cursor is never between a character and its combining marks.
4. An unknown sequence does nothing, no matter how long it is. Enter counts even inside one.
5. There are no timeouts. ESC and a letter mean Alt and that letter, whether pressed together or
   one after the other; an Alt combination without a meaning types the letter.
6. The terminal is never queried, and none of its modes is switched on. So a paste arrives
   as if typed, with an Enter after each line; a reply of several lines is read like that.
   Bracketed paste would have to be switched off again, and a killed program would leave it on.
"""

from __future__ import annotations

import codecs
import time
import unicodedata
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from os.path import commonprefix

from cli.terminal.output import columns_of_character

# --- keys -------------------------------------------------------------------------------

_MAX_SEQUENCE = 18  # how many characters to keep; known keys send at most six


class Key(Enum):
    """A key that isn't a letter, named by what it does to a line."""

    ENTER = auto()
    LEFT = auto()
    RIGHT = auto()
    WORD_LEFT = auto()
    WORD_RIGHT = auto()
    HOME = auto()
    END = auto()
    UP = auto()
    DOWN = auto()
    BACKSPACE = auto()
    DELETE = auto()
    DELETE_OR_END = auto()  # Ctrl-D, which ends the input on an empty line
    ERASE_BLANKS_AND_WORD = auto()  # Ctrl-W: erases back to the previous blank
    ERASE_WORD_LEFT = auto()
    ERASE_WORD_RIGHT = auto()
    ERASE_TO_START = auto()
    ERASE_TO_END = auto()
    COMPLETE = auto()
    REDRAW = auto()


@dataclass(frozen=True, slots=True)
class Alt:
    key: str


Pressed = str | Key | Alt  # A key press; a str is one character to be typed

_CONTROLS = {
    "\r": Key.ENTER,
    "\n": Key.ENTER,
    "\x01": Key.HOME,  # Ctrl-A
    "\x02": Key.LEFT,
    "\x04": Key.DELETE_OR_END,
    "\x05": Key.END,
    "\x06": Key.RIGHT,
    "\b": Key.BACKSPACE,
    "\x7f": Key.BACKSPACE,
    "\t": Key.COMPLETE,
    "\x0b": Key.ERASE_TO_END,  # Ctrl-K
    "\x0c": Key.REDRAW,
    "\x0e": Key.DOWN,
    "\x10": Key.UP,
    "\x15": Key.ERASE_TO_START,  # Ctrl-U
    "\x17": Key.ERASE_BLANKS_AND_WORD,
}

_FINALS = {
    "A": Key.UP,
    "B": Key.DOWN,
    "C": Key.RIGHT,
    "D": Key.LEFT,
    "F": Key.END,
    "H": Key.HOME,
    "c": Key.WORD_RIGHT,  # rxvt
    "d": Key.WORD_LEFT,
}
"""Keys by the last character of a sequence: ESC [ parameters final, or ESC O final (ECMA-48 5.4;
xterm, "PC-Style Function Keys")."""

_NUMBERED = {"1": Key.HOME, "7": Key.HOME, "4": Key.END, "8": Key.END, "3": Key.DELETE}
"""Keys by the number in ESC [ number ~."""

_BY_WORDS = {Key.LEFT: Key.WORD_LEFT, Key.RIGHT: Key.WORD_RIGHT, Key.DELETE: Key.ERASE_WORD_RIGHT}
"""What a key does when pressed with Ctrl or Alt."""


class KeyDecoder:
    """Turns characters into keys, no matter how the input was split."""

    def __init__(self) -> None:
        self._begun = ""  # the beginning of an escape sequence

    def press(self, character: str) -> Iterator[Pressed]:
        begun, self._begun = self._begun, ""
        if character in "\r\n" or (character in _CONTROLS and begun != "\x1b"):
            yield _CONTROLS[character]  # also inside a sequence
        elif character == "\x1b":
            self._begun = character
        elif not begun:
            yield character
        elif begun == "\x1b" and character not in "[O":
            yield Alt(character)
        elif begun == "\x1b[[":
            return  # a function key of the Linux console: ESC [ [ and one letter
        elif begun == "\x1b" or begun + character == "\x1b[[" or " " <= character < "@":
            self._begun = (begun + character)[:_MAX_SEQUENCE]
        else:
            key = _named(begun[2:], character)
            if key is not None:
                yield key


def _named(parameters: str, final: str) -> Key | None:
    number, _, modifier = parameters.partition(";")
    if final == "~":
        key = _NUMBERED.get(number)
    elif number in ("", "1"):
        key = _FINALS.get(final)
    else:  # older terminals send the modifier alone
        key, modifier = _FINALS.get(final), number
    if key is None or not modifier:
        return key
    return _BY_WORDS.get(key, key) if modifier in _WITH_CTRL_OR_ALT else key


_WITH_CTRL_OR_ALT = ("3", "4", "5", "6", "7", "8", "9")
"""Modifier codes: 1 plus the sum of Shift 1, Alt 2, Ctrl 4; 9 is Meta. Shift alone is ignored."""


# --- lines ------------------------------------------------------------------------------

MAX_LINE = 4_000
"""The most characters in a line. A chat line may have 500, a move written in full about 150."""


@dataclass(frozen=True, slots=True)
class TypedLine:
    text: str
    begun: float | None = field(default=None, compare=False)
    """When the first character was typed, if that is known."""


@dataclass(frozen=True, slots=True)
class OverlongLine:
    """A line of more than MAX_LINE characters, whose text was dropped."""


@dataclass(frozen=True, slots=True)
class EndOfInput:
    """The end of the input. Ctrl-D isn't a *final* end, because the keyboard is still there."""

    final: bool = True


InputEvent = TypedLine | OverlongLine | EndOfInput


class LineSplitter:
    """Splits a stream of bytes into lines that end with LF or CRLF."""

    def __init__(self, encoding: str = "utf-8") -> None:
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")  # bad bytes become U+FFFD
        self._text = ""
        self._overlong = False

    def feed(self, data: bytes) -> list[InputEvent]:
        """Return the events that these bytes complete. Empty *data* means the end of the input."""
        pieces = self._decoder.decode(data, final=not data).split("\n")
        events: list[InputEvent] = []
        self._append(pieces[0], events)
        for piece in pieces[1:]:
            self._finish(events)
            self._append(piece, events)
        if not data:
            if self._text or self._overlong:
                self._finish(events)  # the last line may have no line break
            events.append(EndOfInput())
        return events

    def _append(self, piece: str, events: list[InputEvent]) -> None:
        if self._overlong:
            return
        self._text += piece
        if len(self._text) > MAX_LINE + 1:  # one more, because a CR may still be removed
            self._text, self._overlong = "", True
            events.append(OverlongLine())  # reported at once, because the line may never end

    def _finish(self, events: list[InputEvent]) -> None:
        if not self._overlong:
            events.append(TypedLine(self._text.removesuffix("\r")))
        self._text, self._overlong = "", False


# --- the history ------------------------------------------------------------------------

MAX_HISTORY = 100  # lines; of MAX_LINE characters each, they take less than a megabyte


class History:
    """The lines typed before, and which line is shown. The newest is the line being typed. A change
    to any line lasts until Enter, so browsing loses nothing."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=MAX_HISTORY)
        self._at = 0  # from the oldest; len(_lines) is the line being typed
        self._changed: dict[int, str] = {}

    def keep(self, line: str) -> None:
        """Keep a line that was entered, unless it is blank or the same as the last."""
        if line.strip() and (not self._lines or self._lines[-1] != line):
            self._lines.append(line)
        self.leave()

    def leave(self) -> None:
        self._at = len(self._lines)
        self._changed.clear()

    def go(self, step: int, text: str) -> str | None:
        """Return the older (-1) or newer (1) line, if any. *text*: the line shown, with changes."""
        to = self._at + step
        if not 0 <= to <= len(self._lines):
            return None
        self._changed[self._at] = text
        self._at = to
        newest = "" if to == len(self._lines) else self._lines[to]
        return self._changed.get(to, newest)


# --- the line being typed ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CompletionList:
    """Tab was pressed twice: list the possible completions of the word."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Redraw:
    """Ctrl-L was pressed: another program may have written over the row."""


EditorEvent = InputEvent | CompletionList | Redraw

Complete = Callable[[str], Sequence[str] | None]
"""Returns the completions of a text's last word. A completion ends in a blank if more has to follow
it. None means that any word may follow, so Tab types a blank."""


class LineEditor:
    """A line being typed: `text`, and `at`, the number of characters before the cursor. *instead*:
    the lines that single keys enter while nothing has been typed."""

    def __init__(
        self,
        encoding: str = "utf-8",
        complete: Complete = lambda text: None,
        instead: Mapping[Key, str] = {},
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        self.text = ""
        self.at = 0
        self.history = History()
        self._complete = complete
        self._instead = instead
        self._seconds = seconds
        self._begun = 0.0  # when a key was last pressed while the line was empty
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        self._keys = KeyDecoder()
        self._overlong = False
        self._tabs = 0  # how many times Tab has been pressed in a row

    def feed(self, data: bytes) -> Iterator[EditorEvent]:
        """Yield the events that these bytes complete, one key at a time as events are requested.
        Empty *data* means that the terminal is gone."""
        for character in self._decoder.decode(data, final=not data):
            for pressed in self._keys.press(character):
                yield from self._press(pressed)
        if not data:
            yield EndOfInput()

    def _press(self, pressed: Pressed) -> Iterator[EditorEvent]:
        tabs, self._tabs = self._tabs, 0
        if not self.text:
            self._begun = self._seconds()
        match pressed:
            case str():
                if unicodedata.category(pressed) != "Cc":
                    self._insert(pressed)
            case Alt(key):
                yield from self._press_alt(key)
            case Key.ENTER:
                event = OverlongLine() if self._overlong else TypedLine(self.text, self._begun)
                self.clear()
                yield event
            case Key.COMPLETE:
                yield from self._tab(tabs)
            case Key.REDRAW:
                yield Redraw()
            case Key() if not self.text and pressed in self._instead:
                yield TypedLine(self._instead[pressed])
            case Key.DELETE_OR_END if not self.text:
                yield EndOfInput(final=False)
            case _:
                self._edit(pressed)

    def clear(self) -> None:
        """Start an empty line, after the current one has been read or erased."""
        self._set("", 0)
        self.history.leave()

    # --- what each key does ------------------------------------------------------------

    def _edit(self, key: Key) -> None:
        match key:
            case Key.LEFT | Key.WORD_LEFT | Key.HOME | Key.RIGHT | Key.WORD_RIGHT | Key.END:
                self.at = self._to(key)
            case Key.UP | Key.DOWN:
                line = self.history.go(-1 if key is Key.UP else 1, self.text)
                if line is not None:
                    self._set(line, len(line))
            case _:
                there = self._to(_ERASES_TO[key])
                start, end = min(there, self.at), max(there, self.at)
                if start < end:
                    self._set(self.text[:start] + self.text[end:], start)

    def _to(self, where: Key) -> int:
        text, at = self.text, self.at
        match where:
            case Key.HOME:
                return 0
            case Key.END:
                return len(text)
            case Key.LEFT:
                at = max(0, at - 1)
            case Key.RIGHT:
                at = min(len(text), at + 1)
                while at < len(text) and not columns_of_character(text[at]):
                    at += 1
            case Key.WORD_LEFT:
                while at and not text[at - 1].isalnum():
                    at -= 1
                while at and _of_word(text[at - 1]):
                    at -= 1
            case Key.WORD_RIGHT:
                while at < len(text) and not text[at].isalnum():
                    at += 1
                while at < len(text) and _of_word(text[at]):
                    at += 1
            case Key.ERASE_BLANKS_AND_WORD:
                at = text[:at].rstrip(" ").rfind(" ") + 1
        while 0 < at < len(text) and not columns_of_character(text[at]):
            at -= 1
        return at

    def _press_alt(self, key: str) -> Iterator[EditorEvent]:
        """Handle Alt and a key. If the combination would do nothing, it may be a lone ESC and then
        the key, so press the key alone."""
        meant = _ALTS.get(key)
        if meant is not None and self._to(_ERASES_TO.get(meant, meant)) != self.at:
            self._edit(meant)
            return
        for pressed in self._keys.press(key):
            yield from self._press(pressed)

    def _insert(self, typed: str) -> None:
        room = MAX_LINE - len(self.text)
        kept, overlong = typed[:room], self._overlong or len(typed) > room
        if kept:
            self._set(self.text[: self.at] + kept + self.text[self.at :], self.at + len(kept))
        self._overlong = overlong

    def _set(self, text: str, at: int) -> None:
        self.text, self.at, self._overlong = text, at, False

    # --- Tab ---------------------------------------------------------------------------

    def _tab(self, before: int) -> Iterator[EditorEvent]:
        """Complete the word, or list its completions. *before*: how many Tabs came just before."""
        typed = self.text[: self.at]
        self._tabs = before + 1
        words = self._complete(typed) if self._tabs <= 2 else ()
        if words is None:
            self._tabs = 0
            self._insert(" ")
            return
        begun = typed.rpartition(" ")[2]
        if not typed.strip():  # type nothing before the player has begun a word
            common = ""
        elif len(words) == 1 and not self.text.startswith(" ", self.at):
            common = words[0]
        else:
            common = commonprefix([word.rstrip() for word in words])  # noqa: RUF071  # words, not paths
        if len(common) > len(begun) or (len(words) == 1 and common not in ("", begun)):
            start, overlong = self.at - len(begun), self._overlong
            self._set(self.text[:start] + self.text[self.at :], start)
            self._insert(common)
            self._overlong |= overlong
        elif words and self._tabs == 2:
            yield CompletionList(tuple(word.rstrip() for word in words))


def _of_word(character: str) -> bool:
    return character.isalnum() or not columns_of_character(character)


_ERASES_TO = {
    Key.BACKSPACE: Key.LEFT,
    Key.DELETE: Key.RIGHT,
    Key.DELETE_OR_END: Key.RIGHT,
    Key.ERASE_WORD_LEFT: Key.WORD_LEFT,
    Key.ERASE_WORD_RIGHT: Key.WORD_RIGHT,
    Key.ERASE_BLANKS_AND_WORD: Key.ERASE_BLANKS_AND_WORD,
    Key.ERASE_TO_START: Key.HOME,
    Key.ERASE_TO_END: Key.END,
}
"""For each erasing key, the key that moves the cursor across the text to be erased."""

_ALTS = {
    "b": Key.WORD_LEFT,
    "f": Key.WORD_RIGHT,
    "d": Key.ERASE_WORD_RIGHT,
    "\x7f": Key.ERASE_WORD_LEFT,
    "\b": Key.ERASE_WORD_LEFT,
}
