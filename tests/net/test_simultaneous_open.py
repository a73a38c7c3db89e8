"""Dialling from the listening port over real sockets, even from both sides at once."""

import contextlib
import errno
import socket
import struct
import sys

import pytest
from twisted.internet import reactor
from twisted.internet.defer import CancelledError, Deferred, fail, succeed
from twisted.internet.error import ConnectError, ConnectionRefusedError
from twisted.internet.protocol import Protocol
from twisted.internet.task import Clock

from ginpeer.net import simultaneous_open
from ginpeer.net.acceptor import Acceptor
from ginpeer.net.address import Address
from ginpeer.net.simultaneous_open import MAX_CONNECTIONS, Dialling, connect_from, may_dial
from ginpeer.net.tcp import ListenError, bind
from tests.net.support import (
    LOOPBACK,
    SECRET,
    a_host,
    collecting,
    failure_of,
    hang_up,
    linux,
    timed_by,
    until,
)


def meeting():
    """Return a factory that keeps every protocol that it builds."""
    factory = collecting(met := [], Met)
    factory.met = met
    return factory


class Met(Protocol):
    lost = False
    heard = b""

    def dataReceived(self, data):
        self.heard += data

    def connectionLost(self, reason):
        self.lost = True


@pytest.fixture
def open_port(closing):
    """Return a function that opens a port and returns it with its factory."""

    def open_port(host=LOOPBACK, port=0):
        factory = meeting()
        port = bind(reactor, Address(host, port), factory)

        async def close():
            if port.connected:
                await port.stopListening()
            await hang_up(factory.met)

        closing.append(close)
        return port, factory

    return open_port


def where(port):
    here = port.getHost()
    return Address(here.host, here.port)


@linux
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(LOOPBACK, LOOPBACK), ("0.0.0.0", LOOPBACK), ("::", LOOPBACK), ("::", "::1"), ("::1", "::1")],
)
async def test_a_dial_leaves_from_the_listening_port(open_port, ours, theirs):
    try:
        (mine, met), (other, others) = open_port(ours), open_port(theirs)
    except ListenError:
        pytest.skip("no IPv6 here")
    protocol = await connect_from(reactor, mine, where(other), met)
    await until(lambda: others.met)
    assert met.met == [protocol]
    assert others.met[0].transport.getPeer().port == mine.getHost().port
    protocol.transport.write(b"a word")
    await until(lambda: others.met[0].heard == b"a word")


@linux
async def test_on_windows_a_dial_leaves_from_our_address_on_the_route(open_port, monkeypatch):
    """On Windows, a socket at a specific address can share the port of the listening socket at the
    wildcard address. (On Linux, only if that socket doesn't listen.)"""
    (mine, _), (other, _) = open_port("0.0.0.0"), open_port()
    monkeypatch.setattr(sys, "platform", "win32")
    assert simultaneous_open._source(mine, where(other)) == (LOOPBACK, mine.getHost().port)
    with simultaneous_open._lent(mine):
        assert not mine.socket.getsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT)


@linux
async def test_a_port_is_shared_only_during_a_dial(open_port):
    (mine, met), (other, _) = open_port(), open_port()
    await connect_from(reactor, mine, where(other), met)
    with pytest.raises(ListenError) as caught:
        Acceptor(reactor, a_host().side, SECRET, address=where(mine))
    assert caught.value.code == "port-taken"


async def test_any_other_port_is_used_if_the_port_cannot_be_shared(open_port, monkeypatch):
    @contextlib.contextmanager
    def refuses(port):
        raise OSError(errno.EADDRINUSE, "Address already in use")
        yield

    monkeypatch.setattr(simultaneous_open, "_lent", refuses)
    (mine, met), (other, others) = open_port(), open_port()
    await connect_from(reactor, mine, where(other), met)
    await until(lambda: others.met)
    assert others.met[0].transport.getPeer().port != mine.getHost().port


async def test_a_lack_of_sockets_fails_like_a_refusal(open_port, monkeypatch):
    mine, met = open_port()

    def none(*_):
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(simultaneous_open, "_dial", none)
    await failure_of(connect_from(reactor, mine, where(mine), met), ConnectError)


@linux
async def test_a_port_that_dials_itself_makes_no_connection(open_port):
    mine, met = open_port()
    mine.stopReading()
    dialled = connect_from(reactor, mine, where(mine), met)
    await failure_of(dialled, ConnectionRefusedError)
    assert met.met == []
    mine.startReading()


@linux
async def test_two_peers_that_dial_each_other_at_once_get_one_connection(open_port, silence):
    (mine, met), (other, others) = open_port(), open_port()
    silence(mine)
    silence(other)
    first = connect_from(reactor, mine, where(other), met)
    assert not first.called
    second = connect_from(reactor, other, where(mine), others)
    one, two = await first, await second
    assert one.transport.getPeer() == two.transport.getHost()
    assert two.transport.getPeer() == one.transport.getHost()
    assert one.transport.getHost() == mine.getHost()
    one.transport.write(b"from one")
    two.transport.write(b"from two")
    await until(lambda: one.heard == b"from two" and two.heard == b"from one")
    assert (met.met, others.met) == ([one], [two])


@linux
async def test_an_abandoned_dial_is_also_dropped_by_the_system(open_port, silence, monkeypatch):
    """Otherwise, a half-open connection would survive and block the next dial."""
    closed = []

    class Closing(socket.socket):
        def close(self):
            if self.fileno() >= 0:
                lingers = self.getsockopt(socket.SOL_SOCKET, socket.SO_LINGER, 8)
                closed.append(struct.unpack("ii", lingers))
            super().close()

    (mine, met), (other, _) = open_port(), open_port()
    silence(other)
    monkeypatch.setattr(simultaneous_open.socket, "socket", Closing)
    dialled = connect_from(reactor, mine, where(other), met)
    monkeypatch.undo()
    closed.clear()
    dialled.cancel()
    await failure_of(dialled, CancelledError)
    assert closed == [(1, 0)]
    assert met.met == []


def hops(handle, least=21):
    """Return how many hops packets from this socket may take, and how many must be left when a
    packet arrives."""
    return handle.getsockopt(socket.IPPROTO_IP, socket.IP_TTL), handle.getsockopt(0, least)


@linux
async def test_a_dial_that_ignores_icmp_sends_with_fewer_hops_than_it_requires(
    open_port, silence, monkeypatch
):
    """Linux ignores an ICMP error if the packet of ours that it quotes has fewer hops left than we
    require of incoming packets (tcp_v4_err). Once connected, both settings are restored."""
    (mine, met), (other, _) = open_port(), open_port()
    made = []
    dial = simultaneous_open._dial

    def remembered(*given):
        made.append(dial(*given))
        return made[-1]

    monkeypatch.setattr(simultaneous_open, "_dial", remembered)
    usual = hops(mine.socket)
    silence(other)
    waits = connect_from(reactor, mine, where(other), met, outlives_icmp=True)
    sent, least = hops(made[0])
    assert sent < least <= usual[0] // 2 + 1
    waits.cancel()
    await failure_of(waits, CancelledError)
    free, _ = open_port()
    protocol = await connect_from(reactor, mine, where(free), met, outlives_icmp=True)
    assert hops(protocol.transport.socket) == usual


# --- repeated dials --------------------------------------------------------------------


def dialling(clock, port, factory, *targets, seconds=60.0, lasts=False):
    reactor = timed_by(clock)
    return Dialling(reactor, port, targets, factory, every=0.5, seconds=seconds, lasts=lasts)


def dials():
    return [
        each for each in reactor.getWriters() if isinstance(each, simultaneous_open._Connecting)
    ]


async def test_a_refused_dial_is_tried_again(open_port):
    clock, (mine, met) = Clock(), open_port()
    other, _ = open_port()
    target = where(other)
    await other.stopListening()
    calls = dialling(clock, mine, met, target)
    calls.start()
    await until(lambda: clock.getDelayedCalls()[0].getTime() == 0.5)  # until the second dial
    assert met.met == []
    _, others = open_port(port=target.port)
    clock.advance(0.5)
    await until(lambda: met.met and others.met)
    calls.stop()
    assert clock.getDelayedCalls() == []


@linux
async def test_an_unanswered_dial_is_replaced_by_a_new_one(open_port, silence):
    clock, (mine, met), (other, _) = Clock(), open_port(), open_port()
    silence(other)
    calls = dialling(clock, mine, met, where(other))
    calls.start()
    (first,) = dials()
    clock.advance(0.5)
    assert dials() == [first]  # the system resends its packets
    clock.pump([0.5] * 10)
    assert dials() == [first]
    clock.advance(0.5)
    (second,) = dials()
    assert second is not first
    assert first.outcome.called
    calls.stop()
    assert dials() == []


async def test_dialling_ends_when_its_time_is_over(open_port, unused_address):
    clock, (mine, met) = Clock(), open_port()
    calls = dialling(clock, mine, met, unused_address, seconds=2.0)
    calls.start()
    clock.pump([0.5] * 3)
    assert clock.getDelayedCalls()
    clock.advance(0.5)
    assert clock.getDelayedCalls() == []
    calls.start()
    assert clock.getDelayedCalls()
    calls.stop()


async def test_a_peer_that_keeps_answering_without_being_the_friend_is_left_alone(open_port):
    clock, (mine, met), (other, others) = Clock(), open_port(), open_port()
    calls = dialling(clock, mine, met, where(other), seconds=1000.0)
    calls.start()
    for count in range(1, MAX_CONNECTIONS + 1):
        await until(lambda count=count: len(met.met) == len(others.met) == count)
        met.met[-1].transport.abortConnection()
        others.met[-1].transport.abortConnection()
        await until(lambda: others.met[-1].lost and met.met[-1].lost)
        clock.advance(0.5)
    clock.pump([0.5] * 10)
    assert clock.getDelayedCalls() == []
    assert len(met.met) == MAX_CONNECTIONS
    calls.stop()


def test_no_more_addresses_are_dialled_than_a_code_can_hold(open_port):
    mine, met = open_port()
    many = [Address(f"127.0.1.{n}", 8080) for n in range(100)]
    calls = dialling(Clock(), mine, met, *many, *many)
    assert len(calls._targets) == simultaneous_open.MAX_TARGETS


@pytest.mark.parametrize(
    ("ours", "theirs", "may"),
    [
        ("0.0.0.0", "192.0.2.1", True),
        ("0.0.0.0", "192.168.1.1", True),
        ("0.0.0.0", "127.0.0.1", False),
        ("127.0.0.1", "127.0.0.1", True),
        ("0.0.0.0", "0.0.0.0", False),
        ("0.0.0.0", "224.0.0.1", False),
        ("0.0.0.0", "example.org", False),
        ("0.0.0.0", "::1", False),
        ("0.0.0.0", "2001:db8::1", True),
    ],
)
def test_only_single_machines_other_than_our_own_are_dialled(open_port, ours, theirs, may):
    port, _ = open_port(ours)
    assert may_dial(port, Address(theirs, 4466)) is may
    assert not may_dial(port, Address(theirs, 0))


@pytest.mark.parametrize(
    ("end", "number"),
    [
        (lambda it: it.doWrite(), errno.ENOTCONN),  # it was closed first
        (lambda it: it.connectionLost(None), errno.ECONNABORTED),
    ],
)
async def test_a_connection_already_lost_is_reported_as_failed(end, number):
    """A socket that was never connected behaves like one whose other end is gone."""
    factory, dialled = meeting(), socket.socket()
    connecting = simultaneous_open._Connecting(reactor, dialled, factory)
    end(connecting)
    error = await failure_of(connecting.outcome, ConnectError)
    assert error.osError == number
    assert dialled.fileno() == -1
    assert factory.met == []
    connecting.connectionLost(None)  # a second time, as when the reactor stops


@pytest.fixture
def dial_in_vain(open_port, unused_address, monkeypatch):
    """Return a function that starts dialling, with this outcome of every dial. It returns the
    dialling, its clock, and the times at which it dialled."""

    def begin(outcome, *, public, **settings):
        clock, moments = Clock(), []

        def dial(*_, **__):
            moments.append(clock.seconds())
            return outcome()

        monkeypatch.setattr(simultaneous_open, "is_public", lambda host: public)
        monkeypatch.setattr(simultaneous_open, "connect_from", dial)
        calls = dialling(clock, *open_port(), unused_address, **settings)
        calls.start()
        return calls, clock, moments

    return begin


def refuse():
    return fail(ConnectionRefusedError())


@pytest.mark.parametrize(
    ("public", "most"), [(False, 12), (True, 241)], ids=["in a network at home", "on the Internet"]
)
async def test_a_home_address_that_refuses_is_dialled_at_growing_intervals(
    dial_in_vain, public, most
):
    calls, clock, moments = dial_in_vain(refuse, public=public, seconds=120.0)
    clock.pump([0.5] * 240)
    assert most // 2 < len(moments) <= most
    before = len(moments)
    calls.start()  # the friend was connected in between, so dialling is quick again
    clock.pump([0.5] * 3)
    calls.stop()
    assert before + 2 <= len(moments) <= before + 4


@pytest.mark.parametrize(
    ("outcome", "quickly"),
    [
        (refuse, 120),
        (Deferred, 10),  # silent
        (lambda: succeed(None), MAX_CONNECTIONS + 2),  # somebody else answers
    ],
    ids=["refused", "silent", "connected"],
)
async def test_a_guest_that_keeps_trying_dials_rarely_after_a_while(dial_in_vain, outcome, quickly):
    calls, clock, moments = dial_in_vain(outcome, public=True, lasts=True)
    clock.pump([0.5] * 1320)  # 11 minutes
    calls.stop()
    assert len([at for at in moments if at < 60]) == quickly
    assert len([at for at in moments if at >= 60]) in (20, 21)  # every 30 seconds
