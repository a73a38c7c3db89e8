"""The moves, and the text of each move, which can be read back (RULES 4 to 6).

========== =====================================================================
pass       ``pass``
take       ``take``: the upcard, the top of the discard pile
draw       ``draw``: the top of the stock
discard    ``discard 7d``
knock      ``knock 7d melds 7c7h7s 3c4c5c deadwood 2d``: 7d is the discard
big gin    ``knock melds 7c7h7s 3c4c5c6c7c8c9c``: eleven cards, no discard
spread     ``spread melds 2c3c4c layoff 6c@1 7c@1 deadwood 9dKs``: 6c and then 7c
           go on the knocker's second meld
lay        ``lay 3c4c5c 7c7h7s add 6c@0``: two melds go on the table, and 6c on the
           first meld there (Mahjong gin only, RULES 12)
take three ``take 3 lay 8s9sTs``: the three top cards of the pile, of which the
           lowest is laid at once (Mahjong gin only)
========== =====================================================================

Empty parts are left out. A move contains only what the player says and shows; the hand decides
whether it is legal (``Hand.apply``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

from ginpeer.rules.cards import (
    CARDS,
    DECK,
    Card,
    CardSet,
    Unreadable,
    parse_card,
    parse_set,
    set_text,
)

_MAX_PARTS = 10  # melds or lay-offs in one move; ten cards allow no more
_MAX_TABLE_MELDS = 17  # three cards each; the deck makes no more
_MAX_TAKEN = 31  # 32 cards aren't in the hands, and at least one of them is undrawn
_MAX_TEXT = 2_500  # seventeen melds of all 52 cards, which is readable but never legal, take 1,800


class _Text:
    """The base class of moves, whose ``repr`` is an expression that you can paste."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"parse_move({str(self)!r})"


@dataclass(frozen=True, slots=True, repr=False)
class Pass(_Text):
    """Decline the upcard on the first turn, or the last discard at the wall (RULES 4.2, 4.7)."""

    def __str__(self) -> str:
        return "pass"


@dataclass(frozen=True, slots=True, repr=False)
class TakeUpcard(_Text):
    """Take the upcard, the top of the discard pile."""

    def __str__(self) -> str:
        return "take"


@dataclass(frozen=True, slots=True, repr=False)
class DrawStock(_Text):
    """Draw the top of the stock; only the player learns which card it is."""

    def __str__(self) -> str:
        return "draw"


@dataclass(frozen=True, slots=True, repr=False)
class Discard(_Text):
    """Discard a card and end the turn."""

    card: Card

    def __str__(self) -> str:
        return f"discard {self.card}"


@dataclass(frozen=True, slots=True, repr=False)
class Knock(_Text):
    """End the play: discard ``discard`` and show the other ten cards. Without deadwood it is gin.

    ``discard`` is None for big gin, where all eleven cards are melded. The order of ``melds``
    matters: lay-offs refer to them by index.
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
    """The defender's answer to a knock: melds, lay-offs, and the deadwood that remains.

    A lay-off is a card and the index of the knocker's meld that it goes on. Lay-offs are ordered so
    that each fits when its turn comes.
    """

    melds: tuple[CardSet, ...]
    layoffs: tuple[tuple[Card, int], ...]
    deadwood: CardSet

    def __post_init__(self) -> None:
        _check_readable(self.melds, self.deadwood)
        if len(self.layoffs) > _MAX_PARTS:
            raise _unreadable("A spread has more lay-offs than a hand has cards.")
        _check_places(self.layoffs, _MAX_PARTS)

    @property
    def cards(self) -> CardSet:
        """All cards shown, including those laid off."""
        laid = reduce(or_, (card.bit for card, _ in self.layoffs), 0)
        return reduce(or_, self.melds, self.deadwood | laid)

    def __str__(self) -> str:
        laid = _places_words("layoff", self.layoffs)
        return " ".join(["spread", *_melds_words(self.melds), *laid, *_dead_words(self.deadwood)])


@dataclass(frozen=True, slots=True, repr=False)
class Lay(_Text):
    """Mahjong gin: put cards from the hand on the table before the turn ends (RULES 12.4, 12.5).

    The new melds go to the end of the table's melds, in order. Then each card of ``adds`` goes on
    the meld with its index, counting the new melds, and must fit when its turn comes.
    """

    melds: tuple[CardSet, ...]
    adds: tuple[tuple[Card, int], ...]

    def __post_init__(self) -> None:
        _check_melds(self.melds, _MAX_TABLE_MELDS)
        if len(self.adds) > len(CARDS):
            raise _unreadable("More cards are added than the deck has.")
        _check_places(self.adds, _MAX_TABLE_MELDS)

    @property
    def cards(self) -> CardSet:
        return reduce(or_, (card.bit for card, _ in self.adds), reduce(or_, self.melds, 0))

    def __str__(self) -> str:
        return " ".join(["lay", *map(set_text, self.melds), *_places_words("add", self.adds)])


@dataclass(frozen=True, slots=True, repr=False)
class TakeDiscards(_Text):
    """Mahjong gin: take the top 2 or more cards of the pile, and lay the lowest of them at once
    (RULES 12.3)."""

    count: int
    lay: Lay

    def __post_init__(self) -> None:
        if not 2 <= self.count <= _MAX_TAKEN:
            raise _unreadable(f"You can take 2 to {_MAX_TAKEN} cards, not {self.count}.")

    def __str__(self) -> str:
        return f"take {self.count} {self.lay}"


Move = Pass | TakeUpcard | DrawStock | Discard | Knock | Spread | Lay | TakeDiscards


class LegalMoves(tuple[Move, ...]):
    """The legal moves of one position (``Hand.legal_moves``). Moves that differ only in the order
    of their melds or lay-offs are listed once, and in Mahjong gin cards that could be laid together
    are listed as separate lays. ``move in moves`` asks the hand, so it can be true for a move that
    isn't listed."""

    is_legal: Callable[[Move], bool]

    def __new__(cls, is_legal: Callable[[Move], bool], listed: Iterable[Move]) -> LegalMoves:
        moves = super().__new__(cls, listed)
        moves.is_legal = is_legal
        return moves

    def __getnewargs__(self) -> Any:  # for copies: tuple's own version would drop is_legal
        return self.is_legal, tuple(self)

    def __contains__(self, move: object) -> bool:
        return isinstance(move, Move) and self.is_legal(move)


def _check_readable(melds: tuple[CardSet, ...], deadwood: CardSet) -> None:
    """Refuse a move that can't be written as text; the hand checks everything else."""
    _check_melds(melds, _MAX_PARTS)
    if not 0 <= deadwood <= DECK:
        raise _unreadable("The deadwood contains a card that doesn't exist.")


def _check_melds(melds: tuple[CardSet, ...], most: int) -> None:
    if len(melds) > most:
        raise _unreadable("There are more melds than a hand has cards.")
    if not all(0 < meld <= DECK for meld in melds):
        raise _unreadable("A meld is empty or contains a card that doesn't exist.")


def _check_places(cards: tuple[tuple[Card, int], ...], most: int) -> None:
    for _, index in cards:
        if not 0 <= index < most:
            raise _unreadable(f"There is no meld number {index}.")


def _melds_words(melds: tuple[CardSet, ...]) -> list[str]:
    return ["melds", *map(set_text, melds)] if melds else []


def _places_words(section: str, cards: tuple[tuple[Card, int], ...]) -> list[str]:
    return [section, *(f"{card}@{index}" for card, index in cards)] if cards else []


def _dead_words(deadwood: CardSet) -> list[str]:
    return ["deadwood", set_text(deadwood)] if deadwood else []


def _unreadable(sentence: str) -> Unreadable:
    return Unreadable("unreadable-move", sentence)


_PLAIN: dict[str, Move] = {"pass": Pass(), "take": TakeUpcard(), "draw": DrawStock()}


def parse_move(text: str) -> Move:
    """Return the move that ``str`` wrote as this text. Raises Unreadable."""
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
    if kind == "lay":
        return _parse_lay(words[1:])
    if kind == "take" and len(words) > 2 and words[2] == "lay":
        return TakeDiscards(_parse_count(words[1]), _parse_lay(words[3:]))
    raise _unreadable(
        f"{text[:20]!r} isn't a move; moves are pass, take, draw, discard, knock, spread and lay."
    )


def _parse_count(word: str) -> int:
    if not (word.isascii() and word.isdigit() and len(word) <= 2) or str(int(word)) != word:
        raise _unreadable(f"{word[:20]!r} isn't a number of cards.")
    return int(word)


def _parse_lay(words: list[str]) -> Lay:
    at = words.index("add") if "add" in words else len(words)
    adds = words[at + 1 :]
    if at < len(words) and not adds:
        raise _unreadable("The part 'add' is empty; leave it out.")
    return Lay(tuple(map(parse_set, words[:at])), tuple(map(_parse_layoff, adds)))


_SECTIONS = ("melds", "layoff", "deadwood")


def _sections(words: list[str], allowed: tuple[str, ...]) -> dict[str, list[str]]:
    """Split "melds a b deadwood c" at its section names, which must be in order, each only once."""
    parts: dict[str, list[str]] = {}
    remaining = iter(allowed)
    for word in words:
        if word in _SECTIONS:
            if word not in remaining:  # this consumes the iterator: each name comes once, in order
                raise _unreadable(f"{word!r} isn't expected there.")
            parts[word] = []
        elif not parts:
            raise _unreadable(f"{word[:20]!r} must come after melds and deadwood.")
        else:
            parts[list(parts)[-1]].append(word)
    for name, content in parts.items():
        if not content:
            raise _unreadable(f"The part {name!r} is empty; leave it out.")
    return parts


def _melds(parts: dict[str, list[str]]) -> tuple[CardSet, ...]:
    return tuple(map(parse_set, parts.get("melds", [])))


def _deadwood(parts: dict[str, list[str]]) -> CardSet:
    words = parts.get("deadwood", [])
    if len(words) > 1:
        raise _unreadable("Write deadwood as one word, like 2dKs.")
    return parse_set(words[0]) if words else 0


def _parse_layoff(word: str) -> tuple[Card, int]:
    card, _, index = word.partition("@")
    if not (index.isascii() and index.isdigit() and len(index) <= 2):
        raise _unreadable(f"{word[:20]!r} isn't a lay-off; write one like 6c@0.")
    if str(int(index)) != index:
        raise _unreadable(f"Write the number in {word[:20]!r} as {int(index)}.")
    return parse_card(card), int(index)
