"""Well-formed messages that make arbitrary claims about a hand."""

from __future__ import annotations

import random

from protocol import messages as m


def some_cards(choice: random.Random, most: int) -> tuple[int, ...]:
    return tuple(choice.randrange(52) for _ in range(choice.randrange(most + 1)))


def some_melds(choice: random.Random, cards: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Return arbitrary melds, mostly of the cards shown; some of them are real melds."""
    pool = cards if cards and choice.random() < 0.8 else tuple(range(52))
    melds = []
    for _ in range(choice.randrange(5)):
        size = min(choice.randrange(6), len(set(pool)))
        melds.append(tuple(sorted(choice.sample(sorted(set(pool)), size))))
    return tuple(melds)


def nonsense(kind: type[m.Message], honest: m.Message, choice: random.Random) -> m.Message:
    """Return a well-formed message of this kind with arbitrary contents."""
    cards = honest.cards if choice.random() < 0.6 else some_cards(choice, 12)
    if choice.random() < 0.3:
        cards = tuple(choice.sample(cards, len(cards)))
    melds = honest.melds if choice.random() < 0.3 else some_melds(choice, cards)
    if kind is m.Knock:
        discard = choice.choice((None, honest.discard, choice.randrange(52)))
        return m.Knock(honest.hand, honest.argument, cards, discard, melds, honest.opening)
    layoffs = tuple(
        m.LayOff(choice.choice(cards or (0,)), choice.randrange(4))
        for _ in range(choice.randrange(5))
    )
    return m.Spread(cards, melds, layoffs, honest.opening)


def lay_of_anything(honest: m.Lay, choice: random.Random) -> m.Lay:
    """Return a well-formed lay with arbitrary contents."""
    laid = tuple(sorted(honest.cards))
    count = choice.choice((len(laid), choice.randrange(1, 12)))
    positions = tuple(sorted(choice.sample(range(choice.choice((11, 52))), min(count, 11))))
    cards = laid if len(positions) == len(laid) else some_cards(choice, 52)[: len(positions)]
    cards += tuple(choice.randrange(52) for _ in range(len(positions) - len(cards)))
    melds = honest.melds if choice.random() < 0.3 else some_melds(choice, cards)
    adds = tuple(
        m.LayOff(choice.choice(cards), choice.choice((0, 1, 2, choice.randrange(17))))
        for _ in range(choice.randrange(4))
    )
    if choice.random() < 0.6:  # lay the opened cards
        left = [card for card in cards if card not in {c for meld in melds for c in meld}]
        adds = tuple(m.LayOff(card, choice.randrange(4)) for card in left)
        cards = tuple(sorted(card for meld in melds for card in meld)) + tuple(left)
        positions = tuple(range(len(cards)))
    if not cards:
        return honest
    return m.Lay(honest.hand, honest.argument, positions, cards, melds, adds, honest.opening)
