"""A question over UDP: whose answers count, how often the question is sent, and how it ends."""

import sys

import pytest
from twisted.internet import reactor
from twisted.internet.defer import CancelledError
from twisted.internet.task import Clock

from ginpeer.net.mapping.datagrams import MAX_ANSWERS, ask
from ginpeer.net.mapping.gateways import Gateway
from ginpeer.net.mapping.results import Refusal
from tests.net.mapping.asking import OnePort, refused
from tests.net.mapping.gateways import HERE
from tests.net.support import AnsweringDatagrams, pause, timed_by, until


@pytest.fixture
def serve(closing):
    def begin(*answers, interface=HERE):
        server = AnsweringDatagrams(*answers)
        port = reactor.listenUDP(0, server, interface=interface)

        async def close():
            if port.connected:
                await port.stopListening()

        closing.append(close)
        return server, port.getHost().port

    return begin


def read(data):
    if data == b"no":
        raise Refusal("not-allowed")
    if data == b"?":
        raise Refusal("answer-unreadable")
    return data if data == b"yes" else None


def question(port, *waits, clock=None):
    """Ask a server on this loopback port. The question is sent once before each wait."""
    return ask(timed_by(clock), Gateway(HERE, HERE), port, b"q", waits, read)


async def test_a_datagram_that_is_not_an_answer_is_ignored(serve):
    _, port = serve(b"other", b"?", b"yes")
    assert await question(port, 1.0) == b"yes"


async def test_a_refusal_ends_the_question(serve):
    _, port = serve(b"no", b"yes")
    assert await refused(question(port, 1.0)) == "not-allowed"


@pytest.mark.parametrize("noise", [b"other", b"?"])
async def test_a_flood_of_datagrams_that_are_not_answers_ends_the_question(serve, noise):
    _, port = serve(*[noise] * MAX_ANSWERS, b"yes")
    assert await refused(question(port, 5.0)) == "answer-unreadable"


async def test_an_answer_from_another_sender_is_ignored_even_if_the_system_passes_it():
    wire = OnePort(clock := Clock())
    asking = ask(wire, Gateway(HERE, HERE), 9, b"q", (0.1,), read)
    wire.hear(b"yes", (HERE, 10))
    wire.hear(b"yes", ("192.0.2.1", 9))
    clock.advance(0.1)
    assert await refused(asking) == "no-answer"


async def test_cancelling_closes_the_socket(serve):
    server, port = serve()
    asking = question(port, 5.0)
    await until(lambda: server.heard)
    asking.cancel()
    with pytest.raises(CancelledError):
        await asking
    server.transport.write(b"yes", server.heard[0])
    await pause(0.02)


async def test_a_question_from_a_foreign_address_reports_an_unreachable_router():
    asking = ask(reactor, Gateway("192.0.2.1", "192.0.2.77"), 9, b"q", (1.0,), read)
    assert await refused(asking) == "router-unreachable"


async def test_a_missing_interface_reports_an_unreachable_router():
    asking = ask(reactor, Gateway("fe80::1%nosuchcard", "::"), 9, b"q", (1.0,), read)
    assert await refused(asking) == "router-unreachable"


@pytest.mark.skipif(sys.platform != "linux", reason="the loopback's number is 1 on Linux")
async def test_a_router_behind_a_named_interface_is_asked(serve):
    try:
        server, port = serve(b"yes", interface="::1")
    except OSError:
        pytest.skip("this machine has no IPv6")
    assert await ask(reactor, Gateway("::1%1", "::1"), port, b"q", (1.0,), read) == b"yes"
    await server.transport.stopListening()
    asking = ask(reactor, Gateway("::1%1", "::1"), port, b"q", (1.0,), read)
    assert await refused(asking) == "not-offered"
