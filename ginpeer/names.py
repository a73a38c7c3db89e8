"""Players' names, and how to show any other text from a peer among our own words.

House rules for text that somebody else wrote

1. Any text that a peer could have written passes through safe() before we print it or put it in a
   document, no matter who checked it earlier.
2. Within our own sentences such text appears as safe_quote() and display_name() make it: in
   quotation marks that it cannot close, or as one plain word that our own sentences don't use.
   Names of the players of a match come from display_names(), which also disambiguates them. In a
   verdict on who signed what, the key comes first, and the name is always quoted by safe_quote().
3. If a quotation wraps, each further row begins with a mark (cli.terminal.output).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import resources
from itertools import pairwise
from math import inf
from typing import Final, Literal

QUOTE: Final = '"'

# Characters that Unicode calls confusable with two apostrophes, except the letter of two yods, and
# others that look like a quotation mark: guillemets and ornaments.
_DOUBLE: Final = (
    '"\u00ab\u00bb\u02ba\u02dd\u02ee\u02f5\u02f6\u05f4\u1cd3\u201c-\u201f\u2033\u2034\u2036\u2037'
    "\u2057\u226a\u226b\u275d\u275e\u2760\u2e42\u3003\u301d-\u301f\uff02\U0001f676-\U0001f678"
)
# Characters confusable with one apostrophe, except the letter yod.
_SINGLE: Final = (
    "'`\u00b4\u02b9\u02bb-\u02bf\u02c8\u02ca\u02cb\u02f4\u0374\u0384\u055a\u055d\u05f3\u07f4\u07f5"
    "\u144a\u16cc\u1fbd\u1fbf\u1fef\u1ffd\u1ffe\u2018-\u201b\u2032\u2035\u275b\u275c\u275f\ua78c"
    "\uff07\uff40\U00016f51\U00016f52"
)
_MARKS: Final = re.compile(f"[{_DOUBLE}{_SINGLE}]{{2,}}|[{_DOUBLE}]")
_MARKER: Final = "\N{REPLACEMENT CHARACTER}"

MAX_PLAIN: Final = 20
"""The maximum length of a name without quotation marks, in characters."""


_OUR_WORDS: Final = (
    "you, your, yours, yourself, me, we, they, nobody, no one, none, neither, both, each, "
    "everybody, the, host, guest, the host, the guest, player, the other player, players, other, "
    "opponent, friend, ginpeer, hand, hands, game, games, column, match, table, team, teams, "
    "score, total, totals, valid, illegal, forged, incomplete"
)


@cache
def _reserved_words() -> frozenset[str]:
    """Return the skeletons of the words that our own sentences use."""
    return frozenset(map(skeleton, _OUR_WORDS.split(", ")))


class PlaceholderName(str):
    """Our own words for a player whose name isn't known yet, such as "the guest"."""

    __slots__ = ()


def in_quotes(text: str) -> str:
    """Quote somebody else's text: "like this".

    Nobody may take quoted text for ours. So a character that is or looks like our quotation mark
    becomes an apostrophe, and so do several such marks in a row, even two apostrophes. White space
    of any length becomes one space: padding to the terminal's width would move the rest to a new
    row. A combining mark without a letter before it can look like anything, so it becomes U+FFFD,
    and so does an empty text.
    """
    words = " ".join(_without_stray_marks(text).split())
    return f"{QUOTE}{_MARKS.sub(chr(39), words) or _MARKER}{QUOTE}"


def quoted_name(name: str) -> str:
    """Return a name as it appears in our sentences: Ann, "Ann Smith"."""
    return name if isinstance(name, PlaceholderName) or is_plain(name) else in_quotes(name)


def disambiguated(
    names: tuple[str, str], form: Callable[[str], str] = quoted_name
) -> tuple[str, str]:
    """Return the names of host and guest in this form. Add the seat to a name that could be
    mistaken for the other, or for a word of ours."""
    alike = look_alike(*names)
    host, guest = (
        f"{form(name)} ({seat})" if alike or _misleads(name) else form(name)
        for name, seat in zip(names, ("host", "guest"), strict=True)
    )
    return host, guest


def _misleads(name: str) -> bool:
    if isinstance(name, PlaceholderName):
        return False
    return name.casefold().endswith((" (host)", " (guest)")) or is_reserved_word(name)


def is_plain(name: str) -> bool:
    """Return whether a name is one short word and not one of ours: letters and digits of a script
    written from left to right, with hyphens, underscores or apostrophes inside."""
    if not 1 <= len(name) <= MAX_PLAIN or unicodedata.category(name[0])[0] != "L":
        return False
    if name[-1] in _JOINS or any(one in _JOINS and two in _JOINS for one, two in pairwise(name)):
        return False
    return all(map(_is_plain, name)) and not is_reserved_word(name)


def is_reserved_word(name: str) -> bool:
    """Return whether the name could be mistaken for a word that our own sentences use, for a number
    or for a fingerprint."""
    if skeleton(name) in _reserved_words() or is_fingerprint(name):
        return True
    return not any(unicodedata.category(c)[0] == "L" for c in name)


def comparable(name: str) -> str:
    """Return the form of a name that is used for comparisons: case-folded, and in NFC, because some
    systems type é as two characters."""
    return unicodedata.normalize("NFC", name).casefold()


def is_fingerprint(text: str) -> bool:
    """Return whether a text looks like a key's whole fingerprint. No name may look like that."""
    return _FINGERPRINT.fullmatch(text.strip().casefold()) is not None


_FINGERPRINT: Final = re.compile("[a-z2-7]{5}(-?[a-z2-7]{5}){3}")
_JOINS: Final = "-_'"


def _is_plain(character: str) -> bool:
    if character in _JOINS:
        return True
    if unicodedata.category(character) not in ("Lu", "Ll", "Lt", "Lo", "Mn", "Mc", "Nd"):
        return False
    return unicodedata.bidirectional(character) in ("L", "EN", "NSM")


def _without_stray_marks(text: str) -> str:
    """Replace combining marks that don't follow a letter."""
    found, bare = [], True
    for character in text:
        mark = unicodedata.category(character)[0] == "M"
        found.append(_MARKER if mark and bare else character)
        bare = character.isspace() or (bare and mark)
    return "".join(found)


# --- making text harmless -------------------------------------------------------------------------

MAX_SAFE = 500  # characters of one peer-controlled text; a chat line isn't longer
MAX_MARKS = 2  # combining marks on one letter; enough for Vietnamese, too few to climb the screen

# Letters and symbols (by their category) that nevertheless display as a blank or as nothing.
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")


def safe(text: str, limit: int = MAX_SAFE) -> str:
    """Make somebody else's text harmless for a terminal and for the line it appears in.

    Line ends, tabs and odd spaces become plain spaces. Control, bidirectional and invisible
    characters become U+FFFD, which is visible, so that two names that differ only in them look
    different. Piled-up combining marks are cut. Text longer than *limit* is cut, and "..." added.
    """
    out: list[str] = []
    marks = 0
    for character in text[: limit + 1]:
        category = unicodedata.category(character)
        if category in ("Mn", "Me") and not _selects_variation(character):
            marks += 1
            if marks <= MAX_MARKS and out and character not in _INVISIBLE:
                out.append(character)
            continue
        marks = 0
        if category in ("Zs", "Zl", "Zp") or character in "\t\n\r\v\f":
            out.append(" ")
        elif category[0] == "C" or character in _INVISIBLE or _selects_variation(character):
            out.append(_MARKER)
        else:
            out.append(character)
    if len(text) > limit:
        out[limit:] = ["..."]
    return "".join(out).strip(" ") or _MARKER


# Characters that Unicode 15 to 17 added. Some ranges include rare older characters. Python 3.11 has
# Unicode 14.
_NEW = re.compile(
    "[\u088f\u0897\u0c5c\u0cdc\u0cf3\u0ece\u1acf-\u1aeb\u1b4e\u1b4f\u1b7f\u1c89\u1c8a\u20c1\u2427-\u2429"
    "\u2b96\u2ffc-\u2fff\u31e4-\u31ef\ua7cb-\ua7f1\ufbc3-\ufbd2\ufd90\ufd91\ufdc8-\ufdce"
    "\U000105c0-\U0001d3ff\U0001d800-\U0001efff\U0001f6d8-\U0001f6dc\U0001f774-\U0001f8ff"
    "\U0001fa54-\U0001fa57\U0001fa75-\U0001fa77\U0001fa87-\U0001fa8f\U0001faad-\U0001faaf"
    "\U0001fabb-\U0001fabf\U0001fac6-\U0001facf\U0001fada-\U0001fadf\U0001fae8-\U0001faef"
    "\U0001faf7-\U0001fbff\U0002b739-\U0003ffff]"
)


def depends_on_python(text: str) -> bool:
    """Return whether another version of Python, with its own tables, might show this text
    differently."""
    return any(unicodedata.category(each) == "Cn" or _NEW.match(each) for each in text)


def safe_quote(text: str, limit: int = MAX_SAFE) -> str:
    """Quote somebody else's text harmlessly within a sentence of ours: "like this"."""
    return isolate_quotes(in_quotes(safe(text, limit)))


def display_name(name: str) -> str:
    """Return a harmless name for use within a sentence of ours: Ann, "Ann Smith"."""
    return name if isinstance(name, PlaceholderName) else isolate_quotes(quoted_name(safe(name)))


def isolate_quotes(sentence: str) -> str:
    """Isolate quoted parts that are written from right to left. Otherwise such a name would change
    places with a number after it."""
    return _QUOTED.sub(_isolated, sentence)


def _isolated(found: re.Match[str]) -> str:
    if all(unicodedata.bidirectional(c) not in ("R", "AL", "AN") for c in found[0]):
        return found[0]
    return f"\N{LEFT-TO-RIGHT ISOLATE}{found[0]}\N{POP DIRECTIONAL ISOLATE}"


_QUOTED = re.compile(f"{QUOTE}[^{QUOTE}]*{QUOTE}")


def _selects_variation(character: str) -> bool:
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"


def display_names(names: tuple[str, str], *, quoted: bool = False) -> tuple[str, str]:
    """Return the players' names for the screen: cleaned, quoted if they aren't plain or if
    *quoted*, and disambiguated."""
    return disambiguated(names, _always_quoted if quoted else display_name)


def _always_quoted(name: str) -> str:
    return name if isinstance(name, PlaceholderName) else safe_quote(name)


# --- names that look alike ------------------------------------------------------------------------
#
# A name's skeleton (Unicode Technical Standard 39, section 4) leaves out everything that the eye
# ignores: script, case, marks on letters, spaces and punctuation. Names with the same skeleton look
# alike. Ours is deliberately coarser than the standard's: it never makes us refuse a name, only
# advise a person to look twice. Skeletons are never stored or compared between machines, since they
# depend on Python's version of Unicode.

# Look-alikes that the standard lacks. It equates 1, l, | and capital I, but not small i. It equates
# the capital of \u044c (a Cyrillic letter) with b, but the small one with \u0185. Of the digits
# that people write for letters, it includes only 0 and 1. Here each digit becomes a different
# letter, so Bob2 and Bob3 remain different.
_MORE: Final = str.maketrans("i\u01852345678", "lbzeasgtb")


@cache
def prototypes() -> Mapping[str, str]:
    """Return, for each confusable character, what it looks like: one letter, or several (m looks
    like rn)."""
    content = resources.files("ginpeer").joinpath("confusables.txt").read_bytes()
    found: dict[str, str] = {}
    for row in content.decode("utf-8").splitlines():
        if row and not row.startswith("#"):
            prototype, *sources = (_text(word) for word in row.split())
            found |= dict.fromkeys(sources, prototype)
    return found


def _text(word: str) -> str:
    """Return the characters with these hexadecimal code points, such as 32+4F."""
    return "".join(chr(int(code, 16)) for code in word.split("+"))


@cache
def _strokes() -> str:
    """Return the characters that look like the stroke of a capital I."""
    return "I|" + "".join(
        source
        for source, prototype in prototypes().items()
        if prototype == "l" and not source.islower() and not source.isdecimal()
    )


def look_alike(one: str, other: str) -> bool:
    """Return whether one name could be mistaken for the other: bob, Bob., B0b, and Bob with a
    Cyrillic o."""
    return any(
        skeleton(form(one)) == skeleton(form(other))
        # A capital letter and its small form may look like different letters: H, \u043d.
        for form in (str, str.casefold, _without_stroke)
    )


def _without_stroke(name: str) -> str:
    """Drop a capital I after the last small letter of a name: BobI reads as Bob! or Bob|."""
    short = name.rstrip(_strokes())
    return short if short[-1:].islower() else name


@lru_cache(maxsize=256)  # called for every sentence with a player's name
def skeleton(name: str) -> str:
    """Return what the eye keeps of a name: its letters and digits, or else its symbols."""
    text = _replace_lookalikes(_replace_lookalikes(unicodedata.normalize("NFC", name)).casefold())
    folded = _replace_lookalikes(unicodedata.normalize("NFKD", text).casefold())
    letters = "".join(c for c in folded if unicodedata.category(c)[0] in "LN")
    return (letters or "".join(folded.split())).translate(_MORE)


def _replace_lookalikes(text: str) -> str:
    table = prototypes()
    return "".join(table.get(character, character) for character in text)


# --- the names by which our player knows keys -----------------------------------------------------
#
# Rule 4: if our player has renamed a friend, that name is used everywhere. The friend's own name is
#         shown once, as a quoted claim.
# Rule 5: a name belongs to the key that our player gave it to, or else to the first key that used
#         it. A key that took the name later doesn't own it, even if we met that key earlier. If
#         another key has that name, or one that looks like it, every sentence marks that key.
# Rule 6: logs, documents and lines for programs say what the log proves, and never use nicknames.

Keys = tuple[bytes | None, bytes | None]
"""The keys of host and guest; None for a key that isn't known yet."""

_NOT_THE_ONE = "another key"


@dataclass(frozen=True, slots=True)
class PeerNames:
    """The names of a key that we have met."""

    name: str  # its owner's name for it
    nickname: str = ""  # our player's name for it, or empty
    since: float = 0  # when the owner took that name, in seconds since 1970

    @property
    def called(self) -> str:
        return self.nickname or self.name


@dataclass(frozen=True)
class KnownNames:
    """The keys that a home knows: its own, and those that it has met."""

    own: bytes | None = None
    met: Mapping[bytes, PeerNames] = field(default_factory=dict)
    _owners: dict[tuple[bytes, str], bytes | None] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def relation(self, key: bytes) -> Literal["own", "met"] | None:
        """Return "own" for our own key, "met" for a key that we have met, None for any other."""
        if key == self.own:
            return "own"
        return "met" if key in self.met else None

    def nickname(self, key: bytes | None) -> str:
        """Return our player's name for this key; empty if our player uses the owner's name."""
        met = None if key is None else self.met.get(key)
        return "" if met is None else met.nickname

    def name(self, key: bytes | None, own_name: str) -> str:
        """Return our name for a key whose owner calls it *own_name*."""
        return self.nickname(key) or own_name

    def renamed(self, key: bytes | None, own_name: str) -> bool:
        """Return whether our player's name for this key differs from the one its owner uses."""
        return self.name(key, own_name) != own_name and not isinstance(own_name, PlaceholderName)

    def alike(self, key: bytes, own_name: str) -> list[bytes]:
        """Return the other keys with the name that *key* uses, or one that looks like it: first
        those that our player has given that name, then those with exactly that name."""
        found = []
        for other, met in self.met.items():
            if other == key:
                continue
            by_us = self.is_nickname(other, own_name)
            if by_us or (met.name and look_alike(own_name, met.name)):
                found.append((not by_us, met.name != own_name, other))
        return [other for *_, other in sorted(found)]

    def owner(self, key: bytes | None, own_name: str) -> bytes | None:
        """Return the other key that this name belongs to (rule 5), or None if *key* may use it
        unmarked."""
        if key is None or key == self.own or self.nickname(key):
            return None
        if (key, own_name) not in self._owners:  # called for every sentence
            self._owners[key, own_name] = self._find_owner(key, own_name)
        return self._owners[key, own_name]

    def _find_owner(self, key: bytes, own_name: str) -> bytes | None:
        known = self.met.get(key)
        since = inf if known is None or known.name != own_name else known.since
        for other in self.alike(key, own_name):
            met = self.met[other]
            if met.since < since or self.is_nickname(other, own_name):
                return other
        return None

    def is_nickname(self, key: bytes, name: str) -> bool:
        """Return whether our player calls this key by this name, or one that looks like it."""
        nickname = self.nickname(key)
        return bool(nickname) and look_alike(name, nickname)

    def display(
        self, keys: Keys, names: tuple[str, str], *, quoted: bool = False
    ) -> tuple[str, str]:
        """Return the players' names for the screen: those that we use, made distinct from each
        other and from those of other keys. *names*: the players' own names."""
        shown = display_names(
            (self.name(keys[0], names[0]), self.name(keys[1], names[1])), quoted=quoted
        )
        return self._marked(keys[0], names[0], shown[0]), self._marked(keys[1], names[1], shown[1])

    def display_one(
        self, key: bytes, own_name: str, form: Callable[[str], str] = display_name
    ) -> str:
        """Return one player's name for the screen."""
        return self._marked(key, own_name, form(self.name(key, own_name)))

    def _marked(self, key: bytes | None, own_name: str, shown: str) -> str:
        return shown if self.owner(key, own_name) is None else f"{shown} ({_NOT_THE_ONE})"


NO_KNOWN_NAMES = KnownNames()
"""Shows every key under its owner's name."""
