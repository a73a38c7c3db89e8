"""Whether two names would be taken for each other (Unicode Technical Standard 39, section 4).

A skeleton is what is left of a name when all is gone that an eye passes over: script, case, marks
on letters, spaces and punctuation. Names with one skeleton look alike. It is coarser than that of
the standard, on purpose: nothing is refused because of it, a person is told to look twice. It is
never stored and never compared by two machines, for it depends on the Unicode version of Python.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from ginpeer.names.confusables import PROTOTYPES


def look_alike(one: str, other: str) -> bool:
    """Whether one name could be taken for the other: bob, Bob., B0b, and Bob with a Cyrillic o."""
    # Twice, because a capital may look like another letter than its small one does: H, \u043d.
    return skeleton(one) == skeleton(other) or (
        skeleton(one.casefold()) == skeleton(other.casefold())
    )


@lru_cache(maxsize=256)  # of a player it is asked with every sentence
def skeleton(name: str) -> str:
    """What is left of a name for the eye; of one without letters and digits, its signs."""
    text = _prototypes(_prototypes(unicodedata.normalize("NFC", name)).casefold())
    folded = _prototypes(unicodedata.normalize("NFKD", text).casefold())
    letters = "".join(c for c in folded if unicodedata.category(c)[0] in "LN")
    # The standard has 1, l, | and the capital I as one, and the small i apart, which is their
    # small letter.
    return (letters or "".join(folded.split())).replace("i", "l")


def _prototypes(text: str) -> str:
    return "".join(PROTOTYPES.get(character, character) for character in text)
