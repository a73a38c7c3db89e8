"""Games in a row, so many hands, who deals over borders, and the stake (RULES 8.2, 13.2-7)."""

import pytest

from ginpeer.rules import HandResult, Illegal, Outcome, ScoreLine
from tests.rules.played import GUEST, HOST, TIE, VOID, knock, mahjong, match_of

# What a whole game comes to, won in one hand: 100 from hands, 100 for the shutout, 100 game bonus,
# 25 for the box.
WON = 325


def game(winner):
    return knock(winner, 100)


# Best of so many games


def best_of(count, *results, rules="standard"):
    return match_of(*results, rules=f"{rules} best-of={count}")


def test_the_best_of_five_is_who_first_wins_three():
    match = best_of(5, game(HOST), game(GUEST), game(GUEST), game(HOST))
    assert match.games_won == (2, 2)
    assert (match.finished, match.winner) == (False, None)
    match = match.record(game(GUEST))
    assert match.winner == GUEST
    settlement = match.settlement()
    assert settlement.totals == (2 * WON, 3 * WON)
    assert [each.winner for each in settlement.games] == [HOST, GUEST, GUEST, HOST, GUEST]


def test_games_that_can_change_nothing_are_not_played():
    match = best_of(5, game(HOST), game(HOST), game(HOST))
    assert match.finished
    with pytest.raises(Illegal):
        match.record(game(GUEST))


def test_each_game_begins_at_nothing():
    match = best_of(3, knock(GUEST, 60), game(HOST))
    assert (match.scores, match.hands_won) == ((0, 0), (0, 0))
    assert match.played_game.scores == (100, 60)
    match = match.record(knock(GUEST, 60))
    assert (match.scores, match.hands_won) == ((0, 60), (0, 1))
    assert match.played_game is match.game
    assert not match.finished


def test_the_loser_of_a_series_can_have_more_points():
    match = best_of(
        3,
        *[knock(GUEST, 9)] * 11,
        game(HOST),  # the host's, with 225 to 374
        *[knock(GUEST, 9)] * 11,
        game(HOST),
    )
    settlement = match.settlement()
    assert match.winner == HOST
    assert settlement.totals == (450, 748)
    assert settlement.margin == -298


def test_a_game_that_nobody_won_counts_for_nobody_and_is_played_again():
    # Three columns, 20 to 20: the even game of the Hollywood tests.
    tied = (knock(HOST, 10), knock(GUEST, 20), knock(HOST, 10))
    rules = "hollywood target=10 box=0 game-bonus=0 shutout=none"
    match = best_of(5, *tied, *tied, rules=rules)
    assert [each.winner for each in match.games] == [None, None, None]
    assert match.games_won == (0, 0)
    won = (knock(HOST, 10),) * 3
    for _ in range(3):
        for result in (*won, *tied):
            assert not match.finished
            match = match.record(result)
            if match.games_won[HOST] == 3:
                break
    assert match.winner == HOST
    assert [each.winner for each in match.games] == [None, None, HOST, None, HOST, None, HOST]
    assert match.settlement().totals == (4 * 20 + 3 * 30, 4 * 20)


def test_hollywood_games_can_be_played_in_a_series():
    match = best_of(3, *[game(HOST)] * 3, *[game(GUEST)] * 3, *[game(GUEST)] * 3, rules="hollywood")
    assert match.winner == GUEST
    assert match.settlement().totals == (3 * WON, 6 * WON)


# Multi-match


def multi_match(*results, rules="multi-match"):
    return match_of(*results, rules=rules)


def test_game_points_add_up_to_the_end_of_the_match():
    # 60 and 40 in two hands, against 30: 100 + 100 + 2 * 25, to 30 + 25.
    one = (knock(HOST, 60), knock(GUEST, 30), knock(HOST, 40))
    match = multi_match(*one)
    assert match.credits == (250, 55)
    match = multi_match(*one, *one)
    assert match.finished
    assert match.settlement().totals == (500, 110)


def test_a_player_without_a_round_doubles_the_bonus():
    assert multi_match(knock(HOST, 100)).games[0].columns[0].lines == (
        ScoreLine(100, 0, 200, 25),
        ScoreLine(0, 0, 0, 0),
    )


def test_the_match_ends_between_games_only():
    match = multi_match(game(HOST), knock(HOST, 99))
    assert match.credits == (325, 0)
    assert not match.finished
    assert match.record(knock(HOST, 1)).winner == HOST


def test_of_two_players_beyond_the_end_the_larger_total_has_won():
    many = [knock(GUEST, 9)] * 11  # 99 points and 11 boxes in a lost game: 374
    match = multi_match(*many, game(HOST))
    assert match.credits == (225, 374)
    match = multi_match(*many, game(HOST), *many, game(HOST), rules="multi-match multi-match=450")
    assert match.finished
    assert match.settlement().totals == (450, 748)
    assert (match.winner, match.settlement().margin) == (GUEST, 298)
    assert match.games_won == (2, 0)


def test_equal_totals_call_for_one_more_game():
    # The game is the guest's, 105 + 100 + 25, and the host has 80 + 6 * 25.
    nothing = HandResult(Outcome.UNDERCUT, HOST, 0, GUEST, 4, 4)
    even = (*[knock(HOST, 16)] * 5, nothing, knock(GUEST, 105))
    match = multi_match(*even, rules="multi-match multi-match=230 undercut-bonus=0")
    assert match.credits == (230, 230)
    assert (match.finished, match.winner) == (False, None)
    match = match.record(game(GUEST))
    assert match.winner == GUEST
    assert match.settlement().totals == (230, 555)


# So many hands


def test_a_match_of_six_hands_ends_after_six_void_ones_counted():
    played = (knock(HOST, 60), VOID, knock(HOST, 60), TIE, knock(GUEST, 9))
    match = match_of(*played, rules="standard hands=6 tie=nobody")
    assert match.scores == (120, 9)
    assert not match.finished
    match = match.record(VOID)
    assert match.winner == HOST
    assert match.settlement().lines == (ScoreLine(120, 0, 100, 50), ScoreLine(9, 0, 0, 25))


def test_equal_points_after_the_last_hand_are_nobodys_and_bring_no_bonus():
    match = match_of(knock(HOST, 30), knock(HOST, 10), knock(GUEST, 40), rules="standard hands=3")
    assert match.finished
    settlement = match.settlement()
    assert (match.winner, settlement.winner) == (None, None)
    assert settlement.lines == (ScoreLine(40, 0, 0, 50), ScoreLine(40, 0, 0, 25))
    assert settlement.margin == 25
    void = match_of(VOID, rules="standard hands=1")
    assert (void.finished, void.winner) == (True, None)
    assert void.settlement().totals == (0, 0)


def test_a_shutout_counts_after_so_many_hands_as_well():
    match = match_of(knock(HOST, 30), VOID, rules="standard hands=2")
    assert match.settlement().lines[HOST] == ScoreLine(30, 30, 100, 25)


# So many hands and a target: whichever comes first


def test_the_target_ends_a_match_before_its_hands_do():
    match = match_of(knock(HOST, 60), knock(GUEST, 9), rules="standard hands=6 target=100")
    match = match.record(knock(HOST, 40))
    assert (match.finished, match.winner) == (True, HOST)
    assert match.settlement().lines == (ScoreLine(100, 0, 100, 50), ScoreLine(9, 0, 0, 25))


def test_the_hands_end_a_match_before_its_target_is_reached():
    match = match_of(knock(HOST, 60), knock(GUEST, 90), rules="standard hands=3 target=100")
    assert not match.finished
    match = match.record(VOID)
    assert (match.finished, match.winner) == (True, GUEST)
    assert match.settlement().lines == (ScoreLine(60, 0, 0, 25), ScoreLine(90, 0, 100, 25))


def test_the_last_hand_can_bring_the_target():
    match = match_of(knock(HOST, 60), VOID, knock(HOST, 60), rules="standard hands=3 target=100")
    assert (match.finished, match.winner) == (True, HOST)
    assert match.settlement().lines[HOST] == ScoreLine(120, 120, 100, 50)


def test_the_hands_end_the_columns_that_are_still_open():
    #              column 1   column 2   column 3
    # guest, 30        30         -          -
    # host, 100       100         -          -       column 1 is over
    # host, 40          -        40          -       and the last hand played
    rules = "hollywood hands=3 target=100"
    match = match_of(knock(GUEST, 30), knock(HOST, 100), rules=rules)
    assert [column.over for column in match.game.columns] == [True, False, False]
    match = match.record(knock(HOST, 40))
    assert (match.finished, match.winner) == (True, HOST)
    first, second, third = match.settlement().games[0].columns
    assert first.lines == (ScoreLine(100, 0, 100, 25), ScoreLine(30, 0, 0, 25))
    assert second.lines == (ScoreLine(40, 40, 100, 25), ScoreLine(0, 0, 0, 0))
    assert (third.winner, third.lines) == (None, (ScoreLine(0, 0, 0, 0), ScoreLine(0, 0, 0, 0)))


# Resigning


def test_resigning_ends_the_whole_series():
    match = best_of(5, game(HOST), game(HOST), knock(HOST, 40), knock(GUEST, 10)).resign(HOST)
    assert match.winner == GUEST
    settlement = match.settlement()
    assert len(settlement.games) == 3
    assert settlement.games[2].columns[0].lines == (
        ScoreLine(40, 0, 0, 25),
        ScoreLine(10, 0, 100, 25),
    )
    assert settlement.totals == (2 * WON + 65, 135)
    assert settlement.margin == 135 - 2 * WON - 65


def test_between_two_games_the_next_is_the_one_given_up():
    settlement = best_of(3, game(HOST)).resign(HOST).settlement()
    assert settlement.winner == GUEST
    assert [each.winner for each in settlement.games] == [HOST, GUEST]
    assert settlement.totals == (WON, 100)


def test_who_resigns_a_multi_match_loses_it_whatever_the_totals():
    match = multi_match(knock(HOST, 100), knock(HOST, 90)).resign(HOST)
    assert match.winner == GUEST
    assert match.settlement().totals == (325 + 90 + 25, 100)


# Who deals


@pytest.mark.parametrize(
    ("rule", "dealers"),
    [
        # Hands:        host   guest   void   tie    guest   host
        ("alternates", [HOST, GUEST, HOST, HOST, GUEST, HOST, GUEST]),
        ("loser", [HOST, GUEST, HOST, HOST, HOST, HOST, GUEST]),
        ("winner", [HOST, HOST, GUEST, GUEST, GUEST, GUEST, HOST]),
    ],
)
def test_the_deal_goes_on_over_the_borders_of_games(rule, dealers):
    rules = f"standard tie=nobody best-of=9 next-dealer={rule}"
    hands = (game(HOST), game(GUEST), VOID, TIE, knock(GUEST, 5), game(HOST))
    assert [match_of(*hands[:n], rules=rules).dealer for n in range(len(hands) + 1)] == dealers


def test_in_mahjong_gin_the_winner_is_who_went_gin():
    match = match_of(mahjong(GUEST, 30, 60), rules="mahjong next-dealer=winner")
    assert match.dealer == GUEST


def test_the_non_dealer_plays_first():
    match = match_of(dealer=GUEST)
    assert match.first_to_play == HOST
    assert match.record(knock(HOST, 5)).first_to_play == GUEST


def test_with_a_second_deck_the_last_winner_plays_first():
    rules = "oklahoma knock-limit=second-deck tie=nobody best-of=3"
    match = match_of(VOID, TIE, rules=rules, dealer=HOST)
    assert match.first_to_play == 1 - match.dealer == HOST  # nobody has won a hand yet
    match = match.record(knock(HOST, 5))
    assert (match.dealer, match.first_to_play) == (HOST, HOST)
    match = match.record(VOID).record(TIE)
    assert (match.dealer, match.first_to_play) == (GUEST, HOST)
    match = match.record(game(GUEST))  # over the border of a game
    assert (match.dealer, match.first_to_play) == (HOST, GUEST)


# The stake


def test_the_loser_pays_the_margin_times_the_stake():
    settlement = match_of(knock(HOST, 100), rules="standard stake=5").settlement()
    assert settlement.margin == WON
    assert (settlement.debtor, settlement.payment) == (GUEST, 5 * WON)


def test_a_winner_with_less_than_the_other_pays():
    small = [knock(GUEST, 9)] * 11
    settlement = match_of(*small, knock(HOST, 100), rules="standard stake=2").settlement()
    assert (settlement.winner, settlement.margin) == (HOST, 225 - 374)
    assert (settlement.debtor, settlement.payment) == (HOST, 298)


@pytest.mark.parametrize("richer", [HOST, GUEST])
def test_where_nobody_won_the_totals_decide_who_pays(richer):
    match = match_of(
        knock(richer, 30),
        knock(richer, 10),
        knock(1 - richer, 40),
        rules="standard hands=3 stake=2",
    )
    settlement = match.settlement()
    assert (settlement.winner, settlement.margin) == (None, 25)
    assert (settlement.debtor, settlement.payment) == (1 - richer, 50)


def test_without_a_stake_nobody_owes_anything():
    settlement = match_of(knock(HOST, 100)).settlement()
    assert (settlement.debtor, settlement.payment) == (None, 0)


def test_nobody_locks_in_a_lead_by_resigning():
    """Ann has won a game 100 to 0 and resigns the next: the totals are hers, the match is not."""
    match = match_of(knock(HOST, 100), rules="standard best-of=5 stake=10").resign(HOST)
    settlement = match.settlement()
    assert settlement.winner == GUEST
    assert settlement.totals[HOST] > settlement.totals[GUEST]
    assert (settlement.debtor, settlement.payment) == (None, 0)
    behind = match_of(knock(HOST, 100), rules="standard best-of=5 stake=10").resign(GUEST)
    assert behind.settlement().debtor == GUEST
    assert behind.settlement().payment == 10 * behind.settlement().margin > 0
