"""One HTTP request: how long it may take, and how it ends."""

import pytest
from twisted.internet import reactor
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.protocol import Protocol
from twisted.internet.task import LoopingCall

from ginpeer.net.mapping.gateways import Gateway
from ginpeer.net.mapping.http import HttpResponse, fetch
from tests.net.mapping.asking import refused
from tests.net.mapping.gateways import HERE
from tests.net.support import collecting, hang_up, pause, until

HERE_AND_HERE = Gateway(HERE, HERE)


@pytest.fixture
def serve(closing):
    """Return a function that starts a server which handles received data with *answer*, and returns
    its port and its connections."""

    def begin(answer):
        class Server(Protocol):
            lost = None

            def dataReceived(self, data):
                answer(self.transport, data)

            def connectionLost(self, reason):
                self.lost = reason

        factory = collecting(connections := [], Server)
        port = reactor.listenTCP(0, factory, interface=HERE)
        closing.append(lambda: hang_up(connections))
        closing.append(port.stopListening)
        return port.getHost().port, connections

    return begin


def get(port, seconds):
    return Deferred.fromCoroutine(fetch(reactor, HERE_AND_HERE, port, b"ping", seconds))


async def test_an_answer_is_read_and_the_connection_is_closed(serve):
    def answer(transport, data):
        transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n" + data)

    port, connections = serve(answer)
    fetched = await get(port, 1.0)
    assert fetched == HttpResponse(200, b"ping")
    await until(lambda: connections[0].lost)


async def test_a_server_that_sends_a_byte_now_and_then_is_given_up(serve, closing):
    def answer(transport, data):
        transport.write(b"HTTP/1.1 200 OK\r\n\r\n")
        drip = LoopingCall(transport.write, b"x")
        drip.start(0.02)
        closing.append(lambda: _stop(drip))

    async def _stop(drip):
        drip.stop()

    port, connections = serve(answer)
    begun = reactor.seconds()
    assert await refused(get(port, 0.2)) == "no-answer"
    assert reactor.seconds() - begun < 10
    await until(lambda: connections[0].lost)


async def test_a_reset_connection_does_not_complete_an_answer(serve):
    def answer(transport, data):
        transport.write(b"HTTP/1.1 200 OK\r\n\r\nhalf")
        reactor.callLater(0.02, transport.abortConnection)

    port, _ = serve(answer)
    assert await refused(get(port, 1.0)) == "answer-unreadable"


@pytest.mark.parametrize("router", [HERE_AND_HERE, Gateway("fe80::1%nosuchcard", "::")])
async def test_a_closed_port_or_a_missing_interface_reports_an_unreachable_router(router):
    asked = Deferred.fromCoroutine(fetch(reactor, router, 1, b"ping", 1.0))
    assert await refused(asked) == "router-unreachable"


@pytest.mark.parametrize("when", [0, 0.03])
async def test_cancelling_closes_the_connection(serve, when):
    port, connections = serve(lambda transport, data: None)
    asked = get(port, 1.0)
    if when:
        await pause(when)
    asked.cancel()
    with pytest.raises(CancelledError):
        await asked
    await until(lambda: all(connection.lost for connection in connections))
