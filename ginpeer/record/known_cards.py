"""Which cards of a hand are known, and from what.

# Rule 1: a hand is read if its seed is known and belongs to it: disclosed in the log and audited by
#         the referee, or a player's own, equal to what was committed to. Otherwise only what
#         everybody saw is known.
# Rule 2: what a seed reveals is proven. The commitment is in the log before the deal, both shuffles
#         are proven, and a wrong seed reveals no card.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from ginpeer.referee.table import Table
from ginpeer.rules.cards import CARDS, Card, CardSet, check_seat
from ginpeer.rules.hand import Hand
from protocol.crypto.elgamal import Ciphertext
from protocol.deck.context import seed_commitment
from protocol.deck.reading import read_card
from protocol.deck.secrets import HandSecrets

BOTH_SEATS = frozenset((0, 1))
_SEED_BYTES = 32


class Degree(Enum):
    """From what a card is known. Each but TYPED knows what those before it know."""

    PUBLIC = "public"
    """From the entries alone, by everybody who has the log."""
    OWN = "own"
    """From a player's own seed of the hand, which is not in the log."""
    TYPED = "typed"
    """From a match that somebody has typed; nobody signed it."""
    DISCLOSED = "disclosed"
    """From the seed that its owner has disclosed in the log, which the referee has audited."""


class KnownCards:
    """The seeds that are known of a match, and the cards that they reveal."""

    def __init__(
        self,
        table: Table,
        own: Mapping[int, bytes] | None = None,
        seats: frozenset[int] = BOTH_SEATS,
    ) -> None:
        """*table*: as the log ends; *own*: one player's seeds by hand number, of which those count
        that fit a commitment; *seats*: whose seeds are used."""
        self._table = table
        self._own = own or {}
        self._seats = seats
        self._secrets: dict[tuple[int, int], HandSecrets] = {
            (seed.hand, seed.seat): HandSecrets(seed.seed)
            for seed in table.seeds
            if seed.seat in seats
        }
        self._disclosed = frozenset(self._secrets)
        self._read: dict[Ciphertext, Card] = {}  # of the hand that was looked at last
        self._hand = 0
        for record in table.records:
            seed = self._own.get(record.number)
            for seat, player in enumerate(record.players):
                if seed is None or player is None or len(seed) != _SEED_BYTES:
                    continue
                commitment = seed_commitment(table.table_id, record.number, seat, seed)
                if commitment == player.commitment and seat in seats:
                    self._secrets.setdefault((record.number, seat), HandSecrets(seed))

    def seen_by(self, seat: int) -> KnownCards:
        """The same without the other seat's seeds; what was left out before stays out. Raises
        Unreadable for an invalid seat."""
        return KnownCards(self._table, self._own, self._seats & {check_seat(seat)})

    def degree(self, hand: int, seat: int) -> Degree:
        """How this seat's cards in the hand of this number are known; PUBLIC without a seed.

        OWN only means that the seed fits the commitment: if the player dealt with a different seed,
        nothing can be read, and a step's degree says so. Raises Unreadable for an invalid seat, and
        LookupError if there is no such hand.
        """
        check_seat(seat)
        last = self._table.hand_number
        if type(hand) is not int or not 1 <= hand <= last:
            raise LookupError(f"there is no hand {str(hand)[:12]}; the log has {last}")
        if (hand, seat) in self._disclosed:
            return Degree.DISCLOSED
        return Degree.OWN if (hand, seat) in self._secrets else Degree.PUBLIC

    def cards(self, table: Table, seat: int) -> tuple[Card, ...] | None:
        """The seat's hand at this point of the match, as its seed reveals it, in the order of the
        deck with the card drawn last at the end; None without a seed. Raises Unreadable for an
        invalid seat."""
        check_seat(seat)
        if table.deck is None or (table.hand_number, seat) not in self._secrets:
            return None
        if table.hand_number != self._hand:
            self._hand, self._read = table.hand_number, {}
        try:
            return tuple(
                self._card(ciphertext, table.hand_number, seat)
                for ciphertext in table.deck.hands[seat]
            )
        except ValueError:  # an own seed that is not the one the cards were dealt with
            return None

    def _card(self, ciphertext: Ciphertext, hand: int, seat: int) -> Card:
        card = self._read.get(ciphertext)
        if card is None:
            card = CARDS[read_card(ciphertext, self._secrets[hand, seat])]
            self._read[ciphertext] = card
        return card


def shown_cards(hand: Hand, seat: int) -> CardSet | None:
    """All cards of a hand that its player has shown to everybody: with the knock or the spread, or
    by going gin with none left; None before."""
    if seat == hand.knocker:
        return 0 if hand.knock is None else hand.knock.cards
    return None if hand.spread is None else hand.spread.cards
