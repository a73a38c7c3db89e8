"""Frames on a byte stream: limits are checked before memory is used, and nothing is read after the
end."""

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ginpeer.net.limits import TokenBucket
from protocol.frames import MAX_FRAME, FrameReader, MalformedFrame, enclose


def read_all(reader, data):
    return list(reader.feed(data))


def test_a_frame_is_its_length_and_its_bytes():
    assert enclose(b"abc") == b"\0\0\0\3abc"
    assert read_all(FrameReader(), b"\0\0\0\3abc") == [b"abc"]


@pytest.mark.parametrize("length", [0, MAX_FRAME + 1, 2**31, 2**32 - 1])
def test_an_impossible_length_ends_the_stream_before_anything_is_allocated(length):
    reader = FrameReader()
    tracemalloc.start()
    with pytest.raises(MalformedFrame) as caught:
        read_all(reader, length.to_bytes(4, "big"))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert caught.value.code == ("frame-empty" if length == 0 else "frame-too-large")
    assert peak < 64 * 1024


def test_the_largest_frame_passes():
    body = bytes(MAX_FRAME)
    assert read_all(FrameReader(), enclose(body)) == [body]


@pytest.mark.parametrize("size", [0, MAX_FRAME + 1])
def test_we_never_send_what_no_peer_would_take(size):
    with pytest.raises(ValueError, match="a frame has 1 to"):
        enclose(bytes(size))


def test_a_changed_limit_applies_from_the_next_frame_on():
    reader = FrameReader(limit=10)
    bodies = reader.feed(enclose(b"small") + enclose(bytes(100)))
    assert next(bodies) == b"small"
    reader.limit = 100
    assert next(bodies) == bytes(100)


@given(st.lists(st.binary(min_size=1, max_size=300), max_size=8), st.data())
def test_frames_do_not_depend_on_how_the_stream_is_cut(bodies, data):
    stream = b"".join(enclose(body) for body in bodies)
    reader, received, at = FrameReader(), [], 0
    while at < len(stream):
        end = data.draw(st.integers(at + 1, len(stream)))
        received += read_all(reader, stream[at:end])
        at = end
    assert received == bodies
    assert reader._buffer == b""


def test_frames_after_the_last_requested_one_are_not_read():
    reader = FrameReader()
    bodies = reader.feed(enclose(b"goodbye") + b"\xff\xff\xff\xff garbage")
    assert next(bodies) == b"goodbye"  # the garbage raises no error


def test_a_bucket_holds_a_burst_and_refills_slowly():
    bucket = TokenBucket(burst=3, rate=0.5, now=100.0)
    assert [bucket.take(100.0) for _ in range(4)] == [True, True, True, False]
    assert not bucket.take(101.0)
    assert bucket.take(102.5)
    assert not bucket.take(102.5)
    assert [bucket.take(1000.0) for _ in range(4)] == [True, True, True, False]


def test_a_clock_set_back_takes_nothing_out_of_a_bucket():
    bucket = TokenBucket(burst=3, rate=0.5, now=5000.0)
    assert [bucket.take(1000.0) for _ in range(4)] == [True, True, True, False]
    assert bucket.take(1002.0)
