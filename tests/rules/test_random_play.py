"""Many hands at random, with the invariants watched after every move."""

import random

from ginpeer.rules import (
    CARDS,
    DECK,
    MELDS,
    STANDARD,
    Discard,
    DrawStock,
    Hand,
    Knock,
    Outcome,
    Pass,
    Phase,
    Spread,
    TakeUpcard,
    arrangements,
    best_discards,
    cards_of,
    mask_of,
    parse_hand,
    parse_move,
    pips_of,
    popcount,
)
from tests.rules.drawing import shuffled_deal


def choice(rng, hand):
    """Any legal move, but mostly one that comes nearer to a knock, and often no knock before gin,
    so that hands end in every way and not only at the wall."""
    moves = hand.legal_moves()
    if hand.phase is not Phase.DISCARD or rng.random() < 0.15:
        return rng.choice(moves)
    knocks = [move for move in moves if isinstance(move, Knock)]
    if knocks and rng.random() < 0.3:
        return min(knocks, key=lambda knock: pips_of(knock.deadwood))
    _, best = best_discards(hand.hand_of(hand.to_move))
    good = [Discard(card) for card in best if card != hand.taken]
    return rng.choice(good or moves)


def hands(count, seed):
    """For each position of so many random hands: the hand that knows all, the one that knows
    nothing, and the stock."""
    rng = random.Random(seed)
    for number in range(count):
        hand, stock = shuffled_deal(rng, dealer=number % 2)
        blind = Hand.begin(STANDARD, hand.dealer, hand.first_upcard)
        yield rng, hand, blind, stock
        while hand.result is None:
            move = choice(rng, hand)
            blind = blind.apply(move)
            is_draw = isinstance(move, DrawStock)
            hand = hand.drawing(stock.pop(0)) if is_draw else hand.apply(move)
            yield rng, hand, blind, stock


def test_every_card_is_in_one_place_and_every_hand_ends():
    outcomes = set()
    for _, hand, blind, stock in hands(250, seed=1):
        assert len(hand.moves) < 300
        assert hand.stock_left == len(stock) >= 2
        assert hand.seen_by(0).seen_by(1) == blind
        sizes = [popcount(hand.hands[seat]) for seat in (0, 1)]
        big_gin = hand.knock is not None and hand.knock.discard is None
        drawn = hand.phase is Phase.DISCARD
        assert sum(sizes) == 20 + (drawn or big_gin)
        places = [hand.hands[0], hand.hands[1], mask_of(hand.pile), mask_of(stock)]
        assert sum(places) == DECK  # no card twice and none missing, since each bit is set once
        assert sum(map(popcount, places)) == 52
        for seat in (0, 1):
            assert hand.known_held(seat) & ~hand.hands[seat] == 0
        if hand.result is not None:
            outcomes.add(hand.result.kind)
            assert hand.legal_moves() == ()
    assert outcomes >= {Outcome.GIN, Outcome.KNOCK, Outcome.UNDERCUT, Outcome.VOID}


def test_what_is_not_listed_is_refused():
    plain = [Pass(), TakeUpcard(), DrawStock(), *map(Discard, CARDS)]
    for _, hand, _, _ in hands(15, seed=2):
        listed = set(hand.legal_moves())
        for move in plain:
            assert hand.is_legal(move) is (move in listed), (str(hand), str(move))


def test_a_knock_or_spread_made_up_at_random_is_refused_or_within_the_rules():
    accepted = refused = 0
    for rng, hand, blind, _ in hands(120, seed=3):
        if hand.phase not in (Phase.DISCARD, Phase.LAY_OFF):
            continue
        cards = hand.hand_of(hand.to_move)
        thrown = rng.choice(cards_of(cards)) if hand.phase is Phase.DISCARD else None
        kept = cards if thrown is None else cards ^ thrown.bit
        # Some of the melds of a good arrangement, now and then with one that crosses or is foreign.
        melds = [meld for meld in rng.choice(arrangements(kept)) if rng.random() < 0.8]
        if rng.random() < 0.1:
            melds.append(rng.choice(MELDS))
        rest = cards_of(kept & ~mask_of(card for meld in melds for card in cards_of(meld)))
        if thrown is not None:
            move = Knock(thrown, tuple(melds), mask_of(rest))
        else:
            laid = tuple((card, rng.randrange(3)) for card in rest if rng.random() < 0.1)
            loose = mask_of(rest) & ~mask_of(card for card, _ in laid)
            move = Spread(tuple(melds), laid, loose)
        if not hand.is_legal(move):
            refused += 1
            continue
        accepted += 1
        assert blind.is_legal(move)
        assert move.cards == kept
        if thrown is not None:
            assert pips_of(move.deadwood) <= 10
            assert thrown != hand.taken
    assert accepted > 50
    assert refused > 50


def test_every_position_and_every_move_read_back_from_their_texts():
    for rng, hand, blind, _ in hands(40, seed=4):
        if hand.moves:
            move = hand.moves[-1][1]
            assert parse_move(str(move)) == move
        if hand.phase in (Phase.LAY_OFF, Phase.OVER) or rng.random() < 0.1:
            assert parse_hand(str(hand)) == hand
            assert parse_hand(str(blind)) == blind
