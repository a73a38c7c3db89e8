"""A second way to the same verdict: recompute everything that a seed determines (PROTOCOL 6.8).

The audit checks no proofs. From a disclosed seed it recomputes the player's key, half of the toss
and masked deck, every riffle and every share, and compares the bytes. It also opens all cards that
the player ever held in the hand. A difference means that the player didn't do what the seed says,
although the player committed to the seed before the deal.
"""

from __future__ import annotations

from dataclasses import dataclass

from protocol.codes import ProofError
from protocol.crypto.elgamal import Ciphertext
from protocol.crypto.group import BASE, Element
from protocol.crypto.shuffle import Shuffle
from protocol.deck.proofs import KnownElements
from protocol.deck.secrets import HandSecrets, seed_commitment, toss_commitment
from protocol.deck.state import card_points, open_deck


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
    """What one player published in one hand, as far as the seed determines it. Fields that the hand
    didn't reach because of a resignation are None or empty."""

    commitment: bytes
    key: Element | None = None
    joint_key: Element | None = None
    deal: ShuffleRecord | None = None
    riffles: tuple[ShuffleRecord, ...] = ()
    shares: tuple[ShareRecord, ...] = ()
    openings: tuple[OpeningRecord, ...] = ()
    toss_commitment: bytes = b""
    toss: bytes = b""
    """The non-dealer's half of the toss for the knock card. For the dealer's half, only the
    commitment is recorded."""


@dataclass(frozen=True, slots=True)
class Disclosed:
    """A seed that a player disclosed, and what that player did in the hand."""

    table: bytes
    hand: int
    seat: int
    record: PlayerRecord
    seed: bytes

    def check_seed(self) -> None:
        """Raise SeedMismatch unless the seed fits its commitment. If several seeds are disclosed
        together, check all of them before auditing the first: a hash takes microseconds, an audit
        at least ten milliseconds."""
        commitment = seed_commitment(self.table, self.hand, self.seat, self.seed)
        if commitment != self.record.commitment:
            raise SeedMismatch("the disclosed seed doesn't match its commitment")

    def audit(self, *others: Disclosed, known: KnownElements | None = None) -> None:
        """Check what this player did in the hand, and what the other player did if their seed is
        in *others*. Raises SeedMismatch or AuditFailed.

        Auditing both players together takes two thirds of the time of two audits, because the
        logarithms of most elements are then known. It recomputes and compares the same bytes as
        two audits would. If *known* is given, the elements of this hand are added to it.
        """
        known = KnownElements() if known is None else known
        checked = [(each.record, _check_start(each)) for each in (self, *others)]
        checked = [(record, secrets) for record, secrets in checked if record.key is not None]
        for _, secrets in checked:
            known.multi_multiply((secrets.key,), (BASE,))
        if len(checked) == 2:  # the joint key
            known.multi_multiply((sum(secrets.key for _, secrets in checked),), (BASE,))
        # The dealer's shuffle, of the open deck, comes first: the other one continues from it.
        checked.sort(key=lambda each: each[0].deal is None or each[0].deal.before != open_deck())
        for record, secrets in checked:
            _check_deal(record, secrets, known)
        # Shares come before riffles: a player riffles cards without the other player's mask.
        for record, secrets in checked:
            _check_shares(record, secrets, known)
        for record, secrets in checked:
            _check_play(record, secrets, known)


def _check_start(disclosed: Disclosed) -> HandSecrets:
    """Check the commitments, the half of the toss and the key, as far as the hand got. Return the
    player's secrets."""
    disclosed.check_seed()
    record, secrets = disclosed.record, HandSecrets(disclosed.seed)
    commitment = toss_commitment(disclosed.table, disclosed.hand, secrets.toss)
    if record.toss_commitment not in (b"", commitment) or record.toss not in (b"", secrets.toss):
        raise AuditFailed("the half of the toss doesn't come from the disclosed seed")
    if record.key not in (None, secrets.public_key):
        raise AuditFailed("the hand key doesn't come from the disclosed seed")
    return secrets


def _check_deal(record: PlayerRecord, secrets: HandSecrets, known: KnownElements) -> None:
    deal, key = record.deal, record.joint_key
    if deal is not None and key is not None:
        witness = secrets.deal_shuffle(key, deal.before)
        _check_shuffle(deal, witness, key, known, "the shuffle of the deck")


def _check_shares(record: PlayerRecord, secrets: HandSecrets, known: KnownElements) -> None:
    for given in record.shares:
        shares = [known.multi_multiply((secrets.key,), (card.c1,)) for card in given.cards]
        if b"".join(share.encoded for share in shares) != given.shares:
            raise AuditFailed("a share doesn't come from the disclosed seed")
        for card, share in zip(given.cards, shares, strict=True):
            # Computed only to be remembered, for the other player's riffles.
            known.multi_multiply((1, -1), (card.c2, share))


def _check_play(record: PlayerRecord, secrets: HandSecrets, known: KnownElements) -> None:
    key = secrets.public_key
    for number, riffle in enumerate(record.riffles, start=1):
        witness = secrets.riffle(riffle.before)
        _check_shuffle(riffle, witness, key, known, f"riffle {number} of the hand")
    points = card_points()
    for opening in record.openings:
        shares = [known.multi_multiply((secrets.key,), (card.c1,)) for card in opening.cards]
        opened = [card.c2 - share for card, share in zip(opening.cards, shares, strict=True)]
        if opened != [points[card] for card in opening.shown]:
            raise AuditFailed("an opened card doesn't match the disclosed seed")


def _check_shuffle(
    record: ShuffleRecord, witness: Shuffle, key: Element, known: KnownElements, what: str
) -> None:
    """Compare the record with ``witness.apply(key, record.before)``. Add the elements to *known*.
    Raises AuditFailed."""
    cards = record.before
    expected = tuple(
        Ciphertext(
            known.multi_multiply((1, blinding), (cards[j].c1, BASE)),
            known.multi_multiply((1, blinding), (cards[j].c2, key)),
        )
        for j, blinding in zip(witness.permutation, witness.blindings, strict=True)
    )
    if expected != record.after:
        raise AuditFailed(f"{what} doesn't come from the disclosed seed")
