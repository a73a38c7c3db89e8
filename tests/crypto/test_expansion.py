"""Values expanded from a seed, and nonces that don't depend on any random source."""

import hashlib
import hmac
from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.crypto.group import ORDER
from protocol.crypto.hashing import (
    Nonces,
    Transcript,
    expand_permutation,
    expand_scalar,
    expand_scalars,
    frame,
)
from tests.crypto.randomness import insecure_test_rng

SEED = bytes(range(32))


def seeds(count):
    rng = insecure_test_rng("seeds")
    return [rng(32) for _ in range(count)]


def test_expansion_is_hmac_sha512_of_the_framed_index():
    message = frame("key", (7).to_bytes(8, "big"))
    expected = int.from_bytes(hmac.digest(SEED, message, "sha512"), "little") % ORDER
    assert expand_scalar(SEED, "key", 7) == expected


def test_labels_indices_and_seeds_give_different_values():
    values = [
        expand_scalar(seed, label, index)
        for seed in (SEED, bytes(32))
        for label in ("key", "deal-blinding", "riffle-blinding-1", "riffle-blinding-11")
        for index in range(20)
    ]
    assert len(set(values)) == len(values)
    assert expand_scalars(SEED, "key", 3) == tuple(expand_scalar(SEED, "key", i) for i in range(3))


@settings(deadline=None, max_examples=50)
@given(st.binary(min_size=32, max_size=32), st.integers(0, 60))
def test_a_permutation_contains_every_place_once(seed, n):
    assert sorted(expand_permutation(seed, "p", n)) == list(range(n))


def test_the_permutation_is_fisher_yates_from_the_top_down():
    places = list(range(5))
    for i in (4, 3, 2, 1):
        whole = hmac.digest(SEED, frame("p", i.to_bytes(8, "big")), "sha512")
        j = int.from_bytes(whole, "little") % (i + 1)
        places[i], places[j] = places[j], places[i]
    assert expand_permutation(SEED, "p", 5) == tuple(places)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_every_permutation_is_equally_likely(n):
    # 600 expected for each, standard deviation below 25: allow five of them on either side.
    arrangements = list(permutations(range(n)))
    counts = Counter(expand_permutation(seed, "p", n) for seed in seeds(600 * len(arrangements)))
    assert all(475 < counts[arrangement] < 725 for arrangement in arrangements)


def nonces(secret=b"secret", statement="statement", count=20):
    return Nonces(secret, Transcript(statement)).scalars(count)


def test_nonces_are_shake256_under_an_hmac_of_the_statement():
    digest = Transcript("statement").digest()
    key = hmac.digest(b"secret", frame("ginpeer/v1", b"nonce") + digest, "sha512")
    stream = hashlib.shake_256(key + (1).to_bytes(8, "big")).digest(3 * 64)
    parts = (stream[at : at + 64] for at in (0, 64, 128))
    assert nonces(count=3) == [int.from_bytes(part, "little") % ORDER for part in parts]


def test_a_nonce_repeats_only_for_the_same_statement_and_secret():
    first = nonces()
    assert nonces() == first
    assert len(set(first)) == len(first)
    for other in (nonces(statement="other"), nonces(secret=b"other")):
        assert not set(first) & set(other)


def test_everything_in_the_statement_determines_the_nonces():
    statement = Transcript("statement")
    first = Nonces(b"secret", statement).scalars(20)
    statement.append("more", b"")
    assert not set(first) & set(Nonces(b"secret", statement).scalars(20))


def test_nonces_asked_for_one_by_one_or_together_never_repeat():
    stream = Nonces(b"secret", Transcript("statement"))
    drawn = [stream.scalar(), stream.scalar(), *stream.scalars(0), *stream.scalars(30)]
    drawn += stream.scalars(30)
    assert len(set(drawn)) == len(drawn) == 62
    assert all(0 <= nonce < ORDER for nonce in drawn)
