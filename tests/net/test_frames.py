"""Each frame has exactly one encoding, and everything else is garbled."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from protocol.frames import (
    MAX_ADDRESS_UPDATE,
    MAX_CHAT,
    MAX_FRAME,
    AddressUpdate,
    Chat,
    Consent,
    EntryFrame,
    Goodbye,
    Hello,
    MalformedFrame,
    Pause,
    Ping,
    Pong,
    Position,
    Proposal,
    Welcome,
    decode_frame,
    encode_frame,
)
from tests.refusals import code_of

POSITION = Position(b"t" * 32, 7, b"h" * 32)
FRAMES = [
    Hello((1, 2), b"p" * 32, POSITION, "ginpeer 0.1.0"),
    Hello((1,), b"", None, "x"),
    Proposal("oklahoma target=150"),
    Proposal("é" * 256),
    Hello((1,), b"p" * 32, POSITION, "x", tuple(range(2**32 - 64, 2**32))),
    Welcome(1, None, "x", bytes(64), (7, 2**32 - 1)),
    Welcome(1, POSITION, "ginpeer 0.1.0", b"s" * 64),
    Welcome(1, None, "ginpeer 0.1.0", bytes(64)),
    EntryFrame(b"\0"),
    EntryFrame(bytes(MAX_FRAME - 16)),
    Chat("nice hand \N{BLACK HEART SUIT}"),
    Chat("\N{BLACK HEART SUIT}" * MAX_CHAT),
    Ping(0),
    Ping(2**64 - 1),
    Pong(5),
    *Pause,
    *Consent,
    AddressUpdate(b"\x01\x01\x14"),
    AddressUpdate(bytes(MAX_ADDRESS_UPDATE)),
    Goodbye("left", "Your opponent left the table."),
    Goodbye("left", ""),
]

# Field numbers and wire types (2: length-delimited, 0: varint, 1: 64 bits, 5: 32 bits).
HELLO, WELCOME, ENTRY, CHAT, PING, PONG, GOODBYE, PAUSE = (
    bytes([field << 3 | wire])
    for field, wire in ((1, 2), (2, 2), (3, 2), (4, 2), (5, 1), (6, 1), (7, 2), (8, 0))
)
A_CHAT = CHAT + b"\x02hi"

NOT_CANONICAL = {
    "nothing": b"",
    "a stray byte after it": A_CHAT + b"\0",
    "an unknown field after it": A_CHAT + b"\x50\x01",
    "an unknown field before it": b"\x50\x01" + A_CHAT,
    "only an unknown field": b"\x50\x01",
    "empty whereabouts": b"\x4a\x00",
    "an empty proposal": b"\x52\x00",
    "a proposal of 513 bytes": b"\x52\x81\x04" + b"x" * 513,
    "whereabouts of a number": b"\x48\x01",
    "a field number of zero": b"\x00\x01",
    "the same field twice": A_CHAT + A_CHAT,
    "two fields of the oneof": A_CHAT + PING + bytes(8),
    "a padded length": CHAT + b"\x82\x00hi",
    "a padded tag": b"\xa2\x00" + b"\x02hi",
    "a wrong wire type": b"\x20\x02",
    "a fixed 32-bit ping": b"\x2d\0\0\0\0",
    "a length beyond the end": CHAT + b"\x7fhi",
    "a truncated length": CHAT + b"\x80",
    "invalid UTF-8": CHAT + b"\x02\xff\xfe",
    "an overlong UTF-8": CHAT + b"\x02\xc0\x80",
    "a UTF-8 surrogate": CHAT + b"\x03\xed\xa0\x80",
    "an unknown group": b"\x4b\x4c" + A_CHAT,
    "nested groups": b"\x4b" * 50_000,
    "an open group": b"\x4b",
    "an empty chat": CHAT + b"\0",
    "an empty entry": ENTRY + b"\0",
    "an empty hello": HELLO + b"\0",
    "an empty welcome": WELCOME + b"\0",
    "an empty goodbye": GOODBYE + b"\0",
    "an explicit default": GOODBYE + b"\x08\x0a\x04left\x12\x00",
    "reordered fields": GOODBYE + b"\x09\x12\x01x\x0a\x04left",
    "unpacked versions": HELLO + b"\x05\x08\x01\x22\x01x",
    "versions in two packs": HELLO + b"\x09\x0a\x01\x01\x0a\x01\x02\x22\x01x",
    "a padded version": HELLO + b"\x07\x0a\x02\x81\x00\x22\x01x",
    "a version of 33 bits": HELLO + b"\x0a\x0a\x05\x81\x80\x80\x80\x10\x22\x01x",
    "an empty position": HELLO + b"\x08\x0a\x01\x01\x1a\x00\x22\x01x",
    "versions twice the same": HELLO + b"\x07\x0a\x02\x01\x01\x22\x01x",
    "versions descending": HELLO + b"\x07\x0a\x02\x02\x01\x22\x01x",
    "no versions": HELLO + b"\x03\x22\x01x",
    "extensions descending": HELLO + b"\x0a\x0a\x01\x01\x22\x01x\x2a\x02\x02\x01",
    "extension 0": HELLO + b"\x09\x0a\x01\x01\x22\x01x\x2a\x01\x00",
    "unpacked extensions": HELLO + b"\x08\x0a\x01\x01\x22\x01x\x28\x01",
    "65 extensions": HELLO + b"\x49\x0a\x01\x01\x22\x01x\x2a\x41" + bytes(range(1, 66)),
    "software with an escape": HELLO + b"\x06\x0a\x01\x01\x22\x01\x1b",
    "invalid pause message": PAUSE + b"\x00",
    "an unknown word for a pause": PAUSE + b"\x04",
    "a padded word for a pause": PAUSE + b"\x81\x00",
    "a negative word for a pause": PAUSE + b"\xff" * 9 + b"\x01",
    "a pause without its word": PAUSE,
    "no word of consent": b"\x58\x00",
    "an unknown word of consent": b"\x58\x03",
    "two words for a pause": PAUSE + b"\x01" + PAUSE + b"\x02",
    "a goodbye code in capitals": GOODBYE + b"\x06\x0a\x04Left",
}


def test_a_frame_reads_back():
    for frame in FRAMES:
        assert decode_frame(encode_frame(frame)) == frame
        assert len(encode_frame(frame)) <= MAX_FRAME


def test_anything_not_canonical_is_garbled():
    for data in NOT_CANONICAL.values():
        with pytest.raises(MalformedFrame) as caught:
            decode_frame(data)
        assert caught.value.code
        assert str(caught.value).endswith(".")


def test_the_samples_are_garbled_for_one_reason_only():
    """The samples above are valid except for one deviation each."""
    assert decode_frame(A_CHAT) == Chat("hi")
    assert decode_frame(PAUSE + b"\x01") is Pause.ASK
    assert decode_frame(PAUSE + b"\x02") is Pause.DECLINE
    assert decode_frame(PAUSE + b"\x03") is Pause.WITHDRAW
    assert decode_frame(b"\x58\x01") is Consent.GIVE
    assert decode_frame(b"\x58\x02") is Consent.TAKE_BACK
    assert decode_frame(HELLO + b"\x06\x0a\x01\x01\x22\x01x") == Hello((1,), b"", None, "x")
    assert decode_frame(HELLO + b"\x07\x0a\x02\x01\x02\x22\x01x") == Hello((1, 2), b"", None, "x")
    extended = Hello((1,), b"", None, "x", (1, 2))
    assert decode_frame(HELLO + b"\x0a\x0a\x01\x01\x22\x01x\x2a\x02\x01\x02") == extended
    assert decode_frame(GOODBYE + b"\x06\x0a\x04left") == Goodbye("left", "")
    assert decode_frame(GOODBYE + b"\x09\x0a\x04left\x12\x01x") == Goodbye("left", "x")


@pytest.mark.parametrize(
    ("build", "code"),
    [
        (lambda: Chat(""), "chat-empty"),
        (lambda: Chat("x" * (MAX_CHAT + 1)), "chat-too-long"),
        (lambda: Chat("\ud800"), "chat-malformed"),
        (lambda: EntryFrame(b""), "entry-malformed"),
        (lambda: EntryFrame(bytes(MAX_FRAME)), "entry-malformed"),
        (lambda: Hello((1,), b"short", None, "x"), "proof-malformed"),
        (lambda: AddressUpdate(b""), "whereabouts-malformed"),
        (lambda: Proposal(""), "proposal-malformed"),
        (lambda: Proposal("é" * 257), "proposal-malformed"),
        (lambda: Proposal("\ud800"), "proposal-malformed"),
        (lambda: AddressUpdate(bytes(MAX_ADDRESS_UPDATE + 1)), "whereabouts-malformed"),
        (lambda: Hello(tuple(range(1, 18)), b"", None, "x"), "versions-malformed"),
        (lambda: Hello((0,), b"", None, "x"), "versions-malformed"),
        (lambda: Hello((1,), b"", None, "x", (2, 2)), "extensions-malformed"),
        (lambda: Hello((1,), b"", None, "x", tuple(range(1, 66))), "extensions-malformed"),
        (lambda: Welcome(1, None, "x", bytes(64), (2**32,)), "extensions-malformed"),
        (lambda: Hello((1,), b"", None, ""), "software-malformed"),
        (lambda: Hello((1,), b"", None, "x" * 65), "software-malformed"),
        (lambda: Welcome(1, None, "x", b""), "signature-malformed"),
        (lambda: Position(b"", 0, bytes(32)), "position-malformed"),
        (lambda: Ping(2**64), "token-malformed"),
        (lambda: Goodbye("", ""), "goodbye-malformed"),
        (lambda: Goodbye("x", "y" * 401), "goodbye-malformed"),
    ],
)
def test_an_impossible_frame_cannot_be_built(build, code):
    assert code_of(MalformedFrame, build) == code


def test_the_pure_python_protobuf_gives_the_same_results():
    """Its parser raises other exceptions than the usual one, and accepts other bytes."""
    environment = {**os.environ, "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": "python"}
    script = (
        "from google.protobuf.internal import api_implementation as api\n"
        "assert api.Type() == 'python'\n"
        "from tests.net import test_frames as t\n"
        "t.test_a_frame_reads_back()\n"
        "t.test_anything_not_canonical_is_garbled()\n"
        "t.test_the_samples_are_garbled_for_one_reason_only()\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script],
        cwd=Path(__file__).parents[2],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
