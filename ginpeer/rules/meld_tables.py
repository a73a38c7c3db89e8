"""Which cards are melds, and the deadwood of one suit alone (RULES 2, 11.1).

ginpeer.rules.melds is built on this arithmetic. A suit's ranks are 13 bits, the ace lowest;
``runs_wrap`` says whether a run may continue from the king to the ace.
"""

from __future__ import annotations

from ginpeer.rules.cards import CARDS, CardSet, cards_of

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
        ace_and_king = mask & mask >> 12 & ACES  # a bit at the ace of each suit
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
    """Return all melds, ascending as numbers: 65 sets, and 264 runs or, around the corner, 524."""
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


def drop_tables(dead: bytes) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return, for each rank set of one suit, by how much dropping the best card reduces its
    deadwood (negative if every card is needed, -128 for the empty suit), and all cards that reduce
    it by as much."""
    gains = [-128]
    droppable = [0]
    for mask in range(1, 1 << 13):
        best, cards = -128, 0
        left = mask
        while left:
            bit = left & -left
            left ^= bit
            gain = dead[mask] - dead[mask ^ bit]
            if gain > best:
                best, cards = gain, bit
            elif gain == best:
                cards |= bit
        gains.append(best)
        droppable.append(cards)
    return tuple(gains), tuple(droppable)
