"""When proofs are verified: each one when its entry arrives, or those of many entries together.

Proofs decide only whether an entry is valid, not what it does to the deck. So a reader of a log can
apply many entries first and verify their proofs afterwards. If the seeds of those hands have been
disclosed by then, what they reveal (KnownElements) saves most of the multiplications.

Nothing counts as proven until `Batch.verify` has returned. `verify` doesn't say which proof is
invalid; if it raises, the same entries are verified again, one by one. (The proof that a player
knows the secret of a hand key is always verified immediately.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from protocol.codes import BadProof, ProofError
from protocol.crypto import dleq, shuffle
from protocol.crypto.elgamal import Ciphertext
from protocol.crypto.group import BASE, IDENTITY, ORDER, Element, multi_multiply
from protocol.crypto.hashing import Transcript

if TYPE_CHECKING:
    from protocol.deck.audit import Disclosed


ShuffleStatement = tuple[
    Transcript, Element, Sequence[Ciphertext], Sequence[Ciphertext], shuffle.ShuffleArgument
]
"""The arguments of `shuffle.verify`: a shuffle argument and its statement."""

EqualityStatement = tuple[Transcript, Element, Sequence[Element], Sequence[Element], dleq.Proof]
"""The arguments of `dleq.verify`: a proof of equal discrete logarithms and its statement."""


class Proofs:
    """Verifies each proof immediately. All methods raise ProofError."""

    def shuffle(self, *statement: *ShuffleStatement) -> None:
        shuffle.verify(*statement)

    def equality(self, *statement: *EqualityStatement) -> None:
        dleq.verify(*statement)

    def audit(self, disclosed: Disclosed) -> None:
        disclosed.audit()


AT_ONCE = Proofs()


class Proven(Proofs):
    """Accepts every proof, because this program has verified it before."""

    def shuffle(self, *statement: *ShuffleStatement) -> None:
        pass

    def equality(self, *statement: *EqualityStatement) -> None:
        pass

    def audit(self, disclosed: Disclosed) -> None:
        pass


PROVEN = Proven()


class KnownElements:
    """Computes sums of multiples, faster with each element whose discrete logarithm is known, in
    whole or in part.

    Once both seeds of a hand are disclosed, nearly every element in it is a known multiple of the
    base, or the point of a card plus such a multiple: ``logarithm * BASE + root``. The root of a
    known multiple is the identity, and an unknown element is its own root, with the logarithm 0.
    Multiplying the base is three times as fast as multiplying another element, and in a sum all
    known multiples become one multiplication of the base.

    Every result equals that of ordinary group arithmetic. Every relation is computed here, never
    taken from a player's claim, so no seed can make a false proof valid.
    """

    def __init__(self) -> None:
        self._known = {IDENTITY: (0, IDENTITY), BASE: (1, IDENTITY)}

    def multi_multiply(self, scalars: Iterable[int], elements: Iterable[Element]) -> Element:
        """Return the sum of scalar * element over both sequences, which must be equally long.
        Remember the result if it has the form ``logarithm * BASE + root``."""
        logarithm, root_scalars = 0, dict[Element, int]()
        for scalar, element in zip(scalars, elements, strict=True):
            part, root = self._known.get(element, (0, element))
            logarithm += scalar * part
            if root is not IDENTITY:
                root_scalars[root] = root_scalars.get(root, 0) + scalar
        units = {root: scalar for root, scalar in root_scalars.items() if scalar in (1, -1)}
        others = {root: scalar for root, scalar in root_scalars.items() if root not in units}
        result = multi_multiply((logarithm, *others.values()), (BASE, *others))
        for root, scalar in units.items():
            result = result + root if scalar == 1 else result - root
        if not others and [*units.values()] in ([], [1]):
            root = next(iter(units), IDENTITY)
            self._known[result] = (logarithm % ORDER, root)
        return result


class Audits:
    """The audits of a whole log. All batches share them, because the seeds of a hand may be
    disclosed in a later batch than the one with its proofs."""

    def __init__(self) -> None:
        self._pending: dict[int, list[Disclosed]] = {}  # by hand
        self._passed: set[tuple[int, int]] = set()  # hands and seats

    def add(self, disclosed: Disclosed) -> None:
        self._pending.setdefault(disclosed.hand, []).append(disclosed)

    def run(self, first_hand: int, last_hand: int, known: KnownElements) -> None:
        """Run the pending audits of all hands up to *last_hand*; one that fails doesn't stop the
        others. *known* remembers the elements of the hands from *first_hand* on."""
        for hand in [each for each in self._pending if each <= last_hand]:
            disclosed = self._pending.pop(hand)
            with suppress(ProofError):
                wanted = known if hand >= first_hand else None
                disclosed[0].audit(*disclosed[1:], known=wanted)
                self._passed.update((each.hand, each.seat) for each in disclosed)

    def have_passed(self, all_disclosed: Iterable[Disclosed]) -> bool:
        return all((each.hand, each.seat) in self._passed for each in all_disclosed)


class Batch(Proofs):
    """Collects the proofs of consecutive hands, to verify them together."""

    def __init__(self, audits: Audits, first_hand: int, last_hand: int) -> None:
        """*audits* are shared by all batches of a log. *first_hand* and *last_hand* bound the hands
        that this batch may contain."""
        self.first_hand, self.last_hand = first_hand, last_hand
        self._audits = audits
        self._disclosed: list[Disclosed] = []  # in this batch, for any hand
        self._shuffles: list[ShuffleStatement] = []
        self._equalities: list[EqualityStatement] = []

    def shuffle(self, *statement: *ShuffleStatement) -> None:
        self._shuffles.append(statement)

    def equality(self, *statement: *EqualityStatement) -> None:
        self._equalities.append(statement)

    def audit(self, disclosed: Disclosed) -> None:
        self._disclosed.append(disclosed)
        self._audits.add(disclosed)

    def verify(self) -> None:
        """Verify the collected proofs, with the help of all seeds disclosed so far, and require
        that the audits of this batch have passed. Raises ProofError."""
        known = KnownElements()
        self._audits.run(self.first_hand, self.last_hand, known)
        equations = [shuffle.equation(*statement) for statement in self._shuffles]
        if not known.multi_multiply(*shuffle.weighted_sum(equations)).is_identity:
            raise BadProof("a shuffle argument is invalid")
        for statement in self._equalities:
            dleq.verify(*statement, multi_multiply=known.multi_multiply)
        if not self._audits.have_passed(self._disclosed):
            raise BadProof("an audit has failed")
