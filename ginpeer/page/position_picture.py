"""One step of a match as a picture: the table as a page shows it, in a single SVG file.

Rule 1: the picture has no script, no link and no font of its own. Everything in it passes through
        text(), as in a page.
Rule 2: the suits and the colours are those of a page: they are read from page.html and page.css.
Rule 3: text can't be measured here, because fonts differ between viewers. So lines are broken by an
        estimate, and a name that may be too long is cut; the description has the whole name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count

from ginpeer.page.match_page import part, text
from ginpeer.rules.cards import Card

_RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")

_WIDTH, _MARGIN, _PAD = 400, 10, 10
"""The picture's width, the space around the table, and the space between the table's edge and the
cards. A unit is a pixel if the picture is 400 pixels wide."""
_INNER = _WIDTH - 2 * (_MARGIN + _PAD)
_CARD, _SMALL = 42, 30
"""The width of a card, and of one in a meld on the table."""
_ASPECT = 1.42
"""The height of a card as a multiple of its width."""
_GAP = 8


@dataclass(frozen=True, slots=True)
class CardGroup:
    """Cards that lie together; None is a card face down. The last ``added`` cards were laid off on
    a meld."""

    cards: Sequence[Card | None]
    melded: bool = False
    added: int = 0


@dataclass(frozen=True, slots=True)
class PicturedSeat:
    """A player's side of the table."""

    name: str
    tags: tuple[str, ...]
    counted: str
    """What the hand counts, in words; empty if no cards are dealt."""
    points: str
    groups: tuple[CardGroup, ...]


@dataclass(frozen=True, slots=True)
class PositionPicture:
    """The texts and cards of a picture. Names in it are already safe to show."""

    title: str
    description: str
    verdict: str
    """The verdict on the log; empty if the log is valid."""
    is_unfinished: bool
    """Whether nothing is wrong with the log except that it isn't finished."""
    where: str
    sentences: tuple[str, ...]
    host: PicturedSeat
    guest: PicturedSeat
    melds: tuple[tuple[CardGroup, str], ...]
    """The melds on the table, each with the name of who laid it."""
    stock: tuple[int, str] | None
    """How many cards are left, and the caption; None if no cards are dealt."""
    pile: Sequence[Card]
    pile_caption: str
    knock_card: Card | None
    moved: Card | None
    """The card that this step moved."""
    footer: str


def position_picture(shown: PositionPicture) -> bytes:
    """Return the picture as an SVG document in UTF-8. The same argument gives the same bytes."""
    drawing = _Drawing(shown.moved)
    drawing.draw(shown)
    height = _n(drawing.y + _MARGIN)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        f'width="{2 * _WIDTH}" height="{_n(2 * (drawing.y + _MARGIN))}" role="img" '
        'aria-labelledby="position-title position-text">',
        f'<title id="position-title">{text(shown.title)}</title>',
        f'<desc id="position-text">{text(shown.description)}</desc>',
        f"<style>{_style()}</style>",
        f'<rect class="paper" width="{_WIDTH}" height="{height}"/>',
        *drawing.parts,
        "</svg>\n",
    ]
    return "\n".join(parts).encode("utf-8")


class _Drawing:
    """The elements drawn so far, and how far down the next one begins."""

    def __init__(self, moved: Card | None) -> None:
        self.parts: list[str] = []
        self.y: float = _MARGIN
        self._moved = moved
        self._left = _MARGIN + _PAD

    def draw(self, shown: PositionPicture) -> None:
        if shown.verdict:
            self._banner(shown.verdict, "warn" if shown.is_unfinished else "bad")
        felt, top = len(self.parts), self.y
        self.y += 6
        self._name(shown.guest)
        self._hand(shown.guest.groups)
        self._line()
        self._middle(shown)
        self._told(shown)
        self._line()
        self._hand(shown.host.groups)
        self._name(shown.host)
        self.y += 8
        size = f'width="{_WIDTH - 2 * _MARGIN}" height="{_n(self.y - top)}"'
        self.parts.insert(felt, f'<rect class="felt" x="{_MARGIN}" y="{_n(top)}" {size} rx="12"/>')
        if shown.footer:
            self.y += 16
            self._text("soft", 11, self._left, shown.footer)

    def _banner(self, verdict: str, kind: str) -> None:
        rows = list(_wrapped(verdict, 14, _INNER, bold=True))
        height = 18 * len(rows) + 12
        self.parts.append(f'<rect class="{kind}" width="{_WIDTH}" height="{height}"/>')
        self.y = 5
        self._rows(f"on-{kind} bold", 14, rows)
        self.y = height + _MARGIN

    def _name(self, seat: PicturedSeat) -> None:
        """Write a player's name and tags, then on the right what the hand counts and the points."""
        self.y += 18
        right = "  ·  ".join(filter(None, (seat.counted, seat.points)))
        tags = " · ".join(seat.tags)
        room = _INNER - _width(right, 13) - _width(tags, 12) - 22
        name = _cut(seat.name, 17, room)
        self._text("name", 17, self._left, name)
        if tags:
            self._text("tag", 12, self._left + _width(name, 17, bold=True) + 8, tags)
        self._text("soft end", 13, self._left + _INNER, right)

    def _hand(self, groups: tuple[CardGroup, ...]) -> None:
        self.y += 10
        if groups:
            step = _CARD * 0.42 if groups[0].cards[0] is None else _CARD + 4
            self._cards(groups, self._left, self.y, _INNER, step)
            self.y += _CARD * _ASPECT + 6

    def _middle(self, shown: PositionPicture) -> None:
        """Draw the melds on the table, the stock, the discards and the knock card."""
        if shown.melds:
            self._melds(shown.melds)
        if shown.stock is None:
            return
        left, caption = shown.stock
        self.y += 8
        top, x = self.y, float(self._left)
        self.parts.append(self._face(None, x, top, _CARD))
        self.y = top + _CARD * _ASPECT / 2 + 5
        self._text("on-back middle", 14, x + _CARD / 2, str(left))
        room = _INNER - _CARD - 18
        if shown.knock_card is not None:
            room -= _CARD + 34
            at = self._left + _INNER - _CARD - 12
            self.parts.append(self._face(shown.knock_card, at, top, _CARD))
            self._caption(top, at + _CARD / 2, "knock card", middle=True)
        x += _CARD + 18
        if shown.pile:
            self._cards((CardGroup(shown.pile),), x, top, room, _CARD * 0.62)
        self._caption(top, self._left, caption)
        self._caption(top, max(x, self._left + _width(caption, 12) + 12), shown.pile_caption)
        self.y += 4

    def _caption(self, top: float, x: float, caption: str, *, middle: bool = False) -> None:
        self.y = top + _CARD * _ASPECT + 15
        self._text("soft middle" if middle else "soft", 12, x, caption)

    def _melds(self, melds: tuple[tuple[CardGroup, str], ...]) -> None:
        self.y += 8
        x: float = self._left
        for group, who in melds:
            width = _SMALL + 16 * (len(group.cards) - 1)
            if x > self._left and x + width > self._left + _INNER:
                x, self.y = self._left, self.y + _SMALL * _ASPECT + 18
            top = self.y
            self._cards((group,), x, top, width, 16, _SMALL)
            self.y = top + _SMALL * _ASPECT + 15
            self._text("soft", 11, x, _cut(who, 11, width))
            self.y = top
            x += width + 10
        self.y += _SMALL * _ASPECT + 18

    def _told(self, shown: PositionPicture) -> None:
        self.y += 2
        self._rows("soft", 12, [shown.where])
        for sentence in shown.sentences:
            self._rows("told", 16, list(_wrapped(sentence, 16, _INNER)))

    def _rows(self, kind: str, size: int, rows: list[str]) -> None:
        for row in rows:
            self.y += size * 1.3
            self._text(kind, size, self._left, row)

    def _line(self) -> None:
        self.y += 8
        x, y = _MARGIN, _n(self.y)
        self.parts.append(f'<path class="line" d="M{x} {y}H{_WIDTH - _MARGIN}"/>')

    def _text(self, kind: str, size: int, x: float, words: str) -> None:
        at = f'x="{_n(x)}" y="{_n(self.y)}" font-size="{size}"'
        self.parts.append(f'<text class="{kind}" {at}>{text(words)}</text>')

    def _cards(
        self,
        groups: tuple[CardGroup, ...],
        x: float,
        y: float,
        room: float,
        step: float,
        width: int = _CARD,
    ) -> None:
        """Draw groups of cards, which overlap as much as the room requires."""
        total = sum(len(group.cards) for group in groups)
        gaps = _GAP * (len(groups) - 1)
        step = min(step, (room - width - gaps) / max(total - 1, 1))
        for number, group in enumerate(groups, 1):
            start = x
            for at, card in enumerate(group.cards):
                is_added = at >= len(group.cards) - group.added
                self.parts.append(self._face(card, x, y - 5 * is_added, width))
                x += step
            if group.melded:
                end = x - step + width if number == len(groups) else min(x - step + width, x + _GAP)
                long = _n(end - start - 4)
                under = f'x="{_n(start + 2)}" y="{_n(y + width * _ASPECT + 2)}" width="{long}"'
                self.parts.append(f'<rect class="meld" {under} height="3" rx="1.5"/>')
            x += _GAP

    def _face(self, card: Card | None, x: float, y: float, width: int) -> str:
        """Return a card, face up, or face down for None."""
        height, round_ = _n(width * _ASPECT), _n(width * 0.11)
        begins = f'<g transform="translate({_n(x)} {_n(y)})"><rect '
        size = f'width="{width}" height="{height}" rx="{round_}"/>'
        if card is None:
            inset = f'x="2" y="2" width="{width - 4}" height="{_n(width * _ASPECT - 4)}"'
            return f'{begins}class="card" {size}<rect class="back" {inset} rx="3"/></g>'
        kind = "card moved" if card == self._moved else "card"
        rank = (
            f'<text class="rank" x="{_n(width * 0.22)}" y="{_n(width * 0.37)}" '
            f'font-size="{_n(width * 0.36)}">{_RANKS[card.rank]}</text>'
        )
        small = _suit(card.suit, width * 0.09, width * 0.44, width * 0.24)
        large = _suit(card.suit, width * 0.4, width * (_ASPECT - 0.62), width * 0.5)
        face = f'<g class="s{card.suit}">{rank}{small}{large}</g>'
        return f'{begins}class="{kind}" {size}{face}</g>'


def _suit(suit: int, x: float, y: float, size: float) -> str:
    scale = f"{size / 32:.4f}"
    return f'<path transform="translate({_n(x)} {_n(y)}) scale({scale})" d="{_suits()[suit]}"/>'


@cache
def _suits() -> tuple[str, ...]:
    """Return the outlines of clubs, diamonds, hearts and spades, 32 units wide."""
    return tuple(
        re.findall(r'<symbol id="s[0-3]" viewBox="0 0 32 32"><path d="([^"]+)"', part("page.html"))
    )


@cache
def _style() -> str:
    """Return the style, in the colours of a page on a light screen."""
    light = part("page.css").partition("@media")[0]
    found = dict(re.findall(r"--([a-z0-9-]+): ([^;]+);", light))
    style = """
    text { fill: $ink; font-family: $sans; font-variant-emoji: text; white-space: pre; }
    .paper { fill: $paper; } .felt { fill: $felt; stroke: $felt-edge; }
    .line { stroke: $felt-edge; } .meld { fill: $accent; }
    .bad { fill: $bad; } .on-bad { fill: $on-bad; }
    .warn { fill: $warn-paper; } .on-warn { fill: $warn; } .bold { font-weight: 700; }
    .name, .told { font-family: $serif; } .name { font-weight: 600; }
    .soft { fill: $soft; } .tag { fill: $accent; font-weight: 600; }
    .end { text-anchor: end; } .middle, .rank { text-anchor: middle; }
    .card { fill: $card; stroke: $card-edge; } .moved { stroke: $mark; stroke-width: 3; }
    .back { fill: $back; } .on-back { fill: #fff; font-weight: 700; }
    .rank { font-weight: 700; letter-spacing: -.06em; }
    .s0, .s3, .s0 text, .s3 text { fill: $black; }
    .s1, .s2, .s1 text, .s2 text { fill: $red; }
    """
    lines = (line.strip() for line in style.splitlines())
    return re.sub(r"\$([a-z-]+)", lambda slot: found[slot[1]], " ".join(filter(None, lines)))


def _n(number: float) -> str:
    """Return a length with one decimal at most."""
    return f"{number:.1f}".removesuffix(".0")


# --- estimated widths ---------------------------------------------------------------------


def _width(words: str, size: float, *, bold: bool = False) -> float:
    """Return an estimate of a text's width, on the generous side."""
    return sum(map(_em, words)) * size * (1.06 if bold else 1)


def _em(character: str) -> float:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    if unicodedata.east_asian_width(character) in "WF":
        return 1.02
    if character in "iljtfrI.,:;'|!()[]-· ":
        return 0.36
    if character in "mwMW@":
        return 0.9
    if character.isupper():
        return 0.7
    return 0.56 if character.isascii() else 0.7


def _cut(words: str, size: int, room: float) -> str:
    """Return the text if there is room for it; otherwise its beginning."""
    if _width(words, size, bold=True) <= room:
        return words
    kept = next(at for at in count(len(words), -1) if _width(words[:at], size + 1) <= room - size)
    return f"{words[:kept].rstrip()}…" if kept > 0 else ""


def _wrapped(words: str, size: int, room: float, *, bold: bool = False) -> Iterator[str]:
    """Yield the text in rows. Break a word only if it is longer than a row."""
    row = ""
    for word in words.split(" "):
        if row and _width(f"{row} {word}", size, bold=bold) > room:
            yield row
            row = ""
        row = f"{row} {word}" if row else word
        while _width(row, size, bold=bold) > room:
            fits = next(at for at in count(1) if _width(row[: at + 1], size, bold=bold) > room)
            yield row[:fits]
            row = row[fits:]
    yield row
