"""What a hand was worth (RULES 7)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from ginpeer.rules.cards import Unreadable, pips_of
from ginpeer.rules.moves import Knock, Spread
from ginpeer.rules.ruleset import RuleSet, Tie


class Outcome(Enum):
    """How a hand ended."""

    GIN = "gin"
    BIG_GIN = "big gin"
    KNOCK = "knock"
    UNDERCUT = "undercut"
    TIE = "tie"  # only where the rules give a tie to nobody
    VOID = "void"


@dataclass(frozen=True, slots=True, repr=False)
class HandResult:
    """The end of a hand. ``winner`` is None for a void hand and for a tie that nobody wins;
    ``knocker`` is None, and both deadwoods are 0, for a void hand."""

    kind: Outcome
    winner: int | None
    points: int
    knocker: int | None
    knocker_deadwood: int
    defender_deadwood: int

    def __str__(self) -> str:
        if self.kind is Outcome.VOID:
            return "void"
        winner = "nobody" if self.winner is None else f"seat {self.winner}"
        return (
            f"{self.kind.value}: seat {self.knocker} knocked with {self.knocker_deadwood} "
            f"against {self.defender_deadwood}, {self.points} to {winner}"
        )

    def __repr__(self) -> str:
        return f"parse_result({str(self)!r})"


VOID = HandResult(Outcome.VOID, None, 0, None, 0, 0)

_RESULT = re.compile(
    r"(gin|big gin|knock|undercut|tie): seat ([01]) knocked with (0|[1-9]\d{0,2}) "
    r"against (0|[1-9]\d{0,2}), (0|[1-9]\d{0,4}) to (seat 0|seat 1|nobody)",
    re.ASCII,
)


def parse_result(text: str) -> HandResult:
    """The result of a text as ``str`` writes it. Raises Unreadable."""
    if text == "void":
        return VOID
    match = _RESULT.fullmatch(text)
    if match is None:
        raise Unreadable("unreadable-result", f"{text[:40]!r} is no result of a hand.")
    kind, knocker, knocked_with, against, points, winner = match.groups()
    return HandResult(
        Outcome(kind),
        None if winner == "nobody" else int(winner[-1]),
        int(points),
        int(knocker),
        int(knocked_with),
        int(against),
    )


def score_hand(rules: RuleSet, knocker: int, knock: Knock, spread: Spread) -> HandResult:
    """The result of a legal knock and a legal answer to it (RULES 7.1 to 7.5)."""
    defender = 1 - knocker
    theirs, ours = pips_of(knock.deadwood), pips_of(spread.deadwood)
    if knock.discard is None:
        if rules.big_gin is None:
            raise ValueError("big gin was admitted in a game without it")
        return HandResult(Outcome.BIG_GIN, knocker, rules.big_gin + ours, knocker, 0, ours)
    if not theirs:
        return HandResult(Outcome.GIN, knocker, rules.gin_bonus + ours, knocker, 0, ours)
    if theirs < ours:
        return HandResult(Outcome.KNOCK, knocker, ours - theirs, knocker, theirs, ours)
    if theirs == ours and rules.tie is Tie.NOBODY:
        return HandResult(Outcome.TIE, None, 0, knocker, theirs, ours)
    points = rules.undercut_bonus + theirs - ours
    return HandResult(Outcome.UNDERCUT, defender, points, knocker, theirs, ours)
