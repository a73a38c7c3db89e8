"""The accounts of tests/vectors/rules/accounts.jsonl, computed again and added up in another way
(tests.rules.test_match_random)."""

import json

from ginpeer.rules import parse_ruleset
from tests.rules.accounts import VECTORS, result_of, rows
from tests.rules.test_match_random import column_total, column_winner, columns_of, games_of

ROWS = [json.loads(line) for line in VECTORS.read_text(encoding="ascii").splitlines()]
SEATS = (0, 1)


def test_the_file_is_what_the_command_would_write():
    assert json.loads(json.dumps(list(rows()))) == ROWS


def test_every_row_adds_up_in_a_second_way_too():
    for row in ROWS:
        rules = parse_ruleset(row["rules"])
        hands = [result_of(hand, rules) for hand in row["hands"]]
        games = games_of(rules, hands)
        if row["resigned"] is None:
            assert games.pop() == []
        assert len(games) == len(row["games"])
        totals = [0, 0]
        for number, (game, said) in enumerate(zip(games, row["games"], strict=True), 1):
            leaver = row["resigned"] if number == len(games) else None
            for column, column_said in zip(columns_of(rules, game), said["columns"], strict=True):
                sums = [column_total(rules, column, seat, leaver) for seat in SEATS]
                assert column_said["totals"] == sums
                assert column_said["winner"] == column_winner(rules, column, leaver)
                won = [sum(hand.winner == seat for hand in column) for seat in SEATS]
                assert column_said["hands_won"] == won
                totals = [total + more for total, more in zip(totals, sums, strict=True)]
        assert row["totals"] == totals
        if row["resigned"] is not None:
            assert row["winner"] == 1 - row["resigned"]
