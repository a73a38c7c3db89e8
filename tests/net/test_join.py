"""Listening, and connecting to the listener."""

import errno
import socket
import sys
from dataclasses import replace

import pytest
from twisted.internet import reactor
from twisted.internet.defer import CancelledError
from twisted.internet.error import CannotListenError
from twisted.internet.task import Clock

from ginpeer.net import not_reached, tcp
from ginpeer.net.acceptor import Acceptor
from ginpeer.net.address import Address
from ginpeer.net.codes import SECRET_BYTES, InviteError
from ginpeer.net.connection import Timing
from ginpeer.net.connection_attempt import AttemptContext, Dialler
from ginpeer.net.connector import Connector, connect
from ginpeer.net.handshake import welcome_statement
from ginpeer.net.not_reached import JoinError
from ginpeer.net.tcp import ListenError
from protocol.frames import Goodbye, Hello, Welcome, enclose, encode_frame
from tests.net.support import (
    HOST_KEY,
    LOOPBACK,
    OTHER_KEY,
    SECRET,
    AnyTLS,
    a_guest,
    a_host,
    failure_of,
    invite_to,
    join_error,
    joining_rude_host,
    leave,
    open_house,
    pause,
    rude_guest,
    rude_host,
    timed_by,
    until,
    with_addresses,
)
from tests.refusals import code_of


@pytest.fixture
def taken_port():
    """Return a port on which another program listens."""
    with socket.socket() as taken:
        taken.bind((LOOPBACK, 0))
        taken.listen()
        yield taken.getsockname()[1]


# --- joining ---------------------------------------------------------------------------


async def test_the_next_address_is_tried_when_one_fails(closing, unused_address):
    listening = open_house(closing, a_host(eager=False))
    invite = with_addresses(
        listening.invite, unused_address, ("::1", unused_address.port), *listening.addresses
    )
    await connect(reactor, invite, a_guest(eager=False).side, timing=Timing(stagger=1000))


async def test_the_next_address_is_tried_when_one_keeps_us_waiting(closing, taken_port):
    """A program listens on the first address but never answers."""
    clock = Clock()
    listening = open_house(closing, a_host(eager=False))
    invite = with_addresses(listening.invite, (LOOPBACK, taken_port), *listening.addresses)
    joined = connect(timed_by(clock), invite, a_guest(eager=False).side)
    clock.advance(0.7)
    session = await joined
    assert session.peer.address.endswith(f":{listening.port}")
    await leave(session)
    await until(lambda: clock.getDelayedCalls() == [])


async def test_a_wrong_key_at_one_address_does_not_hide_the_host_at_another(closing):
    port, _ = rude_host(closing, AnyTLS(OTHER_KEY))
    listening = open_house(closing, a_host(eager=False))
    invite = with_addresses(listening.invite, (LOOPBACK, port), *listening.addresses)
    never = Timing(stagger=1000)  # only the wrong key makes it try the next address
    await connect(reactor, invite, a_guest(eager=False).side, timing=never)


@pytest.mark.parametrize("secret", [SECRET, bytes(SECRET_BYTES)])
async def test_a_wrong_key_is_compared_with_the_invite_only_if_there_was_one(closing, secret):
    port, _ = rude_host(closing, AnyTLS(OTHER_KEY))
    error = await join_error(replace(invite_to((LOOPBACK, port)), secret=secret))
    assert error.code == "pinned-key-mismatch"
    assert ("the invite" in error.sentence) is (secret == SECRET)


@pytest.mark.parametrize("settings", [{"nobody_else": True}, {"secret": b"not ours!!"}])
async def test_a_host_not_expecting_us_may_expect_us_on_another_port(closing, settings):
    """Two programs with the same home each listen on a port of their own."""
    elsewhere = open_house(closing, a_host(eager=False), **settings)
    listening = open_house(closing, a_host(eager=False))
    both = with_addresses(listening.invite, *elsewhere.addresses, *listening.addresses)
    session = await connect(reactor, both, a_guest(eager=False).side)
    assert session.peer.address.endswith(f":{listening.port}")


async def test_a_host_expecting_us_on_none_of_its_ports_says_so(closing, unused_address):
    elsewhere = open_house(closing, a_host(eager=False), nobody_else=True)
    both = with_addresses(elsewhere.invite, *elsewhere.addresses, unused_address)
    assert (await join_error(both)).code == "not-expected"


async def test_a_wrong_key_is_reported_before_other_failures(closing, unused_address):
    port, _ = rude_host(closing, AnyTLS(OTHER_KEY))
    error = await join_error(invite_to(unused_address, (LOOPBACK, port)))
    assert error.code == "pinned-key-mismatch"


async def test_an_answer_by_the_host_itself_is_final(closing):
    listening = open_house(closing, a_host(eager=False))
    port, peers = rude_host(closing)
    invite = with_addresses(listening.invite, *listening.addresses, (LOOPBACK, port))
    await connect(reactor, invite, a_guest(eager=False).side)
    error = await join_error(invite, a_guest(OTHER_KEY))
    assert error.code == "invite-used"
    assert peers == []


async def test_no_other_address_is_tried_while_a_peer_with_the_hosts_key_greets(closing):
    clock = Clock()
    (one, ones), (other, others) = rude_host(closing), rude_host(closing)
    both = invite_to((LOOPBACK, one), (LOOPBACK, other))
    joined = connect(timed_by(clock), both, a_guest().side)
    await until(lambda: ones and ones[0].frames)  # our hello
    clock.advance(Timing().stagger)
    await pause(0.05)
    assert others == []
    joined.cancel()
    await failure_of(joined, CancelledError)


async def test_the_second_of_two_welcomes_is_ignored(closing):
    """Both hosts have the right key, and admit us in the same turn of the reactor."""
    clock, guest = Clock(), a_guest(eager=False)
    (one, ones), (other, others) = rude_host(closing), rude_host(closing)
    invite = invite_to((LOOPBACK, one), (LOOPBACK, other))
    timing = Timing(stagger=0.0)
    connector = Connector(AttemptContext(timed_by(clock), invite, guest.side, timing, Dialler()))
    connector.start()
    clock.advance(0.0)  # both addresses are tried before a key is revealed
    await until(lambda: ones and others and ones[0].frames and others[0].frames)
    attempts = tuple(connector._running)
    for peer, attempt in zip((ones[0], others[0]), attempts, strict=True):
        blank = Welcome(1, None, "host 1", bytes(64))
        said = welcome_statement(peer.link(), peer.frames[0], blank)
        welcome = replace(blank, signature=HOST_KEY.sign(said))
        attempt._connection.dataReceived(enclose(encode_frame(welcome)))
    session = await connector.outcome
    assert [player.session for player in guest.players] == [session]
    await until(lambda: others[0].lost and connector._failed)
    assert [attempt.code for attempt in connector._failed] == ["not-needed"]
    assert [type(frame) for frame in others[0].frames] == [Hello]  # no goodbye is sent


async def test_a_cancelled_join_leaves_nothing_behind(taken_port, unused_address):
    clock = Clock()
    invite = invite_to((LOOPBACK, taken_port), unused_address)
    joined = connect(timed_by(clock), invite, a_guest().side)
    await until(lambda: clock.getDelayedCalls())
    joined.cancel()
    await failure_of(joined, CancelledError)
    await until(lambda: clock.getDelayedCalls() == [])


async def test_a_cancelled_join_drops_an_unfinished_connection(closing):
    joined, peer = await joining_rude_host(closing)
    joined.cancel()
    await failure_of(joined, CancelledError)
    await until(lambda: peer.lost)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems answer for a full queue")
async def test_a_port_that_never_answers_is_reported_as_that(silent_port):
    invite = invite_to((LOOPBACK, silent_port))
    failed = await join_error(invite, timing=Timing(connecting=0.3))
    assert failed.code == "connect-timeout"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have one loopback address")
async def test_our_own_machine_is_not_mentioned_if_the_host_is_another(
    closing, monkeypatch, unused_address
):
    """One of the two addresses of this machine stands for another machine."""
    monkeypatch.setattr(not_reached, "_is_here", lambda address, own: address.host == LOOPBACK)
    other, peers = rude_host(closing, AnyTLS(OTHER_KEY))
    for own in (unused_address.port, other):
        both = invite_to(("127.0.0.2", unused_address.port), (LOOPBACK, own))
        failed = await join_error(both)
        assert failed.code == "connection-refused"
        assert "127.0.0.2" in failed.sentence
        assert LOOPBACK not in failed.sentence
    assert peers


@pytest.mark.parametrize(
    ("frame", "code", "told"),
    [
        (Welcome(1, None, "host 1", bytes(64)), "welcome-forged", ["welcome-forged"]),
        (Hello((1,), b"", None, "guest 1"), "frame-unexpected", ["frame-unexpected"]),
        (Goodbye("busy", 'Not now." Your key is lost.'), "peer-closed", []),
        (Goodbye("invite-used", "Whatever it says."), "invite-used", []),
    ],
    ids=["forged welcome", "hello", "goodbye", "refusal"],
)
async def test_a_host_that_does_not_welcome_us_is_left_properly(closing, frame, code, told):
    guest = a_guest()
    joined, peer = await joining_rude_host(closing, guest=guest)
    peer.send(frame)
    error = await failure_of(joined, JoinError)
    assert (error.code, guest.players) == (code, [])
    assert "Whatever" not in error.sentence
    if code == "peer-closed":
        assert error.sentence.endswith('It said: "Not now.\' Your key is lost. (busy)"')
    await until(lambda: peer.lost)
    assert [said.code for said in peer.frames if isinstance(said, Goodbye)] == told


# --- listening -------------------------------------------------------------------------


async def test_without_an_address_the_default_port_is_used(closing, monkeypatch):
    monkeypatch.setattr(tcp, "DEFAULT_PORT", 0)
    listening = open_house(closing, a_host(), address=None)
    assert {address.port for address in listening.addresses} == {listening.port}
    await connect(reactor, listening.invite, a_guest(eager=False).side)


async def test_if_the_default_port_is_taken_any_other_will_do(closing, monkeypatch):
    with socket.create_server(("", 0)) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setattr(tcp, "DEFAULT_PORT", port)
        listening = open_house(closing, a_host(), address=None)
        assert listening.port not in (0, port)


def test_a_requested_port_is_not_replaced_by_another(taken_port):
    with pytest.raises(ListenError) as caught:
        Acceptor(reactor, a_host().side, SECRET, address=Address(LOOPBACK, taken_port))
    assert caught.value.code == "port-taken"
    assert f"{LOOPBACK}:{taken_port}" in caught.value.sentence


async def test_if_the_port_from_last_time_is_taken_the_next_one_of_that_host_will_do(
    closing, taken_port
):
    address = Address(LOOPBACK, taken_port)
    listening = open_house(closing, a_host(), address=address, or_next=True)
    assert listening.listening_port.getHost().host == LOOPBACK
    assert listening.port not in (0, taken_port)
    assert listening.addresses == (Address(LOOPBACK, listening.port),)


async def test_a_host_without_ipv6_waits_again_on_every_network(closing, monkeypatch):
    def refuse(reactor, address, factory):
        raise ListenError("cannot-listen", "Address family not supported")

    monkeypatch.setattr(tcp, "_ipv6_sockets_take_ipv4", lambda: False)
    monkeypatch.setattr(tcp, "_bind_both", refuse)
    listening = open_house(closing, a_host(), address=Address("::", 0), or_next=True)
    assert listening.listening_port.getHost().host == "0.0.0.0"


@pytest.mark.parametrize("host", [LOOPBACK, "::1"])
async def test_where_sockets_serve_only_ipv6_unless_told_otherwise_a_host_tells_them(
    closing, monkeypatch, host
):
    monkeypatch.setattr(tcp, "_ipv6_sockets_take_ipv4", lambda: False)
    listening = open_house(closing, a_host(eager=False), address=Address("::", 0))
    port = listening.listening_port
    family = socket.AF_INET6
    with socket.fromfd(port.fileno(), family, socket.SOCK_STREAM) as copy:
        assert copy.getsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY) == 0
    invite = replace(listening.invite, addresses=(Address(host, listening.port),))
    session = await connect(reactor, invite, a_guest(eager=False).side)
    await leave(session)


async def test_a_port_that_another_program_has_is_reported_by_every_kind_of_socket(
    closing, monkeypatch
):
    first = open_house(closing, a_host(), address=Address("::", 0))
    monkeypatch.setattr(tcp, "_ipv6_sockets_take_ipv4", lambda: False)
    with pytest.raises(ListenError) as caught:
        Acceptor(reactor, a_host().side, SECRET, address=Address("::", first.port))
    assert caught.value.code == "port-taken"


def test_another_port_is_no_help_where_the_address_is_of_another_machine():
    with pytest.raises(ListenError) as caught:
        Acceptor(reactor, a_host().side, SECRET, address=Address("192.0.2.1", 4470), or_next=True)
    assert caught.value.code == "address-not-ours"
    assert "192.0.2.1:4470" in caught.value.sentence


class NoPorts(Clock):
    """A system that refuses to listen anywhere."""

    def __init__(self):
        super().__init__()
        self.asked = []

    def listenTCP(self, port, factory, backlog, interface):
        self.asked.append((interface, port))
        raise CannotListenError(interface, port, PermissionError(errno.EACCES, "no"))


def test_the_player_is_told_why_no_port_can_be_opened(monkeypatch):
    monkeypatch.setattr(tcp, "_ipv6_sockets_take_ipv4", lambda: True)
    system, hosts = NoPorts(), ("::", "0.0.0.0")
    assert code_of(ListenError, Acceptor, system, a_host().side, SECRET) == "port-forbidden"
    assert system.asked == [(host, port) for port in (4466, 4467, 4468, 4469, 0) for host in hosts]


def test_a_system_without_ipv6_is_not_an_error(monkeypatch):
    def no_socket(family, kind):
        raise OSError(errno.EAFNOSUPPORT, "Address family not supported")

    monkeypatch.setattr(tcp.socket, "socket", no_socket)
    assert tcp._ipv6_sockets_take_ipv4() is False


async def test_a_returning_guest_already_gone_again_does_not_take_its_place(closing):
    """The guest reconnected, but lost its new connection while the first was being closed."""
    clock, host = Clock(), a_host(eager=False)
    listening = open_house(closing, host, clock=clock)
    listening.reactor = clock  # it also holds back calls that are due at once
    first = await connect(reactor, listening.invite, a_guest(eager=False).side)
    await until(lambda: host.players)
    earlier = host.session
    clock.advance(Timing().greeting)
    second = await rude_guest(closing, listening.port)
    second.send(second.hello())
    await until(lambda: earlier.done.called and first.done.called)
    second.transport.abortConnection()
    await until(lambda: not listening._connections)
    clock.advance(0)
    assert len(host.players) == 1
    await connect(reactor, listening.invite, a_guest(eager=False).side)


def test_an_address_that_no_invite_can_name_closes_the_port_again():
    with pytest.raises(InviteError):
        Acceptor(
            reactor,
            a_host().side,
            SECRET,
            address=Address(LOOPBACK, 0),
            advertise=[Address("gin.example.org", 0)],
        )


async def test_stopping_to_listen_drops_strangers_and_keeps_the_guest(closing):
    host, guest = a_host(eager=False), a_guest(eager=False)
    listening = open_house(closing, host)
    session = await connect(reactor, listening.invite, guest.side)
    await until(lambda: host.players)
    await listening.stop()
    error = await join_error(listening.invite, guest)
    assert error.code == "connection-refused"
    session.say("still here")
    await until(lambda: host.player.all("chat") == ["still here"])
