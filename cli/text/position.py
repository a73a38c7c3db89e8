"""The position at one step of a match, to send to somebody: the table as the page of the match
shows it, in words or as a picture.

Rule 1: a step is named as in the page's address: h3s20 is step 20 of hand 3. So steps are counted
        as on the page, where the deal of a hand takes two steps.
Rule 2: the page's button "Copy this position as text" copies the same text
        (page/script/position.js).
Rule 3: like an export, a position contains only what the log shows to everybody. If the log isn't
        valid, text and picture begin with the verdict.
Rule 4: the picture is a single SVG file without a script, a link or a font of its own. Everything
        in it passes through text(), as in a page. Its suits and colours are those of a page: they
        are read from page.html and page.css.
Rule 5: text can't be measured here, because fonts differ between viewers. So lines are broken by an
        estimate, and a name that may be too long is cut; the description has the whole name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count

from cli.text.board import knock_words
from cli.text.cards import RANK_SHORT, Style
from cli.text.grammar import at_start, number, plural
from cli.text.replay import added_cards, held_cards, narrate_step
from cli.text.verdict import hand_count, headline
from ginpeer.names import NO_KNOWN_NAMES, safe
from ginpeer.page.frame import part, text
from ginpeer.record import Record, Step
from ginpeer.record.cursor import is_place
from ginpeer.record.record import start_time
from ginpeer.record.steps_document import layout, moved_card
from ginpeer.rules.card_order import costliest_first, in_row
from ginpeer.rules.cards import Card, CardSet, cards_of
from ginpeer.rules.hand import Hand, Phase
from protocol import messages as m

_STYLE = Style(symbols=True)
_SHOWN_DISCARDS, _SHOWN_IN_MAHJONG = 9, 24


class NoSuchStep(LookupError):
    """The match has no step with this name. The text of the error is a sentence that says so."""


@dataclass(frozen=True, slots=True)
class Position:
    """The table at one step."""

    record: Record
    where: str
    """The hand and the step in words."""
    sentences: tuple[str, ...]
    """What happened at this step."""
    hand: Hand | None
    """The cards; None if no cards are dealt."""
    moved: Card | None
    """The card that this step moved."""
    number: int
    """The number of the hand; 0 before the first hand and after the last."""
    points: tuple[int, int]
    resigned: bool
    """Whether a player has resigned, so it is nobody's turn."""

    @property
    def names(self) -> tuple[str, str]:
        table = self.record.table
        return NO_KNOWN_NAMES.display(table.keys, table.names)

    @property
    def dealer(self) -> int | None:
        return self.record.hands[self.number - 1].dealer if self.number else None


# --- finding a step ----------------------------------------------------------------------


def position_at(record: Record, name: str) -> Position:
    """Return the position at the step with this name, such as h3s20. Raises NoSuchStep."""
    named = re.fullmatch(r"(?:h(0|[1-9]\d{0,8})|end)s([1-9]\d{0,8})", name, re.ASCII)
    if named is None:
        raise NoSuchStep(
            f'"{safe(name, 40)}" doesn\'t name a step. Write it as the address of the page does: '
            "h3s20 is step 20 of hand 3."
        )
    group, at = int(named[1]) if named[1] else -1, int(named[2])
    if group > len(record.hands):
        raise NoSuchStep(f"There is no hand {group}: {hand_count(len(record.hands))}")
    steps = [step for step in _steps(record, group) if is_place(step)]
    title = {0: "Before the first hand", -1: "After the last hand"}.get(group, f"Hand {group}")
    if at > len(steps):
        last = f"the last one is {name[: name.index('s')]}s{len(steps)}"
        raise NoSuchStep(f"There is no step {name}: {last if steps else 'the log ends before it'}.")
    step = steps[at - 1]
    hand, moved = step.after, moved_card(step)
    if group == -1:  # the table stays as the last hand left it
        hand, moved = record.hands[-1].steps[-1].after, None
    elif group == 0:
        hand = None
    done = max(group - 1, 0) if group >= 0 else len(record.results)
    if hand is not None and hand.over and group > 0:
        done = group
    host, guest = (sum(each.points_of(seat) for each in record.results[:done]) for seat in (0, 1))
    where, said = f"{title}, step {at} of {len(steps)}", tuple(_sentences(step))
    match = step.entries[-1].after.match
    resigned = match is not None and match.resigned is not None
    return Position(record, where, said, hand, moved, max(group, 0), (host, guest), resigned)


def _steps(record: Record, group: int) -> list[Step]:
    """Return the steps of a hand, or those before the first hand (0) or after the last one (-1)."""
    if group > 0:
        return list(record.hands[group - 1].steps)
    first = record.hands[0].steps[0].entry if record.hands else len(record.steps)
    steps = [step for step in record.steps if not step.hand_number]
    return [step for step in steps if (step.entry < first) == (group == 0)]


def _sentences(step: Step) -> list[str]:
    """Return what happened, as the page says it."""
    told = narrate_step(step, _STYLE)
    match = step.entries[-1].after.match
    if isinstance(step.message, m.DealCommit):  # the page has just named the hand
        return [line.removeprefix(f"Hand {step.hand_number}: ") for line in told]
    if isinstance(step.message, m.Settle) and match is not None:  # the page has a table of the rest
        return [told[0], *(told[-1:] if match.settlement().stake else [])]
    return told


# --- in words ----------------------------------------------------------------------------


def position_text(at: Position) -> str:
    return "".join(f"{line}\n" for line in _lines(at))


def _lines(at: Position) -> Iterator[str]:
    hand, names = at.hand, at.names
    yield from _verdict(at)
    yield f"Gin rummy, {names[0]} and {names[1]}. {at.where}:"
    yield from at.sentences
    yield ""
    for seat, name in enumerate(names):
        head = ", ".join(filter(None, (at_start(name), *_tags(at, seat), _points(at, seat))))
        yield f"{head}." if hand is None else f"{head}: {held_cards(hand, seat, _STYLE)}."
    if hand is None:
        yield _NO_CARDS[bool(at.number)]
        return
    if hand.table_melds:
        laid = (f"{_STYLE.meld(meld)} ({_laid_by(at, meld)})" for meld in hand.table_melds)
        yield f"Melds on the table: {', '.join(laid)}."
    if hand.pile:
        yield f"Discards, from the top: {_STYLE.cards(reversed(hand.pile))}."
    else:
        yield "No discards."
    if at.number and hand.knock_card is not None:
        yield f"The knock card: {_STYLE.card(hand.knock_card)}."
    yield f"In the stock: {plural(hand.stock_left, 'card')}{_limit(hand)}."


_NO_CARDS = ("No cards have been dealt yet.", "The cards are being shuffled and dealt.")


def _verdict(at: Position) -> list[str]:
    verdict = at.record.verdict
    return [] if verdict.word == "valid" else [headline(verdict)]


def _tags(at: Position, seat: int) -> tuple[str, ...]:
    hand = at.hand
    plays = hand is not None and not (hand.over or at.resigned) and hand.to_move == seat
    turn = "to spread" if hand is not None and hand.phase is Phase.LAY_OFF else "to play"
    return ("dealer",) * (at.dealer == seat) + (turn,) * plays


def _points(at: Position, seat: int) -> str:
    if at.record.table.begins > 1:
        return ""
    points = at.points[seat]
    return f"{number(points)} {'point' if points == 1 else 'points'}"


def _laid_by(at: Position, meld: CardSet) -> str:
    hand = at.hand
    who = [name for seat, name in enumerate(at.names) if hand and meld & hand.laid(seat)]
    return "both" if len(who) > 1 else who[0]


def _limit(hand: Hand) -> str:
    return "" if hand.rules.mahjong else f"; {knock_words(hand.knock_limit)}"


# --- as a picture ------------------------------------------------------------------------

_WIDTH, _MARGIN, _PAD = 400, 10, 10
"""The picture's width, the space around the table, and the space between the table's edge and the
cards. A unit is a pixel if the picture is 400 pixels wide."""
_LEFT = _MARGIN + _PAD
_INNER = _WIDTH - 2 * (_MARGIN + _PAD)
_CARD, _SMALL = 42, 30
"""The width of a card, and of a card in a meld on the table."""
_ASPECT = 1.42
"""The height of a card as a multiple of its width."""
_GAP = 8


@dataclass(frozen=True, slots=True)
class _Group:
    """Cards that lie together; None is a card face down. The last ``added`` cards were laid off on
    a meld."""

    cards: Sequence[Card | None]
    melded: bool = False
    added: int = 0


def position_picture(at: Position) -> bytes:
    """Return the picture as an SVG document in UTF-8. The same position gives the same bytes."""
    drawing = _Drawing(at)
    drawing.draw()
    names, height = at.names, _n(drawing.y + _MARGIN)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        f'width="{2 * _WIDTH}" height="{_n(2 * (drawing.y + _MARGIN))}" role="img" '
        'aria-labelledby="position-title position-text">',
        '<title id="position-title">'
        f"{text(f'{names[0]} and {names[1]}, gin rummy. {at.where}')}</title>",
        f'<desc id="position-text">{text(position_text(at))}</desc>',
        f"<style>{_style()}</style>",
        f'<rect class="paper" width="{_WIDTH}" height="{height}"/>',
        *drawing.parts,
        "</svg>\n",
    ]
    return "\n".join(parts).encode("utf-8")


def _counted_groups(hand: Hand, seat: int) -> tuple[str, list[_Group]]:
    """Return the count of a hand in words, and its cards in groups."""
    found = layout(hand, seat)
    if found is None:
        seen = cards_of(hand.known_held(seat))
        hidden = [None] * (hand.size(seat) - len(seen))
        groups, counted = [_Group(hidden), _Group(seen)], plural(hand.size(seat), "card")
    else:
        melds, loose, counting = found
        added = added_cards(hand, seat, len(melds))
        groups = [
            _Group([*in_row(meld), *laid_off], True, len(laid_off))
            for meld, laid_off in zip(melds, added, strict=True)
        ]
        groups.append(_Group(costliest_first(loose, hand.rules)))
        counted = f"{'counts' if hand.rules.mahjong else 'deadwood'} {counting}"
    return counted, [group for group in groups if group.cards]


class _Drawing:
    """The elements drawn so far, and the height at which the next one begins."""

    def __init__(self, at: Position) -> None:
        self.parts: list[str] = []
        self.y: float = _MARGIN
        self._at = at

    def draw(self) -> None:
        at, hand, offer = self._at, self._at.hand, self._at.record.table.offer
        for verdict in _verdict(at):
            self._banner(verdict)
        felt, top = len(self.parts), self.y
        (host_counted, host), (guest_counted, guest) = (
            ("", []) if hand is None else _counted_groups(hand, seat) for seat in (0, 1)
        )
        self.y += 6
        self._name(1, guest_counted)
        self._hand(guest)
        self._line()
        if hand is not None:
            self._middle(hand)
        self._told()
        self._line()
        self._hand(host)
        self._name(0, host_counted)
        self.y += 8
        size = f'width="{_WIDTH - 2 * _MARGIN}" height="{_n(self.y - top)}"'
        self.parts.insert(felt, f'<rect class="felt" x="{_MARGIN}" y="{_n(top)}" {size} rx="12"/>')
        if offer is not None:
            self.y += 16
            started = f"Started {start_time(offer.started)}, by the host's clock."
            self._text("soft", 11, _LEFT, started)

    def _banner(self, verdict: str) -> None:
        kind = "warn" if self._at.record.verdict.word == "incomplete" else "bad"
        rows = list(_wrapped(verdict, 14, _INNER, bold=True))
        height = 18 * len(rows) + 12
        self.parts.append(f'<rect class="{kind}" width="{_WIDTH}" height="{height}"/>')
        self.y = 5
        self._rows(f"on-{kind} bold", 14, rows)
        self.y = height + _MARGIN

    def _name(self, seat: int, counted: str) -> None:
        """Write a player's name and tags on the left, the hand's count and the points on the
        right."""
        self.y += 18
        right = "  ·  ".join(filter(None, (counted, _points(self._at, seat))))
        tags = " · ".join(_tags(self._at, seat))
        room = _INNER - _width(right, 13) - _width(tags, 12) - 22
        name = _cut(self._at.names[seat], 17, room)
        self._text("name", 17, _LEFT, name)
        if tags:
            self._text("tag", 12, _LEFT + _width(name, 17, bold=True) + 8, tags)
        self._text("soft end", 13, _LEFT + _INNER, right)

    def _hand(self, groups: Sequence[_Group]) -> None:
        self.y += 10
        if groups:
            step = _CARD * 0.42 if groups[0].cards[0] is None else _CARD + 4
            self._cards(groups, _LEFT, self.y, _INNER, step)
            self.y += _CARD * _ASPECT + 6

    def _middle(self, hand: Hand) -> None:
        if hand.table_melds:
            self._melds(hand)
        self.y += 8
        top, x = self.y, float(_LEFT)
        self.parts.append(self._face(None, x, top, _CARD))
        self.y = top + _CARD * _ASPECT / 2 + 5
        self._text("on-back middle", 14, x + _CARD / 2, str(hand.stock_left))
        room = _INNER - _CARD - 18
        if hand.knock_card is not None and self._at.number:
            room -= _CARD + 34
            right = _LEFT + _INNER - _CARD - 12
            self.parts.append(self._face(hand.knock_card, right, top, _CARD))
            self._caption(top, right + _CARD / 2, "knock card", middle=True)
        x += _CARD + 18
        if hand.pile:
            shown = hand.pile[-(_SHOWN_IN_MAHJONG if hand.rules.mahjong else _SHOWN_DISCARDS) :]
            self._cards((_Group(shown),), x, top, room, _CARD * 0.62)
        stock = f"stock {hand.stock_left}"
        discards = f"discards {len(hand.pile)}" if hand.pile else "no discards"
        self._caption(top, _LEFT, stock)
        self._caption(top, max(x, _LEFT + _width(stock, 12) + 12), f"{discards}{_limit(hand)}")
        self.y += 4

    def _caption(self, top: float, x: float, caption: str, *, middle: bool = False) -> None:
        self.y = top + _CARD * _ASPECT + 15
        self._text("soft middle" if middle else "soft", 12, x, caption)

    def _melds(self, hand: Hand) -> None:
        self.y += 8
        x: float = _LEFT
        for meld in hand.table_melds:
            cards, who = in_row(meld), _laid_by(self._at, meld)
            width = _SMALL + 16 * (len(cards) - 1)
            if x > _LEFT and x + width > _LEFT + _INNER:
                x, self.y = _LEFT, self.y + _SMALL * _ASPECT + 18
            top = self.y
            self._cards((_Group(cards, True),), x, top, width, 16, _SMALL)
            self.y = top + _SMALL * _ASPECT + 15
            self._text("soft", 11, x, _cut(who, 11, width))
            self.y = top
            x += width + 10
        self.y += _SMALL * _ASPECT + 18

    def _told(self) -> None:
        self.y += 2
        self._rows("soft", 12, [self._at.where])
        no_cards = [_NO_CARDS[bool(self._at.number)]] if self._at.hand is None else []
        for sentence in (*self._at.sentences, *no_cards):
            self._rows("told", 16, list(_wrapped(sentence, 16, _INNER)))

    def _rows(self, kind: str, size: int, rows: list[str]) -> None:
        for row in rows:
            self.y += size * 1.3
            self._text(kind, size, _LEFT, row)

    def _line(self) -> None:
        self.y += 8
        x, y = _MARGIN, _n(self.y)
        self.parts.append(f'<path class="line" d="M{x} {y}H{_WIDTH - _MARGIN}"/>')

    def _text(self, kind: str, size: int, x: float, words: str) -> None:
        at = f'x="{_n(x)}" y="{_n(self.y)}" font-size="{size}"'
        self.parts.append(f'<text class="{kind}" {at}>{text(words)}</text>')

    def _cards(
        self,
        groups: Sequence[_Group],
        x: float,
        y: float,
        room: float,
        step: float,
        width: int = _CARD,
    ) -> None:
        """Draw groups of cards, overlapping as much as necessary to fit the room."""
        total = sum(len(group.cards) for group in groups)
        gaps = _GAP * (len(groups) - 1)
        step = min(step, (room - width - gaps) / max(total - 1, 1))
        for place, group in enumerate(groups, 1):
            start = x
            for at, card in enumerate(group.cards):
                is_added = at >= len(group.cards) - group.added
                self.parts.append(self._face(card, x, y - 5 * is_added, width))
                x += step
            if group.melded:
                end = x - step + width if place == len(groups) else min(x - step + width, x + _GAP)
                long = _n(end - start - 4)
                under = f'x="{_n(start + 2)}" y="{_n(y + width * _ASPECT + 2)}" width="{long}"'
                self.parts.append(f'<rect class="meld" {under} height="3" rx="1.5"/>')
            x += _GAP

    def _face(self, card: Card | None, x: float, y: float, width: int) -> str:
        """Return a card, face up; face down for None."""
        height, round_ = _n(width * _ASPECT), _n(width * 0.11)
        begins = f'<g transform="translate({_n(x)} {_n(y)})"><rect '
        size = f'width="{width}" height="{height}" rx="{round_}"/>'
        if card is None:
            inset = f'x="2" y="2" width="{width - 4}" height="{_n(width * _ASPECT - 4)}"'
            return f'{begins}class="card" {size}<rect class="back" {inset} rx="3"/></g>'
        kind = "card moved" if card == self._at.moved else "card"
        rank = (
            f'<text class="rank" x="{_n(width * 0.22)}" y="{_n(width * 0.37)}" '
            f'font-size="{_n(width * 0.36)}">{RANK_SHORT[card.rank]}</text>'
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
    """Return a length with at most one decimal place."""
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
