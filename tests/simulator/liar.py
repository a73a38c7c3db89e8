"""A peer that sends whatever it likes.

Its program is the real one, but now and then it replaces what it would send: with nothing, with two
copies, with an old frame, with bytes that aren't a frame, with a flood, or with an entry that its
key has signed and the rules forbid. Sometimes it sends a frame late, or lies about the position of
its log. If *signs* is false, it only garbles frames: then nobody may be convicted, and the match
must continue once it has stopped lying.
"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

from protocol import messages as m
from protocol.entry import RawEntry, sign_entry
from protocol.frames import (
    PREFIX_BYTES,
    Chat,
    EntryFrame,
    Goodbye,
    Pause,
    Ping,
    Pong,
    Position,
    decode_frame,
    enclose,
    encode_frame,
)

if TYPE_CHECKING:
    from tests.simulator.process import Process

_HELD = 12


class Liar:
    """A wrapper that changes the frames of one machine's program while *lying*."""

    def __init__(self, rng: random.Random, rate: float, *, signs: bool) -> None:
        self.lying = True
        self.signs = signs
        self._rng = rng
        self._rate = rate
        self._sent: list[bytes] = []
        self._held: list[bytes] = []

    def instead_of(self, process: Process, data: bytes) -> list[bytes]:
        """Return the frames to send in place of this one, which is usually the only one."""
        self._sent = [*self._sent[-_HELD:], data]
        rng = self._rng
        held, self._held = self._held, []
        if not self.lying or rng.random() >= self._rate:
            return [data, *held]
        lies = [
            *(self._twice, self._nothing, self._later, self._something_old, self._flipped),
            *(self._no_frame, self._flood, self._unasked),
        ]
        if self.signs:
            lies += [self._signed, self._signed_twice] * 6
        lie = rng.choice(lies)
        process.world.fault(f"lie: {lie.__name__.strip('_').replace('_', ' ')}")
        return [*lie(process, data), *held]

    def position(self, process: Process, position: Position | None) -> Position | None:
        """Return the log position that the liar claims, which may be false."""
        rng = self._rng
        if not self.lying or rng.random() >= min(0.5, 4 * self._rate):
            return position
        process.world.fault("lie: position")
        if position is None:
            return Position(rng.randbytes(32), rng.randrange(100), rng.randbytes(32))
        return rng.choice(
            (
                None,
                replace(position, sequence=position.sequence + rng.randint(1, 5)),
                replace(position, sequence=max(0, position.sequence - rng.randint(1, 5))),
                replace(position, head=rng.randbytes(32)),
                replace(position, table=rng.randbytes(32)),
            )
        )

    # --- lies that need no key ---------------------------------------------------------

    def _twice(self, process: Process, data: bytes) -> list[bytes]:
        return [data, data]

    def _nothing(self, process: Process, data: bytes) -> list[bytes]:
        return []

    def _later(self, process: Process, data: bytes) -> list[bytes]:
        self._held = [data]
        return []

    def _something_old(self, process: Process, data: bytes) -> list[bytes]:
        return [self._rng.choice(self._sent), data]

    def _flipped(self, process: Process, data: bytes) -> list[bytes]:
        flipped = bytearray(data)
        flipped[self._rng.randrange(len(data))] ^= 1 << self._rng.randrange(8)
        return [bytes(flipped)]

    def _no_frame(self, process: Process, data: bytes) -> list[bytes]:
        rng = self._rng
        return [
            rng.choice((rng.randbytes(rng.randint(1, 300)), enclose(rng.randbytes(40)), bytes(4)))
        ]

    def _flood(self, process: Process, data: bytes) -> list[bytes]:
        chat = enclose(encode_frame(Chat("x" * 400)))
        return [data, *[chat] * self._rng.choice((20, 150))]

    def _unasked(self, process: Process, data: bytes) -> list[bytes]:
        rng = self._rng
        frames = (*Pause, Ping(7), Pong(rng.randrange(5)), Goodbye("because", "So."))
        frame = rng.choice(frames)
        return [enclose(encode_frame(frame)), data]

    # --- lies that it signs ------------------------------------------------------------

    def _signed(self, process: Process, data: bytes) -> list[bytes]:
        """Sign a different entry, or an entry out of turn."""
        return [self._other_entry(process, data)]

    def _signed_twice(self, process: Process, data: bytes) -> list[bytes]:
        entries = [data, self._other_entry(process, data)]
        self._rng.shuffle(entries)
        return entries

    def _other_entry(self, process: Process, data: bytes) -> bytes:
        frame = decode_frame(data[PREFIX_BYTES:])
        if not isinstance(frame, EntryFrame):
            return data
        body = RawEntry.split(frame.entry).decode()
        message = self._other_message(body.message)
        identity = process.machine.identities[-1]
        return enclose(
            encode_frame(EntryFrame(sign_entry(identity, replace(body, message=message))))
        )

    def _other_message(self, message: m.Message) -> m.Message:
        rng = self._rng
        if isinstance(message, m.Discard) and rng.random() < 0.5:
            return replace(message, card=rng.randrange(52))
        if isinstance(message, m.Share) and rng.random() < 0.7:
            return replace(message, proof=rng.randbytes(31) + b"\0")
        return rng.choice(
            (m.Pass(), m.TakeUpcard(), m.DrawStock(), m.Resign(), m.CutValue(rng.randbytes(32)))
        )
