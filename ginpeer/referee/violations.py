"""Why an entry is refused, and whose fault that is (PROTOCOL 7.1, 11.1)."""

from __future__ import annotations


class RefusedEntry(Exception):
    """An entry that isn't admitted. The table stays as it was."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


class MalformedEntry(RefusedEntry):
    """Class A: no player is known to have signed this entry for this position, so nobody is to
    blame."""


class UnsupportedEntry(MalformedEntry):
    """An entry of a match that needs another version of the program, or rules that this one
    lacks."""


class Violation(RefusedEntry):
    """Class B: a player signed something illegal. The entry itself is the proof."""

    def __init__(self, code: str, sentence: str, entry: int, seat: int) -> None:
        super().__init__(code, sentence)
        self.entry = entry
        self.seat = seat
