"""How cards, melds and hands are written for a person: as signs, as letters or in words.

# Rule 1: a line says everything in words. Colour, symbols and alignment only repeat it, so nothing
#         is lost on a screen reader, in a log file or to a colour-blind eye.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TextIO

from cli.text.grammar import capital, plural
from ginpeer.rules.card_order import costliest_first, in_row, laid_out
from ginpeer.rules.cards import RANKS, SUITS, Card, CardSet, cards_of, parse_card, popcount
from ginpeer.rules.melds import melding
from ginpeer.rules.ruleset import RuleSet

SYMBOLS = "♣♦♥♠"
SUIT_WORDS = ("clubs", "diamonds", "hearts", "spades")
RANK_WORDS = ("ace", "2", "3", "4", "5", "6", "7", "8", "9", "10", "jack", "queen", "king")
_RANK_SHORT = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
_TWO_COLOURS = (None, 31, 31, None)
_FOUR_COLOURS = (32, 94, 31, None)
"""From clubs to spades, as terminals number them: green, bright blue, red, the default. The blue of
ECMA-48 (8.3.117) is hard to read on black."""

_RULES_CARD = re.compile(rf"\b[{RANKS}][{SUITS}]\b")


class Sort(Enum):
    """How a hand is sorted; the value is what the player types."""

    MELDS = "melds"
    SUIT = "suit"
    RANK = "rank"


@dataclass(frozen=True, slots=True)
class Style:
    """How cards are written: suits as symbols, letters or words; red suits coloured, or each suit
    in a colour of its own (*four*)."""

    symbols: bool = False
    words: bool = False
    colour: bool = False
    four: bool = False

    def card(self, card: Card) -> str:
        """Return one card: "10♦", "10d" or "10 of diamonds"."""
        if self.words:
            return f"{RANK_WORDS[card.rank]} of {SUIT_WORDS[card.suit]}"
        suit = SYMBOLS[card.suit] if self.symbols else SUITS[card.suit]
        text = _RANK_SHORT[card.rank] + suit
        colour = (_FOUR_COLOURS if self.four else _TWO_COLOURS)[card.suit]
        return f"\x1b[{colour}m{text}\x1b[0m" if self.colour and colour else text

    def the(self, card: Card) -> str:
        """Return one card within a sentence: "10♦", "the 10 of diamonds"."""
        return f"the {self.card(card)}" if self.words else self.card(card)

    def respelt(self, sentence: str) -> str:
        """Return a sentence of the rules, which write cards as "Tc", with the cards in this
        style."""
        text = _RULES_CARD.sub(lambda found: self.the(parse_card(found[0])), sentence)
        return capital(text)

    def cards(self, cards: Iterable[Card]) -> str:
        """Return several cards in the order given: "7♣ 7♥", "7 of clubs, 7 of hearts"."""
        return (", " if self.words else " ").join(map(self.card, cards))

    def meld(self, meld: CardSet) -> str:
        """Return a meld: "3♣ 4♣ 5♣"; in words "3, 4, 5 of clubs" or "7 of clubs, hearts,
        spades"."""
        cards = in_row(meld)
        if not self.words:
            return self.cards(cards)
        if cards[0].suit == cards[-1].suit:
            ranks = ", ".join(RANK_WORDS[card.rank] for card in cards)
            return f"{ranks} of {SUIT_WORDS[cards[0].suit]}"
        suits = ", ".join(SUIT_WORDS[card.suit] for card in cards)
        return f"{RANK_WORDS[cards[0].rank]} of {suits}"

    def the_meld(self, meld: CardSet) -> str:
        """Return a meld to follow its number, which would otherwise be heard as one more rank:
        "meld 5, the 6, 7, 8 of clubs"."""
        return f"the {self.meld(meld)}" if self.words else self.meld(meld)

    def melds(self, melds: Sequence[CardSet]) -> str:
        """Return melds in the order given, or "none"."""
        return ("; " if self.words else ", ").join(map(self.meld, melds)) or "none"

    def numbered_melds(self, melds: Sequence[CardSet], shown: Iterable[int] | None = None) -> str:
        """Return melds numbered from 1: "meld 1, 3♣ 4♣ 5♣; meld 2, 7♣ 7♥ 7♠". *shown*: only those
        at these places, from 0."""
        places = range(len(melds)) if shown is None else shown
        return "; ".join(f"meld {at + 1}, {self.the_meld(melds[at])}" for at in places)

    def deadwood(self, cards: CardSet, rules: RuleSet) -> str:
        """Return deadwood, the costliest card first, with its count: "K♠ 4♦ (14)", or "none
        (0)"."""
        text, count = self.costliest(cards, rules), melding(rules).pips(cards)
        return f"{text}, counting {count}" if self.words else f"{text} ({count})"

    def costliest(self, cards: CardSet, rules: RuleSet) -> str:
        """Return cards in no meld, the costliest first, or "none"."""
        return self.cards(costliest_first(cards, rules)) or "none"

    def hand(
        self,
        hand: CardSet,
        rules: RuleSet,
        sort: Sort = Sort.MELDS,
        own_order: Sequence[Card] = (),
    ) -> str:
        """Return a hand as one line, sorted or in the player's *own_order*, and its least deadwood.
        In Mahjong gin, where nothing counts before it is on the table, all cards are counted.

        If several arrangements leave the least deadwood, the first of them is shown.
        """
        melds, rest, count = laid_out(hand, rules)
        by_kind = () if sort is Sort.MELDS else sorted_by(sort, hand)
        ordered = self.cards(own_order or by_kind)
        if rules.mahjong:
            cards = ordered or f"melds {self.melds(melds)}; loose {self.costliest(rest, rules)}"
            return f"{cards}; {plural(popcount(hand), 'card')}, counting {count}"
        if ordered:
            return f"{ordered}; deadwood counts {count}"
        return f"melds {self.melds(melds)}; deadwood {self.deadwood(rest, rules)}"


_SORT_KEYS = {
    Sort.SUIT: lambda card: (card.suit, card.rank),
    Sort.RANK: lambda card: (card.rank, card.suit),
}


def sorted_by(sort: Sort, cards: CardSet) -> list[Card]:
    """Return the cards sorted by suit or by rank."""
    return sorted(cards_of(cards), key=_SORT_KEYS[sort])


def displayed_order(hand: CardSet, rules: RuleSet, sort: Sort) -> list[Card]:
    """Return the cards in the order in which a hand sorted this way shows them."""
    if sort is not Sort.MELDS:
        return sorted_by(sort, hand)
    melds, rest, _ = laid_out(hand, rules)
    return [*(card for meld in melds for card in in_row(meld)), *costliest_first(rest, rules)]


def style_for(output: TextIO | None, environ: Mapping[str, str] | None = None) -> Style:
    """Return the style that suits a stream: symbols if its encoding has them; colour only on a
    terminal, and never against NO_COLOR (no-color.org) or TERM=dumb."""
    if output is None:  # it was closed before we started
        return Style()
    environ = os.environ if environ is None else environ
    colour = output.isatty() and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"
    return Style(symbols=_can_write(output, SYMBOLS), colour=colour)


def _can_write(output: TextIO, text: str) -> bool:
    try:
        text.encode(output.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
