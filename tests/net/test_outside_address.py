"""Asking for our address from outside, of a server on the loopback."""

import errno
import sys

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import CancelledError, Deferred, succeed
from twisted.internet.protocol import DatagramProtocol, Factory, Protocol
from twisted.internet.task import Clock

from ginpeer.net import outside_address
from ginpeer.net.address import Address
from ginpeer.net.listening_port import bind
from ginpeer.net.outside_address import SECONDS, ask_stun
from ginpeer.net.stun import StunError, binding_request
from tests.free_port import free_port
from tests.net.support import LOOPBACK, failure_of, pause, until
from tests.net.test_stun import OURS, TRANSACTION, message, xored

linux = pytest.mark.skipif(sys.platform != "linux", reason="tried on Linux alone")
REFUSED = message((0x0009, b"\0\0\4\1"), kind=0x0111)


class Stream(Protocol):
    def connectionMade(self):
        self.factory.peers.append(self)

    def dataReceived(self, data):
        self.factory.heard.append((self.transport.getPeer().port, data))
        for piece in self.factory.answer:
            self.transport.write(piece)
        if self.factory.closes:
            self.transport.loseConnection()

    def connectionLost(self, reason):
        self.factory.peers.remove(self)


class Datagrams(DatagramProtocol):
    def __init__(self, answers):
        self.answers = answers
        self.heard = []

    def datagramReceived(self, datagram, addr):
        self.heard.append(datagram)
        for answer in self.answers:
            self.transport.write(answer, addr)


class Server:
    """One STUN server, over TCP, UDP or both, at one port."""

    def __init__(self, closing, tcp=None, udp=None, closes=False):
        self.tcp = self.udp = None
        port = free_port()
        self.factory = Factory.forProtocol(Stream)
        self.factory.peers, self.factory.heard = [], []
        self.factory.answer, self.factory.closes = tcp, closes
        self.datagrams = Datagrams(udp)
        if udp is not None:
            self.udp = reactor.listenUDP(port, self.datagrams, interface=LOOPBACK)
        if tcp is not None:
            self.tcp = reactor.listenTCP(port, self.factory, interface=LOOPBACK)
        self.address = Address(LOOPBACK, port)
        closing.append(self.close)

    async def close(self):
        for port in (self.tcp, self.udp):
            if port is not None:
                await port.stopListening()
        for peer in self.factory.peers:
            peer.transport.abortConnection()
        await until(lambda: not self.factory.peers)


@pytest.fixture
def ours(closing):
    port = bind(reactor, Address(LOOPBACK, 0), Factory())
    closing.append(port.stopListening)
    return port


def ask(port, server, clock=reactor):
    return ask_stun(reactor, clock, lambda count: TRANSACTION[:count], server)(port)


@linux
@pytest.mark.parametrize("cut", [0, 1, 19, 20, 31])
@ensureDeferred
async def test_a_server_is_asked_from_the_port_that_listens(closing, ours, cut):
    text = message(OURS, fingerprint=True)
    server = Server(closing, tcp=[text[:cut], text[cut:] + b"and more"])
    assert await ask(ours, server.address) == ("203.0.113.7", 4466)
    assert server.factory.heard == [(ours.getHost().port, binding_request(TRANSACTION))]
    await until(lambda: not server.factory.peers)


@ensureDeferred
async def test_from_another_port_only_the_address_counts(closing, ours, monkeypatch):
    monkeypatch.setattr("ginpeer.net.simultaneous_open._source", lambda *_: (LOOPBACK, 0))
    server = Server(closing, tcp=[message(OURS)])
    assert await ask(ours, server.address) == ("203.0.113.7", ours.getHost().port)


@pytest.mark.parametrize(
    "tcp",
    [
        None,
        [REFUSED],
        [b"HTTP/1.1 400 Bad Request\r\n\r\n"],
        [message(OURS, transaction=bytes(12))],
    ],
)
@ensureDeferred
async def test_where_tcp_does_not_do_udp_tells_the_bare_address(closing, ours, tcp):
    server = Server(closing, tcp=tcp, udp=[message(OURS)])
    assert await ask(ours, server.address) == ("203.0.113.7", ours.getHost().port)


@ensureDeferred
async def test_a_server_that_closes_without_a_word_is_asked_over_udp(closing, ours):
    server = Server(closing, tcp=[], udp=[message(OURS)], closes=True)
    assert (await ask(ours, server.address)).host == "203.0.113.7"


@ensureDeferred
async def test_over_udp_only_an_answer_to_our_question_counts(closing, ours):
    stray = message(OURS, transaction=bytes(12))
    server = Server(closing, udp=[stray, message(OURS)])
    assert (await ask(ours, server.address)).host == "203.0.113.7"
    server = Server(closing, udp=[REFUSED])
    assert (await failure_of(ask(ours, server.address), StunError)).code == "stun-refused"


@ensureDeferred
async def test_over_udp_only_the_server_that_was_asked_counts(closing, ours):
    clock = Clock()
    server = Server(closing, udp=[])
    asked = ask(ours, server.address, clock)
    await until(lambda: server.datagrams.heard)
    (bound,) = (
        each for each in reactor.getReaders() if isinstance(getattr(each, "protocol", None), _UDP)
    )
    other = Datagrams([])
    stranger = reactor.listenUDP(0, other, interface=LOOPBACK)
    other.transport.write(message(OURS), (LOOPBACK, bound.getHost().port))
    await pause(0.05)
    assert not asked.called
    await stranger.stopListening()
    clock.advance(SECONDS)
    assert (await failure_of(asked, StunError)).code == "stun-silent"


_UDP = outside_address._Datagrams


@ensureDeferred
async def test_over_udp_the_question_is_sent_again(closing, ours):
    clock = Clock()
    server = Server(closing, udp=[])
    asked = ask(ours, server.address, clock)
    for count, after in ((1, 0.5), (2, 0.5), (3, 2.0)):
        await until(lambda count=count: len(server.datagrams.heard) == count)
        clock.advance(after)
    assert (await failure_of(asked, StunError)).code == "stun-silent"
    assert clock.getDelayedCalls() == []


@ensureDeferred
async def test_a_server_that_says_nothing_costs_so_many_seconds(closing, ours):
    clock = Clock()
    server = Server(closing, tcp=[], udp=[message(OURS)])
    asked = ask(ours, server.address, clock)
    await until(lambda: server.factory.heard)
    clock.advance(SECONDS)
    assert (await asked).host == "203.0.113.7"
    await until(lambda: not server.factory.peers)


@pytest.mark.parametrize("tcp", [None, []])
@ensureDeferred
async def test_asking_can_be_cancelled(closing, ours, tcp):
    server = Server(closing, tcp=tcp, udp=[])
    asked = ask(ours, server.address)
    await until(lambda: server.factory.heard or server.datagrams.heard)
    asked.cancel()
    await failure_of(asked, CancelledError)


@ensureDeferred
async def test_a_server_without_an_address_is_told_as_silent(closing, ours, monkeypatch):
    for known in ((), ("2001:db8::1",)):
        monkeypatch.setattr(outside_address, "resolve", lambda *_, known=known: succeed(known))
        asked = ask(ours, Address("stun.invalid", 3478))
        assert (await failure_of(asked, StunError)).code == "stun-silent"


@ensureDeferred
async def test_a_server_that_lets_nobody_in_costs_no_more(closing, ours, monkeypatch):
    clock, connecting = Clock(), Deferred()
    monkeypatch.setattr(outside_address.FromPortEndpoint, "connect", lambda *_: connecting)
    server = Server(closing, udp=[message(OURS)])
    asked = ask(ours, server.address, clock)
    clock.advance(SECONDS)
    assert connecting.called
    assert (await asked).host == "203.0.113.7"


@ensureDeferred
async def test_a_server_on_this_machine_may_say_that_we_are_there(closing, ours):
    port = ours.getHost().port
    here = (0x0020, xored(bytes((127, 0, 0, 1)), port))
    server = Server(closing, tcp=[message(here)])
    assert await ask(ours, server.address) == (LOOPBACK, port)


@ensureDeferred
async def test_what_a_server_elsewhere_says_is_taken(ours, monkeypatch):
    async def says(*_):
        return Address("203.0.113.7", 4466)

    monkeypatch.setattr(outside_address, "_over_tcp", says)
    assert await ask(ours, Address("192.0.2.1", 3478)) == ("203.0.113.7", 4466)


def test_an_answer_that_comes_byte_by_byte_is_waited_for():
    asking = outside_address._Stream(TRANSACTION)
    text = message(OURS)
    for at in range(len(text)):
        assert not asking.outcome.called
        asking.dataReceived(text[at : at + 1])
    assert asking.outcome.result == ("203.0.113.7", 4466)


@ensureDeferred
async def test_a_refusal_that_is_nothing_but_a_header_is_heard_at_once():
    asking = outside_address._Stream(TRANSACTION)
    asking.dataReceived(message(kind=0x0111))
    assert (await failure_of(asking.outcome, StunError)).code == "stun-refused"


@ensureDeferred
async def test_a_stream_that_ends_before_its_answer_is_silence():
    asking = outside_address._Stream(TRANSACTION)
    asking.dataReceived(message(OURS)[:25])
    asking.connectionLost()
    assert (await failure_of(asking.outcome, StunError)).code == "stun-silent"


def test_of_two_answers_over_udp_the_second_is_not_heard():
    server = Address("192.0.2.1", 3478)
    asking = outside_address._Datagrams(Clock(), TRANSACTION, server)
    asking.datagramReceived(message(OURS), server)
    asking.datagramReceived(REFUSED, server)
    assert asking.outcome.result == ("203.0.113.7", 4466)


def test_where_there_is_no_way_now_the_question_is_sent_again():
    class Wire:
        def __init__(self):
            self.tried = 0

        def write(self, data, to):
            self.tried += 1
            raise OSError(errno.ENETUNREACH, "no way there")

    clock = Clock()
    asking = outside_address._Datagrams(clock, TRANSACTION, Address("192.0.2.1", 3478))
    asking.transport = Wire()
    asking.startProtocol()
    clock.pump((0.5, 0.5))
    assert asking.transport.tried == 3
    asking.stop()


@ensureDeferred
async def test_no_server_elsewhere_says_that_we_are_its_own_machine(ours, monkeypatch):
    async def says(*_):
        return Address(LOOPBACK, 4466)

    monkeypatch.setattr(outside_address, "_over_tcp", says)
    asked = ask(ours, Address("192.0.2.1", 3478))
    assert (await failure_of(asked, StunError)).code == "stun-no-address"


@pytest.mark.parametrize(
    ("hears", "hosts", "asked"),
    [
        ("0.0.0.0", ("2001:db8::1", "192.0.2.1"), "192.0.2.1"),
        ("::", ("2001:db8::1", "192.0.2.1"), "192.0.2.1"),
        ("::", ("2001:db8::1",), "2001:db8::1"),
        ("::1", ("192.0.2.1",), None),
    ],
)
@ensureDeferred
async def test_the_address_that_a_router_hides_is_asked_for(closing, hears, hosts, asked):
    port = bind(reactor, Address(hears, 0), Factory())
    closing.append(port.stopListening)
    assert outside_address._suitable(port, hosts) == asked
