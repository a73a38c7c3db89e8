"""What somebody else has said, where it stands in a sentence of ours.

Nothing in it may be read as ours. So there is one way to quote for all of it, names, chat and
goodbyes, and of what is quoted four things are changed:

- A mark that is or looks like our quotation mark becomes an apostrophe, and so do several marks in
  a row, two apostrophes too, which look like one.
- Any white space becomes one space: padded to a terminal's width, what follows would stand at the
  beginning of a row.
- Marks that belong to a letter and stand on none, U+FFFD: on a space they can look like anything.
- Nothing at all becomes U+FFFD, so that one sees that there is nothing.

A name needs no quotation marks where it is one word, and none that our own sentences are made of.

What steers a terminal is not looked for here: whoever prints does that (ginpeer.names.shown), and
breaks rows so that each that begins within quotation marks begins with a mark
(cli.terminal.output).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from itertools import pairwise
from typing import Final

from ginpeer.names.lookalikes import look_alike, skeleton

QUOTE: Final = '"'

# What Unicode calls confusable with two apostrophes, but for the letter of two yods, and what else
# is read as a quotation mark: guillemets and ornaments.
_DOUBLE: Final = (
    '"\u00ab\u00bb\u02ba\u02dd\u02ee\u02f5\u02f6\u05f4\u1cd3\u201c-\u201f\u2033\u2034\u2036\u2037'
    "\u2057\u226a\u226b\u275d\u275e\u2760\u2e42\u3003\u301d-\u301f\uff02\U0001f676-\U0001f678"
)
# And with one, but for the letter yod.
_SINGLE: Final = (
    "'`\u00b4\u02b9\u02bb-\u02bf\u02c8\u02ca\u02cb\u02f4\u0374\u0384\u055a\u055d\u05f3\u07f4\u07f5"
    "\u144a\u16cc\u1fbd\u1fbf\u1fef\u1ffd\u1ffe\u2018-\u201b\u2032\u2035\u275b\u275c\u275f\ua78c"
    "\uff07\uff40\U00016f51\U00016f52"
)
_MARKS: Final = re.compile(f"[{_DOUBLE}{_SINGLE}]{{2,}}|[{_DOUBLE}]")
_NOTHING: Final = "\N{REPLACEMENT CHARACTER}"

MAX_PLAIN: Final = 20
"""Characters of a name that needs no quotation marks."""

# Compared by their skeletons.
_OURS: Final = frozenset(
    map(
        skeleton,
        (
            *("you", "your", "yours", "yourself", "me", "we", "they", "nobody", "no one", "none"),
            *("neither", "both", "each", "everybody", "the", "host", "guest", "the host"),
            *("the guest", "player", "the other player", "players", "other", "opponent", "friend"),
            *("ginpeer", "hand", "hands", "game", "games", "column", "match", "table", "team"),
            *("teams", "score", "total", "totals", "valid", "illegal", "forged", "incomplete"),
        ),
    )
)


class Role(str):
    """A word of ours in the place of a name that is not known yet: "the guest"."""

    __slots__ = ()


def in_quotes(text: str) -> str:
    """The text as somebody else's words: "like this"."""
    words = " ".join(_standing(text).split())
    return f"{QUOTE}{_MARKS.sub(chr(39), words) or _NOTHING}{QUOTE}"


def called(name: str) -> str:
    """A name as it stands in a sentence of ours: Ann, "Ann Smith". What is no name yet but a word
    of ours stays as it is."""
    return name if isinstance(name, Role) or is_plain(name) else in_quotes(name)


def told_apart(names: tuple[str, str], form: Callable[[str], str] = called) -> tuple[str, str]:
    """The names of host and guest, each in this form, and with the seat behind it where one could
    be taken for the other, or for a word of ours by who hears it."""
    alike = look_alike(*names)
    host, guest = (
        f"{form(name)} ({seat})" if alike or _misleads(name) else form(name)
        for name, seat in zip(names, ("host", "guest"), strict=True)
    )
    return host, guest


def _misleads(name: str) -> bool:
    if isinstance(name, Role):
        return False
    return name.casefold().endswith((" (host)", " (guest)")) or is_ours(name)


def is_plain(name: str) -> bool:
    """Whether this is one short word, as a name is, and none of ours: letters and digits of a
    script that is written from left to right, and within them a hyphen, a low line or an
    apostrophe."""
    if not 1 <= len(name) <= MAX_PLAIN or unicodedata.category(name[0])[0] != "L":
        return False
    if name[-1] in _JOINS or any(one in _JOINS and two in _JOINS for one, two in pairwise(name)):
        return False
    return all(map(_is_plain, name)) and not is_ours(name)


def is_ours(name: str) -> bool:
    """Whether the name looks or sounds like a word that our own sentences use for a player, for
    nobody, or for what has a score; or like a number or a fingerprint."""
    if skeleton(name) in _OURS or is_fingerprint(name):
        return True
    return not any(unicodedata.category(c)[0] == "L" for c in name)


def is_fingerprint(text: str) -> bool:
    """Whether this has the form of a key's whole fingerprint. No name may have that form."""
    return _FINGERPRINT.fullmatch(text.strip().casefold()) is not None


_FINGERPRINT: Final = re.compile("[a-z2-7]{5}(-?[a-z2-7]{5}){3}")


_JOINS: Final = "-_'"


def _is_plain(character: str) -> bool:
    if character in _JOINS:
        return True
    if unicodedata.category(character) not in ("Lu", "Ll", "Lt", "Lo", "Mn", "Mc", "Nd"):
        return False
    return unicodedata.bidirectional(character) in ("L", "EN", "NSM")


def _standing(text: str) -> str:
    """The text without marks that stand on nothing."""
    found, bare = [], True
    for character in text:
        mark = unicodedata.category(character)[0] == "M"
        found.append(_NOTHING if mark and bare else character)
        bare = character.isspace() or (bare and mark)
    return "".join(found)
