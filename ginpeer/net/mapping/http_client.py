"""One HTTP request to a router over TCP.

Twisted's own client was weighed: it needs a body receiver, bounds and timeouts of ours around it,
and takes header lines without end. What is left is less than that.
"""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionDone
from twisted.internet.protocol import ClientFactory, Protocol, connectionDone
from twisted.python.failure import Failure

from ginpeer.net.mapping.gateways import Gateway
from ginpeer.net.mapping.http import HttpResponse, HttpResponseReader
from ginpeer.net.mapping.refusals import Refusal


def fetch(
    reactor: Any, way: Gateway, port: int, request: bytes, seconds: float, clock: Any
) -> Deferred[HttpResponse]:
    """Send *request* to a router's TCP port, for so many seconds at most, whatever comes.

    Fails with Refusal. Cancelling it closes the connection.
    """
    factory = _Fetch(request)
    connector = reactor.connectTCP(
        way.host, port, factory, timeout=seconds, bindAddress=(way.own, 0)
    )
    timer = clock.callLater(seconds, factory.refuse, "no-answer")

    def closed(result: Any) -> Any:
        if timer.active():
            timer.cancel()
        connector.disconnect() if factory.connection is None else factory.connection.abort()
        return result

    return factory.answer.addBoth(closed)


class _Fetch(ClientFactory):
    noisy = False

    def __init__(self, request: bytes) -> None:
        self.request = request
        self.answer: Deferred[HttpResponse] = Deferred()
        self.connection: _Connection | None = None

    def buildProtocol(self, addr: Any) -> _Connection:
        self.connection = _Connection(self)
        return self.connection

    def clientConnectionFailed(self, connector: Any, reason: Failure) -> None:
        self.refuse("router-unreachable")

    def refuse(self, code: str) -> None:
        if not self.answer.called:
            self.answer.errback(Refusal(code))


class _Connection(Protocol):
    transport: Any  # a TCP connection of Twisted's, most of which has no types

    def __init__(self, fetch: _Fetch) -> None:
        self._fetch = fetch
        self._reader = HttpResponseReader()

    def connectionMade(self) -> None:
        self.transport.write(self._fetch.request)

    def dataReceived(self, data: bytes) -> None:
        try:
            answer = self._reader.feed(data)
        except Refusal as refusal:
            self._fetch.refuse(refusal.code)
            return
        if answer is not None:
            self._fetch.answer.callback(answer)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        try:
            if not isinstance(reason.value, ConnectionDone):
                raise Refusal("answer-unreadable")
            answer = self._reader.end()
        except Refusal as refusal:
            self._fetch.refuse(refusal.code)
            return
        self._fetch.answer.callback(answer)

    def abort(self) -> None:
        """A router that does not read or does not end is not waited for."""
        if self.transport is not None:
            self.transport.abortConnection()
