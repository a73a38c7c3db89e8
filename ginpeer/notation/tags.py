"""The tags at the head of a sheet: written, escaped, and read with what they mean.

# Rule 1: a value stands on one line between two quotation marks, and nothing in it can end either:
#         quotation marks and what could be read as one, backslashes, controls, line ends, invisible
#         characters and those that change the direction are written as escapes.
# Rule 2: escapes read back as the original; visible text stays as it is, in every script.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from ginpeer.names.quoting import MAX_MARKS, QUOTE, in_quotes
from ginpeer.notation.sheet import ROLES, VERSION, BadNotation, Sheet
from ginpeer.rules.cards import RulesError, parse_card
from ginpeer.rules.match import cut_dealer
from ginpeer.rules.parameters import FirstDealer
from ginpeer.rules.ruleset import STANDARD, RuleSet, parse_ruleset

# --- escaping -------------------------------------------------------------------------

MAX_VALUE: Final = 512
"""The most characters in a tag's value; a rule set's text has as many."""

TAG_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9]{0,31}", re.ASCII)
_ESCAPE: Final = re.compile(r"\\(?:([\"\\])|u\{([0-9a-f]{1,6})\})", re.ASCII | re.IGNORECASE)


def tag_line(name: str, value: str) -> str:
    """Return one tag: [Host "Ada"]."""
    return f'[{name} "{escaped(value)}"]'


def escaped(value: str) -> str:
    """Return the value as it is written between quotation marks."""
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
    """Return the value of the text between quotation marks; None if it isn't valid."""
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
    """Return the character with this number; None for an unassigned one or half of a pair."""
    if number > 0x10FFFF or 0xD800 <= number < 0xE000:
        return None
    return chr(number)


def _misleads(character: str) -> bool:
    """Return whether a character is invisible, or could be taken for the end of the value."""
    category = unicodedata.category(character)
    if category[0] == "C" or (category[0] == "Z" and character != " "):
        return True
    return in_quotes(f"a{character}a") != f"{QUOTE}a{character}a{QUOTE}" or category == "Sk"


# --- the tags of a text ---------------------------------------------------------------

MAX_TAGS: Final = 64
_VERSION = "gin"


class Tags:
    """The tags of a text, taken one by one."""

    def __init__(self) -> None:
        self._tags: dict[str, tuple[str, str, int]] = {}

    def __bool__(self) -> bool:
        return bool(self._tags)

    def take(self, name: str, value: str, line: int) -> None:
        """Add a tag. Raises BadNotation."""
        key = name.casefold()
        if key in self._tags:
            raise BadNotation("tag-twice", f"The tag {name} stands there twice.", line)
        if len(self._tags) == MAX_TAGS:
            raise BadNotation("tag-unreadable", f"There are more than {MAX_TAGS} tags.", line)
        if key == _VERSION and value != VERSION:
            raise BadNotation(
                "notation-too-new",
                f"This is another version of the notation; this program reads {VERSION}.",
                line,
            )
        self._tags[key] = (name, value, line)
        if key == "cut":
            self._cut_dealer()

    @property
    def kept(self) -> tuple[tuple[str, str], ...]:
        """All tags but the version, which belongs to the text and not to the match."""
        return tuple(
            (name, value) for key, (name, value, _) in self._tags.items() if key != _VERSION
        )

    @property
    def rules(self) -> RuleSet:
        """The rules that are played. Raises BadNotation if they can't be."""
        value, line = self._value("rules")
        if value is None:
            return STANDARD
        try:
            rules = parse_ruleset(value)
            rules.check()
        except RulesError as why:
            raise BadNotation(why.code, why.sentence, line) from why
        return rules

    def first_dealer(self, rules: RuleSet) -> int | None:
        """Return who deals the first hand by the rules or by the cut; None if neither says."""
        if rules.first_dealer is FirstDealer.LOWER_CUT:
            return self._cut_dealer()
        return 0 if rules.first_dealer is FirstDealer.HOST else 1

    def check_result(self, sheet: Sheet) -> None:
        """Raise BadNotation if the Result tag contradicts the hands."""
        value, line = self._value("result")
        if value is None or not sheet.whole:
            return
        match = sheet.match
        if match is None or not match.finished:
            made = "unfinished"
        else:
            made = "nobody" if match.winner is None else ROLES[match.winner]
        if value.casefold() != made:
            raise BadNotation(
                "sum-differs", f"The tag Result says otherwise: by its hands it is {made}.", line
            )

    def _cut_dealer(self) -> int | None:
        value, line = self._value("cut")
        if value is None:
            return None
        try:
            host, guest = (parse_card(word) for word in value.split(" ", 2))
            return cut_dealer((host, guest))
        except ValueError as why:
            raise BadNotation(
                "tag-unreadable", "A cut is the host's card and the guest's, as \"7d Kc\".", line
            ) from why

    def _value(self, key: str) -> tuple[str | None, int]:
        """Return the value of a tag, and its line."""
        found = self._tags.get(key)
        return (None, 0) if found is None else found[1:]
