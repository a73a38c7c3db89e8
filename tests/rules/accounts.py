"""Whole matches as rows of hands, and their accounts (RULES 8, 13).

``python -m tests.rules.accounts`` writes tests/vectors/rules/accounts.jsonl. Its README describes a
row.
"""

import json
import random
from pathlib import Path

from ginpeer.rules import Match, Outcome, parse_ruleset
from tests.rules.played import TIE, VOID, knock, mahjong

VECTORS = Path(__file__).parents[1] / "vectors" / "rules" / "accounts.jsonl"

# Each match tests one interpretation of a rule. It consists of the rules, the hands, and who then
# resigns. A hand is written as its winner and points and, in Mahjong gin, the opponent's points.
# None is a void hand; "tie" is a hand that nobody wins.
TWICE = [(1, 9)] * 11 + [(0, 100)]  # 99 points and 11 boxes lose to one hand
EIGHT = [(0, 40), (0, 30), (1, 20), (0, 30), None, (1, 15), (0, 40), (0, 45)]
EVEN = [(0, 10), (1, 20), (0, 10)]  # three columns of 20 to 20, without bonuses
NO_BONUS = "hollywood target=10 box=0 game-bonus=0 shutout=none"
ANY_WIN = [(0, 100), (1, 100), None, "tie", (1, 5), (0, 100)]
CHOSEN = (
    # One column: target, bonus, boxes, shutout
    ("standard", [(0, 60), (1, 35), None, (0, 39), (0, 1)], None),
    ("standard", [(1, 60), None, (1, 45)], None),  # a void hand doesn't prevent a shutout
    ("standard", [(1, 9)] * 11 + [(0, 50)] * 2, None),  # the loser's boxes count more
    ("standard target=50", [(1, 49), (1, 1)], None),
    ("standard game-bonus=200 box=20 shutout=none", [(0, 100)], None),
    ("standard target=200", [(1, 9), (0, 100), (0, 99), (0, 1)], None),
    ("standard target=500", [*[(0, 100)] * 4, (1, 100), (0, 99), (0, 1)], None),
    ("standard undercut-bonus=0", [(0, 0), (1, 105)], None),  # a hand without points
    ("standard shutout=double-game-bonus", [(1, 105)], None),
    ("standard shutout=double-game-bonus", [(0, 1), (1, 105)], None),
    ("classic", [(0, 60), (0, 45)], None),
    ("classic", [(1, 1), (0, 60), (0, 45)], None),
    ("standard tie=nobody", ["tie", (0, 100)], None),
    # Resigning
    ("standard", [(0, 60), (0, 35)], 1),  # a shutout by resigning
    ("standard", [(0, 30), (1, 5), (0, 20)], 1),
    ("standard", [(0, 90)], 0),  # the resigning player is ahead, and keeps the points and boxes
    ("standard shutout=none", [(0, 60)], 1),
    ("standard shutout=double-game-bonus", [(0, 60)], 1),
    ("standard shutout=double-game-bonus", [(0, 60), (1, 1)], 1),
    ("classic", [(0, 60)], 1),  # no points, so the game bonus twice
    # Both players score, or a lead of fifty loses
    ("mahjong target=100", [(0, 90, 80), (1, 40, 15)], None),
    ("mahjong target=100", [(0, 90, 80), (1, 40, 30), (1, 40, 39)], None),  # equal points above it
    ("mahjong target=100", [(0, 60, 95), (0, 30, 5)], None),  # loses every hand but wins the game
    ("mahjong target=100", [(0, 120, -35)], None),
    ("mahjong target=100 shutout=double-game-bonus", [(0, 120, -35)], None),
    ("mahjong target=100 shutout=double-game-bonus", [(0, 120, 5)], None),
    ("standard lead-of-fifty-loses=yes", [(1, 50), (0, 60), (0, 40)], None),
    ("standard lead-of-fifty-loses=yes", [(1, 49), (1, 1), (0, 100)], None),
    ("standard lead-of-fifty-loses=yes target=99", [(1, 50), (0, 99)], None),
    ("standard lead-of-fifty-loses=yes target=99", [(1, 50), (0, 101)], None),
    ("standard lead-of-fifty-loses=yes target=50", [(0, 50)], None),
    ("standard lead-of-fifty-loses=yes hands=2", [(0, 50), None], None),
    ("standard lead-of-fifty-loses=yes", [(0, 50)], 0),
    ("standard lead-of-fifty-loses=yes", [(0, 50)], 1),
    ("hollywood lead-of-fifty-loses=yes", [(1, 50), *[(0, 100)] * 3], None),
    # Three columns
    ("hollywood", EIGHT, None),
    ("hollywood shutout=double-game-bonus", EIGHT, None),
    ("hollywood", [(0, 12), (0, 20), (1, 7), (0, 5)], 1),
    ("hollywood", [(0, 50)] * 4, None),
    ("tedesco", [(0, 100)] * 4, None),
    ("hollywood shutout=none", [(1, 9)] * 11 + [(1, 1), (0, 100), (0, 100)], None),  # the sum wins
    ("hollywood", [(0, 60), (0, 50), (1, 20), (1, 30), (0, 60), (1, 80)], None),  # a shutout in one
    ("hollywood", [(0, 20), (0, 100), (0, 30), (1, 7)], 1),  # in two, the third resigned
    ("hollywood", [(0, 100), (1, 5), (0, 100), (0, 100)], None),
    ("hollywood", [(1, 10), (0, 100), (1, 10), (1, 10)], 0),  # one win before column one ends
    ("hollywood tie=nobody", ["tie", None, (0, 5)], 1),
    (NO_BONUS, EVEN, None),
    ("hollywood", EIGHT[:6], 0),
    ("hollywood", EIGHT[:3], 1),
    ("hollywood shutout=double-game-bonus", EIGHT[:3], 1),
    ("tedesco", [(0, 120), (0, 120), (1, 25), None, (1, 40)], 1),
    ("mahjong hollywood target=100", [(0, 90, -20), (0, 60, 15), (1, 95, 30)], 0),
    (
        "mahjong hollywood target=100",  # column 2 ends with column 1, and 3 after them
        [(0, 90, 90), (1, 30, 30), (0, 120, 120), (1, 30, 35), (0, 150, 10)],
        None,
    ),
    # Several games
    ("tournament", [(0, 100), (0, 100), (0, 49), (0, 1), *[(0, 125)] * 4], None),
    ("standard best-of=5", [(0, 100), (1, 100), (1, 100), (0, 100), (1, 100)], None),
    ("standard best-of=3", TWICE * 2, None),
    (
        f"{NO_BONUS} best-of=5",
        [*EVEN * 2, *[*[(0, 10)] * 3, *EVEN] * 2, *[(0, 10)] * 3],
        None,
    ),  # nobody wins this game
    ("hollywood best-of=3", [*[(0, 100)] * 3, *[(1, 100)] * 6], None),
    ("standard best-of=5", [(0, 100), (0, 100), (0, 40), (1, 10)], 0),
    ("standard best-of=3", [(0, 100)], 0),  # after the first of two games
    ("standard best-of=3", [(0, 100), (1, 100), (0, 30)], 1),
    ("multi-match", [(0, 60), (1, 30), (0, 40)] * 2, None),
    ("multi-match", [(0, 60), (0, 40), (0, 99), (0, 1)], None),  # it can end only between games
    ("multi-match multi-match=450", TWICE * 2, None),  # the larger total wins
    (
        "multi-match multi-match=230 undercut-bonus=0",
        [*[(0, 16)] * 5, (0, 0), (1, 105), (1, 100)],
        None,
    ),  # equal totals call for one more game
    ("multi-match", [(0, 100)], 1),  # resigned before the first hand of the second game
    ("multi-match", [(0, 100), (0, 90)], 0),
    ("oklahoma hollywood multi-match", [(0, 100)] * 3, None),
    # A fixed number of hands
    ("standard hands=6 tie=nobody", [(0, 60), None, (0, 60), "tie", (1, 9), None], None),
    ("standard hands=1", [None], None),
    ("standard hands=2", [(0, 30), None], None),
    ("standard hands=6 target=100", [(0, 60), (1, 9), (0, 40)], None),
    ("standard hands=3 target=100", [(0, 60), (1, 90), None], None),
    ("standard hands=3 target=100", [(0, 60), None, (0, 60)], None),
    ("hollywood hands=3 target=100", [(1, 30), (0, 100), (0, 40)], None),
    ("standard tie=no-bonus undercut-bonus=20 hands=3", [(0, 0), (1, 12), None], None),
    # Who deals
    ("standard after-void=alternates next-dealer=winner hands=4", [(1, 9), None, None, None], None),
    *(
        (f"standard tie=nobody best-of=9 next-dealer={rule}", ANY_WIN, 0)
        for rule in ("alternates", "loser", "winner")
    ),
    ("mahjong next-dealer=winner", [(1, 30, 60), (0, 25, 0)], 0),
    # The stake
    ("standard stake=5", [(0, 100)], None),
    ("standard stake=2", TWICE, None),  # the winner pays
    # Nobody has won, and the player who resigns pays.
    ("standard hands=3 stake=2", [(0, 30), (0, 10), (1, 40)], None),
    ("standard hands=3 stake=2", [(1, 30), (1, 10), (0, 40)], None),
    ("standard stake=5", [(0, 60), (0, 35)], 0),  # ahead, but isn't paid
    ("standard stake=5", [(0, 60), (1, 35)], 1),  # behind, so pays
    ("standard best-of=5 stake=10", [(0, 100)], 0),
    ("standard best-of=5 stake=10", [(0, 100)], 1),
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
        results = [chosen(hand) for hand in hands]
        yield row_of(text, played(parse_ruleset(text), 0, results, resigned))
    for text in RANDOM:
        rng, rules = random.Random(text), parse_ruleset(text)
        for number in range(EACH):
            results = [any_hand(rng, rules) for _ in range(rng.randrange(4, 30))]
            resigned = rng.randrange(2) if number % 2 else None
            match = played(rules, rng.randrange(2), results, resigned)
            yield row_of(text, match if match.finished else match.resign(rng.randrange(2)))


def chosen(hand):
    if hand in (None, "tie"):
        return TIE if hand else VOID
    return mahjong(*hand) if len(hand) == 3 else knock(*hand)


def any_hand(rng, rules):
    if rng.random() < 0.1:
        return VOID
    winner, points = rng.randrange(2), rng.choice((1, 5, 10, 20, 25, 30, 40, 50, 60, 100))
    if rules.mahjong:
        return mahjong(winner, 25 + points, rng.choice((-40, -10, 0, 10, 50)))
    return TIE if rules.tie.value == "nobody" and rng.random() < 0.2 else knock(winner, points)


def played(rules, dealer, results, resigned):
    """Return the match after these hands, or after the one that ends it, and the resignation."""
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
    """Return [winner, the host's points, the guest's], or [] for a void hand."""
    if result.kind is Outcome.VOID:
        return []
    return [result.winner, result.points_of(0), result.points_of(1)]


def write():
    VECTORS.write_text("".join(json.dumps(row) + "\n" for row in rows()), encoding="ascii")


if __name__ == "__main__":
    write()
