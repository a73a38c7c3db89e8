"""Hashing: transcripts, values expanded from a seed, and nonces."""

import hashlib
import hmac

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.crypto.group import BASE, ORDER
from protocol.crypto.hashing import (
    Nonces,
    Transcript,
    expand_permutation,
    expand_scalar,
    expand_scalars,
    frame,
    framed_hash,
)

SEED = bytes(range(32))


# Transcripts: no two conversations have the same bytes, and every challenge depends on all of them.

labels = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=12)
fields = st.lists(st.tuples(labels, st.binary(max_size=40)), max_size=6)


def unframed(data):
    """Read framed data back. As there is only one way to do so, framing is injective."""
    found = []
    while data:
        label, data = data[1 : 1 + data[0]], data[1 + data[0] :]
        length = int.from_bytes(data[:4], "big")
        found.append((label.decode("ascii"), data[4 : 4 + length]))
        data = data[4 + length :]
    return found


def test_a_frame_contains_label_and_data_with_their_lengths():
    assert frame("key", b"abc") == b"\x03key\x00\x00\x00\x03abc"
    assert frame("", b"") == b"\x00\x00\x00\x00\x00"


@settings(deadline=None, max_examples=50)
@given(fields)
def test_frames_can_be_read_back_in_one_way_only(conversation):
    assert unframed(b"".join(frame(*field) for field in conversation)) == conversation


def test_a_label_is_ascii_and_short():
    with pytest.raises(ValueError, match="ascii"):
        frame("ä", b"")
    with pytest.raises(ValueError, match="range"):
        frame("x" * 256, b"")


def test_a_challenge_is_the_hash_of_all_that_came_before():
    transcript = Transcript("purpose")
    transcript.append_number("n", 52)
    transcript.append_elements("keys", (BASE, BASE))
    said = (
        frame("ginpeer/v1", b"purpose")
        + frame("n", (52).to_bytes(8, "big"))
        + frame("keys", BASE.encoded * 2)
    )
    for label in ("x", "y", "x"):
        said += frame("challenge", label.encode())
        expected = int.from_bytes(hashlib.sha512(said).digest(), "little") % ORDER
        assert transcript.challenge(label) == expected
    assert len(set(transcript.challenges("weight", 50))) == 50


def test_taking_the_digest_does_not_change_the_transcript():
    first, second = Transcript("t"), Transcript("t")
    assert first.digest() == first.digest()
    assert first.challenge("x") == second.challenge("x")


@pytest.mark.parametrize("number", [-1, 2**64])
def test_numbers_that_do_not_fit_into_eight_bytes_are_an_error(number):
    with pytest.raises(OverflowError):
        Transcript("t").append_number("n", number)


def test_a_framed_hash_is_sha256_under_its_label():
    framed = frame("ginpeer/v1", b"l") + frame("a", b"1")
    assert framed_hash("l", ("a", b"1")) == hashlib.sha256(framed).digest()


# Values expanded from a seed.


def test_expansion_is_hmac_sha512_of_the_framed_index():
    message = frame("key", (7).to_bytes(8, "big"))
    expected = int.from_bytes(hmac.digest(SEED, message, "sha512"), "little") % ORDER
    assert expand_scalar(SEED, "key", 7) == expected
    assert expand_scalars(SEED, "key", 3) == tuple(expand_scalar(SEED, "key", i) for i in range(3))


def test_the_permutation_is_fisher_yates_from_the_top_down():
    places = list(range(5))
    for i in (4, 3, 2, 1):
        whole = hmac.digest(SEED, frame("p", i.to_bytes(8, "big")), "sha512")
        j = int.from_bytes(whole, "little") % (i + 1)
        places[i], places[j] = places[j], places[i]
    assert expand_permutation(SEED, "p", 5) == tuple(places)


# Nonces, which don't depend on any random source.


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
