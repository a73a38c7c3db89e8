"""One question to a router by UDP, sent again until it answers.

# Rule 1: only datagrams from the asked address and port count; the socket is connected, so that
# the system drops the others, and each is compared all the same.
# Rule 2: it ends: after the last wait, or after MAX_ANSWERS datagrams that were no answer.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from twisted.internet.defer import Deferred
from twisted.internet.error import CannotListenError
from twisted.internet.protocol import DatagramProtocol

from ginpeer.net.mapping.refusals import Refusal

MAX_ANSWERS = 64

_Answer = TypeVar("_Answer")


def ask(
    reactor: Any,
    own: str,
    server: tuple[str, int],
    request: bytes,
    waits: Sequence[float],
    read: Callable[[bytes], _Answer | None],
    clock: Any,
) -> Deferred[_Answer]:
    """Send *request* from *own* to *server*, once before each of *waits* (in seconds).

    *read* gives the answer, or None for a datagram that answers something else, or raises Refusal.
    One that cannot be read does not end the waiting, since another may come; every other refusal
    does. Fails with Refusal. Cancelling it closes the socket.
    """
    question = _Question(server, request, waits, read, clock)
    try:
        reactor.listenUDP(0, question, interface=own)
    except CannotListenError:
        question.fail("router-unreachable")
    return question.answer


class _Question(DatagramProtocol, Generic[_Answer]):
    noisy = False
    transport: Any  # a UDP port of Twisted's, most of which has no types

    def __init__(
        self,
        server: tuple[str, int],
        request: bytes,
        waits: Sequence[float],
        read: Callable[[bytes], _Answer | None],
        clock: Any,
    ) -> None:
        self.answer: Deferred[_Answer] = Deferred(lambda _: self._close())
        self._server = server
        self._request = request
        self._waits = list(waits)
        self._read = read
        self._clock = clock
        self._timer: Any = None
        self._heard = 0
        self._silence = "no-answer"
        self._over = False

    def startProtocol(self) -> None:
        try:
            self._connect()
        except OSError:
            self.fail("router-unreachable")
            return
        self._send()

    def datagramReceived(self, datagram: bytes, addr: tuple[Any, ...]) -> None:
        host, port = self._server
        if self._over or (_plain(addr[0]), addr[1]) != (_plain(host), port):
            return
        self._heard += 1
        try:
            answer = self._read(datagram)
        except Refusal as refusal:
            if refusal.code == "answer-unreadable" and self._heard < MAX_ANSWERS:
                self._silence = refusal.code
                return
            self._refuse(refusal)
            return
        if answer is not None:
            self._close()
            self.answer.callback(answer)
        elif self._heard >= MAX_ANSWERS:
            self.fail("answer-unreadable")

    def connectionRefused(self) -> None:
        """The router's system says that nothing listens there."""
        self.fail("not-offered")

    def fail(self, code: str) -> None:
        self._refuse(Refusal(code))

    def _refuse(self, refusal: Refusal) -> None:
        if not self._over:
            self._close()
            self.answer.errback(refusal)

    def _connect(self) -> None:
        host, port = self._server
        if "%" not in host:
            self.transport.connect(host, port)
            return
        # Twisted connects to a pair of host and port, and of a host in a pair Python drops the
        # card. So it is done here, and Twisted is only told that it is.
        numeric = socket.AI_NUMERICHOST
        found = socket.getaddrinfo(host, port, socket.AF_INET6, socket.SOCK_DGRAM, 0, numeric)
        self.transport.getHandle().connect(found[0][4])
        self.transport._connectedAddr = self._server

    def _send(self) -> None:
        if not self._waits:
            self.fail(self._silence)
            return
        self._timer = self._clock.callLater(self._waits.pop(0), self._send)
        try:
            self.transport.write(self._request)
        except OSError:
            self.fail("router-unreachable")

    def _close(self) -> None:
        self._over = True
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        if self.transport is not None:
            self.transport.stopListening()


def _plain(host: str) -> str:
    """Without the card of a link-local address."""
    return host.partition("%")[0]
