"""The result and the points of a hand (RULES 7, 10.3, 12.8)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from ginpeer.rules.cards import DECK, CardSet, Illegal, Unreadable, cards_of
from ginpeer.rules.melds import melding
from ginpeer.rules.moves import Knock, Spread
from ginpeer.rules.parameters import Tie
from ginpeer.rules.ruleset import RuleSet

SEATS = ("seat 0", "seat 1")
"""The players' names if none are given."""


class Outcome(Enum):
    """How a hand ended."""

    GIN = "gin"
    BIG_GIN = "big gin"
    KNOCK = "knock"
    UNDERCUT = "undercut"  # also a tie that the defender wins, with or without a bonus
    TIE = "tie"  # only if the rules give a tie to nobody
    MAHJONG = "mahjong"  # the gin of Mahjong gin, in which both players score
    VOID = "void"


@dataclass(frozen=True, slots=True, repr=False)
class HandResult:
    """The end of a hand. ``winner`` is None for a void hand and for a tie that nobody wins. For a
    void hand ``knocker`` is None and both deadwoods are 0.

    ``doubled`` says that the points are already doubled (RULES 10.3). In Mahjong gin ``knocker`` is
    the player who went gin, and ``other_points``, which can be negative, are the opponent's (RULES
    12.8); in every other hand they are 0.
    """

    kind: Outcome
    winner: int | None
    points: int
    knocker: int | None
    knocker_deadwood: int
    defender_deadwood: int
    doubled: bool = False
    other_points: int = 0

    def points_of(self, seat: int) -> int:
        """Return this seat's points from the hand."""
        return self.points if seat == self.winner else self.other_points

    def __str__(self) -> str:
        if self.kind is Outcome.VOID:
            return "void"
        if self.kind is Outcome.MAHJONG:
            return (
                f"mahjong: seat {self.knocker} went gin against {self.defender_deadwood}, "
                f"{self.points} to seat {self.winner}, {self.other_points} to the other"
                f"{', doubled' if self.doubled else ''}"
            )
        winner = "nobody" if self.winner is None else f"seat {self.winner}"
        return (
            f"{self.kind.value}: seat {self.knocker} knocked with {self.knocker_deadwood} "
            f"against {self.defender_deadwood}, {self.points} to {winner}"
            f"{', doubled' if self.doubled else ''}"
        )

    def __repr__(self) -> str:
        return f"parse_result({str(self)!r})"


def named(result: HandResult, names: tuple[str, str]) -> str:
    """Return the text of a result with these names in place of the seats."""
    return re.sub("seat ([01])", lambda found: names[int(found[1])], str(result))


VOID = HandResult(Outcome.VOID, None, 0, None, 0, 0)

_RESULT = re.compile(
    r"(gin|big gin|knock|undercut|tie): seat ([01]) knocked with (0|[1-9]\d{0,2}) "
    r"against (0|[1-9]\d{0,2}), (0|[1-9]\d{0,4}) to (seat 0|seat 1|nobody)(, doubled)?",
    re.ASCII,
)
_MAHJONG = re.compile(
    r"mahjong: seat ([01]) went gin against (0|[1-9]\d{0,2}), "
    r"(0|[1-9]\d{0,4}) to seat ([01]), (0|-?[1-9]\d{0,4}) to the other(, doubled)?",
    re.ASCII,
)


def parse_result(text: str) -> HandResult:
    """Return the result that ``str`` wrote as this text. Raises Unreadable."""
    if text == "void":
        return VOID
    mahjong = _MAHJONG.fullmatch(text)
    if mahjong is not None:
        knocker, against, points, winner, other = map(int, mahjong.groups()[:5])
        if knocker == winner:
            return HandResult(
                Outcome.MAHJONG, winner, points, knocker, 0, against, bool(mahjong[6]), other
            )
    match = _RESULT.fullmatch(text)
    if match is None:
        raise Unreadable("unreadable-result", f"{text[:40]!r} is no result of a hand.")
    kind, by, knocked_with, count, gained, who, doubled = match.groups()
    return HandResult(
        Outcome(kind),
        None if who == "nobody" else int(who[-1]),
        int(gained),
        int(by),
        int(knocked_with),
        int(count),
        doubled is not None,
    )


def score_hand(
    rules: RuleSet, knocker: int, knock: Knock, spread: Spread, *, doubled: bool = False
) -> HandResult:
    """Return the result of a legal knock and a legal answer to it (RULES 7.1 to 7.5, 10.3)."""
    pips, is_big = melding(rules).pips, knock.discard is None
    if is_big and rules.big_gin is None:
        raise ValueError("big gin was admitted in a game without it")
    counts = pips(knock.deadwood), pips(spread.deadwood)
    return _scored(rules, knocker, *counts, big_gin=is_big, doubled=doubled)


def _scored(
    rules: RuleSet, knocker: int, theirs: int, ours: int, *, big_gin: bool, doubled: bool
) -> HandResult:
    """Return the result of a knock with the knocker's deadwood and the defender's."""
    kind, winner, points = Outcome.UNDERCUT, 1 - knocker, rules.undercut_bonus + theirs - ours
    if big_gin:
        kind, winner, points = Outcome.BIG_GIN, knocker, (rules.big_gin or 0) + ours
    elif not theirs:
        kind, winner, points = Outcome.GIN, knocker, rules.gin_bonus + ours
    elif theirs < ours:
        kind, winner, points = Outcome.KNOCK, knocker, ours - theirs
    elif theirs == ours and rules.tie is Tie.NOBODY:
        return HandResult(Outcome.TIE, None, 0, knocker, theirs, ours, doubled)
    elif theirs == ours and rules.tie is Tie.NO_BONUS:
        points = 0
    points *= 2 if doubled else 1
    return HandResult(kind, winner, points, knocker, theirs, ours, doubled)


def mahjong_value(cards: CardSet) -> int:
    """Return the value of these cards in Mahjong gin: aces 15, 2 to 9 five, ten to king ten (RULES
    12.8)."""
    return sum(_MAHJONG_VALUES[card.rank] for card in cards_of(cards))


_MAHJONG_VALUES = (15, *[5] * 8, *[10] * 4)


def score_mahjong(
    rules: RuleSet,
    winner: int,
    laid: tuple[CardSet, CardSet],
    left: CardSet,
    *,
    doubled: bool = False,
) -> HandResult:
    """Return the result of a hand of Mahjong gin (RULES 12.8, 10.3). *laid*: the cards that each
    seat put on the table; *left*: the cards that the loser still holds."""
    factor, against = 2 if doubled else 1, mahjong_value(left)
    return HandResult(
        Outcome.MAHJONG,
        winner,
        factor * (mahjong_value(laid[winner]) + rules.gin_bonus),
        winner,
        0,
        against,
        doubled,
        other_points=factor * (mahjong_value(laid[1 - winner]) - against),
    )


def check_result(rules: RuleSet, result: HandResult) -> HandResult:
    """Return the result if a hand by these rules can end this way: ten cards can have its deadwood,
    and the points follow from it. Raises Illegal ("impossible-result")."""
    if not _can_be(rules, result):
        raise Illegal("impossible-result", f"No hand by these rules ends so: {str(result)[:90]}.")
    return result


def _can_be(rules: RuleSet, result: HandResult) -> bool:
    if result.kind is Outcome.VOID:
        return result == VOID
    by, mine, theirs = result.knocker, result.knocker_deadwood, result.defender_deadwood
    if by not in (0, 1) or (result.kind is Outcome.MAHJONG) is not rules.mahjong:
        return False
    factor = 2 if result.doubled else 1
    if result.doubled and not rules.spades_double:
        return False
    if rules.mahjong:
        points, other = result.points // factor, result.other_points // factor
        laid = (points - rules.gin_bonus, other + theirs)
        if mine or min(*laid, theirs) < 0 or result.points != points * factor:
            return False
        return result.winner == by and sum(laid) + theirs <= mahjong_value(DECK)
    limit = rules.knock_limit if isinstance(rules.knock_limit, int) else 10
    most = 10 * 10 + 4 * max(rules.ace_pips - 10, 0)  # four of ten cards can be aces
    if not (0 <= mine <= limit and 0 <= theirs <= most):
        return False
    big_gin = result.kind is Outcome.BIG_GIN
    if big_gin and (mine or rules.big_gin is None):
        return False
    return result == _scored(rules, by, mine, theirs, big_gin=big_gin, doubled=result.doubled)
