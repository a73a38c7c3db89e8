"""Mahjong gin (RULES 12), fact by fact. Seat 0 is the non-dealer and moves first."""

import pytest

from ginpeer.rules import Lay, Outcome, Phase, TakeDiscards, parse_ruleset
from tests.rules.drawing import deal, drawn, melds, played, refused, to_the_wall

MAHJONG = parse_ruleset("mahjong")

#   3c 4c 5c        a run
#   7c 7d 7h        a set
#   9s Ts           a run with the eight or the jack of spades
#   2d Kh
MINE = "3c 4c 5c  7c 7d 7h  9s Ts  2d Kh"
# Jc Jd Jh        a set
# 6c 7s           fit the opponent's melds
# 8d 3h 5h Ah Qd
THEIRS = "Jc Jd Jh  6c 7s  8d 3h 5h Ah Qd"
ACES = "Jc Jd Jh  6c 7s  8d Ac Ad Ah Qd"


def table(rules=MAHJONG, mine=MINE, theirs=THEIRS, upcard="Kd"):
    return deal(1, mine, theirs, upcard, rules)


def drew(card="Kc", **how):
    """Return the hand after both players have passed and seat 0 has drawn this card."""
    return played(table(**how), "pass", "pass", f"draw {card}")


# Laying


def test_every_single_meld_and_added_card_is_listed():
    listed = {str(move) for move in drew().legal_moves() if isinstance(move, Lay)}
    assert listed == {"lay 3c4c5c", "lay 7c7d7h"}
    hand = played(drew(), "lay 3c4c5c 7c7d7h", "discard Kc", "draw 2c")
    listed = {str(move) for move in hand.legal_moves() if isinstance(move, Lay)}
    assert listed == {"lay JcJdJh", "lay add 2c@0", "lay add 6c@0", "lay add 7s@1"}


# Adding


def laid_by_seat_0():
    """Return the hand after seat 0 has laid both melds and seat 1 has drawn the two of clubs."""
    return played(drew(), "lay 3c4c5c 7c7d7h", "discard Kc", "draw 2c")


def test_additions_can_use_melds_of_the_same_move():
    hand = played(laid_by_seat_0(), "lay JcJdJh add 6c@0")
    assert hand.table_melds == melds("3c 4c 5c 6c", "7c 7d 7h", "Jc Jd Jh")
    hand = played(hand, "discard Qd", "draw Js", "lay add Js@2")
    assert hand.table_melds[2] == drawn("Jc Jd Jh Js")
    refused(laid_by_seat_0(), "lay JcJdJh add 6c@3", "add-does-not-fit")


@pytest.mark.parametrize(
    ("move", "code"),
    [
        ("lay", "nothing-laid"),
        ("lay 3c4c", "not-a-meld"),
        ("lay 3c4c5c7c", "not-a-meld"),
        ("lay 7c7d", "not-a-meld"),
        ("lay 9sTsKc", "not-a-meld"),
        ("lay JcJdJh", "card-not-held"),
        ("lay 7c7d7s", "card-not-held"),
        ("lay 7c7d7h 7c7d7h", "card-twice"),
        ("lay 3c4c5c add 3c@0", "card-twice"),
        ("lay add 2d@0", "add-does-not-fit"),  # no meld has this number
        ("lay 3c4c5c add 2d@0", "add-does-not-fit"),
        ("lay 3c4c5c add 7c@0", "add-does-not-fit"),  # 6c is missing
        ("lay 7c7d7h add 5c@0", "add-does-not-fit"),
        ("lay 3c4c5c add 6c@0", "card-not-held"),
        ("lay 3c4c5c add 7c@1", "add-does-not-fit"),
        ("knock Kc melds 3c4c5c 7c7d7h deadwood 2d9sTsKh", "no-knocking"),
        ("knock melds 3c4c5c 7c7d7h", "no-knocking"),
        ("discard Kd", "card-not-held"),
        ("discard 6c", "card-not-held"),
        ("draw", "wrong-phase"),
        ("take", "wrong-phase"),
        ("pass", "wrong-phase"),
        ("take 2 lay 3c4c5c", "wrong-phase"),
        ("spread deadwood 3c4c5c", "wrong-phase"),
    ],
)
def test_illegal_moves_before_the_discard_are_refused(move, code):
    refused(drew(), move, code)


def test_a_card_on_the_table_is_no_longer_in_a_hand():
    hand = laid_by_seat_0()
    refused(hand, "discard 3c", "card-not-held")
    refused(hand, "lay 3c4c5c", "card-not-held")
    hand = played(hand, "discard Qd", "draw 4d")
    refused(hand, "discard 7c", "card-not-held")
    refused(hand, "lay 7c7d7h", "card-not-held")


def test_a_referee_without_the_hands_refuses_cards_on_the_table():
    blind = laid_by_seat_0().seen_by(0).seen_by(1)
    refused(blind, "lay 3c4c5c", "card-not-held")
    refused(blind, "discard Kd", "card-not-held")  # the card is in the pile
    refused(blind, "lay add 8h@0", "add-does-not-fit")
    assert [blind.size(seat) for seat in (0, 1)] == [4, 11]


# Taking one card, and several


def test_a_single_discard_can_be_taken_but_not_discarded_at_once():
    hand = played(table(), "take")
    assert str(hand.taken) == "Kd"
    refused(hand, "discard Kd", "just-taken")
    hand = played(hand, "discard 2d", "draw 4d", "discard 4d", "draw 8c", "discard Kd")
    assert str(hand.upcard) == "Kd"


def test_a_single_discard_that_is_laid_leaves_the_hand():
    hand = played(table(upcard="8s"), "take", "lay 8s9sTs")
    assert hand.laid(0) == drawn("8s 9s Ts")
    assert hand.size(0) == 8
    refused(hand, "discard 8s", "just-taken")
    assert played(hand, "discard 2d").phase is Phase.DRAW


def with_pile(pile, mine=MINE, theirs=THEIRS):
    """Return a hand with these cards in the pile, the top card last, and seat 0 to move."""
    first, *rest = pile.split()
    hand = played(deal(1, mine, theirs, first, MAHJONG), "pass", "pass")
    for card in rest:
        hand = played(hand, f"draw {card}", f"discard {card}")
    return hand


# "<bottom> 8s 3h 5h <top of discard>: 8s is the lowest position card and must be used in a hand;
# continue with one discard."
def test_several_discards_are_taken_as_in_the_source():
    hand = with_pile("8s 3h 5h", theirs=ACES)
    assert [str(card) for card in hand.pile] == ["8s", "3h", "5h"]
    after = played(hand, "take 3 lay 8s9sTs")
    assert after.pile == ()
    assert after.table_melds == melds("8s 9s Ts")
    assert after.hand_of(0) == drawn("3c 4c 5c 7c 7d 7h 2d Kh 3h 5h")
    assert (after.phase, after.to_move, after.taken) == (Phase.DISCARD, 0, None)
    # "Continue with one discard": it can be any card, even one just taken.
    assert str(played(after, "discard 5h").upcard) == "5h"
    assert str(played(after, "discard 3h").upcard) == "3h"
    # Only the eight had to be laid, and all three can be taken only with a meld that contains it.
    refused(hand, "take 3 lay 3c4c5c", "lowest-not-laid")
    refused(hand, "take 2 lay 8s9sTs", "lowest-not-laid")
    refused(hand, "take 2 lay 3h4h5h", "card-not-held")
    refused(hand, "take 4 lay 8s9sTs", "pile-too-small")
    assert [str(m) for m in hand.legal_moves()] == ["take", "draw", "take 3 lay 8s9sTs"]


def test_the_cards_taken_above_the_lowest_can_be_laid_with_it():
    hand = with_pile("8s Js 4d", theirs=ACES)
    # The eight of spades can be laid in two ways, as the jack comes with it.
    assert played(hand, "take 3 lay 8s9sTsJs").table_melds == melds("8s 9s Ts Js")
    assert played(hand, "take 3 lay 8s9sTs add Js@0").table_melds == melds("8s 9s Ts Js")
    assert played(hand, "take 3 lay 8s9sTs 3c4c5c").table_melds == melds("8s 9s Ts", "3c 4c 5c")
    listed = {str(move) for move in hand.legal_moves() if isinstance(move, TakeDiscards)}
    assert listed == {"take 2 lay 9sTsJs", "take 3 lay 8s9sTs", "take 3 lay 8s9sTsJs"}


# The card that was just taken


def test_the_card_just_taken_may_not_be_left_alone_in_the_hand():
    hand = last_two("2c")
    assert hand.hand_of(0) == drawn("2c 2d")
    refused(hand, "discard 2c", "just-taken")
    # 2c is added to 3c 4c 5c, and then 2d is thrown: gin.
    hand = played(hand, "lay add 2c@0", "discard 2d")
    assert (hand.phase, hand.knocker, hand.to_move) == (Phase.LAY_OFF, 0, 1)


def nearly_out(mine="3c 4c 5c  7c 7d 7h  8s 9s  6c Kh"):
    """Return a hand in which seat 0 has laid all but two cards and thrown one of these, Kh."""
    hand = deal(1, mine, "Jc Jd Jh  6d 4d  8d 3h 5h Ah Qd", "Td", MAHJONG)
    return played(hand, "pass", "pass", "draw Ts", "lay 3c4c5c 7c7d7h 8s9sTs", "discard Kh")


def last_two(upcard):
    """Return a hand in which seat 0 has only 2d left and has just taken this card."""
    hand = nearly_out("3c 4c 5c  7c 7d 7h  8s 9s  2d Kh")
    assert hand.hand_of(0) == drawn("2d")
    return played(hand, f"draw {upcard}", f"discard {upcard}", "take")


def test_a_lay_that_leaves_only_the_card_just_taken_is_refused():
    hand = played(nearly_out(), "draw 2h", "discard 2h", "take")
    assert hand.hand_of(0) == drawn("6c 2h")
    sentence = refused(hand, "lay add 6c@0", "just-taken")
    assert sentence == "2h was just taken and would be the only card left to discard."
    assert [str(move) for move in hand.legal_moves()] == ["discard 6c"]


def test_a_card_from_the_stock_may_be_left_alone_in_the_hand():
    hand = played(nearly_out(), "draw 9c", "discard 9c", "draw 2h", "lay add 6c@0")
    assert hand.hand_of(0) == drawn("2h")
    assert played(hand, "discard 2h").phase is Phase.LAY_OFF


def test_a_player_can_go_gin_by_taking_and_laying_several_cards():
    hand = nearly_out("3c 4c 5c  7c 7d 7h  8s 9s  2d Kh")
    hand = played(hand, "draw 9c", "discard 9c", "draw 6c", "discard 6c", "draw 2c", "discard 2c")
    # Seat 0 holds 2d. It takes 6c and 2c, and adds both to 3c 4c 5c.
    hand = played(hand, "take 2 lay add 6c@0 2c@0")
    assert hand.hand_of(0) == drawn("2d")
    assert played(hand, "discard 2d").phase is Phase.LAY_OFF


# Gin


def all_but(mine="3c 4c 5c  7c 7d 7h  8s 9s Ts  Kh"):
    hand = deal(1, mine, "Jc Jd Jh  6c Td  8d 3h 5h Ah Qd", "Kd", MAHJONG)
    return played(hand, "pass", "pass", "draw 7s")


def test_a_player_can_go_gin_by_laying_the_last_card():
    hand = all_but(mine="3c 4c 5c  7c 7d 7h  8s 9s Ts Js")
    hand = played(hand, "lay 3c4c5c 7c7d7h7s", "lay 8s9sTsJs")
    assert (hand.phase, hand.knocker, hand.to_move) == (Phase.LAY_OFF, 0, 1)
    assert [str(card) for card in hand.pile] == ["Kd"]  # nothing was thrown


def test_after_gin_the_other_player_shows_the_rest_and_lays_nothing():
    hand = played(all_but(), "lay 3c4c5c 7c7d7h7s 8s9sTs", "discard Kh")
    rest = "JcJdJh6cTd8d3h5hAhQd"
    refused(hand, f"spread melds JcJdJh deadwood {rest[6:]}", "too-late")
    refused(hand, "spread layoff 6c@0 deadwood JcJdJhTd8d3h5hAhQd", "too-late")
    refused(hand, f"spread deadwood {rest[:-2]}", "wrong-card-count")
    refused(hand, f"spread deadwood {rest[:-2]}2c", "card-not-held")
    refused(hand, "lay JcJdJh", "wrong-phase")
    refused(hand, "discard Qd", "wrong-phase")
    (only,) = hand.legal_moves()
    assert only.deadwood == drawn(rest)
    assert played(hand, f"spread deadwood {rest}").phase is Phase.OVER


# The score: 2 to 9 count 5, ten to king 10, aces 15


def test_both_players_score_laid_cards_and_the_loser_pays_for_the_rest():
    hand = played(all_but(), "lay 3c4c5c 7c7d7h7s", "discard Kh")
    # 3 and 4 fives; then the opponent lays three jacks and adds the six
    hand = played(hand, "draw 2s", "lay JcJdJh add 6c@0", "discard 2s", "draw Qh")
    hand = played(hand, "lay 8s9sTs", "discard Qh")
    result = hand.apply(*hand.legal_moves()).result
    assert (result.kind, result.winner, result.knocker) == (Outcome.MAHJONG, 0, 0)
    assert result.points == 3 * 5 + 4 * 5 + (5 + 5 + 10) + 25
    # The opponent is left with Td 8d 3h 5h Ah Qd.
    left = 10 + 5 + 5 + 5 + 15 + 10
    assert result.defender_deadwood == left
    assert result.other_points == 3 * 10 + 5 - left
    assert [result.points_of(seat) for seat in (0, 1)] == [80, -15]


# Hands without gin


def test_the_last_discard_can_be_taken_if_that_is_agreed():
    rules = parse_ruleset("mahjong wall=last-discard")
    mine = "3c 4c 5c  7c 7d 7h  8s 9s  2d 2h"
    hand = deal(1, "Jc Jd Jh  6c Td  8d 3h 5h Ah Qd", mine, "Kd", rules)
    hand = to_the_wall(played(hand, "pass", "pass"), keep="Ts")
    hand = played(hand, "draw Ts", "discard Ts")
    assert (hand.phase, hand.to_move) == (Phase.LAST_CHANCE, 1)
    refused(hand, "take 2 lay 8s9sTs", "wrong-phase")
    hand = played(hand, "take", "lay 8s9sTs 3c4c5c 7c7d7h")
    assert hand.hand_of(1) == drawn("2d 2h")
    assert played(hand, "discard 2d").result.kind is Outcome.VOID
