"""The bot in every variant: it plays legally to the end, better than chance, and sensibly to the
eye."""

import random

import pytest

from ginpeer.adviser import choose
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
    parse_ruleset,
)
from ginpeer.rules.parameters import KnockLimit
from tests.rules.drawing import deal, drawn, played, shuffled_deal, to_the_wall

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
            is_draw = isinstance(move, DrawStock)
            hand = hand.drawing(stock.pop(0)) if is_draw else hand.apply(move)
        yield hand
        match = match.record(hand.result)
        if match.finished:
            match = Match.begin(rules, 1 - match.dealer)


@pytest.mark.parametrize("text", [*PRESETS, *MIXED])
@pytest.mark.deep(keep=1)
def test_two_bots_play_hands_to_their_end(text):
    results = [hand.result for hand in hands(text, 24, 11, (choose, choose))]
    assert len(results) == 24
    # Two good players usually finish a hand before the stock runs out.
    assert sum(result.winner is not None for result in results) >= 12


@pytest.mark.parametrize("text", [*PRESETS, *MIXED])
@pytest.mark.deep(keep=1)
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


LOOSE = "7c 7d  3s 4s  Kd Qh 9c Jc 2h 8s"


@pytest.mark.parametrize(("upcard", "move"), [("5s", TakeUpcard()), ("Kh", DrawStock())])
def test_with_either_pile_it_takes_what_melds_and_else_draws(upcard, move):
    rules = parse_ruleset("standard opening=either-pile")
    assert decision(deal(1, LOOSE, "Ac 2c 4d 6d 8h Th Js Ks Qc 5c", upcard, rules)) == move


# Nothing melds; queen and king need the ace around the corner, or the jack.
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
