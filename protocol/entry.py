"""Log entries: signed, hash-chained, and with exactly one encoding (PROTOCOL 2).

An entry is a canonical body and the author's Ed25519 signature:

  entry     = body || signature (64 bytes)
  signature = Ed25519(author, frame("ginpeer/v1", "entry") || body)
  hash      = SHA-256(frame("ginpeer/v1", "entry-hash") || frame("entry", entry))

The body names the table, its own number and the hash of the entry before it. It doesn't name its
author: the state before the entry says who owes it, and the signature verifies only with that
player's key. Bytes are signed, hashed, stored and forwarded exactly as they arrived.

A body is canonical protobuf, and one check is enough: encoding it again, without the fields that
the schema doesn't know, must give the same bytes. Unknown and duplicate fields, fields out of
order, padded varints, wrong wire types, explicit defaults and trailing bytes all fail this check,
so we don't need our own parser. The check is made before any field is read, because protobuf's
back-ends read non-canonical bytes differently, and a log must get the same verdict from both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, get_args

from google.protobuf.message import DecodeError
from google.protobuf.message import Message as WireMessage

from protocol import messages as m
from protocol.crypto.hashing import frame, framed_hash
from protocol.crypto.identity import BadSignature, IdentityKey, verify_signature
from protocol.wire import entry_pb2 as pb

MAX_BODY = 64 * 1024  # 300 disclosed seeds take 10 KiB, a dealer's deck 9 KiB
SIGNATURE_BYTES = 64
MAX_ENTRY = MAX_BODY + SIGNATURE_BYTES
# A log file (PROTOCOL 2.7): 8 bytes, then each entry, preceded by its length.
LOG_HEAD_BYTES = 8
RECORD_HEAD_BYTES = 4
MAX_LOG_BYTES = 64 * 1024 * 1024  # more than 400 hands; a match to 100 takes about 1 MB
MAX_LOG_ENTRIES = 2**17  # 400 hands have about 40,000

GENESIS = bytes(32)  # the "previous hash" of the first entry

_SIGNED = frame("ginpeer/v1", b"entry")


class NotAnEntry(ValueError):
    """The bytes are too short or too long to be an entry."""

    code = "not-an-entry"


class NotCanonical(ValueError):
    """The bytes of an entry aren't the canonical encoding of any message."""

    code = "not-canonical"


@dataclass(frozen=True, slots=True)
class RawEntry:
    """An entry as it arrived, split but not verified: no signature has been checked."""

    unverified_body: bytes
    signature: bytes

    @classmethod
    def split(cls, raw: bytes) -> RawEntry:
        """Split an entry's bytes. Raises NotAnEntry if there are too few or too many."""
        if not SIGNATURE_BYTES < len(raw) <= MAX_ENTRY:
            raise NotAnEntry(f"{len(raw)} bytes can't be an entry")
        return cls(raw[:-SIGNATURE_BYTES], raw[-SIGNATURE_BYTES:])

    @property
    def signed_message(self) -> bytes:
        """The bytes that the author's signature covers."""
        return _SIGNED + self.unverified_body

    def is_signed_by(self, key: bytes | None) -> bool:
        """Return whether the signature is valid under this key; False if the key isn't known."""
        if key is None:
            return False
        try:
            verify_signature(key, self.signed_message, self.signature)
        except BadSignature:
            return False
        return True

    def decode(self) -> m.Body:
        """Return the body. Raises NotCanonical or Malformed."""
        return decode_body(self.unverified_body)


def entry_hash(raw: bytes) -> bytes:
    """Return the hash that the next entry names as ``previous``."""
    return framed_hash("entry-hash", ("entry", raw))


def sign_entry(signer: IdentityKey, body: m.Body) -> bytes:
    """Return the signed entry. Sign each position only once: two different entries convict you."""
    data = encode_body(body)
    return data + signer.sign(_SIGNED + data)


def record_bytes(entry: bytes) -> bytes:
    """Return one entry as a record of a log file. The caller has checked its length."""
    return len(entry).to_bytes(RECORD_HEAD_BYTES, "big") + entry


# --- how much of a match fits into one log --------------------------------------------------------
#
# No program reads a log above MAX_LOG_BYTES or MAX_LOG_ENTRIES, either to verify it or to continue
# its match (PROTOCOL 2.7). So a match stops before that. From the start of the log to its end:
#
#   ..... hands ..... | last hand | ........ closing ........ | last entry of a cheat |
#                     ^           ^                           ^                       ^
#          no hand begins here    nothing but the end of      nothing is stored       max_bytes,
#                                 the match is signed here    but evidence            max_entries
#
# The first two bounds depend on the log alone, so both sides stop at the same entry and can tell
# their players why. A hand takes about 100 KB, so nearly every match stops between two hands; but a
# rule set can allow a hand of any length. There is always room for the end of a match (settlement
# and seeds take about 70 bytes a hand, and no hand takes less than 20 KB), and after that for an
# illegal entry, so that a cheat can be convicted even in a full log.

_SOON = 10  # we warn the player this many hands before the log is full


@dataclass(frozen=True, slots=True)
class Capacity:
    """The bounds of a log file, in bytes and entries, and the space kept free at its end."""

    max_bytes: int = MAX_LOG_BYTES
    max_entries: int = MAX_LOG_ENTRIES
    hand_bytes: int = 3 * 1024 * 1024
    hand_entries: int = 4096
    closing_bytes: int = 1024 * 1024
    closing_entries: int = 1024

    def has_room_for_hand(self, size: LogSize) -> bool:
        """Return whether another hand may begin in a log of this size."""
        after = LogSize(size.length + self.hand_bytes, size.entries + self.hand_entries)
        return self.has_room_for_move(after)

    def has_room_for_move(self, size: LogSize) -> bool:
        """Return whether a hand may continue in a log of this size."""
        return (
            size.length + self.closing_bytes <= self.max_bytes
            and size.entries + self.closing_entries <= self.max_entries
        )

    def can_store(self, size: LogSize) -> bool:
        """Return whether a log may grow to this size. An illegal entry must then still fit in."""
        return (
            size.length + RECORD_HEAD_BYTES + MAX_ENTRY <= self.max_bytes
            and size.entries < self.max_entries
        )

    def hands_left(self, size: LogSize, hands: int) -> int | None:
        """Return how many more hands may begin in a log of this size, which has *hands* so far, if
        their average length stays the same; None if more than ten may begin, or before the first
        hand."""
        if not hands:
            return None
        bytes_left = self.max_bytes - self.closing_bytes - self.hand_bytes - size.length
        entries_left = self.max_entries - self.closing_entries - self.hand_entries - size.entries
        if bytes_left < 0 or entries_left < 0:
            return 0
        left = 1 + min(bytes_left * hands // size.length, entries_left * hands // size.entries)
        return left if left <= _SOON else None


CAPACITY = Capacity()  # the capacity of every match's log


@dataclass(frozen=True, slots=True)
class LogSize:
    """The length of a log file in bytes, and its number of entries."""

    length: int = LOG_HEAD_BYTES
    entries: int = 0

    @classmethod
    def of(cls, entries: Sequence[bytes]) -> LogSize:
        length = sum(map(len, entries)) + RECORD_HEAD_BYTES * len(entries)
        return cls(LOG_HEAD_BYTES + length, len(entries))


# --- the bodies as protobuf -----------------------------------------------------------------------
#
# A message and its fields have the same names in the schema as in protocol.messages; Body has a
# field for each kind, with the name of the kind in lower case and underscores. Most fields have the
# same values as well; _FORMS converts the others.

_NAMES: dict[type[m.Message], str] = {
    kind: re.sub("(?<!^)(?=[A-Z])", "_", kind.__name__).lower() for kind in get_args(m.Message)
}
_KINDS = {name: kind for kind, name in _NAMES.items()}
_FIELDS = {
    kind: tuple(field.name for field in fields(kind)) for kind in (*get_args(m.Message), m.LayOff)
}

_Form = tuple[Callable[[Any], Any], Callable[[Any], Any]]
"""The two functions that encode and decode a field."""

_COUNTED = ("cards", "positions", "melds", "layoffs", "adds")
_SAME: _Form = (lambda value: value, lambda value: value)
_LAYOFFS: _Form = (
    lambda layoffs: [_to_wire(layoff) for layoff in layoffs],
    lambda wire: tuple(_from_wire(m.LayOff, each) for each in wire),
)
_FORMS: dict[str, _Form] = {
    "disclosure": (int, m.Disclosure),
    "winner": (int, m.Winner),
    "seeds": (list, tuple),
    "cards": (bytes, tuple),
    "positions": (bytes, tuple),
    "melds": (lambda melds: [bytes(meld) for meld in melds], lambda wire: tuple(map(tuple, wire))),
    "layoffs": _LAYOFFS,
    "adds": _LAYOFFS,
    "lay": (lambda lay: _to_wire(lay), lambda wire: _from_wire(m.Lay, wire)),
}
"""How to convert the fields that have a different form in protobuf, by name."""


def kind_name(kind: type[m.Message]) -> str:
    """Return the stable name of a message kind, as in the schema: ``deal_commit``."""
    return _NAMES[kind]


def _to_wire(message: Any) -> Any:
    """Return a message as protobuf. A field that is None is left out."""
    values = {
        name: _FORMS.get(name, _SAME)[0](getattr(message, name)) for name in _FIELDS[type(message)]
    }
    return getattr(pb, type(message).__name__)(**values)


def _from_wire(kind: Any, wire: Any) -> Any:
    """Return the message of this kind in *wire*. Raises Malformed, or ValueError for an unknown
    enumeration value."""
    values = {name: getattr(wire, name) for name in _FIELDS[kind]}
    # Check the counts before converting anything: 64 KiB can hold 32,000 empty melds or lay-offs.
    for name, value in values.items():
        if name in _COUNTED:
            m.check_count(name, len(value))
    if kind is m.Knock and not wire.HasField("discard"):
        values["discard"] = None
    return kind(**{name: _FORMS.get(name, _SAME)[1](value) for name, value in values.items()})


def encode_body(body: m.Body) -> bytes:
    """Return the canonical encoding of a body."""
    wire = pb.Body(
        table=body.table,
        sequence=body.sequence,
        previous=body.previous,
        **{_NAMES[type(body.message)]: _to_wire(body.message)},
    )
    return wire.SerializeToString(deterministic=True)


def offered_version(data: bytes) -> int | None:
    """Return the protocol version that an offer names, canonical or not; None for anything else.

    An offer by a later version may have fields that this one doesn't know. The player should then
    hear about the version, not about wrong bytes. The fields are read here without protobuf, whose
    back-ends read non-canonical bytes differently (PROTOCOL 7.4).
    """
    try:
        offer = _last_fields(data).get((pb.Body.OFFER_FIELD_NUMBER, _LENGTH_DELIMITED))
        if not isinstance(offer, bytes):
            return None
        version = _last_fields(offer).get((pb.Offer.VERSION_FIELD_NUMBER, _VARINT))
    except ValueError:
        return None
    return version % 2**32 if isinstance(version, int) else 0


_VARINT, _FIXED64, _LENGTH_DELIMITED, _FIXED32 = 0, 1, 2, 5
_MAX_FIELDS = 64  # in an offer of any version: refusing one mustn't take long


def _last_fields(data: bytes) -> dict[tuple[int, int], int | bytes]:
    """Return the last value for each field number and wire type.

    Raises ValueError unless the bytes are a sequence of at most _MAX_FIELDS fields.
    """
    found: dict[tuple[int, int], int | bytes] = {}
    at = count = 0
    while at < len(data):
        tag, at = _varint(data, at)
        number, kind = tag >> 3, tag & 7
        count += 1
        if count > _MAX_FIELDS or not 0 < number < 2**29:
            raise ValueError("there are too many fields, or no field has this number")
        if kind == _VARINT:
            found[number, kind], at = _varint(data, at)
            continue
        if kind == _LENGTH_DELIMITED:
            length, at = _varint(data, at)
        elif kind in (_FIXED64, _FIXED32):
            length = 8 if kind == _FIXED64 else 4
        else:
            raise ValueError("no field has this wire type")
        if length > len(data) - at:
            raise ValueError("a field doesn't end")
        found[number, kind] = data[at : at + length]
        at += length
    return found


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return a number of up to ten bytes, and where it ends."""
    number = 0
    for place, byte in enumerate(data[at : at + 10]):
        number |= (byte & 127) << 7 * place
        if byte < 128:
            return number % 2**64, at + place + 1
    raise ValueError("a number doesn't end")


def read_canonical(wire: WireMessage, data: bytes) -> bool:
    """Read these bytes into an empty message. Return whether encoding it again, without the fields
    that the schema doesn't know, gives the same bytes."""
    try:
        wire.ParseFromString(data)
    except (DecodeError, UnicodeDecodeError, RecursionError):
        # protobuf's Python back-end raises the last two: on bad UTF-8 and, before 6.31.1, on groups
        # nested too deep.
        return False
    wire.DiscardUnknownFields()
    return wire.SerializeToString(deterministic=True) == data


def decode_body(data: bytes) -> m.Body:
    """Return the body that these bytes encode. Raises NotCanonical or messages.Malformed."""
    if len(data) > MAX_BODY:
        raise NotCanonical(f"the entry has {len(data)} bytes; the limit is {MAX_BODY}")
    wire = pb.Body()
    if not read_canonical(wire, data):
        raise NotCanonical("the entry isn't in canonical form")
    field = wire.WhichOneof("message")
    if field is None:
        raise NotCanonical("the entry contains no message that this version knows")
    try:
        message = _from_wire(_KINDS[field], getattr(wire, field))
    except ValueError as error:  # Malformed, or a number that isn't in the enumeration
        raise m.Malformed(str(error)) from error
    return m.Body(wire.table, wire.sequence, wire.previous, message)
