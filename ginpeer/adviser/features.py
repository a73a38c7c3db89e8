"""Turn a position into a row of features: the few that are present, out of many."""
# A feature is a number. Most are either absent or count WHOLE. A quantity between two knots counts
# partly at each, so that the values change gradually.
#
# Features depend on rank and neighbouring cards but never on suit, so that a lesson learned with
# clubs applies to spades. They depend on the stage of the stock, because the number of turns left
# changes the value of everything. tests/training/features.h has the same features for the training,
# and a test compares both over thousands of positions: change both together, and train again.

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cache

from ginpeer.adviser.observation import NO_CARD, Neighbours, Observation, neighbours
from ginpeer.rules.cards import CARDS, DECK, CardSet, cards_of, mask_of, popcount
from ginpeer.rules.melds import ACES, SUIT, Melding, cards_in_runs, ranks_held_thrice

WHOLE = 16

# Knots: a number belongs to the last knot that isn't above it.
_DEADWOOD = (0, 1, 2, 3, 4, 5, 6, 7, 9, 11, 13, 16, 19, 23, 27, 32, 38, 45, 53, 62)
_SEVEN = (0, 1, 4, 8, 13, 19, 26, 35, 45, 56, 69, 83, 99, 117, 137, 161, 191, 226, 266, 311)
_OUTS = (0, 1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 22)
_POOL = (20, 46, 54, 60, 64, 68, 73, 80)  # tenths of a pip; 20 if only aces, twos, threes are left
_STAGES = (27, 23, 19, 15, 10, 0)  # the number of stock cards at the end of each stage


def _by_number(knots: Sequence[int], top: int) -> tuple[int, ...]:
    """Return the index of the knot for each number up to *top*."""
    return tuple(bisect_right(knots, number) - 1 for number in range(top + 1))


_DEADWOOD_KNOT = _by_number(_DEADWOOD, 160)
_OUTS_KNOT = _by_number(_OUTS, 52)
_STAGE = tuple(next(at for at, left in enumerate(_STAGES) if stock >= left) for stock in range(33))

# Where each kind of feature begins. What we have seen of the opponent:
_STOCK = 0
_TAKES = _STOCK + 32
_LAST = _TAKES + 5 * 6
_BEFORE = _LAST + 14 * 3
_HELD = _BEFORE + 14 * 3
_SHOWN = _HELD + 8
_HELD_MELDED = _SHOWN + 6
_LIMIT = _HELD_MELDED + 7
_STYLE = _LIMIT + 11 * 3
_SINCE = _STYLE + 12 * 3
_BREAKS = _SINCE + 7 * 3
_EARLIER = _BREAKS + 2 * 3
_LAST_TWO = _EARLIER + 14 * 3
_POOLED = _LAST_TWO + 25 * 3
_OTHERS = _POOLED + 8 * 3
# What the player's ten cards can turn into:
_LEFT = _OTHERS
_GIN = _LEFT + 20 * 6
_KNOCK = _GIN + 10 * 6
_BEST_SEVEN = _KNOCK + 12 * 6
_MEAN = _BEST_SEVEN + 20 * 6
_LOOSE = _MEAN + 20 * 3
_LOOSE_RANK = _LOOSE + 11 * 3
_SAFE = _LOOSE_RANK + 13 * 2
_SHUNNED = _SAFE + 5 * 3
_FITTING = _SHUNNED + 5
_BETTER = _FITTING + 4
_LEFT_FOR = _BETTER + 12 * 3  # by how the opponent has played in this match
_MELDING = _LEFT_FOR + 12 * 10
_ALONE = _MELDING + 11 * 12
_LONGER = _ALONE + 8 * 3
_OUTS_SHUNNED = _LONGER + 8 * 3
_OUTS_WANTED = _OUTS_SHUNNED + 8 * 3
# What the card on the pile means to the opponent:
_RANK = _OUTS_WANTED + 6 * 3
_UNSEEN_PAIRS = _RANK + 13 * 3
_ONE_KNOWN = _UNSEEN_PAIRS + 16 * 3
_BOTH_KNOWN = _ONE_KNOWN + 5
_MATES_SHUNNED = _BOTH_KNOWN + 3
_NEXT_SHUNNED = _MATES_SHUNNED + 4
_AFTER_SHUNNED = _NEXT_SHUNNED + 3
_MATES_HELD = _AFTER_SHUNNED + 3
_NEXT_HELD = _MATES_HELD + 4
_AFTER_HELD = _NEXT_HELD + 3
_ITSELF_SHUNNED = _AFTER_HELD + 3
_LIKELY_PAIRS = _ITSELF_SHUNNED + 1
_PAIRS_OF_RANK = _LIKELY_PAIRS + 16 * 3
_MATES_THROWN = _PAIRS_OF_RANK + 13 * 8
_MATES_LEFT = _MATES_THROWN + 4 * 3
_NEXT_THROWN = _MATES_LEFT + 4 * 3
_NEXT_LEFT = _NEXT_THROWN + 3 * 3
KEEPING = _NEXT_LEFT + 3 * 3
_PHASE = KEEPING
DRAWING = _PHASE + 3
# About a knock:
_SHOWING = _OTHERS
_OPEN = _SHOWING + 11 * 6
_OPEN_PIPS = _OPEN + 8 * 3
_OPEN_HELD = _OPEN_PIPS + 20
_AGAINST = _OPEN_HELD + 4
_SHOWN_FOR = _AGAINST + 11 * 5
KNOCKING = _SHOWN_FOR + 12 * 11
"""KEEPING, DRAWING and KNOCKING say how many features each of these choices has."""


Row = list[tuple[int, int]]  # the features of a position, each with its amount


def opponent_features(seen: Observation) -> Row:
    stage = _STAGE[seen.stock]
    third = stage // 2
    held, near = seen.held, neighbours(seen.ways)
    last, before, earlier = map(_rank, (seen.last, seen.before, seen.earlier))
    melded = cards_in_runs(held, near.wraps)
    ranks = ranks_held_thrice(held)
    melded |= held & ranks * ACES
    row = [
        (_STOCK + min(seen.stock, 31), WHOLE),
        (_TAKES + min(seen.takes, 4) * 6 + stage, WHOLE),
        (_LAST + last * 3 + third, WHOLE),
        (_BEFORE + before * 3 + third, WHOLE),
        (_EARLIER + earlier * 3 + third, WHOLE),
        (_LAST_TWO + (_FOURTH[last] * 5 + _FOURTH[before]) * 3 + third, WHOLE),
        (_SINCE + (min(seen.since, 5) if seen.takes else 6) * 3 + third, WHOLE),
        (_HELD + min(popcount(held), 7), WHOLE),
        (_SHOWN + min(popcount(seen.shown), 5), WHOLE),
        (_HELD_MELDED + min(popcount(melded), 6), WHOLE),
        (_LIMIT + seen.limit * 3 + third, WHOLE),
        (_STYLE + _style(seen) * 3 + third, WHOLE),
    ]
    if seen.last != NO_CARD:
        breaks = seen.thrown & (near.mates[seen.last] | near.next[seen.last]) != 0
        row.append((_BREAKS + breaks * 3 + third, WHOLE))
    return row


_FOURTH = (0, *(1, 1, 1), *(2, 2, 2), *(3, 3, 3), *(4, 4, 4, 4))  # the quarter a rank is in


def _rank(card: int) -> int:
    """Return 1 for an ace to 13 for a king, 0 for no card."""
    return 0 if card == NO_CARD else card % 13 + 1


def _pool_features(seen: Observation, kept: CardSet, pile: CardSet) -> Row:
    """Return features for the average pips per card that the opponent may hold."""
    pool, third = DECK & ~(kept | pile), _STAGE[seen.stock] // 2
    return _between(_POOLED + 8 * third, _POOL, 10 * seen.ways.pips(pool), popcount(pool))


def future_features(seen: Observation, kept: CardSet, pile: CardSet) -> Row:
    """Return the features that describe what the next draws can make of these ten cards."""
    ways, near = seen.ways, neighbours(seen.ways)
    stage = _STAGE[seen.stock]
    third = stage // 2
    dead = ways.deadwood(kept)
    unseen = DECK & ~(kept | pile | seen.held)
    found, outs = _after_draw(ways, kept, unseen, dead)
    drawn = total = gin = knock = better = seven = 0
    wanted = 7
    for left, count in found:
        drawn += count
        total += count * left
        if left == 0:
            gin += count
        if left <= seen.limit:
            knock += count
        if left < dead:
            better += count
        if wanted:
            some = min(count, wanted)
            seven += some * left
            wanted -= some
    if 0 < wanted < 7:
        seven = seven * 7 // (7 - wanted)
    row = [
        (_LEFT + _DEADWOOD_KNOT[dead] * 6 + stage, WHOLE),
        (_GIN + min(gin, 9) * 6 + stage, WHOLE),
        (_KNOCK + _OUTS_KNOT[knock] * 6 + stage, WHOLE),
        *_between(_BEST_SEVEN + 20 * stage, _SEVEN, seven, 1),
        *_between(_MEAN + 20 * third, _DEADWOOD, total, drawn or 1),
    ]
    loose = _loose_of(ways, kept, dead, near.wraps)
    unwanted = seen.thrown | seen.left
    gone = kept | pile
    safe = shunned = fitting = alone = 0
    late = stage > 2
    for card in cards_of(loose):
        row.append((_LOOSE_RANK + card % 13 * 2 + late, WHOLE))
        sets, runs, one, both = _pairs(near, seen.held, gone, card)
        safe += not (sets or runs or one or both)
        fitting += both > 0
        shunned += unwanted & (near.mates[card] | near.next[card]) != 0
        alone += not _has_partner(near, kept, unseen, card)
    outs_shunned = outs_wanted = 0
    for card in cards_of(outs):
        about = near.mates[card] | near.next[card]
        outs_shunned += about & unwanted != 0
        outs_wanted += about & seen.held != 0
    longer = popcount(_lengthening(kept & ~loose, near.wraps) & unseen)
    row += _pool_features(seen, kept, pile)
    row += [
        (_MELDING + popcount(loose) * 12 + _OUTS_KNOT[popcount(outs)], WHOLE),
        (_ALONE + min(alone, 7) * 3 + third, WHOLE),
        (_LONGER + min(longer, 7) * 3 + third, WHOLE),
        (_OUTS_SHUNNED + min(outs_shunned, 7) * 3 + third, WHOLE),
        (_OUTS_WANTED + min(outs_wanted, 5) * 3 + third, WHOLE),
        (_LOOSE + popcount(loose) * 3 + third, WHOLE),
        (_SAFE + min(safe, 4) * 3 + third, WHOLE),
        (_SHUNNED + min(shunned, 4), WHOLE),
        (_FITTING + min(fitting, 3), WHOLE),
        (_BETTER + _OUTS_KNOT[better] * 3 + third, WHOLE),
        (_LEFT_FOR + _style(seen) * 10 + _DEADWOOD_KNOT[dead] // 2, WHOLE),
    ]
    return row


def top_card_features(seen: Observation, kept: CardSet, pile: CardSet, card: int) -> Row:
    """Return the features that describe how useful this card on the pile is to the opponent."""
    near, third = neighbours(seen.ways), _STAGE[seen.stock] // 2
    thrown, left, held = seen.thrown, seen.left, seen.held
    mates, beside, unwanted = near.mates[card], near.next[card], thrown | left
    sets, runs, one, both = _pairs(near, held, kept | pile, card)
    row = [
        (_RANK + card % 13 * 3 + third, WHOLE),
        (_UNSEEN_PAIRS + (sets * 4 + runs) * 3 + third, WHOLE),
        (_ONE_KNOWN + min(one, 4), WHOLE),
        (_BOTH_KNOWN + min(both, 2), WHOLE),
        (_MATES_SHUNNED + popcount(unwanted & mates), WHOLE),
        (_NEXT_SHUNNED + popcount(unwanted & beside), WHOLE),
        (_AFTER_SHUNNED + popcount(unwanted & near.after_next[card]), WHOLE),
        (_MATES_HELD + popcount(held & mates), WHOLE),
        (_NEXT_HELD + popcount(held & beside), WHOLE),
        (_AFTER_HELD + popcount(held & near.after_next[card]), WHOLE),
        (_LIKELY_PAIRS + _likely_pairs(near, seen, kept | pile, card) * 3 + third, WHOLE),
        (_PAIRS_OF_RANK + card % 13 * 8 + min(sets + runs + one + both, 7), WHOLE),
        (_MATES_THROWN + popcount(thrown & mates) * 3 + third, WHOLE),
        (_MATES_LEFT + popcount(left & mates) * 3 + third, WHOLE),
        (_NEXT_THROWN + popcount(thrown & beside) * 3 + third, WHOLE),
        (_NEXT_LEFT + popcount(left & beside) * 3 + third, WHOLE),
    ]
    if unwanted >> card & 1:
        row.append((_ITSELF_SHUNNED, WHOLE))
    return row


def phase_feature(phase: int) -> Row:
    """Return a draw's phase as a feature: 1 or 2 for the two offers of the upcard, 0 after them."""
    return [(_PHASE + phase, WHOLE)]


def knock_features(
    seen: Observation, kept: CardSet, pile: CardSet, dead: int, open_to: CardSet
) -> Row:
    """Return the features of a knock; *open_to* are the cards that can be laid off."""
    stage = _STAGE[seen.stock]
    if not dead:
        open_to = 0
    unseen = open_to & DECK & ~(kept | pile | seen.held)
    held = open_to & seen.held
    return [
        *_pool_features(seen, kept, pile),
        (_SHOWING + dead * 6 + stage, WHOLE),
        (_OPEN + min(popcount(unseen), 7) * 3 + stage // 2, WHOLE),
        *_between(_OPEN_PIPS, _DEADWOOD, seen.ways.pips(unseen | held), 1),
        (_OPEN_HELD + min(popcount(held), 3), WHOLE),
        (_AGAINST + dead * 5 + min(seen.takes, 4), WHOLE),
        (_SHOWN_FOR + _style(seen) * 11 + dead, WHOLE),
    ]


def _style(seen: Observation) -> int:
    """Return a number for how often the opponent waited for gin and how often it knocked."""
    return min(seen.waited, 3) * 3 + min(seen.knocks, 2)


def _between(base: int, knots: Sequence[int], number: int, parts: int) -> Row:
    """Return the features of *number* / *parts*, shared between its two knots."""
    at = max(0, bisect_right(knots, number // parts) - 1)
    if at == len(knots) - 1:
        return [(base + at, WHOLE)]
    low, high = knots[at] * parts, knots[at + 1] * parts
    more = WHOLE * (number - low) // (high - low)
    return [(base + at, WHOLE - more), (base + at + 1, more)] if more else [(base + at, WHOLE)]


def _pairs(near: Neighbours, held: CardSet, gone: CardSet, card: int) -> tuple[int, int, int, int]:
    """Count the pairs with which the opponent could meld this card: unseen pairs for a set, unseen
    pairs for a run, pairs with one known card, and pairs with two."""
    gone |= 1 << card
    unseen, one, both = [0, 0], 0, 0
    for kind, pairs in enumerate((near.set_pairs[card], near.run_pairs[card])):
        for pair in pairs:
            if not pair & gone:
                known = popcount(pair & held)
                unseen[kind] += known == 0
                one += known == 1
                both += known == 2
    return unseen[0], unseen[1], one, both


def _likely_pairs(near: Neighbours, seen: Observation, gone: CardSet, card: int) -> int:
    """Count the pairs with which the opponent could meld this card, except those with an unseen
    card near one that it discarded or didn't take. A pair for a set counts four times."""
    unwanted = (seen.thrown | seen.left) & ~(1 << card)
    gone |= 1 << card
    found = 0
    for pairs, counts in ((near.set_pairs[card], 4), (near.run_pairs[card], 1)):
        for pair in pairs:
            if not pair & gone and not any(
                unwanted & (near.mates[one] | near.next[one]) for one in cards_of(pair & ~seen.held)
            ):
                found += counts
    return found


# --- what the next draw can make of ten cards -------------------------------------------

_TWOS = ACES | ACES << 1
_KINGS = ACES << 12


def _completing(kept: CardSet, wraps: bool) -> CardSet:
    """Return the cards that make a meld of three with two of these, even cards already held."""
    above = kept << 1 & DECK & ~ACES  # the cards just above kept ones
    below = kept >> 1 & ~_KINGS
    two_above = kept << 2 & DECK & ~_TWOS
    two_below = kept >> 2 & ~(_KINGS | _KINGS >> 1)
    if wraps:
        above |= kept >> 12 & ACES
        below |= (kept & ACES) << 12
        two_above |= kept >> 11 & _TWOS
        two_below |= (kept & _TWOS) << 11
    found = above & two_above | below & two_below | above & below
    return found | _held_twice(kept) * ACES


def _held_twice(kept: CardSet) -> int:
    clubs, diamonds = kept & SUIT, kept >> 13 & SUIT
    hearts, spades = kept >> 26 & SUIT, kept >> 39
    return clubs & diamonds | hearts & spades | (clubs | diamonds) & (hearts | spades)


def _after_draw(
    ways: Melding, kept: CardSet, unseen: CardSet, dead: int
) -> tuple[list[tuple[int, int]], CardSet]:
    """Return the possible deadwood of these ten cards after drawing an unseen card and discarding,
    as ascending pairs: a deadwood, and how many cards lead to it. Also return the unseen cards that
    reduce the deadwood by melding. *dead*: the deadwood now."""
    after = ways.deadwood_after_discard
    # A card that melds with none of the ten leaves the deadwood as it is, or replaces another card.
    dropped = after(kept)
    counts: dict[int, int] = {}
    melding = _completing(kept, neighbours(ways).wraps) & unseen
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


def _loose_of(ways: Melding, kept: CardSet, dead: int, wraps: bool) -> CardSet:
    """Return the cards whose removal reduces the deadwood."""
    if not ranks_held_thrice(kept):
        return kept & ~cards_in_runs(kept, wraps)
    return mask_of(card for card in cards_of(kept) if ways.deadwood(kept ^ card.bit) < dead)


def _has_partner(near: Neighbours, kept: CardSet, unseen: CardSet, card: int) -> bool:
    """Return whether some unseen card would meld this card with another kept one."""
    both = kept | unseen
    return any(
        pair & kept and pair & unseen and not pair & ~both
        for pair in near.set_pairs[card] + near.run_pairs[card]
    )


def _lengthening(melded: CardSet, wraps: bool) -> CardSet:
    """Return the cards that fit directly on one of these sets or runs."""
    runs = cards_in_runs(melded, wraps)
    above, below = runs << 1 & DECK & ~ACES, runs >> 1 & ~_KINGS
    if wraps:
        above |= runs >> 12 & ACES
        below |= (runs & ACES) << 12
    return (above | below) & ~runs | ranks_held_thrice(melded) * ACES & ~melded
