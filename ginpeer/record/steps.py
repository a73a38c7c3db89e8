"""A log step by step and hand by hand, with the known cards.

Rule 1: only valid entries are steps. The verdict says what is wrong with the first invalid one.
Rule 2: a step has the number of its entry, which is also how a verdict names a failing entry.
Rule 3: reading a hand takes the right seed: one that the log discloses and the referee has
        audited, or a player's own seed that fits the commitment. Without one, only the cards that
        everybody saw are known. The cards that a seed reveals are proven: the commitment precedes
        the deal in the log, both shuffles are proven, and a wrong seed reveals no card.
Rule 4: a log may come from a stranger and have the maximum length. So the entries kept for the
        steps have no proofs and nothing that grows with the number of hands. The moves of a hand
        are collected on demand, one hand at a time. Steps are made on demand, too, and only the
        caller keeps them. Walking through a long log usually takes half as much memory again as
        judging it, and more if little can be dropped from the entries of long hands, as in Mahjong
        gin.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from itertools import groupby
from typing import Any, overload

from ginpeer.referee.referee import Admitted
from ginpeer.referee.table import Table, move_of
from ginpeer.rules.cards import CARDS, Card, cards_of, check_seat, mask_of
from ginpeer.rules.hand import Hand
from ginpeer.rules.match import Match
from ginpeer.rules.moves import DrawStock, Move, Pass, TakeDiscards, TakeUpcard
from ginpeer.rules.score import HandResult
from protocol import messages as m
from protocol.crypto.elgamal import Ciphertext
from protocol.crypto.hashing import SEED_BYTES
from protocol.deck.secrets import HandSecrets, read_card, seed_commitment
from protocol.entry import kind_name

BOTH_SEATS = frozenset((0, 1))


class Degree(Enum):
    """How cards are known. Each degree except TYPED includes the knowledge of the earlier ones."""

    PUBLIC = "public"  # known to everybody who has the log, from its entries alone
    OWN = "own"  # known from a player's own seed for the hand, which isn't in the log
    TYPED = "typed"  # known from a match that somebody typed and nobody signed
    DISCLOSED = "disclosed"
    """Known from a seed that its owner disclosed in the log and the referee audited."""


class KnownCards:
    """The known seeds of a match, and the cards that they reveal."""

    def __init__(
        self,
        table: Table,
        own: Mapping[int, bytes] | None = None,
        seats: frozenset[int] = BOTH_SEATS,
    ) -> None:
        """Collect the seeds of *seats* from the *table* at the end of the log and from *own*, one
        player's seeds by hand number. Seeds that fit no commitment are ignored."""
        self._table = table
        self._seats = seats
        self._secrets: dict[tuple[int, int], HandSecrets] = {
            (seed.hand, seed.seat): HandSecrets(seed.seed)
            for seed in table.seeds
            if seed.seat in seats
        }
        self._disclosed = frozenset(self._secrets)
        self._read: dict[Ciphertext, Card] = {}  # a cache for the hand read last
        self._hand = 0
        for record in table.records:
            seed = None if own is None else own.get(record.number)
            for seat, player in enumerate(record.players):
                if seed is None or player is None or len(seed) != SEED_BYTES:
                    continue
                commitment = seed_commitment(table.table_id, record.number, seat, seed)
                if commitment == player.commitment and seat in seats:
                    self._secrets.setdefault((record.number, seat), HandSecrets(seed))

    def degree(self, hand: int, seat: int) -> Degree:
        """Return how this seat's cards in this hand are known, as ``RecordedHand.degree`` does.
        Raises Unreadable for an invalid seat, and LookupError if there is no such hand."""
        check_seat(seat)
        last = self._table.hand_number
        if type(hand) is not int or not 1 <= hand <= last:
            raise LookupError(f"there is no hand {str(hand)[:12]}; the log has {last}")
        if (hand, seat) in self._disclosed:
            return Degree.DISCLOSED
        return Degree.OWN if (hand, seat) in self._secrets else Degree.PUBLIC

    def cards(self, table: Table, seat: int) -> tuple[Card, ...] | None:
        """Return the seat's hand in the order in which this *table* has it, with the card drawn
        last at the end; None without a seed. Raises Unreadable for an invalid seat."""
        check_seat(seat)
        if table.deck is None or (table.hand_number, seat) not in self._secrets:
            return None
        if table.hand_number != self._hand:
            self._hand, self._read = table.hand_number, {}
        hand, secrets = table.deck.hands[seat], self._secrets[table.hand_number, seat]
        try:
            for ciphertext in hand:
                if ciphertext not in self._read:
                    self._read[ciphertext] = CARDS[read_card(ciphertext, secrets)]
        except ValueError:  # the cards were dealt with a different seed
            return None
        return tuple(self._read[ciphertext] for ciphertext in hand)


# --- hands and steps -------------------------------------------------------------------


class AdmittedEntries(list[Admitted]):
    """The valid entries, appended as they are judged, without parts that aren't needed later."""

    def __init__(self) -> None:
        super().__init__()
        # A cache for one hand: its number, its moves, and the index of each of them.
        self._hand = -1
        self._moves: tuple[tuple[int, Move], ...] = ()
        self._places: list[int] = []

    def append(self, event: Admitted) -> None:
        before = self[-1].after if self else _light(event.before)
        message = _without_proofs(event.message)
        super().append(Admitted(event.sequence, event.author, message, before, _light(event.after)))

    def moves_before(self, at: int) -> tuple[tuple[int, Move], ...]:
        """Return the moves in the same hand before the entry at this index, each with its seat."""
        number = self[at].before.hand_number
        if number != self._hand:
            start = bisect_left(self, number, key=_begun_hand)
            end = bisect_right(self, number, key=_begun_hand)
            moves = [(place, move_of(self[place].message)) for place in range(start, end)]
            made = [(place, move) for place, move in moves if move is not None]
            self._hand = number
            self._places = [place for place, _ in made]
            self._moves = tuple((self[place].author, move) for place, move in made)
        return self._moves[: bisect_left(self._places, at)]


def _begun_hand(event: Admitted) -> int:
    return event.before.hand_number


def _light(table: Table) -> Table:
    """Return the table without moves and without the records and seeds for the audit."""
    hand = None if table.hand is None else table.hand._replace(moves=())
    return replace(table, records=(), seeds=(), hand=hand)


_PROOFS = ("possession", "deck", "argument", "shares", "share", "proof", "hand", "opening")


def _without_proofs(message: m.Message) -> m.Message:
    """Return the message without the bytes that only the referee needs."""
    if isinstance(message, m.TakeDiscards):
        return replace(message, lay=replace(message.lay, hand=b"", argument=b"", opening=b""))
    proofs: dict[str, Any] = {field.name: b"" for field in fields(message) if field.name in _PROOFS}
    return replace(message, **proofs) if proofs else message


BEGINS_TURN = (Pass, TakeUpcard, TakeDiscards, DrawStock)  # the moves with which a turn begins


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Step:
    """One entry, or a draw from the stock together with the share for it. The author, the message
    and the move are proven."""

    entries: tuple[Admitted, ...]
    """The entry, and after a draw its share, each with the tables before and after it. The messages
    lack their proofs, and the tables lack the records for the audit."""
    hand_number: int
    """The hand's number, from 1; 0 for steps before the first hand or from the settlement on."""
    _trace: AdmittedEntries = field(repr=False)
    _known_cards: KnownCards = field(repr=False)

    @property
    def entry(self) -> int:
        """The number of the entry, counted from 0; for a draw with its share, the draw's number."""
        return self.entries[0].sequence

    @property
    def author(self) -> int:
        """The seat that signed the entry: 0 is the host, 1 the guest."""
        return self.entries[0].author

    @property
    def message(self) -> m.Message:
        """The entry's message without proofs."""
        return self.entries[0].message

    @property
    def move(self) -> Move | None:
        """The move in the game; None if the entry isn't a move, as in a deal."""
        return move_of(self.message)

    @property
    def own_turn(self) -> int:
        """The number of the author's current turn, counted from 1 in each hand, passes included; 0
        before the first."""
        moves = ((self.author, self.move), *self._moves_before)
        return sum(by == self.author and isinstance(move, BEGINS_TURN) for by, move in moves)

    @property
    def before(self) -> Hand | None:
        """The position before the step, with the hands as far as they are known; None if no cards
        are dealt. A step that discloses seeds after a hand still has the hand's final position.

        ``legal_moves()`` of a position raises Illegal (hand-unknown) if the hand of the player to
        move is hidden: check first whether ``before.hands[step.author]`` is None.
        """
        table = self.entries[0].before
        if table.hand is None:
            ending = self._ending
            return None if ending is None else ending.after
        return self._known(table, table.hand._replace(moves=self._moves_before))

    @property
    def after(self) -> Hand | None:
        """The position after the step; for a step that ended a hand, its final position."""
        table = self.entries[-1].after
        move, made = self.move, self._moves_before
        if table.hand is not None:
            made += () if move is None else ((self.author, move),)
            return self._known(table, table.hand._replace(moves=made))
        before = self.before  # the table has already moved on from this hand
        if before is None or before.over:
            return before
        return None if move is None else _with_what_is_shown(before.apply(move))

    @property
    def drawn(self) -> Card | None:
        """The card drawn from the stock; None for any other step, without the drawer's seed, or if
        the share never came."""
        if len(self.entries) == 1:
            return None
        cards = self._known_cards.cards(self.entries[-1].after, self.author)
        return cards[-1] if cards else None

    def hand(self, seat: int) -> tuple[Card, ...] | None:
        """Return this seat's cards after the step in ascending order, clubs first; None if they
        aren't known, or none are dealt. A drawn card whose share hasn't come is missing.

        For an unknown hand, ``after.known_held(seat)`` returns the cards that it certainly
        contains. Raises Unreadable (of ginpeer.rules) for an invalid seat.
        """
        check_seat(seat)
        after = self.after
        cards = None if after is None else after.hands[seat]
        return None if cards is None else cards_of(cards)

    def degree(self, seat: int) -> Degree | None:
        """Return how we know this seat's cards after the step; None if we don't. A hand that was
        shown at the end is PUBLIC only if its seed isn't known. Raises what ``hand`` raises."""
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
        """The step that ended the hand, if this is a later step about the same hand."""
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
    """Return the hand, adding the cards that players have shown in a knock or a spread. A player
    who has gone gin in Mahjong gin has no cards left."""
    for seat in (0, 1):
        shown = hand.knock if seat == hand.knocker else hand.spread
        if hand.hands[seat] is None and (shown is not None or seat == hand.knocker):
            hand = hand.knowing(seat, 0 if shown is None else shown.cards)
    return hand


class Steps(Sequence[Step]):
    """Steps of a log, in order. A draw and its share are one step. If the player who owes the share
    resigns instead, nobody has seen the card."""

    def __init__(
        self,
        trace: AdmittedEntries,
        known_cards: KnownCards,
        places: Sequence[int] | None = None,
    ) -> None:
        """Combine entries into steps. *places* has the index of each step's first entry; None for
        all steps."""
        if places is None:
            places = [at for at, each in enumerate(trace) if not isinstance(each.message, m.Share)]
        self._trace = trace
        self._known_cards = known_cards
        self._places = places

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
        hands = groupby(self._places, lambda place: _hand_number(self._trace[place]))
        for number, places in hands:
            if number:
                yield number, Steps(self._trace, self._known_cards, list(places))


def step_of(trace: AdmittedEntries, known_cards: KnownCards, entry: int) -> Step:
    """Return the step with this entry. Raises LookupError if there is no such valid entry."""
    if not 0 <= entry < len(trace):
        raise LookupError(f"there is no valid entry {str(entry)[:12]}; the log has {len(trace)}")
    if isinstance(trace[entry].message, m.Share):
        entry -= 1
    end = entry + 1
    if end < len(trace) and isinstance(trace[end].message, m.Share):
        end += 1
    return Step(tuple(trace[entry:end]), _hand_number(trace[entry]), trace, known_cards)


def _hand_number(event: Admitted) -> int:
    """Return the number of the hand that an entry belongs to; 0 if it is about the match."""
    match = event.before.match
    return 0 if match is not None and match.finished else event.before.hand_number


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RecordedHand:
    """One hand of the match, from the deal on. Iterate over it for its steps."""

    number: int  # 1 for the first of the match
    dealer: int  # the seat that dealt
    result: HandResult | None
    """How the hand ended and for how many points; None if it was abandoned or is still in play."""
    steps: Steps
    """All steps of the hand. Some aren't moves: the deal (the first five entries), a resignation,
    and the disclosed seeds, if the players disclose them after each hand. After the hand that
    decides the match, disclosures are about the match and not included."""
    _known_cards: KnownCards = field(repr=False)

    @classmethod
    def of(cls, steps: Steps, number: int, match: Match, known_cards: KnownCards) -> RecordedHand:
        """Return the hand with these steps. *match* is the match at the end of the log."""
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
        """Return how this seat's cards are known. DISCLOSED and OWN apply from the deal on; PUBLIC
        means that no seed is known, and the cards are hidden until the player shows them.

        OWN only means that the seed fits the commitment; ``Step.degree`` says whether the cards
        could really be read. Raises Unreadable (of ginpeer.rules) for an invalid seat.
        """
        return self._known_cards.degree(self.number, seat)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    def __repr__(self) -> str:
        ends = "not over" if self.result is None else str(self.result)
        return f"<Hand {self.number}: {len(self.steps)} steps, {ends}>"
