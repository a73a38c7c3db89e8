"""A tally as one JSON document, always with these keys:

    schema          2
    verdict         scored | forged | unreadable | incomplete | mismatch
    code, sentence  the reason, "scored" if there is a score
    logs            for each log, in the order given: log (as it was named), verdict (as verify has
                    it, or duplicate, which counts once, or fork), code, sentence
    score           null unless scored, or else:
    .kind           teams | rotation (three players)
    .tedesco        whether the score is kept by Tedesco's rules
    .rules, .target of the tables; of the teams, or of the three
    .players        name, key (hexadecimal), fingerprint, team (0 or 1; null for three players),
                    known: own | met | null, as the home of this machine has it
    .tables         the logs of each table; of each hand, where three play in rotation
    .hands          number; counted: whether it is in the score; points: of each team or player;
                    bonus: how much of it is because a whole team won; tables: at each the result
                    and the points of its two players, team 0 or the host first, null if not played
    .columns        over, winner, score: for each team or player hand_points, hands_won, and once it
                    is over shutout, game_bonus, boxes, total, which are null before
    .over, .winner  whether the target is reached or the game given up; the team or the place among
                    the players, null if nobody has won
    .resigned       the teams or players that gave the game up
    .totals         once it is over

Schema 2 added known to schema 1, and counts the copies of a log once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ginpeer.rules.game import ScoreLine
from ginpeer.rules.score import HandResult
from ginpeer.rules.team import TeamHand
from ginpeer.store.acquaintances import Acquaintances
from ginpeer.tally.logs import JudgedLog, Key
from ginpeer.tally.score import Played, TeamScore, TurnsScore
from ginpeer.tally.tables import display
from protocol.crypto.identity import fingerprint


def tally_document(
    verdict: str,
    code: str,
    sentence: str,
    logs: Sequence[JudgedLog],
    score: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """The whole of it. *score*: as `score_document` has it."""
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


def score_document(score: TeamScore | TurnsScore, known: Acquaintances) -> dict[str, Any]:
    """What stands under ``score``."""
    if isinstance(score, TeamScore):
        return _of_teams(score, known)
    return _of_three(score, known)


def _of_teams(score: TeamScore, known: Acquaintances) -> dict[str, Any]:
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
            {
                "over": column.over,
                "winner": column.winner,
                "score": [
                    _line(column.lines[team], column.hands_won[team], column.over)
                    for team in (0, 1)
                ],
            }
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
    points: list[int] | None = None
    bonus: int | None = None
    if hand is not None:
        points = [hand.points_of(0), hand.points_of(1)]
        bonus = 0 if hand.winner is None else sum(hand.bonus)
    return {
        "number": number,
        "counted": hand is not None,
        "points": points,
        "bonus": bonus,
        "tables": [_result(result) for result in at_tables],
    }


def _of_three(score: TurnsScore, known: Acquaintances) -> dict[str, Any]:
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
        "columns": [
            {
                "over": over,
                "winner": state.winner,
                "score": [
                    _line(line, won, over)
                    for line, won in zip(state.lines, state.hands_won, strict=True)
                ],
            }
        ],
        "over": over,
        "winner": state.winner,
        "resigned": [] if state.resigned is None else [state.resigned],
        "totals": [line.total for line in state.lines] if over else None,
    }


def _hand_of_two(number: int, played: Played) -> dict[str, Any]:
    points: list[int] | None = None
    if played.after is not None:
        points = [0, 0, 0]
        for seat, player in enumerate(played.players):
            points[player] = played.result.points_of(seat)
    return {
        "number": number,
        "counted": points is not None,
        "points": points,
        "bonus": None if points is None else 0,
        "tables": [_result(played.result)],
    }


def _player(key: Key, name: str, team: int | None, known: Acquaintances) -> dict[str, Any]:
    return {
        "name": name,
        "key": key.hex(),
        "fingerprint": fingerprint(key),
        "team": team,
        "known": known.relation(key),
    }


def _result(result: HandResult | None) -> dict[str, Any] | None:
    if result is None:
        return None
    return {
        "result": result.kind.value.replace(" ", "-"),
        "points": [result.points_of(seat) if result.winner is not None else 0 for seat in (0, 1)],
    }


def _line(line: ScoreLine, won: int, over: bool) -> dict[str, int | None]:
    return {
        "hand_points": line.hand_points,
        "hands_won": won,
        "shutout": line.shutout if over else None,
        "game_bonus": line.game_bonus if over else None,
        "boxes": line.boxes if over else None,
        "total": line.total if over else None,
    }
