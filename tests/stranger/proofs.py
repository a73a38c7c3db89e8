"""Hashes, transcripts, proofs and seeds (PROTOCOL 5, 6.2)."""

import hmac
from collections.abc import Sequence
from hashlib import sha256, sha512
from typing import NamedTuple

from .group import (
    IDENTITY,
    B,
    L,
    Point,
    add,
    combine,
    decode,
    encode,
    equal,
    hash_to_group,
    is_identity,
)
from .refusal import require

DOMAIN = "ginpeer/v1"
CARDS = [hash_to_group(bytes([i]), b"ginpeer/v1/card") for i in range(52)]

Ciphertext = tuple[Point, Point]
OPEN_DECK: list[Ciphertext] = [(IDENTITY, card) for card in CARDS]


def generator(i: int) -> Point:
    """Return G_i of the vector commitments (PROTOCOL 4.4)."""
    return hash_to_group(i.to_bytes(4, "big"), b"ginpeer/v1/generator")


# ---------------------------------------------------------------- hashes and transcripts


def u64(number: int) -> bytes:
    return number.to_bytes(8, "big")


def frame(label: str, data: bytes | str) -> bytes:
    """Frame data with a label (PROTOCOL 5.1)."""
    raw = data.encode() if isinstance(data, str) else data
    return bytes([len(label)]) + label.encode() + len(raw).to_bytes(4, "big") + raw


def digest(label: str, **fields: bytes) -> bytes:
    """Return H of PROTOCOL 5.2."""
    framed = b"".join(frame(name, data) for name, data in fields.items())
    return sha256(frame(DOMAIN, label) + framed).digest()


class Place(NamedTuple):
    """An entry's place in the log, to which its proofs are bound (PROTOCOL 5.3)."""

    table: bytes
    sequence: int
    previous: bytes
    hand: int
    seat: int


class Transcript:
    """A transcript (PROTOCOL 5.3)."""

    def __init__(self, purpose: str, place: Place):
        self._data = frame(DOMAIN, purpose)
        for name, value in place._asdict().items():
            self.append(name, value if isinstance(value, bytes) else u64(value))

    def append(self, name: str, data: bytes) -> None:
        self._data += frame(name, data)

    def challenge(self, label: str) -> int:
        self._data += frame("challenge", label)
        return int.from_bytes(sha512(self._data).digest(), "little") % L


# ---------------------------------------------------------------- encodings


def split(data: bytes, count: int) -> list[bytes]:
    """Split *data* into exactly *count* strings of 32 bytes. Raises Refusal."""
    require(len(data) == 32 * count, "bad-length")
    return [data[i : i + 32] for i in range(0, len(data), 32)]


def read_elements(data: bytes, count: int) -> list[Point]:
    return [decode(part) for part in split(data, count)]


def read_scalars(data: bytes, count: int) -> list[int]:
    scalars = [int.from_bytes(part, "little") for part in split(data, count)]
    require(all(scalar < L for scalar in scalars), "bad-encoding")
    return scalars


def read_ciphertexts(data: bytes, count: int) -> list[Ciphertext]:
    elements = read_elements(data, 2 * count)
    return list(zip(elements[::2], elements[1::2], strict=True))


class Argument(NamedTuple):
    """The argument of a shuffle [5.5]: its bytes, its 8 elements, its 3n + 2 scalars."""

    data: bytes
    elements: list[Point]
    answers: list[int]


def read_argument(data: bytes, n: int) -> Argument:
    require(len(data) == 32 * (8 + 3 * n + 2), "bad-length")
    return Argument(data, read_elements(data[:256], 8), read_scalars(data[256:], 3 * n + 2))


def read_proof(data: bytes) -> list[int]:
    """Return the scalars c and s of a proof (5.4, 5.6)."""
    return read_scalars(data, 2)


def encode_all(elements: Sequence[Point]) -> bytes:
    return b"".join(map(encode, elements))


def encode_ciphertexts(ciphertexts: Sequence[Ciphertext]) -> bytes:
    return b"".join(encode(c1) + encode(c2) for c1, c2 in ciphertexts)


# ---------------------------------------------------------------- proofs


def check_possession(place: Place, key: Point, proof: Sequence[int]) -> None:
    """Check that the author knows x with Y = x·B (PROTOCOL 5.6)."""
    c, s = proof
    transcript = Transcript("possession", place)
    transcript.append("key", encode(key))
    transcript.append("commitment", encode(combine([(s, B), (c, key)])))
    require(transcript.challenge("possession") == c, "bad-proof")


def check_equal_logarithms(
    purpose: str,
    place: Place,
    key: Point,
    bases: Sequence[Point],
    images: Sequence[Point],
    proof: Sequence[int],
) -> None:
    """Check that one x satisfies Y = x·B and D_i = x·C_i for all i (PROTOCOL 5.4)."""
    c, s = proof
    transcript = Transcript(purpose, place)
    transcript.append("key", encode(key))
    transcript.append("bases", encode_all(bases))
    transcript.append("images", encode_all(images))
    weights = [1]
    if len(bases) > 1:
        weights = [transcript.challenge("weight") for _ in bases]
    t2 = combine([(s, B), (c, key)])
    t3 = combine(
        [(s * w, base) for w, base in zip(weights, bases, strict=True)]
        + [(c * w, image) for w, image in zip(weights, images, strict=True)]
    )
    transcript.append("commitments", encode(t2) + encode(t3))
    require(transcript.challenge("dleq") == c, "bad-proof")


def check_shuffle(
    place: Place,
    key: Point,
    before: Sequence[Ciphertext],
    after: Sequence[Ciphertext],
    argument: Argument,
) -> None:
    """Check the lines (1) to (5) of PROTOCOL 5.5 (Bayer and Groth 2012, one row), weighted and
    summed."""
    n = len(before)
    head, tail = argument.data[:256], argument.data[256:]
    c_a, c_b, c_d, c_delta, c_big_delta, c_a0, e1, e2 = argument.elements
    answers = argument.answers
    a_tilde, b_tilde = answers[:n], answers[n : 2 * n - 2]
    r_tilde, s_tilde = answers[2 * n - 2 : 2 * n]
    a, r, tau = answers[2 * n : 3 * n], answers[3 * n], answers[3 * n + 1]

    transcript = Transcript("shuffle", place)
    transcript.append("n", u64(n))
    transcript.append("key", encode(key))
    transcript.append("before", encode_ciphertexts(before))
    transcript.append("after", encode_ciphertexts(after))
    transcript.append("c_A", head[:32])
    x = transcript.challenge("x")
    transcript.append("c_B", head[32:64])
    y, z = transcript.challenge("y"), transcript.challenge("z")
    transcript.append("commitments", head[64:])
    e = transcript.challenge("e")
    transcript.append("answers", tail)
    u, v, s, t = (transcript.challenge("weight") for _ in range(4))

    powers = [pow(x, i, L) for i in range(1, n + 1)]
    product = 1
    for i, power in enumerate(powers, 1):
        product = product * (y * i + power - z) % L
    b_tilde = [a_tilde[0], *b_tilde, e * product]

    line_2 = [e * b_tilde[i + 1] - b_tilde[i] * a_tilde[i + 1] for i in range(n - 1)] + [0]
    terms = [
        (r_tilde + u * s_tilde + v * r + s * tau, B),
        (t * tau, key),
        (-e * y, c_a),
        (-e - v * e, c_b),
        (-1, c_d),
        (-u * e, c_big_delta),
        (-u, c_delta),
        (-v, c_a0),
        (-s, e1),
        (-t, e2),
    ]
    for i in range(n):
        terms += [
            (a_tilde[i] + e * z + u * line_2[i] + v * a[i], generator(i + 1)),
            (s * a[i], after[i][0]),
            (t * a[i], after[i][1]),
            (-s * e * powers[i], before[i][0]),
            (-t * e * powers[i], before[i][1]),
        ]
    require(is_identity(combine(terms)), "bad-proof")


# ---------------------------------------------------------------- seeds


def seed_commitment(table: bytes, hand: int, seat: int, seed: bytes) -> bytes:
    """Return the commitment to a seed (PROTOCOL 6.2)."""
    return digest("hand-seed", table=table, hand=u64(hand), seat=bytes([seat]), seed=seed)


def expand(seed: bytes, label: str, i: int) -> int:
    """Return X(label, i) of PROTOCOL 6.2, not reduced."""
    return int.from_bytes(hmac.digest(seed, frame(label, u64(i)), "sha512"), "little")


def seed_scalar(seed: bytes) -> int:
    """Return the private key x of a hand (PROTOCOL 6.2)."""
    return expand(seed, "key", 0) % L


class Shuffle(NamedTuple):
    """A shuffle that the audit repeats from its author's seed (PROTOCOL 6.8)."""

    label: str
    key: Point
    before: Sequence[Ciphertext]
    after: Sequence[Ciphertext]

    def follows_from(self, hand_seed: bytes) -> bool:
        """Return whether this is the one shuffle of these ciphertexts that the hand seed allows
        (6.2)."""
        shuffled = encode(self.key) + encode_ciphertexts(self.before)
        seed = hmac.digest(hand_seed, frame(self.label, shuffled), "sha256")
        order = list(range(len(self.before)))
        for i in range(len(order) - 1, 0, -1):
            j = expand(seed, "permutation", i) % (i + 1)
            order[i], order[j] = order[j], order[i]
        for i, (c1, c2) in enumerate(self.after):
            blinding = expand(seed, "blinding", i)
            old1, old2 = self.before[order[i]]
            if not (
                equal(c1, add(old1, combine([(blinding, B)])))
                and equal(c2, add(old2, combine([(blinding, self.key)])))
            ):
                return False
        return True


# ---------------------------------------------------------------- the cut (PROTOCOL 6.1)


def cut_cards(table: bytes, host: bytes, guest: bytes) -> tuple[int, int]:
    """Return the host's card and the guest's card in the cut."""
    framed = frame("table", table) + frame("host", host) + frame("guest", guest)
    x = sha512(frame(DOMAIN, "cut-cards") + framed).digest()
    host_card = int.from_bytes(x[:32], "big") % 52
    guest_card = int.from_bytes(x[32:], "big") % 51
    return host_card, guest_card + (guest_card >= host_card)


# ---------------------------------------------------------------- the knock card (PROTOCOL 6.9)


def seed_toss(seed: bytes) -> bytes:
    """Return a player's half of the toss."""
    return hmac.digest(seed, frame("knock-card", ""), "sha256")


def toss_commitment(table: bytes, hand: int, half: bytes) -> bytes:
    return digest("knock-card", table=table, hand=u64(hand), value=half)


def knock_card(table: bytes, hand: int, dealer: bytes, other: bytes) -> int:
    framed = frame("table", table) + frame("hand", u64(hand))
    framed += frame("dealer", dealer) + frame("other", other)
    return int.from_bytes(sha512(frame(DOMAIN, "knock-card-toss") + framed).digest(), "big") % 52
