"""Cards, sets of cards, and the errors that every rule raises (RULES 1).

A card is an int 0..51, ``13 * suit + rank``: suits clubs, diamonds, hearts, spades; ranks ace to
king. A set of cards is a plain int, bit i for card i: union, difference and "disjoint" are single
machine operations, and a set is hashable and immutable for nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

RANKS = "A23456789TJQK"
SUITS = "cdhs"

CardSet = int
"""A set of cards as a bit mask, bit i = card i; always within ``0 .. DECK``."""

DECK: CardSet = (1 << 52) - 1

_PIPS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10)  # RULES 1.3


class RulesError(ValueError):
    """Something that the rules do not accept.

    ``code`` is stable and made for programs and logs; ``sentence`` is what the player reads;
    ``rule`` is the number in RULES.md, "4.4", where one rule is broken.
    """

    def __init__(self, code: str, sentence: str, rule: str | None = None) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
        self.rule = rule

    def __reduce__(self) -> tuple[type[RulesError], tuple[str, str, str | None]]:
        return type(self), (self.code, self.sentence, self.rule)  # ValueError keeps only one


class Unreadable(RulesError):
    """A text or number that names no card, move, rule set or hand at all."""


class Illegal(RulesError):
    """A value that can be read and that the rules do not allow here."""


class Unsupported(RulesError):
    """A rule that is known by name and that this version does not play."""


class Card(int):
    """One of the 52 cards. ``str`` gives its text, "7d"; ``parse_card`` reads it back."""

    __slots__ = ()

    def __new__(cls, index: int) -> Card:
        if not 0 <= index < 52:
            raise Unreadable("unreadable-card", f"There is no card number {index}; they are 0..51.")
        return super().__new__(cls, index)

    @property
    def rank(self) -> int:
        """0 for the ace to 12 for the king."""
        return self % 13

    @property
    def suit(self) -> int:
        """0 clubs, 1 diamonds, 2 hearts, 3 spades."""
        return self // 13

    @property
    def pips(self) -> int:
        """What the card counts as deadwood: ace 1, 2 to 9 their number, ten to king 10."""
        return _PIPS[self % 13]

    @property
    def bit(self) -> CardSet:
        """The set that holds this card alone."""
        return 1 << self

    def __str__(self) -> str:
        return RANKS[self % 13] + SUITS[self // 13]

    def __repr__(self) -> str:
        return f"parse_card({str(self)!r})"


CARDS: tuple[Card, ...] = tuple(Card(i) for i in range(52))

_BY_TEXT = {str(card): card for card in CARDS}
_BY_BIT = {card.bit: card for card in CARDS}


def parse_card(text: str) -> Card:
    """The card of a text like "7d" or "As". Raises Unreadable."""
    card = _BY_TEXT.get(text)
    if card is None:
        raise Unreadable(
            "unreadable-card",
            f"{text[:12]!r} is no card; write a rank of {RANKS} and a suit of {SUITS}, like 7d.",
        )
    return card


def mask_of(cards: Iterable[int]) -> CardSet:
    """The set of these cards; one named twice counts once."""
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


def cards_of(mask: CardSet) -> tuple[Card, ...]:
    """The cards of a set in ascending order: clubs first, within a suit the ace first."""
    cards = []
    while mask:
        low = mask & -mask
        cards.append(_BY_BIT[low])
        mask ^= low
    return tuple(cards)


def popcount(mask: CardSet) -> int:
    """How many cards are in the set."""
    return mask.bit_count()


def pips_of(mask: CardSet) -> int:
    """The sum of the cards' pips, as if all were deadwood."""
    return sum(card.pips for card in cards_of(mask))


def set_text(mask: CardSet) -> str:
    """The cards in ascending order, written together: "3c4c5c"; the empty set is ""."""
    return "".join(map(str, cards_of(mask)))


def parse_set(text: str) -> CardSet:
    """The set of a text like "3c4c5c", in any order. Raises Unreadable, for a repeated card too."""
    mask = 0
    for at in range(0, len(text), 2):
        card = parse_card(text[at : at + 2])
        if mask & card.bit:
            raise Unreadable("repeated-card", f"{card} is named twice.")
        mask |= card.bit
    return mask
