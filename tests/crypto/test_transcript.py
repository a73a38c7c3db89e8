"""Transcripts: no two conversations have the same bytes, and every challenge depends on all of
them."""

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.crypto.group import BASE, ORDER
from protocol.crypto.hashing import Transcript, frame, framed_hash

labels = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=12)
fields = st.lists(st.tuples(labels, st.binary(max_size=40)), max_size=6)


def unframed(data):
    """Read framed data back. There is only one way to do so, which makes framing injective."""
    found = []
    while data:
        label, data = data[1 : 1 + data[0]], data[1 + data[0] :]
        length = int.from_bytes(data[:4], "big")
        found.append((label.decode("ascii"), data[4 : 4 + length]))
        data = data[4 + length :]
    return found


def scalar(label, *appended):
    transcript = Transcript(label)
    for name, data in appended:
        transcript.append(name, data)
    return transcript.challenge("c")


def test_a_frame_contains_label_and_data_with_their_lengths():
    assert frame("key", b"abc") == b"\x03key\x00\x00\x00\x03abc"
    assert frame("", b"") == b"\x00\x00\x00\x00\x00"


@settings(deadline=None, max_examples=50)
@given(fields)
def test_frames_can_be_read_back_in_one_way_only(conversation):
    assert unframed(b"".join(frame(*field) for field in conversation)) == conversation


@settings(deadline=None, max_examples=50)
@given(fields, fields)
def test_different_conversations_have_different_challenges(first, second):
    assert (scalar("t", *first) == scalar("t", *second)) == (first == second)


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


def test_later_challenges_depend_on_earlier_ones_and_their_order():
    first, second = Transcript("t"), Transcript("t")
    assert (first.challenge("x"), first.challenge("y")) != (
        second.challenge("y"),
        second.challenge("x"),
    )
    assert len(set(first.challenges("weight", 50))) == 50


def test_taking_the_digest_does_not_change_the_transcript():
    first, second = Transcript("t"), Transcript("t")
    digest = first.digest()
    assert first.digest() == digest
    assert first.challenge("x") == second.challenge("x")
    assert int.from_bytes(digest, "little") % ORDER != first.challenge("x")


@pytest.mark.parametrize("number", [-1, 2**64])
def test_numbers_that_do_not_fit_into_eight_bytes_are_an_error(number):
    with pytest.raises(OverflowError):
        Transcript("t").append_number("n", number)


def test_a_framed_hash_is_sha256_under_its_label():
    assert (
        framed_hash("l", ("a", b"1"))
        == hashlib.sha256(frame("ginpeer/v1", b"l") + frame("a", b"1")).digest()
    )
    assert framed_hash("l", ("a", b"1")) != framed_hash("m", ("a", b"1"))
    assert framed_hash("l", ("a", b"1")) != framed_hash("l", ("b", b"1"))
