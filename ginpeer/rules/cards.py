"""Cards, sets of cards, and the errors that every rule raises (RULES 1).

A card is an int 0..51, ``13 * suit + rank``: suits clubs, diamonds, hearts, spades; ranks ace to
king. A set of cards is a plain int, bit i for card i: union, difference and the test for disjoint
sets are single machine operations, and a set is hashable and immutable at no cost.
"""

from __future__ import annotations

from collections.abc import Iterable

RANKS = "A23456789TJQK"
SUITS = "cdhs"

CardSet = int
"""A set of cards as a bit mask, bit i for card i; always within ``0 .. DECK``."""

DECK: CardSet = (1 << 52) - 1

_PIPS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10)  # RULES 1.3


class RulesError(ValueError):
    """Something that the rules don't accept.

    ``code`` is stable, for programs and logs; ``sentence`` is for the player; ``rule`` is the
    number of the broken rule in RULES.md, like "4.4", or None.
    """

    def __init__(self, code: str, sentence: str, rule: str | None = None) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
        self.rule = rule

    def __reduce__(self) -> tuple[type[RulesError], tuple[str, str, str | None]]:
        return type(self), (self.code, self.sentence, self.rule)  # by default, only the sentence


class Unreadable(RulesError):
    """A string or number that doesn't name a card, move, rule set or hand at all."""


class Illegal(RulesError):
    """A readable value that the rules don't allow in this situation."""


class Unsupported(RulesError):
    """A rule that exists by name but that this version can't play."""


class Card(int):
    """One of the 52 cards. ``str`` gives its text, like "7d"; ``parse_card`` reads it back."""

    __slots__ = ()

    def __new__(cls, index: int) -> Card:
        if not 0 <= index < 52:
            raise Unreadable(
                "unreadable-card", f"There is no card number {index}; cards are numbered 0 to 51."
            )
        return super().__new__(cls, index)

    def __bool__(self) -> bool:
        return True  # even for the ace of clubs, whose number is 0

    @property
    def rank(self) -> int:
        """The rank, from 0 for the ace to 12 for the king."""
        return self % 13

    @property
    def suit(self) -> int:
        """The suit: 0 clubs, 1 diamonds, 2 hearts, 3 spades."""
        return self // 13

    @property
    def pips(self) -> int:
        """The card's deadwood count in ordinary gin: ace 1, 2 to 9 their number, ten to king 10.
        For the count under a rule set, call ``melding(rules).pips``."""
        return _PIPS[self % 13]

    @property
    def bit(self) -> CardSet:
        """The set that contains only this card."""
        return 1 << self

    def __str__(self) -> str:
        return RANKS[self % 13] + SUITS[self // 13]

    def __repr__(self) -> str:
        return f"parse_card({str(self)!r})"


CARDS: tuple[Card, ...] = tuple(Card(i) for i in range(52))

_BY_TEXT = {str(card): card for card in CARDS}
_BY_BIT = {card.bit: card for card in CARDS}
_BITS: dict[int, CardSet] = {card: card.bit for card in CARDS}


def check_seat(seat: int) -> int:
    """Return the seat: 0 for the host, 1 for the guest. Raises Unreadable for anything else."""
    if type(seat) is not int or seat not in (0, 1):
        raise Unreadable(
            "no-such-seat", f"There is no seat {str(seat)[:12]}; the host is 0, the guest is 1."
        )
    return seat


def check_set(mask: CardSet) -> None:
    """Raise Unreadable for a number that isn't a set of cards."""
    if not 0 <= mask <= DECK:
        raise Unreadable("unreadable-card", "The set contains a card that doesn't exist.")


def parse_card(text: str) -> Card:
    """Return the card with this name, such as "7d" or "As". Raises Unreadable."""
    card = _BY_TEXT.get(text)
    if card is None:
        raise Unreadable(
            "unreadable-card",
            f"{text[:12]!r} isn't a card; write a rank of {RANKS} and a suit of {SUITS}, like 7d.",
        )
    return card


def mask_of(cards: Iterable[int]) -> CardSet:
    """Return the set of these cards. Raises Unreadable for a number that isn't a card's."""
    mask = 0
    try:
        for card in cards:
            mask |= _BITS[card]
    except KeyError:
        raise Unreadable(
            "unreadable-card", f"There is no card number {card}; cards are numbered 0 to 51."
        ) from None
    return mask


def cards_of(mask: CardSet) -> tuple[Card, ...]:
    """Return the cards in ascending order, clubs first. Raises Unreadable for an invalid set."""
    check_set(mask)
    cards = []
    while mask:
        low = mask & -mask
        cards.append(_BY_BIT[low])
        mask ^= low
    return tuple(cards)


def union_of(groups: Iterable[CardSet]) -> CardSet:
    """Return all cards in these sets. Raises Illegal if two sets share a card."""
    union, twice = 0, 0
    for group in groups:
        twice |= union & group
        union |= group
    if twice:
        raise Illegal("card-twice", f"{cards_of(twice)[0]} is used twice.", "2.3")
    return union


def popcount(mask: CardSet) -> int:
    """Return how many cards the set has."""
    return mask.bit_count()


def set_text(mask: CardSet) -> str:
    """Return the cards in ascending order, written together: "3c4c5c"; the empty set is ""."""
    return "".join(map(str, cards_of(mask)))


def parse_set(text: str) -> CardSet:
    """Read a set like "3c4c5c", in any order. Raises Unreadable for unknown or repeated cards."""
    mask = 0
    for at in range(0, len(text), 2):
        card = parse_card(text[at : at + 2])
        if mask & card.bit:
            raise Unreadable("repeated-card", f"{card} is named twice.")
        mask |= card.bit
    return mask
