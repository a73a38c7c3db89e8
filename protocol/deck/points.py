"""The 52 cards as group elements (PROTOCOL 4.2)."""

from __future__ import annotations

from functools import cache

from protocol.crypto.elgamal import Ciphertext
from protocol.crypto.group import IDENTITY, Element
from protocol.crypto.hashing import hash_to_group
from protocol.messages import DECK_CARDS

CARD_LABEL = b"ginpeer/v1/card"


@cache
def card_points() -> tuple[Element, ...]:
    """Return the points of cards 0 .. 51: hash_to_group(the number as one byte, CARD_LABEL)."""
    return tuple(hash_to_group(bytes([card]), CARD_LABEL) for card in range(DECK_CARDS))


@cache
def _numbers() -> dict[Element, int]:
    return {point: card for card, point in enumerate(card_points())}


def card_at(point: Element) -> int | None:
    """Return the card with this point; None if there is none."""
    return _numbers().get(point)


@cache
def open_deck() -> tuple[Ciphertext, ...]:
    """Return all cards in order, unmasked, as (identity, M_i). Every deal begins with this deck."""
    return tuple(Ciphertext(IDENTITY, point) for point in card_points())
