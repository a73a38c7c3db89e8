"""One step of a match to send to somebody: the table as the page of the match shows it, in words or
as a picture.

Rule 1: a step is named as in the page's address: h3s20 is step 20 of hand 3. So steps are counted
        as on the page, where the deal of a hand takes two.
Rule 2: the page's button "Copy this position as text" copies the same text
        (page/script/position.js).
Rule 3: like an export, a position contains only what the log shows to everybody. If the log isn't
        valid, text and picture begin with the verdict.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cli.text.board import knock_words
from cli.text.cards import NO_MELDS, Style
from cli.text.grammar import at_start, number, plural
from cli.text.replay import hidden_hand, narrate_step
from cli.text.verdict import hand_count, headline
from ginpeer.names import NO_KNOWN_NAMES, safe
from ginpeer.page.position_picture import CardGroup, PicturedSeat, PositionPicture
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
    """The match has no step with this name; the text of the error is a sentence that says so."""


@dataclass(frozen=True, slots=True)
class Position:
    """The table at one step."""

    record: Record
    where: str
    """The hand and the step in words."""
    sentences: tuple[str, ...]
    """What happened at this step."""
    hand: Hand | None
    """The cards; None if none are dealt."""
    moved: Card | None
    """The card that this step moved."""
    number: int
    """The number of the hand; 0 before the first hand and after the last."""
    points: tuple[int, int]

    @property
    def names(self) -> tuple[str, str]:
        table = self.record.table
        return NO_KNOWN_NAMES.display(table.keys, table.names)

    @property
    def dealer(self) -> int | None:
        return self.record.hands[self.number - 1].dealer if self.number else None


# --- finding a step ----------------------------------------------------------------------


def position_at(record: Record, name: str) -> Position:
    """Return the position at a step with this name, like h3s20. Raises NoSuchStep."""
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
    where = f"{title}, step {at} of {len(steps)}"
    return Position(
        record, where, tuple(_sentences(step)), hand, moved, max(group, 0), (host, guest)
    )


def _steps(record: Record, group: int) -> Iterator[Step]:
    """Yield the steps of a hand, or before the first hand (0), or after the last (-1)."""
    if group > 0:
        yield from record.hands[group - 1].steps
        return
    first = record.hands[0].steps[0].entry if record.hands else len(record.steps)
    for step in record.steps:
        if not step.hand_number and (step.entry < first) == (group == 0):
            yield step


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
        yield f"{head}." if hand is None else f"{head}: {_held(hand, seat)}."
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
    plays = hand is not None and not hand.over and hand.to_move == seat
    turn = "to spread" if hand is not None and hand.phase is Phase.LAY_OFF else "to play"
    return ("dealer",) * (at.dealer == seat) + (turn,) * plays


def _points(at: Position, seat: int) -> str:
    if at.record.table.begins > 1:
        return ""
    points = at.points[seat]
    return f"{number(points)} {'point' if points == 1 else 'points'}"


def _held(hand: Hand, seat: int) -> str:
    """Return the cards of a hand in words, as far as they are known."""
    found = layout(hand, seat)
    if found is None:
        return hidden_hand(hand, seat, _STYLE)
    melds, loose, _ = found
    cards = hand.hands[seat]
    if hand.rules.mahjong and cards is not None:
        return _STYLE.hand(cards, hand.rules)
    added = _added(hand, seat, len(melds))
    told = [
        f"{_STYLE.meld(meld)} with {_STYLE.cards(added[i])} laid off"
        if added[i]
        else _STYLE.meld(meld)
        for i, meld in enumerate(melds)
    ]
    left = f"deadwood {_STYLE.deadwood(loose, hand.rules)}" if loose else "no deadwood"
    return f"{', '.join(told) or NO_MELDS}; {left}"


def _added(hand: Hand, seat: int, count: int) -> list[list[Card]]:
    """Return the cards laid off on each of this seat's *count* melds."""
    laid = hand.layoffs(1 - seat) if hand.knocker == seat else ()
    return [[card for card, at in laid if at == meld] for meld in range(count)]


def _laid_by(at: Position, meld: CardSet) -> str:
    hand = at.hand
    who = [name for seat, name in enumerate(at.names) if hand and meld & hand.laid(seat)]
    return "both" if len(who) > 1 else who[0]


def _limit(hand: Hand) -> str:
    return "" if hand.rules.mahjong else f"; {knock_words(hand.knock_limit)}"


# --- as a picture ------------------------------------------------------------------------


def pictured(at: Position) -> PositionPicture:
    """Return what a picture of the position shows (ginpeer.page.position_picture)."""
    hand, names, offer = at.hand, at.names, at.record.table.offer
    host, guest = (_pictured_seat(at, seat) for seat in (0, 1))
    pile = () if hand is None else hand.pile
    caption = f"discards {len(pile)}" if pile else "no discards"
    shown = _SHOWN_IN_MAHJONG if hand is not None and hand.rules.mahjong else _SHOWN_DISCARDS
    return PositionPicture(
        title=f"{names[0]} and {names[1]}, gin rummy. {at.where}",
        description=position_text(at),
        verdict="".join(_verdict(at)),
        is_unfinished=at.record.verdict.word == "incomplete",
        where=at.where,
        sentences=at.sentences if hand is not None else (*at.sentences, _NO_CARDS[bool(at.number)]),
        host=host,
        guest=guest,
        melds=()
        if hand is None
        else tuple(
            (CardGroup(in_row(meld), True), _laid_by(at, meld)) for meld in hand.table_melds
        ),
        stock=None if hand is None else (hand.stock_left, f"stock {hand.stock_left}"),
        pile=pile[-shown:],
        pile_caption=caption if hand is None else f"{caption}{_limit(hand)}",
        knock_card=hand.knock_card if hand is not None and at.number else None,
        moved=at.moved,
        footer=f"Started {start_time(offer.started)}, by the host's clock." if offer else "",
    )


def _pictured_seat(at: Position, seat: int) -> PicturedSeat:
    hand = at.hand
    name, tags, points = at.names[seat], _tags(at, seat), _points(at, seat)
    if hand is None:
        return PicturedSeat(name, tags, "", points, ())
    found = layout(hand, seat)
    if found is None:
        seen = cards_of(hand.known_held(seat))
        groups = [CardGroup([None] * (hand.size(seat) - len(seen))), CardGroup(seen)]
        counted = plural(hand.size(seat), "card")
    else:
        melds, loose, counting = found
        added = _added(hand, seat, len(melds))
        groups = [
            CardGroup([*in_row(meld), *added[i]], True, len(added[i]))
            for i, meld in enumerate(melds)
        ]
        groups.append(CardGroup(costliest_first(loose, hand.rules)))
        counted = f"{'counts' if hand.rules.mahjong else 'deadwood'} {counting}"
    return PicturedSeat(name, tags, counted, points, tuple(each for each in groups if each.cards))
