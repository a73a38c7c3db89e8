"""The adviser lists every choice with its value, using only what the seat can see."""

import random

import pytest

from ginpeer.adviser.advise import advise, assess, can_advise, choices
from ginpeer.rules import (
    DECK,
    PRESETS,
    STANDARD,
    Discard,
    DrawStock,
    Illegal,
    Knock,
    Match,
    Phase,
    View,
    cards_of,
    mask_of,
    parse_card,
    parse_ruleset,
    popcount,
)
from ginpeer.rules.parameters import KnockLimit
from tests.rules.drawing import deal, played, shuffled_deal

ADVISED = [name for name in PRESETS if can_advise(parse_ruleset(name))]


def positions(rules, count, seed):
    """Yield the view before each move of *count* hands, including the answers to knocks, with all
    its choices. Each move is one of the three best."""
    rng = random.Random(seed)
    match = Match.begin(rules, 1)
    first = 0 if rules.knock_limit is KnockLimit.SECOND_DECK else None
    for number in range(count):
        hand, stock = shuffled_deal(rng, number % 2, rules, first)
        while not hand.over:
            view = View(hand.to_move, hand, match)
            found = choices(view)
            yield view, found
            move = rng.choice(found[:3]).move
            hand = hand.drawing(stock.pop(0)) if isinstance(move, DrawStock) else hand.apply(move)


@pytest.mark.parametrize("text", [*ADVISED, "oklahoma knock-limit=second-deck"])
@pytest.mark.deep(keep=1)
def test_every_sensible_move_is_rated_and_the_best_comes_first(text):
    for view, found in positions(parse_ruleset(text), 1, 1):
        assert {str(each.move) for each in found} == set(map(str, view.sensible_moves()))
        assert [each.points for each in found] == sorted(
            (each.points for each in found), reverse=True
        )


@pytest.mark.parametrize("text", ["standard", "oklahoma", "around-the-corner", "straight"])
def test_declining_gin_costs_points_but_not_more_than_gin_is_worth(text):
    mine, other = "7c 7d 7h  3s 4s 5s  9c Tc Jc Qc", "Ac 2c 4d 6d 8h Th Js Ks Qd 5c"
    rules = parse_ruleset(text)
    hand = played(deal(1, mine, other, "Kd", rules), "pass", "pass", "draw Kh")
    worth = {each.move: each.points for each in choices(View(0, hand, Match.begin(rules, 1)))}
    gin = max(points for move, points in worth.items() if isinstance(move, Knock))
    assert 0 < gin - worth[Discard(parse_card("Kh"))] < 40


@pytest.mark.parametrize("text", ["standard", "oklahoma-floating", "tedesco", "straight"])
@pytest.mark.deep(keep=1)
def test_positions_that_look_alike_get_the_same_advice(text):
    rng = random.Random(4)
    for view, found in positions(parse_ruleset(text), 1, 2):
        if view.hand.phase is Phase.LAY_OFF:
            continue
        hand, other = view.hand, 1 - view.seat
        known = hand.known_held(other)
        seen = view.cards | mask_of(hand.pile) | known
        hidden = rng.sample(cards_of(DECK & ~seen), 10 - popcount(known))
        behind = hand.knowing(other, known | mask_of(hidden))
        alike = View(view.seat, behind, view.match)
        assert choices(alike) == found
        assert all(advise(alike, each) == advise(view, each) for each in found)


def test_a_single_move_is_assessed_as_in_the_advice():
    for view, found in [*positions(STANDARD, 1, 3)][::5]:
        assert assess(view, found[-1].move) == found[-1]


def test_an_illegal_move_is_not_assessed():
    hand = deal(1, "7c 7d 3s 4s Kd Qh 9c Jc 2h 8s", "Ac 2c 4d 6d 8h Th Js Ks Qc 5c", "7h")
    with pytest.raises(Illegal):
        assess(View(0, hand, Match.begin(STANDARD, 1)), Discard(parse_card("7c")))


def test_there_is_no_advice_in_mahjong_gin_or_out_of_turn():
    rules = parse_ruleset("mahjong")
    hand = deal(1, "7c 7d 3s 4s Kd Qh 9c Jc 2h 8s", "Ac 2c 4d 6d 8h Th Js Ks Qc 5c", "7h", rules)
    with pytest.raises(ValueError, match="Mahjong"):
        choices(View(0, hand, Match.begin(rules, 1)))
    with pytest.raises(ValueError, match="turn"):
        choices(View(1, hand, Match.begin(STANDARD, 1)))
