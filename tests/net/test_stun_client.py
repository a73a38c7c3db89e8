"""Asking a server on the loopback for our external address."""

import errno
import ipaddress

import pytest
from twisted.internet import reactor
from twisted.internet.defer import CancelledError, Deferred, succeed
from twisted.internet.error import CannotListenError
from twisted.internet.protocol import Factory, Protocol
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport

from ginpeer.net import stun
from ginpeer.net.address import Address
from ginpeer.net.mapping.datagrams import MAX_ANSWERS
from ginpeer.net.stun import (
    EVERY,
    GIVE_UP_AFTER,
    REOPEN_AFTER,
    SECOND_ANSWER,
    SECONDS,
    ObservedAddress,
    StunContext,
    StunError,
    encode_binding_request,
    observe_address,
)
from ginpeer.net.tcp import Stream, bind
from tests.free_port import free_port
from tests.net.support import (
    LOOPBACK,
    AnsweringDatagrams,
    failure_of,
    linux,
    pause,
    timed_by,
    until,
)
from tests.net.test_stun import OURS, TRANSACTION, message, xored

REFUSED = message((0x0009, b"\0\0\4\1"), kind=0x0111)


class Client(Protocol):
    def connectionMade(self):
        self.factory.peers.append(self)
        self.factory.reached += 1

    def dataReceived(self, data):
        self.factory.heard.append((self.transport.getPeer().port, data))
        for piece in self.factory.answer:
            self.transport.write(piece)
        if self.factory.closes:
            self.transport.loseConnection()

    def connectionLost(self, reason):
        self.factory.peers.remove(self)


class Server:
    """A STUN server that listens on one port, over TCP, UDP or both."""

    def __init__(self, closing, tcp=None, udp=None, closes=False):
        self.tcp = self.udp = None
        port = free_port()
        self.factory = Factory.forProtocol(Client)
        self.factory.peers, self.factory.heard, self.factory.reached = [], [], 0
        self.factory.answer, self.factory.closes = tcp, closes
        self.datagrams = AnsweringDatagrams(*udp or ())
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


def look(port, *servers, clock=None):
    context = StunContext(timed_by(clock), lambda count: TRANSACTION[:count])
    return Deferred.fromCoroutine(observe_address(context, servers, port))


def ask(port, server, clock=None):
    return look(port, server, clock=clock).addCallback(lambda seen: seen.address)


@linux
@pytest.mark.parametrize("cut", [0, 1, 19, 20, 31])
async def test_a_server_is_asked_from_the_listening_port(closing, ours, cut):
    text = message(OURS, fingerprint=True)
    server = Server(closing, tcp=[text[:cut], text[cut:] + b"and more"])
    assert await ask(ours, server.address) == ("203.0.113.7", 4466)
    assert server.factory.heard == [(ours.getHost().port, encode_binding_request(TRANSACTION))]
    await until(lambda: not server.factory.peers)


async def test_only_the_address_counts_if_another_port_had_to_be_used(closing, ours, monkeypatch):
    monkeypatch.setattr("ginpeer.net.simultaneous_open._source", lambda *_: (LOOPBACK, 0))
    server = Server(closing, tcp=[message(OURS)])
    assert await ask(ours, server.address) == ("203.0.113.7", ours.getHost().port)


@pytest.mark.parametrize(
    ("tcp", "closes"),
    [
        (None, False),
        ([], True),
        ([REFUSED], False),
    ],
)
async def test_udp_gives_the_bare_address_if_tcp_fails(closing, ours, tcp, closes):
    server = Server(closing, tcp=tcp, udp=[message(OURS)], closes=closes)
    assert await ask(ours, server.address) == ("203.0.113.7", ours.getHost().port)


async def test_over_udp_only_an_answer_to_our_request_counts(closing, ours):
    stray = message(OURS, transaction=bytes(12))
    server = Server(closing, udp=[stray, message(OURS)])
    assert (await ask(ours, server.address)).host == "203.0.113.7"
    server = Server(closing, udp=[REFUSED])
    assert (await failure_of(ask(ours, server.address), StunError)).code == "stun-refused"
    server = Server(closing, udp=[stray] * MAX_ANSWERS)
    assert (await failure_of(ask(ours, server.address), StunError)).code == "stun-silent"


async def test_without_a_udp_port_the_request_fails_at_once(ours, monkeypatch):
    def refuse(*_, **__):
        raise CannotListenError("", 0, OSError(errno.EMFILE, "Too many open files"))

    clock = Clock()
    monkeypatch.setattr(reactor, "listenUDP", refuse)
    asked = ask(ours, Address(LOOPBACK, free_port()), clock)
    assert (await failure_of(asked, StunError)).code == "stun-silent"
    assert clock.getDelayedCalls() == []


async def test_a_silent_server_is_given_up_after_its_time(closing, ours):
    clock = Clock()
    server = Server(closing, tcp=[], udp=[message(OURS)])
    asked = ask(ours, server.address, clock)
    await until(lambda: server.factory.heard)
    clock.advance(SECONDS)
    assert (await asked).host == "203.0.113.7"
    await until(lambda: not server.factory.peers)


@pytest.mark.parametrize("tcp", [None, []])
async def test_a_request_can_be_cancelled(closing, ours, tcp):
    server = Server(closing, tcp=tcp, udp=[])
    asked = ask(ours, server.address)
    await until(lambda: server.factory.heard or server.datagrams.heard)
    asked.cancel()
    await failure_of(asked, CancelledError)


async def test_a_server_without_a_usable_address_counts_as_silent(closing, ours, monkeypatch):
    for known in ((), ("2001:db8::1",)):
        monkeypatch.setattr(stun, "resolve", lambda *_, known=known: succeed(known))
        asked = ask(ours, Address("stun.invalid", 3478))
        assert (await failure_of(asked, StunError)).code == "stun-silent"


async def test_without_servers_the_request_fails_as_silent(ours):
    assert (await failure_of(look(ours), StunError)).code == "stun-silent"


async def test_a_server_that_accepts_no_connection_is_given_up_in_time(closing, ours, monkeypatch):
    clock, connecting = Clock(), Deferred()
    monkeypatch.setattr(stun, "connect_from", lambda *_: connecting)
    server = Server(closing, udp=[message(OURS)])
    asked = ask(ours, server.address, clock)
    clock.advance(SECONDS)
    assert connecting.called
    assert (await asked).host == "203.0.113.7"


def addresses_of(servers):
    return tuple(each.address for each in servers)


def at(host, port=4466):
    """Return the answer of a server that sees us at this address."""
    ip = ipaddress.ip_address(host)
    return message((0x0020, xored(ip.packed, port, family=1 if ip.version == 4 else 2)))


@linux
@pytest.mark.parametrize(
    ("host", "port"),
    [
        ("10.0.0.7", 22),
        ("255.255.255.255", 4466),
        ("fd00::1", 4466),
    ],
)
async def test_an_address_that_cannot_be_ours_is_not_believed(closing, ours, host, port):
    liar = Server(closing, tcp=[at(host, port)], udp=[at(host, port)])
    assert (await failure_of(ask(ours, liar.address), StunError)).code == "stun-no-address"


@linux
async def test_a_system_port_is_not_believed(closing, ours):
    liar = Server(closing, tcp=[at("203.0.113.7", 22)], udp=[at("203.0.113.7", 22)])
    assert await ask(ours, liar.address) == ("203.0.113.7", ours.getHost().port)


@linux
@pytest.mark.parametrize(
    ("hosts", "ports", "same_port", "asked"),
    [
        ((7, 7, 7), (4466, 4466, 4466), True, [1, 1, 0]),  # the third isn't asked if two agree
        ((9, 7, 7), (4466, 4466, 4466), True, [1, 1, 1]),  # the third exposes a liar,
        ((7, 7, 7), (50022, 4466, 4466), True, [1, 1, 1]),  # even about the port
        ((7, 7), (40001, 40002), False, [1, 1]),  # a router that changes the port
        ((7, 7, 7, 7), (40001, 40002, 40003, 40004), False, [1, 1, 1, 0]),
    ],
)
async def test_two_servers_that_agree_are_believed(closing, ours, hosts, ports, same_port, asked):
    where = [(f"203.0.113.{host}", port) for host, port in zip(hosts, ports, strict=True)]
    servers = [Server(closing, tcp=[at(*each)]) for each in where]
    seen = await look(ours, *addresses_of(servers))
    assert (seen.address.host, seen.same_port, seen.exact) == ("203.0.113.7", same_port, True)
    assert [len(each.factory.heard) for each in servers] == asked
    if same_port:
        assert seen.address.port == 4466
        told = zip(servers, where, asked, strict=True)
        agreed = (each.address for each, it, heard in told if heard and it == seen.address)
        assert seen.servers == tuple(agreed)


@linux
async def test_no_server_is_believed_if_no_two_agree(closing, ours):
    servers = [Server(closing, tcp=[at(f"203.0.113.{n}")]) for n in (7, 8, 9)]
    assert (await failure_of(look(ours, *addresses_of(servers)), StunError)).code == "stun-disagree"


async def test_a_slow_server_does_not_keep_others_from_being_asked(closing, ours, monkeypatch):
    clock, real = Clock(), stun._find

    async def slow(asking, server, port):
        if server == liar.address:
            clock.advance(SECOND_ANSWER)
        return await real(asking, server, port)

    monkeypatch.setattr(stun, "_find", slow)
    liar, *honest = (Server(closing, tcp=[at(f"203.0.113.{n}")]) for n in (9, 7, 7))
    seen = await look(ours, *addresses_of((liar, *honest)), clock=clock)
    assert seen.address.host == "203.0.113.7"


@linux
async def test_after_a_useless_answer_the_next_server_is_asked(closing, ours):
    servers = [Server(closing, tcp=[text]) for text in (REFUSED, at("203.0.113.7"))]
    seen = await look(ours, *addresses_of(servers))
    assert (seen.address, seen.same_port) == (("203.0.113.7", 4466), None)
    assert seen.servers == (servers[1].address,)


async def test_silent_servers_are_not_tried_for_ever(closing, ours, monkeypatch):
    clock, begun = Clock(), []
    monkeypatch.setattr(stun, "resolve", lambda _, host: begun.append(host) or Deferred())
    servers = [Server(closing, tcp=[]) for _ in range(9)]
    asked = look(ours, *addresses_of(servers), clock=clock)
    for _ in range(20):
        clock.advance(SECONDS)
    assert (await failure_of(asked, StunError)).code == "stun-silent"
    assert len(begun) == 2 * GIVE_UP_AFTER // SECONDS  # over TCP, then over UDP


# --- keeping the port alive -------------------------------------------------------------


class Kept:
    """Keeps our port, as seen by these servers, alive on the test's clock."""

    def __init__(self, closing, port, *servers):
        self.clock, self.changes, self.needed = Clock(), [], True
        self.servers = servers
        asking = StunContext(timed_by(self.clock), lambda count: TRANSACTION[:count])
        addresses = addresses_of(servers)
        seen = ObservedAddress(Address("203.0.113.7", 4466), addresses, exact=True, same_port=True)
        self.keeping = Deferred.fromCoroutine(
            stun.keep_alive(
                asking,
                addresses,
                port,
                seen,
                changed=self.changes.append,
                needed=lambda: self.needed,
            )
        )
        self.keeping.addErrback(lambda failure: failure.trap(CancelledError))
        closing.append(self.stop)

    async def stop(self):
        self.keeping.cancel()

    @property
    def heard(self):
        return sum(len(each.factory.heard) for each in self.servers)

    @property
    def connections(self):
        return sum(len(each.factory.peers) for each in self.servers)

    async def answered(self, count):
        """Wait until this many questions were answered and the answers were read."""
        await until(lambda: self.heard >= count)
        await until(lambda: any(call.getTime() > 3 for call in self.clock.getDelayedCalls()))
        await pause(0.02)

    async def next_answers(self, *answers):
        """Make the servers give these answers, one each, from now on, and ask all of them again."""
        for server, answer in zip(self.servers, answers, strict=True):
            server.factory.answer = [answer]
        before = self.heard
        self.clock.advance(EVERY)
        await self.answered(before + len(answers))


@pytest.fixture
def keep_alive(closing, ours):
    """Return a function that starts to keep our port alive at *count* correct servers and, if
    *asked* is true, waits until one has answered."""

    async def begin(count=1, asked=True):
        servers = (Server(closing, tcp=[at("203.0.113.7")]) for _ in range(count))
        kept = Kept(closing, ours, *servers)
        if asked:
            kept.clock.advance(REOPEN_AFTER)
            await kept.answered(1)
        return kept

    return begin


@linux
async def test_one_connection_stays_open_with_regular_requests(keep_alive, ours):
    kept = await keep_alive()
    (server,) = kept.servers
    connected = server.factory.peers[:]
    for count in range(2, 7):
        kept.clock.advance(EVERY)
        await kept.answered(count)
    assert (kept.heard, kept.changes) == (6, [])
    assert server.factory.peers == connected
    assert {port for port, _ in server.factory.heard} == {ours.getHost().port}


@linux
@pytest.mark.parametrize("ports", [(50000, 50000), (50000, 50001)], ids=["new", "random"])
async def test_a_new_or_randomly_changing_outside_port_is_reported_once(keep_alive, ports):
    kept = await keep_alive(2)
    for server, port in zip(kept.servers, ports, strict=True):
        server.factory.answer = [at("203.0.113.7", port)]
    kept.clock.advance(EVERY)
    await until(lambda: kept.changes)
    (seen,) = kept.changes
    if ports[0] == ports[1]:
        assert (seen.address, seen.same_port) == (("203.0.113.7", 50000), True)
    else:
        assert seen.same_port is False
        for port in (51000, 52000, 53000):
            await kept.next_answers(at("203.0.113.7", port), at("203.0.113.7", port + 1))
        assert kept.changes == [seen]
        await kept.next_answers(at("203.0.113.8"), at("203.0.113.8"))  # the port is ours again
        await until(lambda: len(kept.changes) == 2)
        assert kept.changes[1].same_port is True


@linux
async def test_one_lying_server_changes_nothing(keep_alive):
    kept = await keep_alive(3)
    kept.servers[0].factory.answer = [at("203.0.113.66")]
    kept.clock.advance(EVERY)
    await until(lambda: len(kept.servers[2].factory.heard) == 1)
    await pause()
    assert kept.changes == []


@linux
async def test_a_server_that_closes_is_asked_again_at_growing_intervals(closing, ours):
    kept = Kept(closing, ours, Server(closing, tcp=[at("203.0.113.7")], closes=True))
    for _ in range(300):
        kept.clock.advance(1)
        await pause(0.001)
    assert kept.changes == []
    assert kept.heard < 30


@linux
async def test_a_server_that_sends_too_much_is_disconnected(keep_alive):
    kept = await keep_alive()
    (peer,) = kept.servers[0].factory.peers
    peer.transport.write(bytes(1000))
    await until(lambda: kept.connections == 0)


@linux
async def test_no_server_is_asked_while_the_address_is_not_needed(keep_alive):
    kept = await keep_alive(asked=False)
    kept.needed = False
    for _ in range(3):
        kept.clock.advance(EVERY)
        await pause(0.02)
    assert [server.factory.reached for server in kept.servers] == [0]
    kept.needed = True
    kept.clock.advance(EVERY)
    await kept.answered(1)
    kept.needed = False
    kept.clock.advance(EVERY)
    await until(lambda: kept.connections == 0)


@linux
async def test_the_connection_is_closed_when_keeping_alive_ends(keep_alive):
    kept = await keep_alive()
    kept.keeping.cancel()
    await until(lambda: kept.connections == 0)
    assert kept.clock.getDelayedCalls() == []


@pytest.mark.parametrize(
    ("text", "code"),
    [(message(kind=0x0111), "stun-refused"), (message(OURS)[:25], "stun-silent")],
    ids=["a refusal that is nothing but a header", "less than an answer"],
)
async def test_a_connection_that_ends_without_an_answer_fails_with_its_reason(ours, text, code):
    stream = Stream()
    stream.makeConnection(StringTransport(hostAddress=ours.getHost()))
    context = StunContext(Clock(), lambda count: TRANSACTION[:count])
    asking = stun._ask_over(stream, context, Address("192.0.2.1", 3478), ours)
    answer = Deferred.fromCoroutine(asking)
    for at in range(len(text)):
        assert not answer.called
        stream.dataReceived(text[at : at + 1])
    assert answer.called is (code == "stun-refused")
    stream.connectionLost()
    assert (await failure_of(answer, StunError)).code == code


async def test_the_request_is_repeated_after_a_failure_to_send():
    class System(Clock):
        """A system with one UDP port but no route."""

        tried = 0

        def listenUDP(self, port, question, interface):
            question.transport = self

        def write(self, data, to):
            self.tried += 1
            raise OSError(errno.ENETUNREACH, "no way there")

        def stopListening(self):
            pass

    system = System()
    context = StunContext(system, lambda count: TRANSACTION[:count])
    asking = stun._over_udp(context, Address("192.0.2.1", 3478), None)
    asked = Deferred.fromCoroutine(asking)
    system.pump((0.5, 0.5))
    assert system.tried == 3
    system.advance(SECONDS)
    assert (await failure_of(asked, StunError)).code == "stun-silent"
    assert system.getDelayedCalls() == []


@pytest.mark.parametrize(
    ("hears", "hosts", "asked"),
    [
        ("0.0.0.0", ("2001:db8::1", "192.0.2.1"), "192.0.2.1"),
        ("::", ("2001:db8::1", "192.0.2.1"), "192.0.2.1"),
        ("::", ("2001:db8::1",), "2001:db8::1"),
        ("::1", ("192.0.2.1",), None),
    ],
)
async def test_an_ipv4_server_address_is_preferred_if_possible(closing, hears, hosts, asked):
    port = bind(reactor, Address(hears, 0), Factory())
    closing.append(port.stopListening)
    assert stun._suitable(port, hosts) == asked
