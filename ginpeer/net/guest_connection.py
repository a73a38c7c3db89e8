"""The guest's side of one connection: say hello, and look whether it is the host who lets us in.

# Who has connected does not matter: the guest is the TLS client, and speaks first.
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
"""Whoever has answered, or come while both dial, speaks as a guest."""

_FIRST = 16  # bytes; six would do


class Attempting(Protocol):
    """What has led to this connection, and hears what becomes of it (connector.py)."""

    @property
    def host(self) -> bytes:
        """The hash of the host's key."""

    @property
    def secret(self) -> bytes:
        """The invite's."""

    def reached(self) -> None:
        """The host's key was shown."""

    def welcomed(self, connection: GuestConnection, welcome: Welcome, /) -> None:
        """The host has let us in; the session has not begun."""

    def mismatch(self) -> CloseReason | None:
        """What is to be said if somebody else has answered."""

    def fail(self, closed: CloseReason, /) -> None:
        """The connection has gone without a session."""


class GuestConnection(PeerConnection):
    """A connection that leads to the host, or so it was said."""

    def __init__(self, attempt: Attempting, side: Side, clock: Clock, timing: Timing) -> None:
        super().__init__(side, clock, timing)
        self._attempt = attempt
        self._link: ChannelBinding | None = None
        self._hello: Hello | None = None
        self._first = b""

    def bytes_came(self, data: bytes) -> None:
        """Keeps the first few, by which a guest is told from a host."""
        if len(self._first) < _FIRST:
            self._first += data[:_FIRST]
        super().bytes_came(data)

    def greet(self, link: Secured) -> None:
        """It is the host: say hello."""
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
        """The host has let us in, if it is the host."""
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
        """The host does not let us in, and says why."""
        if goodbye.code in REFUSALS:
            self.refuse(CloseReason(goodbye.code, REFUSALS[goodbye.code], "A"), None)
        else:
            super().refused(goodbye)

    def lost(self, reason: Failure = connectionDone) -> CloseReason:
        """Why it went: above all, whether somebody else had answered, or another guest."""
        mismatch = self._attempt.mismatch()
        if mismatch is None and begins_as_client(self._first):
            return BOTH_JOIN
        return mismatch or super().lost(reason)

    def ended(self) -> None:
        """Nothing came of it."""
        if self.is_stranger and self.failed is not None:
            self._attempt.fail(self.failed)
