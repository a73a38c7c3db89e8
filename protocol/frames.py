"""The frames that two peers exchange (WIRE 9), as checked values, as bytes and in a stream.

A frame is checked when it is built, from a peer's bytes or by our own code, so every frame is well
formed. The log's entries travel inside :class:`EntryFrame` as opaque bytes. Nothing else here is
ever stored.

A frame's bytes must be canonical, like those of an entry (protocol/entry.py). That is checked
before any field is read, and one code covers every failure.

In the stream, each frame follows its length, 4 bytes big endian (WIRE 9.1):

Rule 1: a length is checked as soon as its four bytes have arrived, before the frame is collected.
A length of zero or above the limit ends the stream.
Rule 2: frames are yielded one by one, only while the reader requests them. Once the reader closes
the connection, the bytes buffered after that frame are never decoded.

Twisted's Int32StringReceiver breaks both rules: it continues to deliver buffered strings after
loseConnection(), and its sendString() ignores MAX_LENGTH.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from enum import Enum
from typing import Any, get_args

from protocol.codes import CodedError
from protocol.entry import read_canonical
from protocol.messages import HASH_BYTES, MAX_RULES_BYTES
from protocol.wire import frame_pb2 as pb

MAX_FRAME = 128 * 1024
"""The most bytes in a frame, without its length prefix. The largest entry takes half of that."""

PREFIX_BYTES = 4

MAX_CHAT = 500  # characters
MAX_ADDRESS_UPDATE = 2080  # bytes: eight host names of maximum length
MAX_VERSIONS = 16
MAX_EXTENSIONS = 64  # many, because extensions accumulate and version 1 will never accept more
MAX_SOFTWARE = 64
MAX_SENTENCE = 400
PROOF_BYTES = 32
SIGNATURE_BYTES = 64
TABLE_BYTES = 32

_ENVELOPE = 16  # more than the field number and length around the bytes of an entry
_CODE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*", re.ASCII)
_MAX_CODE = 48


class MalformedFrame(CodedError, ValueError):
    """The bytes aren't a frame, or have an impossible field."""


def _require(held: bool, code: str, sentence: str) -> None:
    if not held:
        raise MalformedFrame(code, sentence)


def _are_ascending(numbers: tuple[int, ...]) -> bool:
    """Return whether the numbers are ascending, and between 1 and 2**32 - 1."""
    return all(
        below < number < 2**32 for below, number in zip((0, *numbers), numbers, strict=False)
    )


def _check_extensions(extensions: tuple[int, ...]) -> None:
    _require(
        len(extensions) <= MAX_EXTENSIONS and _are_ascending(extensions),
        "extensions-malformed",
        f"A greeting lists at most {MAX_EXTENSIONS} extensions in ascending order.",
    )


def _check_software(software: str) -> None:
    _require(
        1 <= len(software) <= MAX_SOFTWARE and software.isascii() and software.isprintable(),
        "software-malformed",
        f"A program's name has 1 to {MAX_SOFTWARE} printable ASCII characters.",
    )


def _encodable(text: str) -> bool:
    """Return whether UTF-8 can encode the text, which it can't if a terminal has sent a lone
    surrogate."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


@dataclass(frozen=True, slots=True)
class Position:
    """How far a peer's log of a table goes: the number and the hash of its last entry."""

    table: bytes
    sequence: int
    head: bytes

    def __post_init__(self) -> None:
        _require(
            len(self.table) == TABLE_BYTES
            and len(self.head) == HASH_BYTES
            and 0 <= self.sequence < 2**32,
            "position-malformed",
            "A log position has a table's 32 bytes, a number and a hash of 32 bytes.",
        )


@dataclass(frozen=True, slots=True)
class Hello:
    """The guest's first frame. ``proof`` is empty if a known guest has no unused invite."""

    versions: tuple[int, ...]
    proof: bytes
    position: Position | None
    software: str
    extensions: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        _require(
            1 <= len(self.versions) <= MAX_VERSIONS and _are_ascending(self.versions),
            "versions-malformed",
            f"A hello lists 1 to {MAX_VERSIONS} protocol versions in ascending order.",
        )
        _require(
            len(self.proof) in (0, PROOF_BYTES),
            "proof-malformed",
            f"An invite's proof has {PROOF_BYTES} bytes.",
        )
        _check_software(self.software)
        _check_extensions(self.extensions)


@dataclass(frozen=True, slots=True)
class Welcome:
    """The host's answer: version, common extensions, and a signature over both greetings."""

    version: int
    position: Position | None
    software: str
    signature: bytes
    extensions: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        _require(
            1 <= self.version < 2**32, "versions-malformed", "A welcome names one protocol version."
        )
        _check_software(self.software)
        _require(
            len(self.signature) == SIGNATURE_BYTES,
            "signature-malformed",
            f"A signature has {SIGNATURE_BYTES} bytes.",
        )
        _check_extensions(self.extensions)


@dataclass(frozen=True, slots=True)
class EntryFrame:
    """One log entry, byte for byte as it was signed; the referee judges its content."""

    entry: bytes

    def __post_init__(self) -> None:
        _require(
            1 <= len(self.entry) <= MAX_FRAME - _ENVELOPE,
            "entry-malformed",
            "An entry is never empty and must fit into one frame.",
        )


@dataclass(frozen=True, slots=True)
class Chat:
    """A line of chat from one player to the other. Clean it before you show it."""

    text: str

    def __post_init__(self) -> None:
        _require(bool(self.text), "chat-empty", "There is nothing to send.")
        _require(
            len(self.text) <= MAX_CHAT,
            "chat-too-long",
            f"A chat message can have at most {MAX_CHAT} characters.",
        )
        _require(
            _encodable(self.text),
            "chat-malformed",
            "The line contains characters that UTF-8 can't encode.",
        )


@dataclass(frozen=True, slots=True)
class _Token:
    token: int

    def __post_init__(self) -> None:
        _require(0 <= self.token < 2**64, "token-malformed", "A ping's token has 64 bits.")


class Ping(_Token):
    """Asks whether the peer is still there."""

    __slots__ = ()


class Pong(_Token):
    """The answer to a ping, with its token."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class AddressUpdate:
    """Encoded addresses at which the sender says that it can be reached later (WIRE 9.11)."""

    packed: bytes

    def __post_init__(self) -> None:
        _require(
            1 <= len(self.packed) <= MAX_ADDRESS_UPDATE,
            "whereabouts-malformed",
            f"Addresses take 1 to {MAX_ADDRESS_UPDATE} bytes.",
        )


@dataclass(frozen=True, slots=True)
class Proposal:
    """The rules by which the guest would like to play next, as unparsed text (WIRE 9.12)."""

    rules: str

    def __post_init__(self) -> None:
        _require(
            _encodable(self.rules) and 1 <= len(self.rules.encode()) <= MAX_RULES_BYTES,
            "proposal-malformed",
            f"Proposed rules take 1 to {MAX_RULES_BYTES} bytes.",
        )


class Pause(Enum):
    """A player's message about a pause. To agree, the opponent sends ``Goodbye(PAUSED, ...)``."""

    ASK = 1
    DECLINE = 2
    WITHDRAW = 3


class Consent(Enum):
    """Gives or withdraws consent to show this log to another table's players. Both players must
    consent (WIRE 9.12)."""

    GIVE = 1
    TAKE_BACK = 2


PAUSED = "paused"  # the code of a goodbye that answers Pause.ASK with yes


@dataclass(frozen=True, slots=True)
class Goodbye:
    """Why the sender closes the connection. The sentence is only the sender's claim."""

    code: str
    sentence: str

    def __post_init__(self) -> None:
        _require(
            len(self.code) <= _MAX_CODE and _CODE.fullmatch(self.code) is not None,
            "goodbye-malformed",
            "A goodbye's code is a few lower-case words joined by dashes.",
        )
        _require(
            len(self.sentence) <= MAX_SENTENCE and _encodable(self.sentence),
            "goodbye-malformed",
            f"A goodbye's sentence has at most {MAX_SENTENCE} characters.",
        )


Frame = (
    Hello
    | Welcome
    | EntryFrame
    | Chat
    | Ping
    | Pong
    | Pause
    | AddressUpdate
    | Proposal
    | Consent
    | Goodbye
)


# --- a frame as canonical protobuf bytes ----------------------------------------------------------

_NAMES: dict[type[Any], str] = {
    **{kind: kind.__name__.lower() for kind in get_args(Frame)},
    EntryFrame: "entry",
    AddressUpdate: "whereabouts",
}
"""For each kind, the name of its field in the schema's Frame. That field is a message with the same
fields as the class or, for a class with only one field, that field's value."""

_KINDS = {name: kind for kind, name in _NAMES.items()}


def encode_frame(frame: Frame) -> bytes:
    """Return the canonical encoding of a frame: 1 to MAX_FRAME bytes."""
    wire = pb.Frame(**{_NAMES[type(frame)]: _to_wire(frame)})
    return wire.SerializeToString(deterministic=True)


def decode_frame(data: bytes) -> Frame:
    """Return the frame with exactly this encoding. Raises MalformedFrame if there is none."""
    if len(data) > MAX_FRAME:
        raise MalformedFrame("frame-too-large", f"A frame has at most {MAX_FRAME} bytes.")
    wire = pb.Frame()
    if not read_canonical(wire, data):
        raise MalformedFrame(
            "frame-not-canonical", "The other side sent bytes that aren't a ginpeer frame."
        )
    frame: Frame = _from_wire(wire)
    return frame


def _to_wire(part: Any) -> Any:
    """Return a frame, or the position in a frame, as protobuf."""
    match part:
        case Pause() | Consent():
            return part.value
        case Hello() | Welcome() | Goodbye() | Position():
            values = {field.name: getattr(part, field.name) for field in fields(part)}
            if "position" in values:
                values["position"] = _to_wire(values["position"])
            return getattr(pb, type(part).__name__)(**values)
        case None:
            return None
        case _:
            (only,) = fields(part)
            return getattr(part, only.name)


def _from_wire(wire: pb.Frame) -> Any:
    name = wire.WhichOneof("frame")
    if name is None:
        raise MalformedFrame("frame-empty", "The other side sent an empty frame.")
    kind, value = _KINDS[name], getattr(wire, name)
    if kind in (Pause, Consent) and value not in [word.value for word in kind]:
        if kind is Pause:
            raise MalformedFrame("pause-malformed", "The other side sent an invalid pause message.")
        raise MalformedFrame("consent-malformed", "The other side sent an invalid consent message.")
    if kind not in (Hello, Welcome, Goodbye):
        return kind(value)
    values = {field.name: getattr(value, field.name) for field in fields(kind)}
    for repeated in ("versions", "extensions"):
        if repeated in values:
            values[repeated] = tuple(values[repeated])
    if "position" in values:
        at = values["position"]
        known = value.HasField("position")
        values["position"] = Position(at.table, at.sequence, at.head) if known else None
    return kind(**values)


# --- frames in a byte stream ----------------------------------------------------------------------


def enclose(body: bytes) -> bytes:
    """Return the frame with its length in front. Raises ValueError for an impossible length."""
    if not 1 <= len(body) <= MAX_FRAME:
        raise ValueError(f"a frame has 1 to {MAX_FRAME} bytes, not {len(body)}")
    return len(body).to_bytes(PREFIX_BYTES, "big") + body


class FrameReader:
    """A reader that takes bytes in pieces of any size and yields the bodies of whole frames.

    It buffers at most one unfinished frame (``limit`` bytes and a prefix) and the latest piece.
    ``limit`` is smaller for a stranger than for a peer, so it can be raised between frames.
    """

    def __init__(self, limit: int = MAX_FRAME) -> None:
        self.limit = limit
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield the bodies of the frames that *data* completes. Exhaust the iterator before the
        next call. Raises MalformedFrame for an impossible length."""
        buffer = self._buffer
        buffer += data
        while len(buffer) >= PREFIX_BYTES:
            length = int.from_bytes(buffer[:PREFIX_BYTES], "big")
            if length == 0:
                raise MalformedFrame("frame-empty", "The other side sent an empty frame.")
            if length > self.limit:
                raise MalformedFrame(
                    "frame-too-large",
                    f"The other side announced a frame of {length} bytes; the limit is "
                    f"{self.limit}.",
                )
            end = PREFIX_BYTES + length
            if len(buffer) < end:
                return
            body = bytes(buffer[PREFIX_BYTES:end])
            del buffer[:end]  # moves no bytes: CPython only advances the start
            yield body
