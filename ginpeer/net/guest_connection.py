"""The guest's side of one connection: say hello, and check that the host admits us.

# It doesn't matter which side has connected: the guest is the TLS client, and speaks first.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from twisted.internet.protocol import connectionDone
from twisted.python.failure import Failure

from ginpeer.net.close_reasons import goodbye_for
from ginpeer.net.connection import PeerConnection, Timing
from ginpeer.net.handshake import (
    REFUSALS,
    VERSIONS,
    ChannelBinding,
    GreetingRefused,
    check_welcome,
    invite_proof,
    with_bots,
)
from ginpeer.net.interfaces import Clock, CloseReason
from ginpeer.net.session import Side
from ginpeer.net.tls import Secured, begins_as_client
from protocol.crypto.identity import key_hash
from protocol.frames import Goodbye, Hello, Welcome

BOTH_JOIN = CloseReason(
    "both-join",
    "The other side is joining, too, so nobody hosts. Agree on who does: that one hosts by the "
    "other's name, and the other one joins.",
    "A",
)
"""The peer that has answered, or connected while both dial, speaks as a guest."""

_FIRST = 16  # bytes; six would do


class Attempting(Protocol):
    """The attempt that has led to this connection (connector.py)."""

    @property
    def host(self) -> bytes:
        """The hash of the host's key."""

    @property
    def secret(self) -> bytes:
        """The invite's secret."""

    def reached(self) -> None:
        """The peer has shown the host's key."""

    def welcomed(self, connection: GuestConnection, welcome: Welcome, /) -> None:
        """The host has admitted us; the session has not begun."""

    def mismatch(self) -> CloseReason | None:
        """Return what to say if another key has answered in the host's place."""

    def fail(self, closed: CloseReason, /) -> None:
        """The connection has gone without a session."""


class GuestConnection(PeerConnection):
    """A connection to the host, as far as we were told."""

    def __init__(self, attempt: Attempting, side: Side, clock: Clock, timing: Timing) -> None:
        super().__init__(side, clock, timing)
        self._attempt = attempt
        self._link: ChannelBinding | None = None
        self._hello: Hello | None = None
        self._first = b""

    def bytes_came(self, data: bytes) -> None:
        """Keep the first few bytes, which tell a guest from a host."""
        if len(self._first) < _FIRST:
            self._first += data[:_FIRST]
        super().bytes_came(data)

    def greet(self, link: Secured) -> None:
        """Say hello to the host."""
        self._attempt.reached()
        if key_hash(link.peer_key) != self._attempt.host:  # the verify callback has seen to it
            self.cut(CloseReason("pinned-key-mismatch", "The host's key is not the invite's.", "A"))
            return
        side = self._side
        self._link = ChannelBinding(link.exporter, link.peer_key, side.identity.public)
        position = side.position_for(link.peer_key, None)
        extensions = with_bots(side.extensions(), hosts=False, bot=side.bot)
        blank = Hello(VERSIONS, b"", position, side.software, extensions)
        proof = invite_proof(self._attempt.secret, self._link, blank)
        self._hello = replace(blank, proof=proof)
        self.send(self._hello)

    @property
    def host_key(self) -> bytes:
        """The key that TLS has proven, once it has."""
        if self._link is None:
            raise ValueError("there is no key before TLS is done")
        return self._link.host_key

    def greeted(self, frame: Hello | Welcome) -> None:
        """Check the host's welcome, and tell the attempt."""
        if self._link is None or self._hello is None or not isinstance(frame, Welcome):
            self.refuse_malformed("frame-unexpected", "The other side took itself for the guest.")
            return
        try:
            check_welcome(self._link, self._hello, frame)
        except GreetingRefused as refused:
            closed = CloseReason(refused.code, refused.sentence, "A")
            self.refuse(closed, goodbye_for(refused.code, refused.sentence))
            return
        self._attempt.welcomed(self, frame)

    def refused(self, goodbye: Goodbye) -> None:
        """Close, because the host doesn't admit us and says why."""
        if goodbye.code in REFUSALS:
            self.refuse(CloseReason(goodbye.code, REFUSALS[goodbye.code], "A"), None)
        else:
            super().refused(goodbye)

    def lost(self, reason: Failure = connectionDone) -> CloseReason:
        """Return why it was lost: above all, whether another key or another guest had answered."""
        mismatch = self._attempt.mismatch()
        if mismatch is None and begins_as_client(self._first):
            return BOTH_JOIN
        return mismatch or super().lost(reason)

    def ended(self) -> None:
        """Tell the attempt that it has failed."""
        if self.is_stranger and self.failed is not None:
            self._attempt.fail(self.failed)
