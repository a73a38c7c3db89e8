"""The deck as everybody sees it, and the check of each message that changes it (PROTOCOL 6).

# A Deck is what a stranger who reads the log knows of one hand's cards: keys, masked
# cards, who holds which. Every function here is the verifier's: it takes the deck before,
# one message and the message's place in the log, and returns the deck after, or raises
# (ProofError, BadEncoding). None of them knows a secret, or whose turn it is: that is the
# referee's business.
#
# The deal (D the dealer, N the other):
#   deal_commit   D: commitment to D's seed
#   deal_key      N: commitment to N's seed, Y_N with proof of possession
#   deal_deck     D: Y_D with proof of possession; the open deck shuffled under Y_D + Y_N
#   deal_shuffle  N: that deck shuffled again; shares for D's ten cards and the upcard
#   deal_shares   D: shares for N's ten cards and the upcard
# Places in the shuffled deck: 0, 2 .. 18 go to N, 1, 3 .. 19 to D, 20 is the upcard,
# 21 .. 51 the stock, from the front.
#
# A share of a card (c1, c2) is x*c1. Taking it off leaves (c1, c2 - x*c1), which is the
# same card under the other player's key alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from protocol import messages as m
from protocol.crypto import dleq, shuffle
from protocol.crypto.elgamal import (
    Ciphertext,
    decode_ciphertexts,
    decode_elements,
    open_ciphertext_under,
)
from protocol.crypto.errors import BadProof
from protocol.crypto.group import Element
from protocol.deck.context import ProofContext
from protocol.deck.points import card_at, card_points, open_deck

HAND_CARDS = 10
UPCARD_PLACE = 2 * HAND_CARDS
STOCK_PLACE = UPCARD_PLACE + 1
STOCK_CARDS = m.DECK_CARDS - STOCK_PLACE

_NONDEALER_PLACES = tuple(range(0, UPCARD_PLACE, 2))
_DEALER_PLACES = tuple(range(1, UPCARD_PLACE, 2))

Hands = tuple[tuple[Ciphertext, ...], tuple[Ciphertext, ...]]


@dataclass(frozen=True)
class Deck:
    """Public state of one hand's deck; seats are 0 and 1."""

    dealer: int
    commitments: tuple[bytes | None, bytes | None] = (None, None)
    keys: tuple[Element | None, Element | None] = (None, None)
    cards: tuple[Ciphertext, ...] = ()
    """52 under the joint key: after the dealer's shuffle, then after the other's."""
    hands: Hands = ((), ())
    """Each player's cards under that player's own key."""
    upcard_shared: Ciphertext | None = None
    """The upcard with the non-dealer's mask off, until the dealer's share comes."""
    upcard: int | None = None
    drawn: int = 0
    """How many cards have left the stock."""

    @property
    def nondealer(self) -> int:
        return 1 - self.dealer

    def key(self, seat: int) -> Element:
        """A player's hand key, once it is known."""
        key = self.keys[seat]
        if key is None:
            raise ValueError("the hand key is not known yet")
        return key

    @property
    def joint_key(self) -> Element:
        return self.key(0) + self.key(1)

    def places(self, seat: int) -> tuple[int, ...]:
        """The places of the shuffled deck that are dealt to a player."""
        return _DEALER_PLACES if seat == self.dealer else _NONDEALER_PLACES

    def shared_places(self, giver: int) -> tuple[int, ...]:
        """The places for which *giver* owes a share in the deal, in order."""
        return (*self.places(1 - giver), UPCARD_PLACE)

    @property
    def next_stock_card(self) -> Ciphertext:
        """The card that is drawn next, under the joint key."""
        if self.drawn >= STOCK_CARDS:
            raise ValueError("the stock is exhausted")
        return self.cards[STOCK_PLACE + self.drawn]


T = TypeVar("T")


def _with(pair: tuple[T, T], seat: int, value: T) -> tuple[T, T]:
    return (value, pair[1]) if seat == 0 else (pair[0], value)


def _with_hand(deck: Deck, seat: int, hand: tuple[Ciphertext, ...]) -> Deck:
    return replace(deck, hands=_with(deck.hands, seat, hand))


def check_deal_commit(deck: Deck, message: m.DealCommit) -> Deck:
    return replace(deck, commitments=_with(deck.commitments, deck.dealer, message.commitment))


def _check_key(key: bytes, possession: bytes, context: ProofContext) -> Element:
    element = Element.decode(key)
    dleq.verify_possession(context.transcript("possession"), element, dleq.Proof.decode(possession))
    return element


def check_deal_key(deck: Deck, message: m.DealKey, context: ProofContext) -> Deck:
    key = _check_key(message.key, message.possession, context)
    return replace(
        deck,
        commitments=_with(deck.commitments, deck.nondealer, message.commitment),
        keys=_with(deck.keys, deck.nondealer, key),
    )


def check_deal_deck(deck: Deck, message: m.DealDeck, context: ProofContext) -> Deck:
    key = _check_key(message.key, message.possession, context)
    deck = replace(deck, keys=_with(deck.keys, deck.dealer, key))
    if deck.joint_key.is_identity:
        raise BadProof("the dealer's key cancels the other player's")
    return _check_shuffle(deck, message.deck, message.argument, open_deck(), context)


def _check_shuffle(
    deck: Deck,
    cards: bytes,
    argument: bytes,
    before: Sequence[Ciphertext],
    context: ProofContext,
) -> Deck:
    after = decode_ciphertexts(cards, m.DECK_CARDS)
    shuffle.verify(
        context.transcript("shuffle"),
        deck.joint_key,
        before,
        after,
        shuffle.ShuffleArgument.decode(argument, m.DECK_CARDS),
    )
    return replace(deck, cards=after)


def check_deal_shuffle(deck: Deck, message: m.DealShuffle, context: ProofContext) -> Deck:
    deck = _check_shuffle(deck, message.deck, message.argument, deck.cards, context)
    *hand, upcard = _check_shares(deck, deck.nondealer, message.shares, message.proof, context)
    return _with_hand(replace(deck, upcard_shared=upcard), deck.dealer, tuple(hand))


def check_deal_shares(deck: Deck, message: m.DealShares, context: ProofContext) -> Deck:
    if deck.upcard_shared is None:
        raise ValueError("the other player's share for the upcard comes first")
    *hand, upcard = _check_shares(deck, deck.dealer, message.shares, message.proof, context)
    # Both masks are off: what the shares took off twice from the same ciphertext is the card.
    nondealer_share = deck.cards[UPCARD_PLACE].c2 - deck.upcard_shared.c2
    card = card_at(upcard.c2 - nondealer_share)
    if card is None:  # unreachable after two proven shuffles of the open deck
        raise BadProof("the upcard is no card")
    return _with_hand(replace(deck, upcard_shared=None, upcard=card), deck.nondealer, tuple(hand))


def _check_shares(
    deck: Deck, giver: int, shares: bytes, proof: bytes, context: ProofContext
) -> tuple[Ciphertext, ...]:
    """The cards of the deal that *giver* owes shares for, with the shares taken off."""
    cards = [deck.cards[place] for place in deck.shared_places(giver)]
    return _take_off(deck.key(giver), cards, shares, proof, context)


def _take_off(
    key: Element,
    cards: Sequence[Ciphertext],
    shares: bytes,
    proof: bytes,
    context: ProofContext,
) -> tuple[Ciphertext, ...]:
    elements = decode_elements(shares, len(cards))
    dleq.verify(
        context.transcript("share"),
        key,
        [card.c1 for card in cards],
        elements,
        dleq.Proof.decode(proof),
    )
    return tuple(card.without_share(x) for card, x in zip(cards, elements, strict=True))


def check_share(deck: Deck, message: m.Share, taker: int, context: ProofContext) -> Deck:
    """The next stock card goes into *taker*'s hand."""
    cards = _take_off(
        deck.key(1 - taker), (deck.next_stock_card,), message.share, message.proof, context
    )
    return _with_hand(replace(deck, drawn=deck.drawn + 1), taker, deck.hands[taker] + cards)


def take_upcard(deck: Deck, taker: int, card: int) -> Deck:
    """An open card goes into a hand as (B, M + Y), which everyone computes alike."""
    ciphertext = open_ciphertext_under(deck.key(taker), card_points()[card])
    return _with_hand(deck, taker, (*deck.hands[taker], ciphertext))


def check_riffle(
    deck: Deck, seat: int, hand: bytes, argument: bytes, context: ProofContext
) -> Deck:
    """The player's whole hand, masked and shuffled anew under the own key."""
    before = deck.hands[seat]
    after = decode_ciphertexts(hand, len(before))
    shuffle.verify(
        context.transcript("shuffle"),
        deck.key(seat),
        before,
        after,
        shuffle.ShuffleArgument.decode(argument, len(before)),
    )
    return _with_hand(deck, seat, after)


def check_opening(
    deck: Deck,
    seat: int,
    places: Sequence[int],
    cards: Sequence[int],
    opening: bytes,
    context: ProofContext,
) -> None:
    """The cards at these places of the hand are these: c2 - M_card = x*c1 for each."""
    hand = deck.hands[seat]
    if not places:
        raise BadProof("the opening opens no card")
    if len(places) != len(cards) or any(not 0 <= place < len(hand) for place in places):
        raise BadProof("the opening names a place that the hand does not have")
    points = card_points()
    dleq.verify(
        context.transcript("opening"),
        deck.key(seat),
        [hand[place].c1 for place in places],
        [hand[place].c2 - points[card] for place, card in zip(places, cards, strict=True)],
        dleq.Proof.decode(opening),
    )


def remove_card(deck: Deck, seat: int, place: int) -> Deck:
    """The card at this place leaves the hand; the others keep their order."""
    hand = deck.hands[seat]
    return _with_hand(deck, seat, hand[:place] + hand[place + 1 :])
