"""Which cards are near a card: those that can be in a meld of three with it."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from ginpeer.rules import CARDS, CardSet, Melding, mask_of, popcount
from ginpeer.rules.meld_tables import ACES


class Neighbours(NamedTuple):
    """For each card the pairs of others with which it is a set, and a run; the other cards of its
    rank; those one step away in its suit, and two; and all of them together."""

    set_pairs: tuple[tuple[CardSet, ...], ...]
    run_pairs: tuple[tuple[CardSet, ...], ...]
    mates: tuple[CardSet, ...]
    next: tuple[CardSet, ...]
    after_next: tuple[CardSet, ...]
    all: tuple[CardSet, ...]
    wraps: bool


@cache
def neighbours(ways: Melding) -> Neighbours:
    """Those of a game that melds in these ways."""
    threes = [meld for meld in ways.melds if popcount(meld) == 3]
    mates = tuple(ACES << card.rank & ~card.bit for card in CARDS)
    set_pairs, run_pairs, one, two = [], [], [], []
    wraps = ways.is_meld(mask_of((0, 11, 12)))
    for card in CARDS:
        pairs = [meld ^ card.bit for meld in threes if meld & card.bit]
        set_pairs.append(tuple(pair for pair in pairs if not pair & ~mates[card]))
        run_pairs.append(tuple(pair for pair in pairs if pair & ~mates[card]))
        steps: dict[int, CardSet] = {1: 0, 2: 0}
        for other in CARDS:
            step = abs(other.rank - card.rank)
            step = min(step, 13 - step) if wraps else step
            if other.suit == card.suit and step in steps:
                steps[step] |= other.bit
        one.append(steps[1])
        two.append(steps[2])
    return Neighbours(
        tuple(set_pairs),
        tuple(run_pairs),
        mates,
        tuple(one),
        tuple(two),
        tuple(map(lambda *sets: sets[0] | sets[1] | sets[2], mates, one, two)),
        wraps,
    )


_TWOS = ACES | ACES << 1
_KINGS = ACES << 12
_DECK = (1 << 52) - 1


def completing(kept: CardSet, wraps: bool) -> CardSet:
    """The cards that make a meld of three with two of these. A held card counts as one that comes
    once more; who asks looks at the others only."""
    above = kept << 1 & _DECK & ~ACES  # where the card below is held
    below = kept >> 1 & ~_KINGS
    two_above = kept << 2 & _DECK & ~_TWOS
    two_below = kept >> 2 & ~(_KINGS | _KINGS >> 1)
    if wraps:
        above |= kept >> 12 & ACES
        below |= (kept & ACES) << 12
        two_above |= kept >> 11 & _TWOS
        two_below |= (kept & _TWOS) << 11
    found = above & two_above | below & two_below | above & below
    return found | _held_twice(kept) * ACES


def _held_twice(kept: CardSet) -> int:
    """The ranks, as 13 bits, of which two or more are held."""
    clubs, diamonds = kept & 0x1FFF, kept >> 13 & 0x1FFF
    hearts, spades = kept >> 26 & 0x1FFF, kept >> 39
    return clubs & diamonds | hearts & spades | (clubs | diamonds) & (hearts | spades)
