"""The cells of RULES 9.1 that say how a hand begins, goes on and ends without a knock."""

import pytest

from ginpeer.rules import Outcome, Pass, Phase, TakeUpcard, Unsupported, cut_dealer, parse_ruleset
from tests.matches.table_pair import TablePair
from tests.rules.drawing import deal, drawn, knocks, played, refused, settled, to_the_wall
from tests.rules.played import GUEST, HOST, TIE, VOID, knock, match_of
from tests.rules.showdowns import NINE, SIX

# Who deals


def begun(rules):
    """The table of two real seats when the first hand is dealt."""
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


def dealers(rules):
    """Who deals the first hand, and who after each of these: the host wins, the guest wins, the
    guest wins again, nobody wins."""
    hands = [knock(HOST, 5), knock(GUEST, 5), knock(GUEST, 5), TIE]
    return [match_of(*hands[:count], rules=rules).dealer for count in range(5)]


def test_next_dealer_alternates():
    assert dealers("standard tie=nobody") == [HOST, GUEST, HOST, GUEST, HOST]


def test_next_dealer_loser():
    assert dealers("standard tie=nobody next-dealer=loser") == [HOST, GUEST, HOST, HOST, HOST]


def test_next_dealer_winner():
    assert dealers("standard tie=nobody next-dealer=winner") == [HOST, HOST, GUEST, GUEST, GUEST]


@pytest.mark.parametrize("next_dealer", ["alternates", "loser", "winner"])
def test_after_void_same_dealer(next_dealer):
    rules = f"standard next-dealer={next_dealer}"
    dealer = match_of(knock(GUEST, 5), rules=rules).dealer
    assert match_of(knock(GUEST, 5), VOID, VOID, rules=rules).dealer == dealer


@pytest.mark.parametrize("next_dealer", ["alternates", "loser", "winner"])
def test_after_void_alternates(next_dealer):
    # "Dealership alternates from round to round."
    rules = f"standard after-void=alternates next-dealer={next_dealer}"
    dealer = match_of(knock(GUEST, 5), rules=rules).dealer
    played = [match_of(knock(GUEST, 5), *[VOID] * count, rules=rules) for count in (1, 2, 3)]
    assert [match.dealer for match in played] == [1 - dealer, dealer, 1 - dealer]


# The first turn


def dealt(rules, upcard="8h"):
    """The knocker with an eight and the defender with 12, before the first turn."""
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
    # The first turn is like any other: the upcard is still there for the dealer.
    hand = played(hand, "draw Kc", "discard Kc")
    assert (hand.to_move, str(hand.upcard)) == (1, "Kc")
    assert str(played(dealt("standard opening=either-pile"), "take").taken) == "8h"


# The wall: the two last cards of the stock


def at_the_wall(rules):
    """The non-dealer has drawn the third last card, which is no good, and throws it."""
    hand = to_the_wall(played(dealt(rules), "pass", "pass"), keep="Kc")
    return played(hand, "draw Kc", "discard Kc")


def test_wall_void():
    hand = at_the_wall("standard")
    assert hand.stock_left == 2
    assert (hand.phase, hand.result.kind) == (Phase.OVER, Outcome.VOID)


def last_chance(others="Kd Kh  As Ad"):
    """The dealer can take the king that was thrown last."""
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
    # Jc Jd Jh, Qc Qd Qh, Kc Kd Kh and two aces, of which one goes.
    result = settled(played(hand, "knock Ad melds JcJdJh QcQdQh KcKdKh deadwood As"))
    assert (result.kind, result.winner, result.points) == (Outcome.KNOCK, 1, 8 - 1)


def test_the_last_discard_can_be_taken_to_go_gin():
    hand = played(last_chance("Kd Kh Ks Ad"), "take")
    result = settled(played(hand, "knock Ad melds JcJdJh QcQdQh KcKdKhKs"))
    assert (result.kind, result.winner, result.points) == (Outcome.GIN, 1, 25 + 8)


@pytest.mark.parametrize("moves", [["pass"], ["take", "discard As"]])
def test_the_last_discard_passed_or_taken_without_a_knock_makes_the_hand_void(moves):
    hand = played(last_chance(), *moves)
    assert (hand.phase, hand.result.kind) == (Phase.OVER, Outcome.VOID)


def test_the_last_discard_itself_may_not_be_thrown_again():
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
        # The lowest card goes that was not just taken, so that both swap for ever.
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
