"""What everybody sees: the cards as points, the deck, and the place in the log to which a proof is
bound (PROTOCOL 4.2, 5.3, 6).

A Deck is what a stranger who reads the log knows about one hand's cards: the keys, the masked
cards, and who holds which. It contains no secret, and doesn't know whose turn it is: that is
the referee's business.

Places in the shuffled deck: 0, 2 .. 18 go to the non-dealer, 1, 3 .. 19 to the dealer,
20 is the upcard, 21 .. 51 the stock, from the front.

With a second deck no upcard is turned: nobody gives a share for place 20, and the stock
begins there. Instead, the first three messages toss for the knock card.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TypeVar

from protocol import messages as m
from protocol.crypto.elgamal import Ciphertext
from protocol.crypto.group import BASE, IDENTITY, Element
from protocol.crypto.hashing import Transcript, hash_to_group
from protocol.deck.proofs import AT_ONCE, Proofs

# --- the 52 cards as points of the group ----------------------------------------------------------

CARD_LABEL = b"ginpeer/v1/card"


@cache
def card_points() -> tuple[Element, ...]:
    """Return the points of cards 0 .. 51: hash_to_group(the number as one byte, CARD_LABEL)."""
    return tuple(hash_to_group(bytes([card]), CARD_LABEL) for card in range(m.DECK_CARDS))


@cache
def _numbers() -> dict[Element, int]:
    return {point: card for card, point in enumerate(card_points())}


def card_at(point: Element) -> int | None:
    """Return the card with this point; None if there is none. This takes equally long for every
    card, because the card may be secret."""
    return _numbers().get(point)


@cache
def open_deck() -> tuple[Ciphertext, ...]:
    """Return all cards in order, unmasked, as (identity, M_i). Every deal begins with this deck."""
    return tuple(Ciphertext(IDENTITY, point) for point in card_points())


# --- the deck -------------------------------------------------------------------------------------

HAND_CARDS = 10
UPCARD_PLACE = 2 * HAND_CARDS


@dataclass(frozen=True)
class Deck:
    """The public state of one hand's deck. Seats are 0 and 1."""

    dealer: int
    second_deck: bool = False
    """Whether the knock card comes from a second deck, and no upcard is turned."""
    keys: tuple[Element | None, Element | None] = (None, None)
    cards: tuple[Ciphertext, ...] = ()
    """52 cards under the joint key: after the dealer's shuffle, then after the non-dealer's."""
    hands: tuple[tuple[Ciphertext, ...], tuple[Ciphertext, ...]] = ((), ())
    """Each player's cards under that player's own key."""
    upcard_share: Element | None = None
    """The non-dealer's share for the upcard, kept until the dealer's share arrives."""
    upcard: int | None = None
    toss_commitment: bytes = b""
    toss: bytes = b""  # the non-dealer's half of the toss for the knock card
    knock_card: int | None = None
    drawn: int = 0  # how many cards have left the stock

    @property
    def nondealer(self) -> int:
        return 1 - self.dealer

    def key(self, seat: int) -> Element:
        """Return a player's hand key. Raises ValueError until it is known."""
        key = self.keys[seat]
        if key is None:
            raise ValueError("the hand key isn't known yet")
        return key

    @property
    def joint_key(self) -> Element:
        return self.key(0) + self.key(1)

    def shared_places(self, giver: int) -> tuple[int, ...]:
        """Return the places for which *giver* owes a share in the deal, in order."""
        dealt = tuple(range(0 if giver == self.dealer else 1, UPCARD_PLACE, 2))
        return dealt if self.second_deck else (*dealt, UPCARD_PLACE)

    def shared_cards(self, giver: int) -> tuple[Ciphertext, ...]:
        """Return the cards for which *giver* owes a share in the deal, in order."""
        return tuple(self.cards[place] for place in self.shared_places(giver))

    @property
    def next_stock_card(self) -> Ciphertext:
        """The next card of the stock, under the joint key."""
        first = UPCARD_PLACE if self.second_deck else UPCARD_PLACE + 1
        return self.cards[first + self.drawn]


T = TypeVar("T")


def with_seat(pair: tuple[T, T], seat: int, value: T) -> tuple[T, T]:
    return (value, pair[1]) if seat == 0 else (pair[0], value)


def with_hand(deck: Deck, seat: int, hand: tuple[Ciphertext, ...]) -> Deck:
    return replace(deck, hands=with_seat(deck.hands, seat, hand))


def take_open_cards(deck: Deck, taker: int, cards: Sequence[int]) -> Deck:
    """Return the deck with these open cards in the taker's hand, as (B, M + Y) each."""
    key, points = deck.key(taker), card_points()
    taken = (Ciphertext(BASE, points[card] + key) for card in cards)  # with blinding 1
    return with_hand(deck, taker, (*deck.hands[taker], *taken))


def remove_cards(deck: Deck, seat: int, places: Sequence[int]) -> Deck:
    """Return the deck without the cards at these places; the others keep their order."""
    hand = deck.hands[seat]
    return with_hand(deck, seat, tuple(c for at, c in enumerate(hand) if at not in places))


# --- the place of a proof -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ProofContext:
    """The place in the log of the entry that contains the proof.

    ``previous`` is the hash of the entry before. Through the chain of hashes, it binds the proof to
    the rules, both identities, both hand keys and every card that has moved so far. A proof copied
    from another hand, match or author therefore gets different challenges and fails.
    """

    table: bytes
    sequence: int
    previous: bytes
    hand: int
    seat: int
    proofs: Proofs = field(default=AT_ONCE, compare=False)
    """When the proofs of this entry are verified."""

    def transcript(self, purpose: str) -> Transcript:
        """Return a new transcript for one proof: "shuffle", "share", "opening" or "possession"."""
        transcript = Transcript(purpose)
        transcript.append("table", self.table)
        transcript.append_number("sequence", self.sequence)
        transcript.append("previous", self.previous)
        transcript.append_number("hand", self.hand)
        transcript.append_number("seat", self.seat)
        return transcript
