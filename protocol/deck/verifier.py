"""Checks of the messages that change the deck (PROTOCOL 6).

Every function here is the verifier's: it takes the deck before a message, the message and its
place in the log, and returns the deck after it, or raises ProofError or BadEncoding. All lengths
and encodings in a message are checked before any of its proofs: refusing a malformed message takes
a millisecond, whereas verifying a shuffle's proof takes thirty. The context says when proofs are
verified: at once, or together with those of other entries (protocol.deck.proofs).

The deck is shuffled under the sum of both players' keys, and a hand under its owner's key. A share
of a card (c1, c2) is x*c1. Removing it leaves (c1, c2 - x*c1), which is the same card under the
other player's key alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from protocol import messages as m
from protocol.codes import BadLength, BadProof
from protocol.crypto import dleq, shuffle
from protocol.crypto.elgamal import Ciphertext, decode_ciphertexts, decode_elements
from protocol.crypto.group import Element
from protocol.deck.secrets import TossMismatch, WrongToss, knock_card, toss_commitment
from protocol.deck.state import (
    HAND_CARDS,
    UPCARD_PLACE,
    Deck,
    ProofContext,
    card_at,
    card_points,
    open_deck,
    with_hand,
    with_seat,
)


def check_deal_commit(deck: Deck, message: m.DealCommit) -> Deck:
    _check_toss(deck, message.toss)
    return replace(deck, toss_commitment=message.toss)


def _check_toss(deck: Deck, toss: bytes) -> None:
    """Raise WrongToss unless half of a toss, or the commitment to it, is present with a second deck
    and absent without one."""
    if bool(toss) != deck.second_deck:
        raise WrongToss(
            "the half of the toss for the knock card is missing"
            if deck.second_deck
            else "this match has no toss"
        )


def _check_key(key: bytes, possession: bytes, context: ProofContext) -> Element:
    element = Element.decode(key)
    dleq.verify_possession(context.transcript("possession"), element, dleq.Proof.decode(possession))
    return element


def check_deal_key(deck: Deck, message: m.DealKey, context: ProofContext) -> Deck:
    _check_toss(deck, message.toss)
    key = _check_key(message.key, message.possession, context)
    return replace(deck, keys=with_seat(deck.keys, deck.nondealer, key), toss=message.toss)


def check_deal_deck(deck: Deck, message: m.DealDeck, context: ProofContext) -> Deck:
    deck = _check_knock_card(deck, message.toss, context)
    shuffled = _decode_shuffled(message.deck, message.argument, m.DECK_CARDS)
    key = _check_key(message.key, message.possession, context)
    deck = replace(deck, keys=with_seat(deck.keys, deck.dealer, key))
    if deck.joint_key.is_identity:
        raise BadProof("the dealer's key cancels the other player's")
    return _check_shuffle(deck, shuffled, open_deck(), context)


def _check_knock_card(deck: Deck, toss: bytes, context: ProofContext) -> Deck:
    """Check the dealer's half of the toss, and return the deck with the knock card."""
    _check_toss(deck, toss)
    if not deck.second_deck:
        return deck
    table, hand = context.table, context.hand
    if toss_commitment(table, hand, toss) != deck.toss_commitment:
        raise TossMismatch("the half of the toss isn't the one that was committed to")
    return replace(deck, knock_card=knock_card(table, hand, toss, deck.toss))


_Shuffled = tuple[tuple[Ciphertext, ...], shuffle.ShuffleArgument]


def _decode_shuffled(cards: bytes, argument: bytes, count: int) -> _Shuffled:
    return decode_ciphertexts(cards, count), shuffle.ShuffleArgument.decode(argument, count)


def _check_shuffle(
    deck: Deck, shuffled: _Shuffled, before: Sequence[Ciphertext], context: ProofContext
) -> Deck:
    after, argument = shuffled
    context.proofs.shuffle(context.transcript("shuffle"), deck.joint_key, before, after, argument)
    return replace(deck, cards=after)


def check_deal_shuffle(deck: Deck, message: m.DealShuffle, context: ProofContext) -> Deck:
    shuffled = _decode_shuffled(message.deck, message.argument, m.DECK_CARDS)
    shares = _decode_shares(deck, deck.nondealer, message.shares, message.proof)
    deck = _check_shuffle(deck, shuffled, deck.cards, context)
    deck = _check_shares(deck, deck.nondealer, shares, context)
    return deck if deck.second_deck else replace(deck, upcard_share=shares[0][-1])


def check_deal_shares(deck: Deck, message: m.DealShares, context: ProofContext) -> Deck:
    shares = _decode_shares(deck, deck.dealer, message.shares, message.proof)
    deck = _check_shares(deck, deck.dealer, shares, context)
    if deck.second_deck:
        return deck
    if deck.upcard_share is None:
        raise ValueError("the other player's share for the upcard must come first")
    card = card_at(deck.cards[UPCARD_PLACE].c2 - deck.upcard_share - shares[0][-1])
    if card is None:  # unreachable after two proven shuffles of the open deck
        raise BadProof("the upcard isn't a card")
    return replace(deck, upcard_share=None, upcard=card)


_Shares = tuple[tuple[Element, ...], dleq.Proof]


def _decode_shares(deck: Deck, giver: int, shares: bytes, proof: bytes) -> _Shares:
    """Return the shares that *giver* owes in the deal and their proof, decoded but not verified."""
    count = len(deck.shared_places(giver))
    return decode_elements(shares, count), dleq.Proof.decode(proof)


def _check_shares(deck: Deck, giver: int, shares: _Shares, context: ProofContext) -> Deck:
    """Return the deck with the hand dealt to the other player, without *giver*'s masks."""
    taken = _remove_masks(deck.key(giver), deck.shared_cards(giver), shares, context)
    return with_hand(deck, 1 - giver, taken[:HAND_CARDS])


def _remove_masks(
    key: Element, cards: Sequence[Ciphertext], shares: _Shares, context: ProofContext
) -> tuple[Ciphertext, ...]:
    elements, proof = shares
    bases = [card.c1 for card in cards]
    context.proofs.equality(context.transcript("share"), key, bases, elements, proof)
    return tuple(Ciphertext(card.c1, card.c2 - x) for card, x in zip(cards, elements, strict=True))


def check_share(deck: Deck, message: m.Share, taker: int, context: ProofContext) -> Deck:
    """Verify the share, and return the deck with the next stock card in *taker*'s hand."""
    share = decode_elements(message.share, 1), dleq.Proof.decode(message.proof)
    cards = _remove_masks(deck.key(1 - taker), (deck.next_stock_card,), share, context)
    return with_hand(replace(deck, drawn=deck.drawn + 1), taker, deck.hands[taker] + cards)


def check_riffle(
    deck: Deck, seat: int, hand: bytes, argument: bytes, context: ProofContext
) -> Deck:
    """Return the deck with the player's whole hand masked and shuffled again under their own key.

    A single card has no others to hide among, so it isn't riffled: the deck is returned unchanged.
    """
    before = deck.hands[seat]
    if len(before) == 1:
        if hand or argument:
            raise BadLength("a hand of one card isn't riffled")
        return deck
    after, decoded = _decode_shuffled(hand, argument, len(before))
    context.proofs.shuffle(context.transcript("shuffle"), deck.key(seat), before, after, decoded)
    return with_hand(deck, seat, after)


def decode_opening(
    deck: Deck, seat: int, places: Sequence[int], cards: Sequence[int], opening: bytes
) -> dleq.Proof:
    """Return the proof that these places of the hand contain these cards, decoded but not verified.
    It can be decoded before the riffle in the same message is verified, because a riffle doesn't
    change the number of places."""
    if not places:
        raise BadProof("the opening doesn't open a card")
    if len(places) != len(cards) or any(not 0 <= at < len(deck.hands[seat]) for at in places):
        raise BadProof("the opening names a place that the hand doesn't have")
    return dleq.Proof.decode(opening)


def check_opening(
    deck: Deck,
    seat: int,
    places: Sequence[int],
    cards: Sequence[int],
    proof: dleq.Proof,
    context: ProofContext,
) -> None:
    """Verify that these places of the hand contain these cards: c2 - M_card = x*c1 for each."""
    hand, points = deck.hands[seat], card_points()
    context.proofs.equality(
        context.transcript("opening"),
        deck.key(seat),
        [hand[place].c1 for place in places],
        [hand[place].c2 - points[card] for place, card in zip(places, cards, strict=True)],
        proof,
    )
