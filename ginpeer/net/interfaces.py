"""Who stands around a session: the seat, the journal, the player, the clock (all passed in)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from ginpeer.seat.effects import Effect, FailureClass
from protocol.frames import Consent, Frame, Goodbye, Pause, Position


@dataclass(frozen=True, slots=True)
class PeerInfo:
    """The other side, once it has proven its key.

    ``software`` and ``position`` are its own claims. ``known_as`` is what we remember the key by.
    ``extensions`` are those of the wire that hold on this connection (PROTOCOL 9.12). ``bot`` is
    whether the other side says that a bot plays for it.
    """

    key: bytes
    fingerprint: str
    software: str
    address: str
    position: Position | None = None
    known_as: str | None = None
    extensions: tuple[int, ...] = ()
    bot: bool = False


@dataclass(frozen=True, slots=True)
class Closed:
    """How a session ended: a stable code, the sentence for our player, whose failure it was."""

    code: str
    sentence: str
    failure: FailureClass | None = None


class Seat(Protocol):
    """Our side of the match. Entries in, effects out; it does no I/O."""

    def meet(self, theirs: Position | None, /) -> Iterable[Effect]: ...

    def receive(self, raw: bytes, /) -> Iterable[Effect]: ...

    def sync_pending(self) -> int | None: ...

    def play(self, move: Any, /) -> Iterable[Effect]: ...

    def resign(self) -> Iterable[Effect]: ...

    def agreed(self) -> bool: ...

    def owes_next(self) -> bool | None: ...

    def owes_choice(self) -> bool: ...

    def offer_to_consider(self) -> Any: ...

    def accept(self) -> Iterable[Effect]: ...

    def offer(self) -> Iterable[Effect]: ...

    def can_continue(self) -> bool: ...

    def can_come_back(self) -> bool: ...

    def view(self) -> Any: ...


class Journal(Protocol):
    """Stores bytes, and returns only when they are durable. Whatever it raises is our fault (C)."""

    def persist_seed(self, table: bytes, hand: int, seed: bytes, /) -> None: ...

    def persist(self, table: bytes, entry: bytes, /) -> None: ...

    def persist_evidence(self, table: bytes, entries: tuple[bytes, ...], /) -> None: ...


class Player(Protocol):
    """A person or a bot. Nothing here blocks; moves come back through ``Session.play``, and the
    answer to an offer through ``Session.accept`` or ``Session.decline``."""

    def connected(self, peer: PeerInfo, /) -> None: ...

    def show(self, event: Any, /) -> None: ...

    def consider(self, offer: Any, /) -> None:
        """A match is offered to our player; nothing is signed before it is accepted."""

    def choose(self, view: Any, /) -> None:
        """It is our player's move; called once each time that becomes so."""

    def chat(self, text: str, /) -> None:
        """What the other player says, uncleaned: clean it before it meets a terminal."""

    def pause(self, word: Pause, /) -> None:
        """What the other player says of a pause. An ASK is answered with ``Session.pause`` or
        ``Session.no_pause``, now or later, or never."""

    def proposed(self, rules: str, /) -> None:
        """By which rules a guest would like to play; its words, and hostile."""

    def consent(self, word: Consent, /) -> None:
        """Whether the other player consents to the log being shown to another table; it may say
        the same again."""

    def closed(self, reason: Closed, /) -> None:
        """The end, called once; the connection is gone and the log is kept."""


class KnownPeers(Protocol):
    """The keys that we have met."""

    def name_of(self, key: bytes, /) -> str | None: ...

    def remember(self, key: bytes, address: str, /) -> None: ...

    def told(self, key: bytes, addresses: tuple[str, ...], /) -> None:
        """Where the owner of this key says that it can be reached."""


class Wire(Protocol):
    """What carries a session's frames. After ``part`` or ``abort`` nothing more is delivered,
    and ``Session.gone`` is called once, later."""

    def send(self, frame: Frame, /) -> None: ...

    def part(self, goodbye: Goodbye | None, /) -> None:
        """Let what was sent arrive, say goodbye, then close."""

    def abort(self) -> None:
        """Close at once; send nothing more."""


class Timer(Protocol):
    """A call that the clock will make (IDelayedCall)."""

    def active(self) -> bool: ...

    def cancel(self) -> None: ...

    def reset(self, seconds: float, /) -> None: ...


class Clock(Protocol):
    """Time, as Twisted's reactor or its test clock tells it (IReactorTime)."""

    def seconds(self) -> float: ...

    def callLater(self, delay: float, call: Callable[..., Any], /, *args: Any) -> Timer: ...
