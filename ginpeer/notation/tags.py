"""The tags at the head of a sheet, and how a text that somebody else wrote stands in one.

# Rule 1: a value stands on one line between two quotation marks, and nothing in it can end either:
#         a mark, and whatever is read as one, a backslash, controls, line ends, what is invisible
#         and what turns the direction are written as escapes.
# Rule 2: what was escaped reads back as it was; what can be seen stays as it is, in every script.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from ginpeer.names.quoting import MAX_MARKS, QUOTE, in_quotes

MAX_VALUE: Final = 512
"""Characters of a tag's value; a rule set's text has as many."""

TAG_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9]{0,31}", re.ASCII)
_ESCAPE: Final = re.compile(r"\\(?:([\"\\])|u\{([0-9a-f]{1,6})\})", re.ASCII | re.IGNORECASE)


def tag_line(name: str, value: str) -> str:
    """One tag: [Host "Ada"]."""
    return f'[{name} "{escaped(value)}"]'


def escaped(value: str) -> str:
    """The value as it stands between quotation marks."""
    out: list[str] = []
    bare = True  # whether a mark that belongs to a letter would stand on none
    marks = 0
    for character in value:
        is_mark = unicodedata.category(character)[0] == "M"
        marks = marks + 1 if is_mark else 0
        if character in '"\\':
            out.append(f"\\{character}")
        elif _misleads(character) or (is_mark and (bare or marks > MAX_MARKS)):
            out.append(f"\\u{{{ord(character):x}}}")
            bare = True
            continue
        else:
            out.append(character)
        bare = character in ' "'
    return "".join(out)


def unescaped(text: str) -> str | None:
    """The value of what stands between quotation marks; None for what is no such text."""
    out: list[str] = []
    at = 0
    while at < len(text):
        if text[at] == "\\":
            found = _ESCAPE.match(text, at)
            if found is None:
                return None
            character = found[1] or _character(int(found[2], 16))
            if character is None:
                return None
            out.append(character)
            at = found.end()
        elif text[at] == '"':
            return None
        else:
            out.append(text[at])
            at += 1
    return "".join(out)


def _character(number: int) -> str | None:
    """None for the number of no character, and for half of one."""
    if number > 0x10FFFF or 0xD800 <= number < 0xE000:
        return None
    return chr(number)


def _misleads(character: str) -> bool:
    """What cannot be seen, or could be taken for the end of the value."""
    category = unicodedata.category(character)
    if category[0] == "C" or (category[0] == "Z" and character != " "):
        return True
    return in_quotes(f"a{character}a") != f"{QUOTE}a{character}a{QUOTE}" or category == "Sk"
