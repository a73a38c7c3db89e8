"""The deck as everybody sees it, and the check of each message that changes it (PROTOCOL 6).

# A Deck is what a stranger who reads the log knows of one hand's cards: keys, masked
# cards, who holds which. Every function here is the verifier's: it takes the deck before,
# one message and the message's place in the log, and returns the deck after, or raises
# (ProofError, BadEncoding). None of them knows a secret, or whose turn it is: that is the
# referee's business. A message is read whole, lengths and encodings, before any of its proofs
# is verified: what has no sound form costs a millisecond, and a shuffle's proof thirty.
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
# With a second deck no upcard is turned: nobody gives a share for place 20, and the stock
# begins there. Instead the first three messages toss for the knock card.
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
from protocol.crypto.errors import BadLength, BadProof
from protocol.crypto.group import Element
from protocol.deck.context import ProofContext
from protocol.deck.points import card_at, card_points, open_deck
from protocol.deck.toss import TossMismatch, WrongToss, knock_card, toss_commitment

HAND_CARDS = 10
UPCARD_PLACE = 2 * HAND_CARDS

_NONDEALER_PLACES = tuple(range(0, UPCARD_PLACE, 2))
_DEALER_PLACES = tuple(range(1, UPCARD_PLACE, 2))

Hands = tuple[tuple[Ciphertext, ...], tuple[Ciphertext, ...]]


@dataclass(frozen=True)
class Deck:
    """Public state of one hand's deck; seats are 0 and 1."""

    dealer: int
    second_deck: bool = False
    """Whether the knock card comes from a second deck, and no upcard is turned."""
    commitments: tuple[bytes | None, bytes | None] = (None, None)
    keys: tuple[Element | None, Element | None] = (None, None)
    cards: tuple[Ciphertext, ...] = ()
    """52 under the joint key: after the dealer's shuffle, then after the other's."""
    hands: Hands = ((), ())
    """Each player's cards under that player's own key."""
    upcard_shared: Ciphertext | None = None
    """The upcard with the non-dealer's mask off, until the dealer's share comes."""
    upcard: int | None = None
    toss_commitment: bytes = b""
    toss: bytes = b""
    """The non-dealer's half of the toss for the knock card."""
    knock_card: int | None = None
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
        places = self.places(1 - giver)
        return places if self.second_deck else (*places, UPCARD_PLACE)

    @property
    def stock_place(self) -> int:
        """Where the stock begins; it goes on to the end of the deck."""
        return UPCARD_PLACE if self.second_deck else UPCARD_PLACE + 1

    @property
    def next_stock_card(self) -> Ciphertext:
        """The card that is drawn next, under the joint key."""
        place = self.stock_place + self.drawn
        if place >= m.DECK_CARDS:
            raise ValueError("the stock is exhausted")
        return self.cards[place]


T = TypeVar("T")


def _with(pair: tuple[T, T], seat: int, value: T) -> tuple[T, T]:
    return (value, pair[1]) if seat == 0 else (pair[0], value)


def _with_hand(deck: Deck, seat: int, hand: tuple[Ciphertext, ...]) -> Deck:
    return replace(deck, hands=_with(deck.hands, seat, hand))


def check_deal_commit(deck: Deck, message: m.DealCommit) -> Deck:
    _check_toss(deck, message.toss)
    return replace(
        deck,
        commitments=_with(deck.commitments, deck.dealer, message.commitment),
        toss_commitment=message.toss,
    )


def _check_toss(deck: Deck, toss: bytes) -> None:
    """Half a toss, or the commitment to it, stands where a second deck is played with."""
    if bool(toss) != deck.second_deck:
        raise WrongToss(
            "the half of the toss for the knock card is missing"
            if deck.second_deck
            else "nothing is tossed for in this match"
        )


def _check_key(key: bytes, possession: bytes, context: ProofContext) -> Element:
    element = Element.decode(key)
    dleq.verify_possession(context.transcript("possession"), element, dleq.Proof.decode(possession))
    return element


def check_deal_key(deck: Deck, message: m.DealKey, context: ProofContext) -> Deck:
    _check_toss(deck, message.toss)
    key = _check_key(message.key, message.possession, context)
    return replace(
        deck,
        commitments=_with(deck.commitments, deck.nondealer, message.commitment),
        keys=_with(deck.keys, deck.nondealer, key),
        toss=message.toss,
    )


def check_deal_deck(deck: Deck, message: m.DealDeck, context: ProofContext) -> Deck:
    deck = _check_knock_card(deck, message.toss, context)
    shuffled = _decode_shuffled(message.deck, message.argument, m.DECK_CARDS)
    key = _check_key(message.key, message.possession, context)
    deck = replace(deck, keys=_with(deck.keys, deck.dealer, key))
    if deck.joint_key.is_identity:
        raise BadProof("the dealer's key cancels the other player's")
    return _check_shuffle(deck, shuffled, open_deck(), context)


def _check_knock_card(deck: Deck, toss: bytes, context: ProofContext) -> Deck:
    """With the dealer's half, as committed, the knock card is known."""
    _check_toss(deck, toss)
    if not deck.second_deck:
        return deck
    table, hand = context.table, context.hand
    if toss_commitment(table, hand, toss) != deck.toss_commitment:
        raise TossMismatch("the half of the toss is not the one that was committed to")
    return replace(deck, knock_card=knock_card(table, hand, toss, deck.toss))


_Shuffled = tuple[tuple[Ciphertext, ...], shuffle.ShuffleArgument]


def _decode_shuffled(cards: bytes, argument: bytes, count: int) -> _Shuffled:
    return decode_ciphertexts(cards, count), shuffle.ShuffleArgument.decode(argument, count)


def _check_shuffle(
    deck: Deck, shuffled: _Shuffled, before: Sequence[Ciphertext], context: ProofContext
) -> Deck:
    after, argument = shuffled
    shuffle.verify(context.transcript("shuffle"), deck.joint_key, before, after, argument)
    return replace(deck, cards=after)


def check_deal_shuffle(deck: Deck, message: m.DealShuffle, context: ProofContext) -> Deck:
    shuffled = _decode_shuffled(message.deck, message.argument, m.DECK_CARDS)
    shares = _decode_shares(deck, deck.nondealer, message.shares, message.proof)
    deck = _check_shuffle(deck, shuffled, deck.cards, context)
    hand, upcard = _check_shares(deck, deck.nondealer, shares, context)
    return _with_hand(replace(deck, upcard_shared=upcard), deck.dealer, hand)


def check_deal_shares(deck: Deck, message: m.DealShares, context: ProofContext) -> Deck:
    if deck.upcard_shared is None and not deck.second_deck:
        raise ValueError("the other player's share for the upcard comes first")
    shares = _decode_shares(deck, deck.dealer, message.shares, message.proof)
    hand, upcard = _check_shares(deck, deck.dealer, shares, context)
    if upcard is not None and deck.upcard_shared is not None:
        # Both masks are off: what the shares took off twice from the same ciphertext is the card.
        nondealer_share = deck.cards[UPCARD_PLACE].c2 - deck.upcard_shared.c2
        card = card_at(upcard.c2 - nondealer_share)
        if card is None:  # unreachable after two proven shuffles of the open deck
            raise BadProof("the upcard is no card")
        deck = replace(deck, upcard_shared=None, upcard=card)
    return _with_hand(deck, deck.nondealer, hand)


_Shares = tuple[tuple[Element, ...], dleq.Proof]


def _decode_shares(deck: Deck, giver: int, shares: bytes, proof: bytes) -> _Shares:
    """The shares that *giver* owes in the deal."""
    count = len(deck.shared_places(giver))
    return decode_elements(shares, count), dleq.Proof.decode(proof)


def _check_shares(
    deck: Deck, giver: int, shares: _Shares, context: ProofContext
) -> tuple[tuple[Ciphertext, ...], Ciphertext | None]:
    """The other hand, and the upcard if one is turned, with *giver*'s shares taken off."""
    cards = [deck.cards[place] for place in deck.shared_places(giver)]
    taken = _take_off(deck.key(giver), cards, shares, context)
    return (taken, None) if deck.second_deck else (taken[:-1], taken[-1])


def _take_off(
    key: Element, cards: Sequence[Ciphertext], shares: _Shares, context: ProofContext
) -> tuple[Ciphertext, ...]:
    elements, proof = shares
    dleq.verify(context.transcript("share"), key, [card.c1 for card in cards], elements, proof)
    return tuple(card.without_share(x) for card, x in zip(cards, elements, strict=True))


def check_share(deck: Deck, message: m.Share, taker: int, context: ProofContext) -> Deck:
    """The next stock card goes into *taker*'s hand."""
    share = decode_elements(message.share, 1), dleq.Proof.decode(message.proof)
    cards = _take_off(deck.key(1 - taker), (deck.next_stock_card,), share, context)
    return _with_hand(replace(deck, drawn=deck.drawn + 1), taker, deck.hands[taker] + cards)


def take_open_cards(deck: Deck, taker: int, cards: Sequence[int]) -> Deck:
    """Open cards go into a hand, each as (B, M + Y), which everyone computes alike."""
    key, points = deck.key(taker), card_points()
    taken = (open_ciphertext_under(key, points[card]) for card in cards)
    return _with_hand(deck, taker, (*deck.hands[taker], *taken))


def check_riffle(
    deck: Deck, seat: int, hand: bytes, argument: bytes, context: ProofContext
) -> Deck:
    """The player's whole hand, masked and shuffled anew under the own key.

    A single card is not riffled, since everybody knows which one it is: the deck is returned
    as it is.
    """
    before = deck.hands[seat]
    if len(before) == 1:
        if hand or argument:
            raise BadLength("a hand of one card is not riffled")
        return deck
    after, decoded = _decode_shuffled(hand, argument, len(before))
    shuffle.verify(context.transcript("shuffle"), deck.key(seat), before, after, decoded)
    return _with_hand(deck, seat, after)


def decode_opening(
    deck: Deck, seat: int, places: Sequence[int], cards: Sequence[int], opening: bytes
) -> dleq.Proof:
    """The proof that these places of the hand hold these cards, read but not verified. Its form
    can be judged before the riffle that comes with it, which leaves as many places."""
    if not places:
        raise BadProof("the opening opens no card")
    if len(places) != len(cards) or any(not 0 <= at < len(deck.hands[seat]) for at in places):
        raise BadProof("the opening names a place that the hand does not have")
    return dleq.Proof.decode(opening)


def check_opening(
    deck: Deck,
    seat: int,
    places: Sequence[int],
    cards: Sequence[int],
    opening: bytes,
    context: ProofContext,
) -> None:
    """The cards at these places of the hand are these: c2 - M_card = x*c1 for each."""
    proof = decode_opening(deck, seat, places, cards, opening)
    hand, points = deck.hands[seat], card_points()
    dleq.verify(
        context.transcript("opening"),
        deck.key(seat),
        [hand[place].c1 for place in places],
        [hand[place].c2 - points[card] for place, card in zip(places, cards, strict=True)],
        proof,
    )


def remove_cards(deck: Deck, seat: int, places: Sequence[int]) -> Deck:
    """The cards at these places leave the hand; the others keep their order."""
    hand = deck.hands[seat]
    return _with_hand(deck, seat, tuple(c for at, c in enumerate(hand) if at not in places))
