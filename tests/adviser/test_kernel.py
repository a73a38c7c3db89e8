"""The training plays the real game: the C kernel is compared with the rules and the adviser."""

import ctypes
import random
from dataclasses import replace

import pytest

from ginpeer.adviser import features
from ginpeer.adviser.advise import choices
from ginpeer.adviser.observation import observe
from ginpeer.rules import (
    CARDS,
    ORDINARY,
    STANDARD,
    Discard,
    DrawStock,
    Knock,
    Match,
    Phase,
    Spread,
    View,
    cards_of,
    mask_of,
    melding,
    parse_ruleset,
)
from ginpeer.rules.melds import cards_in_runs
from tests.bench import claims
from tests.rules.drawing import shuffled_deal
from tests.training.kernel import COMPILER, CRow, c_sight, kernel

pytestmark = [
    pytest.mark.skipif(COMPILER is None, reason="no C compiler here"),
    pytest.mark.deep,  # test_values.py notices if only the adviser changes
]

WAYS = {
    0: "standard",
    1: "around-the-corner",
    2: "standard ace-pips=15",
    3: "around-the-corner ace-pips=15",
}


@pytest.fixture(scope="module")
def compiled():
    library = kernel()
    library.begin(1, 0)
    return library


def hands(rng, count):
    """Yield random hands of ten cards. Every second one has few ranks and therefore many melds."""
    for number in range(count):
        if number % 2:
            yield mask_of(rng.sample(CARDS, 10))
        else:
            ranks = rng.sample(range(13), 4) if number % 4 else range(4 + number % 7)
            yield mask_of(rng.sample([card for card in CARDS if card.rank in ranks], 10))


@pytest.mark.parametrize("ways", WAYS)
def test_the_kernel_counts_deadwood_as_the_rules_do(compiled, ways):
    rules, rng = melding(parse_ruleset(WAYS[ways])), random.Random(ways)
    for ten in hands(rng, 1_000):
        assert compiled.deadwood_of(ways, ten) == rules.deadwood(ten)
        eleven = ten | rng.choice([card for card in CARDS if not ten & card.bit]).bit
        assert compiled.after_discard_of(ways, eleven) == rules.deadwood_after_discard(eleven)


def test_the_kernel_answers_a_knock_as_the_rules_do(compiled):
    rng, answers = random.Random(7), 0
    for ten in hands(rng, 3_000):
        melds = ORDINARY.arrangements(ten)[0]
        if not melds:
            continue
        other = mask_of(rng.sample([card for card in CARDS if not ten & card.bit], 10))
        runs = [meld for meld in melds if cards_in_runs(meld, False)]
        best = ORDINARY.best_spread(other, melds)
        found = compiled.answer_of(0, other, sum(melds) - sum(runs), sum(runs))
        assert found == ORDINARY.pips(best.deadwood)
        answers += bool(best.layoffs)
    assert answers > 300


def walk(rng, rules):
    """Yield the views of a hand played at random, without knocks."""
    hand, stock = shuffled_deal(rng, rng.randrange(2), rules)
    while hand.phase not in (Phase.LAY_OFF, Phase.OVER):
        yield View(hand.to_move, hand, Match.begin(rules, 0))
        moves = [move for move in hand.legal_moves() if not hasattr(move, "melds")]
        move = rng.choice(moves)
        hand = hand.drawing(stock.pop(0)) if isinstance(move, DrawStock) else hand.apply(move)


def row_of(compiled, net, seen, kept, *, phase=0, dead=0, open_to=0):
    found = CRow()
    pointer = ctypes.byref(found)
    compiled.features_of(net, ctypes.byref(seen), kept, phase, dead, open_to, pointer)
    return sorted((found.at[i], found.amount[i]) for i in range(found.count))


@pytest.mark.parametrize("ways", WAYS)
def test_the_kernel_sees_what_the_adviser_sees(compiled, ways):
    rng, rules, positions = random.Random(20 + ways), parse_ruleset(WAYS[ways]), 0
    while positions < 500:
        for view in walk(rng, rules):
            seen = replace(observe(view), limit=rng.randrange(11))
            seen = replace(seen, waited=rng.randrange(5), knocks=rng.randrange(4))
            other = features.opponent_features(seen)
            if view.hand.phase is not Phase.DISCARD:
                phase = rng.randrange(3)
                row = other + features.future_features(seen, seen.cards, seen.pile)
                if phase == 1:
                    row += features.top_card_features(seen, seen.cards, seen.pile, seen.top)
                row += features.phase_feature(phase)
                like = c_sight(seen, ways, seen.pile, seen.top)
                assert row_of(compiled, 1, like, seen.cards, phase=phase) == sorted(row)
                continue
            for move in rng.sample(view.legal_moves(), 3):
                if not isinstance(move, Discard):
                    continue
                card, kept = move.card, seen.cards ^ move.card.bit
                pile = seen.pile | card.bit
                like = c_sight(seen, ways, pile, card)
                row = other + features.future_features(seen, kept, pile)
                row += features.top_card_features(seen, kept, pile, card)
                assert row_of(compiled, 0, like, kept) == sorted(row)
                dead, open_to = rng.randrange(11), seen.layoffs(seen.ways.arrangements(kept)[0])
                row = other + features.knock_features(seen, kept, pile, dead, open_to)
                found = row_of(compiled, 2, like, kept, dead=dead, open_to=open_to)
                assert found == sorted(row)
                positions += 1


def test_a_row_names_features_that_exist():
    rng = random.Random(3)
    for view in walk(rng, parse_ruleset("standard")):
        seen = observe(view)
        row = features.opponent_features(seen)
        row += features.future_features(seen, seen.cards, seen.pile)
        row += features.top_card_features(seen, seen.cards, seen.pile, cards_of(seen.cards)[0])
        assert all(0 <= at < features.KEEPING for at, _ in row)


@pytest.mark.parametrize("seed", range(10))
def test_the_measuring_program_values_and_plays_moves_as_the_bot_does(seed):
    match, deck = Match.begin(STANDARD, seed % 2), random.Random(seed).sample(CARDS, 52)
    hand, made = match.deal(deck=deck), []
    expected, points = claims.one_hand(deck, hand.to_move)
    while hand.phase is not Phase.OVER:
        best = choices(View(hand.to_move, hand, match))[0]
        if not isinstance(best.move, Spread):
            big = isinstance(best.move, Knock) and best.move.discard is None
            made.append((claims.MOVES.index(type(best.move)) + big, round(1000 * best.points)))
        hand = hand.apply(best.move)
    assert made == expected
    assert points == hand.result.points_of(0) - hand.result.points_of(1)
