"""The effects that a seat requests from its caller.

The seat yields effects one at a time, and its caller performs each before requesting the next. A
Persist is complete only when the bytes are durable; if it fails, nothing after it happens.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

FailureClass = Literal["A", "B", "C"]
"""A: malformed, blame nobody. B: signed but illegal. C: a fault of our own machine."""


@dataclass(frozen=True, slots=True)
class PersistSeed:
    """Store a hand's seed before anything made from it is shown to anyone."""

    table: bytes
    hand: int
    seed: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Persist:
    """Append an entry to the table's log."""

    table: bytes
    entry: bytes


@dataclass(frozen=True, slots=True)
class PersistEvidence:
    """Store entries beside the log, as evidence against the author of the last one. ``table`` is
    empty if the offer itself is illegal, because there is no table yet."""

    table: bytes
    entries: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Send:
    """Send an entry that is already stored, byte for byte."""

    entry: bytes


@dataclass(frozen=True, slots=True)
class Show:
    """Show our own player what happened."""

    event: object


@dataclass(frozen=True, slots=True)
class Close:
    """End the session. ``failure`` is None if nothing went wrong.

    A fault of our own machine ends the session silently, because we can't know what still works.
    With ``notified``, the other side is told of the fault, and receives everything sent before it.
    """

    code: str
    sentence: str
    failure: FailureClass | None
    notified: bool = False


Effect = PersistSeed | Persist | PersistEvidence | Send | Show | Close
