"""The tags at the head of a sheet, and how a text that somebody else wrote stands in one.

# Rule 1: a value stands on one line between two quotation marks, and nothing in it can end either:
#         a mark, and whatever is read as one, a backslash, controls, line ends, what is invisible
#         and what turns the direction are written as escapes.
# Rule 2: what was escaped reads back as it was; what can be seen stays as it is, in every script.
"""
# @@ head: """The tags of a text that is read, and what those of them mean that have a meaning."""
# @@

from __future__ import annotations

import re
import unicodedata
from typing import Final

from ginpeer.names.quoting import QUOTE, in_quotes
from ginpeer.names.shown import MAX_MARKS
from ginpeer.notation.sheet import ROLES, VERSION, BadNotation, Sheet
from ginpeer.rules.cards import RulesError, parse_card
from ginpeer.rules.match import cut_dealer
from ginpeer.rules.parameters import FirstDealer
from ginpeer.rules.ruleset import STANDARD, RuleSet, parse_ruleset

# --- tags ---

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


# --- head ---

MAX_TAGS: Final = 64
_VERSION = "gin"


class Tags:
    """Takes the tags one by one."""

    def __init__(self) -> None:
        self._tags: dict[str, tuple[str, str, int]] = {}

    def __bool__(self) -> bool:
        return bool(self._tags)

    def take(self, name: str, value: str, line: int) -> None:
        """Raises BadNotation."""
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
        """All but the version, which is the text's and not the match's."""
        return tuple(
            (name, value) for key, (name, value, _) in self._tags.items() if key != _VERSION
        )

    @property
    def rules(self) -> RuleSet:
        """What is played. Raises BadNotation where that cannot be played."""
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
        """Who deals the first hand by the rules or by the cut; None where neither says it."""
        if rules.first_dealer is FirstDealer.LOWER_CUT:
            return self._cut_dealer()
        return 0 if rules.first_dealer is FirstDealer.HOST else 1

    def check_result(self, sheet: Sheet) -> None:
        """Raises BadNotation where the tag says something else than the hands."""
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
        """The value of a tag, and its line."""
        found = self._tags.get(key)
        return (None, 0) if found is None else found[1:]
