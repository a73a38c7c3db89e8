"""The score sheet of a match: every hand, the running score, the final account.

Lines of plain words, one fact after the other, so that they can be read aloud (RULES 7, 8).
"""

from __future__ import annotations

from cli.text import account, plural, result_text
from ginpeer.rules.match import Match


def score_sheet(match: Match, names: tuple[str, str]) -> list[str]:
    """One line for each hand, then the account, or what is still missing to the target.

    *names* are those of host and guest, as ``cli.text.display_names`` gives them.
    """
    lines = []
    for number, played in enumerate(after_each_hand(match), 1):
        dealer = names[dealer_of(match, number)]
        host, guest = played.scores
        lines.append(
            f"Hand {number}, dealt by {dealer}: {result_text(played.results[-1], names)} "
            f"{names[0]} {host}, {names[1]} {guest}."
        )
    if match.finished:
        return [*lines, *account(match, names)]
    return [*lines, *(f"{name}: {_standing(match, seat)}" for seat, name in enumerate(names))]


def after_each_hand(match: Match) -> list[Match]:
    """The match as it stood when each of its hands was over."""
    return [
        Match(match.rules, match.first_dealer, match.results[:count])
        for count in range(1, len(match.results) + 1)
    ]


def dealer_of(match: Match, number: int) -> int:
    """The seat that dealt this hand; the first hand is number 1."""
    return Match(match.rules, match.first_dealer, match.results[: number - 1]).dealer


def _standing(match: Match, seat: int) -> str:
    points, boxes = match.scores[seat], match.hands_won[seat]
    missing = match.rules.target - points
    return (
        f"{plural(points, 'point')} and {plural(boxes, 'box', 'boxes')}, "
        f"{plural(missing, 'point')} short of {match.rules.target}."
    )
