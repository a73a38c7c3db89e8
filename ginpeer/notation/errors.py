"""Why a text cannot be read as a sheet."""

from __future__ import annotations


class BadNotation(ValueError):
    """A text that is no sheet, or one that the rules do not allow.

    ``line`` counts from 1; it is None where the whole text is at fault. ``code`` is stable, and one
    of: text-too-large, text-not-utf8, text-empty, too-many-lines, line-too-long, line-unreadable,
    tag-unreadable, tag-twice, tag-too-late, notation-too-new, line-misplaced, hand-number,
    hand-over, hand-too-long, dealer-missing, dealer-differs, first-differs, upcard-missing,
    upcard-differs, seat-differs, seat-missing, turn-over, sum-differs, or the code of the rule that
    refused a move, a card or a rule set (ginpeer.rules). ``sentence`` begins with the line.
    """

    def __init__(self, code: str, sentence: str, line: int | None = None) -> None:
        whole = sentence if line is None else f"Line {line}: {sentence}"
        super().__init__(whole)
        self.code = code
        self.sentence = whole
        self.line = line

    def __reduce__(self) -> tuple[type[BadNotation], tuple[str, str, int | None]]:
        prefix = "" if self.line is None else f"Line {self.line}: "
        return type(self), (self.code, self.sentence.removeprefix(prefix), self.line)
