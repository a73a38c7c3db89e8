"""Melds, least deadwood, the knocks that can matter, and the defender's best answer (RULES 2, 3, 5,
6, 11).

A suit's ranks are 13 bits, the ace lowest; ``runs_wrap`` says whether a run may continue from the
king to the ace.
"""
# How the least deadwood is found.
#
# Split a hand into its four suits, 13 bits each. As long as no set is laid, the suits are
# independent, and within a suit every stretch of three or more cards is a run: the least deadwood
# of one suit is in a table of 8,192 bytes. So a hand without three of a rank takes four lookups.
#
# Laying a set takes cards out of three or four suits, after which the suits are independent again.
# So it is enough to try, for each rank held three or four times, every sensible way of laying its
# set, and of laying no set: _loose_after_sets. Eleven cards have at most three such ranks, and most
# of these need no branch at all: if no card of a set can be in a run, the set is always laid, since
# breaking it can only add deadwood.
#
# For eleven cards and one discard (RULES 3.3), this search runs once, not eleven times. Every
# arrangement of the ten cards kept is an arrangement of the eleven in which the thrown card is
# loose; and once the sets are laid, the best card to drop comes from another table per suit:
# _drop_gain. The argument for always laying a set that touches no run still holds: throwing one of
# its three cards would leave two as deadwood, and throwing any loose card, or the end of a meld of
# four, leaves less (eleven cards that all meld have a meld of four or more).
#
# Around the corner (RULES 11), only the stretches change, and an ace of fifteen changes only the
# numbers in the tables. So there is one algorithm with four sets of tables; a game of ordinary gin
# builds one of them.

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import product

from ginpeer.rules.cards import (
    CARDS,
    Card,
    CardSet,
    Illegal,
    cards_of,
    check_set,
    mask_of,
    popcount,
    set_text,
)
from ginpeer.rules.moves import Knock, Spread
from ginpeer.rules.ruleset import STANDARD, RuleSet

Meld = CardSet
"""Cards that form one meld: three or four of a rank, or three or more in sequence in a suit."""

SUIT = (1 << 13) - 1
ACES = 1 | 1 << 13 | 1 << 26 | 1 << 39
_RUN_STARTS = ((1 << 11) - 1) * ACES  # ace to jack: a run of three can begin there in any game
_QUEEN_TO_ACE = 1 | 1 << 11 | 1 << 12
_KING_TO_TWO = 1 | 1 << 1 | 1 << 12


def cards_in_runs(mask: CardSet, runs_wrap: bool) -> CardSet:
    starts = mask & mask >> 1 & mask >> 2 & _RUN_STARTS
    found = starts | starts << 1 | starts << 2
    if runs_wrap:
        ace_and_king = mask & mask >> 12 & ACES  # the ace bit of each suit that has both
        found |= (ace_and_king & mask >> 11) * _QUEEN_TO_ACE
        found |= (ace_and_king & mask >> 1) * _KING_TO_TWO
    return found


def ranks_held_thrice(mask: CardSet) -> int:
    """Return the ranks, as 13 bits, with three or four of these cards."""
    clubs, diamonds = mask & SUIT, mask >> 13 & SUIT
    hearts, spades = mask >> 26 & SUIT, mask >> 39
    return clubs & diamonds & (hearts | spades) | (clubs | diamonds) & hearts & spades


def stretches(suit: int, runs_wrap: bool) -> list[int]:
    """Split the 13 bits of one suit into sequences of consecutive cards."""
    found = []
    while suit:
        stretch = suit & ~(suit + (suit & -suit))  # adding carries through the lowest ones in a row
        found.append(stretch)
        suit ^= stretch
    if runs_wrap and len(found) > 1 and found[0] & 1 and found[-1] >> 12:
        found[0] |= found.pop()
    return found


def all_melds(runs_wrap: bool) -> tuple[Meld, ...]:
    """Return all melds in numerical order: 65 sets, and 264 runs (524 if *runs_wrap*)."""
    sets = []
    for rank in range(13):
        four = ACES << rank
        sets.append(four)
        sets.extend(four ^ card.bit for card in cards_of(four))
    runs = set()
    for length in range(3, 14):
        for low in range(13 if runs_wrap else 14 - length):
            run = ((1 << length) - 1) << low
            run = run & SUIT | run >> 13  # cards past the king continue at the ace
            runs |= {run << 13 * suit for suit in range(4)}
    return tuple(sorted([*sets, *runs]))


def cards_that_fit(melds: tuple[Meld, ...]) -> dict[Meld, CardSet]:
    """Return what fits on each meld: a set's fourth card, or the next card at an end of a run."""
    known = frozenset(melds)
    return {
        meld: sum(c.bit for c in CARDS if not meld & c.bit and meld | c.bit in known)
        for meld in melds
    }


def dead_table(runs_wrap: bool, ace_pips: int) -> bytes:
    """Return the least deadwood (0 to 74), with runs only, of each of a suit's 8,192 rank sets."""
    pips = [0]
    for rank in range(13):
        more = ace_pips if rank == 0 else CARDS[rank].pips
        pips += [more + count for count in pips]
    return bytes(pips[suit & ~cards_in_runs(suit, runs_wrap)] for suit in range(1 << 13))


def drop_gains(dead: bytes) -> tuple[int, ...]:
    """Return, for each rank set of one suit, by how much dropping the best card reduces its
    deadwood: negative if every card is needed, -128 for the empty suit."""
    gains = [-128]
    for mask in range(1, 1 << 13):
        best, left = -128, mask
        while left:
            bit = left & -left
            left ^= bit
            gain = dead[mask] - dead[mask ^ bit]
            if gain > best:
                best = gain
        gains.append(best)
    return tuple(gains)


# In a large hand, at most this many ways to lay sets are followed from rank to rank. Eleven cards
# never have more: at most two fours and a three, with six ways for each four (all of it, all but
# one card, or none) and two for the three.
_MAX_WAYS = 72


class Melding:
    """One way to meld and count: with or without runs around the corner, and with aces of 1 or 15.

    ``melding`` returns the one for a rule set, ``hand.melding`` that of a hand, and ``ORDINARY`` is
    that of the standard game. ``melds`` lists all melds in ascending order. Every method that
    returns a count or melds, except ``melds_in``, raises Unreadable for a number that isn't a set
    of cards.

    >>> from ginpeer.rules import ORDINARY, parse_set, set_text
    >>> hand = parse_set("3c4c5c7c7h7s2dQhKsAc")
    >>> ORDINARY.deadwood(hand)
    23
    >>> [[set_text(meld) for meld in melds] for melds in ORDINARY.arrangements(hand)]
    [['3c4c5c', '7c7h7s']]
    """

    def __init__(self, runs_wrap: bool, ace_pips: int) -> None:
        self._runs_wrap = runs_wrap
        self._ace_pips = ace_pips
        self.melds = all_melds(runs_wrap)
        self._takes = cards_that_fit(self.melds)
        self._dead = dead_table(runs_wrap, ace_pips)
        self._drop_gain = drop_gains(self._dead)

    def pips(self, mask: CardSet) -> int:
        """Return the deadwood count of these cards (RULES 3.1, 11.3)."""
        return sum(self._ace_pips if card.rank == 0 else card.pips for card in cards_of(mask))

    def is_meld(self, mask: CardSet) -> bool:
        """Return whether these cards together are one meld (RULES 2.1, 2.2, 11.1)."""
        return mask in self._takes

    def check_melds(self, melds: Iterable[CardSet]) -> None:
        """Raise Illegal if any of these isn't a meld."""
        for meld in melds:
            if not self.is_meld(meld):
                raise Illegal("not-a-meld", f"{set_text(meld)} isn't a meld.", "2.1, 2.2")

    def taken_by(self, meld: Meld) -> CardSet:
        """Return the cards that can be laid off on this meld as it is; none if it isn't a meld."""
        return self._takes.get(meld, 0)

    def fits(self, card: Card, meld: Meld) -> bool:
        """Return whether the card can be laid off on this meld as it is (RULES 6.3, 11.2)."""
        return self.taken_by(meld) & card.bit != 0

    def extended(
        self, melds: Sequence[Meld], cards: Iterable[tuple[Card, int]], code: str, rule: str
    ) -> tuple[Meld, ...]:
        """Return these melds with each card put on the meld with its index, in order. Raises
        Illegal with this code if a card doesn't fit when its turn comes."""
        grown = list(melds)
        for card, index in cards:
            if index >= len(grown):
                raise Illegal(code, f"There is no meld number {index}.", rule)
            if not self.fits(card, grown[index]):
                raise Illegal(code, f"{card} doesn't fit on {set_text(grown[index])}.", rule)
            grown[index] |= card.bit
        return tuple(grown)

    def melds_within(self, mask: CardSet) -> list[Meld]:
        """Return every meld that these cards contain, ascending; melds may overlap."""
        check_set(mask)
        return [meld for meld in self.melds if not meld & ~mask]

    def chains_on(self, meld: Meld, cards: CardSet) -> Iterator[tuple[Card, ...]]:
        """Yield each of these cards that can be laid off on this meld as a chain: first the cards
        that must be laid off before it, then the card itself. On 3c4c5c, 6c is a chain by itself,
        and the chain of 7c is 6c 7c."""
        here = self.taken_by(meld)
        for first in cards_of(here & cards):
            yield (first,)
            # The longer run then takes its next card, and so on. Cards that already fitted go on
            # its other end.
            chain: tuple[Card, ...] = (first,)
            grown = meld | first.bit
            while after := self.taken_by(grown) & ~here & cards:
                chain = (*chain, *cards_of(after))
                grown |= after
                yield chain

    def deadwood(self, mask: CardSet) -> int:
        """Return the least deadwood of a hand of up to eleven cards, in pips (RULES 3.2).

        Raises ValueError for a larger hand with three or more cards of each of four ranks.
        """
        # The engine's one hot function: ranks_held_thrice and _dead_by_runs are inlined.
        clubs, diamonds = mask & SUIT, mask >> 13 & SUIT
        hearts, spades = mask >> 26 & SUIT, mask >> 39
        if spades >> 13:
            check_set(mask)  # this raises: the number isn't a set of cards
        ranks = clubs & diamonds & (hearts | spades) | (clubs | diamonds) & hearts & spades
        if not ranks:
            dead = self._dead
            return dead[clubs] + dead[diamonds] + dead[hearts] + dead[spades]
        ways = self._loose_after_sets(mask, ranks)
        return self._dead_by_runs(ways[0]) if len(ways) == 1 else min(map(self._dead_by_runs, ways))

    def _dead_by_runs(self, loose: CardSet) -> int:
        """Return the least deadwood of these cards if only runs are melded."""
        dead = self._dead
        return (
            dead[loose & SUIT]
            + dead[loose >> 13 & SUIT]
            + dead[loose >> 26 & SUIT]
            + dead[loose >> 39]
        )

    def deadwood_after_discard(self, mask: CardSet) -> int:
        """Return the least deadwood that eleven cards leave after one discard (RULES 3.3).

        The caller must exclude a card that was just taken. Raises ValueError as ``deadwood`` does.
        """
        check_set(mask)
        ranks = ranks_held_thrice(mask)
        dead, gains = self._dead, self._drop_gain
        least = 1_000
        for loose in self._loose_after_sets(mask, ranks, throwing=True) if ranks else [mask]:
            clubs, diamonds = loose & SUIT, loose >> 13 & SUIT
            hearts, spades = loose >> 26 & SUIT, loose >> 39
            gain = max(gains[clubs], gains[diamonds], gains[hearts], gains[spades])
            left = dead[clubs] + dead[diamonds] + dead[hearts] + dead[spades] - gain
            least = min(least, left)
        return least

    def _loose_after_sets(
        self, mask: CardSet, ranks: int, *, throwing: bool = False
    ) -> list[CardSet]:
        """Return the cards left for runs, for each sensible way of laying sets of these ranks.

        A set of four leaves a card out only for a run or, if ``throwing``, to be discarded.
        """
        if popcount(ranks) > 3:  # the ways multiply with each rank: 6 ** 13 for the whole deck
            raise ValueError("least deadwood is defined for hands of up to eleven cards")
        in_runs = cards_in_runs(mask, self._runs_wrap)
        doubtful = ranks & (in_runs | in_runs >> 13 | in_runs >> 26 | in_runs >> 39)
        if throwing:
            doubtful |= ranks & mask & mask >> 13 & mask >> 26 & mask >> 39  # sets of four
        mask &= ~((ranks ^ doubtful) * ACES)
        ways = [mask]
        while doubtful:
            rank = doubtful & -doubtful
            doubtful ^= rank
            held = mask & rank * ACES
            wanted = held & in_runs
            laid = [way ^ held for way in ways]
            if popcount(held) == 4:
                spare = cards_of(held if throwing else wanted)
                laid += [way ^ held ^ card.bit for way in ways for card in spare]
            # If runs want one of four cards, the other three are still a set.
            ways = laid + ways if popcount(held) == 3 or popcount(wanted) > 1 else laid
        return ways

    def arrangements(self, mask: CardSet) -> tuple[tuple[Meld, ...], ...]:
        """Return every arrangement with the least deadwood, each once, with its melds in ascending
        numerical order.

        Arrangements are canonical: two runs that would join into one are one run (RULES 3.4). A
        hand without a meld has one arrangement, the empty one. Raises ValueError as ``deadwood``
        does.
        """
        check_set(mask)
        return self._best_of(mask, self._loose_after_sets(mask, ranks_held_thrice(mask)))

    def all_arrangements(self, mask: CardSet) -> Iterator[tuple[Meld, ...]]:
        """Yield every choice of melds that these cards can form together, beginning with none,
        whatever deadwood it leaves. A player may lay any of them; ``arrangements`` returns the
        best."""
        return _laid_from(self.melds_within(mask), mask, ())

    def _best_of(self, mask: CardSet, ways: list[CardSet]) -> tuple[tuple[Meld, ...], ...]:
        """Return the arrangements with the least deadwood. Each of *ways* is what is left of *mask*
        after some sets have been laid."""
        if len(ways) > 1:
            counts = [self._dead_by_runs(loose) for loose in ways]
            least = min(counts)
            ways = [loose for loose, count in zip(ways, counts, strict=True) if count == least]
        return tuple(sorted(self._arrangement(mask ^ loose, loose) for loose in ways))

    def _arrangement(self, in_sets: CardSet, loose: CardSet) -> tuple[Meld, ...]:
        melds = []
        while in_sets:
            lowest = in_sets & -in_sets
            melds.append(in_sets & ACES << (lowest.bit_length() - 1) % 13)
            in_sets ^= melds[-1]
        # Every stretch of three or more cards is one run: splitting it never helps, since the
        # pieces could be joined again.
        in_runs = cards_in_runs(loose, self._runs_wrap)
        if in_runs:
            for at in (0, 13, 26, 39):
                runs = stretches(in_runs >> at & SUIT, self._runs_wrap)
                melds += [run << at for run in runs]
        return tuple(sorted(melds))

    def melds_in(self, mask: CardSet) -> tuple[Meld, ...]:
        """Return disjoint melds in a hand of any size, for games in which hands grow (RULES 12).

        For up to eleven cards this is the first of ``arrangements``. For more cards it is a good
        choice, and always the same: sets are laid rank by rank, and only the best ways to lay them
        are followed, so that no hand takes more than about a thousand lookups.
        """
        ways = [mask]
        ranks = ranks_held_thrice(mask)
        while ranks:
            rank = ranks & -ranks
            ranks ^= rank
            ways = [loose for way in ways for loose in self._loose_after_sets(way, rank)]
            if len(ways) > _MAX_WAYS:
                ways = sorted(ways, key=self._dead_by_runs)[:_MAX_WAYS]
        return self._best_of(mask, ways)[0]

    def best_spread(self, hand: CardSet, knocker_melds: tuple[Meld, ...]) -> Spread:
        """Return the defender's answer with the least deadwood, choosing melds and lay-offs
        together (RULES 6.4); among equals, one with the fewest lay-offs.

        Pass no melds against gin and big gin, where nothing may be laid off. It isn't enough to lay
        the best melds first and then lay off other cards: breaking a meld can be worth it.
        """
        best: tuple[CardSet, tuple[tuple[Card, int], ...]] = (hand, ())
        least = (1_000, 0)
        for kept, layoffs in self.all_layoffs(hand, knocker_melds):
            left = (self.deadwood(kept), len(layoffs))
            if left < least:
                least, best = left, (kept, layoffs)
        kept, layoffs = best
        melds = self.arrangements(kept)[0]
        return Spread(melds, layoffs, kept ^ sum(melds))

    def all_spreads(self, hand: CardSet, knocker_melds: tuple[Meld, ...]) -> Iterator[Spread]:
        """Yield every answer that the defender may give, good or bad (RULES 6.2). Of answers that
        differ only in the order of their melds or lay-offs, yield one."""
        for kept, layoffs in self.all_layoffs(hand, knocker_melds):
            for melds in self.all_arrangements(kept):
                yield Spread(melds, layoffs, kept ^ sum(melds))

    def all_layoffs(
        self, hand: CardSet, knocker_melds: tuple[Meld, ...]
    ) -> Iterator[tuple[CardSet, tuple[tuple[Card, int], ...]]]:
        """Yield the cards kept and the lay-offs, for every choice of lay-offs, beginning with
        none."""
        for choice in product(*(self._layoffs_on(meld, hand) for meld in knocker_melds)):
            layoffs = tuple((card, at) for at, cards in enumerate(choice) for card in cards)
            laid = mask_of(card for card, _ in layoffs)
            if popcount(laid) == len(layoffs):  # a card that fits two melds can go on only one
                yield hand ^ laid, layoffs

    def _layoffs_on(self, meld: Meld, hand: CardSet) -> list[tuple[Card, ...]]:
        """Return every choice of cards that can go on this meld, in a fitting order, beginning
        with none."""
        orders: dict[Meld, tuple[Card, ...]] = {meld: ()}
        growing = [meld]
        for grown in growing:  # the list grows in the loop, since a longer run takes its next card
            for card in cards_of(hand & self._takes.get(grown, 0)):
                if grown | card.bit not in orders:
                    orders[grown | card.bit] = (*orders[grown], card)
                    growing.append(grown | card.bit)
        return list(orders.values())


def _laid_from(
    melds: list[Meld], left: CardSet, laid: tuple[Meld, ...]
) -> Iterator[tuple[Meld, ...]]:
    """Yield *laid*, alone and with every choice of *melds* that the cards *left* can form."""
    yield laid
    for at, meld in enumerate(melds, 1):
        if not meld & ~left:
            yield from _laid_from(melds[at:], left ^ meld, (*laid, meld))


def melding(rules: RuleSet) -> Melding:
    """Return the ``Melding`` of a rule set, one of four, each built on first use. Raises ValueError
    if an ace counts neither 1 nor 15."""
    return _melding(rules.runs_wrap, rules.ace_pips)


@cache
def _melding(runs_wrap: bool, ace_pips: int) -> Melding:
    if ace_pips not in (1, 15):  # unchecked rules must not fill the cache
        raise ValueError(f"an ace counts 1 or 15, not {ace_pips}")
    return Melding(runs_wrap, ace_pips)


ORDINARY = melding(STANDARD)
"""How ordinary gin melds and counts: runs end at the king, and an ace counts 1. It has 329 melds,
65 sets and 264 runs; 185 of them have three to five cards."""


# --- the knocks that can matter --------------------------------------------------------
#
# A knocker may lay any melds and keep any other cards as deadwood, up to the limit (RULES 5.3).
# Holding a card back costs its pips but can win more, because cards that fitted next to it then fit
# nowhere. Take the ace of clubs, 4 to 9 of clubs and 5 6 7 of spades: this hand knocks with 1, and
# a defender who lays off the ten and jack of clubs and the 8 of spades has no deadwood left. With
# the 9 of clubs held back it knocks with 10; then the ten and jack can't be laid off, and the knock
# wins.
#
# A knock is dropped if another with the same discard leaves no more deadwood and allows no
# additional lay-off: whatever the defender holds, the dropped knock is never better. The knocks
# that remain can matter.

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

    def count(melds: tuple[Meld, ...]) -> int:
        return ways.pips(kept ^ sum(melds))

    best = ways.arrangements(kept)
    least = count(best[0])
    if least > limit:
        return []
    if not least:
        return [best[0]]  # gin: nothing can be laid off, and no other knock is worth more
    held_back = [m for m in ways.all_arrangements(kept) if least < count(m) <= limit]
    held_back.sort(key=lambda melds: (count(melds), len(melds), melds))
    rated = [(count(m), layoffs_on(m, unseen, ways), m) for m in (*best, *held_back)]
    return [melds for at, (*_, melds) in enumerate(rated) if not _is_outdone(at, rated)]


def _is_outdone(at: int, rated: list[tuple[int, LayOffs, tuple[Meld, ...]]]) -> bool:
    """Return whether another arrangement is always at least as good. Of equally good arrangements,
    the first isn't outdone."""
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
        any(card == same and not needs & ~before for same, needs in one) for card, before in other
    )
