"""The bot chooses sensibly in positions that can be judged by eye. In Mahjong gin, it also uses
only what it may see, and beats a random player. tests/adviser tests this for the other games."""

import random

import pytest

from ginpeer.adviser.advise import choose
from ginpeer.adviser.mahjong import read
from ginpeer.rules import (
    DECK,
    STANDARD,
    Discard,
    DrawStock,
    Hand,
    Illegal,
    Knock,
    Lay,
    Match,
    Pass,
    Phase,
    TakeDiscards,
    TakeUpcard,
    View,
    cards_of,
    mask_of,
    parse_card,
    parse_move,
    parse_ruleset,
    popcount,
)
from tests.rules.drawing import deal, drawn, played, shuffled_deal, to_the_wall

MAHJONG = parse_ruleset("mahjong")


def view_of(hand):
    return View(hand.to_move, hand, Match.begin(hand.rules, 1))


def decision(hand):
    return choose(view_of(hand))


def moved(hand, stock, move):
    """Return the hand after the move; a draw takes the next card of the stock."""
    return hand.drawing(stock.pop(0)) if isinstance(move, DrawStock) else hand.apply(move)


# --- whole hands ------------------------------------------------------------------------
# tests/adviser/test_levels.py lets the bot play every rule set.


def test_the_bot_beats_a_random_player_in_mahjong_gin():
    rng, points = random.Random(12), [0, 0]
    for number in range(4):
        hand, stock = shuffled_deal(rng, number % 2, MAHJONG)
        while hand.result is None:
            choices = view_of(hand).sensible_moves()
            move = decision(hand) if hand.to_move == 0 else rng.choice(choices)
            hand = moved(hand, stock, move)
        points = [points[seat] + hand.result.points_of(seat) for seat in (0, 1)]
    assert points[0] > 2 * points[1], points


def test_the_bot_always_has_a_move_in_hands_of_28_cards():
    # Two hoarders lay only what they must, and let the pile grow until they can take all of it.
    rng, largest = random.Random(3), 0

    def hoard(hand):
        moves = hand.sensible_moves()
        if hand.phase is Phase.DISCARD:
            return rng.choice([move for move in moves if isinstance(move, Discard)])
        if hand.phase is not Phase.DRAW:
            return moves[-1]
        takes = [move for move in moves if isinstance(move, TakeDiscards) and move.count > 19]
        return max(takes, key=lambda move: move.count) if takes else DrawStock()

    hand, stock = shuffled_deal(rng, dealer=0, rules=parse_ruleset("mahjong runs-wrap=yes"))
    while hand.result is None:
        assert hand.is_legal(decision(hand))
        largest = max(largest, hand.size(hand.to_move))
        hand = moved(hand, stock, hoard(hand))
    assert largest == 28


def test_the_bot_does_not_use_the_opponents_hidden_cards_in_mahjong_gin():
    """Before every decision, the cards that the bot can't see are shuffled without its knowledge.
    tests/adviser/test_advise.py tests the same for the other games."""
    rng = random.Random(4)
    hand, stock = shuffled_deal(rng, 0, MAHJONG)
    while hand.phase not in (Phase.LAY_OFF, Phase.OVER):
        move, me = decision(hand), hand.to_move
        known = hand.known_held(1 - me)
        seen = hand.hands[me] | mask_of(hand.pile) | known | hand.laid(0) | hand.laid(1)
        hidden = rng.sample(cards_of(DECK & ~seen), hand.size(1 - me) - popcount(known))
        assert decision(hand.knowing(1 - me, known | mask_of(hidden))) == move
        hand = moved(hand, stock, move)


@pytest.mark.parametrize("rules", [STANDARD, MAHJONG])
def test_the_bot_has_no_move_without_its_own_hand(rules):
    with pytest.raises(Illegal):
        choose(view_of(Hand.begin(rules, 1, parse_card("7d"))))


def test_it_must_be_the_bots_turn():
    hand, _ = shuffled_deal(random.Random(1))
    with pytest.raises(ValueError, match="turn"):
        choose(View(1, hand, Match.begin(STANDARD, 1)))


# --- decisions in Mahjong gin, and what both advisers read from the pile ------------------
# tests/adviser/test_values.py compares the other decisions with the training's.


def test_the_bot_keeps_cards_that_the_opponent_collects():
    # The opponent took 9h and 9d. Of the two loose cards, 9c would complete the nines.
    hand = deal(1, "7c 7d 7h  3s 4s 5s  9c 8d Qd 2h", "Ac 2c 4d 6d 8h Th Js Ks Qc 5c", "Jc")
    hand = played(hand, "pass", "pass", "draw 9h", "discard 9h", "take", "discard Ks")
    hand = played(hand, "draw 9d", "discard 9d", "take", "discard Js", "draw Kc")
    assert read(view_of(hand)).danger(parse_card("9c")) > 0.5
    assert decision(hand) in (Discard(parse_card("Kc")), Discard(parse_card("Qd")))


def test_a_card_whose_partners_are_dead_is_safe():
    hand = deal(1, "7c 7d 7h  8c 9c Th 2h 3d Qs As", "Ac 2c 4d 6d 8h 5h Js Ks Qc 5c", "7s")
    reading = read(view_of(hand))
    # 7h could meld only with sevens, which have all been seen, or in a run of hearts.
    assert reading.danger(parse_card("7h")) < reading.danger(parse_card("2h"))
    assert reading.danger(parse_card("Qs")) > 0


# Variants


@pytest.mark.parametrize(("last", "move"), [("Jc", TakeUpcard()), ("Qc", Pass())])
def test_the_last_discard_is_taken_only_to_knock(last, move):
    # With Jc, the clubs are a run, and the king can be thrown to knock with 3.
    rules = parse_ruleset("standard wall=last-discard")
    other = "2c Ac 4d 6d 8h Th Js Ks Qd 5c"
    hand = deal(0, other, "7c 7d 7h  3s 4s 5s  9c Tc Kd 3h", "As", rules)
    hand = to_the_wall(played(hand, "pass", "pass"), keep="Jc Qc")
    hand = played(hand, f"draw {last}", f"discard {last}")
    assert hand.phase is Phase.LAST_CHANCE
    assert hand.to_move == 0
    assert decision(hand) == move
    if move == TakeUpcard():
        knock = decision(played(hand, "take"))
        assert isinstance(knock, Knock)
        assert knock.deadwood == drawn("3h")


# Mahjong gin

# No three of these meld, and no two meld with a card that comes below.
LOOSE = "Ac 4d 6h 9s Jh Kc 2d Ts Qc 7h"


def test_everything_that_melds_is_laid_at_once():
    hand = deal(1, "3c 4c 5c  8c 8d 8h  Qd Ks 2h 6s", LOOSE, "As", MAHJONG)
    hand = played(hand, "pass", "pass", "draw 6c")
    lay = decision(hand)
    assert isinstance(lay, Lay)
    assert lay.cards == drawn("3c 4c 5c 6c 8c 8d 8h")
    assert isinstance(decision(hand.apply(lay)), Discard)


def test_a_single_card_goes_on_the_other_players_meld():
    hand = deal(1, "3c 4c 5c  8d Qd Ks 2h 6s Th 9h", LOOSE, "As", MAHJONG)
    hand = played(hand, "pass", "pass", "draw Ad", "lay 3c4c5c", "discard Ks", "draw 6c")
    assert str(decision(hand)) == "lay add 6c@0"


def test_the_bot_takes_an_upcard_that_melds_in_mahjong_gin():
    hand = deal(1, "3c 4c  8d Qd Ks 2h 6s Th 9h As", LOOSE, "5c", MAHJONG)
    assert decision(hand) == TakeUpcard()


def test_the_bot_takes_several_discards_for_a_meld():
    # The four of hearts, under the king, makes three fours.
    hand = deal(1, "8d Qd Ks 2h 6s Th 9h As 4c 4s", "4h Kh Ac 6d 9s Jh 2d Qc 7h 5d", "3h", MAHJONG)
    hand = played(hand, "pass", "pass", "draw Jc", "discard Jc", "draw 8c", "discard 4h")
    assert hand.upcard == parse_card("4h")
    assert decision(hand) == TakeUpcard()
    hand = played(hand, "draw Td", "discard Td", "draw 3d", "discard Kh")
    assert hand.pile[-3:] == tuple(map(parse_card, ("4h", "Td", "Kh")))
    assert str(decision(hand)) == "take 3 lay 4c4h4s"


def test_the_bot_does_not_take_many_loose_cards_for_a_small_meld():
    # Eight aces, tens and face cards lie on the two of spades, which would complete a meld.
    hand = deal(1, "2c 2h 5s 7d 9c 4s 6d 8h 3d Tc", LOOSE, "2s", MAHJONG)
    hand = played(hand, "pass", "pass")
    for card in ("Kd", "Qd", "Js", "Kh", "Th", "As", "Qh", "Ad"):
        hand = played(hand, f"draw {card}", f"discard {card}")
    takes = [move for move in hand.sensible_moves() if isinstance(move, TakeDiscards)]
    assert any(move.count == 9 for move in takes)
    move = decision(hand)
    assert not (isinstance(move, TakeDiscards) and move.count == 9)


def test_the_last_cards_are_laid_and_discarded_for_gin():
    hand = deal(1, "3c 4c 5c  8c 8d 8h  Jd Js Jc  2h", LOOSE, "As", MAHJONG)
    hand = played(hand, "pass", "pass", "draw Kd")
    hand = hand.apply(decision(hand))  # all three melds
    hand = hand.apply(decision(hand))
    assert popcount(hand.hand_of(0)) == 1
    hand = played(hand, "draw 5d", "discard 5d", "draw 6c")
    hand = hand.apply(decision(hand))
    assert str(hand.moves[-1][1]) == "lay add 6c@0"
    hand = hand.apply(decision(hand))
    assert hand.phase is Phase.LAY_OFF
    hand = hand.apply(decision(hand))
    assert hand.result.winner == 0


def test_a_card_is_held_back_if_only_the_one_just_taken_would_be_left():
    hand = deal(
        1, "3c 4c 5c  8c 8d 8h  Jd Js Jc  2h", "6c 5d Ac 4d 6h 9s Kc 2d Ts Qc", "As", MAHJONG
    )
    hand = played(hand, "pass", "pass", "draw Kd", "lay 3c4c5c 8c8d8h JcJdJs", "discard Kd")
    hand = played(hand, "draw Ks", "discard Ks", "draw 6d", "discard 2h", "draw Kh", "discard Kh")
    # The six of diamonds was the only card left. If the eight were laid, only the nine would be
    # left, and a card can't be discarded in the turn in which it was taken.
    hand = played(hand, "draw 8s", "discard 6d", "draw 9d", "discard 9d", "take")
    assert hand.hand_of(0) == drawn("8s 9d")
    assert not hand.is_legal(parse_move("lay add 8s@1"))
    assert decision(hand) == Discard(parse_card("8s"))


def test_the_most_expensive_loose_card_is_discarded_first():
    hand = deal(1, "3c 4c 7d 8d 2s 5h 9s Ts 6s Ah", "Kc Qh Ac 5d 6d 9h Jc 2d Qc 7h", "As", MAHJONG)
    assert decision(played(hand, "pass", "pass", "draw 6c")) == Discard(parse_card("Ah"))


@pytest.mark.parametrize(("last", "move"), [("5c", "take"), ("Kd", "pass")])
def test_the_last_discard_is_taken_only_for_gin(last, move):
    rules = parse_ruleset("mahjong wall=last-discard")
    others = "Ac 4d 6h 9s 5h Kc 2d Ts Qc 7h"
    hand = deal(0, others, "3c 4c  8c 8d 8h  Jc Jd Jh Js  2h", "As", rules)
    hand = to_the_wall(played(hand, "pass", "pass"), keep="5c Kd 9d")
    hand = played(hand, f"draw {last}", f"discard {last}")
    assert hand.phase is Phase.LAST_CHANCE
    assert str(decision(hand)) == move
