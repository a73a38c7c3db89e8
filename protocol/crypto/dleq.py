"""Prove that discrete logarithms are equal, for one pair or many (Chaum-Pedersen; PROTOCOL 5.4).

Statement: A, B and pairs (C_i, D_i). Witness: k with B = k*A and D_i = k*C_i for all i.
The letters, the batching and the form of the proof (challenge, response) are those of
RFC 9497 section 2.2: many pairs are folded into one, M = sum w_i*C_i and
Z = sum w_i*D_i, with weights w_i hashed from all of them. If some D_i were wrong,
Z = k*M would hold for at most one in ORDER weights.

Only the hash differs from the RFC: our challenges come from a transcript that contains
the table, the position in the log and the purpose of the proof. The algebra (`respond`,
`recompute`) takes the challenge as a function, so the RFC's own vectors test the same code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from protocol.codes import BadLength, BadProof
from protocol.crypto.group import (
    BASE,
    ORDER,
    SCALAR_BYTES,
    Element,
    base_multiple,
    decode_scalar,
    encode_scalar,
    multi_multiply,
)
from protocol.crypto.hashing import Nonces, Transcript

PROOF_BYTES = 2 * SCALAR_BYTES

Challenge = Callable[[Element, Element], int]
"""Computes the challenge scalar from the two commitments t2 and t3 of RFC 9497."""


MultiMultiply = Callable[[Sequence[int], Sequence[Element]], Element]
"""Returns the sum of scalar * element over both sequences."""


@dataclass(frozen=True, slots=True)
class Proof:
    """A proof of equality: ``challenge`` and ``response``, 64 bytes together."""

    challenge: int
    response: int

    @property
    def encoded(self) -> bytes:
        return encode_scalar(self.challenge) + encode_scalar(self.response)

    @classmethod
    def decode(cls, data: bytes) -> Proof:
        """Return the proof, strictly decoded: 64 bytes, both scalars below ORDER."""
        if len(data) != PROOF_BYTES:
            raise BadLength(f"the proof has {len(data)} bytes, not {PROOF_BYTES}")
        return cls(decode_scalar(data[:SCALAR_BYTES]), decode_scalar(data[SCALAR_BYTES:]))


def respond(k: int, M: Element, r: int, challenge: Challenge) -> Proof:
    """Prover, RFC 9497 2.2.1 with A = BASE: t2 = r*A, t3 = r*M, s = r - c*k."""
    c = challenge(base_multiple(r), r * M)
    return Proof(c, (r - c * k) % ORDER)


def recompute(
    B: Element,
    M: Element,
    Z: Element,
    proof: Proof,
    challenge: Challenge,
    multi_multiply: MultiMultiply = multi_multiply,
) -> bool:
    """Verifier, RFC 9497 2.2.2 with A = BASE: do t2 = s*A + c*B and t3 = s*M + c*Z give c?"""
    s, c = proof.response, proof.challenge
    t2 = multi_multiply((s, c), (BASE, B))
    t3 = multi_multiply((s, c), (M, Z))
    return challenge(t2, t3) == c


def _statement_weights(
    transcript: Transcript, key: Element, bases: Sequence[Element], images: Sequence[Element]
) -> tuple[int, ...]:
    """Append the statement; return the weights that fold its pairs into one."""
    if not bases or len(bases) != len(images):
        raise ValueError("a DLEQ statement needs as many images as bases, and at least one")
    transcript.append_elements("key", (key,))
    transcript.append_elements("bases", bases)
    transcript.append_elements("images", images)
    if len(bases) == 1:
        return (1,)
    return transcript.challenges("weight", len(bases))


def _challenge(transcript: Transcript) -> Challenge:
    def hashed(t2: Element, t3: Element) -> int:
        transcript.append_elements("commitments", (t2, t3))
        return transcript.challenge("dleq")

    return hashed


def prove(
    transcript: Transcript,
    secret: int,
    key: Element,
    bases: Sequence[Element],
    images: Sequence[Element],
) -> Proof:
    """Prover: prove that ``key = secret*BASE`` and ``images[i] = secret*bases[i]``."""
    weights = _statement_weights(transcript, key, bases, images)
    nonces = Nonces(encode_scalar(secret), transcript)
    M = bases[0] if weights == (1,) else multi_multiply(weights, bases)
    return respond(secret, M, nonces.scalar(), _challenge(transcript))


def verify(
    transcript: Transcript,
    key: Element,
    bases: Sequence[Element],
    images: Sequence[Element],
    proof: Proof,
    multi_multiply: MultiMultiply = multi_multiply,
) -> None:
    """Verifier: raise BadProof unless one secret links the key and every pair. *multi_multiply*
    may be a faster equivalent of `group.multi_multiply`, such as `KnownElements.multi_multiply`."""
    weights = _statement_weights(transcript, key, bases, images)
    if weights == (1,):
        M, Z = bases[0], images[0]
    else:
        M, Z = multi_multiply(weights, bases), multi_multiply(weights, images)
    if not recompute(key, M, Z, proof, _challenge(transcript), multi_multiply):
        raise BadProof("the proof of equal discrete logarithms is invalid")


def prove_possession(transcript: Transcript, secret: int, key: Element) -> Proof:
    """Prover: prove knowledge of ``secret``, where ``key = secret*BASE`` (Schnorr; PROTOCOL 5.6).

    Without this proof, a player could choose a key that cancels the opponent's (rogue key).
    """
    transcript.append_elements("key", (key,))
    r = Nonces(encode_scalar(secret), transcript).scalar()
    transcript.append_elements("commitment", (base_multiple(r),))
    c = transcript.challenge("possession")
    return Proof(c, (r - c * secret) % ORDER)


def verify_possession(transcript: Transcript, key: Element, proof: Proof) -> None:
    """Verifier: raise BadProof unless the prover knew the key's discrete logarithm."""
    transcript.append_elements("key", (key,))
    commitment = multi_multiply((proof.response, proof.challenge), (BASE, key))
    transcript.append_elements("commitment", (commitment,))
    if transcript.challenge("possession") != proof.challenge:
        raise BadProof("the proof of possession of the hand key is invalid")
