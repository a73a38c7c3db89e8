"""The bot plays legally by every rule, doesn't use what it may not see, beats weaker players, and
chooses sensibly in positions that can be judged by eye."""

import random

import pytest

from ginpeer.adviser.advise import choose
from ginpeer.adviser.mahjong import read
from ginpeer.rules import (
    DECK,
    ORDINARY,
    PRESETS,
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
from ginpeer.rules.parameters import KnockLimit
from ginpeer.rules.score import mahjong_value
from tests.rules.drawing import deal, drawn, played, shuffled_deal, to_the_wall

MAHJONG = parse_ruleset("mahjong")

# Options that no preset has, alone or combined.
MIXED = (
    "oklahoma knock-limit=second-deck ace-limit=one",
    "tedesco knock-limit=second-deck hands=2 columns=1",
    "standard opening=either-pile swap-limit=4",
    "oklahoma-floating opening=either-pile wall=last-discard",
    "straight wall=last-discard runs-wrap=yes ace-pips=15 big-gin=none",
    "mahjong runs-wrap=yes opening=either-pile",
    "mahjong wall=last-discard swap-limit=10",
)


def view_of(hand):
    return View(hand.to_move, hand, Match.begin(hand.rules, 1))


def decision(hand):
    return choose(view_of(hand))


def moved(hand, stock, move):
    """Return the hand after the move; a draw takes the next card of the stock."""
    return hand.drawing(stock.pop(0)) if isinstance(move, DrawStock) else hand.apply(move)


def play_out(hand, stock, players):
    stock = list(stock)
    while hand.result is None:
        hand = moved(hand, stock, players[hand.to_move](view_of(hand)))
    return hand


# --- whole hands ------------------------------------------------------------------------


def hands(text, count, seed, players):
    """Yield this many hands of matches, each with its list of moves; apply() raises for an illegal
    one."""
    rng, rules = random.Random(seed), parse_ruleset(text)
    second_deck = rules.knock_limit is KnockLimit.SECOND_DECK
    match = Match.begin(rules, 1)
    for _ in range(count):
        first = match.first_to_play if second_deck else None
        hand, stock = shuffled_deal(rng, match.dealer, rules, first)
        while hand.result is None:
            assert len(hand.moves) < 400
            move = players[hand.to_move](View(hand.to_move, hand, match))
            hand = moved(hand, stock, move)
        yield hand
        match = match.record(hand.result)
        if match.finished:
            match = Match.begin(rules, 1 - match.dealer)


@pytest.mark.parametrize("text", [*PRESETS, *MIXED])
@pytest.mark.deep(keep=1)
def test_two_bots_play_hands_to_their_end(text):
    results = [hand.result for hand in hands(text, 12, 11, (choose, choose))]
    assert len(results) == 12
    # Two good players usually finish a hand before the stock runs out.
    assert sum(result.winner is not None for result in results) >= 6


@pytest.mark.parametrize("text", [*PRESETS, *MIXED])
@pytest.mark.deep(keep=1)
def test_the_bot_beats_a_random_player(text):
    rng = random.Random(12)
    won, points = [0, 0], [0, 0]

    def at_random(view):
        return rng.choice(view.sensible_moves())

    for hand in hands(text, 8, 13, (choose, at_random)):
        if hand.result.winner is not None:
            won[hand.result.winner] += 1
            for seat in (0, 1):
                points[seat] += hand.result.points_of(seat)
    assert won[0] >= 4, (won, points)
    assert won[0] > 4 * won[1], (won, points)
    assert points[0] > 2 * points[1], (won, points)


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


def greedy_in_mahjong(view):
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


@pytest.mark.parametrize(
    ("text", "seed", "deals", "rival", "margin"),
    [("standard", 2024, 150, greedy, 1.2), ("mahjong", 6, 30, greedy_in_mahjong, 1.1)],
)
@pytest.mark.deep  # tests/adviser checks the learned values against these
def test_the_bot_beats_a_greedy_player(text, seed, deals, rival, margin):
    # Every deal is played from both sides, so that the luck of the deal cancels out. The bot wins
    # fewer hands than a player who knocks at once, but more points.
    rng, points = random.Random(seed), {choose: 0, rival: 0}
    for number in range(deals):
        hand, stock = shuffled_deal(rng, number % 2, parse_ruleset(text))
        for players in ((choose, rival), (rival, choose)):
            result = play_out(hand, stock, players).result
            for seat in (0, 1):
                points[players[seat]] += result.points_of(seat)
    assert points[choose] > margin * points[rival], points


@pytest.mark.parametrize("text", ["mahjong", "mahjong runs-wrap=yes"])
@pytest.mark.deep(keep=1)
def test_the_bot_always_has_a_move_in_hands_of_thirty_cards(text):
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
            hand = moved(hand, stock, hoard(hand))
    assert largest > 27


@pytest.mark.parametrize("more", ["knock-limit=1", "big-gin=none knock-limit=5", "tie=nobody"])
def test_every_move_of_the_bot_is_legal_by_every_playable_rule(more):
    assert len(list(hands(f"standard swap-limit=4 {more}", 4, 3, (choose, choose)))) == 4


@pytest.mark.parametrize("text", ["standard", "mahjong"])
def test_the_bot_does_not_use_the_opponents_hidden_cards(text):
    # At every decision the cards that the bot can't see are dealt again without its knowledge.
    rng = random.Random(4)
    for number in range(3):
        hand, stock = shuffled_deal(rng, number % 2, parse_ruleset(text))
        while hand.phase not in (Phase.LAY_OFF, Phase.OVER):
            move, me = decision(hand), hand.to_move
            known = hand.known_held(1 - me)
            seen = hand.hands[me] | mask_of(hand.pile) | known | hand.laid(0) | hand.laid(1)
            hidden = rng.sample(cards_of(DECK & ~seen), hand.size(1 - me) - popcount(known))
            assert decision(hand.knowing(1 - me, known | mask_of(hidden))) == move
            hand = moved(hand, stock, move)


def test_the_bot_always_decides_the_same_for_a_view():
    rng = random.Random(5)
    hand, stock = shuffled_deal(rng)
    first = play_out(hand, stock, (choose, choose))
    random.seed(99)
    assert play_out(hand, stock, (choose, choose)) == first


@pytest.mark.parametrize("rules", [STANDARD, MAHJONG])
def test_the_bot_has_no_move_without_its_own_hand(rules):
    with pytest.raises(Illegal):
        choose(view_of(Hand.begin(rules, 1, parse_card("7d"))))


def test_it_must_be_the_bots_turn():
    hand, _ = shuffled_deal(random.Random(1))
    with pytest.raises(ValueError, match="turn"):
        choose(View(1, hand, Match.begin(STANDARD, 1)))


# --- decisions in Mahjong gin, and what both advisers read from the pile ------------------
# tests/adviser/test_values.py compares the other decisions with those of the training.


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
    # With Jc the clubs are a run, and the king can be thrown to knock with the three.
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
    # The four of hearts is under the king; with it there are three fours.
    hand = deal(1, "8d Qd Ks 2h 6s Th 9h As 4c 4s", "4h Kh Ac 6d 9s Jh 2d Qc 7h 5d", "3h", MAHJONG)
    hand = played(hand, "pass", "pass", "draw Jc", "discard Jc", "draw 8c", "discard 4h")
    assert hand.upcard == parse_card("4h")
    assert decision(hand) == TakeUpcard()
    hand = played(hand, "draw Td", "discard Td", "draw 3d", "discard Kh")
    assert hand.pile[-3:] == tuple(map(parse_card, ("4h", "Td", "Kh")))
    assert str(decision(hand)) == "take 3 lay 4c4h4s"


def test_the_bot_does_not_take_many_loose_cards_for_a_small_meld():
    # Eight aces, tens and face cards lie on top of the two that would complete a meld.
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
    # The six of diamonds was the only card left. With the eight laid, only the nine would be left,
    # and a card can't be discarded in the turn in which it was taken.
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
