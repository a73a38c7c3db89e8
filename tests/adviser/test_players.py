"""The players that measure playing strength, and the measuring itself."""

from pathlib import Path

import pytest

from ginpeer.rules import Discard, Knock, Match, TakeUpcard, View
from tests.bench.mirrored import CHALLENGE, Tally, play, played_apart, row
from tests.bench.players.named import PLAYERS, named
from tests.bench.players.reference import Simple, at_once, gin_only
from tests.rules.drawing import deal, drawn, played

MATCH = Match.begin(CHALLENGE, 1)
OTHER = "2c Ac 4d 6d 8h Th Js Ks Qd 5c"


def decision(player, hand):
    return player(View(hand.to_move, hand, MATCH))


def test_a_player_wins_half_of_mirrored_games_against_itself():
    tally = play(named("at-once"), named("at-once"), 3)
    assert tally.pairs == [1, 1, 1]
    assert tally.a_hand == (0, 0)


@pytest.mark.deep  # only the bench uses these players, and it plays them anyway
def test_all_players_play_games_to_their_end():
    for name in PLAYERS:
        tally = play(named("bot"), named(name), 1)
        assert tally.games == 2
        assert tally.hands >= 4
        assert tally.knocks >= tally.gins + tally.undercut


def test_a_measurement_is_the_same_with_any_number_of_processes():
    *_, apart = played_apart(
        named("simple"), named("level-1"), 7, rules=CHALLENGE, seed="s", jobs=2
    )
    whole = play(named("simple"), named("level-1"), 7, seed="s")
    assert (apart.pairs, apart.points) == (whole.pairs, whole.points)


def test_the_bot_of_a_checkout_plays_as_this_one():
    checkout = str(Path(__file__).parents[2])
    assert play(named(checkout), named("bot"), 1).pairs == [1]


def test_a_row_gives_the_standard_errors_over_pairs():
    tally = Tally([2, 1, 1, 0], [[10, 10], [0, 0], [5, -5], [-10, -10]], 1, 4, 1, 0, [0.001] * 100)
    assert tally.won[0] == 0.5
    assert abs(tally.won[1] - (0.5 / 3 / 4) ** 0.5) < 1e-9
    assert tally.a_hand[0] == 0
    assert abs(tally.a_hand[1] - (200 / 3 / 4) ** 0.5) < 1e-9
    assert row(tally).split() == [
        *("8", "50.0%", "20.4", "+0.00", "4.08"),
        *("50%", "25%", "25%", "0%", "1.00", "1.00"),
    ]


def test_the_at_once_player_knocks_with_ten():
    hand = deal(1, "7c 7d 7h  3s 4s 5s  9c Tc Jc Th", OTHER.replace("Th", "9d"), "As", CHALLENGE)
    move = decision(at_once, played(hand, "pass", "pass", "draw Kd"))
    assert isinstance(move, Knock)
    assert move.deadwood in (drawn("Th"), drawn("Kd"))


def test_the_gin_only_player_knocks_only_with_gin():
    hand = deal(1, "7c 7d 7h  3s 4s 5s  9c Tc Jc 2h", OTHER, "As", CHALLENGE)
    hand = played(hand, "pass", "pass")
    assert isinstance(decision(gin_only, played(hand, "draw Kd")), Discard)
    gin = decision(gin_only, played(hand, "draw 6s"))
    assert isinstance(gin, Knock)
    assert not gin.deadwood


def test_the_simple_player_takes_a_meld_card_that_saves_no_deadwood():
    # 7c forms a meld with 7d and 7h, which are already in runs, and replaces a low card.
    cards = "5d 6d 7d  5h 6h 7h  Ad 2h 3c 2s"
    hand = deal(1, cards, "Ac 2c 4s 9d 9h Th Js Ks Qc 5c", "7c", CHALLENGE)
    assert decision(Simple(1), hand) == TakeUpcard()
    assert decision(gin_only, hand) != TakeUpcard()


def test_a_void_hand_scores_for_no_player():
    tally = play(named("gin-only"), named("gin-only"), 2)
    assert tally.voids == sum(pair.count(0) for pair in tally.points)
