"""A second way to the same verdict: recompute everything that a seed determines (PROTOCOL 6.8).

The audit checks no proofs. From a disclosed seed it recomputes the player's key, half of the toss
and masked deck, every riffle and every share, and compares the bytes. It also opens all cards that
the player ever held in the hand. A difference means that the player didn't do what the seed says,
and the seed's commitment is older than the deal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from protocol.crypto.elgamal import Ciphertext
from protocol.crypto.errors import ProofError
from protocol.crypto.group import Element
from protocol.deck.secrets import HandSecrets, seed_commitment
from protocol.deck.state import card_points
from protocol.deck.tosses import toss_commitment


class AuditFailed(ProofError):
    """The disclosed seed doesn't reproduce what its owner did in the hand."""

    code = "audit-failed"


class SeedMismatch(ProofError):
    """The disclosed seed isn't the one that its owner committed to."""

    code = "seed-mismatch"


@dataclass(frozen=True, slots=True)
class ShuffleRecord:
    """One shuffle or riffle in the log: the cards before and after it."""

    before: tuple[Ciphertext, ...]
    after: tuple[Ciphertext, ...]


@dataclass(frozen=True, slots=True)
class ShareRecord:
    """Shares that the player gave: the cards, and the bytes in the message."""

    cards: tuple[Ciphertext, ...]
    shares: bytes


@dataclass(frozen=True, slots=True)
class OpeningRecord:
    """Cards that the player opened: the ciphertexts, and the cards that they should contain."""

    cards: tuple[Ciphertext, ...]
    shown: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PlayerRecord:
    """Everything that one player published in one hand and that the seed determines. Fields that a
    hand didn't reach because of a resignation are None or empty."""

    commitment: bytes
    key: Element | None = None
    joint_key: Element | None = None
    deal: ShuffleRecord | None = None
    riffles: tuple[ShuffleRecord, ...] = ()
    shares: tuple[ShareRecord, ...] = ()
    openings: tuple[OpeningRecord, ...] = ()
    toss_commitment: bytes = b""
    toss: bytes = b""
    """Half of the toss for the knock card: the dealer's as committed, the non-dealer's as shown."""


def check_seed(table: bytes, hand: int, seat: int, record: PlayerRecord, seed: bytes) -> None:
    """Raise SeedMismatch unless the seed fits its commitment. If several seeds come together, check
    all of them before auditing the first: a hash takes microseconds, an audit at least ten
    milliseconds."""
    if seed_commitment(table, hand, seat, seed) != record.commitment:
        raise SeedMismatch("the disclosed seed doesn't match its commitment")


def audit(table: bytes, hand: int, seat: int, record: PlayerRecord, seed: bytes) -> HandSecrets:
    """Check a hand against its seed; return its secrets. Raises SeedMismatch or AuditFailed."""
    check_seed(table, hand, seat, record, seed)
    secrets = HandSecrets(seed)
    commitment = record.toss_commitment
    if commitment and commitment != toss_commitment(table, hand, secrets.toss):
        raise AuditFailed("the half of the toss doesn't come from the disclosed seed")
    if record.toss and record.toss != secrets.toss:
        raise AuditFailed("the half of the toss doesn't come from the disclosed seed")
    if record.key is None:
        return secrets
    if secrets.public_key != record.key:
        raise AuditFailed("the hand key doesn't come from the disclosed seed")
    if record.deal is not None and record.joint_key is not None:
        before = record.deal.before
        expected = secrets.deal_shuffle(record.joint_key, before).apply(record.joint_key, before)
        _compare(expected, record.deal.after, "the shuffle of the deck")
    for number, riffle in enumerate(record.riffles):
        expected = secrets.riffle(riffle.before).apply_own(secrets.key, riffle.before)
        _compare(expected, riffle.after, f"riffle {number + 1} of the hand")
    for given in record.shares:
        if b"".join((secrets.key * card.c1).encoded for card in given.cards) != given.shares:
            raise AuditFailed("a share doesn't come from the disclosed seed")
    points = card_points()
    for opening in record.openings:
        if [card.unmask(secrets.key) for card in opening.cards] != [
            points[card] for card in opening.shown
        ]:
            raise AuditFailed("an opened card doesn't match the disclosed seed")
    return secrets


def _compare(expected: Sequence[Ciphertext], actual: Sequence[Ciphertext], what: str) -> None:
    if tuple(expected) != tuple(actual):
        raise AuditFailed(f"{what} doesn't come from the disclosed seed")
