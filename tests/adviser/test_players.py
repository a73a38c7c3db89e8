"""The players to measure by, and the measuring itself."""

from ginpeer.bot import choose
from ginpeer.rules import (
    Discard,
    Knock,
    Match,
    TakeUpcard,
    View,
)
from tests.bench.players import version_1_0
from tests.bench.players.mirrored import CHALLENGE, play
from tests.bench.players.reference import Simple, at_once, gin_only
from tests.rules.drawing import deal, drawn, played

MATCH = Match.begin(CHALLENGE, 1)
OTHER = "2c Ac 4d 6d 8h Th Js Ks Qd 5c"


def decision(player, hand):
    return player(View(hand.to_move, hand, MATCH))


def test_a_player_wins_half_of_mirrored_games_against_itself():
    tally = play(at_once, at_once, 3)
    assert tally.pairs == [1, 1, 1]
    assert sum(tally.points) == 0


def test_all_players_play_games_to_their_end():
    for other in (choose, at_once, gin_only, Simple(1), version_1_0.choose):
        tally = play(choose, other, 1)
        assert tally.games == 2
        assert len(tally.points) >= 4
        assert tally.knocks >= tally.gins + tally.undercut


def test_who_knocks_at_once_knocks_with_ten():
    hand = deal(1, "7c 7d 7h  3s 4s 5s  9c Tc Jc Th", OTHER.replace("Th", "9d"), "As", CHALLENGE)
    move = decision(at_once, played(hand, "pass", "pass", "draw Kd"))
    assert isinstance(move, Knock)
    assert move.deadwood in (drawn("Th"), drawn("Kd"))


def test_who_plays_for_gin_knocks_with_none_alone():
    hand = deal(1, "7c 7d 7h  3s 4s 5s  9c Tc Jc 2h", OTHER, "As", CHALLENGE)
    hand = played(hand, "pass", "pass")
    assert isinstance(decision(gin_only, played(hand, "draw Kd")), Discard)
    gin = decision(gin_only, played(hand, "draw 6s"))
    assert isinstance(gin, Knock)
    assert not gin.deadwood


def test_simple_takes_what_melds_though_it_leaves_as_much():
    # 7c melds with 7d and 7h, which are in runs already, and takes a low card's place.
    cards = "5d 6d 7d  5h 6h 7h  Ad 2h 3c 2s"
    hand = deal(1, cards, "Ac 2c 4s 9d 9h Th Js Ks Qc 5c", "7c", CHALLENGE)
    assert decision(Simple(1), hand) == TakeUpcard()
    assert decision(gin_only, hand) != TakeUpcard()


def test_a_void_hand_brings_nobody_anything():
    tally = play(gin_only, gin_only, 2)
    assert tally.voids == tally.points.count(0)
