"""For each code that convicts a signer, the sections of PROTOCOL.md that the entry breaks; and the
base of errors that have a stable code.

PROTOCOL.md 11 and WIRE.md 11 list every code of an entry, a log and a goodbye with its meaning, and
tests compare them with the program. Programs may depend on a code, so changing one takes a new
version of the protocol (PROTOCOL 7.4). The codes of commands that fail are in cli.failure.
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


CONVICTING_SECTIONS: Final = {
    "after-the-end": "3.3",
    "not-canonical": "2.2",
    "malformed": "3.4",
    "wrong-previous": "2.3",
    "fork": "7.3",
    "out-of-turn": "3.3",
    "not-allowed-now": "3.3",
    "rules-not-canonical": "8.12",
    "rules-differ": "3.4",
    "cut-mismatch": "6.1",
    "wrong-toss": "6.9",
    "toss-mismatch": "6.9",
    "wrong-phase": "8.4",
    "just-taken": "8.2, 8.11",
    "card-not-held": "8.3, 8.5",
    "card-missing": "8.3",
    "card-used-twice": "8.5, 8.11",
    "wrong-hand": "8.5, 8.6, 8.11",
    "unreadable-move": "8.5, 8.11",
    "not-a-meld": "8.5, 8.11",
    "knock-over-limit": "8.5",
    "no-discard": "8.5",
    "no-big-gin": "8.5",
    "no-knocking": "8.5",
    "layoff-on-gin": "8.6",
    "layoff-does-not-fit": "8.6",
    "not-mahjong": "8.11",
    "wrong-cards": "8.11",
    "add-does-not-fit": "8.11",
    "pile-too-small": "8.11",
    "lowest-not-laid": "8.11",
    "too-late": "8.11",
    "wrong-score": "8.10",
    "wrong-seed-count": "6.8",
    "bad-length": "4.1",
    "bad-encoding": "4.1",
    "bad-proof": "5.4 to 5.6, 6.3, 6.7",
    "seed-mismatch": "6.8",
    "audit-failed": "6.8",
}
