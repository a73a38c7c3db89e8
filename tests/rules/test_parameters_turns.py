"""The cells of RULES 9.1 that say how a hand begins, continues and ends without a knock."""

import pytest

from ginpeer.rules import Outcome, Pass, Phase, TakeUpcard, Unsupported, cut_dealer, parse_ruleset
from tests.matches.table_pair import TablePair
from tests.rules.drawing import deal, drawn, knocks, played, refused, settled, to_the_wall
from tests.rules.played import GUEST, HOST
from tests.rules.showdowns import NINE, SIX

pytestmark = pytest.mark.usefixtures("in_the_toy_group")

# Who deals


def begun(rules):
    """Return the table of two real seats after the first hand has been dealt."""
    pair = TablePair(rules=parse_ruleset(rules))
    pair.settle()
    return pair.host.seat.table


def test_first_dealer_lower_cut():
    table = begun("standard")
    assert table.cut_cards is not None
    assert table.match.dealer == cut_dealer(table.cut_cards)


def test_first_dealer_host():
    table = begun("standard first-dealer=host")
    assert (table.cut_cards, table.match.dealer, table.hand.to_move) == (None, HOST, GUEST)


def test_first_dealer_guest():
    table = begun("standard first-dealer=guest")
    assert (table.cut_cards, table.match.dealer, table.hand.to_move) == (None, GUEST, HOST)


# The first turn


def dealt(rules, upcard="8h"):
    """Return a hand before its first turn, with the knocker's 8 and the defender's 12."""
    return deal(1, f"{NINE} 8c", f"{SIX} 2d 2s 3s 5s", upcard, parse_ruleset(rules))


def test_opening_upcard_option():
    hand = dealt("standard")
    assert hand.legal_moves() == (Pass(), TakeUpcard())
    refused(hand, "draw", "wrong-phase")
    hand = played(hand, "pass")
    assert (hand.to_move, hand.legal_moves()) == (1, (Pass(), TakeUpcard()))


def test_opening_either_pile():
    hand = dealt("standard opening=either-pile")
    assert (hand.phase, hand.to_move) == (Phase.DRAW, 0)
    assert {str(move) for move in hand.legal_moves()} == {"take", "draw"}
    refused(hand, "pass", "wrong-phase")
    # The first turn is like any other: the dealer can still take the upcard.
    hand = played(hand, "draw Kc", "discard Kc")
    assert (hand.to_move, str(hand.upcard)) == (1, "Kc")
    assert str(played(dealt("standard opening=either-pile"), "take").taken) == "8h"


# The wall: the two last cards of the stock


def at_the_wall(rules):
    """Return a hand in which the non-dealer has drawn and thrown the third-last card, which is
    useless."""
    hand = to_the_wall(played(dealt(rules), "pass", "pass"), keep="Kc")
    return played(hand, "draw Kc", "discard Kc")


def test_wall_void():
    hand = at_the_wall("standard")
    assert hand.stock_left == 2
    assert (hand.phase, hand.result.kind) == (Phase.OVER, Outcome.VOID)


def last_chance(others="Kd Kh  As Ad"):
    """Return a hand in which the dealer can take the last discard, a king."""
    rules = parse_ruleset("standard wall=last-discard")
    hand = deal(1, f"{NINE} 8c", f"{SIX} {others}", "8h", rules)
    hand = to_the_wall(played(hand, "pass", "pass"), keep="Kc")
    return played(hand, "draw Kc", "discard Kc")


def test_wall_last_discard():
    hand = last_chance()
    assert (hand.phase, hand.to_move, hand.stock_left) == (Phase.LAST_CHANCE, 1, 2)
    assert {str(move) for move in hand.legal_moves()} == {"take", "pass"}
    refused(hand, "draw", "wrong-phase")
    hand = played(hand, "take")
    # Jc Jd Jh, Qc Qd Qh, Kc Kd Kh and two aces, one of which is thrown.
    result = settled(played(hand, "knock Ad melds JcJdJh QcQdQh KcKdKh deadwood As"))
    assert (result.kind, result.winner, result.points) == (Outcome.KNOCK, 1, 8 - 1)


@pytest.mark.parametrize("moves", [["pass"], ["take", "discard As"]])
def test_the_last_discard_passed_or_taken_without_a_knock_makes_the_hand_void(moves):
    hand = played(last_chance(), *moves)
    assert (hand.phase, hand.result.kind) == (Phase.OVER, Outcome.VOID)


def test_the_last_discard_may_not_be_discarded_again():
    refused(played(last_chance(), "take"), "discard Kc", "just-taken")
    refused(
        played(last_chance("Ks As 2d 3s"), "take"),
        "knock Kc melds JcJdJh QcQdQh deadwood 2dAs3sKs",
        "just-taken",
    )


def test_swap_limit_40():
    hand = played(dealt("standard"))
    for turn in range(1, 41):
        assert hand.result is None, turn
        hand = played(hand, "take")
        # The lowest card that wasn't just taken is thrown, so the players swap forever.
        hand = hand.apply(hand.legal_moves()[0])
    assert (hand.result.kind, hand.stock_left) == (Outcome.VOID, 31)


# A hand that could knock as dealt


def test_misdeal_no():
    # 3h 4h 5h, 7c 7d 7h, Tc Td Th and an ace: it could knock before any card is drawn.
    hand = deal(1, f"{NINE} Ac", f"{SIX} 2d 2s 3s 5s", "8h")
    refused(hand, "knock Ac melds 3h4h5h 7c7d7h TcTdTh", "wrong-phase")
    hand = played(hand, "pass", "pass", "draw Kc")
    assert knocks(hand)
    assert hand.hand_of(0) & drawn("Ac")


def test_misdeal_yes():
    with pytest.raises(Unsupported) as refusal:
        parse_ruleset("standard misdeal=yes").check()
    assert refusal.value.code == "rule-unsupported"
    assert refusal.value.rule == "5.2"
