"""Who deals first, and what a match accepts. accounts.jsonl and test_match_random test its
accounts."""

from random import Random

import pytest

from ginpeer.rules import (
    Column,
    Discard,
    Knock,
    Match,
    ScoreLine,
    cut_dealer,
    parse_card,
    parse_ruleset,
)
from tests.rules.played import knock, mahjong, match_of

# Who deals


@pytest.mark.parametrize(
    ("host", "guest", "dealer"),
    [("Ks", "Ac", 1), ("2d", "3c", 0), ("7d", "7h", 0), ("7s", "7c", 1), ("Kc", "As", 1)],
)
def test_the_lower_card_deals_and_clubs_are_the_lowest_suit(host, guest, dealer):
    assert cut_dealer((parse_card(host), parse_card(guest))) == dealer


def test_a_shutout_never_costs_its_winner_points():
    # At present, no hand is won with a negative score, but a column doesn't rely on that.
    rules = parse_ruleset("mahjong hands=2")
    column = Column(rules, points=(-5, -40), hands_won=(2, 0), over=True)
    assert column.lines == (ScoreLine(-5, 0, 100, 50), ScoreLine(-40, 0, 0, 0))


def test_after_a_game_the_next_one_begins():
    match = match_of(knock(1, 60), knock(0, 100), rules="standard best-of=3")
    assert (match.scores, match.hands_won, match.games_won) == ((0, 0), (0, 0), (1, 0))
    assert match.played_game.scores == (100, 60)
    match = match.record(knock(1, 60))
    assert match.played_game is match.game


def test_points_without_a_win_do_not_open_a_column():
    match = match_of(mahjong(0, 60, 15), rules="mahjong hollywood target=100")
    assert (match.game.columns_for(0), match.game.columns_for(1)) == ((0, 1), (0,))


# Results that can be entered


def _to_the_point(hand, rng):
    """Return a knock if possible, or else the discard that leaves the least deadwood. Draws, lays
    and spreads are random."""
    moves = list(hand.sensible_moves())
    knocks = [move for move in moves if isinstance(move, Knock)]
    discards = [move for move in moves if isinstance(move, Discard)]
    if knocks or len(discards) < len(moves):
        return rng.choice(knocks or [move for move in moves if move not in discards])
    held = hand.hand_of(hand.to_move)
    return min(discards, key=lambda move: hand.melding.deadwood(held & ~move.card.bit))


@pytest.mark.parametrize(
    "rules",
    [
        *("standard wall=last-discard", "standard tie=no-bonus", "standard tie=nobody"),
        *("straight", "tedesco", "mahjong", "oklahoma knock-limit=second-deck"),
        "oklahoma-floating",
    ],
)
def test_every_result_of_a_hand_can_be_entered(rules):
    """That includes doubled results. If a match refused the result of its own hand, it would blame
    the player."""
    rng, match = Random(rules), Match.begin(parse_ruleset(f"{rules} spades-double=yes"), 0)
    kinds = set()
    for _ in range(30):
        hand = match.deal(seed=rng.randrange(1_000_000))
        while not hand.over:
            hand = hand.apply(_to_the_point(hand, rng))
        assert match.record(hand.result) == match.after(hand)
        kinds.add((hand.result.kind, hand.result.doubled))
    assert {doubled for _, doubled in kinds} == {False, True}


def test_a_hand_can_be_entered_only_when_it_is_over():
    match = Match.begin(parse_ruleset("standard"), 0)
    with pytest.raises(ValueError, match="when it is over"):
        match.after(match.deal(seed=1))
