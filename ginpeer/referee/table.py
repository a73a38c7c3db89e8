"""The public state of a match, as it stands between two entries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar

from ginpeer.names import PlaceholderName, disambiguated
from ginpeer.rules import moves
from ginpeer.rules.cards import CARDS, Card, CardSet, cards_of, mask_of
from ginpeer.rules.hand import Hand
from ginpeer.rules.match import Match
from ginpeer.rules.moves import Move
from protocol import messages as m
from protocol.deck.audit import PlayerRecord
from protocol.deck.proofs import AT_ONCE, Proofs
from protocol.deck.state import Deck, ProofContext
from protocol.entry import GENESIS, Capacity, LogSize
from protocol.messages import MAX_SEEDS, Accept, Disclosure, Offer

HOST, GUEST = 0, 1
ROLES = ("host", "guest")  # the seats in words, for people and for programs


class Awaiting(Enum):
    """The kind of entry that is owed next. The value describes it for people."""

    OFFER = "the offer"
    ACCEPT = "the acceptance of the offer"
    CUT_COMMIT = "the commitment to the cut"
    CUT_VALUE = "the cut"
    CUT_REVEAL = "the opening of the cut"
    DEAL_COMMIT = "the commitment to a hand seed"
    DEAL_KEY = "a hand key"
    DEAL_DECK = "the shuffled deck"
    DEAL_SHUFFLE = "the second shuffle and the shares for the dealer's cards"
    DEAL_SHARES = "the shares for the other player's cards"
    UPCARD = "the decision on the upcard"
    DRAW = "a draw from the stock or the pile"
    SHARE = "a share for the card just drawn"
    DISCARD = "a discard or a knock"
    LAST_CHANCE = "the decision on the last discard"
    SPREAD = "the defender's spread"
    SETTLE = "a signature on the final score"
    DISCLOSE = "the hand seeds for the audit"
    NOTHING = "nothing"


T = TypeVar("T")


def required(part: T | None) -> T:
    """Return a part of a table that the caller knows is there. Raises ValueError if it isn't."""
    if part is None:
        raise ValueError("this part of the table isn't known yet")
    return part


@dataclass(frozen=True, slots=True)
class Seed:
    """A hand seed that its owner disclosed and the audit accepted."""

    hand: int
    seat: int
    seed: bytes


@dataclass(frozen=True, slots=True)
class HandRecord:
    """The parts of one hand that the audit needs: one record for each player, which is None until
    the player's commitment."""

    number: int
    players: tuple[PlayerRecord | None, PlayerRecord | None] = (None, None)


_THE_HOST, _THE_GUEST = PlaceholderName("the host"), PlaceholderName("the guest")


@dataclass(frozen=True)
class Table:
    """Everything that both players and any reader of the log know about the match."""

    awaiting: Awaiting = Awaiting.OFFER
    owed_by: int | None = HOST
    sequence: int = 0  # the number of the next entry
    head: bytes = GENESIS  # the hash of the last entry
    table_id: bytes = b""
    offer: Offer | None = None
    accept: Accept | None = None
    cut_commitment: bytes = b""
    cut_guest_value: bytes = b""
    cut_cards: tuple[Card, Card] | None = None
    """None before the cut, or if the rules determine who deals first."""
    match: Match | None = None
    hand_number: int = 0  # 1 for the first hand; 0 before that
    hand: Hand | None = None
    deck: Deck | None = None
    records: tuple[HandRecord, ...] = ()  # every hand so far, the current one last
    seeds: tuple[Seed, ...] = ()

    @property
    def finished(self) -> bool:
        return self.awaiting is Awaiting.NOTHING

    def is_full(self, size: LogSize, capacity: Capacity) -> bool:
        """Return whether the match has to stop because its log, which has this size, has no room
        for another move or, between two hands, for another hand. Once the last hand is over, there
        is always room for the end of the match."""
        match self.awaiting:
            case Awaiting.SETTLE | Awaiting.DISCLOSE | Awaiting.NOTHING:
                return False
            case Awaiting.DEAL_COMMIT:
                return not capacity.has_room_for_hand(size)
            case _:
                return not capacity.has_room_for_move(size)

    @property
    def begins(self) -> int:
        """The number of the first recorded hand: 1 in a log. A typed match can begin with a later
        hand (NOTATION 4.1). Its hands are still counted from 1, but no score is known."""
        return 1

    @property
    def keys(self) -> tuple[bytes | None, bytes | None]:
        """The identity keys of host and guest, as far as they are known."""
        return (self.offer.key if self.offer else None, self.accept.key if self.accept else None)

    @property
    def names(self) -> tuple[str, str]:
        """The players' own names, or their roles while a name is unknown."""
        return (
            self.offer.name if self.offer else _THE_HOST,
            self.accept.name if self.accept else _THE_GUEST,
        )

    @property
    def distinct_names(self) -> tuple[str, str]:
        """The players' names for our sentences, made different if they are too similar."""
        return disambiguated(self.names)

    def context(self, seat: int, proofs: Proofs = AT_ONCE) -> ProofContext:
        """Return the context that binds a proof by *seat* to the next entry."""
        return ProofContext(self.table_id, self.sequence, self.head, self.hand_number, seat, proofs)

    def undisclosed(self, seat: int) -> tuple[int, ...]:
        """Return the numbers of the hands whose seeds *seat* committed to and has not disclosed."""
        told = {seed.hand for seed in self.seeds if seed.seat == seat}
        return tuple(
            record.number
            for record in self.records
            if record.players[seat] is not None and record.number not in told
        )

    def disclosed_next(self, seat: int) -> tuple[int, ...]:
        """Return the hands whose seeds *seat* has to disclose in its next entry: as many as fit."""
        return self.undisclosed(seat)[:MAX_SEEDS]

    @property
    def disclosure(self) -> Disclosure:
        return self.offer.disclosure if self.offer else Disclosure.NEVER


# --- the move that a signed message makes ---------------------------------------------
#
# The referee passes this move to the rules, and readers of an admitted entry get the same move.
# Nothing is judged here: decoding checks that cards are 0 to 51, and the referee checks that the
# player has all of them and uses none twice. A seat adds the proofs to the message for its move.


def move_of(message: m.Message) -> Move | None:
    """Return the move that an entry makes; None for an entry that isn't a move of a hand."""
    match message:
        case m.Pass():
            return moves.Pass()
        case m.TakeUpcard():
            return moves.TakeUpcard()
        case m.DrawStock():
            return moves.DrawStock()
        case m.Discard():
            return moves.Discard(CARDS[message.card])
        case m.Knock():
            thrown = None if message.discard is None else CARDS[message.discard]
            return moves.Knock(thrown, _sets(message.melds), deadwood_of(message))
        case m.Spread():
            layoffs = _places(message.layoffs)
            return moves.Spread(_sets(message.melds), layoffs, deadwood_of(message))
        case m.Lay():
            return _lay_of(message)
        case m.TakeDiscards():
            return moves.TakeDiscards(message.count, _lay_of(message.lay))
        case _:
            return None


def _lay_of(message: m.Lay) -> moves.Lay:
    """Return the lay's melds and additions. The message also lists the cards, for the proof."""
    return moves.Lay(_sets(message.melds), _places(message.adds))


def message_for_move(move: Move) -> m.Message:
    """Return the message for this move, without its proofs. ``move_of`` is the inverse."""
    match move:
        case moves.Pass():
            return m.Pass()
        case moves.TakeUpcard():
            return m.TakeUpcard()
        case moves.DrawStock():
            return m.DrawStock()
        case moves.Discard():
            return m.Discard(b"", b"", 0, int(move.card), b"")
        case moves.Knock():
            thrown = move.discard
            shown = _numbers(move.cards | (0 if thrown is None else thrown.bit))
            card = None if thrown is None else int(thrown)
            return m.Knock(b"", b"", shown, card, _meld_numbers(move.melds), b"")
        case moves.Spread():
            laid = _layoffs(move.layoffs)
            return m.Spread(_numbers(move.cards), _meld_numbers(move.melds), laid, b"")
        case moves.Lay():
            return _lay(move)
        case moves.TakeDiscards():
            return m.TakeDiscards(move.count, _lay(move.lay))


def _lay(lay: moves.Lay) -> m.Lay:
    cards = _numbers(lay.cards)
    places, melds = tuple(range(len(cards))), _meld_numbers(lay.melds)
    return m.Lay(b"", b"", places, cards, melds, _layoffs(lay.adds), b"")


def _numbers(cards: CardSet) -> tuple[int, ...]:
    return tuple(map(int, cards_of(cards)))


def _meld_numbers(melds: Iterable[CardSet]) -> tuple[tuple[int, ...], ...]:
    return tuple(map(_numbers, melds))


def _layoffs(cards: Iterable[tuple[Card, int]]) -> tuple[m.LayOff, ...]:
    return tuple(m.LayOff(int(card), meld) for card, meld in cards)


def used_cards(message: m.Knock | m.Spread) -> list[int]:
    """Return the cards in a shown hand's melds, discard and lay-offs, in the order named."""
    used = [card for meld in message.melds for card in meld]
    if isinstance(message, m.Spread):
        used += [layoff.card for layoff in message.layoffs]
    elif message.discard is not None:
        used.append(message.discard)
    return used


def deadwood_of(message: m.Knock | m.Spread) -> CardSet:
    """Return the shown cards that are neither melded, discarded nor laid off."""
    return mask_of(set(message.cards) - set(used_cards(message)))


def _sets(melds: Iterable[Iterable[int]]) -> tuple[CardSet, ...]:
    return tuple(map(mask_of, melds))


def _places(laid: Iterable[m.LayOff]) -> tuple[tuple[Card, int], ...]:
    return tuple((CARDS[each.card], each.meld) for each in laid)
