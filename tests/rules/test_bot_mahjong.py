"""The bot's Mahjong gin, in decisions that can be checked by eye and in huge hands."""

import random

import pytest

from ginpeer.adviser import choose
from ginpeer.rules import (
    DECK,
    Discard,
    DrawStock,
    Hand,
    Illegal,
    Lay,
    Match,
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
from ginpeer.rules.score import mahjong_value
from tests.rules.drawing import deal, drawn, played, shuffled_deal, to_the_wall

RULES = parse_ruleset("mahjong")
MATCH = Match.begin(RULES, 1)


def decision(hand):
    return choose(View(hand.to_move, hand, MATCH))


# No three of these meld, and no two meld with a card that comes below.
LOOSE = "Ac 4d 6h 9s Jh Kc 2d Ts Qc 7h"


def test_everything_that_melds_is_laid_at_once():
    hand = deal(1, "3c 4c 5c  8c 8d 8h  Qd Ks 2h 6s", LOOSE, "As", RULES)
    hand = played(hand, "pass", "pass", "draw 6c")
    lay = decision(hand)
    assert isinstance(lay, Lay)
    assert lay.cards == drawn("3c 4c 5c 6c 8c 8d 8h")
    assert isinstance(decision(hand.apply(lay)), Discard)


def test_a_single_card_goes_on_the_other_players_meld():
    hand = deal(1, "3c 4c 5c  8d Qd Ks 2h 6s Th 9h", LOOSE, "As", RULES)
    hand = played(hand, "pass", "pass", "draw Ad", "lay 3c4c5c", "discard Ks", "draw 6c")
    assert str(decision(hand)) == "lay add 6c@0"


def test_it_takes_the_upcard_that_melds():
    hand = deal(1, "3c 4c  8d Qd Ks 2h 6s Th 9h As", LOOSE, "5c", RULES)
    assert decision(hand) == TakeUpcard()


def test_it_takes_several_discards_for_the_meld_below():
    # The four of hearts is under the king; with it there are three fours.
    hand = deal(1, "8d Qd Ks 2h 6s Th 9h As 4c 4s", "4h Kh Ac 6d 9s Jh 2d Qc 7h 5d", "3h", RULES)
    hand = played(hand, "pass", "pass", "draw Jc", "discard Jc", "draw 8c", "discard 4h")
    assert hand.upcard == parse_card("4h")
    assert decision(hand) == TakeUpcard()
    hand = played(hand, "draw Td", "discard Td", "draw 3d", "discard Kh")
    assert hand.pile[-3:] == tuple(map(parse_card, ("4h", "Td", "Kh")))
    assert str(decision(hand)) == "take 3 lay 4c4h4s"


def test_it_does_not_take_up_a_pile_of_loose_cards_for_a_small_meld():
    # Eight aces, tens and face cards are on top of the two, which would bring fifteen.
    hand = deal(1, "2c 2h 5s 7d 9c 4s 6d 8h 3d Tc", LOOSE, "2s", RULES)
    hand = played(hand, "pass", "pass")
    for card in ("Kd", "Qd", "Js", "Kh", "Th", "As", "Qh", "Ad"):
        hand = played(hand, f"draw {card}", f"discard {card}")
    takes = [move for move in hand.sensible_moves() if isinstance(move, TakeDiscards)]
    assert any(move.count == 9 for move in takes)
    move = decision(hand)
    assert not (isinstance(move, TakeDiscards) and move.count == 9)


def test_the_last_cards_are_laid_and_thrown_for_gin():
    hand = deal(1, "3c 4c 5c  8c 8d 8h  Jd Js Jc  2h", LOOSE, "As", RULES)
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
    hand = deal(1, "3c 4c 5c  8c 8d 8h  Jd Js Jc  2h", "6c 5d Ac 4d 6h 9s Kc 2d Ts Qc", "As", RULES)
    hand = played(hand, "pass", "pass", "draw Kd", "lay 3c4c5c 8c8d8h JcJdJs", "discard Kd")
    hand = played(hand, "draw Ks", "discard Ks", "draw 6d", "discard 2h", "draw Kh", "discard Kh")
    # The six of diamonds is the last card. The king can't be thrown after it was taken, and would
    # be.
    hand = played(hand, "draw 8s", "discard 6d", "draw 9d", "discard 9d", "take")
    assert hand.hand_of(0) == drawn("8s 9d")
    assert not hand.is_legal(parse_move("lay add 8s@1"))
    assert decision(hand) == Discard(parse_card("8s"))


def test_the_dearest_loose_card_goes_first():
    hand = deal(1, "3c 4c 7d 8d 2s 5h 9s Ts 6s Ah", "Kc Qh Ac 5d 6d 9h Jc 2d Qc 7h", "As", RULES)
    assert decision(played(hand, "pass", "pass", "draw 6c")) == Discard(parse_card("Ah"))


@pytest.mark.parametrize(("last", "move"), [("5c", "take"), ("Kd", "pass")])
def test_the_last_discard_is_taken_for_gin_alone(last, move):
    rules = parse_ruleset("mahjong wall=last-discard")
    others = "Ac 4d 6h 9s 5h Kc 2d Ts Qc 7h"
    hand = deal(0, others, "3c 4c  8c 8d 8h  Jc Jd Jh Js  2h", "As", rules)
    hand = to_the_wall(played(hand, "pass", "pass"), keep="5c Kd 9d")
    hand = played(hand, f"draw {last}", f"discard {last}")
    assert hand.phase is Phase.LAST_CHANCE
    assert str(decision(hand)) == move


def test_without_the_own_hand_there_is_no_move():
    blind = Hand.begin(RULES, 1, parse_card("7d"))
    with pytest.raises(Illegal):
        choose(View(0, blind, MATCH))


def test_the_bot_cannot_tell_what_the_other_holds():
    rng = random.Random(4)
    for number in range(4):
        hand, stock = shuffled_deal(rng, dealer=number % 2, rules=RULES)
        while hand.result is None and hand.phase is not Phase.LAY_OFF:
            move, me = decision(hand), hand.to_move
            known = hand.known_held(1 - me)
            seen = hand.hands[me] | mask_of(hand.pile) | known | hand.laid(0) | hand.laid(1)
            hidden = rng.sample(cards_of(DECK & ~seen), hand.size(1 - me) - popcount(known))
            assert decision(hand.knowing(1 - me, known | mask_of(hidden))) == move
            is_draw = isinstance(move, DrawStock)
            hand = hand.drawing(stock.pop(0)) if is_draw else hand.apply(move)


@pytest.mark.parametrize("text", ["mahjong", "mahjong runs-wrap=yes"])
@pytest.mark.deep(keep=1)
def test_it_always_has_a_move_in_hands_of_thirty_cards(text):
    # Two hoarders lay only what they must, and let the pile grow to take all of it at once.
    rng, rules, largest = random.Random(8), parse_ruleset(text), 0

    def hoard(hand):
        moves = hand.sensible_moves()
        if hand.phase is Phase.DISCARD:
            return rng.choice([move for move in moves if isinstance(move, Discard)])
        if hand.phase is not Phase.DRAW:
            return moves[-1]
        takes = [move for move in moves if isinstance(move, TakeDiscards) and move.count > 19]
        return max(takes, key=lambda move: move.count) if takes else DrawStock()

    for number in range(12):
        hand, stock = shuffled_deal(rng, dealer=number % 2, rules=rules)
        while hand.result is None:
            assert hand.is_legal(decision(hand))
            largest = max(largest, hand.size(hand.to_move))
            move = hoard(hand)
            is_draw = isinstance(move, DrawStock)
            hand = hand.drawing(stock.pop(0)) if is_draw else hand.apply(move)
    assert largest > 27


@pytest.mark.deep  # as in test_bot.py
def test_the_bot_beats_a_greedy_player():
    def greedy(view):
        """Take the fewest discards that meld, lay the costliest meld, throw the costliest card."""
        moves = view.sensible_moves()
        for kind, worth in (
            (Lay, lambda move: mahjong_value(move.cards)),
            (TakeDiscards, lambda move: -move.count),
            (Discard, lambda move: mahjong_value(move.card.bit)),
        ):
            found = [move for move in moves if isinstance(move, kind)]
            if found:
                return max(found, key=worth)
        return moves[-1]

    rng, points = random.Random(6), {choose: 0, greedy: 0}
    for number in range(30):
        start, stock = shuffled_deal(rng, dealer=number % 2, rules=RULES)
        for players in ((choose, greedy), (greedy, choose)):
            hand, cards = start, iter(stock)
            while hand.result is None:
                move = players[hand.to_move](View(hand.to_move, hand, MATCH))
                is_draw = isinstance(move, DrawStock)
                hand = hand.drawing(next(cards)) if is_draw else hand.apply(move)
            for seat in (0, 1):
                points[players[seat]] += hand.result.points_of(seat)
    assert points[choose] > 1.1 * points[greedy], points
