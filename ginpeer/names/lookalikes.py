"""Whether two names could be mistaken for each other (Unicode Technical Standard 39, section 4).

A name's skeleton leaves out everything that the eye passes over: script, case, marks on letters,
spaces and punctuation. Names with the same skeleton look alike. Ours is deliberately coarser than
the standard's: no name is refused for it, a person is only told to look twice. Skeletons are never
stored and never compared between machines, since they depend on Python's version of Unicode.
"""

from __future__ import annotations

import pkgutil
import unicodedata
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Final

# Likenesses that the standard lacks. It equates 1, l, | and capital I, but not small i. It equates
# the capital of \u044c (a Cyrillic letter) with b, but the small one with \u0185. Of the digits
# that people write for letters, it knows only 0 and 1. Each digit becomes a different letter, so
# Bob2 and Bob3 remain different.
_MORE: Final = str.maketrans("i\u01852345678", "lbzeasgtb")


@cache
def prototypes() -> Mapping[str, str]:
    """Return, for each confusable character, what it looks like: one letter, or several (m looks
    like rn). The table is read on first use, since many commands show no names."""
    content = pkgutil.get_data("ginpeer.names", "confusables.txt")
    if content is None:
        raise AssertionError("the installation lacks confusables.txt")
    found: dict[str, str] = {}
    for row in content.decode("utf-8").splitlines():
        if row and not row.startswith("#"):
            prototype, *sources = (_text(word) for word in row.split())
            found |= dict.fromkeys(sources, prototype)
    return found


def _text(word: str) -> str:
    """Return the characters that these code points name: 32+4F."""
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
    """Whether one name could be mistaken for the other: bob, Bob., B0b, and Bob with a Cyrillic
    o."""
    return any(
        skeleton(form(one)) == skeleton(form(other))
        # A capital may look like a different letter than its small form does: H, \u043d.
        for form in (str, str.casefold, _without_stroke)
    )


def _without_stroke(name: str) -> str:
    """Drop a capital I after the last small letter of a name: BobI reads as Bob! or Bob|."""
    short = name.rstrip(_strokes())
    return short if short[-1:].islower() else name


@lru_cache(maxsize=256)  # a player's name is compared with every sentence
def skeleton(name: str) -> str:
    """Return what the eye keeps of a name: its letters and digits, or if there are none, its
    symbols."""
    text = _replace_lookalikes(_replace_lookalikes(unicodedata.normalize("NFC", name)).casefold())
    folded = _replace_lookalikes(unicodedata.normalize("NFKD", text).casefold())
    letters = "".join(c for c in folded if unicodedata.category(c)[0] in "LN")
    return (letters or "".join(folded.split())).translate(_MORE)


def _replace_lookalikes(text: str) -> str:
    table = prototypes()
    return "".join(table.get(character, character) for character in text)
