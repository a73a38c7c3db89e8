"""Frames as canonical protobuf bytes (PROTOCOL 9.1), without their length prefix.

# The one check, as for entries: bytes are canonical when writing what was read, without the fields
# that the schema does not know, gives the same bytes again. That refuses unknown, duplicate and
# reordered fields, padded varints, wrong wire types, explicit defaults and trailing bytes, none of
# which protobuf minds. It comes before any look at the fields, and with one code for all of it:
# protobuf's back-ends differ in what they make of such bytes.
"""

from __future__ import annotations

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


def encode_frame(frame: Frame) -> bytes:
    """The one encoding of a frame: 1 to MAX_FRAME bytes."""
    return _to_wire(frame).SerializeToString(deterministic=True)


def decode_frame(data: bytes) -> Frame:
    """Strict: raises MalformedFrame unless *data* is the one encoding of a well-formed frame."""
    if len(data) > MAX_FRAME:
        raise MalformedFrame("frame-too-large", f"A frame has at most {MAX_FRAME} bytes.")
    wire = pb.Frame()
    try:
        wire.ParseFromString(data)
    except (DecodeError, UnicodeDecodeError, RecursionError) as error:
        # The latter two: protobuf's Python back-end (see codec/entries.py).
        raise _not_canonical() from error
    wire.DiscardUnknownFields()
    if wire.SerializeToString(deterministic=True) != data:
        raise _not_canonical()
    return _from_wire(wire)


def _not_canonical() -> MalformedFrame:
    return MalformedFrame(
        "frame-not-canonical", "The other side sent bytes that are no frame of ours."
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
    raise MalformedFrame("frame-empty", "The other side sent a frame of no bytes.")


def _pause_from_wire(word: int) -> Pause:
    try:
        return Pause(word)
    except ValueError:
        raise MalformedFrame(
            "pause-malformed", "The other side sent no word for a pause."
        ) from None


def _consent_from_wire(word: int) -> Consent:
    try:
        return Consent(word)
    except ValueError:
        raise MalformedFrame(
            "consent-malformed", "The other side sent no word of consent."
        ) from None


def _position_to_wire(position: Position) -> pb.Position:
    return pb.Position(table=position.table, sequence=position.sequence, head=position.head)


def _position_from_wire(wire: pb.Position) -> Position:
    return Position(wire.table, wire.sequence, wire.head)
