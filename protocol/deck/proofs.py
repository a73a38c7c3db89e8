"""When proofs are verified: each one as its entry arrives, or those of many entries together.

What an entry does to the deck doesn't depend on its proofs, only on whether they are valid. So
a reader of a whole log may first apply many entries, and then verify all their proofs. That takes
half the multiplications, and several processes can share the work.

Nothing counts as proven until `verify` has returned, in every process. It doesn't say which proof
is invalid: if it raises, the same entries are verified again, one by one. (Only the proof that a
player has a hand key is always verified at once.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from protocol.crypto import shuffle
from protocol.crypto.elgamal import Ciphertext
from protocol.crypto.errors import BadProof
from protocol.crypto.group import Element, multi_multiply
from protocol.crypto.hashing import Transcript

if TYPE_CHECKING:
    from protocol.deck.audit import Disclosed

Statement = tuple[
    Transcript, Element, Sequence[Ciphertext], Sequence[Ciphertext], shuffle.ShuffleArgument
]
"""A shuffle argument and everything that it is about, as `shuffle.verify` takes them."""


class Proofs:
    """Proofs that are verified at once. All methods raise ProofError."""

    known_signer = False
    """Whether an entry counts as signed by the player who owes it: its signature has been verified
    before, or is verified elsewhere."""

    def shuffle(self, *statement: *Statement) -> None:
        """Verify a shuffle argument."""
        shuffle.verify(*statement)

    def check(self, verify: Callable[[], object]) -> None:
        """Verify something else. *verify* raises ProofError if it is invalid."""
        verify()

    def audit(self, disclosed: Disclosed) -> None:
        """Audit what a player did in a hand against the disclosed seed."""
        disclosed.audit()


AT_ONCE = Proofs()


class Proven(Proofs):
    """Proofs that this program has verified before. No method does anything."""

    known_signer = True

    def shuffle(self, *statement: *Statement) -> None:
        pass

    def check(self, verify: Callable[[], object]) -> None:
        pass

    def audit(self, disclosed: Disclosed) -> None:
        pass


PROVEN = Proven()


class Audits(Proven):
    """Collects the audits of the hands whose number modulo *of* is *index*. Nothing else is
    verified: that is for other processes."""

    def __init__(self, index: int, of: int) -> None:
        self._index, self._of = index, of
        self._disclosed: dict[int, list[Disclosed]] = {}  # by hand

    def audit(self, disclosed: Disclosed) -> None:
        if disclosed.hand % self._of == self._index:
            self._disclosed.setdefault(disclosed.hand, []).append(disclosed)

    def verify(self) -> None:
        """Make the audits collected so far. Raises ProofError."""
        for first, *others in self._disclosed.values():
            first.audit(*others)


class Batch(Proofs):
    """Collects proofs, to verify them together with some audits."""

    def __init__(self, audits: Audits) -> None:
        self._audits = audits
        self._equations: list[shuffle.Equation] = []
        self._checks: list[Callable[[], object]] = []

    def shuffle(self, *statement: *Statement) -> None:
        self._equations.append(shuffle.equation(*statement))

    def check(self, verify: Callable[[], object]) -> None:
        self._checks.append(verify)

    def audit(self, disclosed: Disclosed) -> None:
        self._audits.audit(disclosed)

    def verify(self) -> None:
        """Verify everything collected so far. Raises ProofError."""
        if not multi_multiply(*shuffle.weighted_sum(self._equations)).is_identity:
            raise BadProof("a shuffle argument is invalid")
        for check in self._checks:
            check()
        self._audits.verify()
