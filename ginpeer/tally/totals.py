"""Add up the logs of several tables, hand by hand (RULES 14), and make a JSON document of the sums.
ginpeer.rules.team scores the hands; this module keeps the result of each for texts and documents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ginpeer.names import KnownNames
from ginpeer.record.verdict_document import key_fields, line_fields, result_word
from ginpeer.rules.ruleset import RuleSet
from ginpeer.rules.score import HandResult, ScoreLine
from ginpeer.rules.team import (
    THREE_PLAYERS_TARGET,
    TeamHand,
    TeamMatch,
    ThreePlayers,
    plays_tedesco,
)
from ginpeer.tally.tables import JudgedLog, Key, Mismatch, TableLog, Teams, Turns, display


def score_of(
    arranged: Teams | Turns, *, tedesco: bool = False, target: int | None = None
) -> TeamScore | TurnsScore:
    """Return the score of these tables: in Tedesco's way if *tedesco* is set, or if teams play by
    his rules. *target*, in points, replaces the usual target. Raises Mismatch if three players want
    something that only two sides can have, and Illegal for a target out of range."""
    if isinstance(arranged, Teams):
        tedesco = tedesco or plays_tedesco(arranged.rules)
        return TeamScore.of(arranged, tedesco=tedesco, target=target)
    if tedesco:
        raise Mismatch(
            "Tedesco's score is for teams; three players take turns, each for themselves."
        )
    return TurnsScore.of(arranged, target=_target_of_three(arranged.rules, target))


def _target_of_three(rules: RuleSet, target: int | None) -> int:
    if rules.lead_of_fifty_loses:
        raise Mismatch(
            "lead-of-fifty-loses=yes works only with two sides, but there are three players."
        )
    target = THREE_PLAYERS_TARGET if target is None else target
    replace(rules, hands=None, target=target).check_ranges()
    return target


@dataclass(frozen=True, slots=True)
class TeamScore:
    """The hands and account of two teams. ``stages`` has the match before and after each hand."""

    teams: Teams
    tedesco: bool
    stages: tuple[TeamMatch, ...]

    @classmethod
    def of(cls, teams: Teams, *, tedesco: bool, target: int | None) -> TeamScore:
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
        return self.stages[-1]


def leavers(teams: Teams, at: int) -> Iterator[tuple[int, Key, TableLog]]:
    """Yield team, key and log of each player whose resignation left a table without hand *at*."""
    per_log = teams.rules.hands or 1
    for row in teams.rows:
        log = row.logs[at // per_log]
        if row.hands[at] is None and log.match.resigned is not None:
            leaver = log.keys[log.match.resigned]
            yield row.players.index(leaver), leaver, log


@dataclass(frozen=True, slots=True)
class HandOfTwo:
    """A hand between two of three players. ``after`` is None if the game was already over."""

    log: TableLog
    players: tuple[int, int]
    result: HandResult
    after: ThreePlayers | None


@dataclass(frozen=True, slots=True)
class TurnsScore:
    """The hands and account of three players, and the log in which the game was resigned."""

    turns: Turns
    played: tuple[HandOfTwo, ...]
    state: ThreePlayers
    given_up: TableLog | None

    @classmethod
    def of(cls, turns: Turns, *, target: int) -> TurnsScore:
        """Return the score of these hands; those after somebody reaches the target don't count."""
        state = ThreePlayers(turns.rules, target)
        given_up: TableLog | None = None
        played: list[HandOfTwo] = []
        for log, bout in zip(turns.logs, turns.bouts, strict=True):
            for result in bout.results:
                over = state.winner is not None
                state = state if over else state.record(bout.players, result)
                played.append(HandOfTwo(log, bout.players, result, None if over else state))
            if log.match.resigned is not None and state.winner is None:
                state = state.resign(bout.players, log.match.resigned)
                given_up = log
        return cls(turns, tuple(played), state, given_up)


# --- as JSON --------------------------------------------------------------------------


def tally_document(
    verdict: str,
    code: str,
    sentence: str,
    logs: Sequence[JudgedLog],
    score: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Return what ``ginpeer tally --json`` prints (proto/tally.schema.json)."""
    return {
        "schema": 2,
        "verdict": verdict,
        "code": code,
        "sentence": sentence,
        "logs": [
            {"log": log.name, "verdict": log.verdict, "code": log.code, "sentence": log.sentence}
            for log in logs
        ],
        "score": score,
    }


def score_document(score: TeamScore | TurnsScore, known: KnownNames) -> dict[str, Any]:
    if isinstance(score, TeamScore):
        return _team_totals(score, known)
    return _three_player_totals(score, known)


def _team_totals(score: TeamScore, known: KnownNames) -> dict[str, Any]:
    teams, match = score.teams, score.match
    names = display(teams.logs)
    return {
        "kind": "teams",
        "tedesco": score.tedesco,
        "rules": str(teams.rules),
        "target": match.game.rules.target,
        "players": [_player(key, names[key], at, known) for at in (0, 1) for key in teams.team(at)],
        "tables": [[log.name for log in row.logs] for row in teams.rows],
        "hands": [
            _team_hand(at, hand, [row.hands[at - 1] for row in teams.rows])
            for at, hand in enumerate(match.hands, 1)
        ],
        "columns": [
            _column(column.over, column.winner, column.lines, column.hands_won)
            for column in match.game.columns
        ],
        "over": match.over,
        "winner": match.winner,
        "resigned": sorted(match.resigned),
        "totals": list(match.game.totals) if match.game.over else None,
    }


def _team_hand(
    number: int, hand: TeamHand | None, at_tables: Sequence[HandResult | None]
) -> dict[str, Any]:
    if hand is None:
        return _hand(number, None, 0, at_tables)
    bonus = 0 if hand.winner is None else hand.bonus[hand.winner]
    return _hand(number, [hand.points_of(0), hand.points_of(1)], bonus, at_tables)


def _three_player_totals(score: TurnsScore, known: KnownNames) -> dict[str, Any]:
    turns, state = score.turns, score.state
    names = display(turns.logs)
    over = state.winner is not None
    return {
        "kind": "rotation",
        "tedesco": False,
        "rules": str(turns.rules),
        "target": state.target,
        "players": [_player(key, names[key], None, known) for key in turns.players],
        "tables": [[log.name] for log in turns.logs],
        "hands": [_hand_of_two(at, played) for at, played in enumerate(score.played, 1)],
        "columns": [_column(over, state.winner, state.lines, state.hands_won)],
        "over": over,
        "winner": state.winner,
        "resigned": [] if state.resigned is None else [state.resigned],
        "totals": [line.total for line in state.lines] if over else None,
    }


def _hand_of_two(number: int, played: HandOfTwo) -> dict[str, Any]:
    points: list[int] | None = None
    if played.after is not None:
        points = [0, 0, 0]
        for seat, player in enumerate(played.players):
            points[player] = played.result.points_of(seat)
    return _hand(number, points, 0, [played.result])


def _hand(
    number: int, points: list[int] | None, bonus: int, at_tables: Sequence[HandResult | None]
) -> dict[str, Any]:
    return {
        "number": number,
        "counted": points is not None,
        "points": points,
        "bonus": None if points is None else bonus,
        "tables": [_result(result) for result in at_tables],
    }


def _column(
    over: bool, winner: int | None, lines: Sequence[ScoreLine], hands_won: Sequence[int]
) -> dict[str, Any]:
    scores = zip(lines, hands_won, strict=True)
    return {
        "over": over,
        "winner": winner,
        "score": [line_fields(line, won, over) for line, won in scores],
    }


def _player(key: Key, name: str, team: int | None, known: KnownNames) -> dict[str, Any]:
    return {"name": name, **key_fields(key), "team": team, "known": known.relation(key)}


def _result(result: HandResult | None) -> dict[str, Any] | None:
    if result is None:
        return None
    return {
        "result": result_word(result),
        "points": [result.points_of(seat) if result.winner is not None else 0 for seat in (0, 1)],
    }
