"""Why there is no score, each with a stable code and a sentence."""

from __future__ import annotations

from ginpeer.referee.verdict import Finding


class TallyError(Exception):
    """These logs cannot be added up."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


class Mismatch(TallyError):
    """The logs do not belong together, or not in this order, or not to this team.

    `code` is one of: tally-mismatch, tally-team, tally-order; tally-unfinished
    where the tables still play.
    """

    def __init__(self, sentence: str, code: str = "tally-mismatch") -> None:
        super().__init__(code, sentence)


class NotScored(TallyError):
    """Some of the logs cannot count. `finding` is the worst that was found of one."""

    def __init__(self, bad: int, total: int, finding: Finding) -> None:
        logs = "log" if total == 1 else "logs"
        super().__init__("not-scored", f"Not scored: {bad} of {total} {logs} cannot count.")
        self.finding = finding
