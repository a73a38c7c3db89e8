"""What ten cards may become with the next one."""

from __future__ import annotations

from functools import cache

from ginpeer.adviser.neighbours import Neighbours, completing, neighbours
from ginpeer.rules import CARDS, DECK, CardSet, Melding, cards_of, mask_of, popcount
from ginpeer.rules.meld_tables import ACES, SUIT, cards_in_runs

_KINGS = ACES << 12


def after_draw(
    ways: Melding, kept: CardSet, unseen: CardSet, dead: int
) -> tuple[list[tuple[int, int]], CardSet]:
    """What the ten leave after one of these cards and a discard, ascending: deadwood, and after
    how many of the cards; and those that leave less by a meld."""
    after = ways.deadwood_after_discard
    # A card that melds with none of them leaves what they leave now, or takes another's place.
    dropped = after(kept)
    counts: dict[int, int] = {}
    melding = completing(kept, neighbours(ways).wraps) & unseen
    others = unseen & ~melding
    for pips, cards in _by_pips(ways):
        count = popcount(others & cards)
        if count:
            left = min(dead, dropped + pips)
            counts[left] = counts.get(left, 0) + count
    outs = 0
    while melding:
        bit = melding & -melding
        melding ^= bit
        left = after(kept | bit)
        outs |= bit if left < dead else 0
        counts[left] = counts.get(left, 0) + 1
    return sorted(counts.items()), outs


@cache
def _by_pips(ways: Melding) -> tuple[tuple[int, CardSet], ...]:
    values = sorted({ways.pips(card.bit) for card in CARDS})
    return tuple(
        (value, mask_of(card for card in CARDS if ways.pips(card.bit) == value)) for value in values
    )


def loose_of(ways: Melding, kept: CardSet, dead: int, wraps: bool) -> CardSet:
    """The cards without which less deadwood is left."""
    if not held_thrice(kept):
        return kept & ~cards_in_runs(kept, wraps)
    return mask_of(card for card in cards_of(kept) if ways.deadwood(kept ^ card.bit) < dead)


def has_partner(near: Neighbours, kept: CardSet, unseen: CardSet, card: int) -> bool:
    """Whether an unseen card would meld this one with another of these."""
    both = kept | unseen
    return any(
        pair & kept and pair & unseen and not pair & ~both
        for pair in near.set_pairs[card] + near.run_pairs[card]
    )


def lengthening(melded: CardSet, wraps: bool) -> CardSet:
    """The cards that go at once on a set or a run of these."""
    runs = cards_in_runs(melded, wraps)
    above, below = runs << 1 & DECK & ~ACES, runs >> 1 & ~_KINGS
    if wraps:
        above |= runs >> 12 & ACES
        below |= (runs & ACES) << 12
    return (above | below) & ~runs | held_thrice(melded) * ACES & ~melded


def held_thrice(cards: CardSet) -> int:
    clubs, diamonds = cards & SUIT, cards >> 13 & SUIT
    hearts, spades = cards >> 26 & SUIT, cards >> 39
    return clubs & diamonds & (hearts | spades) | (clubs | diamonds) & hearts & spades
