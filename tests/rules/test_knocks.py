"""Knocks that hold cards back (RULES 5.3): all are legal, and the ones that can matter are
listed."""

from dataclasses import replace

from ginpeer.rules import (
    STANDARD,
    Knock,
    Match,
    View,
)
from tests.rules.drawing import deal, played

#           5s                8s          8s fits the spades, Tc and Jc fit the clubs
# 4c to 9c  6s  and Ac        Tc Jc
#           7s                2c 2d 2h 2s  3c 3h 3s
KNOCKER = "Ac  4c 5c 6c 7c 8c 9c  5s 6s 7s"
DEFENDER = "2c 2d 2h 2s  3c 3h 3s  Tc Jc 8s"

LEAST = "knock Kd melds 4c5c6c7c8c9c 5s6s7s deadwood Ac"
HELD_BACK = "knock Kd melds 4c5c6c7c8c 5s6s7s deadwood Ac9c"


def about_to_knock(knocker=KNOCKER, defender=DEFENDER, upcard="9d", rules=STANDARD):
    return played(deal(1, knocker, defender, upcard, rules), "pass", "pass", "draw Kd")


def knocks(moves):
    return [move for move in moves if isinstance(move, Knock)]


def result_of(hand, knock):
    hand = hand.apply(knock)
    (best,) = hand.sensible_moves()
    return hand.apply(best).result


def test_the_example_of_rule_5_3():
    hand = about_to_knock()
    results = {str(knock): result_of(hand, knock) for knock in knocks(hand.legal_moves())}
    least, held_back = results[LEAST], results[HELD_BACK]
    assert (least.knocker_deadwood, least.winner, least.points) == (1, 1, 26)
    assert (held_back.knocker_deadwood, held_back.winner, held_back.points) == (10, 0, 10)


def test_the_sensible_knocks_hold_back_cards_to_prevent_layoffs():
    listed = [str(knock) for knock in knocks(about_to_knock().sensible_moves())]
    assert listed == [
        "knock Ac melds 4c5c6c7c8c9c 5s6s7s deadwood Kd",
        LEAST,
        "knock Kd melds 5c6c7c8c9c 5s6s7s deadwood Ac4c",
        HELD_BACK,
    ]


def test_nothing_is_held_back_from_gin_or_at_the_limit():
    gin = about_to_knock(KNOCKER.replace("Ac", "Tc"), DEFENDER.replace("Tc", "Ac"))
    assert [str(k) for k in knocks(gin.sensible_moves()) if str(k.discard) == "Kd"] == [
        "knock Kd melds 4c5c6c7c8c9cTc 5s6s7s"
    ]
    limit_1 = about_to_knock(rules=replace(STANDARD, knock_limit=1))
    assert [str(knock) for knock in knocks(limit_1.sensible_moves())] == [LEAST]


def test_nothing_is_held_back_to_stop_a_card_in_the_pile():
    upcard_tc = about_to_knock(defender=DEFENDER.replace("Tc", "9d"), upcard="Tc")
    assert HELD_BACK not in map(str, upcard_tc.sensible_moves())
    assert HELD_BACK in map(str, upcard_tc.legal_moves())


def test_the_sensible_moves_do_not_depend_on_the_other_hand_or_the_stock():
    hand = about_to_knock()
    other = about_to_knock(defender="Kc Kh Ks Qd Qh Jd Jh 8d 8h 2s")
    assert hand.sensible_moves() == other.sensible_moves()
    view = View(0, hand, Match.begin(STANDARD, 1))
    assert view.sensible_moves() == hand.sensible_moves()
    assert View(1, hand, view.match).sensible_moves() == ()


def test_a_knock_of_least_deadwood_is_sensible_unless_it_only_allows_layoffs():
    # Either 3c 3d 3h and 3s 4s 5s 6s, or all four threes and 4s 5s 6s. Nothing can be added to four
    # of a rank.
    hand = about_to_knock("3c 3d 3h 3s 4s 5s 6s  2d 5h As", "9c Tc Jc Qc 8h 9h Jh Kh 7d 8d")
    listed = [str(k) for k in knocks(hand.sensible_moves()) if str(k.discard) == "Kd"]
    assert listed[0] == "knock Kd melds 3c3d3h3s 4s5s6s deadwood 2d5hAs"
    assert not any("3s4s5s6s" in knock for knock in listed)
