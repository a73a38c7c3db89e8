"""What a player computes and proves: the counterpart of each check (PROTOCOL 6).

Every function here is the prover's. Each takes the deck before the message, the player's secrets
and the place of the new entry in the log, and returns the message that protocol.deck.verifier
accepts. All except ``deal_commit`` need the constant-time group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from protocol import messages as m
from protocol.crypto import dleq, shuffle
from protocol.crypto.elgamal import Ciphertext, encode_ciphertexts
from protocol.crypto.group import Element
from protocol.deck.secrets import HandSecrets, seed_commitment, toss_commitment
from protocol.deck.state import Deck, ProofContext, card_points, open_deck


def deal_commit(deck: Deck, secrets: HandSecrets, context: ProofContext) -> m.DealCommit:
    table, hand, seat = context.table, context.hand, context.seat
    commitment = seed_commitment(table, hand, seat, secrets.seed)
    if not deck.second_deck:
        return m.DealCommit(commitment)
    return m.DealCommit(commitment, toss_commitment(table, hand, secrets.toss))


def deal_key(deck: Deck, secrets: HandSecrets, context: ProofContext) -> m.DealKey:
    return m.DealKey(
        seed_commitment(context.table, context.hand, context.seat, secrets.seed),
        secrets.public_key.encoded,
        _possession(secrets, context),
        secrets.toss if deck.second_deck else b"",
    )


def _possession(secrets: HandSecrets, context: ProofContext) -> bytes:
    return dleq.prove_possession(
        context.transcript("possession"), secrets.key, secrets.public_key
    ).encoded


def deal_deck(deck: Deck, secrets: HandSecrets, context: ProofContext) -> m.DealDeck:
    joint_key = deck.key(deck.nondealer) + secrets.public_key
    witness = secrets.deal_shuffle(joint_key, open_deck())
    cards, argument = _shuffle(witness, joint_key, open_deck(), context)
    return m.DealDeck(
        secrets.public_key.encoded,
        _possession(secrets, context),
        encode_ciphertexts(cards),
        argument,
        secrets.toss if deck.second_deck else b"",
    )


def _shuffle(
    witness: shuffle.Shuffle, key: Element, before: Sequence[Ciphertext], context: ProofContext
) -> tuple[tuple[Ciphertext, ...], bytes]:
    after = witness.apply(key, before)
    argument = shuffle.prove(context.transcript("shuffle"), key, before, after, witness)
    return after, argument.encoded


def deal_shuffle(deck: Deck, secrets: HandSecrets, context: ProofContext) -> m.DealShuffle:
    witness = secrets.deal_shuffle(deck.joint_key, deck.cards)
    cards, argument = _shuffle(witness, deck.joint_key, deck.cards, context)
    shared = [cards[place] for place in deck.shared_places(deck.nondealer)]
    shares, proof = _shares(shared, secrets, context)
    return m.DealShuffle(encode_ciphertexts(cards), argument, shares, proof)


def deal_shares(deck: Deck, secrets: HandSecrets, context: ProofContext) -> m.DealShares:
    return m.DealShares(*_shares(deck.shared_cards(deck.dealer), secrets, context))


def share(deck: Deck, secrets: HandSecrets, context: ProofContext) -> m.Share:
    """Return the share for the card that the opponent has just drawn, and for no other card."""
    return m.Share(*_shares((deck.next_stock_card,), secrets, context))


def _shares(
    cards: Sequence[Ciphertext], secrets: HandSecrets, context: ProofContext
) -> tuple[bytes, bytes]:
    bases = [card.c1 for card in cards]
    shares = [secrets.key * base for base in bases]
    proof = dleq.prove(context.transcript("share"), secrets.key, secrets.public_key, bases, shares)
    return b"".join(x.encoded for x in shares), proof.encoded


@dataclass(frozen=True, slots=True)
class Riffle:
    """A reshuffled hand: the permutation for its owner, and the fields for the message."""

    cards: tuple[Ciphertext, ...]
    permutation: tuple[int, ...] = field(repr=False)
    """Place i has the card from place permutation[i]."""
    hand: bytes
    argument: bytes


def riffle(deck: Deck, seat: int, secrets: HandSecrets, context: ProofContext) -> Riffle:
    """Return the hand reshuffled. A single card stays as it is and needs no argument."""
    before = deck.hands[seat]
    if len(before) == 1:
        return Riffle(before, (0,), b"", b"")
    witness = secrets.riffle(before)
    after, argument = _shuffle(witness, secrets.public_key, before, context)
    return Riffle(after, witness.permutation, encode_ciphertexts(after), argument)


def opening(
    cards: Sequence[tuple[Ciphertext, int]], secrets: HandSecrets, context: ProofContext
) -> bytes:
    """Return one proof that each of the player's ciphertexts contains the card paired with it."""
    points = card_points()
    return dleq.prove(
        context.transcript("opening"),
        secrets.key,
        secrets.public_key,
        [ciphertext.c1 for ciphertext, _ in cards],
        [ciphertext.c2 - points[card] for ciphertext, card in cards],
    ).encoded
