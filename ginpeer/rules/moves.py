"""The moves, each with one text that reads back (RULES 4 to 6).

========== =====================================================================
pass       ``pass``
take       ``take``: the upcard, the top of the discard pile
draw       ``draw``: the top of the stock
discard    ``discard 7d``
knock      ``knock 7d melds 7c7h7s 3c4c5c deadwood 2d``: 7d is the discard
big gin    ``knock melds 7c7h7s 3c4c5c6c7c8c9c``: eleven cards, no discard
spread     ``spread melds 2c3c4c layoff 6c@1 7c@1 deadwood 9dKs``: 6c and then 7c
           go on the knocker's second meld
========== =====================================================================

A part that is empty is left out. A move carries what the player says and shows; whether it is
legal is judged by the hand (``Hand.apply``).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import or_

from ginpeer.rules.cards import (
    DECK,
    Card,
    CardSet,
    Unreadable,
    parse_card,
    parse_set,
    set_text,
)

_MAX_PARTS = 10  # melds or lay-offs in one move; ten cards make no more
_MAX_TEXT = 2_000  # ten melds of the whole deck, which are readable if never legal, take 1,050


class _Text:
    """A move's repr is its text, ready to be pasted."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"parse_move({str(self)!r})"


@dataclass(frozen=True, slots=True, repr=False)
class Pass(_Text):
    """Decline the upcard on the first turn."""

    def __str__(self) -> str:
        return "pass"


@dataclass(frozen=True, slots=True, repr=False)
class TakeUpcard(_Text):
    """Take the top of the discard pile."""

    def __str__(self) -> str:
        return "take"


@dataclass(frozen=True, slots=True, repr=False)
class DrawStock(_Text):
    """Draw the top of the stock; which card it is, only the player learns."""

    def __str__(self) -> str:
        return "draw"


@dataclass(frozen=True, slots=True, repr=False)
class Discard(_Text):
    """Throw a card and end the turn."""

    card: Card

    def __str__(self) -> str:
        return f"discard {self.card}"


@dataclass(frozen=True, slots=True, repr=False)
class Knock(_Text):
    """End the play: throw ``discard`` and show the other ten cards. Without deadwood it is gin.

    ``discard`` is None for big gin, where all eleven cards are melded. The order of ``melds``
    counts: lay-offs name them by index.
    """

    discard: Card | None
    melds: tuple[CardSet, ...]
    deadwood: CardSet

    def __post_init__(self) -> None:
        _check_readable(self.melds, self.deadwood)

    @property
    def cards(self) -> CardSet:
        """The cards shown, without the discard."""
        return reduce(or_, self.melds, self.deadwood)

    def __str__(self) -> str:
        discard = [] if self.discard is None else [str(self.discard)]
        return " ".join(["knock", *discard, *_melds_words(self.melds), *_dead_words(self.deadwood)])


@dataclass(frozen=True, slots=True, repr=False)
class Spread(_Text):
    """The defender's answer to a knock: own melds, lay-offs, and what remains as deadwood.

    A lay-off is a card and the index of the knocker's meld that it goes on, in an order in which
    each fits when its turn comes.
    """

    melds: tuple[CardSet, ...]
    layoffs: tuple[tuple[Card, int], ...]
    deadwood: CardSet

    def __post_init__(self) -> None:
        _check_readable(self.melds, self.deadwood)
        if len(self.layoffs) > _MAX_PARTS:
            raise Unreadable("unreadable-move", "A spread has more lay-offs than a hand has cards.")
        for _, index in self.layoffs:
            if not 0 <= index < _MAX_PARTS:
                raise Unreadable("unreadable-move", f"There is no meld number {index}.")

    @property
    def cards(self) -> CardSet:
        """All cards shown, those laid off included."""
        laid = reduce(or_, (card.bit for card, _ in self.layoffs), 0)
        return reduce(or_, self.melds, self.deadwood | laid)

    def __str__(self) -> str:
        layoffs = [f"{card}@{index}" for card, index in self.layoffs]
        return " ".join(
            [
                "spread",
                *_melds_words(self.melds),
                *(["layoff", *layoffs] if layoffs else []),
                *_dead_words(self.deadwood),
            ]
        )


Move = Pass | TakeUpcard | DrawStock | Discard | Knock | Spread


def _check_readable(melds: tuple[CardSet, ...], deadwood: CardSet) -> None:
    """Refuse what has no text. Everything else is for the hand to judge."""
    if len(melds) > _MAX_PARTS:
        raise Unreadable("unreadable-move", "There are more melds than a hand has cards.")
    if not (all(0 < meld <= DECK for meld in melds) and 0 <= deadwood <= DECK):
        raise Unreadable("unreadable-move", "A meld is empty, or a card does not exist.")


def _melds_words(melds: tuple[CardSet, ...]) -> list[str]:
    return ["melds", *map(set_text, melds)] if melds else []


def _dead_words(deadwood: CardSet) -> list[str]:
    return ["deadwood", set_text(deadwood)] if deadwood else []


_PLAIN: dict[str, Move] = {"pass": Pass(), "take": TakeUpcard(), "draw": DrawStock()}


def parse_move(text: str) -> Move:
    """The move of a text as ``str`` writes it. Raises Unreadable."""
    words = text.split() if len(text) <= _MAX_TEXT else []
    kind = words[0] if words else ""
    if kind in _PLAIN and len(words) == 1:
        return _PLAIN[kind]
    if kind == "discard" and len(words) == 2:
        return Discard(parse_card(words[1]))
    if kind == "knock":
        discard = None
        if len(words) > 1 and words[1] not in _SECTIONS:
            discard = parse_card(words.pop(1))
        parts = _sections(words[1:], ("melds", "deadwood"))
        return Knock(discard, _melds(parts), _deadwood(parts))
    if kind == "spread":
        parts = _sections(words[1:], ("melds", "layoff", "deadwood"))
        layoffs = tuple(map(_parse_layoff, parts.get("layoff", [])))
        return Spread(_melds(parts), layoffs, _deadwood(parts))
    raise Unreadable(
        "unreadable-move",
        f"{text[:20]!r} is no move; moves are pass, take, draw, discard, knock and spread.",
    )


_SECTIONS = ("melds", "layoff", "deadwood")


def _sections(words: list[str], allowed: tuple[str, ...]) -> dict[str, list[str]]:
    """Split "melds a b deadwood c" at its section names, which come once each and in order."""
    parts: dict[str, list[str]] = {}
    remaining = iter(allowed)
    for word in words:
        if word in _SECTIONS:
            if word not in remaining:  # consumes the iterator up to the word: order and once
                raise Unreadable("unreadable-move", f"The part {word!r} is not expected there.")
            parts[word] = []
        elif not parts:
            raise Unreadable("unreadable-move", f"{word[:20]!r} comes before melds and deadwood.")
        else:
            parts[list(parts)[-1]].append(word)
    for name, content in parts.items():
        if not content:
            raise Unreadable("unreadable-move", f"The part {name!r} is empty; leave it out.")
    return parts


def _melds(parts: dict[str, list[str]]) -> tuple[CardSet, ...]:
    return tuple(map(parse_set, parts.get("melds", [])))


def _deadwood(parts: dict[str, list[str]]) -> CardSet:
    words = parts.get("deadwood", [])
    if len(words) > 1:
        raise Unreadable("unreadable-move", "Deadwood is written as one word, like 2dKs.")
    return parse_set(words[0]) if words else 0


def _parse_layoff(word: str) -> tuple[Card, int]:
    card, at, index = word.partition("@")
    if not at or len(index) != 1 or index not in "0123456789":
        raise Unreadable("unreadable-move", f"{word[:20]!r} is no lay-off; write one like 6c@0.")
    return parse_card(card), int(index)
