"""A line being typed on a terminal that hands over every key. It does no I/O.

# House rules
#
# 1. What is shown is what is read: every change is a change of ``text`` or of ``at``, and nothing
#    else is kept of a key.
# 2. Keys are pressed one after the other as the events are asked for, so a line has been answered
#    before a key behind it counts: a paste of several lines finds the history and the table as
#    somebody would who waits for each answer.
# 3. A cursor never stands between a character and the marks on it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from cli.terminal.history import History
from cli.terminal.keys import Alt, Key, KeyDecoder, Pressed
from cli.terminal.line_input import (
    MAX_LINE,
    EndOfInput,
    InputEvent,
    OverlongLine,
    TypedLine,
    tolerant_decoder,
)
from cli.terminal.widths import columns_of_character


@dataclass(frozen=True, slots=True)
class CompletionList:
    """Tab was pressed twice: how the word may go on."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Redraw:
    """Ctrl-L: the row may have been spoilt by somebody else's output."""


EditorEvent = InputEvent | CompletionList | Redraw

Complete = Callable[[str], Sequence[str] | None]
"""What the last word of this text may become; each with a blank behind it where more has to
follow. None where words are free and Tab is a blank."""


NO_KEYS: Mapping[Key, str] = MappingProxyType({})


def no_completions(text: str) -> Sequence[str] | None:
    """Nothing is known of what is typed."""
    return None


class LineEditor:
    """``text`` is what has been typed so far, and ``at`` how many characters of it stand before
    the cursor.

    *complete* is asked when Tab is pressed. *instead*: what is read as a whole line when this key
    is pressed and nothing is typed, where it would move no cursor.
    """

    def __init__(
        self,
        encoding: str = "utf-8",
        complete: Complete = no_completions,
        instead: Mapping[Key, str] = NO_KEYS,
    ) -> None:
        self.text = ""
        self.at = 0
        self.history = History()
        self._complete = complete
        self._instead = instead
        self._decoder = tolerant_decoder(encoding)
        self._keys = KeyDecoder()
        self._overlong = False
        self._tabs = 0  # in a row, just now

    def feed(self, data: bytes) -> Iterator[EditorEvent]:
        """What these keys complete, one key after the other as it is asked for; no bytes at all
        mean that the terminal is gone."""
        for character in self._decoder.decode(data, final=not data):
            for pressed in self._keys.press(character):
                yield from self._press(pressed)
        if not data:
            yield EndOfInput()

    def _press(self, pressed: Pressed) -> Iterator[EditorEvent]:
        tabs, self._tabs = self._tabs, 0
        match pressed:
            case str():
                if unicodedata.category(pressed) != "Cc":
                    self._insert(pressed)
            case Alt(key):
                yield from self._press_alt(key)
            case Key.ENTER:
                event = OverlongLine() if self._overlong else TypedLine(self.text)
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
        """The line has been read; the next one is typed from nothing."""
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
        """Where the cursor goes by this key."""
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
        """Alt and a key; where that has nothing to do, as behind a lone ESC, the key counts."""
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
        """*before*: Tabs in a row before this one. The first completes, the second lists."""
        typed = self.text[: self.at]
        self._tabs = before + 1
        words = self._complete(typed) if self._tabs <= 2 else ()
        if words is None:
            self._tabs = 0
            self._insert(" ")
            return
        begun = typed.rpartition(" ")[2]
        if not typed.strip():  # whatever is possible, nothing is typed for whom has not begun
            common = ""
        elif len(words) == 1:
            spaced = self.text.startswith(" ", self.at)
            common = words[0].rstrip() if spaced else words[0]
        else:
            common = _common([word.rstrip() for word in words])
        if len(common) > len(begun) or (len(words) == 1 and common not in ("", begun)):
            self._replace(begun, common)
        elif words and self._tabs == 2:
            yield CompletionList(tuple(word.rstrip() for word in words))

    def _replace(self, begun: str, word: str) -> None:
        start, overlong = self.at - len(begun), self._overlong
        self._set(self.text[:start] + self.text[self.at :], start)
        self._insert(word)
        self._overlong |= overlong


def _common(words: Sequence[str]) -> str:
    """What all of them begin with, in whatever case."""
    kept = 0
    for letters in zip(*words, strict=False):
        if len({letter.casefold() for letter in letters}) > 1:
            break
        kept += 1
    return words[0][:kept] if words else ""


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
"""What is erased: from the cursor to where this key would take it."""

_ALTS = {
    "b": Key.WORD_LEFT,
    "f": Key.WORD_RIGHT,
    "d": Key.ERASE_WORD_RIGHT,
    "\x7f": Key.ERASE_WORD_LEFT,
    "\b": Key.ERASE_WORD_LEFT,
}
