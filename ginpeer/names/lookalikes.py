"""Whether two names would be taken for each other (Unicode Technical Standard 39, section 4).

A skeleton is what is left of a name when all is gone that an eye passes over: script, case, marks
on letters, spaces and punctuation. Names with one skeleton look alike. It is coarser than that of
the standard, on purpose: nothing is refused because of it, a person is told to look twice. It is
never stored and never compared by two machines, for it depends on the Unicode version of Python.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final

from ginpeer.names.confusables import PROTOTYPES

# Likenesses that the standard lacks. It equates 1, l, | and capital I, but not small i. It equates
# the capital of \u044c (a Cyrillic letter) with b, but the small one with \u0185. Of the digits
# that are written for letters, it knows only 0 and 1. Each digit becomes a different letter, so
# Bob2 and Bob3 remain different.
_MORE: Final = str.maketrans("i\u01852345678", "lbzeasgtb")
_STROKES: Final = "I|" + "".join(
    source
    for source, prototype in PROTOTYPES.items()
    if prototype == "l" and not source.islower() and not source.isdecimal()
)


def look_alike(one: str, other: str) -> bool:
    """Whether one name could be taken for the other: bob, Bob., B0b, and Bob with a Cyrillic o."""
    return any(
        skeleton(form(one)) == skeleton(form(other))
        # A capital may look like a different letter from its small form: H, \u043d.
        for form in (str, str.casefold, _without_stroke)
    )


def _without_stroke(name: str) -> str:
    """Drop a capital I after the last small letter of a name: BobI reads as Bob! or Bob|."""
    short = name.rstrip(_STROKES)
    return short if short[-1:].islower() else name


@lru_cache(maxsize=256)  # of a player it is asked with every sentence
def skeleton(name: str) -> str:
    """What is left of a name for the eye; of one without letters and digits, its signs."""
    text = _prototypes(_prototypes(unicodedata.normalize("NFC", name)).casefold())
    folded = _prototypes(unicodedata.normalize("NFKD", text).casefold())
    letters = "".join(c for c in folded if unicodedata.category(c)[0] in "LN")
    return (letters or "".join(folded.split())).translate(_MORE)


def _prototypes(text: str) -> str:
    return "".join(PROTOTYPES.get(character, character) for character in text)
