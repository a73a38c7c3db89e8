"""Every preset by hands that can be checked by eye, the sources' own examples among them.

Mahjong gin has test_mahjong.py. The words in quotation marks are those of the sources (RULES).
"""

import pytest

from ginpeer.rules import Match, Outcome, Phase, ScoreLine, parse_card, parse_ruleset
from tests.rules.drawing import (
    deal,
    knocks,
    melds,
    played,
    refused,
    second_deck_deal,
    settled,
    to_the_wall,
)
from tests.rules.played import GUEST, HOST, VOID, knock, match_of
from tests.rules.showdowns import GIN, NINE, SIX, about_to_knock, knock_of, showdown

# Standard


@pytest.mark.parametrize(
    ("loose", "against", "kind", "winner", "points"),
    [
        # "The non-knocker had 21 points of deadwood": 21 and the 25 point bonus.
        (GIN, 21, Outcome.GIN, 0, 46),
        # "The knocker had a total of 3, and the non-knocker 12: the knocker scores 9."
        ("3c", 12, Outcome.KNOCK, 0, 9),
        # "10 deadwood and 10 deadwood: the non-knocker scores 0 but gets a 25 point bonus."
        ("Kh", 10, Outcome.UNDERCUT, 1, 25),
        # "The knocker has 10 and the non-knocker 6: 4 points, plus a 25 point bonus."
        ("Kh", 6, Outcome.UNDERCUT, 1, 29),
        # "If a player knocks with 8, and the defender has 10, the knocking player receives 2."
        ("8c", 10, Outcome.KNOCK, 0, 2),
    ],
)
def test_standard_scores_the_examples_of_the_books(loose, against, kind, winner, points):
    result = showdown("standard", loose, against)
    assert (result.kind, result.winner, result.points) == (kind, winner, points)


def test_standard_knocks_with_the_hand_of_the_how_to():
    # "A set of three 7's, a run of 3-4-5 in spades, and a 2, a 7, and an ace": the fourth seven
    # could go on the set, and need not. H counts the discard among the ten; a six fills its place.
    hand = deal(1, "7c 7d 7h  3s 4s 5s 6s  2d 7s Ac", f"{SIX} 2c 3c 4d 6d", "8h")
    hand = played(hand, "pass", "pass", "draw Kc")
    hand = played(hand, "knock Kc melds 7c7d7h 3s4s5s6s deadwood Ac2d7s")
    assert settled(hand).knocker_deadwood == 10


def test_standard_lays_off_along_a_run_as_far_as_it_goes():
    # "The non-knocker could add a 2, 6, 7 etc. of spades to the run."
    hand = deal(1, "7c 7d 7h  3s 4s 5s  Tc Td Th  8c", f"{SIX} 2s 6s 7s 9d", "8h")
    hand = played(hand, "pass", "pass", "draw Kc")
    hand = played(hand, "knock Kc melds 7c7d7h 3s4s5s TcTdTh deadwood 8c")
    spread = "spread melds JcJdJh QcQdQh layoff {} deadwood 9d"
    refused(hand, spread.format("2s@1 7s@1 6s@1"), "layoff-does-not-fit")  # first the six
    result = played(hand, spread.format("2s@1 6s@1 7s@1")).result
    assert (result.defender_deadwood, result.points) == (9, 9 - 8)


def test_standard_lays_off_the_fourth_king():
    # "The knocking player has a meld of three Kings. If the defending player is holding the
    # fourth, they may lay it off and thus reduce their deadwood count by 10."
    hand = deal(1, "Kc Kd Kh  3h 4h 5h  7c 7d 7h  8c", f"{SIX} Ks 2d 2s 3s", "8h")
    hand = played(hand, "pass", "pass", "draw 9c")
    hand = played(hand, "knock 9c melds KcKdKh 3h4h5h 7c7d7h deadwood 8c")
    kept = "spread melds JcJdJh QcQdQh deadwood 2d2s3sKs"
    laid_off = "spread melds JcJdJh QcQdQh layoff Ks@0 deadwood 2d2s3s"
    assert played(hand, kept).result.defender_deadwood == 17
    assert played(hand, laid_off).result.defender_deadwood == 7


def test_standard_pays_game_bonus_boxes_and_shutout():
    lines = match_of(knock(HOST, 60), knock(HOST, 45)).settlement().lines
    assert lines == (ScoreLine(105, 105, 100, 50), ScoreLine(0, 0, 0, 0))


# Classic


def test_classic_scores_by_the_early_laws():
    assert showdown("classic", GIN, 21).points == 20 + 21
    undercut = showdown("classic", "Kh", 6)
    assert (undercut.winner, undercut.points) == (1, 10 + 4)
    tie = showdown("classic", "Kh", 10)  # the bonus "was not awarded in case of a tie"
    assert (tie.kind, tie.winner, tie.points) == (Outcome.UNDERCUT, 1, 0)
    hand = deal(1, f"{NINE} {GIN}", f"{SIX} 2d 2s 3s 5s", "8h", parse_ruleset("classic"))
    hand = played(hand, "pass", "pass", "draw Ts")
    refused(hand, "knock melds 3h4h5h6h 7c7d7h TcTdThTs", "no-big-gin")


def test_classic_doubles_the_game_bonus_of_who_faced_no_points():
    alone = match_of(knock(HOST, 60), knock(HOST, 45), rules="classic").settlement()
    assert alone.lines == (ScoreLine(105, 0, 200, 40), ScoreLine(0, 0, 0, 0))
    shared = match_of(knock(GUEST, 1), knock(HOST, 60), knock(HOST, 45), rules="classic")
    assert shared.settlement().lines == (ScoreLine(105, 0, 100, 40), ScoreLine(1, 0, 0, 20))


# Tournament


def test_tournament_is_the_best_of_five_games_to_250():
    two = [knock(HOST, 100)] * 2
    match = match_of(*two, knock(HOST, 49), rules="tournament")
    assert match.games_won == (0, 0)
    match = match.record(knock(HOST, 1))
    assert (match.games_won, match.scores) == ((1, 0), (0, 0))
    game = [*two, knock(HOST, 50)]
    assert not match_of(*game, *game, rules="tournament").finished
    match = match_of(*game, *game, *game, rules="tournament")
    assert (match.finished, match.winner) == (True, HOST)


def test_tournament_lets_the_last_discard_be_taken_to_knock():
    rules = parse_ruleset("tournament")
    hand = deal(1, f"{NINE} 8c", f"{SIX} Kd Kh As Ad", "8h", rules)
    hand = to_the_wall(played(hand, "pass", "pass"), keep="Kc")
    hand = played(hand, "draw Kc", "discard Kc")
    assert hand.phase is Phase.LAST_CHANCE
    hand = played(hand, "take", "knock Ad melds JcJdJh QcQdQh KcKdKh deadwood As")
    result = settled(hand)
    assert (result.kind, result.winner, result.points) == (Outcome.KNOCK, 1, 8 - 1)


# Oklahoma


def test_oklahoma_knocks_with_four_on_a_four_and_counts_double_on_the_four_of_spades():
    # "If the first upcard was a 4, you can knock and go out with only 4 or fewer points in your
    # hand; and if the card was 4 of spades, you would get double points that hand."
    four = showdown("oklahoma", "4c", upcard="4d")
    assert (four.points, four.doubled) == (12 - 4, False)
    spade = showdown("oklahoma", "4c", upcard="4s")
    assert (spade.points, spade.doubled) == (2 * (12 - 4), True)
    for upcard in ("4d", "4s"):
        hand = about_to_knock("oklahoma", "5c", upcard=upcard)
        refused(hand, knock_of("5c"), "knock-over-limit")


def test_oklahoma_wants_gin_when_an_ace_is_turned():
    # "If an ace is the first upcard, knocking is not allowed; the winner must go gin."
    hand = about_to_knock("oklahoma", "Ac", upcard="Ah")
    assert (hand.knock_limit, knocks(hand)) == (0, [])
    assert showdown("oklahoma", GIN, upcard="Ah").points == 25 + 12
    assert showdown("oklahoma", GIN, upcard="As").points == 2 * (25 + 12)


@pytest.mark.parametrize("rank", "A23456789TJQK")
def test_oklahoma_takes_the_value_of_the_upcard_for_its_limit(rank):
    rules = parse_ruleset("oklahoma")
    value = 0 if rank == "A" else min(10, " A23456789TJQK".index(rank))
    assert [rules.limit(parse_card(rank + suit)) for suit in "cdhs"] == [value] * 4


def test_oklahoma_takes_no_notice_of_who_takes_the_upcard():
    # The four of spades goes into the hand, and limit and doubling stay.
    hand = deal(1, f"{NINE} 2c", f"{SIX} 2d 2s 3s 5s", "4s", parse_ruleset("oklahoma"))
    hand = played(hand, "take")
    assert (hand.upcard, hand.knock_limit, hand.counts_double) == (None, 4, True)
    result = settled(played(hand, "knock 2c melds 3h4h5h 7c7d7h TcTdTh deadwood 4s"))
    assert (result.points, result.doubled) == (2 * (12 - 4), True)


def test_oklahoma_with_a_second_deck_turns_no_upcard():
    rules = parse_ruleset("oklahoma knock-limit=second-deck")
    # The four of spades of the other deck; the one of this deck is in a hand.
    hand = second_deck_deal(1, f"{NINE} 4s", f"{SIX} 2d 2s 3s 5s", "4s", 0, rules)
    assert (hand.phase, hand.upcard, hand.stock_left) == (Phase.FIRST_DRAW, None, 32)
    refused(hand, "take", "wrong-phase")
    refused(hand, "pass", "wrong-phase")
    hand = played(hand, "draw Kc")
    result = settled(played(hand, "knock Kc melds 3h4h5h 7c7d7h TcTdTh deadwood 4s"))
    assert (result.points, result.doubled) == (2 * (12 - 4), True)


def test_oklahoma_with_a_second_deck_has_thirty_turns_to_the_wall():
    rules = parse_ruleset("oklahoma knock-limit=second-deck")
    hand = second_deck_deal(0, f"{NINE} 8c", f"{SIX} 2d 2s 3s 5s", "9d", 0, rules)
    hand = to_the_wall(hand, keep="9d")
    assert len(hand.moves) == 2 * 29
    hand = played(hand, "draw 9d", "discard 9d")
    assert (hand.stock_left, hand.result.kind) == (2, Outcome.VOID)


def test_oklahoma_floating_goes_by_the_discard_that_shows():
    rules = parse_ruleset("oklahoma-floating")
    hand = deal(1, f"{NINE} 8c", f"{SIX} 2d 2s 3s 5s", "Kh", rules)
    assert hand.knock_limit == 10
    hand = played(hand, "pass", "pass", "draw 6c")
    # "The knock threshold equals whatever the current upcard happens to be."
    hand = played(hand, "discard 8c")
    assert hand.knock_limit == 8
    hand = played(hand, "draw Ad", "discard 5s", "draw 9c")
    assert hand.knock_limit == 5
    refused(hand, "knock 9c melds 3h4h5h 7c7d7h TcTdTh deadwood 6c", "knock-over-limit")
    # No spade doubles: the nine of spades is a limit and no more.
    assert not hand.counts_double


def test_oklahoma_floating_keeps_its_limit_when_the_discard_is_taken():
    rules = parse_ruleset("oklahoma-floating")
    hand = deal(1, f"{NINE} 6c", f"{SIX} 2d 2s 3s 5s", "5c", rules)
    hand = played(hand, "take")
    assert (hand.upcard, hand.knock_limit) == (None, 5)
    result = settled(played(hand, "knock 6c melds 3h4h5h 7c7d7h TcTdTh deadwood 5c"))
    assert (result.kind, result.points) == (Outcome.KNOCK, 12 - 5)


def test_oklahoma_floating_wants_gin_where_an_ace_shows():
    rules = parse_ruleset("oklahoma-floating")
    hand = deal(1, f"{NINE} 2c", f"{SIX} Ad 2s 3s 6s", "Kh", rules)
    hand = played(hand, "pass", "take", "discard Ad", "draw Kc")
    assert hand.knock_limit == 0
    refused(hand, knock_of("2c"), "knock-over-limit")


# Straight gin


def test_straight_ends_with_gin_only():
    # "Knocking is not allowed."
    refused(about_to_knock("straight", "Ac"), knock_of("Ac"), "knock-over-limit")
    assert showdown("straight", GIN, 21).points == 46
    hand = deal(1, f"{NINE} {GIN}", f"{SIX} 2d 2s 3s 5s", "8h", parse_ruleset("straight"))
    hand = played(hand, "pass", "pass", "draw Ts")
    assert settled(played(hand, "knock melds 3h4h5h6h 7c7d7h TcTdThTs")).points == 31 + 12


def test_straight_gin_laid_with_deadwood_is_refused():
    # 6h goes on the run; laid beside it, it is deadwood, and six is over nothing.
    refused(
        about_to_knock("straight", GIN),
        "knock Kc melds 3h4h5h 7c7d7h TcTdTh deadwood 6h",
        "knock-over-limit",
    )


# Around the corner and Tedesco

#     Ks As 2s     "K-A-2 is a perfectly valid meld"
#     7c 7d 7h
#     Tc Td Th
#     4d           deadwood 4
CORNER = "Ks As 2s  7c 7d 7h  Tc Td Th  4d"
CORNER_KNOCK = "knock Kc melds As2sKs 7c7d7h TcTdTh deadwood 4d"


def corner(rules, others="2c 3d 4c 6d", upcard="8h"):
    hand = deal(1, CORNER, f"{SIX} {others}", upcard, parse_ruleset(rules))
    return played(hand, "pass", "pass", "draw Kc")


def test_around_the_corner_melds_king_ace_and_two():
    hand = corner("around-the-corner")
    result = settled(played(hand, CORNER_KNOCK))
    assert (result.kind, result.knocker_deadwood, result.points) == (Outcome.KNOCK, 4, 15 - 4)
    refused(corner("standard"), CORNER_KNOCK, "not-a-meld")


def test_around_the_corner_lays_off_at_both_ends_of_the_corner():
    # 3s and Qs go on Ks As 2s.
    hand = played(corner("around-the-corner", others="3s 9c 4c 6d"), CORNER_KNOCK)
    answer = "spread melds JcJdJh QcQdQh layoff 3s@0 deadwood 4c9c6d"
    assert played(hand, answer).result.defender_deadwood == 19
    assert settled(hand).defender_deadwood == 19


def test_around_the_corner_has_cheap_aces():
    result = settled(played(corner("around-the-corner", others="Ac Ad 4c 6c"), CORNER_KNOCK))
    assert result.defender_deadwood == 1 + 1 + 4 + 6


def test_tedesco_has_aces_high_and_low_and_around_the_corner():
    ways = corner("tedesco").melding
    high, corner_run, low = melds("Qs Ks As", "Ks As 2s", "As 2s 3s")
    assert all(map(ways.is_meld, (high, corner_run, low)))
    result = settled(played(corner("tedesco", upcard="4h"), CORNER_KNOCK))
    assert (result.kind, result.points) == (Outcome.KNOCK, 15 - 4)
    refused(corner("tedesco", upcard="3h"), CORNER_KNOCK, "knock-over-limit")


def test_tedesco_counts_fifteen_for_an_unmelded_ace():
    # "If you are caught with an unmelded ace, it counts as 15 points against you."
    result = settled(played(corner("tedesco", others="Ac Ad 4c 6c"), CORNER_KNOCK))
    assert result.defender_deadwood == 15 + 15 + 4 + 6
    hand = about_to_knock("tedesco", "Ac")
    sentence = refused(hand, knock_of("Ac"), "knock-over-limit")
    assert sentence == "The deadwood counts 15; to knock it may count at most 8."


def test_tedesco_doubles_for_a_spade_and_wants_gin_for_an_ace():
    assert showdown("tedesco", "4c", upcard="9s").points == 2 * (12 - 4)
    assert about_to_knock("tedesco", "4c", upcard="Ah").knock_limit == 0


def test_tedesco_keeps_three_columns_to_200():
    match = match_of(*[knock(HOST, 100)] * 3, rules="tedesco")
    assert [column.points for column in match.game.columns] == [(200, 0), (200, 0), (100, 0)]
    assert [column.over for column in match.game.columns] == [True, True, False]
    assert match.record(knock(HOST, 100)).finished


# Ways of keeping score


def test_hollywood_enters_the_first_three_wins_as_the_source_says():
    # "A player's first win will be recorded in their column in Game One. A player's second win in
    # both Game One and Game Two. Their third win in their column for all three games."
    match = match_of(rules="hollywood")
    sheets = []
    for result in (knock(HOST, 12), knock(HOST, 20), knock(GUEST, 7), knock(HOST, 5)):
        match = match.record(result)
        sheets.append([column.points for column in match.game.columns])
    assert sheets == [
        [(12, 0), (0, 0), (0, 0)],
        [(32, 0), (20, 0), (0, 0)],
        [(32, 7), (20, 0), (0, 0)],  # the guest's first
        [(37, 7), (25, 0), (5, 0)],
    ]


def test_hollywood_adds_the_totals_of_three_games():
    # "Hands are played until all three games are finished; the totals are added together."
    match = match_of(*[knock(HOST, 50)] * 4, rules="hollywood")
    assert match.finished
    (game,) = match.settlement().games
    # Columns of 2, 2 and 2 hands: 100, doubled by the shutout, 100 for the game, 25 a hand.
    assert [column.lines[HOST] for column in game.columns] == [ScoreLine(100, 100, 100, 50)] * 3
    assert match.settlement().totals == (3 * 350, 0)


def test_multi_match_credits_25_for_a_round_100_for_the_match_and_100_for_no_round_lost():
    alone = match_of(knock(HOST, 60), knock(HOST, 40), rules="multi-match")
    assert alone.credits == (100 + 2 * 25 + 100 + 100, 0)
    shared = match_of(knock(HOST, 60), knock(GUEST, 30), knock(HOST, 40), rules="multi-match")
    assert shared.credits == (100 + 2 * 25 + 100, 30 + 25)
    # "Match scores are reset to zero with the start of each match."
    assert (shared.scores, shared.hands_won) == ((0, 0), (0, 0))


def test_multi_match_goes_on_to_500():
    game = (knock(HOST, 60), knock(GUEST, 30), knock(HOST, 40))
    match = match_of(*game, *game[:2], rules="multi-match")
    assert (match.finished, match.credits) == (False, (250, 55))
    match = match.record(game[2])
    assert (match.finished, match.credits, match.winner) == (True, (500, 110), HOST)


def test_oklahoma_hollywood_and_multi_match_hold_at_once():
    text = "oklahoma hollywood multi-match"
    result = showdown(text, "4c", upcard="4s")
    assert (result.points, result.doubled) == (16, True)
    match = Match.begin(parse_ruleset(text), 1).record(result)
    assert [column.points for column in match.game.columns] == [(16, 0), (0, 0), (0, 0)]
    # A game of three columns won without a round of the other's: each 100, 200 and 25 a hand.
    match = match_of(*[knock(HOST, 100)] * 3, rules=text)
    assert match.credits == (3 * 325, 0)
    assert (match.finished, match.winner) == (True, HOST)


def test_either_pile_is_open_to_the_non_dealer_at_once():
    # "They may take either the top card of the discard pile, or the top card of the stock."
    result = showdown("standard opening=either-pile", "8c", 10)
    assert (result.kind, result.points) == (Outcome.KNOCK, 2)
    rules = parse_ruleset("standard opening=either-pile")
    hand = deal(1, f"{NINE} 9c", f"{SIX} 2d 2s 3s 5s", "8h", rules)
    hand = played(hand, "take", "knock 9c melds 3h4h5h 7c7d7h TcTdTh deadwood 8h")
    assert settled(hand).points == 12 - 8


def test_a_void_hand_is_nobodys_whatever_the_score_sheet():
    for rules in ("standard", "hollywood", "multi-match", "tournament", "standard hands=6"):
        match = match_of(VOID, rules=rules)
        assert (match.scores, match.hands_won, match.dealer) == ((0, 0), (0, 0), HOST)
