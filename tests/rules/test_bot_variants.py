"""The bot in every variant: legal and to the end, better than chance, and sensible to the eye."""

import random

import pytest

from ginpeer.bot import choose
from ginpeer.rules import (
    PRESETS,
    Discard,
    DrawStock,
    Knock,
    Match,
    Pass,
    Phase,
    TakeUpcard,
    View,
    parse_card,
    parse_result,
    parse_ruleset,
)
from ginpeer.rules.parameters import KnockLimit
from tests.rules.drawing import (
    deal,
    drawn,
    played,
    second_deck_deal,
    shuffled_deal,
    to_the_wall,
)

# What no preset has, alone or joined.
MIXED = (
    "oklahoma knock-limit=second-deck ace-limit=one",
    "tedesco knock-limit=second-deck hands=2 columns=1",
    "standard opening=either-pile swap-limit=4",
    "oklahoma-floating opening=either-pile wall=last-discard",
    "straight wall=last-discard runs-wrap=yes ace-pips=15 big-gin=none",
    "mahjong runs-wrap=yes opening=either-pile",
    "mahjong wall=last-discard swap-limit=10",
)


def hands(text, count, seed, players):
    """So many hands of matches, each with its row of moves; apply() raises for an illegal one."""
    rng, rules = random.Random(seed), parse_ruleset(text)
    second_deck = rules.knock_limit is KnockLimit.SECOND_DECK
    match = Match.begin(rules, 1)
    for _ in range(count):
        first = match.first_to_play if second_deck else None
        hand, stock = shuffled_deal(rng, match.dealer, rules, first)
        while hand.result is None:
            assert len(hand.moves) < 400
            move = players[hand.to_move](View(hand.to_move, hand, match))
            is_draw = isinstance(move, DrawStock)
            hand = hand.drawing(stock.pop(0)) if is_draw else hand.apply(move)
        yield hand
        match = match.record(hand.result)
        if match.finished:
            match = Match.begin(rules, 1 - match.dealer)


@pytest.mark.parametrize("text", [*PRESETS, *MIXED])
def test_two_bots_play_hands_to_their_end(text):
    results = [hand.result for hand in hands(text, 24, 11, (choose, choose))]
    assert len(results) == 24
    # Two good players mostly bring a hand to its end before the stock runs out.
    assert sum(result.winner is not None for result in results) >= 12


@pytest.mark.parametrize("text", [*PRESETS, *MIXED])
def test_the_bot_beats_a_random_player(text):
    rng = random.Random(12)
    won, points = [0, 0], [0, 0]

    def at_random(view):
        return rng.choice(view.sensible_moves())

    for hand in hands(text, 16, 13, (choose, at_random)):
        if hand.result.winner is not None:
            won[hand.result.winner] += 1
            for seat in (0, 1):
                points[seat] += hand.result.points_of(seat)
    assert won[0] >= 8, (won, points)
    assert won[0] > 4 * won[1], (won, points)
    assert points[0] > 2 * points[1], (won, points)


def decision(hand, match=None):
    return choose(View(hand.to_move, hand, match or Match.begin(hand.rules, 1)))


# Three melds, a loose card, and the card that comes.
MELDED = "7c 7d 7h  3s 4s 5s  9c Tc Jc"
OTHER = "2c Ac 4d 6d 8h Th Js Ks Qd 5c"


def with_loose(loose, text, upcard="As", drawing="Kd"):
    hand = deal(1, MELDED + loose, OTHER, upcard, parse_ruleset(text))
    return played(hand, "pass", "pass", f"draw {drawing}")


def test_straight_gin_is_played_on_with_one():
    assert decision(with_loose("Ah", "straight")) == Discard(parse_card("Kd"))
    assert isinstance(decision(with_loose("Ah", "straight", drawing="6s")), Knock)


@pytest.mark.parametrize(("upcard", "knocks"), [("9d", True), ("8d", False), ("Ad", False)])
def test_the_upcard_sets_the_limit(upcard, knocks):
    move = decision(with_loose("9h", "oklahoma", upcard))
    assert isinstance(move, Knock if knocks else Discard)


@pytest.mark.parametrize(("upcard", "knocks"), [("9s", True), ("9d", False)])
def test_with_two_it_knocks_when_that_counts_double_and_wins_the_game(upcard, knocks):
    rules = parse_ruleset("oklahoma")
    match = Match.begin(rules, 1).record(
        parse_result("knock: seat 0 knocked with 1 against 51, 50 to seat 0")
    )
    move = decision(with_loose("2h", "oklahoma", upcard), match)
    assert isinstance(move, Knock if knocks else Discard)


@pytest.mark.parametrize(("thrown", "knocks"), [("Qd", True), ("6d", False)])
def test_the_last_discard_sets_a_floating_limit(thrown, knocks):
    hand = deal(0, OTHER, MELDED + "9h", "As", parse_ruleset("oklahoma-floating"))
    hand = played(hand, "pass", "pass", "draw 2d", f"discard {thrown}", "draw Kd")
    assert isinstance(decision(hand), Knock if knocks else Discard)


@pytest.mark.parametrize(("knock_card", "knocks"), [("9d", True), ("8d", False)])
def test_a_card_of_the_second_deck_sets_the_limit(knock_card, knocks):
    rules = parse_ruleset("oklahoma knock-limit=second-deck")
    hand = second_deck_deal(1, MELDED + "9h", OTHER, knock_card, 0, rules)
    assert decision(hand) == DrawStock()
    assert isinstance(decision(played(hand, "draw Kd")), Knock if knocks else Discard)


LOOSE = "7c 7d  3s 4s  Kd Qh 9c Jc 2h 8s"


@pytest.mark.parametrize(("upcard", "move"), [("5s", TakeUpcard()), ("Kh", DrawStock())])
def test_with_either_pile_it_takes_what_melds_and_else_draws(upcard, move):
    rules = parse_ruleset("standard opening=either-pile")
    assert decision(deal(1, LOOSE, "Ac 2c 4d 6d 8h Th Js Ks Qc 5c", upcard, rules)) == move


# Nothing melds; queen and king want the ace around the corner, or the jack.
CORNER = "Qs Ks 7c 8d 3h 3d 5h 9c Jd 8h"
FAR = "2c 2d 4d 6d 4h Th Jc Tc Qd 5c"


@pytest.mark.parametrize(
    ("text", "move"), [("around-the-corner", TakeUpcard()), ("standard", Pass())]
)
def test_queen_and_king_want_an_ace_around_the_corner(text, move):
    hand = deal(0, FAR, CORNER, "As", parse_ruleset(text))
    assert decision(played(hand, "pass")) == move


@pytest.mark.parametrize(("text", "dearest"), [("tedesco", True), ("standard", False)])
def test_a_loose_ace_of_fifteen_goes_first(text, dearest):
    rules = parse_ruleset(text)
    others = "2c 2d 4d 6d 4h 6h Jc Tc Qd 5c"
    hand = deal(1, "7c 7d 7h  3s 4s 5s  8d 9h 3c Ah", others, "2s", rules)
    hand = played(hand, "pass", "pass", "draw 9c")
    assert (decision(hand) == Discard(parse_card("Ah"))) is dearest


@pytest.mark.parametrize(("last", "move"), [("Jc", TakeUpcard()), ("Qc", Pass())])
def test_the_last_discard_is_taken_to_knock_or_not_at_all(last, move):
    # With Jc the clubs are a run, and one king can go to knock with the other.
    rules = parse_ruleset("standard wall=last-discard")
    hand = deal(0, OTHER, "7c 7d 7h  3s 4s 5s  9c Tc Kd Kh", "As", rules)
    hand = to_the_wall(played(hand, "pass", "pass"), keep="Jc Qc")
    hand = played(hand, f"draw {last}", f"discard {last}")
    assert hand.phase is Phase.LAST_CHANCE
    assert hand.to_move == 0
    assert decision(hand) == move
    if move == TakeUpcard():
        knock = decision(played(hand, "take"))
        assert isinstance(knock, Knock)
        assert knock.deadwood in (drawn("Kd"), drawn("Kh"))


def ahead(rules, points):
    result = parse_result(f"knock: seat 0 knocked with 1 against {points + 1}, {points} to seat 0")
    return Match.begin(parse_ruleset(rules), 1).record(result)


def test_with_two_it_knocks_to_win_a_column():
    hand = with_loose("2h", "hollywood")
    assert isinstance(decision(hand, ahead("hollywood", 95)), Knock)
    assert isinstance(decision(hand, ahead("hollywood", 20)), Discard)


def test_with_two_it_knocks_to_win_the_last_of_so_many_hands():
    hand = with_loose("2h", "standard hands=2")
    behind = Match.begin(hand.rules, 1).record(
        parse_result("knock: seat 1 knocked with 1 against 6, 5 to seat 1")
    )
    assert isinstance(decision(hand, behind), Knock)
    assert isinstance(decision(hand, Match.begin(hand.rules, 1)), Discard)


def test_with_two_it_knocks_to_win_the_last_hand_though_a_target_is_far():
    hand = with_loose("2h", "standard hands=2 target=100")
    behind = Match.begin(hand.rules, 1).record(
        parse_result("knock: seat 1 knocked with 1 against 6, 5 to seat 1")
    )
    assert isinstance(decision(hand, behind), Knock)
    assert isinstance(decision(hand, Match.begin(hand.rules, 1)), Discard)
