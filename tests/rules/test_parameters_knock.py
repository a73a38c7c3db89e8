"""The cells of RULES 9.1 that say what melds, who can knock, and what a hand is worth."""

import pytest

from ginpeer.rules import (
    ORDINARY,
    Knock,
    Match,
    Outcome,
    Phase,
    parse_card,
    parse_move,
    parse_ruleset,
)
from tests.rules.drawing import (
    deal,
    drawn,
    knocks,
    melds,
    played,
    refused,
    second_deck_deal,
    settled,
)
from tests.rules.played import GUEST, HOST, VOID, knock, match_of, undercut
from tests.rules.showdowns import GIN, NINE, SIX, about_to_knock, knock_of, showdown

# How much deadwood a knock may have


def may_knock(rules, loose, upcard="8h"):
    """Return whether a player with nine melded cards and this one may knock. Check that the list of
    moves agrees with is_legal()."""
    hand = about_to_knock(rules, loose, upcard=upcard)
    listed = knock_of(loose) in map(str, knocks(hand))
    assert hand.is_legal(parse_move(knock_of(loose))) is listed
    return listed


def test_knock_limit_10():
    assert may_knock("standard", "Kh")
    assert may_knock("standard", "Ac")
    # 7c 7d 7h 7s, Tc Td Th Ts, and a king and an ace, which count eleven.
    hand = deal(1, "7c 7d 7h 7s  Tc Td Th Ts  Kh Ac", f"{SIX} 2d 2s 4d 5s", "8h")
    hand = played(hand, "pass", "pass", "draw Kc")
    refused(hand, "knock Kc melds 7c7d7h7s TcTdThTs deadwood AcKh", "knock-over-limit")
    assert knocks(hand) == []


@pytest.mark.parametrize(("limit", "loose", "next_one"), [(1, "Ac", "2c"), (5, "5c", "6c")])
def test_the_knock_limit_can_be_any_number_up_to_ten(limit, loose, next_one):
    rules = f"standard knock-limit={limit}"
    assert may_knock(rules, loose)
    assert not may_knock(rules, next_one)


def test_knock_limit_0():
    assert not may_knock("straight", "Ac")
    assert may_knock("straight", GIN)
    sentence = refused(about_to_knock("straight", "Ac"), knock_of("Ac"), "knock-over-limit")
    assert sentence == "The deadwood is 1; only gin ends the hand."


def test_knock_limit_upcard():
    # "If the first upcard was a 4, you can knock with only 4 or fewer points."
    rules = "standard knock-limit=upcard"
    assert may_knock(rules, "4c", upcard="4d")
    assert may_knock(rules, "Ac", upcard="4d")
    assert not may_knock(rules, "5c", upcard="4d")
    for court in ("Ts", "Js", "Qs", "Ks"):
        assert about_to_knock(rules, "8c", upcard=court).knock_limit == 10
    # Only the first upcard counts.
    hand = played(about_to_knock(rules, "8c", upcard="4d"), "discard Kc", "draw 9d", "discard 9d")
    assert (str(hand.upcard), hand.knock_limit) == ("9d", 4)


def test_knock_limit_floating():
    rules = parse_ruleset("oklahoma-floating")
    hand = deal(1, f"{NINE} 8c", f"{SIX} 2d 2s 4d 5s", "9h", rules)
    assert hand.knock_limit == 9
    # "This allows a player to stall their opponent by discarding low cards."
    stalled = played(hand, "pass", "pass", "draw Kc", "discard Kc", "draw 3d", "discard 4d")
    assert stalled.knock_limit == 4
    stalled = played(stalled, "draw 9d")
    refused(stalled, "knock 9d melds 3h4h5h 7c7d7h TcTdTh deadwood 8c", "knock-over-limit")
    # It limits the knock even if that card is taken, as it was on top when the turn began.
    taking = played(hand, "pass", "pass", "draw Kc", "discard Kc", "draw 3d", "discard 4d", "take")
    assert (taking.upcard, taking.knock_limit) == (parse_card("Kc"), 4)
    # With a nine on top, the eight can knock.
    free = played(hand, "pass", "pass", "draw Kc")
    assert played(free, knock_of("8c")).phase is Phase.LAY_OFF


def second_deck(knock_card, loose="4c", first=0, rules="standard knock-limit=second-deck"):
    return second_deck_deal(
        1, f"{NINE} {loose}", f"{SIX} 2d 2s 4s 6s", knock_card, first, parse_ruleset(rules)
    )


def test_knock_limit_second_deck():
    hand = second_deck("4d")
    assert (hand.first_upcard, hand.upcard, hand.stock_left) == (None, None, 32)
    assert (hand.phase, hand.to_move) == (Phase.FIRST_DRAW, 0)
    refused(hand, "take", "wrong-phase")
    assert played(hand, "draw Kc", knock_of("4c")).phase is Phase.LAY_OFF
    refused(played(second_deck("3c"), "draw Kc"), knock_of("4c"), "knock-over-limit")
    # The knock card is from another deck, so a hand can have the same card.
    assert second_deck("4c").hand_of(0) & drawn("4c")
    # "With the last hand winner picking first from the deck."
    assert second_deck("4d", first=1).to_move == 1


def test_with_a_second_deck_the_last_winner_draws_first():
    def first(*results):
        match = match_of(*results, rules="oklahoma knock-limit=second-deck", dealer=HOST)
        return match.dealer, match.first_to_play

    assert first() == (HOST, GUEST)  # nobody has won, so it is the non-dealer
    assert first(VOID) == (HOST, GUEST)
    assert first(knock(HOST, 5)) == (GUEST, HOST)
    assert first(knock(GUEST, 5)) == (GUEST, GUEST)  # here, it is the dealer
    assert first(knock(GUEST, 5), VOID) == (GUEST, GUEST)
    assert first(knock(HOST, 5), undercut(HOST, 30)) == (HOST, HOST)


def test_ace_limit_gin_only():
    rules = "standard knock-limit=upcard"
    assert not may_knock(rules, "Ac", upcard="Ah")
    assert may_knock(rules, GIN, upcard="Ah")
    assert played(second_deck("Ah"), "draw Kc").knock_limit == 0


def test_ace_limit_one():
    rules = "standard knock-limit=upcard ace-limit=one"
    assert may_knock(rules, "Ac", upcard="Ah")
    assert not may_knock(rules, "2c", upcard="Ah")
    assert parse_ruleset("oklahoma-floating ace-limit=one").limit(parse_card("As")) == 1


# A spade that doubles


def test_spades_double_no():
    result = showdown("oklahoma spades-double=no", "3c", upcard="4s")
    assert (result.points, result.doubled) == (12 - 3, False)


def test_spades_double_yes():
    # "If the card was the four of spades, you would get double points that hand."
    assert not may_knock("oklahoma", "5c", upcard="4s")
    result = showdown("oklahoma", "3c", upcard="4s")
    assert (result.kind, result.points, result.doubled) == (Outcome.KNOCK, 2 * (12 - 3), True)
    assert showdown("oklahoma", "3c", upcard="4d").points == 12 - 3


def test_the_bonus_of_a_hand_is_doubled_with_it_but_not_the_box():
    gin = showdown("oklahoma", GIN, upcard="9s")
    assert gin.points == 2 * (25 + 12)
    undercut_by_two = showdown("oklahoma", "8c", against=6, upcard="9s")
    assert (undercut_by_two.winner, undercut_by_two.points) == (1, 2 * (25 + 2))
    match = Match.begin(parse_ruleset("oklahoma target=70"), 1).record(gin)
    assert match.settlement().lines[0].boxes == 25


def test_with_a_fixed_limit_a_spade_upcard_doubles_the_hand():
    for rules in ("standard", "straight", "standard knock-limit=9"):
        for upcard, factor in (("4s", 2), ("4d", 1)):
            result = showdown(f"{rules} spades-double=yes", GIN, upcard=upcard)
            assert (result.points, result.doubled) == (factor * (25 + 12), factor == 2)


def floating_knock(thrown, *draw):
    """Return the result after the non-dealer threw this card and the dealer knocked. *draw*: the
    dealer's draw."""
    rules = parse_ruleset("oklahoma-floating spades-double=yes")
    hand = deal(1, f"{SIX} 2d 2s 3s 5s", f"{NINE} 3c", "Ks", rules)
    hand = played(hand, "pass", "pass", f"draw {thrown}", f"discard {thrown}", *draw)
    assert hand.counts_double is (thrown[1] == "s")
    knock = "knock {} melds 3h4h5h 7c7d7h TcTdTh deadwood {}"
    taken = "take" in draw
    hand = played(hand, knock.format(*(("3c", thrown) if taken else ("Kc", "3c"))))
    return played(hand, "spread melds JcJdJh QcQdQh deadwood 2d2s3s5s").result


def test_the_ace_of_clubs_sets_a_floating_limit_like_any_other_card():
    """It is card 0, which a bug took for no card: the earlier upcard, a spade, doubled the hand."""
    rules = parse_ruleset("oklahoma-floating spades-double=yes")
    hand = deal(1, f"{SIX} 2d 2s 3s 5s", f"{NINE} {GIN}", "Ks", rules)
    hand = played(hand, "pass", "pass", "draw Ac", "discard Ac", "draw Kc")
    hand = played(hand, "knock Kc melds 3h4h5h6h 7c7d7h TcTdTh")
    result = played(hand, "spread melds JcJdJh QcQdQh deadwood 2d2s3s5s").result
    assert (result.points, result.doubled) == (25 + 12, False)


def test_with_a_floating_limit_the_discard_that_sets_it_doubles_the_hand():
    # Neither the upcard of the deal, which is a spade, nor the card that the knocker throws counts.
    assert floating_knock("4s", "draw Kc").points == 2 * (12 - 3)
    assert floating_knock("4d", "draw Kc").points == 12 - 3
    assert floating_knock("4s", "take").points == 2 * (12 - 4)
    assert floating_knock("4d", "take").points == 12 - 4


# What is a run, and what an ace counts

# Ks As 2s   7c 7d 7h   Tc Td Th   and a four
CORNER = "Ks As 2s  7c 7d 7h  Tc Td Th  4d"
CORNER_KNOCK = "knock Kc melds As2sKs 7c7d7h TcTdTh deadwood 4d"


def corner(rules, defender=f"{SIX} 2c 2h 4c 6d"):
    hand = deal(1, CORNER, defender, "8h", parse_ruleset(rules))
    return played(hand, "pass", "pass", "draw Kc")


def test_runs_wrap_no():
    refused(corner("standard"), CORNER_KNOCK, "not-a-meld")
    assert knocks(corner("standard")) == []
    assert not ORDINARY.is_meld(drawn("Ks As 2s"))


def test_runs_wrap_yes():
    hand = corner("around-the-corner")
    assert knocks(hand)
    result = settled(played(hand, CORNER_KNOCK))
    assert (result.kind, result.points) == (Outcome.KNOCK, 14 - 4)
    ways = hand.melding
    assert all(map(ways.is_meld, melds("Ks As 2s", "Qs Ks As", "Js Qs Ks As 2s 3s")))


def test_layoffs_can_go_around_the_corner():
    # Onto the knocker's 2s 3s 4s go the ace and then the king.
    knocker = "2s 3s 4s  7c 7d 7h  Tc Td Th  5d"
    defender = f"{SIX} As Ks  9c 9d"
    hand = deal(1, knocker, defender, "8h", parse_ruleset("around-the-corner"))
    hand = played(hand, "pass", "pass", "draw Kc")
    hand = played(hand, "knock Kc melds 2s3s4s 7c7d7h TcTdTh deadwood 5d")
    refused(hand, "spread melds JcJdJh QcQdQh layoff Ks@0 deadwood As9c9d", "layoff-does-not-fit")
    answer = "spread melds JcJdJh QcQdQh layoff As@0 Ks@0 deadwood 9c9d"
    assert played(hand, answer).result.defender_deadwood == 18
    assert settled(hand).defender_deadwood == 18
    ordinary = deal(1, knocker, defender, "8h")
    ordinary = played(ordinary, "pass", "pass", "draw Kc")
    ordinary = played(ordinary, "knock Kc melds 2s3s4s 7c7d7h TcTdTh deadwood 5d")
    refused(ordinary, answer, "layoff-does-not-fit")


def test_ace_pips_1():
    assert may_knock("standard", "Ac")
    result = showdown("standard", "3c", against=6)  # the defender's 6 are A A 2 2
    assert result.defender_deadwood == 6


def test_ace_pips_15():
    rules = "standard ace-pips=15"
    assert not may_knock(rules, "Ac")
    sentence = refused(about_to_knock(rules, "Ac"), knock_of("Ac"), "knock-over-limit")
    assert sentence == "The deadwood is 15; the limit is 10."
    # "If you are caught with an unmelded ace, it counts as 15 points against you."
    result = showdown(rules, "3c", against=6)
    assert (result.defender_deadwood, result.points) == (15 + 15 + 2 + 2, 34 - 3)


def test_an_ace_worth_fifteen_sets_the_usual_limit_of_an_ace():
    assert parse_ruleset("tedesco").limit(parse_card("Ah")) == 0
    assert parse_ruleset("tedesco ace-limit=one").limit(parse_card("Ah")) == 1


# Melds on the table


def test_mahjong_no():
    hand = about_to_knock("standard", "8c")
    refused(hand, "lay 7c7d7h", "not-mahjong")
    assert played(hand, knock_of("8c")).phase is Phase.LAY_OFF


def test_mahjong_yes():
    hand = about_to_knock("mahjong", GIN)
    refused(hand, knock_of(GIN), "no-knocking")
    assert not any(isinstance(move, Knock) for move in hand.legal_moves())
    hand = played(hand, "lay 7c7d7h 3h4h5h6h", "lay TcTdTh")
    assert hand.table_melds == melds("7c 7d 7h", "3h 4h 5h 6h", "Tc Td Th")
    hand = played(hand, "discard Kc")
    assert (hand.phase, hand.knocker) == (Phase.LAY_OFF, 0)


# The bonuses of a hand, and ties. An undercut by 2 is 8 against 6. Quotations are from the books.

SCORES = [
    # "The non-knocker had 21 points of deadwood": 21 and the 25 point bonus.
    ("gin-bonus=25", GIN, 21, Outcome.GIN, 0, 46),
    ("gin-bonus=20", GIN, 21, Outcome.GIN, 0, 41),
    # "The knocker had a total of 3, and the non-knocker 12: the knocker scores 9."
    ("knock-limit=10", "3c", 12, Outcome.KNOCK, 0, 9),
    # "If a player knocks with 8, and the defender has 10, the knocking player receives 2."
    ("knock-limit=10", "8c", 10, Outcome.KNOCK, 0, 2),
    # "The knocker has 10 and the non-knocker 6: 4 points, plus a 25 point bonus."
    ("undercut-bonus=25", "Kh", 6, Outcome.UNDERCUT, 1, 29),
    ("undercut-bonus=20", "8c", 6, Outcome.UNDERCUT, 1, 22),
    ("undercut-bonus=15", "8c", 6, Outcome.UNDERCUT, 1, 17),
    ("undercut-bonus=10", "8c", 6, Outcome.UNDERCUT, 1, 12),
    # "10 deadwood and 10 deadwood: the non-knocker scores 0 but gets a 25 point bonus."
    ("tie=undercut", "Kh", 10, Outcome.UNDERCUT, 1, 25),
    # The bonus "is not awarded in case of a tie", but the defender has still undercut.
    ("tie=no-bonus", "8c", 8, Outcome.UNDERCUT, 1, 0),
    ("tie=no-bonus", "8c", 6, Outcome.UNDERCUT, 1, 27),
    ("tie=nobody", "8c", 8, Outcome.TIE, None, 0),
    ("tie=nobody", "8c", 6, Outcome.UNDERCUT, 1, 27),
]


@pytest.mark.parametrize(("value", "loose", "against", "kind", "winner", "points"), SCORES)
def test_a_hand_scores_by_this_value(value, loose, against, kind, winner, points):
    result = showdown(f"standard {value}", loose, against)
    assert (result.kind, result.winner, result.points) == (kind, winner, points)


def test_a_tie_that_nobody_wins_brings_no_box_and_changes_the_dealer():
    result = showdown("standard tie=nobody", "8c", 8)
    match = Match.begin(parse_ruleset("standard tie=nobody"), 1).record(result)
    assert (match.hands_won, match.dealer) == ((0, 0), 0)


def test_a_tie_without_a_bonus_scores_nothing_even_when_doubled():
    result = showdown("oklahoma knock-limit=upcard tie=no-bonus", "8c", 8, "8s")
    assert (result.kind, result.winner, result.points) == (Outcome.UNDERCUT, 1, 0)
    assert result.doubled


def big_gin(rules):
    """Return a hand with eleven melded cards: 3h 4h 5h 6h, 7c 7d 7h and Tc Td Th, with Ts drawn."""
    hand = deal(1, f"{NINE} {GIN}", f"{SIX} 2d 2s 3s 5s", "8h", parse_ruleset(rules))
    return played(hand, "pass", "pass", "draw Ts")


BIG_GIN = "knock melds 3h4h5h6h 7c7d7h TcTdThTs"


def test_big_gin_31():
    result = settled(played(big_gin("standard"), BIG_GIN))
    assert (result.kind, result.winner, result.points) == (Outcome.BIG_GIN, 0, 31 + 12)


def test_big_gin_50():
    assert settled(played(big_gin("standard big-gin=50"), BIG_GIN)).points == 50 + 12


def test_big_gin_none():
    hand = big_gin("standard big-gin=none")
    refused(hand, BIG_GIN, "no-big-gin")
    assert BIG_GIN not in map(str, hand.legal_moves())
    result = settled(played(hand, "knock Ts melds 3h4h5h6h 7c7d7h TcTdTh"))
    assert (result.kind, result.points) == (Outcome.GIN, 25 + 12)
