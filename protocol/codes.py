"""The base classes of errors with a stable code, and a table: for each code that convicts a signer,
which sections of PROTOCOL.md the entry breaks.

PROTOCOL.md 11 and WIRE.md 11 explain every code that an entry, a log or a goodbye can have, and
tests compare these lists with the program. Programs may depend on a code, so changing one takes a
new version of the protocol (PROTOCOL 7.4). The codes of commands that fail are in cli.program.
"""

from __future__ import annotations

import copyreg
from typing import Any, Final


class CodedError(Exception):
    """An error with a stable code and a sentence for our player."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle any subclass, whatever arguments its constructor takes."""
        return copyreg.__newobj__, (type(self), *self.args), vars(self)  # type: ignore[attr-defined]


class ProofError(ValueError):
    """A received proof or masked card is invalid."""

    code = "bad-proof"


class BadProof(ProofError):
    """The proof doesn't prove its statement."""


class BadLength(ProofError):
    """A field has the wrong number of bytes."""

    code = "bad-length"


_CODES_OF = {
    "3.3": "after-the-end out-of-turn not-allowed-now",
    "2.2": "not-canonical",
    "3.4": "malformed rules-differ",
    "2.3": "wrong-previous",
    "7.3": "fork",
    "8.12": "rules-not-canonical",
    "6.1": "cut-mismatch",
    "6.9": "wrong-toss toss-mismatch",
    "8.4": "wrong-phase",
    "8.2, 8.11": "just-taken",
    "8.3, 8.5": "card-not-held",
    "8.3": "card-missing",
    "8.5, 8.11": "card-used-twice unreadable-move not-a-meld",
    "8.5, 8.6, 8.11": "wrong-hand",
    "8.5": "knock-over-limit no-discard no-big-gin no-knocking",
    "8.6": "layoff-on-gin layoff-does-not-fit",
    "8.11": "not-mahjong wrong-cards add-does-not-fit pile-too-small lowest-not-laid too-late",
    "8.10": "wrong-score",
    "6.8": "wrong-seed-count seed-mismatch audit-failed",
    "4.1": "bad-length bad-encoding",
    "5.4 to 5.6, 6.3, 6.7": "bad-proof",
}

CONVICTING_SECTIONS: Final = {
    code: sections for sections, codes in _CODES_OF.items() for code in codes.split()
}
