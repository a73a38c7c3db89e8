"""How a command ends when it cannot do what was asked."""

from __future__ import annotations

USAGE = 2
"""Exit status: wrong usage, or something named on the command line cannot be read."""
OUR_FAULT = 70
"""Exit status: something went wrong on this machine (EX_SOFTWARE of sysexits.h)."""


class Failure(Exception):
    """Ends a command: one sentence for the person, a stable code, and the exit status."""

    def __init__(self, code: str, sentence: str, status: int = USAGE) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
        self.status = status
