"""Characters from a terminal, decoded into keys.

# House rules
#
# 1. A sequence that is not known does nothing, however long it is; Enter counts wherever it comes.
# 2. Nothing waits for a clock. ESC and a letter are Alt and that letter, be they pressed together
#    or one after the other; whoever gets an Alt that means nothing takes the letter as typed.
# 3. Nothing is asked of the terminal, and no mode of it switched on. So a paste comes as if typed,
#    each of its lines ended by an Enter: a reply in several lines is to be read just so. Bracketed
#    paste would only have to be taken apart again, and a program that is killed would leave it on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

_MAX_PARAMETERS = 16  # characters of them that are kept; those of known keys have four


class Key(Enum):
    """A key that isn't a letter, by what it does to a line."""

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
    DELETE_OR_END = auto()
    """Ctrl-D, which on an empty line ends the input."""
    ERASE_BLANKS_AND_WORD = auto()
    """Ctrl-W: back to the blank before."""
    ERASE_WORD_LEFT = auto()
    ERASE_WORD_RIGHT = auto()
    ERASE_TO_START = auto()
    ERASE_TO_END = auto()
    COMPLETE = auto()
    REDRAW = auto()


@dataclass(frozen=True, slots=True)
class Alt:
    """ESC and the key after it."""

    key: str


Pressed = str | Key | Alt
"""A str is one character to be typed."""

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
"""The last character of a sequence: ESC [ parameters final, or ESC O final (ECMA-48 5.4; xterm,
"PC-Style Function Keys")."""

_NUMBERED = {
    "1": Key.HOME,
    "7": Key.HOME,
    "4": Key.END,
    "8": Key.END,
    "3": Key.DELETE,
}
"""ESC [ number ~."""

_BY_WORDS = {
    Key.LEFT: Key.WORD_LEFT,
    Key.RIGHT: Key.WORD_RIGHT,
    Key.DELETE: Key.ERASE_WORD_RIGHT,
}
"""What a key does together with Ctrl or Alt."""


class KeyDecoder:
    """Turns characters into keys, in whatever pieces the characters come."""

    def __init__(self) -> None:
        self._begun = ""  # an escape sequence: ESC and whether it goes on with "[" or "O"
        self._parameters = ""

    def press(self, character: str) -> Iterator[Pressed]:
        """Yield the key that this character completes, if it completes one."""
        if character in _CONTROLS and self._begun != "\x1b":  # it counts within a sequence, too
            self._begun = ""
        begun = self._begun
        if character in "\r\n":
            self._begun = ""
            yield Key.ENTER
        elif character == "\x1b":
            self._begun = character
        elif begun == "\x1b":
            self._behind_escape(character)
            if not self._begun:
                yield Alt(character)
        elif begun == "\x1b[[":  # a function key of Linux' console: one more letter
            self._begun = ""
        elif begun and " " <= character < "@":
            self._parameters = (self._parameters + character)[:_MAX_PARAMETERS]
        elif begun == "\x1b[" and character == "[" and not self._parameters:
            self._begun = "\x1b[["
        elif begun:
            self._begun = ""
            key = _named(self._parameters, character)
            if key is not None:
                yield key
        elif character in _CONTROLS:
            yield _CONTROLS[character]
        else:
            yield character

    def _behind_escape(self, character: str) -> None:
        self._begun = f"\x1b{character}" if character in "[O" else ""
        self._parameters = ""


def _named(parameters: str, final: str) -> Key | None:
    """Return the key that a whole escape sequence stands for."""
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
"""One more than the sum of Shift 1, Alt 2, Ctrl 4; 9 is Meta. Only Shift is nothing to us."""
