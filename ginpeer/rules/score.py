"""The result and the points of a hand (RULES 7, 10.3, 12.8), and one game, which adds up its hands
(RULES 8, 13)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Protocol

from ginpeer.rules.cards import DECK, CardSet, Illegal, Unreadable, cards_of
from ginpeer.rules.melds import melding
from ginpeer.rules.moves import Knock, Spread
from ginpeer.rules.parameters import FATAL_LEAD, Shutout, Tie
from ginpeer.rules.ruleset import RuleSet

SEATS = ("seat 0", "seat 1")  # the players' names if none are given


class Outcome(Enum):
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
        raise Unreadable("unreadable-result", f"{text[:40]!r} isn't the result of a hand.")
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
    rules: RuleSet,
    knocker: int,
    knocker_count: int,
    defender_count: int,
    *,
    big_gin: bool,
    doubled: bool,
) -> HandResult:
    """Return the result of a knock, given both players' deadwood."""
    kind, winner = Outcome.UNDERCUT, 1 - knocker
    points = rules.undercut_bonus + knocker_count - defender_count
    if big_gin:
        kind, winner, points = Outcome.BIG_GIN, knocker, (rules.big_gin or 0) + defender_count
    elif not knocker_count:
        kind, winner, points = Outcome.GIN, knocker, rules.gin_bonus + defender_count
    elif knocker_count < defender_count:
        kind, winner, points = Outcome.KNOCK, knocker, defender_count - knocker_count
    elif knocker_count == defender_count and rules.tie is Tie.NOBODY:
        return HandResult(Outcome.TIE, None, 0, knocker, knocker_count, defender_count, doubled)
    elif knocker_count == defender_count and rules.tie is Tie.NO_BONUS:
        points = 0
    points *= 2 if doubled else 1
    return HandResult(kind, winner, points, knocker, knocker_count, defender_count, doubled)


def mahjong_value(cards: CardSet) -> int:
    """Return the cards' value in Mahjong gin: ace 15, 2 to 9 five, ten to king 10 (RULES 12.8)."""
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


def check_result(rules: RuleSet, result: HandResult) -> None:
    """Raise Illegal if no hand by these rules can end this way."""
    if not _can_be(rules, result):
        raise Illegal(
            "impossible-result", f"No hand with these rules can end like that: {str(result)[:90]}."
        )


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
        if mine or min(*laid, theirs) < 0:
            return False
        if (result.points, result.other_points) != (points * factor, other * factor):
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


# --- one game -------------------------------------------------------------------------
#
# One game of a match: hands entered in one column of the score sheet, or in three (RULES 8, 13).
#
# A column is scored like a game of its own: it ends at the target, and has its own game bonus,
# boxes and shutout. Three columns are Hollywood. A win is entered in every open column in which the
# player already has one, and in the next open column::
#
#     hand  won by     column 1     column 2     column 3
#       1   Ann, 40    Ann  40      -            -            Ann begins column 1
#       2   Ann, 30    Ann  70      Ann 30       -            and column 2
#       3   Bob, 20    Bob  20      -            -            Bob begins column 1
#       4   Ann, 30    Ann 100      Ann 60       Ann 30       she begins column 3; column 1 is over
#       5   Bob, 15    -            Bob 15       -            he begins column 2, which is next
#
# If Bob had not won hand 3, he would have been shut out in column 1. Hand 5 would still have begun
# column 2 for him.


class Scored(Protocol):
    """What scoring reads from a HandResult, or from a TeamHand (ginpeer.rules.team)."""

    @property
    def winner(self) -> int | None: ...

    def points_of(self, seat: int) -> int: ...


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """One player's account of a column, in points."""

    hand_points: int
    shutout: int  # the hand points, counted again
    game_bonus: int
    boxes: int

    @property
    def total(self) -> int:
        return self.hand_points + self.shutout + self.game_bonus + self.boxes


def winner_line(
    rules: RuleSet, winner: int, points: Sequence[int], hands_won: Sequence[int]
) -> ScoreLine:
    """Return the winner's account. A shutout counts if nobody else has won a hand; one that doubles
    the game bonus counts if nobody else has any points."""
    own, shutout, bonus = points[winner], 0, rules.game_bonus
    if rules.shutout is Shutout.DOUBLE_HANDS and sum(hands_won) == hands_won[winner]:
        shutout = max(own, 0)  # a shutout never costs its winner points
    others = [*points[:winner], *points[winner + 1 :]]
    if rules.shutout is Shutout.DOUBLE_GAME_BONUS and max(others) <= 0:
        bonus *= 2
    return ScoreLine(own, shutout, bonus, hands_won[winner] * rules.box)


@dataclass(frozen=True, slots=True)
class Column:
    """The hands that count in one column: each seat's points, and how many hands it won."""

    rules: RuleSet
    points: tuple[int, int] = (0, 0)
    hands_won: tuple[int, int] = (0, 0)
    over: bool = False
    resigned: int | None = None  # the seat that resigned the match before this column was over

    def enter(self, result: Scored) -> Column:
        """Return the column with one more hand, which somebody has won.

        The column is over once a player has reached the target and has more points than the
        opponent. In Mahjong gin one hand can bring both players to the target, and equal points
        decide nothing (RULES 12.10).
        """
        host, guest = (self.points[seat] + result.points_of(seat) for seat in (0, 1))
        target = self.rules.target
        over = target is not None and host != guest and max(host, guest) >= target
        return replace(
            self, points=(host, guest), hands_won=one_more(self.hands_won, result.winner), over=over
        )

    @property
    def winner(self) -> int | None:
        """The winner of the column; None while it is open or if both players have equal points."""
        if self.resigned is not None:
            return 1 - self.resigned
        host, guest = self.points
        if not self.over or host == guest:
            return None
        leader = 0 if host > guest else 1
        if self.rules.lead_of_fifty_loses and abs(host - guest) == FATAL_LEAD:
            return 1 - leader
        return leader

    @property
    def lines(self) -> tuple[ScoreLine, ScoreLine]:
        """The account of the column (RULES 8.4 to 8.8), without bonuses until it is over."""
        return self._line(0), self._line(1)

    def _line(self, seat: int) -> ScoreLine:
        if seat == self.winner:
            return winner_line(self.rules, seat, self.points, self.hands_won)
        return ScoreLine(self.points[seat], 0, 0, self.hands_won[seat] * self.rules.box)


@dataclass(frozen=True, slots=True)
class Game:
    """One game: its columns, and the plain sums over its hands. Begin with ``Game.begin``."""

    rules: RuleSet
    number: int  # its number in the match, from 1
    columns: tuple[Column, ...]
    hands: int = 0  # how many hands were played, including void hands and ties
    scores: tuple[int, int] = (0, 0)
    """Each seat's points from hands; each hand counts once, however many columns it is in."""
    hands_won: tuple[int, int] = (0, 0)

    @classmethod
    def begin(cls, rules: RuleSet, number: int = 1) -> Game:
        return cls(rules, number, (Column(rules),) * rules.columns)

    def columns_for(self, winner: int) -> tuple[int, ...]:
        """Return the indices of the columns in which the next hand counts if this seat wins it.

        These are the open columns in which the seat has a win, and the first of those in which it
        has none (RULES 13.1). There is always one until the game is over.
        """
        still_open = [at for at, column in enumerate(self.columns) if not column.over]
        begun = [at for at in still_open if self.columns[at].hands_won[winner]]
        return tuple(still_open[: len(begun) + 1])

    def record(self, result: Scored) -> Game:
        game = replace(self, hands=self.hands + 1)
        if result.winner is not None:
            entered = self.columns_for(result.winner)
            host, guest = (self.scores[seat] + result.points_of(seat) for seat in (0, 1))
            game = replace(
                game,
                columns=tuple(
                    column.enter(result) if at in entered else column
                    for at, column in enumerate(self.columns)
                ),
                scores=(host, guest),
                hands_won=one_more(self.hands_won, result.winner),
            )
        return game._closed() if game.hands == self.rules.hands else game

    def resign(self, seat: int) -> Game:
        """Return the game after this seat resigns it. The opponent wins every open column (RULES
        13.7)."""
        return self._closed(resigned=seat)

    def _closed(self, resigned: int | None = None) -> Game:
        return replace(
            self,
            columns=tuple(
                column if column.over else replace(column, over=True, resigned=resigned)
                for column in self.columns
            ),
        )

    @property
    def over(self) -> bool:
        return all(column.over for column in self.columns)

    @property
    def winner(self) -> int | None:
        """The winner of the game; None before it is over or if nobody has won.

        With one column, it is the winner of the column, even if boxes give the opponent a higher
        total (RULES 8.7). With three columns, the totals decide (RULES 13.1).
        """
        if not self.over:
            return None
        if len(self.columns) == 1:
            return self.columns[0].winner
        return greater(self.totals)

    @property
    def totals(self) -> tuple[int, int]:
        """Each seat's total of all columns, including bonuses."""
        host, guest = (sum(column.lines[seat].total for column in self.columns) for seat in (0, 1))
        return host, guest


def one_more(counts: tuple[int, int], seat: int | None) -> tuple[int, int]:
    """Return these counts with this seat's count raised by one."""
    return counts[0] + (seat == 0), counts[1] + (seat == 1)


def greater(totals: tuple[int, int]) -> int | None:
    """Return the seat with the greater total; None if they are equal."""
    host, guest = totals
    return None if host == guest else 0 if host > guest else 1
