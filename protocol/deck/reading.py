"""Read a player's own ciphertexts, as the player or anybody with the hand seed can (PROTOCOL 6)."""

from __future__ import annotations

from collections.abc import Sequence

from protocol.crypto.elgamal import Ciphertext
from protocol.deck.points import card_at
from protocol.deck.secrets import HandSecrets


def read_hand(hand: Sequence[Ciphertext], secrets: HandSecrets) -> tuple[int, ...]:
    """Return the cards in these ciphertexts, in their order.

    Raises ValueError if one contains no card, which two proven shuffles rule out.
    """
    return tuple(read_card(ciphertext, secrets) for ciphertext in hand)


def read_card(ciphertext: Ciphertext, secrets: HandSecrets) -> int:
    """Return the card in this ciphertext."""
    card = card_at(ciphertext.unmask(secrets.key))
    if card is None:
        raise ValueError("one of our own masked cards doesn't open to a card")
    return card
