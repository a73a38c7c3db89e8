"""Whole matches as rows of hands, and what their accounts come to (RULES 8, 13).

``python -m tests.rules.accounts`` writes tests/vectors/rules/accounts.jsonl, whose README says what
a row holds.
"""

import json
import random
from pathlib import Path

from ginpeer.rules import Match, Outcome, parse_ruleset
from tests.rules.played import TIE, VOID, knock, mahjong

VECTORS = Path(__file__).parents[1] / "vectors" / "rules" / "accounts.jsonl"

# Chosen for a reading each: hands as (winner, points), None for a void one; who resigns after them.
CHOSEN = (
    ("hollywood", [(0, 60), (0, 50), (1, 20), (1, 30), (0, 60), (1, 80)], None),  # shut out of one
    ("hollywood", [(0, 20), (0, 100), (0, 30), (1, 7)], 1),  # of two, and gives up the third
    ("hollywood", [(1, 10), (0, 100), (1, 10), (1, 10)], 0),  # one win before column one ends
    ("tedesco", [(0, 120), (0, 120), (1, 25), None, (1, 40)], 1),
    ("standard", [(0, 60), (0, 35)], 1),  # a shutout by resigning
    ("standard stake=5", [(0, 60), (0, 35)], 0),  # ahead, and owed nothing
    ("standard stake=5", [(0, 60), (1, 35)], 1),  # behind, and owes
    ("classic", [(0, 60)], 1),  # no points: the game bonus twice
    ("multi-match", [(0, 100)], 1),  # in a second game that was not played
    ("standard best-of=3", [(0, 100), (1, 100), (0, 30)], 1),
    ("standard after-void=alternates next-dealer=winner hands=4", [(1, 9), None, None, None], None),
    ("standard tie=no-bonus undercut-bonus=20 hands=3", [(0, 0), (1, 12), None], None),
)
RANDOM = (
    "standard stake=1",
    "standard lead-of-fifty-loses=yes target=50",
    "hollywood",
    "hollywood target=50 shutout=double-game-bonus lead-of-fifty-loses=yes",
    "tedesco",
    "mahjong hollywood target=100",
    "hollywood multi-match stake=2",
    "hollywood best-of=3 target=60",
    "standard after-void=alternates next-dealer=loser",
    "standard tie=nobody next-dealer=winner hands=6",
)
EACH = 6


def rows():
    for text, hands, resigned in CHOSEN:
        results = [VOID if hand is None else knock(*hand) for hand in hands]
        yield row_of(text, played(parse_ruleset(text), 0, results, resigned))
    for text in RANDOM:
        rng, rules = random.Random(text), parse_ruleset(text)
        for number in range(EACH):
            results = [any_hand(rng, rules) for _ in range(rng.randrange(4, 30))]
            resigned = rng.randrange(2) if number % 2 else None
            match = played(rules, rng.randrange(2), results, resigned)
            yield row_of(text, match if match.finished else match.resign(rng.randrange(2)))


def any_hand(rng, rules):
    if rng.random() < 0.1:
        return VOID
    winner, points = rng.randrange(2), rng.choice((1, 5, 10, 20, 25, 30, 40, 50, 60, 100))
    if rules.mahjong:
        return mahjong(winner, 25 + points, rng.choice((-40, -10, 0, 10, 50)))
    return TIE if rules.tie.value == "nobody" and rng.random() < 0.2 else knock(winner, points)


def played(rules, dealer, results, resigned):
    """The match as far as it takes these hands."""
    match = Match.begin(rules, dealer)
    for result in results:
        if not match.finished:
            match = match.record(result)
    return match if resigned is None or match.finished else match.resign(resigned)


def row_of(text, match):
    settlement = match.settlement()
    dealers = [match.first_dealer]
    for count in range(1, len(match.results) + 1):
        so_far = Match.begin(match.rules, match.first_dealer)
        for result in match.results[:count]:
            so_far = so_far.record(result)
        dealers.append(so_far.dealer)
    return {
        "rules": text,
        "dealers": dealers,
        "hands": [hand_of(result) for result in match.results],
        "resigned": match.resigned,
        "games": [
            {
                "columns": [
                    {
                        "points": column.points,
                        "hands_won": column.hands_won,
                        "winner": column.winner,
                        "totals": [line.total for line in column.lines],
                    }
                    for column in game.columns
                ],
                "winner": game.winner,
            }
            for game in settlement.games
        ],
        "winner": settlement.winner,
        "totals": settlement.totals,
        "debtor": settlement.debtor,
        "payment": settlement.payment,
    }


def hand_of(result):
    """[winner, the host's points, the guest's]; [] for a void hand."""
    if result.kind is Outcome.VOID:
        return []
    return [result.winner, result.points_of(0), result.points_of(1)]


def result_of(hand, rules):
    """A result that counts like this hand of a row by these rules."""
    if not hand:
        return VOID
    winner, *points = hand
    if winner is None:
        return TIE
    if rules.mahjong:
        return mahjong(winner, points[winner], points[1 - winner])
    return knock(winner, points[winner])


def write():
    VECTORS.write_text("".join(json.dumps(row) + "\n" for row in rows()), encoding="ascii")


if __name__ == "__main__":
    write()
