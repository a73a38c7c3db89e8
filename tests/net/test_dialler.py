"""How a guest reaches an address: directly, through a proxy or through Tor, and in no other way."""

import os
from dataclasses import replace
from types import SimpleNamespace

from twisted.internet import reactor
from twisted.internet.defer import Deferred, succeed
from twisted.internet.error import ConnectingCancelledError
from twisted.internet.protocol import Factory
from twisted.internet.task import Clock

from ginpeer.net.address import Address
from ginpeer.net.codes import SECRET_BYTES, Invite
from ginpeer.net.connection import Timing
from ginpeer.net.connection_attempt import ONION_SECONDS, PROXY_SECONDS, AttemptContext, Dialler
from ginpeer.net.connector import _NOT_THERE, ONION_PATIENCE, Connector, JoinError, connect
from ginpeer.net.socks import PROXY_REFUSALS, UNREACHED, Proxy
from protocol.crypto.identity import IdentityKey
from tests.net.socks_server import OK, SocksServer
from tests.net.support import (
    LOOPBACK,
    a_guest,
    a_host,
    failure_of,
    leave,
    open_house,
    pause,
    timed_by,
    until,
    with_addresses,
)
from tests.net.test_onion_address import ONION

NAME = Address("gin.example", 4466)
REFUSED = b"\x05\x05" + OK[2:]


class Watched:
    """The reactor, with a record of connection attempts and name lookups."""

    def __init__(self):
        self.dialled = []
        self.looked_up = []

    def __getattr__(self, name):
        return getattr(reactor, name)

    def connectTCP(self, host, port, *more, **settings):
        self.dialled.append(Address(host, port))
        return reactor.connectTCP(host, port, *more, **settings)

    def resolve(self, name, *more):
        self.looked_up.append(name)
        raise AssertionError("a name is looked up")

    @property
    def nameResolver(self):
        resolver = self

        class Resolver:
            def resolveHostName(self, receiver, name, *more, **settings):
                resolver.resolve(name)

        return Resolver()


def invite_to(closing, *addresses):
    return with_addresses(open_house(closing, a_host(eager=False)).invite, *addresses)


def join_by_tor(invite, tor, clock=None, **settings):
    """Start joining through this Tor."""
    side, dialler = a_guest(eager=False).side, Dialler(tor=(tor.address,), rng=os.urandom)
    return connect(timed_by(clock), invite, side, dialler=dialler, **settings)


async def test_a_match_is_played_through_a_proxy(closing):
    host = a_host()
    listening = open_house(closing, host)
    server = SocksServer(closing, leads_to=listening.port)
    watched = Watched()
    guest = a_guest()
    invite = with_addresses(listening.invite, NAME)
    session = await connect(watched, invite, guest.side, dialler=Dialler(server.proxy))
    await until(lambda: session.done.called)
    assert guest.seat.lines == host.seat.lines
    assert len(guest.seat.lines) == 6
    assert session.peer.address == str(NAME)  # where to find the host next time
    assert server.asked == [(3, b"gin.example", 4466)]
    assert (watched.dialled, watched.looked_up) == ([server.address], [])


async def test_with_a_proxy_nothing_is_dialled_or_looked_up_directly(closing):
    """Not even if the proxy refuses everything and Tor is available."""
    server = SocksServer(closing, replies=[REFUSED])
    tor = SocksServer(closing)
    watched = Watched()
    every = (NAME, ONION, (LOOPBACK, 4466), ("192.0.2.7", 4466), ("2001:db8::7", 4466))
    joined = connect(
        watched,
        invite_to(closing, *every),
        a_guest().side,
        dialler=Dialler(server.proxy, tor=(tor.address,)),
    )
    error = await failure_of(joined, JoinError)
    assert error.code == "connection-refused"
    assert watched.dialled == [server.address] * 5
    assert watched.looked_up == []
    assert [kind for kind, _, _ in server.asked] == [3, 3, 1, 1, 4]
    assert tor.asked == []


async def test_a_proxy_that_is_off_leaves_no_other_way(closing, unused_address):
    watched = Watched()
    listening = open_house(closing, a_host(eager=False))
    joined = connect(
        watched, listening.invite, a_guest().side, dialler=Dialler(Proxy(unused_address))
    )
    error = await failure_of(joined, JoinError)
    assert error.code == "proxy-not-there"
    assert str(unused_address) in error.sentence
    assert set(watched.dialled) == {unused_address}


async def test_a_slow_proxy_has_a_time_limit(closing):
    clock, server = Clock(), SocksServer(closing, answers=[])
    invite, dialler = invite_to(closing, NAME), Dialler(server.proxy)
    joined = connect(timed_by(clock), invite, a_guest().side, dialler=dialler)
    await until(lambda: server.said)
    clock.advance(PROXY_SECONDS - 0.1)
    assert not joined.called
    clock.advance(0.2)
    assert (await failure_of(joined, JoinError)).code == "proxy-timeout"


async def test_an_onion_address_is_dialled_through_the_available_tor(closing, unused_address):
    listening = open_house(closing, a_host(eager=False))
    tor = SocksServer(closing, leads_to=listening.port)
    watched = Watched()
    session = await connect(
        watched,
        with_addresses(listening.invite, ONION),
        a_guest(eager=False).side,
        dialler=Dialler(tor=(unused_address, tor.address)),
    )
    assert session.peer.address == str(ONION)
    assert tor.asked == [(3, ONION.host.encode(), 4466)]
    assert watched.looked_up == []


async def test_a_second_attempt_over_another_circuit_does_not_wait_for_the_first(closing):
    """Tor may wait up to two minutes for a circuit to a service that was restarted."""
    listening = open_house(closing, a_host(eager=False))
    tor = SocksServer(closing, replies=(b"", OK), leads_to=listening.port, any_login=True)
    clock = Clock()
    joined = join_by_tor(with_addresses(listening.invite, ONION), tor, clock)
    await until(lambda: tor.asked)
    clock.advance(ONION_PATIENCE - 1)
    await pause()
    assert len(tor.asked) == 1
    clock.advance(1)
    await joined
    assert len(tor.asked) == 2
    assert len(set(tor.logins)) == 2
    clock.advance(10 * ONION_PATIENCE)
    await pause()
    assert len(tor.asked) == 2


async def test_a_connected_attempt_is_given_its_time_to_greet(closing):
    silent = SocksServer(closing, answers=())
    tor = SocksServer(closing, leads_to=silent.address.port)
    clock = Clock()
    timing = replace(Timing(), greeting=2 * ONION_PATIENCE)
    joined = join_by_tor(invite_to(closing, ONION), tor, clock, timing=timing)
    await until(lambda: silent.said)
    clock.advance(ONION_PATIENCE)
    await pause()
    assert len(tor.asked) == 1
    clock.advance(2 * ONION_PATIENCE)
    await failure_of(joined, JoinError)


async def test_an_onion_address_has_more_time_than_others_and_two_attempts(closing):
    tor = SocksServer(closing, replies=(b"",))
    clock = Clock()
    joined = join_by_tor(invite_to(closing, ONION), tor, clock)
    await until(lambda: len(tor.asked) == 1)
    clock.advance(ONION_PATIENCE)
    await until(lambda: len(tor.asked) == 2)
    clock.advance(ONION_SECONDS - 1)
    await pause()
    assert not joined.called
    clock.advance(2)
    error = await failure_of(joined, JoinError)
    assert error.code == "proxy-timeout"
    assert len(tor.asked) == 2
    assert clock.getDelayedCalls() == []


async def test_an_onion_address_is_not_dialled_without_tor(closing, unused_address):
    watched = Watched()
    joined = connect(
        watched, invite_to(closing, ONION), a_guest().side, dialler=Dialler(tor=(unused_address,))
    )
    error = await failure_of(joined, JoinError)
    assert error.code == "tor-not-there"
    assert ONION.host in error.sentence
    assert (watched.dialled, watched.looked_up) == ([unused_address], [])


async def test_a_failing_onion_address_does_not_hide_the_other_failures(closing):
    server = SocksServer(closing, replies=[REFUSED, b"\x05\xf0" + OK[2:]])
    joined = connect(
        reactor, invite_to(closing, NAME, ONION), a_guest().side, dialler=Dialler(server.proxy)
    )
    error = await failure_of(joined, JoinError)
    assert error.code == "host-unreachable"
    assert all(PROXY_REFUSALS[byte][1] in error.sentence for byte in (5, 0xF0))
    assert all(str(address) in error.sentence for address in (NAME, ONION))


async def test_a_guest_connected_by_another_route_stops_using_the_proxy(closing):
    """The attempt through Tor is still in progress."""
    clock = Clock()
    listening = open_house(closing, a_host(eager=False))
    tor = SocksServer(closing, answers=[])
    invite = with_addresses(listening.invite, ONION, *listening.addresses)
    joined = join_by_tor(invite, tor, clock)
    await until(lambda: tor.said)
    clock.advance(Timing().stagger)
    session = await joined
    await until(lambda: all(guest.lost for guest in tor.guests))
    await leave(session)
    await until(lambda: clock.getDelayedCalls() == [])


def test_a_fault_after_the_host_admitted_us_closes_that_connection_and_is_reported():
    caught, dropped, ended = [], [], []

    class FailsOnce:
        after, is_open = 0, False

        def is_useful(self):
            return True

        def end(self):
            if not caught:
                raise KeyError("a bug")

    class Winner:
        address, is_incoming, is_connected = ONION, False, True

        async def connect(self):
            return SimpleNamespace(admitted=succeed("a session"))

        def drop(self):
            dropped.append(self)

    side = SimpleNamespace(identity=IdentityKey(bytes(32)), caught=caught.append)
    invite = Invite.of(IdentityKey(b"h" * 32).public, bytes(SECRET_BYTES), (ONION,))
    context = AttemptContext(timed_by(Clock()), invite, side, Timing(), Dialler())
    connector = Connector(context, FailsOnce())
    connector.outcome.addErrback(ended.append)
    connector._begin(winner := Winner())
    assert dropped == [winner]
    assert [type(error) for error in caught] == [KeyError]
    assert [failure.type for failure in ended] == [KeyError]


def test_the_time_allowed_depends_on_the_kind_of_connection():
    direct, proxied = Dialler(), Dialler(Proxy(NAME))
    assert direct.seconds(NAME, 10) == 10
    assert proxied.seconds(NAME, 10) == PROXY_SECONDS
    assert direct.seconds(ONION, 10) == proxied.seconds(ONION, 10) == ONION_SECONDS


async def test_cancelling_during_the_search_for_tor_starts_nothing_more(closing, silent_port):
    """The Tor that is tried first doesn't answer, as its port's queue is full."""
    address = Address(LOOPBACK, silent_port)
    other = SocksServer(closing)
    watched = Watched()
    dialler = Dialler(tor=(address, other.address))
    connecting = Deferred.fromCoroutine(dialler.connect(watched, ONION, Factory()))
    await pause()
    connecting.cancel()
    await failure_of(connecting, ConnectingCancelledError)
    assert watched.dialled == [address]


def test_a_guest_tries_again_after_failures_that_may_pass():
    assert UNREACHED <= _NOT_THERE
    assert not {"proxy-garbled", "proxy-needs-login", "proxy-wrong-login"} & _NOT_THERE
