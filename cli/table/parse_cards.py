"""Cards as a player types them: in any order and dress.

# Cards are read in any order and dress: 7d, 7D, d7, 10d, Td, dt, 7♦, "7 of diamonds", "king d". No
# rank shares a letter with a suit, so nothing of it is ambiguous.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ginpeer.names.quoting import safe
from ginpeer.rules.cards import CARDS, Card, CardSet, Unreadable, mask_of

_RANK_NAMES = {
    **{name: rank for rank, name in enumerate("a23456789tjqk")},
    "1": 0,
    "10": 9,
    "ace": 0,
    "one": 0,
    "two": 1,
    "three": 2,
    "four": 3,
    "five": 4,
    "six": 5,
    "seven": 6,
    "eight": 7,
    "nine": 8,
    "ten": 9,
    "jack": 10,
    "queen": 11,
    "king": 12,
}
_SUIT_NAMES = {
    **{name: suit for suit, name in enumerate("cdhs")},
    **{name: suit for suit, name in enumerate(("club", "diamond", "heart", "spade"))},
    **{name: suit for suit, name in enumerate(("clubs", "diamonds", "hearts", "spades"))},
    **{name: suit for suit, name in enumerate("♣♦♥♠")},
    **{name: suit for suit, name in enumerate("♧♢♡♤")},
}


def _one_of(names: dict[str, int]) -> str:
    return "|".join(sorted(map(re.escape, names), key=lambda name: (-len(name), name)))


_SHORT_RANK = "10|[a1-9tjqk]"
_JOIN = r"(?:\s+of\s+|[\s-]+)"
# A rank's short form may touch the suit; a rank's word may not, or "jacks" would be a card. The
# word is tried first, or "ace of hearts" would begin with the ace of clubs.
_CARD = re.compile(
    rf"(?P<rank>{_one_of(_RANK_NAMES)}){_JOIN}(?P<suit>{_one_of(_SUIT_NAMES)})"
    rf"|(?P<rank2>{_SHORT_RANK})\s*(?P<suit2>{_one_of(_SUIT_NAMES)})"
    rf"|(?P<suit3>{_one_of(_SUIT_NAMES)})\s*(?P<rank3>{_SHORT_RANK})"
)
_BLANKS = re.compile(r"[\s,]*")
_DRESS = re.compile("[\ufe0e\ufe0f]")  # asks for a suit sign as text or as a picture


def read_card(text: str) -> Card:
    """One card, and nothing but it. Raises Unreadable."""
    cards = cards_or_none(text)
    if cards is None or len(cards) != 1:
        rank = text.strip().casefold()
        if rank in _RANK_NAMES:
            like = f"{rank} of diamonds" if rank.isalpha() and len(rank) > 1 else f"{rank}d"
            raise Unreadable("no-suit", f"Which {rank}? Say the suit too, like {like}.")
        raise Unreadable("unreadable-card", _no_card(text))
    return cards[0]


def read_cards(text: str) -> list[Card]:
    """Cards in a row, with blanks or commas between them or none. Raises Unreadable."""
    text = _DRESS.sub("", text.casefold())
    cards: list[Card] = []
    position = _skip(text, 0)
    while position < len(text):
        card, position = scan_card(text, position)
        cards.append(card)
        position = _skip(text, position)
    if not cards:
        raise Unreadable("no-card", "A card is missing there; nothing was done.")
    return cards


def _skip(text: str, position: int) -> int:
    blanks = _BLANKS.match(text, position)
    return blanks.end() if blanks else position


def cards_or_none(text: str) -> list[Card] | None:
    """Cards in a row, or None where it is anything else."""
    try:
        return read_cards(text)
    except Unreadable:
        return None


def is_card(text: str) -> bool:
    """Whether this is one card, and nothing but it."""
    cards = cards_or_none(text)
    return cards is not None and len(cards) == 1


def scan_card(text: str, position: int) -> tuple[Card, int]:
    """The card that begins here, and where it ends. Raises Unreadable."""
    match = _CARD.match(text, position)
    if match is None:
        raise Unreadable("unreadable-card", _no_card(text[position:]))
    rank = match["rank"] or match["rank2"] or match["rank3"]
    suit = match["suit"] or match["suit2"] or match["suit3"]
    return CARDS[13 * _SUIT_NAMES[suit] + _RANK_NAMES[rank]], match.end()


def mask_once(cards: Sequence[Card]) -> CardSet:
    """These cards as a set. Raises Unreadable if one is named twice."""
    mask = mask_of(cards)
    if mask.bit_count() != len(cards):
        raise Unreadable("repeated-card", "A card is named twice there; nothing was done.")
    return mask


def _no_card(text: str) -> str:
    return f"{as_typed(text)} is no card. Write a rank and a suit: 7d, 10h, qs, ac."


def as_typed(text: str) -> str:
    """What was typed, short and harmless, for a sentence."""
    return f'"{safe(text, limit=30)}"'
