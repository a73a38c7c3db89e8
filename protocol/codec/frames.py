"""Encode frames as canonical protobuf bytes, and frame them in a byte stream: each follows its
length, 4 bytes big endian (PROTOCOL 9.1).

# Rule 1: a length is checked as soon as its four bytes have arrived, before anything is stored for
# it. Zero, or more than the limit, ends the stream.
# Rule 2: frames are yielded one by one, only while the reader requests them. A reader that closes
# the connection stops, and bytes buffered after that frame are never decoded.
#
# Twisted's Int32StringReceiver breaks both: it continues to deliver buffered strings after
# loseConnection(), and its sendString() ignores MAX_LENGTH.
#
# As for entries, one check is enough: bytes are canonical if encoding the frame again, without the
# fields that the schema doesn't know, gives the same bytes. This refuses unknown, duplicate and
# reordered fields, padded varints, wrong wire types, explicit defaults and trailing bytes, all of
# which protobuf accepts. It comes before any field is read, and one code covers every failure,
# because protobuf's back-ends read such bytes differently.
"""

from __future__ import annotations

from collections.abc import Iterator

from google.protobuf.message import DecodeError

from protocol.frames import (
    MAX_FRAME,
    AddressUpdate,
    Chat,
    Consent,
    EntryFrame,
    Frame,
    Goodbye,
    Hello,
    MalformedFrame,
    Pause,
    Ping,
    Pong,
    Position,
    Proposal,
    Welcome,
)
from protocol.wire import frame_pb2 as pb

PREFIX_BYTES = 4


def enclose(body: bytes) -> bytes:
    """Return the frame with its length in front. Raises ValueError for a body that no peer would
    accept."""
    if not 1 <= len(body) <= MAX_FRAME:
        raise ValueError(f"a frame has 1 to {MAX_FRAME} bytes, not {len(body)}")
    return len(body).to_bytes(PREFIX_BYTES, "big") + body


class FrameReader:
    """A reader that takes bytes in pieces of any size and yields the bodies of whole frames.

    It buffers at most one unfinished frame (``limit`` bytes and a prefix) and the latest piece.
    ``limit`` can be raised between frames, because it is smaller for a stranger than for a peer.
    """

    def __init__(self, limit: int = MAX_FRAME) -> None:
        self.limit = limit
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield the bodies that *data* completes. Raises MalformedFrame at an impossible length.

        Exhaust the iterator before you call this again.
        """
        self._buffer += data
        while (body := self._next()) is not None:
            yield body

    def _next(self) -> bytes | None:
        buffer = self._buffer
        if len(buffer) < PREFIX_BYTES:
            return None
        length = int.from_bytes(buffer[:PREFIX_BYTES], "big")
        if length == 0:
            raise MalformedFrame("frame-empty", "The other side sent an empty frame.")
        if length > self.limit:
            raise MalformedFrame(
                "frame-too-large",
                f"The other side announced a frame of {length} bytes; the limit is {self.limit}.",
            )
        end = PREFIX_BYTES + length
        if len(buffer) < end:
            return None
        body = bytes(buffer[PREFIX_BYTES:end])
        del buffer[:end]  # moves no bytes: CPython only advances the start
        return body


def encode_frame(frame: Frame) -> bytes:
    """Return the one encoding of a frame: 1 to MAX_FRAME bytes."""
    return _to_wire(frame).SerializeToString(deterministic=True)


def decode_frame(data: bytes) -> Frame:
    """Return the frame with exactly this encoding. Raises MalformedFrame if there is none."""
    if len(data) > MAX_FRAME:
        raise MalformedFrame("frame-too-large", f"A frame has at most {MAX_FRAME} bytes.")
    wire = pb.Frame()
    try:
        wire.ParseFromString(data)
    except (DecodeError, UnicodeDecodeError, RecursionError) as error:
        # protobuf's Python back-end raises the last two (see codec/entries.py).
        raise _not_canonical() from error
    wire.DiscardUnknownFields()
    if wire.SerializeToString(deterministic=True) != data:
        raise _not_canonical()
    return _from_wire(wire)


def _not_canonical() -> MalformedFrame:
    return MalformedFrame(
        "frame-not-canonical", "The other side sent bytes that aren't a ginpeer frame."
    )


def _to_wire(frame: Frame) -> pb.Frame:
    match frame:
        case Hello():
            hello = pb.Hello(
                versions=frame.versions,
                proof=frame.proof,
                software=frame.software,
                extensions=frame.extensions,
            )
            if frame.position is not None:
                hello.position.CopyFrom(_position_to_wire(frame.position))
            return pb.Frame(hello=hello)
        case Welcome():
            welcome = pb.Welcome(
                version=frame.version,
                software=frame.software,
                signature=frame.signature,
                extensions=frame.extensions,
            )
            if frame.position is not None:
                welcome.position.CopyFrom(_position_to_wire(frame.position))
            return pb.Frame(welcome=welcome)
        case EntryFrame():
            return pb.Frame(entry=frame.entry)
        case Chat():
            return pb.Frame(chat=frame.text)
        case Ping():
            return pb.Frame(ping=frame.token)
        case Pong():
            return pb.Frame(pong=frame.token)
        case Pause():
            return pb.Frame(pause=pb.PauseWord.Name(frame.value))
        case AddressUpdate():
            return pb.Frame(whereabouts=frame.packed)
        case Proposal():
            return pb.Frame(proposal=frame.rules)
        case Consent():
            return pb.Frame(consent=pb.ConsentWord.Name(frame.value))
        case Goodbye():
            return pb.Frame(goodbye=pb.Goodbye(code=frame.code, sentence=frame.sentence))


def _from_wire(wire: pb.Frame) -> Frame:
    match wire.WhichOneof("frame"):
        case "hello":
            hello = wire.hello
            position = _position_from_wire(hello.position) if hello.HasField("position") else None
            return Hello(
                tuple(hello.versions),
                hello.proof,
                position,
                hello.software,
                tuple(hello.extensions),
            )
        case "welcome":
            welcome = wire.welcome
            position = (
                _position_from_wire(welcome.position) if welcome.HasField("position") else None
            )
            return Welcome(
                welcome.version,
                position,
                welcome.software,
                welcome.signature,
                tuple(welcome.extensions),
            )
        case "entry":
            return EntryFrame(wire.entry)
        case "chat":
            return Chat(wire.chat)
        case "ping":
            return Ping(wire.ping)
        case "pong":
            return Pong(wire.pong)
        case "pause":
            return _pause_from_wire(wire.pause)
        case "whereabouts":
            return AddressUpdate(wire.whereabouts)
        case "proposal":
            return Proposal(wire.proposal)
        case "consent":
            return _consent_from_wire(wire.consent)
        case "goodbye":
            return Goodbye(wire.goodbye.code, wire.goodbye.sentence)
    raise MalformedFrame("frame-empty", "The other side sent an empty frame.")


def _pause_from_wire(word: int) -> Pause:
    try:
        return Pause(word)
    except ValueError:
        raise MalformedFrame(
            "pause-malformed", "The other side sent an invalid pause message."
        ) from None


def _consent_from_wire(word: int) -> Consent:
    try:
        return Consent(word)
    except ValueError:
        raise MalformedFrame(
            "consent-malformed", "The other side sent an invalid consent message."
        ) from None


def _position_to_wire(position: Position) -> pb.Position:
    return pb.Position(table=position.table, sequence=position.sequence, head=position.head)


def _position_from_wire(wire: pb.Position) -> Position:
    return Position(wire.table, wire.sequence, wire.head)
