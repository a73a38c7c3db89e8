"""Which knocks are possible, and which of them can matter (RULES 5.3).

A knocker may lay any melds and keep any other cards as deadwood, up to the limit. Holding a card
back costs its pips but can win more, because cards that fitted next to it then fit nowhere. Take
the ace of clubs, 4 to 9 of clubs and 5 6 7 of spades: this hand knocks with 1, and a defender who
lays off the ten and jack of clubs and the 8 of spades has no deadwood left. With the 9 of clubs
held back it knocks with 10; then the ten and jack can't be laid off, and the knock wins.

A knock is dropped if another with the same discard leaves no more deadwood and allows no
additional lay-off: whatever the defender holds, the dropped knock is never better. The knocks that
remain can matter.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ginpeer.rules.cards import Card, CardSet, cards_of, mask_of
from ginpeer.rules.melds import Meld, Melding
from ginpeer.rules.moves import Knock

LayOffs = frozenset[tuple[Card, CardSet]]
"""Cards that can be laid off, each with the cards that must be laid off before it."""


def all_knocks(
    hand: CardSet, discardable: CardSet, limit: int, ways: Melding, *, big_gin: bool
) -> Iterator[Knock]:
    """Yield every knock of these eleven cards that discards one of the *discardable* cards, and
    every big gin."""
    for melds in ways.all_arrangements(hand):
        loose = hand ^ sum(melds)
        if not loose:
            if big_gin:
                yield Knock(None, melds, 0)
            continue
        for card in cards_of(loose & discardable):
            if ways.pips(loose ^ card.bit) <= limit:
                yield Knock(card, melds, loose ^ card.bit)


def sensible_arrangements(
    kept: CardSet, unseen: CardSet, limit: int, ways: Melding
) -> list[tuple[Meld, ...]]:
    """Return the arrangements of these ten cards that can matter, those with the least deadwood
    first, if the defender may hold any of the unseen cards. Return none if the least deadwood is
    above the limit."""
    best = ways.arrangements(kept)
    least = ways.pips(kept ^ sum(best[0]))
    if least > limit:
        return []
    if not least:
        return [best[0]]  # gin: nothing can be laid off, and no other knock is worth more
    found = list(best)
    if least < limit:  # holding a card back costs at least one pip
        found += sorted(
            (
                melds
                for melds in ways.all_arrangements(kept)
                if least < ways.pips(kept ^ sum(melds)) <= limit
            ),
            key=lambda melds: (ways.pips(kept ^ sum(melds)), len(melds), melds),
        )
    if len(found) == 1:
        return found
    rated = [(ways.pips(kept ^ sum(m)), layoffs_on(m, unseen, ways), m) for m in found]
    return [melds for at, (*_, melds) in enumerate(rated) if not _is_outdone(at, rated)]


def _is_outdone(at: int, rated: list[tuple[int, LayOffs, tuple[Meld, ...]]]) -> bool:
    """Return whether another arrangement is always at least as good; of equal ones, the first
    stays."""
    count, allowed, _ = rated[at]
    for other, (less, fewer, _) in enumerate(rated):
        if other != at and less <= count and allows(allowed, fewer):
            alike = less == count and allows(fewer, allowed)
            if other < at or not alike:
                return True
    return False


def layoffs_on(melds: Sequence[Meld], unseen: CardSet, ways: Melding) -> LayOffs:
    """Return what a defender who may hold any of the unseen cards could lay off on these melds."""
    return frozenset(
        (chain[-1], mask_of(chain[:-1])) for meld in melds for chain in ways.chains_on(meld, unseen)
    )


def allows(one: LayOffs, other: LayOffs) -> bool:
    """Return whether the first set of lay-offs allows every lay-off of the second."""
    return all(
        (card, 0) in one or any(card == same and not needs & ~before for same, needs in one)
        for card, before in other
    )
