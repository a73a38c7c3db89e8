"""When proofs are verified: each one as its entry arrives, or those of many entries together.

What an entry does to the deck doesn't depend on its proofs, only on whether they are valid. So
a reader of a whole log may first apply many entries, and then verify all their proofs. That takes
half the multiplications, and uses all cores: libsodium runs without the interpreter's lock.

Nothing counts as proven until the function that `Batch.begin` returns has returned True. It
doesn't say which proof is invalid: whoever gets False verifies the same entries again, one by
one. (Only the proof that a player has a hand key is always verified at once.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from functools import partial
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

    def shuffle(self, *statement: object) -> None:
        pass

    def check(self, verify: object) -> None:
        pass

    def audit(self, disclosed: object) -> None:
        pass


PROVEN = Proven()


class Batch(Proofs):
    """Proofs that are collected, to be verified together."""

    def __init__(self) -> None:
        self._equations: list[shuffle.Equation] = []
        self._checks: list[Callable[[], object]] = []
        self._disclosed: dict[int, list[Disclosed]] = {}  # by hand

    def shuffle(self, *statement: *Statement) -> None:
        self._equations.append(shuffle.equation(*statement))

    def check(self, verify: Callable[[], object]) -> None:
        self._checks.append(verify)

    def audit(self, disclosed: Disclosed) -> None:
        self._disclosed.setdefault(disclosed.hand, []).append(disclosed)

    def begin(self, pool: Executor) -> Callable[[], bool]:
        """Begin to verify everything collected so far. Return a function that waits for the end and
        returns whether all proofs are valid. Raises RuntimeError if no thread can be started."""
        jobs = [self._check_shuffles, *self._checks]
        jobs += [partial(first.audit, *others) for first, *others in self._disclosed.values()]
        checks = [pool.submit(job) for job in jobs]
        # Any exception means False: the same entries are then verified one by one, which raises it
        # again.
        return lambda: all(check.exception() is None for check in checks)

    def _check_shuffles(self) -> None:
        if not multi_multiply(*shuffle.weighted_sum(self._equations)).is_identity:
            raise BadProof("a shuffle argument is invalid")
