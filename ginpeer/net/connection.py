"""One TLS connection to a peer, from the first byte to the last (WIRE 9).

  SECURING   TLS handshake; nothing may be sent or believed
  GREETING   keys are known; only small frames: hello, welcome and goodbye
  OPEN       the peer is admitted: a Session plays, pings go out, silence is measured
  CLOSING    incoming frames are ignored; sending the rest and closing may take twice
             `Timing.closing` seconds
  GONE       the transport is closed

Rule 1: SECURING and GREETING share one deadline, counted from the start of TCP. Sending one byte a
second doesn't keep a connection alive, not even in OPEN, where only whole frames count.
Rule 2: a peer that doesn't read costs at most MAX_OUTGOING bytes; then its connection is cut. The
part of the log that it lacks when it connects isn't counted, and may have any length: the seat
keeps those entries in memory anyway, and they are encoded only when there is room. A peer that
doesn't read, or whose connection we are closing, may send only MAX_UNANSWERED bytes, since TLS
itself answers some of them.
Rule 3: loseConnection() closes cleanly, but under TLS it waits for the other side, so a timer
backs it up. The last frame is often a log entry, and the peer may still be busy with the entry
before it. abortConnection() would drop bytes in transit and, on some systems, bytes that the peer
hasn't read. So when the timer fires we first close TCP without waiting for TLS, and abort only if
that takes too long as well.
Rule 4: every timer belongs to the clock that was passed in, and none outlives GONE.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from math import inf
from typing import Any

from OpenSSL.SSL import Error as SSLError
from twisted.internet.interfaces import IHandshakeListener, IPushProducer
from twisted.internet.protocol import Protocol, connectionDone
from twisted.python.failure import Failure
from zope.interface import implementer  # type: ignore[import-untyped]

from ginpeer.net.address import Address
from ginpeer.net.close_reasons import fault_of, goodbye_for, is_out_of_memory, said_by
from ginpeer.net.handshake import BOT_GUEST, BOT_HOST
from ginpeer.net.interfaces import Clock, CloseReason, PeerInfo, Timer, cancel
from ginpeer.net.limits import TokenBucket
from ginpeer.net.session import Session, Side
from ginpeer.net.tcp import address_of
from ginpeer.net.timing import STEP, TimeGrid
from ginpeer.net.tls import Secured, TLSRefused, secured
from protocol.crypto.identity import fingerprint
from protocol.frames import (
    MAX_FRAME,
    AddressUpdate,
    Chat,
    Consent,
    EntryFrame,
    Frame,
    FrameReader,
    Goodbye,
    Hello,
    MalformedFrame,
    Pause,
    Ping,
    Pong,
    Position,
    Proposal,
    Welcome,
    decode_frame,
    enclose,
    encode_frame,
)

MAX_GREETING = 4096
"""The largest frame that a stranger may send. A hello with every field filled has about 600
bytes."""

MAX_OUTGOING = 4 * 1024 * 1024
"""Bytes that may wait for a peer to read, besides the log that it lacks. A hand's entries take some
100 KB, and nobody signs many hands while the other side is silent."""

MAX_UNANSWERED = 1024 * 1024
"""How many bytes a peer that doesn't read may send before the 64 KB buffers below us are empty
again. TLS's answers, of about 30 bytes each, take up three times their size in memory."""

_NO_ENTRY = 4096  # bytes: more than any frame except an entry has

# What a peer may send: far more than our own side sends (session.py, Timing.ping), because a
# minute's frames arrive all at once after the network has hung for a minute. Frames that a player
# sees are counted over all connections of a table, so reconnecting gains nothing.
ALLOWED: dict[type[Frame], tuple[int, float]] = {  # how many in a burst; then how many a second
    Chat: (100, 2.0),
    Ping: (10, 0.2),
    Pause: (10, 0.2),
    AddressUpdate: (10, 0.1),
    Proposal: (10, 0.2),
    Consent: (20, 0.4),
}


@dataclass(frozen=True, slots=True)
class Timing:
    """Time limits and intervals in seconds, except the number ``admissions``."""

    connecting: float = 10.0  # for TCP alone
    greeting: float = 10.0  # for TLS, hello and welcome together
    ping: float = 20.0
    silence: float = 60.0
    closing: float = 3.0
    stagger: float = 0.7  # between a guest's attempts at the addresses of an invite
    grid: float = STEP  # between the moments at which pings are answered and bots move; 0: no delay
    # A guest on a bad line reconnects a dozen times, and each time adds a line to the host's
    # screen. *admitted_every* is at most *greeting*, so that this limit never refuses a guest whose
    # open session is at least *greeting* seconds old (HostConnection.on_greeting).
    admissions: float = 20.0  # how many in quick succession, of one guest or of several
    admitted_every: float = 5.0  # between later admissions


class _Phase(Enum):
    SECURING = auto()
    GREETING = auto()
    OPEN = auto()
    CLOSING = auto()
    GONE = auto()


@implementer(IHandshakeListener, IPushProducer)
class PeerConnection(Protocol, ABC):
    """One connection to a peer, and the wire of its session. Host and guest greet differently
    (acceptor.py, connection_attempt.py). ``failed`` says why it ended without a session."""

    transport: Any  # TLSMemoryBIOProtocol, most of which has no types

    def __init__(self, side: Side, clock: Clock, timing: Timing) -> None:
        self.failed: CloseReason | None = None
        self.waited = 0.0  # seconds of the greeting's time already used when this connection began
        self._clock = clock
        self._timing = timing
        self._phase = _Phase.SECURING
        self._reader = FrameReader(MAX_GREETING)
        self._session: Session | None = None
        self._deadline: Timer | None = None  # for the greeting, then silence, then closing
        self._pinger: Timer | None = None
        self._grid = TimeGrid(clock, 0)  # no delays until the peer is admitted
        self._pings_sent = 0
        self._pongs_seen = 0
        now = clock.seconds()
        self._buckets: dict[type[Frame], TokenBucket] = {
            kind: TokenBucket(*ALLOWED[kind], now) for kind in (AddressUpdate, Ping)
        }
        self.use_side(side)
        self._paused = False
        self._outgoing: deque[Frame] = deque()
        self._outgoing_bytes = 0
        self._unanswerable = 0  # bytes that came while the peer wasn't reading or we were closing
        self._tls_is_late = False  # TLS hasn't closed in time, so TCP doesn't wait for it
        self._log_bytes: float = 0.0  # for the log that the peer lacked, on top of MAX_OUTGOING

    # --- what host and guest add -------------------------------------------------------

    @abstractmethod
    def greet(self, link: Secured) -> None:
        """Begin the greeting: TLS is done, and the peer's key is known."""

    @abstractmethod
    def on_greeting(self, frame: Hello | Welcome) -> None:
        """Open or refuse the connection, now that the peer has greeted."""

    @abstractmethod
    def on_end(self) -> None:
        """Handle the end of the connection: the transport is gone."""

    # --- opening -----------------------------------------------------------------------

    def use_side(self, side: Side) -> None:
        """Use this as our side of the connection. Its allowances limit what the peer may send."""
        now, bucket = self._clock.seconds(), side.allowances.bucket
        self._side = side
        for kind in (Chat, Pause, Proposal, Consent):
            self._buckets[kind] = bucket(kind.__name__, *ALLOWED[kind], now)

    def open(
        self, key: bytes, position: Position | None, extensions: tuple[int, ...] = ()
    ) -> Session:
        """Admit the peer, and return its session, which `begin` starts."""
        side, known = self._side, self._side.known
        peer = PeerInfo(
            key,
            fingerprint(key),
            str(self.peer_address()),
            position,
            known.name_of(key) if known is not None else None,
            extensions,
            bot=(BOT_HOST if side.joins else BOT_GUEST) in extensions,
        )
        self._phase = _Phase.OPEN
        self._reader.limit = MAX_FRAME
        self._set_deadline(self._timing.silence, self._silent)
        self._pinger = self._clock.callLater(self._timing.ping, self._guarded, self._ping)
        self._grid = TimeGrid(self._clock, self._timing.grid)
        self._session = Session(side, peer, self, self._clock, self._grid)
        return self._session

    def begin(self) -> None:
        """Begin the session. The part of the log that the peer lacks is sent first."""
        if self._session is not None:
            self._log_bytes = inf
            self._session.begin()
            self._log_bytes = self._outgoing_bytes

    def refuse(self, closed: CloseReason, goodbye: Goodbye | None) -> None:
        """Send the goodbye, if any, and close for this reason."""
        if self._session is not None:
            self._session.end(closed, goodbye)
        elif self.failed is None:
            self.failed = closed
            self.part(goodbye)

    def refuse_saying(self, code: str, sentence: str, more: str = "") -> None:
        """Say goodbye with this sentence, and close. Our player is also shown *more*."""
        self.refuse(CloseReason(code, sentence + more, "A"), goodbye_for(code, sentence))

    def fail(self, code: str, sentence: str) -> None:
        """Close immediately, without a goodbye, and blame nobody."""
        self.cut(CloseReason(code, sentence, "A"))

    def cut(self, closed: CloseReason) -> None:
        """Close immediately, without a goodbye."""
        if self._session is not None:
            self._session.cut(closed)
        elif self.failed is None:
            self.failed = closed
            self.abort()

    def peer_address(self) -> Address:
        return address_of(self.transport.getPeer())

    @property
    def is_greeting(self) -> bool:
        """Whether the keys are known and the peer hasn't been admitted or refused yet."""
        return self._phase is _Phase.GREETING

    @property
    def is_stranger(self) -> bool:
        return self._session is None

    # --- Twisted: Protocol and IHandshakeListener --------------------------------------

    def connectionMade(self) -> None:
        """Start the greeting's deadline: TCP is connected, and TLS is about to begin."""
        self._set_deadline(max(0.0, self._timing.greeting - self.waited), self._late)

    def handshakeCompleted(self) -> None:
        self._guarded(self._secured)

    def dataReceived(self, data: bytes) -> None:
        self._guarded(lambda: self._receive(data))

    def on_bytes(self, data: bytes) -> None:
        """Count bytes that came over TCP, whatever they contain (tls.py, rule 4)."""
        if not self._paused and self._phase is not _Phase.CLOSING:
            self._unanswerable = 0
            return
        self._unanswerable += len(data)
        if self._unanswerable > MAX_UNANSWERED:
            self._not_reading()
            self.abort()  # even if it was already closing for another reason

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self._phase = _Phase.GONE
        cancel(self._deadline, self._pinger)
        self._grid.close()
        self._outgoing.clear()
        if self.failed is None:
            self.failed = self.reason_for_loss(reason)
        if self._session is not None:
            lost = reason.value
            if isinstance(lost, Exception) and is_out_of_memory(lost):  # in the transport
                self._session.fault(lost)
            self._session.on_wire_lost()
        self._guarded(self.on_end)
        # Nothing below may wait for the garbage collector: a peer that keeps reconnecting would
        # leave the buffers of a hundred connections behind until it runs.
        self.transport = None
        self._reader = FrameReader()

    # --- Twisted: IPushProducer, so that we learn when the peer does not read ----------

    def pauseProducing(self) -> None:
        self._paused = True

    def resumeProducing(self) -> None:
        self._paused = False
        if self._phase is not _Phase.CLOSING:
            self._unanswerable = 0  # the peer has read; _drain() may pause us again
        self._drain()
        if self._phase is _Phase.CLOSING:
            self._close_if_drained()

    def stopProducing(self) -> None:
        self._paused = True

    # --- Wire: what a session asks for -------------------------------------------------

    def send(self, frame: Frame) -> None:
        """Send a frame, or keep it for a peer that is slow to read."""
        if self._phase not in (_Phase.GREETING, _Phase.OPEN):
            return
        if not self._paused:
            self._write(frame)
            return
        self._keep(frame)
        if self._outgoing_bytes > MAX_OUTGOING + self._log_bytes:
            self._not_reading()

    def part(self, goodbye: Goodbye | None) -> None:
        """Send what is waiting, say goodbye, and close. Abort if that takes too long."""
        if self._phase in (_Phase.CLOSING, _Phase.GONE):
            return
        if self._phase is _Phase.SECURING:
            self.abort()
            return
        self._phase = _Phase.CLOSING
        cancel(self._pinger)
        self._set_deadline(self._timing.closing, self._close_tcp)
        if goodbye is not None:
            self._keep(goodbye)
        self._drain()
        self._close_if_drained()

    def abort(self) -> None:
        if self._phase is not _Phase.GONE:
            self._phase = _Phase.CLOSING
            self._outgoing.clear()
            cancel(self._pinger)
            self.transport.abortConnection()

    def _not_reading(self) -> None:
        self.fail("peer-not-reading", "The other side stopped reading; the log is kept.")

    def _keep(self, frame: Frame) -> None:
        self._outgoing.append(frame)
        self._outgoing_bytes += _weight(frame)

    def _drain(self) -> None:
        while self._outgoing and not self._paused:
            frame = self._outgoing.popleft()
            self._outgoing_bytes -= _weight(frame)
            self._write(frame)

    def _write(self, frame: Frame) -> None:
        self.transport.write(enclose(encode_frame(frame)))

    # --- receiving ---------------------------------------------------------------------

    def _secured(self) -> None:
        try:
            link = secured(self.transport.getHandle())
        except TLSRefused as refused:
            self.fail(refused.code, refused.sentence)
            return
        self._phase = _Phase.GREETING
        self.transport.registerProducer(self, True)
        self.greet(link)

    def _receive(self, data: bytes) -> None:
        # Lazily, so that each frame is handled before the next one is decoded.
        frames = map(decode_frame, self._reader.feed(data))
        while self._phase in (_Phase.GREETING, _Phase.OPEN):
            try:
                frame = next(frames, None)
            except MalformedFrame as garbled:
                self.refuse_malformed(garbled.code, garbled.sentence)
                return
            if frame is None:
                return
            self._take(frame)

    def _take(self, frame: Frame) -> None:
        session = self._session
        if session is None:
            self._take_greeting(frame)
            return
        if self._deadline is not None and self._deadline.active():
            self._deadline.reset(self._timing.silence)
        match frame:
            case Proposal() if not session.accepts_proposals:
                self.refuse_unexpected("The other side proposed rules when it wasn't allowed to.")
            case Consent() if not session.accepts_consent:
                self.refuse_unexpected("The other side gave consent that nobody asked for.")
            case Hello() | Welcome():
                self.refuse_unexpected("The other side sent a greeting in the middle of the match.")
            case Pong(token):
                self._take_pong(token)
            # No rate limit for these: the seat judges each entry, and a goodbye is the last frame.
            case EntryFrame() | Goodbye():
                session.receive(frame)
            case _ if not self._buckets[type(frame)].take(self._clock.seconds()):
                self.refuse_malformed("flood", "The other side sent more than ginpeer can process.")
            case Ping(token):
                self._grid.call(lambda: self._guarded(self.send, Pong(token)))
            case _:
                session.receive(frame)

    def _take_greeting(self, frame: Frame) -> None:
        match frame:
            case Hello() | Welcome():
                self.on_greeting(frame)
            case Goodbye():
                self.on_refusal(frame)
            case _:
                self.refuse_unexpected("The other side began to play before it was admitted.")

    def on_refusal(self, goodbye: Goodbye) -> None:
        """Close, because the peer has said goodbye instead of greeting us."""
        sentence = f"The other side closed the connection. It said: {said_by(goodbye)}"
        self.refuse(CloseReason("peer-closed", sentence, "A"), None)

    def _take_pong(self, token: int) -> None:
        """Check that this answers our oldest unanswered ping."""
        if self._pongs_seen == token < self._pings_sent:
            self._pongs_seen += 1
            return
        self.refuse_malformed(
            "pong-unasked", "The other side answered a question that nobody asked."
        )

    def refuse_malformed(self, code: str, sentence: str) -> None:
        self.refuse_saying(code, sentence, " The log is kept.")

    def refuse_unexpected(self, sentence: str) -> None:
        self.refuse_malformed("frame-unexpected", sentence)

    # --- timers ------------------------------------------------------------------------

    def _late(self) -> None:
        self.fail("greeting-timeout", "The other side didn't finish its greeting in time.")

    def _silent(self) -> None:
        silence = f"for {self._timing.silence:g} seconds"
        self.fail("peer-silent", f"Nothing came from the other side {silence}; the log is kept.")

    def _ping(self) -> None:
        self.send(Ping(self._pings_sent))
        self._pings_sent += 1
        if self._phase is _Phase.OPEN:
            self._pinger = self._clock.callLater(self._timing.ping, self._guarded, self._ping)

    def _set_deadline(self, seconds: float, call: Callable[[], None]) -> None:
        cancel(self._deadline)
        self._deadline = self._clock.callLater(seconds, self._guarded, call)

    # --- ends --------------------------------------------------------------------------

    def _close_if_drained(self) -> None:
        if self._outgoing:
            return
        # Unregister first: a transport that has a producer never finishes closing.
        self.transport.unregisterProducer()
        self.transport.loseConnection()
        if self._tls_is_late:
            self.transport.transport.loseConnection()

    def _close_tcp(self) -> None:
        self._set_deadline(self._timing.closing, lambda: self.transport.abortConnection())
        self._tls_is_late = True
        if not self._outgoing:  # otherwise, TCP is closed after the outgoing frames
            self.transport.transport.loseConnection()

    def reason_for_loss(self, reason: Failure) -> CloseReason:
        """Return the reason for losing a connection that we didn't close."""
        error = reason.value
        if isinstance(error, Exception) and is_out_of_memory(error):
            self._side.caught(error)
            return fault_of(error)
        if isinstance(error, SSLError):
            sentence = "The program at that address doesn't speak TLS 1.3 the way ginpeer does."
            return CloseReason("tls-failed", sentence, "A")
        return CloseReason("connection-lost", "The connection was lost during the greeting.", "A")

    def _guarded(self, call: Callable[..., None], *args: Any) -> None:
        """Make a call, and keep its errors from reaching the reactor."""
        try:
            call(*args)
        except Exception as error:  # any fault of our own is class C
            if self._session is not None:
                self._session.fault(error)
            else:
                self._side.log_fault(error)
                self.cut(fault_of(error))


def _weight(frame: Frame) -> int:
    """Return the most bytes of memory that a queued frame can take up."""
    return len(frame.entry) if isinstance(frame, EntryFrame) else _NO_ENTRY
