"""A short part of tests/campaign/frames.py, and a check that it would notice faults."""

import json
from types import SimpleNamespace

import pytest

from protocol.frames import MAX_FRAME, Chat, MalformedFrame, decode_frame, encode_frame
from tests.campaign import frames as campaign
from tests.fuzz import back_ends, frames
from tests.fuzz.frames import CODES, COMMON, by_hand, heard
from tests.fuzz.odd import Odd

LAX = {
    "reads what is not canonical": lambda data: Chat("hi"),
    "raises what is not listed": lambda data: {}[data],
    "has a code that is not listed": lambda data: _refuse("chat-malformed", "A sentence."),
    "says nothing": lambda data: _refuse("frame-empty", ""),
}


def _refuse(code, sentence):
    raise MalformedFrame(code, sentence)


def test_malformed_frames_are_refused_with_a_listed_code():
    met = campaign.chunk(1, "suite", 12_000)
    assert not set(met) - CODES - {campaign.DECODED, campaign.DELIVERED}
    assert CODES - set(met) <= {"chat-too-long"}  # one in ten thousand
    assert met[campaign.DELIVERED] > 10


@pytest.mark.parametrize("kind", back_ends.KINDS)
@pytest.mark.deep(keep=1)
def test_both_back_ends_of_protobuf_give_the_same_code(kind):
    assert back_ends.differ(kind, "suite", 500) == []


def test_a_back_end_that_differs_is_noticed(monkeypatch):
    theirs = json.dumps(["another", ["odd", *back_ends.bodies("suite", 5)[1:]]])
    done = SimpleNamespace(returncode=0, stdout=theirs)
    monkeypatch.setattr(back_ends.subprocess, "run", lambda *_, **how: done)
    assert back_ends.differ("bodies", "suite", 5) == [0]


@pytest.mark.parametrize("frame", COMMON[-12:], ids=lambda frame: type(frame).__name__)
def test_a_frame_written_by_hand_equals_the_encoders(frame):
    assert by_hand(frame) == encode_frame(frame)


@pytest.mark.parametrize("decode", LAX.values(), ids=LAX.keys())
def test_a_faulty_reader_is_noticed(decode, monkeypatch):
    monkeypatch.setattr(frames, "decode_frame", decode)
    with pytest.raises(Odd):
        heard(b"\0\0\0\3\x22\x01x", MAX_FRAME)


@pytest.mark.parametrize("lax", [Chat, lambda text: _refuse("chat-empty", "No.")])
def test_a_connection_that_continues_or_gives_another_code_is_noticed(lax, monkeypatch):
    monkeypatch.setattr("ginpeer.net.connection.decode_frame", lambda data: lax("x"))
    with campaign.toy_group(), pytest.raises(Odd):
        campaign._deliver(b"\0\0\0\3\x22\x01\xff", "frame-not-canonical", [], True, _Half())


class _Half:
    def random(self):
        return 0.5


def test_the_valid_frames_of_the_campaign_read_back():
    assert [decode_frame(encode_frame(frame)) for frame in COMMON] == list(COMMON)
