"""The objects that the network code is passed, as interfaces: a session's seat, journal, player,
wire and clock, and a guest that is looking for its host."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from ginpeer.seat.seat import Effect, FailureClass
from protocol.frames import Consent, Frame, Goodbye, Pause, Position

if TYPE_CHECKING:
    from twisted.internet.defer import Deferred

    from ginpeer.net.address import Address
    from ginpeer.net.codes import Reply


@dataclass(frozen=True, slots=True)
class PeerInfo:
    """What we know about a peer that has proven its key.

    ``position`` is the peer's own claim. ``known_as`` is our name for the key, if we know it.
    ``extensions`` are the protocol extensions of this connection (WIRE 9.12). ``bot``: whether the
    other side says that a bot plays for it.
    """

    key: bytes
    fingerprint: str
    address: str
    position: Position | None = None
    known_as: str | None = None
    extensions: tuple[int, ...] = ()
    bot: bool = False


@dataclass(frozen=True, slots=True)
class CloseReason:
    """Why a session ended: a stable code, the sentence for our player, and the class of a failure.

    A: the peer sent something garbled; nobody is blamed, and the match can be resumed. B: the peer
    signed something illegal; the match stops. C: this program or this machine failed.
    """

    code: str
    sentence: str
    failure: FailureClass | None = None


class SeatPort(Protocol):
    """Our side of the match: accepts entries, returns effects, and does no I/O."""

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
    def view(self) -> Any: ...


class JournalPort(Protocol):
    """Stores bytes durably before a call returns. Its errors are faults of our own (class C)."""

    def persist_seed(self, table: bytes, hand: int, seed: bytes, /) -> None: ...
    def persist(self, table: bytes, entry: bytes, /) -> None: ...
    def persist_evidence(self, table: bytes, entries: tuple[bytes, ...], /) -> None: ...


class PlayerPort(Protocol):
    """A person or a bot. No method blocks: moves come back through ``Session.play``, and the answer
    to an offer through ``Session.accept`` or ``Session.decline``."""

    def connected(self, peer: PeerInfo, /) -> None: ...
    def show(self, event: Any, /) -> None: ...

    def consider(self, offer: Any, /) -> None:
        """Ask our player about an offered match. Nothing is signed before our player accepts it."""

    def choose(self, view: Any, /) -> None:
        """Ask our player for a move. Called once for each move."""

    def chat(self, text: str, /) -> None:
        """Show a chat line from the opponent. Clean it before you show it on a terminal."""

    def pause(self, word: Pause, /) -> None:
        """Show the opponent's message about a pause. Answer an ASK with ``Session.pause`` or
        ``Session.decline_pause``, now, later or never."""

    def proposed(self, rules: str, /) -> None:
        """Show the rules that the guest proposes. The text may be hostile."""

    def consent(self, word: Consent, /) -> None:
        """Show whether the opponent lets another table see the log. May be called repeatedly."""

    def closed(self, reason: CloseReason, /) -> None:
        """Report, once, that the connection is gone."""


class KnownPeersPort(Protocol):
    """The keys of the players that we know."""

    def name_of(self, key: bytes, /) -> str | None: ...
    def remember(self, key: bytes, address: str, /) -> None: ...

    def note_addresses(self, key: bytes, addresses: tuple[str, ...], /) -> None:
        """Remember the addresses at which the owner of this key claims to be reachable."""


class GuestPort:
    """A guest, as seen by the Reconnector and the HolePunch that look for its host. Subclasses
    override the methods that they need."""

    @property
    def was_admitted(self) -> bool:
        """Whether the host has admitted us before. If so, we keep trying until it is back."""
        return False

    @property
    def has_match(self) -> bool:
        """Whether a match was agreed with the host."""
        return False

    @property
    def is_over(self) -> bool:
        """Whether the connection is no longer wanted."""
        return False

    @property
    def host_addresses(self) -> tuple[Address, ...]:
        """The addresses that the host has named since it made the invite. They are tried before the
        invite's."""
        return ()

    def ask_addresses(self, port: Any, /) -> Mapping[str, Deferred[Address]]:
        """Ask servers and routers for the public address of this port, an IListeningPort. Return
        the answers, keyed by the name of the source. A Deferred may fail with any error; cancelling
        it stops the query."""
        return {}

    def on_host_absent(self) -> None:
        """Report, once, that a host which has never admitted us can't be reached yet."""

    def on_refused(self, code: str, sentence: str, /) -> None:
        """Report, once for each code, that the host refuses us, or that our proxy or Tor doesn't
        connect, and that we keep trying."""

    def on_lost(self) -> None:
        """Report, for each attempt, that a host which has admitted us before doesn't answer."""

    def on_failure(self, code: str, sentence: str, /) -> None:
        """Report that the host can't be reached, and that we have stopped trying."""

    def on_reply(self, why: str, reply: Reply, /) -> None:
        """Report that the host needs this reply. *why*: empty if only the reply has changed."""

    def on_reason(self, why: str, /) -> None:
        """Report a problem that was found only after the port was opened."""

    def on_stuck(self) -> None:
        """Report that the port has been open for hole_punch.STUCK seconds without success."""

    def on_closed(self) -> None:
        """Report that the port is closed."""


class Wire(Protocol):
    """Carries a session's frames. After ``part`` or ``abort`` nothing more is delivered, and
    ``Session.on_wire_lost`` is called once, later."""

    def send(self, frame: Frame, /) -> None: ...

    def part(self, goodbye: Goodbye | None, /) -> None:
        """Let sent frames arrive, say goodbye, then close."""

    def abort(self) -> None:
        """Close immediately, and send nothing more."""


class Timer(Protocol):
    """A call that the clock will make (IDelayedCall)."""

    def active(self) -> bool: ...
    def cancel(self) -> None: ...
    def reset(self, seconds: float, /) -> None: ...


class Clock(Protocol):
    """A source of time: Twisted's reactor or its test clock (IReactorTime)."""

    def seconds(self) -> float: ...
    def callLater(self, delay: float, call: Callable[..., Any], /, *args: Any) -> Timer: ...


def cancel(*timers: Timer | None) -> None:
    """Cancel the timers that have not fired."""
    for timer in timers:
        if timer is not None and timer.active():
            timer.cancel()
