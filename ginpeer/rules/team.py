"""More than two players: the hands of several tables of two, added up (RULES 14).

Each table still plays a match between two players. Two teams have one player each at every table,
and the teams' hand k consists of hand k of all tables::

    hand 3     Ann 31 - Ben 0      Cem 0 - Dora 12        Ann and Cem play for one team
    together   31 against 12:  their team scores 19

Three players take turns at one table instead, and each keeps their own points.

ginpeer.rules.score adds up a team's hands as it does a player's, from the target to the shutout.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from ginpeer.rules.ruleset import RuleSet
from ginpeer.rules.score import Game, HandResult, ScoreLine, greater, winner_line

TEAM_TARGET = 125  # RULES 14.1
THREE_PLAYERS_TARGET = 100  # as for two players (RULES 8.3, 14.3)

# --- teams ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TeamHand:
    """One hand of two teams, 0 and 1.

    ``sums`` are the points that the players of each team scored together; ``bonus`` goes to a team
    whose players all won. ``winner`` scores the difference, and is None if the hand has no winner.
    """

    sums: tuple[int, int]
    bonus: tuple[int, int]

    @property
    def winner(self) -> int | None:
        return greater(self._totals)

    @property
    def points(self) -> int:
        first, second = self._totals
        return abs(first - second)

    @property
    def _totals(self) -> tuple[int, int]:
        return self.sums[0] + self.bonus[0], self.sums[1] + self.bonus[1]

    def points_of(self, team: int) -> int:
        return self.points if team == self.winner else 0


def plays_tedesco(rules: RuleSet) -> bool:
    """Return whether teams at tables with these rules score by Tedesco's rules (RULES 14.2)."""
    return rules.runs_wrap and rules.ace_pips == 15


def seen_from(result: HandResult, seat: int) -> HandResult:
    """Return the same result as if this seat were seat 0."""
    if seat == 0:
        return result
    players = (result.winner, result.knocker)
    winner, knocker = (None if who is None else 1 - who for who in players)
    return replace(result, winner=winner, knocker=knocker)


def score_team_hand(results: Sequence[HandResult], bonus: int = 0) -> TeamHand:
    """Score one hand of all tables, with team 0 in seat 0 of each. A team whose players all won
    also gets the *bonus*.

    The team with the higher total scores the difference. If every player of a team has won, the
    difference is their sum, except in Mahjong gin, where losers score as well. A void hand and a
    tie that nobody wins score nothing (RULES 14.1).
    """
    first, second = (sum(result.points_of(team) for result in results) for team in (0, 1))
    winners = {result.winner for result in results}
    return TeamHand((first, second), (bonus * (winners == {0}), bonus * (winners == {1})))


@dataclass(frozen=True, slots=True)
class TeamMatch:
    """Hands of two teams, entered one by one until their game is over.

    ``hands`` has one item for each hand of the tables: None for a hand that can't be scored because
    not every table played it, and for any hand after the end of the game. ``resigned`` contains
    the teams that resigned the game; if both resigned in the same hand, nobody has won.
    """

    bonus: int
    game: Game
    hands: tuple[TeamHand | None, ...] = ()
    resigned: frozenset[int] = frozenset()

    @classmethod
    def begin(
        cls, rules: RuleSet, size: int, *, tedesco: bool, target: int | None = None
    ) -> TeamMatch:
        """Return a match without hands, of two teams of *size* players by the *rules* of their
        tables, with the same bonuses. Raises Illegal.

        The default *target* is 125. By Tedesco's rules it is 100 a player, but at least 200, in
        each of three columns, and a team gets a bonus for a hand that all its players have won
        (RULES 14.1, 14.2).
        """
        if target is None:
            target = max(200, 100 * size) if tedesco else TEAM_TARGET
        columns, bonus = (3, 25 * max(size - 2, 0)) if tedesco else (1, 0)
        kept = replace(
            rules, hands=None, target=target, columns=columns, best_of=1, multi_match=None
        )
        kept.check_ranges()  # not check(), which is for a table: its rules have passed it already
        return cls(bonus, Game.begin(kept))

    @property
    def over(self) -> bool:
        """Whether no further hand counts."""
        return self.game.over or bool(self.resigned)

    @property
    def winner(self) -> int | None:
        """The team that has won; None before the end or if neither has. A team that resigned has
        lost, whatever the totals."""
        if not self.resigned:
            return self.game.winner
        return None if len(self.resigned) > 1 else 1 - min(self.resigned)

    def record(self, results: Sequence[HandResult]) -> TeamMatch:
        """Return the match after one more hand, which all tables have played."""
        if self.over:
            return self._uncounted()
        hand = score_team_hand(results, self.bonus)
        return replace(self, game=self.game.record(hand), hands=(*self.hands, hand))

    def resign(self, teams: Collection[int]) -> TeamMatch:
        """Return the match after a hand that a table didn't play because a player of each of these
        teams resigned. If only one team resigned, the other gets every open column (RULES 14.1)."""
        if self.over:
            return self._uncounted()
        game = self.game if len(teams) > 1 else self.game.resign(min(teams))
        return replace(self._uncounted(), game=game, resigned=frozenset(teams))

    def _uncounted(self) -> TeamMatch:
        return replace(self, hands=(*self.hands, None))


# --- three players ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Bout:
    """The hands, usually only one, that two of three players play until the third player replaces
    one of them. ``players`` are the players in seats 0 and 1. ``winner`` is the player who stays;
    None if nobody won."""

    players: tuple[int, int]
    results: tuple[HandResult, ...]
    winner: int | None


def next_players(bout: Bout) -> frozenset[int]:
    """Return who plays after this bout: the winner and the player who sat out, or the same two if
    nobody has won (RULES 14.3)."""
    if bout.winner is None:
        return frozenset(bout.players)
    sat_out = {0, 1, 2}.difference(bout.players)
    return frozenset(sat_out | {bout.winner})


def first_out_of_turn(bouts: Sequence[Bout]) -> int | None:
    """Return the index of the first bout that doesn't follow from the one before it."""
    for at, (before, after) in enumerate(pairwise(bouts), 1):
        if frozenset(after.players) != next_players(before):
            return at
    return None


@dataclass(frozen=True, slots=True)
class ThreePlayers:
    """The points of three players who take turns at one table."""

    rules: RuleSet
    target: int
    points: tuple[int, ...] = (0, 0, 0)
    hands_won: tuple[int, ...] = (0, 0, 0)
    resigned: int | None = None  # the player who resigned the game
    given_to: int | None = None  # the player who won because of the resignation

    @property
    def winner(self) -> int | None:
        """The player who has the target and more points than both others, or to whom the game
        was resigned; None until then. (In Mahjong gin one hand can bring two players to the target,
        and equal points decide nothing.)"""
        if self.given_to is not None:
            return self.given_to
        most = max(self.points)
        if most < self.target or self.points.count(most) > 1:
            return None
        return self.points.index(most)

    def record(self, players: tuple[int, int], result: HandResult) -> ThreePlayers:
        points, won = list(self.points), list(self.hands_won)
        for seat, player in enumerate(players):
            points[player] += result.points_of(seat)
            won[player] += result.winner == seat
        return replace(self, points=tuple(points), hands_won=tuple(won))

    def resign(self, players: tuple[int, int], seat: int) -> ThreePlayers:
        """Return the points after the player in this seat resigned the game. Of the others, the one
        with more points wins, or on equal points the one who was playing (RULES 14.3)."""
        leaver, stays = players[seat], players[1 - seat]
        sat_out = next(player for player in range(3) if player not in players)
        winner = sat_out if self.points[sat_out] > self.points[stays] else stays
        return replace(self, resigned=leaver, given_to=winner)

    @property
    def lines(self) -> tuple[ScoreLine, ...]:
        """Each player's account, with boxes and the winner's bonuses once somebody has won."""
        return tuple(self._line(player) for player in range(3))

    def _line(self, player: int) -> ScoreLine:
        if player == self.winner:
            return winner_line(self.rules, player, self.points, self.hands_won)
        boxes = 0 if self.winner is None else self.hands_won[player] * self.rules.box
        return ScoreLine(self.points[player], 0, 0, boxes)
