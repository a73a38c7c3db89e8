"""Frames on a byte stream: a 4-byte big-endian length, then the frame (PROTOCOL 9.1).

# Rule 1: a length is judged as soon as its four bytes are there, before anything is stored for
# it. Zero and more than the limit end the stream.
# Rule 2: frames come out one by one, and only while somebody asks. Whoever closes stops asking,
# and what is already buffered behind the frame that caused it is never looked at.
#
# Twisted's Int32StringReceiver breaks both: it goes on delivering what it has after
# loseConnection(), and its sendString() never looks at MAX_LENGTH.
"""

from __future__ import annotations

from collections.abc import Iterator

from protocol.frames import MAX_FRAME, MalformedFrame

PREFIX_BYTES = 4


def enclose(body: bytes) -> bytes:
    """A frame's bytes as they go onto the wire. ValueError for a body that no peer would take."""
    if not 1 <= len(body) <= MAX_FRAME:
        raise ValueError(f"a frame has 1 to {MAX_FRAME} bytes, not {len(body)}")
    return len(body).to_bytes(PREFIX_BYTES, "big") + body


class FrameReader:
    """Takes bytes as they come, in any pieces, and hands out the bodies of whole frames.

    It holds at most one unfinished frame (``limit`` bytes and a prefix) and the piece that was
    fed last. ``limit`` may be raised between frames: a stranger's is smaller than a peer's.
    """

    def __init__(self, limit: int = MAX_FRAME) -> None:
        self.limit = limit
        self._buffer = bytearray()

    @property
    def buffered(self) -> int:
        """Bytes held."""
        return len(self._buffer)

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The bodies that *data* completes, lazily; raises MalformedFrame at an impossible length.

        Iterate to the end or never feed again.
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
            raise MalformedFrame("frame-empty", "The other side sent a frame of no bytes.")
        if length > self.limit:
            raise MalformedFrame(
                "frame-too-large",
                f"The other side announced a frame of {length} bytes; {self.limit} is the limit.",
            )
        end = PREFIX_BYTES + length
        if len(buffer) < end:
            return None
        body = bytes(buffer[PREFIX_BYTES:end])
        del buffer[:end]  # moves no bytes: CPython only advances the start
        return body
