"""Code that protoc generated, for protocol.entry and protocol.frames, and how both read canonical
bytes."""

from __future__ import annotations

from google.protobuf.message import DecodeError, Message


def read_canonical(wire: Message, data: bytes) -> bool:
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
