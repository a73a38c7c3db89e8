"""A replacement for TLS: the same calls in the same order, without cryptography.

Each side sends its identity key in the clear; a side that has received the other's key has finished
the handshake. Bytes travel in records, which arrive whole or not at all, as in TLS, and closing
takes a message from both sides. The security of TLS is not tested here (see tests/net/test_tls.py).
A bit flipped in transit would break a real connection, so the simulator cuts the connection
instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest import mock

from OpenSSL.SSL import Error as SSLError
from twisted.internet.protocol import Factory, Protocol
from twisted.python.failure import Failure

from ginpeer.net import acceptor, connection, connection_attempt
from ginpeer.net.tls import Secured
from protocol.crypto.identity import IdentityKey, key_hash

KEY, DATA, CLOSE = range(3)
_HEAD = 5
_RECORD = 16 * 1024


@dataclass
class HostPlain:
    """The replacement for HostTLS, which accepts any key."""

    identity: IdentityKey

    def accepts(self, key: bytes) -> bool:
        return True


@dataclass
class GuestPlain:
    """The replacement for GuestTLS, which accepts only the key with the host's hash."""

    identity: IdentityKey
    host: bytes
    mismatch: bytes | None = None

    def accepts(self, key: bytes) -> bool:
        if key_hash(key) != self.host:
            self.mismatch = key
        return self.mismatch is None


class PlainTLS(Protocol):
    """A layer between a transport of bytes and a PeerConnection, which uses it as its transport."""

    def __init__(self, creator: HostPlain | GuestPlain, inner: Any) -> None:
        self._creator = creator
        self.wrappedProtocol = inner
        self._buffer = bytearray()
        self._closing = False
        self._lost = False
        self.peer_key = b""

    # --- called from below --------------------------------------------------------------

    def connectionMade(self) -> None:
        self.transport.process.observer.on_connect(self.transport.process, self.wrappedProtocol)
        self.wrappedProtocol.makeConnection(self)
        self._record(KEY, self._creator.identity.public)

    def dataReceived(self, data: bytes) -> None:
        self._buffer += data
        while len(self._buffer) >= _HEAD and not self._lost:
            end = _HEAD + int.from_bytes(self._buffer[1:_HEAD], "big")
            if len(self._buffer) < end:
                return
            kind, body = self._buffer[0], bytes(self._buffer[_HEAD:end])
            del self._buffer[:end]
            self._take(kind, body)

    def _take(self, kind: int, body: bytes) -> None:
        if kind == KEY:
            self.peer_key = body
            if self._creator.accepts(body):
                self.wrappedProtocol.handshakeCompleted()
            else:
                self.transport.abortConnection()
                self._end(Failure(SSLError()))
        elif kind == DATA:
            self.wrappedProtocol.dataReceived(body)
        else:
            if not self._closing:
                self._closing = True
                self._record(CLOSE, b"")
            self.transport.loseConnection()

    def connectionLost(self, reason: Failure) -> None:
        self._end(reason)

    def _end(self, reason: Failure) -> None:
        if not self._lost:
            self._lost = True
            self.wrappedProtocol.connectionLost(reason)

    # --- called from above --------------------------------------------------------------

    @property
    def exporter(self) -> bytes:
        return self.transport.connection.exporter

    def write(self, data: bytes) -> None:
        """Send one frame; a liar may send something else instead."""
        if self._closing or self._lost:
            return
        process = self.transport.process
        for sent in process.frames_for(data):
            process.observer.on_send(process, sent)
            process.touch("send")
            for start in range(0, len(sent), _RECORD):
                self._record(DATA, sent[start : start + _RECORD])
            process.touch("sent")

    def loseConnection(self) -> None:
        if not self._closing and not self._lost:
            self._closing = True
            self._record(CLOSE, b"")

    def abortConnection(self) -> None:
        self.transport.abortConnection()

    def registerProducer(self, producer: Any, streaming: bool) -> None:
        self.transport.registerProducer(producer, streaming)

    def unregisterProducer(self) -> None:
        self.transport.unregisterProducer()

    def getPeer(self) -> Any:
        return self.transport.getPeer()

    def getHandle(self) -> PlainTLS:
        return self

    def _record(self, kind: int, body: bytes) -> None:
        self.transport.write(bytes([kind]) + len(body).to_bytes(_HEAD - 1, "big") + body)


class _Wrapped(Factory):
    noisy = False

    def __init__(self, creator: HostPlain | GuestPlain, factory: Any) -> None:
        self._creator = creator
        self._factory = factory

    def buildProtocol(self, addr: Any) -> PlainTLS | None:
        inner = self._factory.buildProtocol(addr)
        return None if inner is None else PlainTLS(self._creator, inner)


def _secured(handle: PlainTLS) -> Secured:
    return Secured(handle.peer_key, handle.exporter)


@contextmanager
def plain_tls() -> Iterator[None]:
    """Make ginpeer.net use this instead of TLS."""

    def wrapped(creator: Any, factory: Any, clock: Any) -> _Wrapped:
        return _Wrapped(creator, factory)

    with (
        mock.patch.object(acceptor, "HostTLS", HostPlain),
        mock.patch.object(connection_attempt, "GuestTLS", GuestPlain),
        mock.patch.object(acceptor, "tls_factory", wrapped),
        mock.patch.object(connection_attempt, "tls_factory", wrapped),
        mock.patch.object(connection, "secured", _secured),
    ):
        yield
