"""The second road to the same verdict: recompute what a seed fixes (PROTOCOL 6.8).

No proof is looked at here. Whoever holds a disclosed seed computes the player's key, half of
the toss, the masked deck, every riffle and every share again and compares bytes, and opens
all cards that the player ever held in the hand. A difference means that the player did something
other than the seed says, and the seed's commitment is older than the deal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from protocol.crypto.elgamal import Ciphertext
from protocol.crypto.errors import ProofError
from protocol.crypto.group import Element
from protocol.deck.context import seed_commitment
from protocol.deck.points import card_points
from protocol.deck.secrets import HandSecrets
from protocol.deck.toss import toss_commitment


class AuditFailed(ProofError):
    """The disclosed seed does not reproduce what its owner did in the hand."""

    code = "audit-failed"


class SeedMismatch(ProofError):
    """The disclosed seed is not the one that its owner committed to."""

    code = "seed-mismatch"


@dataclass(frozen=True, slots=True)
class ShuffleRecord:
    """One shuffle or riffle of the log: what lay before and after it."""

    before: tuple[Ciphertext, ...]
    after: tuple[Ciphertext, ...]


@dataclass(frozen=True, slots=True)
class ShareRecord:
    """Shares that the player gave: for which cards, and the bytes of the message."""

    cards: tuple[Ciphertext, ...]
    shares: bytes


@dataclass(frozen=True, slots=True)
class OpeningRecord:
    """Own cards that the player opened: the ciphertexts, and what was said to be in them."""

    cards: tuple[Ciphertext, ...]
    shown: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PlayerRecord:
    """What one player published in one hand, as far as the seed fixes it.

    A hand ends early where a player resigns; what was not reached is None or empty.
    """

    commitment: bytes
    key: Element | None = None
    joint_key: Element | None = None
    deal: ShuffleRecord | None = None
    riffles: tuple[ShuffleRecord, ...] = ()
    shares: tuple[ShareRecord, ...] = ()
    openings: tuple[OpeningRecord, ...] = ()
    toss_commitment: bytes = b""
    toss: bytes = b""
    """Half of the toss for the knock card: the dealer's as committed, the other's as shown."""


def check_seed(table: bytes, hand: int, seat: int, record: PlayerRecord, seed: bytes) -> None:
    """Raises SeedMismatch. Where several seeds come together, all are asked this before the first
    is audited: a hash takes microseconds, an audit ten milliseconds and more."""
    if seed_commitment(table, hand, seat, seed) != record.commitment:
        raise SeedMismatch("the disclosed seed does not match its commitment")


def audit(table: bytes, hand: int, seat: int, record: PlayerRecord, seed: bytes) -> HandSecrets:
    """Check one player's hand against the disclosed seed; returns the secrets it opens.

    Raises SeedMismatch or AuditFailed.
    """
    check_seed(table, hand, seat, record, seed)
    secrets = HandSecrets(seed)
    commitment = record.toss_commitment
    if commitment and commitment != toss_commitment(table, hand, secrets.toss):
        raise AuditFailed("the half of the toss does not come from the disclosed seed")
    if record.toss and record.toss != secrets.toss:
        raise AuditFailed("the half of the toss does not come from the disclosed seed")
    if record.key is None:
        return secrets
    if secrets.public_key != record.key:
        raise AuditFailed("the hand key does not come from the disclosed seed")
    if record.deal is not None and record.joint_key is not None:
        before = record.deal.before
        expected = secrets.deal_shuffle(record.joint_key, before).apply(record.joint_key, before)
        _compare(expected, record.deal.after, "the shuffle of the deck")
    for number, riffle in enumerate(record.riffles):
        expected = secrets.riffle(riffle.before).apply_own(secrets.key, riffle.before)
        _compare(expected, riffle.after, f"riffle {number + 1} of the hand")
    for given in record.shares:
        if b"".join((secrets.key * card.c1).encoded for card in given.cards) != given.shares:
            raise AuditFailed("a share does not come from the disclosed seed")
    points = card_points()
    for opening in record.openings:
        if [card.unmask(secrets.key) for card in opening.cards] != [
            points[card] for card in opening.shown
        ]:
            raise AuditFailed("an opened card is another one under the disclosed seed")
    return secrets


def _compare(expected: Sequence[Ciphertext], actual: Sequence[Ciphertext], what: str) -> None:
    if tuple(expected) != tuple(actual):
        raise AuditFailed(f"{what} does not come from the disclosed seed")
