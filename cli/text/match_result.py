"""The result of a finished match in a few words: who won and by how much, and how the totals were
reached. The script of a page writes the same (ginpeer/page/script/result.js).
"""

from __future__ import annotations

from dataclasses import dataclass

from cli.text.grammar import number, plural
from ginpeer.rules.match import Match, Settlement
from ginpeer.rules.score import Outcome


@dataclass(frozen=True, slots=True)
class Total:
    """One player's total, and the account of it."""

    seat: int
    points: str
    account: str


def result_heading(match: Match) -> tuple[int, str, str]:
    """Return the seat that the heading names first, the words between both names, and those after
    them: (0, "beat", "by 61 points") for "Ann beat Bob by 61 points"."""
    settlement = match.settlement()
    winner = settlement.winner
    if winner is None:
        return 0, "and", "drew"
    return winner, "beat", _margin(match, settlement, winner)


def _margin(match: Match, settlement: Settlement, winner: int) -> str:
    if settlement.resigned is not None:
        return "by resignation"
    if match.rules.best_of > 1:
        won = match.games_won
        return f"by {plural(won[winner], 'game')} to {won[1 - winner]}"
    # With a rule like "a lead of exactly 50 loses", the winner may have fewer points.
    return f"by {plural(settlement.margin, 'point')}" if settlement.margin > 0 else ""


def totals(match: Match) -> tuple[Total, Total]:
    """Return both players' totals, the winner's first."""
    first = match.settlement().winner or 0
    return _total(match, first), _total(match, 1 - first)


def _total(match: Match, seat: int) -> Total:
    line = match.settlement().lines[seat]
    won = [result.kind for result in match.results if result.winner == seat]
    told = f"won {plural(len(won), 'hand') if won else 'no hands'}{_special(match, won)}"
    # In three columns a hand can count more than once.
    source = "in three columns" if match.rules.columns > 1 else "from hands"
    parts = [
        f"{number(points)} {what}"
        for points, what in (
            (line.hand_points, source),
            (line.shutout, "for the shutout"),
            (line.game_bonus, "game bonus"),
            (line.boxes, "for boxes"),
        )
        if points
    ]
    account = "; ".join([told, *([" + ".join(parts)] if parts else [])])
    return Total(seat, number(line.total), account)


def _special(match: Match, won: list[Outcome]) -> str:
    """Say how many hands were won by gin or an undercut, if hands can be won in several ways."""
    if match.rules.knock_limit == 0:
        return ""
    counts = [(won.count(kind), kind.value) for kind in _SPECIAL]
    told = [f"{count} by {word}" for count, word in counts if count]
    return f" ({', '.join(told)})" if told else ""


_SPECIAL = (Outcome.GIN, Outcome.BIG_GIN, Outcome.UNDERCUT)
