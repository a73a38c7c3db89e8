"""What the hands of a sheet add up to, in lines: results, running scores, and the account.

# Rule 1: every number here is computed from the moves. Whoever writes a sheet writes these lines,
#         and whoever reads one compares what stands there with them; nobody believes a sum.
"""

from __future__ import annotations

from ginpeer.notation.sheet import ROLES
from ginpeer.rules.game import ScoreLine
from ginpeer.rules.match import Match
from ginpeer.rules.score import HandResult, Outcome


def result_line(result: HandResult) -> str:
    """How a hand ended: "result knock guest 17, 6 against 23"."""
    kind = result.kind.value.replace(" ", "-")
    if result.kind is Outcome.VOID:
        return f"result {kind}"
    doubled = ", doubled" if result.doubled else ""
    line = f"result {kind} {_role(result.winner)} {result.points}"
    if result.kind is Outcome.MAHJONG:
        against = f"the other {result.other_points}, left {result.defender_deadwood}"
        return f"{line}, {against}{doubled}"
    return f"{line}, {result.knocker_deadwood} against {result.defender_deadwood}{doubled}"


def score_line(match: Match) -> str:
    """What both have after a hand, in the game that it was played in: "score host 0 guest 17". In
    three columns, the points of each; of several games, how many each has won."""
    game = match.played_game
    line = f"score {_both(game.scores)}"
    if len(game.columns) > 1:
        line += ", columns " + " ".join(_pair(column.points) for column in game.columns)
    if match.rules.best_of > 1 or match.rules.multi_match is not None:
        line += f", games {_pair(match.games_won)}"
    return line


def account_lines(match: Match) -> list[str]:
    """The settlement of a match that is finished: each column with its points of hands, shutout,
    game bonus and boxes, the totals, and who has won."""
    settlement = match.settlement()
    lines = []
    for game in settlement.games:
        for at, column in enumerate(game.columns, 1):
            host, guest = map(_sum, column.lines)
            lines.append(f"column {game.number}.{at} host {host}, guest {guest}")
    lines += [f"total {_both(settlement.totals)}", f"winner {_role(settlement.winner)}"]
    if settlement.debtor is not None:
        lines.append(f"owes {_role(settlement.debtor)} {settlement.payment}")
    return lines


def _sum(line: ScoreLine) -> str:
    parts = (line.hand_points, line.shutout, line.game_bonus, line.boxes)
    return f"{' + '.join(map(str, parts))} = {line.total}"


def _both(points: tuple[int, int]) -> str:
    return f"host {points[0]} guest {points[1]}"


def _pair(points: tuple[int, int]) -> str:
    return f"{points[0]}:{points[1]}"


def _role(seat: int | None) -> str:
    return "nobody" if seat is None else ROLES[seat]
