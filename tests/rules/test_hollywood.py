"""Three columns: where a hand counts, what each is worth, and who has won (RULES 13.1, 13.7)."""

import pytest

from ginpeer.rules import Illegal, ScoreLine
from tests.rules.played import GUEST, HOST, TIE, VOID, knock, mahjong, match_of


def hollywood(*results, rules="hollywood"):
    return match_of(*results, rules=rules)


def points(match):
    return [column.points for column in match.game.columns]


#   hand  won by        column 1          column 2          column 3
#                      host  guest       host  guest       host  guest
#     1   host, 40      40     0           -                 -            host's first win
#     2   host, 30      70     0          30     0           -            second
#     3   guest, 20     70    20          30     0           -            guest's first win
#     4   host, 30     100    20 over     60     0          30     0      host's third
#     5   nobody
#     6   guest, 15         .             60    15          30     0      guest's second
#     7   host, 40          .            100    15 over     70     0
#     8   host, 45          .                 .            115     0 over
PLAYED = (
    knock(HOST, 40),
    knock(HOST, 30),
    knock(GUEST, 20),
    knock(HOST, 30),
    VOID,
    knock(GUEST, 15),
    knock(HOST, 40),
    knock(HOST, 45),
)


def test_a_win_counts_in_one_column_then_in_two_then_in_all_that_are_open():
    assert [points(hollywood(*PLAYED[:count])) for count in range(9)] == [
        [(0, 0), (0, 0), (0, 0)],
        [(40, 0), (0, 0), (0, 0)],
        [(70, 0), (30, 0), (0, 0)],
        [(70, 20), (30, 0), (0, 0)],
        [(100, 20), (60, 0), (30, 0)],
        [(100, 20), (60, 0), (30, 0)],
        [(100, 20), (60, 15), (30, 0)],
        [(100, 20), (100, 15), (70, 0)],
        [(100, 20), (100, 15), (115, 0)],
    ]


def test_the_scores_count_each_hand_once():
    match = hollywood(*PLAYED)
    assert match.scores == (185, 35)
    assert match.hands_won == (5, 2)


def test_the_game_is_over_when_all_three_columns_are():
    *unfinished, last = [hollywood(*PLAYED[:count]) for count in range(9)]
    assert not any(match.finished for match in unfinished)
    assert last.finished
    with pytest.raises(Illegal):
        last.record(knock(GUEST, 5))


def test_each_column_has_its_own_bonus_boxes_and_shutout():
    settlement = hollywood(*PLAYED).settlement()
    (game,) = settlement.games
    assert [column.lines for column in game.columns] == [
        (ScoreLine(100, 0, 100, 75), ScoreLine(20, 0, 0, 25)),
        (ScoreLine(100, 0, 100, 75), ScoreLine(15, 0, 0, 25)),
        (ScoreLine(115, 115, 100, 75), ScoreLine(0, 0, 0, 0)),  # the guest was shut out of this one
    ]
    assert settlement.lines == (ScoreLine(315, 115, 300, 225), ScoreLine(35, 0, 0, 50))
    assert settlement.totals == (955, 85)
    assert (settlement.winner, settlement.margin) == (HOST, 870)


def test_a_shutout_can_double_the_game_bonus_of_its_column_alone():
    match = hollywood(*PLAYED, rules="hollywood shutout=double-game-bonus")
    (game,) = match.settlement().games
    bonuses = [column.lines[HOST].game_bonus for column in game.columns]
    assert bonuses == [100, 100, 200]


def test_the_columns_go_to_the_larger_sum_and_not_to_who_won_more_of_them():
    # The guest wins the first column and the host the two others, but the guest's boxes count more.
    small = [knock(GUEST, 9)] * 11  # column 1: 99, column 2: 90, column 3: 81
    match = hollywood(
        *small,
        knock(GUEST, 1),  # 100 in column 1
        knock(HOST, 100),  # column 2, the first that is open
        knock(HOST, 100),  # column 3
        rules="hollywood shutout=none",
    )
    assert match.finished
    (game,) = match.settlement().games
    assert [column.winner for column in game.columns] == [GUEST, HOST, HOST]
    assert game.totals == (2 * (100 + 100 + 25), 200 + 300 + 91 + 275 + 82 + 250)
    assert match.winner == GUEST


#   hand  won by        column 1          column 2          column 3
#                      host  guest       host  guest       host  guest
#     1   host, 60      60     0           -                 -
#     2   host, 50     110     0 over     50     0           -            a shutout
#     3   guest, 20         .             50    20           -            the guest's first win
#     4   guest, 30         .             50    50          0    30       second, in the next two
#     5   host, 60          .            110    50 over     60    30      host's third
#     6   guest, 80         .                 .             60   110 over
SHUT_OUT = (
    knock(HOST, 60),
    knock(HOST, 50),
    knock(GUEST, 20),
    knock(GUEST, 30),
    knock(HOST, 60),
    knock(GUEST, 80),
)


def test_who_was_shut_out_of_a_column_begins_the_next_one():
    assert [points(hollywood(*SHUT_OUT[:count])) for count in range(1, 7)] == [
        [(60, 0), (0, 0), (0, 0)],
        [(110, 0), (50, 0), (0, 0)],
        [(110, 0), (50, 20), (0, 0)],
        [(110, 0), (50, 50), (0, 30)],
        [(110, 0), (110, 50), (60, 30)],
        [(110, 0), (110, 50), (60, 110)],
    ]


def test_a_column_is_doubled_only_over_a_player_who_has_won_nothing_in_it():
    match = hollywood(*SHUT_OUT)
    assert [column.lines for column in match.game.columns] == [
        (ScoreLine(110, 110, 100, 50), ScoreLine(0, 0, 0, 0)),
        (ScoreLine(110, 0, 100, 50), ScoreLine(50, 0, 0, 50)),
        (ScoreLine(60, 0, 0, 25), ScoreLine(110, 0, 100, 50)),
    ]


def test_one_win_spoils_the_shutout_of_the_second_column_for_who_was_shut_out_of_the_first():
    match = hollywood(knock(HOST, 100), knock(GUEST, 5), knock(HOST, 100), knock(HOST, 100))
    assert [column.lines[HOST].shutout for column in match.game.columns] == [100, 0, 100]


def test_who_was_shut_out_of_two_columns_begins_the_third():
    match = hollywood(knock(HOST, 20), knock(HOST, 100), knock(HOST, 30))
    assert points(match) == [(120, 0), (100, 0), (30, 0)]
    assert match.record(knock(GUEST, 7)).game.columns[2].points == (30, 7)


def test_who_has_one_win_when_a_column_ends_begins_one_more_with_the_next():
    # A second win counts "in both Game One and Game Two": where the first is over, in the second.
    match = hollywood(knock(GUEST, 10), knock(HOST, 100))
    assert match.game.columns_for(GUEST) == (1,)
    match = match.record(knock(GUEST, 10))
    assert points(match) == [(100, 10), (0, 10), (0, 0)]
    assert match.game.columns_for(GUEST) == (1, 2)


def test_points_without_a_win_begin_no_column():
    match = hollywood(mahjong(HOST, 60, 15), rules="mahjong hollywood target=100")
    assert match.game.columns_for(HOST) == (0, 1)
    assert match.game.columns_for(GUEST) == (0,)


def test_columns_may_end_in_another_order_where_both_players_score():
    match = hollywood(
        mahjong(HOST, 90, 90),  # column 1: 90 to 90
        mahjong(GUEST, 30, 30),  # 120 each there, which decides nothing
        mahjong(HOST, 120, 120),  # 240 each; in column 2 120 each
        mahjong(GUEST, 30, 35),  # 1: 275 to 270, over; 2: 155 to 150, over
        rules="mahjong hollywood target=100",
    )
    assert [column.over for column in match.game.columns] == [True, True, False]
    assert (match.game.columns_for(HOST), match.game.columns_for(GUEST)) == ((2,), (2,))


def test_a_hand_that_nobody_won_counts_in_no_column_and_is_nobodys_win():
    match = hollywood(TIE, VOID, knock(HOST, 5), rules="hollywood tie=nobody")
    assert points(match) == [(5, 0), (0, 0), (0, 0)]


def test_equal_totals_make_nobody_the_winner():
    even = hollywood(
        knock(HOST, 10),  # column 1
        knock(GUEST, 20),  # column 2
        knock(HOST, 10),  # column 3
        rules="hollywood target=10 box=0 game-bonus=0 shutout=none",
    )
    assert even.finished
    settlement = even.settlement()
    assert settlement.totals == (20, 20)
    assert (even.winner, settlement.winner, settlement.margin) == (None, None, 0)
    assert (settlement.debtor, settlement.payment) == (None, 0)


def test_resigning_gives_away_the_open_columns_and_leaves_the_others():
    settlement = hollywood(*PLAYED[:6]).resign(HOST).settlement()
    (game,) = settlement.games
    assert [column.lines for column in game.columns] == [
        (ScoreLine(100, 0, 100, 75), ScoreLine(20, 0, 0, 25)),  # over before: the host's
        (ScoreLine(60, 0, 0, 50), ScoreLine(15, 0, 100, 25)),
        (ScoreLine(30, 0, 0, 25), ScoreLine(0, 0, 100, 0)),
    ]
    assert settlement.winner == GUEST
    assert settlement.totals == (440, 285)
    assert settlement.margin == -155


def test_who_resigns_is_shut_out_of_every_column_without_an_own_win():
    match = hollywood(*PLAYED[:3]).resign(GUEST)  # the guest has won in column 1
    assert [column.lines[HOST] for column in match.game.columns] == [
        ScoreLine(70, 0, 100, 50),
        ScoreLine(30, 30, 100, 25),
        ScoreLine(0, 0, 100, 0),
    ]
    rules = "hollywood shutout=double-game-bonus"
    match = hollywood(*PLAYED[:3], rules=rules).resign(GUEST)
    assert [column.lines[HOST].game_bonus for column in match.game.columns] == [100, 200, 200]


def test_in_mahjong_gin_a_hand_counts_for_both_where_its_winner_puts_it():
    match = hollywood(
        mahjong(HOST, 90, -20),
        mahjong(HOST, 60, 15),
        mahjong(GUEST, 95, 30),
        rules="mahjong hollywood target=100",
    )
    assert points(match) == [(150, -5), (90, 110), (0, 0)]
    assert [column.hands_won for column in match.game.columns] == [(2, 0), (1, 1), (0, 0)]
    assert match.scores == (180, 90)
