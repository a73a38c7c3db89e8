"""What one line of a sheet can say, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ginpeer.rules.cards import Card
from ginpeer.rules.moves import Move

MARKS: Final = ("forged", "illegal", "unreadable")
"""What may stand behind the number of a hand: how the log that it was taken from was judged."""


@dataclass(frozen=True, slots=True)
class Tag:
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class HandHead:
    number: int | None
    mark: str


@dataclass(frozen=True, slots=True)
class SeatLine:
    """A word and a seat: "dealer host", "first guest"."""

    word: str
    seat: int


@dataclass(frozen=True, slots=True)
class DealtLine:
    """A seat's ten cards, None where they are not known."""

    seat: int
    cards: tuple[Card, ...] | None


@dataclass(frozen=True, slots=True)
class CardLine:
    """The upcard, or the card of the second deck."""

    word: str
    card: Card


@dataclass(frozen=True, slots=True)
class Action:
    """One move of a turn. ``card``: which came from the stock, or which was taken, if it is said;
    ``move`` is None where the match is given up."""

    move: Move | None
    card: Card | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    seat: int | None
    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class SumLine:
    """A line of numbers that follow from what stands above: its words, without the marks."""

    words: tuple[str, ...]


Statement = Tag | HandHead | SeatLine | DealtLine | CardLine | Turn | SumLine
