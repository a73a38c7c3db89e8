"""Which cards of a hand are known, and how.

Rule 1: reading a hand takes the right seed: one that the log discloses and the referee has
        audited, or a player's own seed that fits the commitment. Without one, only the cards that
        everybody saw are known.
Rule 2: the cards that a seed reveals are proven. The commitment precedes the deal in the log,
        both shuffles are proven, and a wrong seed reveals no card.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from ginpeer.referee.table import Table
from ginpeer.rules.cards import CARDS, Card, check_seat
from protocol.crypto.elgamal import Ciphertext
from protocol.crypto.hashing import SEED_BYTES
from protocol.deck.secrets import HandSecrets, read_card, seed_commitment

BOTH_SEATS = frozenset((0, 1))


class Degree(Enum):
    """How cards are known. Each degree except TYPED includes the knowledge of those before it."""

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
        self._own = own or {}
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
            seed = self._own.get(record.number)
            for seat, player in enumerate(record.players):
                if seed is None or player is None or len(seed) != SEED_BYTES:
                    continue
                commitment = seed_commitment(table.table_id, record.number, seat, seed)
                if commitment == player.commitment and seat in seats:
                    self._secrets.setdefault((record.number, seat), HandSecrets(seed))

    def seen_by(self, seat: int) -> KnownCards:
        """Return a copy without the other seat's seeds. Raises Unreadable for an invalid seat."""
        return KnownCards(self._table, self._own, self._seats & {check_seat(seat)})

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
        """Return the seat's hand at this *table* in the order of its deck, with the card drawn last
        at the end; None without a seed. Raises Unreadable for an invalid seat."""
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
