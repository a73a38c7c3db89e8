"""Cards, melds and hands as a person reads them, in symbols, letters or words; and as a person
types them.

Rule 1: a line says everything in words. Colour, symbols and alignment only repeat it, so nothing
  is lost on a screen reader, in a log file or to a colour-blind reader.
Rule 2: a card may be typed as 7d, 7D, d7, 10d, Td, dt, 7♦, "7 of diamonds" or "king d". No rank
  shares a letter with a suit, so none of these is ambiguous.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TextIO

from cli.text.grammar import capital, listed, plural
from ginpeer.names import safe
from ginpeer.rules.card_order import costliest_first, in_row, laid_out
from ginpeer.rules.cards import (
    CARDS,
    RANKS,
    SUITS,
    Card,
    CardSet,
    Unreadable,
    cards_of,
    mask_of,
    parse_card,
    popcount,
)
from ginpeer.rules.melds import melding
from ginpeer.rules.ruleset import RuleSet

SYMBOLS = "♣♦♥♠"
NO_MELDS = "no melds"
SUIT_WORDS = ("clubs", "diamonds", "hearts", "spades")
RANK_WORDS = ("ace", "2", "3", "4", "5", "6", "7", "8", "9", "10", "jack", "queen", "king")
RANK_SHORT = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
_TWO_COLOURS = (None, 31, 31, None)
_FOUR_COLOURS = (32, 94, 31, None)
"""From clubs to spades, by terminal colour number: green, bright blue, red, default. The plain blue
of ECMA-48 (8.3.117) is hard to read on black."""

_RULES_CARD = re.compile(rf"\b[{RANKS}][{SUITS}]\b")


class Sort(Enum):
    """How a hand is sorted; the value is what the player types."""

    MELDS = "melds"
    SUIT = "suit"
    RANK = "rank"


@dataclass(frozen=True, slots=True)
class Style:
    """How cards are written. *four*: give each suit its own colour, not just red and black."""

    symbols: bool = False
    words: bool = False
    colour: bool = False
    four: bool = False

    def card(self, card: Card) -> str:
        """Return one card: "10♦", "10d" or "10 of diamonds"."""
        if self.words:
            return f"{RANK_WORDS[card.rank]} of {SUIT_WORDS[card.suit]}"
        suit = SYMBOLS[card.suit] if self.symbols else SUITS[card.suit]
        text = RANK_SHORT[card.rank] + suit
        colour = (_FOUR_COLOURS if self.four else _TWO_COLOURS)[card.suit]
        return f"\x1b[{colour}m{text}\x1b[0m" if self.colour and colour else text

    def the(self, card: Card) -> str:
        """Return one card for use within a sentence: "10♦", "the 10 of diamonds"."""
        return f"the {self.card(card)}" if self.words else self.card(card)

    def at_start(self, card: Card) -> str:
        """Return one card for the beginning of a sentence: "10♦", "The 10 of diamonds"."""
        return capital(self.the(card))

    def respelt(self, sentence: str) -> str:
        """Return a sentence from ginpeer.rules with its cards, such as "Tc", in this style."""
        text = _RULES_CARD.sub(lambda found: self.the(parse_card(found[0])), sentence)
        return capital(text) if self.words else text  # it may now begin with "the"

    def cards(self, cards: Iterable[Card]) -> str:
        return (", " if self.words else " ").join(map(self.card, cards))

    def meld(self, meld: CardSet) -> str:
        """Return "3♣ 4♣ 5♣"; in words "3, 4 and 5 of clubs" or "7 of clubs and hearts"."""
        cards = in_row(meld)
        if not self.words:
            return self.cards(cards)
        if cards[0].suit == cards[-1].suit:
            ranks = listed(RANK_WORDS[card.rank] for card in cards)
            return f"{ranks} of {SUIT_WORDS[cards[0].suit]}"
        suits = listed(SUIT_WORDS[card.suit] for card in cards)
        return f"{RANK_WORDS[cards[0].rank]} of {suits}"

    def the_meld(self, meld: CardSet) -> str:
        """Return a meld to follow its number; in words, "the 6, 7 and 8 of clubs"."""
        return f"the {self.meld(meld)}" if self.words else self.meld(meld)

    def melds(self, melds: Sequence[CardSet]) -> str:
        return ("; " if self.words else ", ").join(map(self.meld, melds)) or "none"

    def numbered_melds(self, melds: Sequence[CardSet], shown: Iterable[int] | None = None) -> str:
        """Return melds numbered from 1: "meld 1 (3♣ 4♣ 5♣) and meld 2 (7♣ 7♥ 7♠)". *shown*: the
        indexes of the melds to list, at least one; None lists all."""
        places = range(len(melds)) if shown is None else shown
        return listed(f"meld {at + 1} ({self.the_meld(melds[at])})" for at in places)

    def layoffs(self, layoffs: Iterable[tuple[Card, int]], melds: Sequence[CardSet]) -> str:
        """Return lay-offs as text, such as "6♣ and 7♣ on 3♣ 4♣ 5♣, 7♦ on 7♣ 7♥ 7♠"."""
        on: dict[int, list[str]] = {}
        for card, at in layoffs:
            on.setdefault(at, []).append(self.the(card))
        groups = (f"{listed(cards)} on {self.the_meld(melds[at])}" for at, cards in on.items())
        return ("; " if self.words else ", ").join(groups)

    def deadwood(self, cards: CardSet, rules: RuleSet) -> str:
        """Return deadwood, costliest first, and its count: "K♠ 4♦ (14)", or "none (0)". In words,
        the count comes first: "14: king of spades, 4 of diamonds"."""
        text, count = self.costliest(cards, rules), melding(rules).pips(cards)
        return f"{count}: {text}" if self.words else f"{text} ({count})"

    def costliest(self, cards: CardSet, rules: RuleSet) -> str:
        return self.cards(costliest_first(cards, rules)) or "none"

    def hand(
        self, hand: CardSet, rules: RuleSet, sort: Sort = Sort.MELDS, own_order: Sequence[Card] = ()
    ) -> str:
        """Return a hand on one line, in the first of the arrangements with the least deadwood. In
        Mahjong gin, give the number and value of all cards instead of the deadwood."""
        melds, rest, count = laid_out(hand, rules)
        by_kind = () if sort is Sort.MELDS else sorted_by(sort, hand)
        ordered = self.cards(own_order or by_kind)
        if rules.mahjong:
            loose = f"loose {self.costliest(rest, rules)}" if rest else "no loose cards"
            cards = ordered or f"{self.melds(melds) if melds else NO_MELDS}; {loose}"
            return f"{cards}; {plural(popcount(hand), 'card')}, counting {count}"
        if ordered:
            return f"{ordered}; deadwood counts {count}"
        return self.shown(melds, self.deadwood(rest, rules) if rest else "")

    def shown(self, melds: Sequence[CardSet], deadwood: str) -> str:
        """Return "3♣ 4♣ 5♣; deadwood K♠ 4♦ (14)". *deadwood*: that text; empty if there is none."""
        left = f"deadwood {deadwood}" if deadwood else "no deadwood"
        return f"{self.melds(melds) if melds else NO_MELDS}; {left}"


def sorted_by(sort: Sort, cards: CardSet) -> list[Card]:
    if sort is Sort.SUIT:
        return sorted(cards_of(cards), key=lambda card: (card.suit, card.rank))
    return sorted(cards_of(cards), key=lambda card: (card.rank, card.suit))


def displayed_order(hand: CardSet, rules: RuleSet, sort: Sort) -> list[Card]:
    """Return the cards in the order in which a hand sorted this way shows them."""
    if sort is not Sort.MELDS:
        return sorted_by(sort, hand)
    melds, rest, _ = laid_out(hand, rules)
    return [*(card for meld in melds for card in in_row(meld)), *costliest_first(rest, rules)]


def style_for(output: TextIO | None, environ: Mapping[str, str] = os.environ) -> Style:
    """Return the style for a stream. It uses symbols if the encoding has them, and colour only on a
    terminal, unless NO_COLOR (no-color.org) or TERM=dumb forbids it."""
    if output is None:  # it was closed before we started
        return Style()
    colour = output.isatty() and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"
    symbols = True
    try:
        SYMBOLS.encode(output.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        symbols = False
    return Style(symbols=symbols, colour=colour)


# --- reading cards ----------------------------------------------------------------------

_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_RANK_NAMES = {
    **{name: rank for rank, name in enumerate("a23456789tjqk")},
    **{name: rank for rank, name in enumerate(RANK_WORDS)},
    **{name: rank for rank, name in enumerate(_NUMBERS)},
    "1": 0,
}
_SUIT_NAMES = {
    **{name: suit for suit, name in enumerate("cdhs")},
    **{name: suit for suit, name in enumerate(("club", "diamond", "heart", "spade"))},
    **{name: suit for suit, name in enumerate(SUIT_WORDS)},
    **{name: suit for suit, name in enumerate(SYMBOLS)},
    **{name: suit for suit, name in enumerate("♧♢♡♤")},
    "❤": 2,  # the heart on the keyboard of a phone
}


def _one_of(names: dict[str, int]) -> str:
    return "|".join(sorted(map(re.escape, names), key=lambda name: (-len(name), name)))


_SHORT_RANK = "10|[a1-9tjqk]"
_JOIN = r"(?:\s+of\s+|[\s-]+)"
# Only a rank's short form may stand directly before the suit, or "jacks" would be a card. Words are
# tried first; otherwise "ace of hearts" would begin with "ac", the ace of clubs.
_CARD = re.compile(
    rf"(?P<rank>{_one_of(_RANK_NAMES)}){_JOIN}(?P<suit>{_one_of(_SUIT_NAMES)})"
    rf"|(?P<rank2>{_SHORT_RANK})\s*(?P<suit2>{_one_of(_SUIT_NAMES)})"
    rf"|(?P<suit3>{_one_of(_SUIT_NAMES)})\s*(?P<rank3>{_SHORT_RANK})"
)
_RANK_ALONE = re.compile(  # a rank before the end, a comma, "on 1" or another rank
    rf"({_one_of(_RANK_NAMES)})(?=\s*(?:$|[^\w\s]|(?:on|to|and)\b)|\s+(?:{_SHORT_RANK})\b)"
)
_BLANKS = re.compile(r"^[\s,]*")
_VARIATION_SELECTOR = re.compile("[\ufe0e\ufe0f]")  # shows a suit as text or as a picture


def read_card(text: str) -> Card:
    """Read a single card. Raises Unreadable."""
    cards = cards_or_none(text)
    if cards is None:
        raise _no_card(text)
    if len(cards) > 1:
        sentence = f"{as_typed(text)} names {len(cards)} cards. Name only one."
        raise Unreadable("unreadable-card", sentence)
    return cards[0]


def rank_of(text: str) -> int | None:
    """Return the rank that the text names, as in "j" or "jack"; None if it names none."""
    return _RANK_NAMES.get(text.strip().casefold())


def which_suit(rank: int) -> Unreadable:
    """Return the error for a rank typed without a suit, when any suit may be meant."""
    return Unreadable("no-suit", f"Which {RANK_WORDS[rank]}? Type the suit, too.")


def no_suit(rank: int, held: CardSet, before: str = "") -> str:
    """Ask for the suit of the card to discard. *held*: the cards that may be meant. *before*: what
    was typed before the rank, as in "knock "."""
    name = RANK_WORDS[rank]
    found = [before + card for card in _typed_cards(rank, held)]
    if not found:
        return f"You have no {name} to discard."
    if len(found) == 1 and before:
        return f"Type the suit too: {found[0]}"
    if len(found) == 1:
        # not "the": our player may hold another one, just taken, that can't be discarded
        one = f"{'an' if name in ('ace', '8') else 'a'} {name}"
        return f"To discard {one}, type: {found[0]}"
    return f"Which {name}? Type {listed(found, 'or')}."


def meant_card(rank: int, held: CardSet) -> str:
    """Say how to type the cards *held* that have this rank; empty if there are none."""
    found = _typed_cards(rank, held)
    return f"For the {RANK_WORDS[rank]}, type: {listed(found, 'or')}" if found else ""


def _typed_cards(rank: int, held: CardSet) -> list[str]:
    return [Style().card(card).lower() for card in cards_of(held) if card.rank == rank]


def read_cards(text: str) -> list[Card]:
    """Read cards, with or without blanks or commas between them. A full stop may follow them.
    Raises Unreadable."""
    text = _VARIATION_SELECTOR.sub("", text.casefold()).removesuffix(".")
    cards: list[Card] = []
    while text := _BLANKS.sub("", text):
        card, end = scan_card(text, 0)
        cards.append(card)
        text = text[end:]
    if not cards:
        raise Unreadable("no-card", "A card is missing from that line. Nothing was done.")
    return cards


def cards_or_none(text: str) -> list[Card] | None:
    """Read a sequence of cards; return None if the text is anything else."""
    try:
        return read_cards(text)
    except Unreadable:
        return None


def is_card(text: str) -> bool:
    cards = cards_or_none(text)
    return cards is not None and len(cards) == 1


def scan_card(text: str, position: int) -> tuple[Card, int]:
    """Read the card that begins at *position*; return it and where it ends. Raises Unreadable."""
    match = _CARD.match(text, position)
    if match is None:
        raise _no_card(text[position:])
    rank = match["rank"] or match["rank2"] or match["rank3"]
    suit = match["suit"] or match["suit2"] or match["suit3"]
    return CARDS[13 * _SUIT_NAMES[suit] + _RANK_NAMES[rank]], match.end()


def mask_of_distinct(cards: Sequence[Card]) -> CardSet:
    """Return the cards as a set. Raises Unreadable if one is named twice."""
    mask = mask_of(cards)
    if mask.bit_count() != len(cards):
        raise Unreadable("repeated-card", "You named a card twice. Nothing was changed.")
    return mask


def _no_card(text: str) -> Unreadable:
    alone = _RANK_ALONE.match(text.casefold())
    if alone is not None:
        return which_suit(_RANK_NAMES[alone[1]])
    sentence = f"{as_typed(text)} isn't a card. Write a rank and a suit: 7d, 10h, qs, ac."
    return Unreadable("unreadable-card", sentence)


def as_typed(text: str) -> str:
    return f'"{safe(text, limit=30)}"'
