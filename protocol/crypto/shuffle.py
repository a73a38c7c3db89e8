"""The shuffle argument (PROTOCOL 5.5), and the commitments that it uses (4.4).

Bayer and Groth, "Efficient Zero-Knowledge Argument for Correctness of a Shuffle",
EUROCRYPT 2012, with one row (m = 1) and made non-interactive by a transcript.

Statement  key Y, ciphertexts C_1 .. C_n and C'_1 .. C'_n
Witness    permutation p, blindings rho:  C'_i = C_p(i) + (rho_i*B, rho_i*Y)

Pedersen commitments to vectors: com(a_1 .. a_n; r) = r*B + a_1*G_1 + ... + a_n*G_n. The G_i are
hashed to the group under their own label, so nobody knows a relation among them and B; two
openings of one commitment would be such a relation. They are computed here, never received.

Section 4 of the paper reduces the shuffle to two arguments about a committed vector:
  c_A = com(p(1) .. p(n); r)                     challenge x
  c_B = com(b_1 .. b_n; s), b_i = x**p(i)        challenges y, z
  product (section 5.3):  a_i = y*p(i) + b_i - z, committed in c_a = y*c_A + c_B - z*sum G_i,
      multiply to P = prod (y*i + x**i - z). Two polynomials in z with the same value at a
      random z are equal, so the pairs (p(i), b_i) are the pairs (i, x**i) in some order.
  multi-exponentiation (section 4.1):  sum x**i*C_i = (rho*B, rho*Y) + sum b_i*C'_i,
      rho = -sum b_i*rho_i.

With one row the paper's multi-exponentiation argument has a single commitment pair
c_B0, b_0 that hides nothing (E_0 is already uniform, because a_0 and tau_0 are). We omit
it, which leaves the plain three-move proof for a linear map. Both arguments answer the
same last challenge.

The single value product argument (section 5.3), in the paper's letters:
  b_i = a_1 * ... * a_i;  d_i, delta_i random, delta_1 = d_1, delta_n = 0
  c_d = com(d; r_d)
  c_delta = com(-delta_1*d_2 .. -delta_(n-1)*d_n; s_1)
  c_Delta = com(delta_2 - a_2*delta_1 - b_1*d_2 .. ; s_x)
  answers a~_i = e*a_i + d_i, b~_i = e*b_i + delta_i, r~, s~      (e: the last challenge)

The verifier has five equations between group elements. Each is multiplied by a weight
hashed from the whole proof, and the sum is tested once: the 5n multiplications that
remain are those by 5n different points, and a false equation survives with probability
1/ORDER. (Rejected: random weights from the verifier's machine. They would work, but then
two honest verifiers would compute different things.)

The equations of several arguments can be tested together in the same way (`weighted_sum`). Once
equal elements are merged (protocol.deck.proofs.KnownElements), that takes little more than half the
multiplications: most cards after one riffle are also those before the next, and all arguments
share the generators. A false argument among them survives with probability 1/ORDER.

The argument is sound under the discrete logarithm assumption in the random oracle model. A
prover who doesn't know a relation among the generators fails except with probability
(3n + 1)/ORDER per attempt: for n values of x, n of the pairs y and z, n of e (a polynomial of
degree n in each), and one of a weight; less than 2**-244 for 52 cards. PROTOCOL 14.3 derives
this bound. PROTOCOL 14.4 shows that the blindings are extracted with the permutation: this is
an argument of knowledge, as it has to be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate, islice

from protocol.codes import BadLength, BadProof
from protocol.crypto.elgamal import Ciphertext, decode_elements
from protocol.crypto.group import (
    BASE,
    ELEMENT_BYTES,
    ORDER,
    SCALAR_BYTES,
    Element,
    base_multiple,
    decode_scalar,
    encode_scalar,
    multi_multiply,
)
from protocol.crypto.hashing import Nonces, Transcript, hash_to_group

GENERATOR_LABEL = b"ginpeer/v1/generator"


@cache
def generators(n: int) -> tuple[Element, ...]:
    """Return G_1 .. G_n; G_i = hash_to_group(i as 4 bytes big endian, GENERATOR_LABEL)."""
    return tuple(hash_to_group(i.to_bytes(4, "big"), GENERATOR_LABEL) for i in range(1, n + 1))


def commit(values: Sequence[int], blinding: int) -> Element:
    """Return com(values; blinding), for scalars in [0, ORDER)."""
    return base_multiple(blinding) + multi_multiply(values, generators(len(values)))


_ELEMENTS = 8


def argument_bytes(n: int) -> int:
    """Return the length of an argument for n ciphertexts: 8 elements and 3n + 2 scalars."""
    return _ELEMENTS * ELEMENT_BYTES + (3 * n + 2) * SCALAR_BYTES


@dataclass(frozen=True, slots=True)
class Shuffle:
    """The witness: ``result[i] = cards[permutation[i]]`` masked again with ``blindings[i]``."""

    permutation: tuple[int, ...] = field(repr=False)
    blindings: tuple[int, ...] = field(repr=False)

    @property
    def encoded(self) -> bytes:
        """The whole witness as bytes, from which the argument's nonces derive. Never sent."""
        return bytes(self.permutation) + b"".join(map(encode_scalar, self.blindings))

    def apply(self, key: Element, cards: Sequence[Ciphertext]) -> tuple[Ciphertext, ...]:
        """Return the cards, shuffled under a key whose secret the shuffler needn't know."""
        return tuple(
            cards[j].remask(key, blinding)
            for j, blinding in zip(self.permutation, self.blindings, strict=True)
        )


@dataclass(frozen=True, slots=True)
class ShuffleArgument:
    """The proof, in the order of its bytes: the paper's c_A, c_B, c_d, c_delta, c_Delta,
    c_A0 and E_0, then the answers."""

    c_A: Element
    c_B: Element
    c_d: Element
    c_delta: Element
    c_Delta: Element
    c_A0: Element
    E_0: Ciphertext
    a_tilde: tuple[int, ...]  # n
    b_tilde: tuple[int, ...]  # n - 2: without the first, a_tilde[0], and the last, e*P
    r_tilde: int
    s_tilde: int
    a: tuple[int, ...]  # n
    r: int
    tau: int

    @property
    def encoded(self) -> bytes:
        scalars = (*self.a_tilde, *self.b_tilde, self.r_tilde, self.s_tilde)
        return b"".join(element.encoded for element in self.commitments) + b"".join(
            encode_scalar(scalar) for scalar in (*scalars, *self.a, self.r, self.tau)
        )

    @property
    def commitments(self) -> tuple[Element, ...]:
        halves = self.E_0.c1, self.E_0.c2
        return (self.c_A, self.c_B, self.c_d, self.c_delta, self.c_Delta, self.c_A0, *halves)

    @classmethod
    def decode(cls, data: bytes, n: int) -> ShuffleArgument:
        """Return the argument, strictly decoded: exact length, strict elements, scalars below
        ORDER. This is the one door for arguments."""
        if len(data) != argument_bytes(n):
            raise BadLength(
                f"a shuffle argument for {n} cards has {argument_bytes(n)} bytes, not {len(data)}"
            )
        split = _ELEMENTS * ELEMENT_BYTES
        c_A, c_B, c_d, c_delta, c_Delta, c_A0, e_1, e_2 = decode_elements(data[:split], _ELEMENTS)
        scalars = (
            decode_scalar(data[at : at + SCALAR_BYTES])
            for at in range(split, len(data), SCALAR_BYTES)
        )

        def take(count: int) -> tuple[int, ...]:
            return tuple(islice(scalars, count))

        return cls(
            c_A,
            c_B,
            c_d,
            c_delta,
            c_Delta,
            c_A0,
            Ciphertext(e_1, e_2),
            a_tilde=take(n),
            b_tilde=take(n - 2),
            r_tilde=next(scalars),
            s_tilde=next(scalars),
            a=take(n),
            r=next(scalars),
            tau=next(scalars),
        )


def _append_statement(
    transcript: Transcript, key: Element, before: Sequence[Ciphertext], after: Sequence[Ciphertext]
) -> int:
    n = len(before)
    if n < 2 or len(after) != n:
        raise ValueError("a shuffle has as many cards after as before, and at least two")
    transcript.append_number("n", n)
    transcript.append_elements("key", (key,))
    transcript.append("before", b"".join(c.encoded for c in before))
    transcript.append("after", b"".join(c.encoded for c in after))
    return n


def _powers(x: int, n: int) -> list[int]:
    return list(accumulate([x] * n, lambda a, b: a * b % ORDER))


def prove(
    transcript: Transcript,
    key: Element,
    before: Sequence[Ciphertext],
    after: Sequence[Ciphertext],
    witness: Shuffle,
) -> ShuffleArgument:
    """Prover: prove that ``after`` is a shuffle of ``before``: ``witness.apply(key, before)``."""
    n = _append_statement(transcript, key, before, after)
    nonce = Nonces(witness.encoded, transcript)
    p = [i + 1 for i in witness.permutation]  # the paper counts from one
    rho = witness.blindings

    r_A = nonce.scalar()
    c_A = commit(p, r_A)
    transcript.append_elements("c_A", (c_A,))
    x = transcript.challenge("x")
    powers = _powers(x, n)

    b = [powers[i - 1] for i in p]
    s_B = nonce.scalar()
    c_B = commit(b, s_B)
    transcript.append_elements("c_B", (c_B,))
    y, z = transcript.challenge("y"), transcript.challenge("z")

    # Section 5.3: a product of committed values. Lists count from zero here.
    a = [(y * p_i + b_i - z) % ORDER for p_i, b_i in zip(p, b, strict=True)]
    r_a = (y * r_A + s_B) % ORDER
    products = list(accumulate(a, lambda u, v: u * v % ORDER))
    d = nonce.scalars(n)
    delta = [d[0], *nonce.scalars(n - 2), 0]
    r_d, s_1, s_x = nonce.scalars(3)
    c_d = commit(d, r_d)
    c_delta = commit([-delta[i] * d[i + 1] % ORDER for i in range(n - 1)], s_1)
    c_Delta = commit(
        [
            (delta[i + 1] - a[i + 1] * delta[i] - products[i] * d[i + 1]) % ORDER
            for i in range(n - 1)
        ],
        s_x,
    )

    # Section 4.1 with m = 1: sum x**i*C_i is a combination of the C'_i by the committed b.
    a_0 = nonce.scalars(n)
    r_0, tau_0 = nonce.scalars(2)
    c_A0 = commit(a_0, r_0)
    E_0 = Ciphertext(
        base_multiple(tau_0) + multi_multiply(a_0, [card.c1 for card in after]),
        tau_0 * key + multi_multiply(a_0, [card.c2 for card in after]),
    )

    argument_commitments = (c_d, c_delta, c_Delta, c_A0, E_0.c1, E_0.c2)
    transcript.append_elements("commitments", argument_commitments)
    e = transcript.challenge("e")

    rho_target = -sum(b_i * rho_i for b_i, rho_i in zip(b, rho, strict=True))
    return ShuffleArgument(
        c_A,
        c_B,
        c_d,
        c_delta,
        c_Delta,
        c_A0,
        E_0,
        a_tilde=tuple((e * a_i + d_i) % ORDER for a_i, d_i in zip(a, d, strict=True)),
        b_tilde=tuple((e * products[i] + delta[i]) % ORDER for i in range(1, n - 1)),
        r_tilde=(e * r_a + r_d) % ORDER,
        s_tilde=(e * s_x + s_1) % ORDER,
        a=tuple((a_0_i + e * b_i) % ORDER for a_0_i, b_i in zip(a_0, b, strict=True)),
        r=(r_0 + e * s_B) % ORDER,
        tau=(tau_0 + e * rho_target) % ORDER,
    )


@dataclass(frozen=True, slots=True)
class Equation:
    """What an argument claims, as one equation: the sum of ``scalars[i] * elements[i]`` is the
    identity."""

    scalars: tuple[int, ...]
    elements: tuple[Element, ...]
    digest: bytes  # 64 bytes that identify the statement and the argument


def verify(
    transcript: Transcript,
    key: Element,
    before: Sequence[Ciphertext],
    after: Sequence[Ciphertext],
    argument: ShuffleArgument,
) -> None:
    """Verifier: raise BadProof unless ``after`` has the cards of ``before``, each once."""
    checked = equation(transcript, key, before, after, argument)
    if not multi_multiply(checked.scalars, checked.elements).is_identity:
        raise BadProof("the shuffle argument is invalid")


def weighted_sum(equations: Sequence[Equation]) -> tuple[list[int], list[Element]]:
    """Return scalars and elements whose products add up to the identity if all equations hold, and
    otherwise only with probability 1/ORDER. An element may occur more than once."""
    transcript = Transcript("batch")
    for each in equations:
        transcript.append("argument", each.digest)
    weights = transcript.challenges("weight", len(equations))
    scalars: list[int] = []
    elements: list[Element] = []
    for weight, each in zip(weights, equations, strict=True):
        scalars.extend(weight * scalar for scalar in each.scalars)
        elements.extend(each.elements)
    return scalars, elements


def equation(
    transcript: Transcript,
    key: Element,
    before: Sequence[Ciphertext],
    after: Sequence[Ciphertext],
    argument: ShuffleArgument,
) -> Equation:
    """Verifier: return the equation that holds if ``after`` has the cards of ``before``, each once.
    Raises BadProof if the argument is for a different number of cards."""
    n = _append_statement(transcript, key, before, after)
    if len(argument.a_tilde) != n or len(argument.a) != n or len(argument.b_tilde) != n - 2:
        raise BadProof("the shuffle argument is for a different number of cards")
    transcript.append_elements("c_A", (argument.c_A,))
    x = transcript.challenge("x")
    powers = _powers(x, n)
    transcript.append_elements("c_B", (argument.c_B,))
    y, z = transcript.challenge("y"), transcript.challenge("z")
    transcript.append_elements("commitments", argument.commitments[2:])
    e = transcript.challenge("e")

    product = 1
    for i, power in enumerate(powers, start=1):
        product = product * (y * i + power - z) % ORDER
    a_tilde = argument.a_tilde
    b_tilde = (a_tilde[0], *argument.b_tilde, e * product % ORDER)

    # The five equations, each "left - right = 0", get the weights 1, u, v, s, t:
    #   1: com(a~; r~)                                  = e*c_a + c_d
    #   u: com(e*b~_(i+1) - b~_i*a~_(i+1) ..; s~)       = e*c_Delta + c_delta
    #   v: com(a; r)                                    = c_A0 + e*c_B
    #   s: tau*B + sum a_i*C'_i.c1                      = E_0.c1 + e*sum x**i*C_i.c1
    #   t: tau*Y + sum a_i*C'_i.c2                      = E_0.c2 + e*sum x**i*C_i.c2
    transcript.append("answers", argument.encoded[_ELEMENTS * ELEMENT_BYTES :])
    u, v, s, t = transcript.challenges("weight", 4)

    scalars: list[int] = []
    points: list[Element] = []
    for i in range(n):
        of_generator = a_tilde[i] + e * z + v * argument.a[i]
        if i < n - 1:
            of_generator += u * (e * b_tilde[i + 1] - b_tilde[i] * a_tilde[i + 1])
        scalars.append(of_generator % ORDER)
    points.extend(generators(n))
    for weight, new, old in (
        (s, [card.c1 for card in after], [card.c1 for card in before]),
        (t, [card.c2 for card in after], [card.c2 for card in before]),
    ):
        scalars.extend(weight * a_i % ORDER for a_i in argument.a)
        points.extend(new)
        scalars.extend(-weight * e * power % ORDER for power in powers)
        points.extend(old)
    scalars.extend(
        scalar % ORDER
        for scalar in (
            -e * y,
            -e - v * e,
            -1,
            -u,
            -u * e,
            -v,
            -s,
            -t,
            t * argument.tau,
            argument.r_tilde + u * argument.s_tilde + v * argument.r + s * argument.tau,
        )
    )
    points.extend((*argument.commitments, key, BASE))
    return Equation(tuple(scalars), tuple(points), transcript.digest())
