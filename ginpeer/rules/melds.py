"""Melds, least deadwood, and the defender's best answer (RULES 2, 3, 6)."""
# How the least deadwood is found.
#
# Split a hand into its four suits, 13 bits each. As long as no set is laid, the suits do not touch
# each other, and the least deadwood of one suit is a table of 8,192 bytes: _DEAD. So a hand without
# three of a rank costs four look-ups.
#
# A set takes its cards out of three or four suits, after which the suits are independent again. So
# it is enough to try, for each rank held three or four times, every sensible way of laying its set,
# or none: _loose_after_sets. Eleven cards hold at most three such ranks, and most of them need no
# branch at all: a set of which no card can be in a run is always laid, since breaking it can only
# add deadwood.
#
# Eleven cards and one discard (RULES 3.3) take the same walk once, not eleven times. Every
# arrangement of the ten cards kept is an arrangement of the eleven in which the thrown card is
# loose; and once the sets are laid, the best card to drop is again a table per suit: _DROP_GAIN.
# The argument for always laying a set that touches no run still holds: to throw one of its three
# cards would leave two as deadwood, where throwing any loose card, or the end of a meld of four,
# leaves less (eleven cards that all meld have a meld of four or more).

from __future__ import annotations

from functools import cache
from itertools import product

from ginpeer.rules.cards import CARDS, Card, CardSet, cards_of, popcount
from ginpeer.rules.moves import Spread

Meld = CardSet
"""Cards that form one meld: three or four of a rank, or three or more in sequence in a suit."""

_SUIT = (1 << 13) - 1
_FOUR_ACES = 1 | 1 << 13 | 1 << 26 | 1 << 39
_RUN_STARTS = ((1 << 11) - 1) * _FOUR_ACES  # ace to jack: where a run of three can begin


def _all_melds() -> tuple[Meld, ...]:
    sets = []
    for rank in range(13):
        four = _FOUR_ACES << rank
        sets.append(four)
        sets.extend(four ^ card.bit for card in cards_of(four))
    runs = [
        ((1 << length) - 1) << 13 * suit + low
        for suit in range(4)
        for length in range(3, 14)
        for low in range(14 - length)
    ]
    return tuple(sorted(sets + runs))


MELDS: tuple[Meld, ...] = _all_melds()
"""All 329 melds, 65 sets and 264 runs; 185 of them have three to five cards."""


# For each meld the cards that it takes up as it lies: the fourth of a set, the ends of a run.
def _taken_up() -> dict[Meld, CardSet]:
    melds = frozenset(MELDS)
    return {
        meld: sum(c.bit for c in CARDS if not meld & c.bit and meld | c.bit in melds)
        for meld in MELDS
    }


_TAKES = _taken_up()


def is_meld(mask: CardSet) -> bool:
    """Whether these cards together are one meld (RULES 2.1, 2.2)."""
    return mask in _TAKES


def _dead_table() -> bytes:
    """For each of the 8,192 rank sets of one suit its least deadwood by runs alone, at most 85."""
    dead = bytearray(1 << 13)
    for mask in range(1, 1 << 13):
        top = mask.bit_length() - 1
        best = dead[mask ^ 1 << top] + CARDS[top].pips  # the highest card is loose,
        run, low = 1 << top, top
        while low and mask >> (low - 1) & 1:
            low -= 1
            run |= 1 << low
            if top - low >= 2:
                best = min(best, dead[mask ^ run])  # or it is the end of a run
        dead[mask] = best
    return bytes(dead)


_DEAD = _dead_table()


def _drop_tables() -> tuple[tuple[int, ...], tuple[int, ...]]:
    """For each rank set of one suit: by how much dropping the best card lessens its deadwood
    (below zero where every card is needed, -128 for the empty suit), and all cards that do so."""
    gains = [-128]
    droppable = [0]
    for mask in range(1, 1 << 13):
        best, cards = -128, 0
        left = mask
        while left:
            bit = left & -left
            left ^= bit
            gain = _DEAD[mask] - _DEAD[mask ^ bit]
            if gain > best:
                best, cards = gain, bit
            elif gain == best:
                cards |= bit
        gains.append(best)
        droppable.append(cards)
    return tuple(gains), tuple(droppable)


_DROP_GAIN, _DROPPABLE = _drop_tables()


def _ranks_held_thrice(mask: CardSet) -> int:
    """The ranks, as 13 bits, of which the hand holds three or four."""
    clubs, diamonds = mask & _SUIT, mask >> 13 & _SUIT
    hearts, spades = mask >> 26 & _SUIT, mask >> 39
    return clubs & diamonds & (hearts | spades) | (clubs | diamonds) & hearts & spades


def _loose_after_sets(mask: CardSet, ranks: int, *, throwing: bool = False) -> list[CardSet]:
    """What is left of the hand for runs, for each sensible way of laying sets of these ranks.

    A card is left out of a set of four only for a run, or, if ``throwing``, to be thrown.
    """
    if popcount(ranks) > 3:  # the ways multiply with each rank: 6 ** 13 for the whole deck
        raise ValueError("least deadwood is defined for hands of up to eleven cards")
    starts = mask & mask >> 1 & mask >> 2 & _RUN_STARTS
    in_runs = starts | starts << 1 | starts << 2
    ways = [mask]
    while ranks:
        rank = ranks & -ranks
        ranks ^= rank
        four = rank * _FOUR_ACES
        held = mask & four
        wanted = held & in_runs
        laid = [way ^ held for way in ways]
        if held == four:
            spare = cards_of(held if throwing else wanted)
            laid += [way ^ held ^ card.bit for way in ways for card in spare]
            broken = popcount(wanted) > 1  # if runs want one card only, the other three are a set
        else:
            broken = wanted != 0
        ways = laid + ways if broken else laid
    return ways


def deadwood(mask: CardSet) -> int:
    """The least deadwood of a hand of up to eleven cards, in pips (RULES 3.2)."""
    # The one hot function of the engine: what _ranks_held_thrice and _dead say, written out.
    clubs, diamonds = mask & _SUIT, mask >> 13 & _SUIT
    hearts, spades = mask >> 26 & _SUIT, mask >> 39
    ranks = clubs & diamonds & (hearts | spades) | (clubs | diamonds) & hearts & spades
    if not ranks:
        return _DEAD[clubs] + _DEAD[diamonds] + _DEAD[hearts] + _DEAD[spades]
    return min(map(_dead, _loose_after_sets(mask, ranks)))


def _dead(loose: CardSet) -> int:
    """The least deadwood of these cards by runs alone."""
    return (
        _DEAD[loose & _SUIT]
        + _DEAD[loose >> 13 & _SUIT]
        + _DEAD[loose >> 26 & _SUIT]
        + _DEAD[loose >> 39]
    )


def best_discards(mask: CardSet) -> tuple[int, tuple[Card, ...]]:
    """The least deadwood that eleven cards leave after one discard, and every card whose discard
    leaves it (RULES 3.3). That a card just taken may not go is for the caller to apply."""
    least, thrown = 1_000, 0
    for loose in _ways_to_throw(mask):
        clubs, diamonds = loose & _SUIT, loose >> 13 & _SUIT
        hearts, spades = loose >> 26 & _SUIT, loose >> 39
        in_clubs, in_diamonds = _DROP_GAIN[clubs], _DROP_GAIN[diamonds]
        in_hearts, in_spades = _DROP_GAIN[hearts], _DROP_GAIN[spades]
        gain = max(in_clubs, in_diamonds, in_hearts, in_spades)
        left = _DEAD[clubs] + _DEAD[diamonds] + _DEAD[hearts] + _DEAD[spades] - gain
        if left > least:
            continue
        if left < least:
            least, thrown = left, 0
        if in_clubs == gain:
            thrown |= _DROPPABLE[clubs]
        if in_diamonds == gain:
            thrown |= _DROPPABLE[diamonds] << 13
        if in_hearts == gain:
            thrown |= _DROPPABLE[hearts] << 26
        if in_spades == gain:
            thrown |= _DROPPABLE[spades] << 39
    return least, cards_of(thrown)


def deadwood_after_discard(mask: CardSet) -> int:
    """The first half of ``best_discards``, in half its time."""
    least = 1_000
    for loose in _ways_to_throw(mask):
        clubs, diamonds = loose & _SUIT, loose >> 13 & _SUIT
        hearts, spades = loose >> 26 & _SUIT, loose >> 39
        gain = max(_DROP_GAIN[clubs], _DROP_GAIN[diamonds], _DROP_GAIN[hearts], _DROP_GAIN[spades])
        left = _DEAD[clubs] + _DEAD[diamonds] + _DEAD[hearts] + _DEAD[spades] - gain
        least = min(least, left)
    return least


def _ways_to_throw(mask: CardSet) -> list[CardSet]:
    ranks = _ranks_held_thrice(mask)
    return _loose_after_sets(mask, ranks, throwing=True) if ranks else [mask]


def arrangements(mask: CardSet) -> tuple[tuple[Meld, ...], ...]:
    """Every arrangement with the least deadwood, each once, its melds ascending as numbers.

    Canonical: two runs that would join into one are one run (RULES 3.4). A hand without a meld has
    one arrangement, the empty one.
    """
    ways = _loose_after_sets(mask, _ranks_held_thrice(mask))
    least = min(map(_dead, ways))
    found = []
    for loose in ways:
        if _dead(loose) == least:
            laid = mask ^ loose
            sets = [laid & _FOUR_ACES << rank for rank in range(13) if laid & _FOUR_ACES << rank]
            suits = [_best_runs(loose >> 13 * suit & _SUIT) for suit in range(4)]
            for runs in product(*suits):
                melds = [run << 13 * suit for suit in range(4) for run in runs[suit]]
                found.append(tuple(sorted(sets + melds)))
    return tuple(sorted(found))


@cache
def _best_runs(suit: int) -> tuple[tuple[int, ...], ...]:
    """Every canonical choice of runs in one suit's 13 bits that leaves its least deadwood."""
    if not suit:
        return ((),)
    top = suit.bit_length() - 1
    found: list[tuple[int, ...]] = []
    if _DEAD[suit ^ 1 << top] + CARDS[top].pips == _DEAD[suit]:
        found += _best_runs(suit ^ 1 << top)
    run = 1 << top
    for low in range(top - 1, -1, -1):
        run |= 1 << low
        if run & ~suit:
            break
        if top - low >= 2 and _DEAD[suit ^ run] == _DEAD[suit]:
            # A run that ends right below this one would join it.
            found += [(run, *more) for more in _best_runs(suit ^ run) if not _joins(more, low)]
    return tuple(found)


def _joins(runs: tuple[int, ...], low: int) -> bool:
    return any(run.bit_length() == low for run in runs)


def fits(card: Card, meld: Meld) -> bool:
    """Whether the card can be laid off on this meld as it lies (RULES 6.3)."""
    return _TAKES.get(meld, 0) & card.bit != 0


def best_spread(hand: CardSet, knocker_melds: tuple[Meld, ...]) -> Spread:
    """The defender's answer with the least deadwood over own melds and lay-offs together
    (RULES 6.4); among equals one with the fewest lay-offs. Against gin and big gin, where nothing
    may be laid off, pass no melds.

    Own melds first and the rest laid off is not enough: breaking a meld can be worth it.
    """
    best = Spread((), (), hand)
    least = (1_000, 0)
    for layoffs in product(*(_layoffs_on(meld, hand) for meld in knocker_melds)):
        laid, count = 0, 0
        for cards in layoffs:
            for card in cards:
                laid |= card.bit
                count += 1
        if popcount(laid) != count:
            continue  # a card that fits between two melds goes on one of them
        left = (deadwood(hand ^ laid), count)
        if left < least:
            least = left
            kept = hand ^ laid
            melds = arrangements(kept)[0]
            placed = tuple((card, at) for at, cards in enumerate(layoffs) for card in cards)
            best = Spread(melds, placed, kept ^ sum(melds))
    return best


def _layoffs_on(meld: Meld, hand: CardSet) -> list[tuple[Card, ...]]:
    """Every choice of the hand's cards that can go on this meld, each in an order that fits; the
    empty one first."""
    orders: dict[Meld, tuple[Card, ...]] = {meld: ()}
    growing = [meld]
    for grown in growing:  # which grows while it is walked: a run takes its next card only then
        for card in cards_of(hand & _TAKES.get(grown, 0)):
            if grown | card.bit not in orders:
                orders[grown | card.bit] = (*orders[grown], card)
                growing.append(grown | card.bit)
    return list(orders.values())
