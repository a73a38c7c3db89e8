"""The bot's play in Mahjong gin, where players lay melds on the table and hands grow (RULES 12)."""
# Laid cards count for the player who laid them, cards left in a hand count against its player, and
# nobody scores in a void hand. So the bot never waits to lay a meld, and must only decide which
# cards to take and which to discard. Both are judged by the cost of a loose card:
#
#   burden = a part of its value + the turn it takes to get rid of it - its outs
#
# An out is a card, unseen or in the pile, that would let the player lay the loose one: in a meld of
# three with another card of the hand, or after the out itself on a meld of the table.
#
# Draw: play every way of taking discards to the end of the turn, and compare the results with the
#   average over all unseen cards that the stock could yield. So taken cards that stay in the hand
#   have a price.
# Lay: lay everything that fits, melds before single cards or the other way round, whichever leaves
#   less. The card just taken can't be discarded, so if it alone would remain, hold a cheap card
#   back.
# Discard: discard the card with the greatest burden, after subtracting what the opponent is likely
#   to gain by laying it.
#
# The bot doesn't hold melds back as a surprise, keep cards from the opponent at its own cost, or
# play for a void hand when it is behind.
#
# Reading the table: a card is the player's own, on the table, in the pile, known to be in the
# opponent's hand (taken from the pile and not discarded since), or unseen. Each unseen card has a
# weight: how much likelier the opponent is to hold it than a random card. A card that the opponent
# discarded or declined makes its neighbours weigh less; one that the opponent took makes them weigh
# more. Neighbours are the other cards of the rank and those one or two steps away in the suit.

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

from ginpeer.adviser.observation import neighbours
from ginpeer.rules.cards import CARDS, DECK, Card, CardSet, cards_of, mask_of, popcount
from ginpeer.rules.hand import Phase
from ginpeer.rules.match import View
from ginpeer.rules.melds import Meld, Melding
from ginpeer.rules.moves import Discard, DrawStock, Lay, Move, Pass, TakeDiscards, TakeUpcard
from ginpeer.rules.score import mahjong_value

# --- reading the table ----------------------------------------------------------------

# Factors for other cards of the rank, and for cards one and two steps away in the suit. Found by
# play against itself and against a greedy player; nearby values play equally well.
_UNWANTED = (0.75, 0.75, 0.9)
_WANTED = (2.5, 2.5, 1.7)


@cache
def partners(ways: Melding) -> tuple[tuple[tuple[Card, ...], ...], ...]:
    """Return, for each card, the pairs of cards with which it makes a meld of three."""
    threes = [meld for meld in ways.melds if popcount(meld) == 3]
    return tuple(
        tuple(cards_of(meld ^ card.bit) for meld in threes if meld & card.bit) for card in CARDS
    )


@dataclass(frozen=True, slots=True)
class Reading:
    """What one player knows and guesses: for each card, the chance that the opponent holds it."""

    ways: Melding
    unseen: tuple[Card, ...]
    available: CardSet  # the cards that the player may still get from the stock or the pile
    chances: tuple[float, ...]

    def danger(self, card: Card) -> float:
        safe = 1.0
        for a, b in partners(self.ways)[card]:
            safe *= 1.0 - self.chances[a] * self.chances[b]
        return 1.0 - safe


def read(view: View) -> Reading:
    """Return what the player with this view can know and guess now."""
    hand, other = view.hand, 1 - view.seat
    theirs = hand.known_held(other)
    on_table = hand.laid(0) | hand.laid(1)
    unseen = cards_of(DECK & ~(view.cards | mask_of(hand.pile) | theirs | on_table))
    weights = dict.fromkeys(unseen, 1.0)
    for card in _left_alone(view):
        _weigh(weights, hand.melding, card, _UNWANTED)
    for card in cards_of(theirs):
        _weigh(weights, hand.melding, card, _WANTED)
    hidden = hand.size(other) - popcount(theirs)
    scale = hidden / sum(weights.values())
    chances = [0.0] * len(CARDS)
    for card, weight in weights.items():
        chances[card] = min(0.95, weight * scale)
    for card in cards_of(theirs):
        chances[card] = 1.0
    available = mask_of(unseen) | mask_of(hand.pile)
    return Reading(hand.melding, unseen, available, tuple(chances))


def _weigh(
    weights: dict[Card, float], ways: Melding, card: Card, factors: tuple[float, float, float]
) -> None:
    """Multiply the weights of a card's neighbours by these factors, nearest first."""
    near = neighbours(ways)
    for cards, factor in zip((near.mates, near.next, near.after_next), factors, strict=True):
        for neighbour in cards_of(cards[card]):
            if neighbour in weights:
                weights[neighbour] *= factor


def _left_alone(view: View) -> Iterator[Card]:
    """Yield the cards that the opponent discarded, or declined as the upcard, in order."""
    pile = [] if view.hand.first_upcard is None else [view.hand.first_upcard]
    for seat, move in view.hand.moves:
        if isinstance(move, TakeUpcard):
            pile.pop()
        elif isinstance(move, TakeDiscards):
            del pile[-move.count :]
        elif isinstance(move, Discard):
            pile.append(move.card)
            if seat != view.seat:
                yield move.card
        elif isinstance(move, Lay):
            continue
        elif seat != view.seat and pile:  # a pass, or a draw from the stock instead
            yield pile[-1]


# --- choosing -------------------------------------------------------------------------

# Found by play against itself; nearby values play equally well.
_LEFT = 0.5  # the cost of a loose card, as a fraction of its value
_TURN = 2.0  # the cost of each card in the hand, in points, for the turn it takes
_OUT = 0.7  # the value of an out, in points
_MAX_OUTS = 6  # any more don't help
_GIVEN = 0.5  # the cost of a card that the opponent melds, as a fraction of its value
_THEIR_CARD = 5  # our guess at the value of a card in the opponent's hand
_VALUES = tuple(mahjong_value(card.bit) for card in CARDS)


@dataclass(frozen=True, slots=True)
class _Laid:
    """The result of laying all that fits. ``cards`` are all cards that the turn lays."""

    lay: Lay
    cards: CardSet
    rest: CardSet
    table: tuple[Meld, ...]


def choose(view: View) -> Move:
    """Return the bot's move in a hand of Mahjong gin for the player of this view, whose turn it
    must be. Takes milliseconds. Raises Illegal ("hand-unknown") if its cards aren't known."""
    match view.hand.phase:
        case Phase.FIRST_UPCARD | Phase.SECOND_UPCARD | Phase.DRAW | Phase.LAST_CHANCE:
            return _begin_turn(view)
        case Phase.DISCARD:
            return _lay(view) or _discard(view)
    return view.sensible_moves()[0]


def _begin_turn(view: View) -> Move:
    hand, reading = view.hand, read(view)
    upcard = hand.upcard
    if upcard is None:  # the pile was taken, and a player without cards has gone gin
        return DrawStock()
    taken = _laid(view.cards | upcard.bit, hand.table_melds, hand.melding)
    if hand.phase is Phase.LAST_CHANCE:
        return TakeUpcard() if _goes_gin(taken.rest, upcard) else Pass()
    found: list[tuple[float, Move]] = [(_worth(view, reading, taken, upcard), TakeUpcard())]
    found += [
        (_worth(view, reading, _after_taking(view, move), None), move)
        for move in view.sensible_moves()
        if isinstance(move, TakeDiscards)
    ]
    other = DrawStock() if hand.phase is Phase.DRAW else Pass()
    worth, best = max(found, key=lambda pair: pair[0])
    return best if worth > _worth_of_stock(view, reading) else other


def _after_taking(view: View, move: TakeDiscards) -> _Laid:
    """Return the lay that the move requires, with everything else that can then be laid."""
    hand = view.hand
    cards = view.cards | mask_of(hand.pile[-move.count :])
    table = [*hand.table_melds, *move.lay.melds]
    for card, index in move.lay.adds:
        table[index] |= card.bit
    after = _laid(cards & ~move.lay.cards, tuple(table), hand.melding)
    return replace(after, cards=after.cards | move.lay.cards)


def _worth_of_stock(view: View, reading: Reading) -> float:
    """Return the value of drawing from the stock, averaged over the unseen cards."""
    now = _laid(view.cards, view.hand.table_melds, reading.ways)
    total = 0.0
    for card in reading.unseen:
        after = _laid(now.rest | card.bit, now.table, reading.ways)
        total += _worth(view, reading, replace(after, cards=after.cards | now.cards), None)
    return total / len(reading.unseen)


def _goes_gin(rest: CardSet, taken: Card | None) -> bool:
    """Return whether the turn ends the hand: nothing is left, or one card that may be discarded."""
    return not rest or (popcount(rest) == 1 and (taken is None or rest != taken.bit))


def _worth(view: View, reading: Reading, after: _Laid, taken: Card | None) -> float:
    """Return the value of a turn that leads to *after* and then discards the best card."""
    laid = float(mahjong_value(after.cards))
    if _goes_gin(after.rest, taken):
        theirs = _THEIR_CARD * view.hand.size(1 - view.seat)
        return laid + view.hand.rules.gin_bonus + theirs
    burdens = [(_burden(reading, card, after), card != taken) for card in cards_of(after.rest)]
    thrown = max((burden for burden, may_go in burdens if may_go), default=0.0)
    return laid - sum(burden for burden, _ in burdens) + thrown


def _burden(reading: Reading, card: Card, after: _Laid) -> float:
    outs = min(_MAX_OUTS, _outs(reading, card, after))
    return _LEFT * _VALUES[card] + _TURN - _OUT * outs


def _outs(reading: Reading, card: Card, after: _Laid) -> int:
    ways, rest = reading.ways, after.rest & ~card.bit
    available = reading.available & ~(rest | after.cards)
    outs = 0
    for a, b in partners(ways)[card]:
        if rest & a.bit:
            outs |= available & b.bit
        elif rest & b.bit:
            outs |= available & a.bit
    for meld in after.table:
        for between, after_it in _fits_after(ways, meld):
            if between & available and after_it & card.bit:
                outs |= between
    return popcount(outs)


# --- laying ---------------------------------------------------------------------------


def _laid(cards: CardSet, table: tuple[Meld, ...], ways: Melding) -> _Laid:
    """Return all that can be laid: melds or single cards first, whichever leaves less."""
    melds_first, adds = _laying(cards, table, (), ways), _adds(cards, list(table), ways)
    if not adds:
        return melds_first
    return min(
        melds_first,
        _laying(cards, table, adds, ways),
        key=lambda laid: (mahjong_value(laid.rest), popcount(laid.rest)),
    )


def _laying(
    cards: CardSet, table: tuple[Meld, ...], adds: tuple[tuple[Card, int], ...], ways: Melding
) -> _Laid:
    """Return the result of laying *adds*, then the best melds of the rest, then more adds."""
    rest = cards & ~mask_of(card for card, _ in adds)
    melds = ways.melds_in(rest)
    rest ^= sum(melds)
    grown = [*table, *melds]
    for card, index in adds:
        grown[index] |= card.bit
    more = _adds(rest, grown, ways)
    lay = Lay(melds, adds + more)
    return _Laid(lay, lay.cards, cards & ~lay.cards, tuple(grown))


def _adds(cards: CardSet, table: list[Meld], ways: Melding) -> tuple[tuple[Card, int], ...]:
    """Return the single cards that fit on the melds of *table*, and add them to these melds."""
    adds = []
    for index in range(len(table)):
        while fitting := cards & ways.taken_by(table[index]):
            card = cards_of(fitting)[0]
            adds.append((card, index))
            cards ^= card.bit
            table[index] |= card.bit
    return tuple(adds)


@cache
def _fits_after(ways: Melding, meld: Meld) -> tuple[tuple[CardSet, CardSet], ...]:
    """Return each card that fits on this meld, with the cards that fit after it."""
    fitting = cards_of(ways.taken_by(meld))
    return tuple((card.bit, ways.taken_by(meld | card.bit)) for card in fitting)


def _lay(view: View) -> Lay | None:
    """Return the lay to make now; None if nothing is left to lay."""
    hand, cards = view.hand, view.cards
    lay = _laid(cards, hand.table_melds, hand.melding).lay
    if not lay.cards:
        return None
    if hand.is_legal(lay):
        return lay
    # Only the card just taken would remain, so hold back another card to discard.
    lays = [
        _laid(cards ^ card.bit, hand.table_melds, hand.melding).lay for card in cards_of(lay.cards)
    ]
    return max(
        (lay for lay in lays if lay.cards and hand.is_legal(lay)),
        key=lambda lay: mahjong_value(lay.cards),
        default=None,
    )


def _discard(view: View) -> Discard:
    hand, reading = view.hand, read(view)
    nothing_laid = _Laid(Lay((), ()), 0, view.cards, hand.table_melds)

    def gain(card: Card) -> tuple[float, int]:
        given = _GIVEN * _VALUES[card] + _TURN
        return _burden(reading, card, nothing_laid) - _chance(card) * given, -card

    def _chance(card: Card) -> float:
        if any(hand.melding.fits(card, meld) for meld in hand.table_melds):
            return 1.0
        return reading.danger(card)

    cards = cards_of(view.cards if hand.taken is None else view.cards & ~hand.taken.bit)
    return Discard(max(cards, key=gain))
