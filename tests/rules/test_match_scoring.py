"""A match of one game in one column: who deals, when it ends, and the final account."""

from random import Random

import pytest

from ginpeer.rules import (
    Discard,
    HandResult,
    Illegal,
    Knock,
    Match,
    Outcome,
    ScoreLine,
    cut_dealer,
    parse_card,
    parse_ruleset,
)
from tests.rules.played import TIE, VOID, knock, match_of, undercut

# Who deals


@pytest.mark.parametrize(
    ("host", "guest", "dealer"),
    [("Ks", "Ac", 1), ("2d", "3c", 0), ("7d", "7h", 0), ("7s", "7c", 1), ("Kc", "As", 1)],
)
def test_the_lower_card_deals_and_clubs_are_the_lowest_suit(host, guest, dealer):
    assert cut_dealer((parse_card(host), parse_card(guest))) == dealer


def test_one_card_cannot_be_cut_twice():
    with pytest.raises(Illegal):
        cut_dealer((parse_card("7d"), parse_card("7d")))


def test_the_deal_alternates_whoever_wins():
    match = match_of(dealer=1)
    dealers = [match.dealer]
    for result in (knock(0, 5), knock(0, 5), undercut(1, 30)):
        match = match.record(result)
        dealers.append(match.dealer)
    assert dealers == [1, 0, 1, 0]


def test_after_a_void_hand_the_same_player_deals_again():
    assert match_of(VOID, dealer=1).dealer == 1
    assert match_of(knock(0, 5), VOID, VOID, dealer=1).dealer == 0


def test_after_a_tie_that_nobody_won_the_deal_passes_on():
    match = match_of(TIE, rules="standard tie=nobody")
    assert match.dealer == 1
    assert match.hands_won == (0, 0)


# The end


def test_the_match_ends_when_the_target_is_reached_and_not_before():
    match = match_of(knock(0, 60), undercut(1, 35), knock(0, 39))
    assert not match.finished
    assert match.winner is None
    match = match.record(knock(0, 1))
    assert match.finished
    assert match.scores == (100, 35)
    assert match.winner == 0


def test_the_target_is_a_parameter():
    assert match_of(knock(1, 49), rules="standard target=50").winner is None
    assert match_of(knock(1, 50), rules="standard target=50").winner == 1


def test_a_finished_match_takes_no_more_hands_and_no_resignation():
    for finished in (match_of(knock(0, 100)), match_of().resign(0)):
        with pytest.raises(Illegal) as refusal:
            finished.record(knock(1, 5))
        assert refusal.value.code == "match-over"
        with pytest.raises(Illegal):
            finished.resign(1)


def test_nothing_is_settled_before_the_end():
    with pytest.raises(Illegal) as refusal:
        match_of(knock(0, 99)).settlement()
    assert refusal.value.code == "match-goes-on"


# The final account


def test_game_bonus_to_the_winner_and_boxes_to_both():
    settlement = match_of(knock(0, 60), undercut(1, 35), VOID, knock(0, 45)).settlement()
    assert settlement.winner == 0
    assert settlement.lines == (ScoreLine(105, 0, 100, 50), ScoreLine(35, 0, 0, 25))
    assert settlement.totals == (255, 60)
    assert settlement.margin == 195


def test_a_shutout_doubles_the_hands_but_neither_boxes_nor_game_bonus():
    settlement = match_of(knock(1, 60), knock(1, 45)).settlement()
    assert settlement.lines == (ScoreLine(0, 0, 0, 0), ScoreLine(105, 105, 100, 50))
    assert settlement.totals == (0, 360)


def test_a_void_hand_does_not_spoil_a_shutout():
    assert match_of(VOID, knock(1, 105)).settlement().lines[1].shutout == 105


def test_a_shutout_can_double_the_game_bonus_instead():
    rules = "standard shutout=double-game-bonus"
    assert match_of(knock(1, 105), rules=rules).settlement().lines[1] == ScoreLine(105, 0, 200, 25)
    spoiled = match_of(knock(0, 1), knock(1, 105), rules=rules).settlement()
    assert spoiled.lines[1] == ScoreLine(105, 0, 100, 25)


def test_a_shutout_can_be_worth_nothing():
    settlement = match_of(knock(1, 105), rules="standard shutout=none").settlement()
    assert settlement.lines[1] == ScoreLine(105, 0, 100, 25)


def test_one_hand_won_spoils_a_shutout_even_without_points():
    # An undercut by a tie, in a game whose undercut is worth nothing.
    empty = HandResult(Outcome.UNDERCUT, 0, 0, 1, 4, 4)
    match = match_of(empty, knock(1, 105), rules="standard undercut-bonus=0")
    assert match.settlement().lines[1].shutout == 0


def test_bonus_and_box_are_parameters():
    match = match_of(knock(0, 100), rules="standard game-bonus=150 box=20 shutout=none")
    assert match.settlement().lines[0] == ScoreLine(100, 0, 150, 20)


def test_boxes_can_give_the_loser_more_points_than_the_winner():
    small = [knock(1, 9)] * 11
    settlement = match_of(*small, *[knock(0, 50)] * 2).settlement()
    assert settlement.winner == 0
    assert settlement.totals == (100 + 100 + 50, 99 + 275)
    assert settlement.margin == -124


def test_resigning_gives_the_other_the_game_bonus():
    settlement = match_of(knock(0, 30), knock(1, 5), knock(0, 20)).resign(1).settlement()
    assert settlement.winner == 0
    assert settlement.lines == (ScoreLine(50, 0, 100, 50), ScoreLine(5, 0, 0, 25))


def test_who_resigns_without_a_hand_is_shut_out():
    # Else a player who is far behind would save the other's hands by giving up.
    behind = match_of(knock(0, 60), knock(0, 35))
    assert behind.resign(1).settlement().lines == (
        ScoreLine(95, 95, 100, 50),
        ScoreLine(0, 0, 0, 0),
    )
    assert behind.resign(0).settlement().lines == (ScoreLine(95, 0, 0, 50), ScoreLine(0, 0, 100, 0))


def test_who_resigns_without_points_can_lose_the_game_bonus_twice():
    rules = "standard shutout=double-game-bonus"
    resigned = match_of(knock(0, 60), rules=rules).resign(1).settlement()
    assert resigned.lines == (ScoreLine(60, 0, 200, 25), ScoreLine(0, 0, 0, 0))
    scored = match_of(knock(0, 60), knock(1, 1), rules=rules).resign(1).settlement()
    assert scored.lines[0] == ScoreLine(60, 0, 100, 25)


def test_where_no_shutout_counts_resigning_is_none():
    resigned = match_of(knock(0, 60), rules="standard shutout=none").resign(1).settlement()
    assert resigned.lines[0] == ScoreLine(60, 0, 100, 25)


def test_who_resigns_while_ahead_keeps_points_and_boxes():
    settlement = match_of(knock(0, 90)).resign(0).settlement()
    assert settlement.winner == 1
    assert settlement.lines == (ScoreLine(90, 0, 0, 25), ScoreLine(0, 0, 100, 0))
    assert settlement.margin == -15


# What can be entered


def _to_the_point(hand, rng):
    """A knock where there is one, else what leaves least; any draw, lay or spread."""
    moves = list(hand.sensible_moves())
    knocks = [move for move in moves if isinstance(move, Knock)]
    discards = [move for move in moves if isinstance(move, Discard)]
    if knocks or len(discards) < len(moves):
        return rng.choice(knocks or [move for move in moves if move not in discards])
    held = hand.hand_of(hand.to_move)
    return min(discards, key=lambda move: hand.melding.deadwood(held & ~move.card.bit))


@pytest.mark.parametrize("spades", ["", " spades-double=yes"])
@pytest.mark.parametrize(
    "rules",
    [
        "standard wall=last-discard",
        "standard tie=no-bonus",
        "standard tie=nobody",
        "straight",
        "tedesco",
        "mahjong",
        "oklahoma knock-limit=second-deck",
        "oklahoma-floating",
    ],
)
def test_every_result_that_a_hand_comes_to_can_be_entered(rules, spades):
    """Doubled ones too: a match that refused its own hand's result would blame who played it."""
    rng, match = Random(rules), Match.begin(parse_ruleset(rules + spades), 0)
    kinds = set()
    for _ in range(40):
        hand = match.deal(seed=rng.randrange(1_000_000))
        while not hand.over:
            hand = hand.apply(_to_the_point(hand, rng))
        assert match.record(hand.result) == match.after(hand)
        kinds.add((hand.result.kind, hand.result.doubled))
    assert len(kinds) > 1


def test_a_hand_is_entered_when_it_is_over():
    match = Match.begin(parse_ruleset("standard"), 0)
    with pytest.raises(ValueError, match="when it is over"):
        match.after(match.deal(seed=1))
