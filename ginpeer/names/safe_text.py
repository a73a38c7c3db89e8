"""What somebody else wrote, made harmless for a terminal, a line and a sentence of ours.

# House rules
#
# 1. Whatever a peer could have written passes through safe() before it is printed or stands in a
#    document of ours, no matter who checked it earlier.
# 2. Within a sentence of ours it stands as safe_quote() and called() make it: in quotation marks
#    that it cannot end, or as one plain word (ginpeer.names.quoting). Names of the players of a
#    match come from display_names(), which also tells them apart. Where it is judged who has signed
#    what, the key comes first, and the name always stands safe_quote().
"""

from __future__ import annotations

import re
import unicodedata

from ginpeer.names.quoting import QUOTE, PlaceholderName, disambiguated, in_quotes
from ginpeer.names.quoting import called as _called

MAX_SAFE = 500  # characters of one peer-controlled text; a chat line has no more
MAX_MARKS = 2  # combining marks on one letter; enough for Vietnamese, too few to climb the screen
_MARKER = "\N{REPLACEMENT CHARACTER}"

# Letters and symbols by their category that nevertheless leave a blank or nothing on the screen.
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")


def safe(text: str, limit: int = MAX_SAFE) -> str:
    """Text that somebody else wrote, made harmless for a terminal and for the line it stands in.

    Line ends, tabs and odd spaces become plain spaces; controls, bidirectional and invisible
    characters become U+FFFD (visible, so that two names which differ only in them look
    different); piled up combining marks are cut; what is longer than *limit* ends in "...".
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


def safe_quote(text: str, limit: int = MAX_SAFE) -> str:
    """What somebody else wrote, within a sentence of ours: "like this", and harmless."""
    return isolate_quotes(in_quotes(safe(text, limit)))


def display_name(name: str) -> str:
    """A name within a sentence of ours: Ann, "Ann Smith"."""
    return name if isinstance(name, PlaceholderName) else isolate_quotes(_called(safe(name)))


def isolate_quotes(sentence: str) -> str:
    """A sentence whose quoted parts, where they are written from right to left, leave the order of
    what stands around them alone: a name before a number would else change places with it."""
    return _QUOTED.sub(_isolated, sentence)


def _isolated(found: re.Match[str]) -> str:
    if all(unicodedata.bidirectional(c) not in ("R", "AL", "AN") for c in found[0]):
        return found[0]
    return f"\N{LEFT-TO-RIGHT ISOLATE}{found[0]}\N{POP DIRECTIONAL ISOLATE}"


_QUOTED = re.compile(f"{QUOTE}[^{QUOTE}]*{QUOTE}")


def _selects_variation(character: str) -> bool:
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"


def display_names(names: tuple[str, str], *, quoted: bool = False) -> tuple[str, str]:
    """The players' names for the screen: cleaned, quoted where they are not plain, or all of them
    if *quoted*, and told apart where they look alike.

    A player may call itself "You" or "Nobody" or "224", as the other does, or as the other is
    shown; then the seat is added.
    """
    return disambiguated(names, _in_marks if quoted else display_name)


def _in_marks(name: str) -> str:
    return name if isinstance(name, PlaceholderName) else safe_quote(name)
