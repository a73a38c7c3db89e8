"""The numbers behind a choice; a player can count each of them at the table.

Cards are sets (``ginpeer.rules.cards_of`` lists them), counts are of cards, deadwood is in pips.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ginpeer.adviser.observation import Observation
from ginpeer.adviser.outs import neighbours
from ginpeer.rules import (
    Card,
    CardSet,
    Knock,
    Meld,
    Melding,
    Spread,
    cards_of,
    popcount,
)


@dataclass(frozen=True, slots=True)
class StockFacts:
    """What the next card from the stock can do: of ``unseen`` cards, ``gin`` make gin, ``knock``
    allow a knock (gin among them), and ``better`` leave less deadwood than the ten do now."""

    deadwood: int
    unseen: int
    gin: CardSet
    knock: CardSet
    better: CardSet
    stock: int


@dataclass(frozen=True, slots=True)
class DiscardFacts:
    """A discard: ``pips`` is what it counts, ``deadwood`` what the other ten leave, ``least`` the
    least that any discard leaves now.

    ``near`` are the player's own cards of its rank or within two steps of its suit, ``broken`` the
    deadwood that the discard adds by breaking a meld, ``outs`` the unseen cards that would meld it
    with one of the player's own. ``wants`` are the opponent's known cards near it; ``shuns`` the
    cards near it that the opponent discarded (``threw``) or didn't take. ``melds`` are the pairs
    with which the opponent could meld it, as far as can be seen, none for a safe card; ``sure`` are
    those of them that the opponent is known to hold. ``after`` is what the next draw can do.
    """

    card: Card
    pips: int
    deadwood: int
    least: int
    broken: int
    near: CardSet
    outs: CardSet
    wants: CardSet
    shuns: CardSet
    threw: CardSet
    melds: tuple[CardSet, ...]
    sure: tuple[CardSet, ...]
    after: StockFacts


@dataclass(frozen=True, slots=True)
class KnockFacts:
    """A knock: ``deadwood`` is what it shows, ``undercut`` the estimated chance in per cent that
    the opponent ends with as little, ``layoffs`` the cards, unseen or known to be the
    opponent's, that would fit on its melds at once. Gin has deadwood 0, and neither of the
    others."""

    deadwood: int
    limit: int
    gin: bool
    undercut: int
    layoffs: CardSet
    stock: int


@dataclass(frozen=True, slots=True)
class TakeFacts:
    """Taking the upcard: ``melds`` are the player's own cards that it then melds with, ``throw``
    the best discard after it, ``deadwood`` what the hand leaves then and ``before`` what it
    leaves now, ``knocks`` whether a knock is best then."""

    card: Card
    before: int
    deadwood: int
    melds: CardSet
    throw: Card | None
    knocks: bool


@dataclass(frozen=True, slots=True)
class SpreadFacts:
    """An answer to a knock: the deadwood that it leaves, how many cards it lays off, the
    deadwood of the knock, and the least that any answer leaves."""

    deadwood: int
    laid_off: int
    against: int
    least: int


Facts = StockFacts | DiscardFacts | KnockFacts | TakeFacts | SpreadFacts


def draws(seen: Observation, kept: CardSet, pile: CardSet) -> Iterator[tuple[Card, int]]:
    """Yield each card that may come from the stock, with the least deadwood after it and a
    discard."""
    after = seen.ways.deadwood_after_discard
    for card in cards_of(seen.unseen & ~(kept | pile)):
        yield card, after(kept | card.bit)


def stock_facts(seen: Observation, kept: CardSet, thrown: CardSet = 0) -> StockFacts:
    """Return what the next draw can do for these ten after *thrown* has gone on the pile."""
    now = seen.ways.deadwood(kept)
    gin = knock = better = unseen = 0
    for card, left in draws(seen, kept, thrown):
        unseen += 1
        gin |= card.bit if left == 0 else 0
        knock |= card.bit if left <= seen.limit else 0
        better |= card.bit if left < now else 0
    return StockFacts(now, unseen, gin, knock, better, seen.stock)


def discard_facts(seen: Observation, card: Card) -> DiscardFacts:
    """Return the facts of discarding this card from eleven."""
    ways, kept = seen.ways, seen.cards & ~card.bit
    may_go = cards_of(seen.cards & ~seen.taken)
    now = ways.deadwood(kept)
    near = neighbours(ways)
    about = near.all[card]
    gone = kept | seen.pile | card.bit
    melds = tuple(pair for pair in near.set_pairs[card] + near.run_pairs[card] if not pair & gone)
    return DiscardFacts(
        card=card,
        pips=ways.pips(card.bit),
        deadwood=now,
        least=min(ways.deadwood(seen.cards & ~other.bit) for other in may_go),
        broken=max(0, now - ways.deadwood(seen.cards)),
        near=about & kept,
        outs=_outs(seen, kept, card),
        wants=about & seen.held,
        shuns=about & (seen.thrown | seen.left),
        threw=about & seen.thrown,
        melds=melds,
        sure=tuple(pair for pair in melds if not pair & ~seen.held),
        after=stock_facts(seen, kept, card.bit),
    )


def _outs(seen: Observation, kept: CardSet, card: Card) -> CardSet:
    """Return the unseen cards that would meld this one with one of the cards kept."""
    outs = 0
    about = neighbours(seen.ways)
    for pair in about.set_pairs[card] + about.run_pairs[card]:
        missing = pair & ~kept
        if popcount(missing) == 1:
            outs |= missing & seen.unseen
    return outs


def layoffs(seen: Observation, melds: tuple[Meld, ...]) -> CardSet:
    """Return the cards that the opponent may hold and lay off at once."""
    found = 0
    for meld in melds:
        found |= seen.ways.taken_by(meld)
    return found & (seen.unseen | seen.held)


def knock_facts(seen: Observation, knock: Knock, undercut: int) -> KnockFacts:
    """Return the facts of this knock; *undercut* is its chance in thousandths."""
    deadwood = seen.ways.pips(knock.deadwood)
    return KnockFacts(
        deadwood=deadwood,
        limit=seen.limit,
        gin=not deadwood,
        undercut=(undercut + 5) // 10,
        layoffs=layoffs(seen, knock.melds) if deadwood else 0,
        stock=seen.stock,
    )


def spread_facts(seen: Observation, spread: Spread, knock: Knock, best: Spread) -> SpreadFacts:
    """Return the facts of this answer to the knock, compared with the best one."""
    pips = seen.ways.pips
    return SpreadFacts(
        deadwood=pips(spread.deadwood),
        laid_off=len(spread.layoffs),
        against=pips(knock.deadwood),
        least=pips(best.deadwood),
    )


def melded_with(ways: Melding, cards: CardSet, card: Card) -> CardSet:
    """Return the other cards of this card's meld in the best arrangement; none if it is loose."""
    for melds in ways.arrangements(cards):
        for meld in melds:
            if meld & card.bit:
                return meld ^ card.bit
    return 0
