"""What an entry can be refused for, and whose fault it is (PROTOCOL 7.1, 11.1)."""

from __future__ import annotations


class RefusedEntry(Exception):
    """An entry that is not admitted. The table stands as it stood before."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


class MalformedEntry(RefusedEntry):
    """Class A: nobody is known to have signed this at this place, so nobody is to blame."""


class UnsupportedEntry(MalformedEntry):
    """A match that another version of the program plays, or whose rules this one lacks."""


class Violation(RefusedEntry):
    """Class B: a player signed something illegal. The entry itself is the proof."""

    def __init__(self, code: str, sentence: str, entry: int, seat: int) -> None:
        super().__init__(code, sentence)
        self.entry = entry
        self.seat = seat
