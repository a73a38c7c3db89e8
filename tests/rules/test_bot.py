"""The bot always plays legally, doesn't use what it may not see, and beats a greedy player."""

import random

import pytest

from ginpeer.adviser import choose
from ginpeer.adviser.mahjong import read
from ginpeer.rules import (
    CARDS,
    DECK,
    ORDINARY,
    STANDARD,
    Discard,
    DrawStock,
    Hand,
    Illegal,
    Knock,
    Match,
    Pass,
    Phase,
    TakeUpcard,
    View,
    cards_of,
    mask_of,
    parse_card,
    parse_ruleset,
    popcount,
)
from tests.rules.drawing import deal, drawn, played, shuffled_deal

MATCH = Match.begin(STANDARD, 1)


def decision(hand, match=MATCH):
    return choose(View(hand.to_move, hand, match))


def greedy(view):
    """Take what lowers the deadwood, throw the card that leaves the least, knock as soon as
    possible."""
    hand, cards = view.hand, view.cards
    moves = view.sensible_moves()
    if hand.phase is Phase.DISCARD:
        knocks = [move for move in moves if isinstance(move, Knock)]
        if knocks:
            return min(knocks, key=lambda knock: ORDINARY.pips(knock.deadwood))
        discards = [move for move in moves if isinstance(move, Discard)]
        return min(discards, key=lambda d: (ORDINARY.deadwood(cards ^ d.card.bit), -d.card.pips))
    if TakeUpcard() in moves:
        upcard = hand.upcard.bit
        taken = min(ORDINARY.deadwood(cards ^ card.bit | upcard) for card in cards_of(cards))
        if taken < ORDINARY.deadwood(cards):
            return TakeUpcard()
    return Pass() if Pass() in moves else moves[-1]


def play_out(hand, stock, players):
    stock = iter(stock)
    while hand.result is None:
        move = players[hand.to_move](View(hand.to_move, hand, MATCH))
        is_draw = isinstance(move, DrawStock)
        hand = hand.drawing(next(stock)) if is_draw else hand.apply(move)
    return hand


@pytest.mark.deep  # tests/adviser checks the learned values against these
def test_the_bot_beats_a_greedy_player():
    # Every deal is played from both sides, so that the luck of the deal cancels out.
    rng = random.Random(2024)
    won = {choose: 0, greedy: 0}
    points = {choose: 0, greedy: 0}
    for number in range(150):
        hand, stock = shuffled_deal(rng, dealer=number % 2)
        for players in ((choose, greedy), (greedy, choose)):
            result = play_out(hand, stock, players).result
            if result.winner is not None:
                won[players[result.winner]] += 1
                points[players[result.winner]] += result.points
    # The bot wins fewer hands than a player who knocks at once, but more points.
    assert points[choose] > 1.2 * points[greedy], (won, points)


def test_every_move_of_the_bot_is_legal_by_every_playable_rule():
    rng = random.Random(3)
    for words in ("", " knock-limit=1", " big-gin=none knock-limit=5", " tie=nobody swap-limit=4"):
        rules = parse_ruleset("standard" + words)
        for number in range(8):
            hand, stock = shuffled_deal(rng, dealer=number % 2, rules=rules)
            play_out(hand, stock, (choose, choose))  # apply() raises for an illegal move


def test_the_bot_cannot_tell_what_the_other_holds():
    # At every decision the cards that the bot can't see are dealt again without its knowledge.
    rng = random.Random(4)

    def shuffled_behind(hand, seat):
        seen = hand.hands[seat] | mask_of(hand.pile) | hand.known_held(1 - seat)
        known = hand.known_held(1 - seat)
        hidden = rng.sample(cards_of(DECK & ~seen), 10 - popcount(known))
        return hand.knowing(1 - seat, known | mask_of(hidden))

    for number in range(6):
        hand, stock = shuffled_deal(rng, dealer=number % 2)
        while hand.phase not in (Phase.LAY_OFF, Phase.OVER):
            move = decision(hand)
            assert move == decision(shuffled_behind(hand, hand.to_move))
            is_draw = isinstance(move, DrawStock)
            hand = hand.drawing(stock.pop(0)) if is_draw else hand.apply(move)


def test_a_view_always_gets_the_same_answer():
    rng = random.Random(5)
    hand, stock = shuffled_deal(rng)
    first = play_out(hand, stock, (choose, choose))
    random.seed(99)
    assert play_out(hand, stock, (choose, choose)) == first


def test_without_the_own_hand_there_is_no_move():
    blind = Hand.begin(STANDARD, 1, parse_card("7d"))
    with pytest.raises(Illegal):
        choose(View(0, blind, MATCH))


def test_it_must_be_the_bots_turn():
    with pytest.raises(ValueError, match="turn"):
        choose(View(1, deal(1, OWN, OTHER, "9s"), MATCH))


# 7c 7d
# 3s 4s
# Kd Qh 9c Jc 2h 8s
OWN = "7c 7d  3s 4s  Kd Qh 9c Jc 2h 8s"
OTHER = "Ac 2c 4d 6d 8h Th Js Ks Qc 5c"


@pytest.mark.parametrize("upcard", ["7h", "5s", "2s"])
def test_it_takes_an_upcard_that_melds(upcard):
    assert decision(deal(1, OWN, OTHER, upcard)) == TakeUpcard()


@pytest.mark.parametrize("upcard", ["Kh", "Td", "6h"])
def test_it_leaves_an_upcard_that_does_not(upcard):
    assert decision(deal(1, OWN, OTHER, upcard)) == Pass()


def test_it_keeps_what_the_other_collects():
    # The opponent took 9h and 9d. Of the two loose cards, 9c would complete the nines.
    hand = deal(1, "7c 7d 7h  3s 4s 5s  9c 8d Qd 2h", "Ac 2c 4d 6d 8h Th Js Ks Qc 5c", "Jc")
    hand = played(hand, "pass", "pass", "draw 9h", "discard 9h", "take", "discard Ks")
    hand = played(hand, "draw 9d", "discard 9d", "take", "discard Js", "draw Kc")
    assert read(View(0, hand, MATCH)).danger(parse_card("9c")) > 0.5
    assert decision(hand) in (Discard(parse_card("Kc")), Discard(parse_card("Qd")))


def test_a_card_whose_partners_are_dead_is_safe():
    hand = deal(1, "7c 7d 7h  8c 9c Th 2h 3d Qs As", "Ac 2c 4d 6d 8h 5h Js Ks Qc 5c", "7s")
    reading = read(View(0, hand, MATCH))
    # 7h could meld only with sevens, which have all been seen, or in a run of hearts.
    assert reading.danger(parse_card("7h")) < reading.danger(parse_card("2h"))
    assert reading.danger(parse_card("Qs")) > 0


def test_gin_is_declared():
    hand = deal(1, "Ac Ad Ah  4d 5d 6d  8h 8s 8c  Kd", "2c 3c 4c 5c Js Jh Jd Qc Qh Qs", "9s")
    hand = played(hand, "pass", "pass", "draw As")
    assert str(decision(hand)) == "knock Kd melds 4d5d6d AcAdAhAs 8c8h8s"


def test_big_gin_comes_before_gin():
    hand = deal(1, "Ac Ad Ah As  4d 5d 6d  8h 8s 8c", "2c 3c 4c 5c Js Jh Jd Qc Qh Qs", "9s")
    hand = played(hand, "pass", "pass", "draw 8d")
    assert decision(hand).discard is None


# 7c 7d 7h  3s 4s 5s  9c Tc Jc and a loose card
EARLY = "7c 7d 7h  3s 4s 5s  9c Tc Jc"


def test_with_three_melds_at_once_it_plays_for_gin():
    hand = deal(1, EARLY + "2h", "2c Ac 4d 6d 8h Th Js Ks Qd 5c", "As")
    assert decision(played(hand, "pass", "pass", "draw Kd")) == Discard(parse_card("Kd"))


def late(mine, other, draws):
    """Return a hand after this many turns, in which both players threw what they drew."""
    hand = deal(1, mine, other, "As")
    outside = hand.hand_of(0) | hand.hand_of(1) | drawn("As Kd")
    spare = [card for card in CARDS if not outside & card.bit]
    hand = played(hand, "pass", "pass")
    for card in spare[:draws]:
        hand = played(hand, f"draw {card}", f"discard {card}")
    return hand


def test_with_two_it_knocks_when_the_stock_runs_out():
    hand = played(late(EARLY + "2h", "2c Ac 4d 6d 8h Th Js Ks Qd 5c", 26), "draw Kd")
    assert hand.stock_left == 4
    assert isinstance(decision(hand), Knock)


def test_the_defender_answers_with_the_joint_optimum():
    hand = deal(1, EARLY + "2h", "6s 7s Ks Kd Kc Qc 8c 9h 4h Ah", "Th")
    hand = played(hand, "pass", "pass", "draw Kh")
    hand = played(hand, "knock Kh melds 7c7d7h 3s4s5s 9cTcJc deadwood 2h")
    assert ORDINARY.pips(decision(hand).deadwood) == 14
