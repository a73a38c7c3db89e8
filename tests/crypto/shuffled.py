"""Proven shuffles of every kind, for the tests of the shuffle argument."""

from dataclasses import dataclass, replace
from functools import cache

from protocol.crypto import shuffle
from protocol.crypto.elgamal import Ciphertext
from protocol.crypto.group import IDENTITY, Element, base_multiple
from protocol.crypto.hashing import Transcript, expand_permutation, expand_scalars, hash_to_group
from protocol.deck.state import ProofContext

SEED = b"\x11" * 32
SECRET = 2**201 + 6789  # a secret of the shuffler
JOINT_KEY = base_multiple(SECRET) + base_multiple(2**199 + 4321)
CONTEXT = ProofContext(b"\x01" * 32, 17, b"\x02" * 32, 3, 1)
OTHER_CONTEXTS = {
    "table": replace(CONTEXT, table=b"\x03" * 32),
    "sequence": replace(CONTEXT, sequence=18),
    "previous": replace(CONTEXT, previous=b"\x03" * 32),
    "hand": replace(CONTEXT, hand=4),
    "seat": replace(CONTEXT, seat=0),
}
POINT = hash_to_group(b"no card", b"test")

KINDS = ("open", "masked", "own")
"""A shuffle of the open deck or a masked deck under the joint key, or of a hand under its owner's
key."""


@dataclass(frozen=True)
class Shuffled:
    """A statement, its witness, and an honest argument for it."""

    key: Element
    before: tuple[Ciphertext, ...]
    after: tuple[Ciphertext, ...]
    witness: shuffle.Shuffle
    argument: shuffle.ShuffleArgument

    @property
    def n(self) -> int:
        return len(self.before)

    def verify(self, transcript: Transcript | None = None) -> None:
        shuffle.verify(
            transcript or CONTEXT.transcript("shuffle"),
            self.key,
            self.before,
            self.after,
            self.argument,
        )


class Recording(Transcript):
    """A transcript that remembers its fields, in order."""

    __slots__ = ("said",)

    def __init__(self, label):
        super().__init__(label)
        self.said = []

    def append(self, label, data):
        self.said.append((label, data))
        super().append(label, data)


def deck_of(n: int) -> tuple[Ciphertext, ...]:
    """Return n open cards."""
    return tuple(Ciphertext(IDENTITY, hash_to_group(bytes([i]), b"test card")) for i in range(n))


def masked_deck(n: int, key: Element) -> tuple[Ciphertext, ...]:
    """Return n cards that somebody else has masked."""
    return tuple(
        card.remask(key, blinding)
        for card, blinding in zip(deck_of(n), expand_scalars(b"\x22" * 32, "mask", n), strict=True)
    )


def witness_for(n: int) -> shuffle.Shuffle:
    return shuffle.Shuffle(
        expand_permutation(SEED, "permutation", n), expand_scalars(SEED, "blinding", n)
    )


def prove(key, before, after, witness, context=CONTEXT):
    return shuffle.prove(context.transcript("shuffle"), key, before, after, witness)


@cache
def shuffled(n: int, kind: str) -> Shuffled:
    """Return an honestly proven shuffle of n cards."""
    witness = witness_for(n)
    if kind == "own":
        key = base_multiple(SECRET)
        before = masked_deck(n, key)
    else:
        key = JOINT_KEY
        before = deck_of(n) if kind == "open" else masked_deck(n, key)
    after = witness.apply(key, before)
    return Shuffled(key, before, after, witness, prove(key, before, after, witness))
