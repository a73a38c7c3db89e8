"""One game of a match: hands entered in one column of the score sheet, or in three (RULES 8, 13).

A column is scored like a game of its own: it ends at the target, and has its own game bonus, boxes
and shutout. Three columns are Hollywood. A win is entered in every open column in which the player
already has one, and in the next open column::

    hand  won by     column 1     column 2     column 3
      1   Ann, 40    Ann  40      -            -            Ann begins column 1
      2   Ann, 30    Ann  70      Ann 30       -            and column 2
      3   Bob, 20    Bob  20      -            -            Bob begins column 1
      4   Ann, 30    Ann 100      Ann 60       Ann 30       she begins column 3; column 1 is over
      5   Bob, 15    -            Bob 15       -            he begins column 2, which is next

If Bob had not won hand 3, he would have been shut out of column 1, and still begun column 2.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from ginpeer.rules.parameters import FATAL_LEAD, Shutout
from ginpeer.rules.ruleset import RuleSet


class Scored(Protocol):
    """The part of a hand's result that scoring needs: a HandResult, or a hand of two teams
    (ginpeer.rules.team)."""

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


@dataclass(frozen=True, slots=True)
class Column:
    """The hands that count in one column: each seat's points, and how many hands it won."""

    rules: RuleSet
    points: tuple[int, int] = (0, 0)
    hands_won: tuple[int, int] = (0, 0)
    over: bool = False
    resigned: int | None = None
    """The seat that resigned the match before this column was over."""

    def enter(self, result: Scored) -> Column:
        """Return the column with one more hand, which somebody has won.

        It is over once a player has the target and more points than the opponent. In Mahjong gin
        one hand can bring both players to the target, and equal points decide nothing (RULES
        12.10).
        """
        host, guest = (self.points[seat] + result.points_of(seat) for seat in (0, 1))
        target = self.rules.target
        over = target is not None and host != guest and max(host, guest) >= target
        return replace(
            self, points=(host, guest), hands_won=one_more(self.hands_won, result.winner), over=over
        )

    @property
    def winner(self) -> int | None:
        """The winner of the column; None while it is open or if both have equal points."""
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
        points, boxes = self.points[seat], self.hands_won[seat] * self.rules.box
        if seat != self.winner:
            return ScoreLine(points, 0, 0, boxes)
        shutout, bonus, other = 0, self.rules.game_bonus, 1 - seat
        if self.rules.shutout is Shutout.DOUBLE_HANDS and not self.hands_won[other]:
            shutout = max(points, 0)  # a shutout never costs its winner points
        if self.rules.shutout is Shutout.DOUBLE_GAME_BONUS and self.points[other] <= 0:
            bonus *= 2
        return ScoreLine(points, shutout, bonus, boxes)


@dataclass(frozen=True, slots=True)
class Game:
    """One game: its columns, and the plain sums over its hands. Begin with ``Game.begin``."""

    rules: RuleSet
    number: int
    """Its number in the match, from 1."""
    columns: tuple[Column, ...]
    hands: int = 0
    """How many hands were played, void ones and ties included."""
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
        """Return the game after one more hand."""
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
        """Return the game resigned by this seat: every open column goes to the opponent (RULES
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

        With one column it is the winner of the column, even if boxes give the opponent more (RULES
        8.7); with three columns the totals decide (RULES 13.1).
        """
        if not self.over:
            return None
        if len(self.columns) == 1:
            return self.columns[0].winner
        return greater(self.totals)

    @property
    def totals(self) -> tuple[int, int]:
        """Each seat's total of all columns, bonuses included."""
        host, guest = (sum(column.lines[seat].total for column in self.columns) for seat in (0, 1))
        return host, guest


def one_more(counts: tuple[int, int], seat: int | None) -> tuple[int, int]:
    """Return these counts with this seat's raised by one."""
    return counts[0] + (seat == 0), counts[1] + (seat == 1)


def greater(totals: tuple[int, int]) -> int | None:
    """Return the seat with the greater total; None if they are equal."""
    host, guest = totals
    return None if host == guest else 0 if host > guest else 1
