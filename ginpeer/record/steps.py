"""A log step by step, and hand by hand.

# Rule 1: only entries that hold are steps. How the rest failed, the verdict says.
# Rule 2: a step has the number of its entry, the one that a verdict names when it fails.
# Rule 3: a log may be as long as a log can be, and a stranger's. What is kept of its entries until
#         all are judged has no proofs, and nothing that grows with the number of hands; the moves
#         of a hand are put together again on demand, one hand at a time. So walking through a log
#         mostly takes half as much memory again as judging it; less than three times as much at
#         worst, where little in the entries of a long hand can be dropped, as in Mahjong gin.
# Rule 4: for the same reason steps are made on demand, and only the caller keeps them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import overload

from ginpeer.record.known_cards import Degree, KnownCards, shown_cards
from ginpeer.referee.referee import Admitted
from ginpeer.referee.table import Table, move_of
from ginpeer.rules.cards import Card, cards_of, check_seat, mask_of
from ginpeer.rules.hand import Hand
from ginpeer.rules.match import Match
from ginpeer.rules.moves import Move
from ginpeer.rules.score import HandResult
from protocol import messages as m
from protocol.codec.entries import kind_name


class AdmittedEntries(list[Admitted]):
    """The entries of a log that hold, as far as they are looked at afterwards; judging appends to
    it."""

    def __init__(self) -> None:
        super().__init__()
        self._hand = (0, 0)  # from the first entry of the hand that was asked for last,
        self._moves: tuple[tuple[int, Move], ...] = ()  # its moves
        self._before: list[int] = []  # and how many of them came before each of its entries

    def append(self, event: Admitted) -> None:
        before = self[-1].after if self else _light(event.before)
        message = _without_proofs(event.message)
        super().append(Admitted(event.sequence, event.author, message, before, _light(event.after)))

    def moves_before(self, at: int) -> tuple[tuple[int, Move], ...]:
        """The moves in the same hand before the entry at this index, each with its seat."""
        start, end = self._hand
        if not start <= at < end:
            self._look_at_hand_of(at)
            start, _ = self._hand
        return self._moves[: self._before[at - start]]

    def _look_at_hand_of(self, at: int) -> None:
        number = self[at].before.hand_number
        start = at
        while start and self[start - 1].before.hand_number == number:
            start -= 1
        made: list[tuple[int, Move]] = []
        self._before = []
        end = start
        while end < len(self) and self[end].before.hand_number == number:
            self._before.append(len(made))
            move = move_of(self[end].message)
            if move is not None:
                made.append((self[end].author, move))
            end += 1
        self._hand, self._moves = (start, end), tuple(made)


def _light(table: Table) -> Table:
    """The table without what is kept of every hand for the audit, and of every move for a bot."""
    hand = None if table.hand is None else table.hand._replace(moves=())
    return replace(table, records=(), seeds=(), hand=hand)


def _without_proofs(message: m.Message) -> m.Message:
    """The message without the bytes that only the referee needs."""
    match message:
        case m.DealDeck():
            return replace(message, possession=b"", deck=b"", argument=b"")
        case m.DealShuffle():
            return replace(message, deck=b"", argument=b"", shares=b"", proof=b"")
        case m.DealShares():
            return replace(message, shares=b"", proof=b"")
        case m.Share():
            return replace(message, share=b"", proof=b"")
        case m.Discard() | m.Knock() | m.Lay():
            return replace(message, hand=b"", argument=b"", opening=b"")
        case m.TakeDiscards():
            return replace(message, lay=replace(message.lay, hand=b"", argument=b"", opening=b""))
        case _:
            return message


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Step:
    """One thing that happened: an entry, or a draw from the stock with the share for it.

    Its author, its message and the move are proven: the author's key has signed them, and the
    referee has found them legal.
    """

    entries: tuple[Admitted, ...]
    """The entry, and behind a draw the share, with the tables before and after each. The messages
    are without their proofs, and the tables without what is kept for the audit."""
    hand_number: int
    """1 for the first hand; 0 for what is about the match: before its first hand, and from the
    settlement on."""
    _trace: AdmittedEntries = field(repr=False)
    _known_cards: KnownCards = field(repr=False)

    @property
    def entry(self) -> int:
        """The number of the entry, counted from 0; of a draw and its share, the first."""
        return self.entries[0].sequence

    @property
    def author(self) -> int:
        """The seat that signed it: 0 is the host, 1 the guest."""
        return self.entries[0].author

    @property
    def message(self) -> m.Message:
        """The message, without proofs."""
        return self.entries[0].message

    @property
    def move(self) -> Move | None:
        """The move of the game; None for any other entry, as in a deal."""
        return move_of(self.message)

    @property
    def before(self) -> Hand | None:
        """The position before it, with each hand as far as ``hand`` knows it; None if no cards are
        dealt. After the end of a hand, whose seeds are then disclosed, it stays the end.

        ``legal_moves()`` of a position raises Illegal (hand-unknown) if the hand of the player to
        move is hidden: check whether ``before.hands[step.author]`` is None.
        """
        table = self.entries[0].before
        if table.hand is None:
            ending = self._ending
            return None if ending is None else ending.after
        return self._known(table, table.hand._replace(moves=self._moves_before))

    @property
    def after(self) -> Hand | None:
        """The position after it, as ``before``; the end of the hand, if it ended one."""
        table = self.entries[-1].after
        move, made = self.move, self._moves_before
        if table.hand is not None:
            made += () if move is None else ((self.author, move),)
            return self._known(table, table.hand._replace(moves=made))
        before = self.before  # the table has gone on to the next hand
        if before is None or before.over:
            return before
        return None if move is None else _with_what_is_shown(before.apply(move))

    @property
    def drawn(self) -> Card | None:
        """The card that a draw from the stock brought; None for any other step, if the drawer's
        seed isn't known, or if the share never came, so that nobody has seen the card. Compare with
        None: the ace of clubs is the number 0."""
        if len(self.entries) == 1:
            return None
        cards = self._known_cards.cards(self.entries[-1].after, self.author)
        return cards[-1] if cards else None

    def hand(self, seat: int) -> tuple[Card, ...] | None:
        """The cards of this seat after the step, in ascending order, clubs first; None if they
        aren't known, or none are dealt. A drawn card that has not been shared is missing.

        ``after.known_held(seat)`` has what an unknown hand contains for certain. Raises Unreadable
        (of ginpeer.rules) for an invalid seat.
        """
        check_seat(seat)
        after = self.after
        cards = None if after is None else after.hands[seat]
        return None if cards is None else cards_of(cards)

    def degree(self, seat: int) -> Degree | None:
        """How those cards are known; None if they aren't. A hand that was laid open is PUBLIC only
        without a known seed. Raises as ``hand`` does."""
        if self.hand(seat) is None:
            return None
        ending = self._ending
        if ending is not None:
            return ending.degree(seat)
        table = self.entries[-1].after
        if table.hand is None:
            table = self.entries[0].before
        if self._known_cards.cards(table, seat) is None:
            return Degree.PUBLIC
        return self._known_cards.degree(table.hand_number, seat)

    def __repr__(self) -> str:
        what = self.move or kind_name(type(self.message)).replace("_", " ")
        hand = f"hand {self.hand_number}, " if self.hand_number else ""
        return f"<Step: {hand}entry {self.entry}, seat {self.author}: {what}>"

    @property
    def _ending(self) -> Step | None:
        """The step that ended the hand which this one is about; None while it is dealt or played,
        and for steps about the match."""
        number, at = self.hand_number, self.entry
        while number and self._trace[at].before.hand is None:
            at -= 1
            if at < 0 or self._trace[at].before.hand_number != number:
                return None
        if at == self.entry:
            return None
        return Step((self._trace[at],), number, self._trace, self._known_cards)

    @property
    def _moves_before(self) -> tuple[tuple[int, Move], ...]:
        return self._trace.moves_before(self.entry)

    def _known(self, table: Table, hand: Hand) -> Hand:
        for seat in (0, 1):
            cards = self._known_cards.cards(table, seat)
            if cards is not None:
                hand = hand.knowing(seat, mask_of(cards))
        return _with_what_is_shown(hand)


def _with_what_is_shown(hand: Hand) -> Hand:
    """The hand with the cards that players have laid open."""
    for seat in (0, 1):
        shown = shown_cards(hand, seat)
        if shown is not None and hand.hands[seat] is None:
            hand = hand.knowing(seat, shown)
    return hand


class Steps(Sequence[Step]):
    """Steps of a log, in order. A draw and the share for it are one step; a player who owes the
    share can resign instead, and then nobody has seen the card."""

    def __init__(
        self, trace: AdmittedEntries, known_cards: KnownCards, places: Sequence[int]
    ) -> None:
        """*places*: the index in the trace of each step's first entry."""
        self._trace = trace
        self._known_cards = known_cards
        self._places = places

    @classmethod
    def of(cls, trace: AdmittedEntries, known_cards: KnownCards) -> Steps:
        """All steps of a log."""
        places = [at for at, event in enumerate(trace) if not isinstance(event.message, m.Share)]
        return cls(trace, known_cards, places)

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, at: int) -> Step: ...
    @overload
    def __getitem__(self, at: slice) -> Steps: ...
    def __getitem__(self, at: int | slice) -> Step | Steps:
        if isinstance(at, slice):
            return Steps(self._trace, self._known_cards, self._places[at])
        return step_of(self._trace, self._known_cards, self._places[at])

    def __repr__(self) -> str:
        return f"<{len(self)} steps>"

    def in_hands(self) -> Iterator[tuple[int, Steps]]:
        """Yield the number and the steps of each hand."""
        first: dict[int, list[int]] = {}
        for place in self._places:
            number = _hand_number(self._trace[place])
            if number:
                first.setdefault(number, []).append(place)
        for number, places in first.items():
            yield number, Steps(self._trace, self._known_cards, places)


def step_of(trace: AdmittedEntries, known_cards: KnownCards, entry: int) -> Step:
    """Return the step with the entry of this number. Raises LookupError if no such entry holds."""
    if not 0 <= entry < len(trace):
        raise LookupError(f"no entry {str(entry)[:12]} holds; {len(trace)} do")
    if isinstance(trace[entry].message, m.Share):
        entry -= 1
    event, following = trace[entry], trace[entry + 1 : entry + 2]
    if following and isinstance(following[0].message, m.Share):
        entries: tuple[Admitted, ...] = (event, following[0])
    else:
        entries = (event,)
    return Step(entries, _hand_number(event), trace, known_cards)


def _hand_number(event: Admitted) -> int:
    """The number of the hand that an entry belongs to; 0 if it is about the match."""
    match = event.before.match
    return 0 if match is not None and match.finished else event.before.hand_number


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RecordedHand:
    """One hand of the match, from the deal on. Iterate over it for its steps."""

    number: int
    """1 for the first of the match."""
    dealer: int
    """The seat that dealt."""
    result: HandResult | None
    """How it ended, for how many points; None for a hand that was broken off or is being played.
    Proven, like everything here."""
    steps: Steps
    """All its steps. Some aren't moves: the deal (its first five entries), a resignation, and the
    seeds that are disclosed after the last move if players do so after each hand. In the hand that
    decides the match, these disclosures are about the match, and not in here."""
    _known_cards: KnownCards = field(repr=False)

    @classmethod
    def of(cls, steps: Steps, number: int, match: Match, known_cards: KnownCards) -> RecordedHand:
        """*match*: as the log ends."""
        before = steps[0].entries[0].before.match
        result = match.results[number - 1] if number <= len(match.results) else None
        dealer = match.dealer if before is None else before.dealer
        return cls(number, dealer, result, steps, known_cards)

    @property
    def moves(self) -> tuple[tuple[int, Move], ...]:
        """The moves of the hand, each with the seat that made it."""
        made = ((step.author, step.move) for step in self.steps)
        return tuple((seat, move) for seat, move in made if move is not None)

    def degree(self, seat: int) -> Degree:
        """How this seat's cards are known: DISCLOSED or OWN from the deal on; PUBLIC means that no
        seed is known, and they are hidden until they are laid open.

        OWN only means that the seed fits the commitment; ``Step.degree`` says what could really be
        read. Raises Unreadable (of ginpeer.rules) for an invalid seat.
        """
        return self._known_cards.degree(self.number, seat)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    def __repr__(self) -> str:
        ends = "not over" if self.result is None else str(self.result)
        return f"<Hand {self.number}: {len(self.steps)} steps, {ends}>"
