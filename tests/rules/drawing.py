"""Hands drawn as pictures, and hands played up to a given point, for the tests of the rules."""

import pytest

from ginpeer.rules import (
    CARDS,
    DECK,
    STANDARD,
    Hand,
    Illegal,
    Knock,
    cards_of,
    mask_of,
    parse_card,
    parse_move,
    parse_set,
)


def drawn(picture):
    """Return the set of cards in a picture: card texts with any space between them."""
    return parse_set("".join(picture.split()))


def melds(*pictures):
    return tuple(drawn(picture) for picture in pictures)


def deal(dealer, non_dealers, dealers, upcard, rules=STANDARD):
    """Return a hand in which both players' cards are known, drawn as pictures."""
    return (
        Hand.begin(rules, dealer, parse_card(upcard))
        .knowing(1 - dealer, drawn(non_dealers))
        .knowing(dealer, drawn(dealers))
    )


def second_deck_deal(dealer, non_dealers, dealers, knock_card, first, rules):
    """Return a hand with both players' cards known, in which *knock_card*, from a second deck, sets
    the limit. The player in seat *first* draws first."""
    return (
        Hand.begin(rules, dealer, None, knock_card=parse_card(knock_card), first=first)
        .knowing(1 - dealer, drawn(non_dealers))
        .knowing(dealer, drawn(dealers))
    )


def shuffled_deal(rng, dealer=1, rules=STANDARD, first=None):
    """Return a random deal with both hands known, and the stock in drawing order.

    With a second deck, no upcard is turned, and *first* says who draws first."""
    deck = rng.sample(CARDS, 52)
    if first is None:
        hand, stock = Hand.begin(rules, dealer, deck[20]), deck[21:]
    else:
        hand = Hand.begin(rules, dealer, None, knock_card=rng.choice(CARDS), first=first)
        stock = deck[20:]
    hand = hand.knowing(1 - dealer, mask_of(deck[:10])).knowing(dealer, mask_of(deck[10:20]))
    return hand, stock


def played(hand, *texts):
    """Return the hand after these moves. "draw 7d" also says which card is drawn."""
    for text in texts:
        word, _, card = text.partition(" ")
        if word == "draw" and card:
            hand = hand.drawing(parse_card(card))
        else:
            hand = hand.apply(parse_move(text))
    return hand


def refused(hand, move, code):
    """Check that the move is refused with this code and leaves the hand unchanged. Return the
    sentence of the refusal."""
    before = str(hand)
    with pytest.raises(Illegal) as refusal:
        hand.apply(parse_move(move))
    assert refusal.value.code == code
    assert not hand.is_legal(parse_move(move))
    assert str(hand) == before
    return str(refusal.value)


def to_the_wall(hand, keep=""):
    """Let both players discard what they draw, until three cards are left in the stock. The cards
    in *keep* aren't drawn."""
    out = hand.hands[0] | hand.hands[1] | mask_of(hand.pile) | sum(hand.table_melds) | drawn(keep)
    stock = iter(cards_of(DECK & ~out))
    while hand.stock_left > 3:
        card = next(stock)
        hand = played(hand, f"draw {card}", f"discard {card}")
    return hand


def knocks(hand):
    """Return all legal knocks, sensible or not."""
    return [move for move in hand.legal_moves() if isinstance(move, Knock)]


def best_discards(ways, cards):
    """Return the least deadwood after one discard, and all discards that achieve it."""
    after = {card: ways.deadwood(cards ^ card.bit) for card in cards_of(cards)}
    least = min(after.values())
    return least, tuple(card for card in after if after[card] == least)


def settled(hand):
    """Return the result after the best answer to a knock."""
    return hand.apply(*hand.sensible_moves()).result
