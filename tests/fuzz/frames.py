"""Make malformed frames, and give them to the decoder that reads every byte from a peer.

`streams` yields bytes as a connection may deliver them; `heard` returns how the decoder reads them.
The refusal codes for frames are listed here once. Decoded frames are encoded again by hand, field
by field, so that "the one encoding" doesn't come from the encoder under test.
"""

import functools
import random

from ginpeer.net.connection import MAX_GREETING
from protocol.frames import (
    MAX_FRAME,
    AddressUpdate,
    Chat,
    Consent,
    EntryFrame,
    FrameReader,
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
    enclose,
    encode_frame,
)
from tests.fuzz.odd import odd
from tests.fuzz.protobuf import FRAME, LENGTHS, mutant, spoilt, tree
from tests.protocol.wire import FIXED64, LENGTH, VARINT, field, tag, varint, write

CODES = frozenset(
    {
        *("frame-empty", "frame-too-large", "frame-not-canonical", "position-malformed"),
        *("versions-malformed", "proof-malformed", "software-malformed", "extensions-malformed"),
        *("signature-malformed", "entry-malformed", "chat-empty", "chat-too-long"),
        *("goodbye-malformed", "pause-malformed", "whereabouts-malformed", "proposal-malformed"),
        "consent-malformed",
    }
)
"""The codes that refuse a peer's bytes. (`chat-malformed` and `token-malformed` are for our own
frames: no bytes hold a surrogate or a token of more than 64 bits.)"""

POSITION = Position(bytes(range(32)), 300, bytes(range(100, 132)))
GREETINGS = (
    Hello((1, 2, 300, 2**32 - 1), b"p" * 32, POSITION, "ginpeer 0.1.0"),
    Hello((1,), b"", None, "x"),
    Hello((1,), b"q" * 32, Position(bytes(32), 0, bytes(32)), "ginpeer 0.1.0"),
    Welcome(1, POSITION, "ginpeer 0.1.0", b"s" * 64),
    Welcome(2**32 - 1, None, "x", bytes(64)),
    Hello((1,), b"", None, "x", (1, 300)),
    Welcome(1, POSITION, "ginpeer 0.1.0", b"s" * 64, (300,)),
    Goodbye("table-taken", "Somebody is already at the host's table."),
    Goodbye("left", ""),
)
TALK = (
    EntryFrame(b"\0"),
    EntryFrame(bytes(range(256)) * 2),
    EntryFrame(b"e" * 9_000),
    Chat("nice hand \N{BLACK HEART SUIT}"),
    Chat("x"),
    Ping(0),
    Ping(2**64 - 1),
    Pong(5),
    *Pause,
    *Consent,
    AddressUpdate(b"\x01\x01\x14"),
    Proposal("oklahoma target=150"),
    Proposal("é"),
)
COMMON = (*GREETINGS, *GREETINGS, *GREETINGS, *TALK, Chat("\N{BLACK HEART SUIT}" * 170))
"""The frames to change. The most structured ones occur most often."""


@functools.cache
def trees():
    """Return each of the COMMON frames as fields."""
    return [tree(encode_frame(frame), FRAME) for frame in COMMON]


@functools.cache
def encodings():
    return [encode_frame(frame) for frame in COMMON]


def _body(rng):
    """Return one frame without its length prefix. It is hardly ever valid."""
    kind = rng.random()
    if kind < 0.7:
        fields = trees()[int(rng.random() * len(COMMON))]
        data = mutant(fields, rng)
        return spoilt(data, rng) if kind < 0.05 else data
    if kind < 0.93:
        return spoilt(encodings()[int(rng.random() * len(COMMON))], rng)
    if kind < 0.999:
        return rng.randbytes(1 + int(rng.random() * 60))
    return _large(rng)


def _large(rng):
    """Return a frame of any size up to the limit, with many small fields or one that is too
    large."""
    size = int(rng.random() * MAX_FRAME) + 1
    match int(rng.random() * 8):
        case 0:
            return rng.randbytes(size)
        case 1:
            return tag(8, 3) * size
        case 2:
            return (field(1, LENGTH, b"") * size)[:size]
        case 3:
            return field(1, LENGTH, field(3, LENGTH, b"") * (size // 2))
        case 4:
            return field(1, LENGTH, field(1, LENGTH, varint(2**28) * (size // 4)))
        case 5:
            return (field(50, VARINT, 1) * size)[:size]
        case 6:
            return field(4, LENGTH, b"c" * size)
        case _:
            return field(3, LENGTH, b"e" * size)


def streams(rng):
    """Yield endless input for connections: usually one frame, sometimes a wrong or impossible
    length, or a frame after a valid one."""
    sound = enclose(encode_frame(Ping(1)))
    while True:
        body = _body(rng)
        kind = rng.random()
        if kind < 0.97:
            yield enclose(body[:MAX_FRAME]) if body else bytes(4)
        elif kind < 0.98:
            length = (*LENGTHS, 0, MAX_FRAME + 1, MAX_GREETING + 1)[int(rng.random() * 13)]
            yield (length % 2**32).to_bytes(4, "big") + body
        elif kind < 0.99:
            yield max(len(body) + int(rng.random() * 9) - 4, 0).to_bytes(4, "big") + body
        else:
            yield sound + enclose(body[:MAX_FRAME] or b"\0") + sound


def heard(data, limit):
    """Return the code with which the decoder refuses *data* ("" if it doesn't), and the frames that
    it read up to there. Raises Odd unless each frame's bytes are its only encoding."""
    frames = map(decode_frame, FrameReader(limit).feed(data))
    given = []
    try:
        for frame in frames:
            given.append(frame)
    except MalformedFrame as refusal:
        code = refusal.code
        if code not in CODES:
            raise odd(f"the code {code} is not listed", data) from refusal
        if not refusal.sentence.endswith("."):
            raise odd(f"{code} has no sentence", data) from refusal
    except Exception as error:  # any other exception is a finding
        raise odd(f"{type(error).__name__}: {error}", data) from error
    else:
        code = ""
    again = b"".join(enclose(by_hand(frame)) for frame in given)
    if data[: len(again)] != again:
        raise odd(f"not the one encoding of {given!r:.200}", data)
    return code, given


def by_hand(frame):
    """Return the only encoding of a frame, without using protobuf (PROTOCOL 2.2, 9.1)."""
    match frame:
        case Hello():
            versions = b"".join(map(varint, frame.versions))
            parts = [(1, LENGTH, versions), (2, LENGTH, frame.proof)]
            inner = _without_defaults(parts) + _position(3, frame.position)
            inner += field(4, LENGTH, frame.software.encode()) + _extensions(frame)
            return field(1, LENGTH, inner)
        case Welcome():
            tail = [(3, LENGTH, frame.software.encode()), (4, LENGTH, frame.signature)]
            inner = field(1, VARINT, frame.version) + _position(2, frame.position) + write(tail)
            return field(2, LENGTH, inner + _extensions(frame))
        case EntryFrame():
            return field(3, LENGTH, frame.entry)
        case Chat():
            return field(4, LENGTH, frame.text.encode())
        case Ping():
            return field(5, FIXED64, frame.token.to_bytes(8, "little"))
        case Pong():
            return field(6, FIXED64, frame.token.to_bytes(8, "little"))
        case Pause():
            return field(8, VARINT, frame.value)
        case AddressUpdate():
            return field(9, LENGTH, frame.packed)
        case Proposal():
            return field(10, LENGTH, frame.rules.encode())
        case Consent():
            return field(11, VARINT, frame.value)
        case Goodbye():
            parts = [(1, LENGTH, frame.code.encode()), (2, LENGTH, frame.sentence.encode())]
            return field(7, LENGTH, _without_defaults(parts))
    raise TypeError(f"{type(frame)} is no frame")


def _without_defaults(fields):
    return write([each for each in fields if each[2]])


def _extensions(greeting):
    return _without_defaults([(5, LENGTH, b"".join(map(varint, greeting.extensions)))])


def _position(number, position):
    if position is None:
        return b""
    parts = [
        (1, LENGTH, position.table),
        (2, VARINT, position.sequence),
        (3, LENGTH, position.head),
    ]
    return field(number, LENGTH, _without_defaults(parts))


def seeded(*words):
    """Return a random generator for one part of a campaign. The same words give the same one."""
    return random.Random("/".join(map(str, words)))
