"""Parse one line of a sheet into a statement, without judging whether it is possible
(NOTATION.md 2 to 5).

Rule 1: a line is read once from left to right by the grammar of NOTATION.md, backtracking by at
        most a word. Blanks between words are optional, and case doesn't matter.
Rule 2: text that an error quotes from a line passes through ginpeer.names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeVar

from ginpeer.names import in_quotes, safe
from ginpeer.notation.sheet import MAX_VALUE, ROLES, TAG_NAME, BadNotation, unescaped
from ginpeer.rules import moves
from ginpeer.rules.cards import SUITS, Card, CardSet, Unreadable, mask_of, parse_card

T = TypeVar("T")

# --- statements -----------------------------------------------------------------------

MARKS: Final = ("forged", "illegal", "unreadable")
"""The words that may follow a hand's number: the verdict on the log that the hand came from."""


class Tag(NamedTuple):
    name: str
    value: str


class HandHead(NamedTuple):
    number: int | None
    mark: str


class DealLine(NamedTuple):
    """A word of a deal, and what follows it: a seat ("dealer host", "first guest"), a card ("upcard
    5h", "knock-card 5h"), or a role's ten cards, None if they aren't known."""

    word: str
    value: int | Card | tuple[Card, ...] | None


class Action(NamedTuple):
    """One move, or None for resigning, and the card drawn or taken if the line names it."""

    move: moves.Move | None
    card: Card | None = None


class Turn(NamedTuple):
    seat: int | None
    actions: tuple[Action, ...]


class SumLine(NamedTuple):
    """The words and numbers, without punctuation, of a line of results or scores."""

    words: tuple[str, ...]


Statement = Tag | HandHead | DealLine | Turn | SumLine


# --- parsing --------------------------------------------------------------------------

SLASH_HINT: Final = "Put a slash before your deadwood, as in: / 6s."
SUMS: Final = ("result", "score", "column", "total", "winner", "owes")
_SUM = re.compile(f"(?:{'|'.join(SUMS)})(?![a-z.-])[a-z0-9 \\t.,:=+-]*", re.ASCII)
_SUM_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*|-?[0-9]+(?:\.[0-9]+)?", re.ASCII)
# In "tdraw", "tdiscard" and "tshows", "t" means to take: "td" and "ts" aren't cards there.
_CARD = re.compile(
    r"(?!t(?:draw|discard|shows))(10|[a2-9tjqk])([cdhs\u2663\u2666\u2665\u2660])\ufe0f?", re.ASCII
)
_SUIT_SIGNS: Final = dict(zip("\u2663\u2666\u2665\u2660", SUITS, strict=True))
_BIG_GIN = re.compile(r"big[ \t-]*gin", re.ASCII)
_KNOCK = re.compile("(?:knock|gin)(?![a-z])", re.ASCII)
_SHOWS = re.compile("knock|gin|shows", re.ASCII)
_NUMBER = re.compile(r"[0-9]{1,5}", re.ASCII)
_COUNT = re.compile(r"[0-9]{1,2}", re.ASCII)
_PLACE = re.compile(r"[1-9][0-9]?", re.ASCII)
_TAG = re.compile(r'\[[ \t]*([a-z0-9]+)[ \t]*"((?:[^"\\]|\\.)*)"[ \t]*\]', re.ASCII | re.IGNORECASE)
_BLANKS: Final = " \t"


def sum_words(line: str) -> tuple[str, ...]:
    """Return the words and numbers of a line of results or scores, for comparing two such lines."""
    return tuple(_SUM_WORD.findall(line.lower()))


def each_once(cards: Sequence[Card]) -> CardSet:
    """Return these cards as a set. Raises Unreadable if one is named twice."""
    if len(set(cards)) < len(cards):
        twice = next(card for card in cards if cards.count(card) > 1)
        raise Unreadable("repeated-card", f"{twice} is named twice.")
    return mask_of(cards)


def read_line(text: str, number: int) -> Statement | None:
    """Parse a line. Return None if it is empty or a comment. Raises BadNotation, Unreadable."""
    text = text.lstrip(_BLANKS)
    if text.startswith("["):
        return _tag(text, number)
    line = _Line(text.partition(";")[0], number)
    return None if line.at_end() else line.statement()


def cards_in(text: str) -> tuple[Card, ...]:
    """Return the cards that a text names. Return none if it contains anything else."""
    line = _Line(text, 0)
    cards = line.cards()
    return cards if line.at_end() else ()


def _tag(text: str, number: int) -> Tag:
    unreadable = BadNotation(
        "tag-unreadable", 'A tag is a name and a value, as in [Host "Ada"].', number
    )
    found = _TAG.match(text)
    if found is None:
        raise unreadable
    value, rest = unescaped(found[2]), text[found.end() :].lstrip(_BLANKS)
    if value is None or not TAG_NAME.fullmatch(found[1]) or rest[:1] not in ("", ";"):
        raise unreadable
    if len(value) > MAX_VALUE:
        raise BadNotation(
            "tag-unreadable",
            f"This tag's value is too long; it can have at most {MAX_VALUE} characters.",
            number,
        )
    return Tag(found[1], value)


class _Shown(NamedTuple):
    """Melds, cards on melds, and loose cards as the line names them, not yet checked."""

    melds: tuple[tuple[Card, ...], ...]
    laid: tuple[tuple[Card, int], ...]
    left: tuple[Card, ...]

    def sets(self) -> tuple[CardSet, ...]:
        return tuple(map(each_once, self.melds))

    def lay(self) -> moves.Lay:
        return moves.Lay(self.sets(), self.laid)


_Made = Callable[[], Action]
"""Builds a parsed move."""


class _Line:
    def __init__(self, text: str, number: int) -> None:
        # Only ASCII is lowered: str.lower turns some characters into two, but an index must point
        # to the same character in both texts.
        self._typed = text
        self._text = "".join(c.lower() if c.isascii() else c for c in text)
        self._number = number
        self._at = 0
        self._skip()

    def at_end(self) -> bool:
        return self._at == len(self._text)

    def statement(self) -> Statement:
        """Parse the whole line before building its moves, so that syntax errors come first."""
        parsed = self._parse()
        if not self.at_end():
            raise self._unreadable()
        return parsed() if callable(parsed) else parsed

    def _parse(self) -> Statement | Callable[[], Turn]:
        if self._word("hand"):
            number = self._pattern(_NUMBER)
            mark = next((mark for mark in MARKS if self._word(mark)), "")
            return HandHead(None if number is None else int(number[0]), mark.upper())
        for word in ("dealer", "first"):
            if self._word(word):
                self._word(":")
                return DealLine(word, self._required(self._label()))
        for word in ("upcard", "knock-card"):
            if self._word(word):
                self._word(":")
                return DealLine(word, self._required(self._card()))
        numbers = self._pattern(_SUM)
        if numbers is not None:
            return SumLine(sum_words(numbers[0]))
        seat = self._label()
        if seat is not None:
            if self._word("?"):
                return DealLine(ROLES[seat], None)
            at, cards = self._at, self._hand()
            if cards and (self.at_end() or len(cards) > 1):
                # Anything left on the line is refused and quoted.
                return DealLine(ROLES[seat], cards)
            self._at = at  # "ts" means "t shows"
        actions = [self._action()]
        while not self.at_end():
            actions.append(self._action())
        return lambda: Turn(seat, tuple(make() for make in actions))

    def _hand(self) -> tuple[Card, ...]:
        """Parse cards. Commas between them are optional."""
        cards = self.cards()
        while cards and self._word(",") and (more := self.cards()):
            cards += more
        return cards

    # --- the moves of a turn ---------------------------------------------------------------

    def _action(self) -> _Made:
        """Parse one move. If one word begins with another, try the longer one first."""
        if self._word("pass"):
            return lambda: Action(moves.Pass())
        if self._word("resigns"):
            return lambda: Action(None)
        if self._word("lay"):
            lay = self._lay()
            return lambda: Action(lay.lay())
        if self._word("shows"):
            shown = self._shown()
            return lambda: Action(moves.Spread(shown.sets(), shown.laid, each_once(shown.left)))
        if self._pattern(_BIG_GIN) is not None:
            return self._knock(None)
        if self._one_of("discard", "-", "\u2013", "\u2212"):
            card = self._required(self._card())
            if self._one_of("knock", "gin"):
                return self._knock(card)
            return lambda: Action(moves.Discard(card))
        if self._one_of("draw", "d"):
            drawn = None if self._word("?") else self._card()
            return lambda: Action(moves.DrawStock(), drawn)
        if self._one_of("take", "t"):
            return self._take()
        raise self._unreadable()

    def _knock(self, discard: Card | None) -> _Made:
        shown = self._shown()
        if shown.laid:
            raise self._unreadable()
        return lambda: Action(moves.Knock(discard, shown.sets(), each_once(shown.left)))

    def _take(self) -> _Made:
        card = self._card()
        count = None if card is not None else self._pattern(_COUNT)
        if count is None:
            return lambda: Action(moves.TakeUpcard(), card)
        if not self._word("lay"):
            raise self._unreadable()
        taken, lay = int(count[0]), self._lay()
        return lambda: Action(moves.TakeDiscards(taken, lay.lay()))

    def _lay(self) -> _Shown:
        shown = self._shown(left=False)
        if not (shown.melds or shown.laid):
            raise self._unreadable()
        return shown

    def _shown(self, *, left: bool = True) -> _Shown:
        """Parse melds and cards on melds, between commas; if *left*, loose cards after a slash."""
        melds: list[tuple[Card, ...]] = []
        laid: list[tuple[Card, int]] = []
        while cards := self.cards():
            if len(cards) == 1 and self._word("@"):
                place = self._required(self._pattern(_PLACE))
                laid.append((cards[0], int(place[0]) - 1))
            else:
                melds.append(cards)
            if not self._word(","):
                break
        rest = (self._required(self._card()), *self.cards()) if left and self._word("/") else ()
        return _Shown(tuple(melds), tuple(laid), rest)

    # --- words, cards and numbers ----------------------------------------------------------

    def _label(self) -> int | None:
        for seat, role in enumerate(ROLES):
            if self._word(role):
                self._word(":")
                return seat
        return None

    def cards(self) -> tuple[Card, ...]:
        cards: list[Card] = []
        while (card := self._card()) is not None:
            cards.append(card)
        return tuple(cards)

    def _card(self) -> Card | None:
        found = self._pattern(_CARD)
        if found is None:
            return None
        rank = "T" if found[1] == "10" else found[1].upper()
        return parse_card(rank + _SUIT_SIGNS.get(found[2], found[2]))

    def _required(self, found: T | None) -> T:
        if found is None:
            raise self._unreadable()
        return found

    def _one_of(self, *words: str) -> bool:
        return any(self._word(word) for word in words)

    def _word(self, word: str) -> bool:
        if not self._text.startswith(word, self._at):
            return False
        self._at += len(word)
        self._skip()
        return True

    def _pattern(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self._text, self._at)
        if found is not None:
            self._at = found.end()
            self._skip()
        return found

    def _skip(self) -> None:
        while self._text[self._at : self._at + 1] in (" ", "\t"):
            self._at += 1

    def _meant(self, at: int) -> str:
        """Return a hint at what is probably missing before this place; "" if there is none."""
        if _KNOCK.match(self._text, at):
            return " The discard comes first, as in: -7d knock."
        shows = _SHOWS.search(self._text, 0, at) and "/" not in self._text
        return f" {SLASH_HINT}" if shows and _CARD.match(self._text, at) else ""

    def _unreadable(self) -> BadNotation:
        at, text = self._at, self._text
        while 0 < at < len(text) and text[at - 1 : at + 1].isalpha():
            at -= 1  # quote the word from its beginning
        rest = self._typed[at:]
        if not rest:
            return BadNotation("line-unreadable", "The line is incomplete.", self._number)
        sentence = f"This can't be read: {in_quotes(safe(rest, 40))}.{self._meant(at)}"
        return BadNotation("line-unreadable", sentence, self._number)
