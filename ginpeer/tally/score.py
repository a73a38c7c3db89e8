"""What the logs of several tables add up to, hand by hand (RULES 14).

The hands are entered one after the other (ginpeer.rules.team). What is kept here is what came of
each, so that words and documents are made of the same entries.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ginpeer.rules.ruleset import RuleSet
from ginpeer.rules.score import HandResult
from ginpeer.rules.team import (
    THREE_PLAYERS_TARGET,
    TeamMatch,
    ThreePlayers,
    plays_tedesco,
)
from ginpeer.tally.errors import Mismatch
from ginpeer.tally.logs import Key, TableLog
from ginpeer.tally.tables import Teams, Turns


def score_of(
    arranged: Teams | Turns, *, tedesco: bool = False, target: int | None = None
) -> TeamScore | TurnsScore:
    """The score of these tables.

    Teams keep Tedesco's score if it is asked for or the tables' rules are his. *target*, in points,
    replaces the usual one. Raises Mismatch for what is of two sides only and asked of three, and
    Illegal for a target out of range.
    """
    if isinstance(arranged, Teams):
        tedesco = tedesco or plays_tedesco(arranged.rules)
        return TeamScore.of(arranged, tedesco=tedesco, target=target)
    if tedesco:
        raise Mismatch("Tedesco's score is of teams; three players take turns, each for one.")
    return TurnsScore.of(arranged, target=_target_of_three(arranged.rules, target))


def _target_of_three(rules: RuleSet, target: int | None) -> int:
    if rules.lead_of_fifty_loses:
        raise Mismatch("lead-of-fifty-loses=yes decides between two sides; here are three players.")
    target = THREE_PLAYERS_TARGET if target is None else target
    replace(rules, hands=None, target=target).check_ranges()
    return target


@dataclass(frozen=True, slots=True)
class TeamScore:
    """Two teams' hands and account. ``stages`` are the states of their game, the one before any
    hand first, and one more after each hand of the tables."""

    teams: Teams
    tedesco: bool
    stages: tuple[TeamMatch, ...]

    @classmethod
    def of(cls, teams: Teams, *, tedesco: bool, target: int | None) -> TeamScore:
        """Raises Illegal for a target out of range."""
        match = TeamMatch.begin(teams.rules, len(teams.rows), tedesco=tedesco, target=target)
        stages = [match]
        for at, results in enumerate(zip(*(row.hands for row in teams.rows), strict=True)):
            played = [result for result in results if result is not None]
            if len(played) == len(results):
                match = match.record(played)
            else:
                match = match.resign({team for team, _, _ in leavers(teams, at)})
            stages.append(match)
        return cls(teams, tedesco, tuple(stages))

    @property
    def match(self) -> TeamMatch:
        """The state after the last hand."""
        return self.stages[-1]


def leavers(teams: Teams, at: int) -> Iterator[tuple[int, Key, TableLog]]:
    """Team, player and log of who resigned, for each table that lacks the hand of this index."""
    per_log = teams.rules.hands or 1
    for row in teams.rows:
        log = row.logs[at // per_log]
        if row.hands[at] is None and log.match.resigned is not None:
            leaver = log.keys[log.match.resigned]
            yield row.players.index(leaver), leaver, log


@dataclass(frozen=True, slots=True)
class Played:
    """One hand of two of three players, whose places ``players`` are. ``after`` is None where it
    does not count, because the game was over."""

    log: TableLog
    players: tuple[int, int]
    result: HandResult
    after: ThreePlayers | None


@dataclass(frozen=True, slots=True)
class TurnsScore:
    """Three players' hands and account. ``given_up`` is the log in which the game was resigned, if
    it was."""

    turns: Turns
    played: tuple[Played, ...]
    state: ThreePlayers
    given_up: TableLog | None

    @classmethod
    def of(cls, turns: Turns, *, target: int) -> TurnsScore:
        """The hands, entered one by one until somebody has the target."""
        state = ThreePlayers(turns.rules, target)
        given_up: TableLog | None = None
        played: list[Played] = []
        for log, bout in zip(turns.logs, turns.bouts, strict=True):
            for result in bout.results:
                over = state.winner is not None
                state = state if over else state.record(bout.players, result)
                played.append(Played(log, bout.players, result, None if over else state))
            if log.match.resigned is not None and state.winner is None:
                state = state.resign(bout.players, log.match.resigned)
                given_up = log
        return cls(turns, tuple(played), state, given_up)
