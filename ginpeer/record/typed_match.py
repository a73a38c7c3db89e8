"""A typed match as a record: somebody wrote it down, and nobody signed it.

Rule 1: ginpeer.notation reads the text and refuses everything that the rules don't allow. The
        match could still be invented from beginning to end, so none of it is proven: the verdict
        says that there is nothing to verify, and no entry is valid.
Rule 2: the steps are those of a log of the same match, but without keys, seeds or a signed
        settlement. The fields for proofs are empty, as in every trace.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from ginpeer.names import safe
from ginpeer.notation import BadNotation, Play, PlayedMove, Sheet, SheetHand, read_sheet
from ginpeer.record.steps import BOTH_SEATS, AdmittedEntries, Degree, KnownCards
from ginpeer.referee.referee import Admitted, Finding, Verdict
from ginpeer.referee.table import Awaiting, HandRecord, Table, message_for_move
from ginpeer.rules import moves
from ginpeer.rules.cards import Card, cards_of, check_seat
from ginpeer.rules.hand import Hand
from ginpeer.rules.match import Match
from ginpeer.store import NotationFile, UnreadableLog
from protocol import messages as m

UNPROVEN: Final = "unproven"  # the code of the verdict on a typed match, which nobody signed

HeldCards = tuple[tuple[Card, ...] | None, tuple[Card, ...] | None]
"""The host's and the guest's cards, with the card drawn last at the end; None for hidden cards."""


@dataclass(frozen=True)
class TypedTable(Table):
    """A table of a typed match: nobody has signed, and the names are those in the text."""

    awaiting: Awaiting = Awaiting.NOTHING
    owed_by: int | None = None
    written: tuple[str | None, str | None] = (None, None)
    begins: int = 1

    @property
    def names(self) -> tuple[str, str]:
        host, guest = super().names
        return self.written[0] or host, self.written[1] or guest


class TypedCards(KnownCards):
    """The cards that are known because somebody wrote them down."""

    def __init__(
        self,
        table: Table,
        held: Mapping[int, HeldCards],
        typed: frozenset[tuple[int, int]],
        seats: frozenset[int] = BOTH_SEATS,
    ) -> None:
        """*held* has the cards before each entry, by the entry's number; *typed* has the pairs of
        hand and seat whose cards were written down. Only the cards of *seats* are used."""
        super().__init__(table, None, seats)
        self._held = held
        self._typed = typed

    def degree(self, hand: int, seat: int) -> Degree:
        found = super().degree(hand, seat)
        return Degree.TYPED if (hand, seat) in self._typed and seat in self._seats else found

    def cards(self, table: Table, seat: int) -> tuple[Card, ...] | None:
        check_seat(seat)
        held = self._held.get(table.sequence) if table.hand is not None else None
        return None if held is None or seat not in self._seats else held[seat]


class TypedMatch:
    """A typed match with everything that a record needs. ``lines`` maps an entry to the line of the
    text in which its move was typed. Hands are counted from 1, even if the text begins later in the
    match, because earlier hands are unknown."""

    def __init__(self, sheet: Sheet, name: str) -> None:
        self.sheet = sheet
        self.trace = AdmittedEntries()
        self.lines: dict[int, int] = {}
        self._held: dict[int, HeldCards] = {}
        self._table: Table = TypedTable(
            written=(sheet.tag("Host"), sheet.tag("Guest")),
            begins=sheet.hands[0].number if sheet.hands else 1,
        )
        last = len(sheet.hands)
        for number, hand in enumerate(sheet.hands, 1):
            self._write(hand, number, last=number == last)
        records = tuple(HandRecord(number) for number in range(1, last + 1))
        self._table = replace(self._table, match=sheet.match, records=records)
        sentence = f"{safe(name, 200)} was typed and isn't signed, so there is nothing to verify."
        self.verdict = Verdict(Finding.UNREADABLE, self._table, 0, UNPROVEN, sentence)

    @classmethod
    def of(cls, noted: NotationFile) -> TypedMatch:
        """Return the match in this text. Raises UnreadableLog if it isn't a valid sheet."""
        try:
            return cls(read_sheet(noted.text), noted.name)
        except BadNotation as why:
            raise UnreadableLog(why.code, f"{safe(noted.name, 200)}: {why.sentence}") from why

    def known_cards(self, seats: frozenset[int]) -> TypedCards:
        typed = frozenset(
            (number, seat)
            for number, hand in enumerate(self.sheet.hands, 1)
            for seat, cards in enumerate(hand.cards)
            if cards is not None
        )
        return TypedCards(self._table, self._held, typed, seats)

    def _write(self, hand: SheetHand, number: int, *, last: bool) -> None:
        self._table = replace(self._table, match=hand.before, hand_number=number, hand=None)
        self._enter(hand.dealer, m.DealCommit(bytes(m.HASH_BYTES)), self._table)
        if hand.dealt is not None:
            play = Play(hand.dealt, hand.cards)
            dealt = replace(self._table, hand=hand.dealt)
            self._enter(hand.dealer, m.DealShares(b"", b""), dealt, _held(play.hand))
            for made in hand.made:
                self._make(play, made, hand.before, last=last)
        if hand.resigned is not None:
            given_up = replace(self._table, match=hand.before.resign(hand.resigned))
            held = self._held.get(self._table.sequence)
            self._enter(hand.resigned, m.Resign(), given_up, held)

    def _make(self, play: Play, made: PlayedMove, match: Match, *, last: bool) -> None:
        play.make(made.move, made.card)
        if made.line is not None:
            self.lines[self._table.sequence] = made.line
        after = play.hand.seen_by(0).seen_by(1)  # the table has only what everybody saw
        table = replace(self._table, hand=after)
        if isinstance(made.move, moves.DrawStock):
            self._enter(made.seat, m.DrawStock(), table, self._held[self._table.sequence])
            held = _held(play.hand, made.card)
            self._enter(1 - made.seat, m.Share(b"", b""), self._table, held)
            return
        if after.over:
            table = replace(table, match=match.after(after))
            if not last:
                table = replace(table, hand=None, hand_number=table.hand_number + 1)
        self._enter(made.seat, message_for_move(made.move), table, _held(play.hand))

    def _enter(
        self, author: int, message: m.Message, after: Table, held: HeldCards | None = None
    ) -> None:
        number = self._table.sequence
        after = replace(after, sequence=number + 1)
        self.trace.append(Admitted(number, author, message, self._table, after))
        if held is not None:
            self._held[number + 1] = held
        self._table = after


def _held(hand: Hand, drawn: Card | None = None) -> HeldCards:
    """Return both hands as far as they are known, with the card just drawn at the end."""
    host, guest = (
        None if cards is None else tuple(sorted(cards_of(cards), key=lambda card: card == drawn))
        for cards in hand.hands
    )
    return host, guest
