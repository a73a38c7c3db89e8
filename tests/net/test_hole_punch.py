"""Both sides dial if the host can't be reached: a complete match, and what strangers can do in the
meantime."""

import contextlib
import socket
from dataclasses import replace
from types import SimpleNamespace

import pytest
from twisted.internet import reactor
from twisted.internet.defer import CancelledError, Deferred, fail, succeed
from twisted.internet.endpoints import TCP4ClientEndpoint
from twisted.internet.error import ConnectionRefusedError
from twisted.internet.protocol import Factory
from twisted.internet.task import Clock
from twisted.protocols.tls import TLSMemoryBIOFactory

from ginpeer.net import connector as connector_module
from ginpeer.net import hole_punch as hole_punch_module
from ginpeer.net import not_reached, simultaneous_open, tcp
from ginpeer.net.address import Address
from ginpeer.net.codes import Invite, Reply, ReplyError, parse_reply
from ginpeer.net.connection import Timing
from ginpeer.net.connection_attempt import BOTH_JOIN, ONION_SECONDS, AttemptContext, Dialler
from ginpeer.net.connector import JoinError, connect
from ginpeer.net.hole_punch import ASKING, STUCK, HolePunch
from ginpeer.net.interfaces import GuestPort
from ginpeer.net.own_addresses import classify_address
from ginpeer.net.tcp import ListenError
from protocol.crypto.identity import key_hash
from tests.net.socks_server import OK, SocksServer
from tests.net.support import (
    GUEST_KEY,
    LOOPBACK,
    OTHER_KEY,
    AnyTLS,
    RudePeer,
    a_guest,
    a_host,
    collecting,
    failure_of,
    hang_up,
    invite_to,
    join_error,
    leave,
    linux,
    open_house,
    pause,
    rude_host,
    timed_by,
    until,
    with_addresses,
)
from tests.net.test_onion_address import ONION
from tests.refusals import code_of


class Guest(GuestPort):
    """A guest that may dial from its port on the loopback, and records what it is told."""

    was_admitted = False  # a test may set it

    def __init__(self, invite, party=None, clock=None, *, outside=(), **settings):
        self.invite = invite
        self.party = party or a_guest(eager=False)
        self.system = timed_by(clock)
        self.outside = outside
        self.told, self.reasons, self.stuck = [], [], 0
        settings.setdefault("advertise", (Address(LOOPBACK, 0),))
        settings.setdefault("address", Address(LOOPBACK, 0))
        self.hole_punch = HolePunch(
            self.system, invite, self.party.identity.public, self, **settings
        )

    def ask_addresses(self, port):
        return {str(source): ask(port) for source, ask in enumerate(self.outside)}

    def on_reply(self, why, reply):
        self.told.append((why, reply))

    def on_reason(self, why):
        self.reasons.append(why)

    def on_stuck(self):
        self.stuck += 1

    def join(self, dialler=None):
        self.joined = connect(
            self.system,
            self.invite,
            self.party.side,
            hole_punch=self.hole_punch,
            dialler=dialler,
        )
        return self.joined

    async def reply(self):
        await until(lambda: self.told)
        return self.told[-1][1]

    async def fails(self):
        """Return the error with which joining fails."""
        return await failure_of(self.joined, JoinError)

    async def stop(self):
        self.joined.cancel()
        await failure_of(self.joined, CancelledError)
        assert not self.hole_punch.is_open


async def host_and_cut_off_guest(closing, unused_address, host=None, **settings):
    """Return a host, and a guest that couldn't reach it by its invite."""
    listening = open_house(closing, host or a_host(eager=False))
    guest = Guest(with_addresses(listening.invite, unused_address), **settings)
    guest.join()
    await guest.reply()
    return listening, guest


async def test_a_host_dials_a_guest_that_cannot_reach_it(closing, unused_address):
    host = a_host(eager=False)
    listening, guest = await host_and_cut_off_guest(closing, unused_address, host)
    ((why, reply),) = guest.told
    assert why.startswith("Couldn't reach the host: ")
    assert reply.answers(listening.invite)
    assert reply.guest == key_hash(GUEST_KEY.public)
    assert parse_reply(f"reply: {reply}") == reply
    listening.dial(reply.addresses)
    session = await guest.joined
    assert listening.occupied
    assert not guest.hole_punch.is_open
    assert session.peer.address == f"{LOOPBACK}:{listening.port}"
    await until(lambda: host.players)
    assert host.session.peer.address == str(reply.addresses[0])


async def test_a_reply_that_leads_to_no_friend_of_this_match_is_refused(closing):
    listening = open_house(closing, a_host(eager=False), address=Address("0.0.0.0", 0))

    def refused(invite):
        reply = Reply.to(invite, GUEST_KEY.public, (Address(LOOPBACK, 4466),))
        return code_of(ReplyError, listening.dial_guest, reply)

    assert refused(replace(listening.invite, secret=bytes(10))) == "reply-elsewhere"
    assert refused(listening.invite) == "reply-addresses"
    await connect(reactor, listening.invite, a_guest(eager=False).side)
    assert refused(listening.invite) == "reply-late"


@pytest.mark.parametrize(
    ("listens", "leads_to", "why"),
    [
        ("0.0.0.0", LOOPBACK, "can be a friend's"),
        (LOOPBACK, "192.168.1.20", "listens only on this machine"),
    ],
)
def test_a_reply_that_cannot_be_dialled_is_refused_with_the_reason(closing, listens, leads_to, why):
    listening = open_house(closing, a_host(eager=False), address=Address(listens, 0))
    reply = Reply.to(listening.invite, GUEST_KEY.public, (Address(leads_to, 4466),))
    with pytest.raises(ReplyError, match=why):
        listening.dial_guest(reply)


def test_an_expected_friends_reply_is_accepted_whichever_invite_it_answers(closing):
    listening = open_house(closing, a_host(eager=False), expected=[GUEST_KEY.public])
    address = Address(LOOPBACK, 4466)
    earlier = replace(listening.invite, secret=bytes(10))
    assert listening.dial_guest(Reply.to(earlier, GUEST_KEY.public, (address,))) == (address,)
    with pytest.raises(ReplyError) as caught:
        listening.dial_guest(Reply.to(earlier, OTHER_KEY.public, (address,)))
    assert caught.value.code == "reply-elsewhere"


async def test_a_guest_that_reaches_its_host_opens_no_port(closing):
    guest = Guest(open_house(closing, a_host(eager=False)).invite, after=0.5)
    await guest.join()
    assert guest.told == []
    assert guest.hole_punch._port is None


async def test_an_answer_of_the_host_is_final_without_hole_punching(closing):
    listening = open_house(closing, a_host(eager=False))
    await connect(reactor, listening.invite, a_guest(eager=False).side)
    guest = Guest(listening.invite, a_guest(OTHER_KEY))
    guest.join()
    assert (await guest.fails()).code == "invite-used"
    assert guest.told == []


def test_a_connection_arriving_after_the_end_is_not_taken():
    invite = invite_to((LOOPBACK, 1))
    context = AttemptContext(Clock(), invite, a_guest().side, Timing(), Dialler())
    connector = connector_module.Connector(context)
    connector.outcome.addErrback(lambda _: None)
    connector.outcome.cancel()
    assert connector.take(None) is None


async def test_a_wrong_host_key_is_final_without_hole_punching(closing, monkeypatch):
    monkeypatch.setattr(not_reached, "_is_here", lambda address, own: False)
    port, _ = rude_host(closing, AnyTLS(OTHER_KEY))
    guest = Guest(invite_to((LOOPBACK, port)))
    guest.join()
    assert (await guest.fails()).code == "pinned-key-mismatch"
    assert guest.told == []


async def test_the_hosts_answer_over_a_dialled_connection_is_final(closing, unused_address):
    listening, guest = await host_and_cut_off_guest(closing, unused_address)
    await connect(reactor, listening.invite, a_guest(OTHER_KEY, eager=False).side)
    listening.policy.occupied = False  # as just after the first guest was lost
    listening.dial((await guest.reply()).addresses)
    assert (await guest.fails()).code == "invite-used"
    listening.policy.occupied = True


async def test_a_taken_table_is_asked_for_again(closing, unused_address):
    listening, guest = await host_and_cut_off_guest(closing, unused_address)
    listening.policy.occupied = True
    refused = []
    listening._turned_away = refused.append
    listening.dial(None)
    listening.dial((await guest.reply()).addresses)
    assert listening._dialling is not None
    listening._dialling.start()
    await until(lambda: [one for one in refused if one.code == "table-taken"])
    listening.policy.occupied = False
    await guest.joined


class Deaf(RudePeer):
    """A peer that doesn't read what it receives."""

    def __init__(self):
        super().__init__()
        self.heard = []

    def dataReceived(self, data):
        self.heard.append(data)


async def test_a_stranger_at_the_guests_port_gains_nothing(closing, unused_address):
    listening, guest = await host_and_cut_off_guest(closing, unused_address)
    (address,) = (await guest.reply()).addresses
    peers = []
    for factory in (
        TLSMemoryBIOFactory(AnyTLS(OTHER_KEY), False, collecting(peers)),
        collecting(peers, Deaf),
        collecting(peers, Deaf),
    ):
        await TCP4ClientEndpoint(reactor, LOOPBACK, address.port).connect(factory)
    wrong, noisy, quiet = peers
    noisy.send_bytes(b"GET / HTTP/1.0\r\n\r\n")
    await until(lambda: wrong.lost and noisy.lost)
    assert not wrong.secured
    assert wrong.frames == []
    listening.dial([address])
    await guest.joined
    await until(lambda: quiet.lost)


async def test_only_a_few_strangers_at_a_time_may_connect_to_the_guests_port(
    closing, unused_address, monkeypatch
):
    monkeypatch.setattr(connector_module, "MAX_INCOMING", 3)
    _, guest = await host_and_cut_off_guest(closing, unused_address)
    (address,) = (await guest.reply()).addresses
    with contextlib.ExitStack() as stack:
        socks = []
        for _ in range(6):
            socks.append(stack.enter_context(socket.create_connection(address)))
            socks[-1].setblocking(False)
            await until(lambda: guest.hole_punch._port is not None)
            await until(lambda one=socks[-1]: _readable(one))
        await until(lambda: sum(map(_gone, socks)) == 3)
        assert [_gone(one) for one in socks] == [True] * 3 + [False] * 3
        await guest.stop()


def _readable(one):
    try:
        return bool(one.recv(1, socket.MSG_PEEK))
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


def _gone(one):
    try:
        while one.recv(65536):
            pass
    except BlockingIOError:
        return False
    except ConnectionError:
        return True
    return True


async def test_the_host_sends_nothing_to_a_peer_that_it_dials(closing):
    """A hostile reply makes the host open connections, but nothing more."""
    peers = []
    port = reactor.listenTCP(0, collecting(peers, Deaf), interface=LOOPBACK)
    closing.append(port.stopListening)
    listening = open_house(closing, a_host())
    listening.dial([Address(LOOPBACK, port.getHost().port)])
    await until(lambda: peers)
    assert not peers[0].lost
    await listening.stop()
    await until(lambda: peers[0].lost)
    assert peers[0].heard == []


async def test_a_lost_guest_comes_back_by_hole_punching_again(closing, unused_address):
    """Neither player has to do anything for it."""
    listening, guest = await host_and_cut_off_guest(closing, unused_address)
    listening.dial((await guest.reply()).addresses)
    await leave(await guest.joined)
    await until(lambda: not listening.occupied)
    await guest.join()
    assert len(guest.told) == 1


async def test_the_host_dials_nobody_while_a_guest_sits_there(closing):
    port, _ = rude_host(closing, tls=False)
    listening = open_house(closing, a_host(eager=False))
    await connect(reactor, listening.invite, a_guest(eager=False).side)
    listening.dial([Address(LOOPBACK, port)])
    assert listening._dialling._running == []


async def test_dialling_in_vain_ends_with_the_result_of_each_address(closing, unused_address):
    _, guest = await host_and_cut_off_guest(closing, unused_address, seconds=0.3)
    error = await guest.fails()
    assert error.code == "connection-refused"
    assert str(unused_address) in error.sentence
    assert not guest.hole_punch.is_open


async def test_a_guest_that_dials_slowly_learns_who_answers_in_the_hosts_place(
    closing, monkeypatch
):
    with socket.socket() as free:
        free.bind((LOOPBACK, 0))
        address = Address(*free.getsockname())
    monkeypatch.setattr(connector_module, "REDIAL", 0.1)
    monkeypatch.setattr(connector_module, "SLOWEST", 0.1)
    monkeypatch.setattr(connector_module, "_NEAR", frozenset())
    guest = Guest(invite_to(address), seconds=0.3, persistent=True)
    guest.join()
    await guest.reply()
    await until(lambda: guest.hole_punch.is_slow)
    await pause(0.2)
    assert guest.hole_punch.is_open
    stranger = TLSMemoryBIOFactory(AnyTLS(OTHER_KEY), False, collecting(peers := []))
    port = reactor.listenTCP(address.port, stranger, interface=LOOPBACK)
    closing.append(lambda: hang_up(peers))
    closing.append(port.stopListening)
    assert (await guest.fails()).code == "pinned-key-mismatch"
    assert not guest.hole_punch.is_open


async def test_a_guest_without_a_port_fails_as_without_hole_punching(unused_address, monkeypatch):
    def none(*_):
        raise ListenError("port-forbidden", "This system does not let us.")

    monkeypatch.setattr(hole_punch_module, "bind", none)
    guest = Guest(invite_to(unused_address))
    guest.join()
    assert (await guest.fails()).code == "connection-refused"
    assert guest.told == []


@pytest.mark.parametrize(
    ("addresses", "named", "is_useful"),
    [
        ([(LOOPBACK, 1)], (), False),
        ([("localhost", 1), ("::1", 1)], (), False),
        ([(LOOPBACK, 1)], (Address("192.0.2.7", 0),), True),
        ([(LOOPBACK, 1), ("192.0.2.1", 1)], (), True),
        ([("example.org", 1)], (), True),
    ],
)
async def test_peers_on_one_machine_dial_each_other_only_if_told_to(addresses, named, is_useful):
    guest = Guest(invite_to(*addresses), advertise=named)
    assert guest.hole_punch.is_useful() is is_useful


# --- the addresses of a reply ----------------------------------------------------------


def addresses_of(guest):
    return [str(address) for address in guest.told[-1][1].addresses]


class SteppedHolePunch:
    """A hole punch on a test clock, whose guest listens from the start."""

    def __init__(self, closing, unused_address, monkeypatch, own=("10.0.0.5",), **settings):
        monkeypatch.setattr(
            hole_punch_module,
            "listening_addresses",
            lambda host, port: tuple(
                classify_address(Address(each, port)) for each in (*own, LOOPBACK)
            ),
        )
        self.clock = Clock()
        self.guest = Guest(invite_to(unused_address), clock=self.clock, **settings)
        self.told = self.guest.told
        self.hole_punch = self.guest.hole_punch
        self.over = []
        self.hole_punch.begin(Factory(), "why", lambda: self.over.append(True))
        self.port = self.hole_punch._port.getHost().port

        async def close():
            self.hole_punch.end()
            await until(lambda: self.clock.getDelayedCalls() == [])

        closing.append(close)


async def _dial_nobody(*_):
    """Dial nobody."""


@pytest.fixture
def make_hole_punch(closing, unused_address, monkeypatch):
    monkeypatch.setattr(hole_punch_module.HolePunch, "_dial", _dial_nobody)
    return lambda **settings: SteppedHolePunch(closing, unused_address, monkeypatch, **settings)


async def test_named_addresses_come_first_then_added_ones_then_our_own(make_hole_punch):
    punch = make_hole_punch(advertise=(Address("192.0.2.1", 0), Address("192.0.2.2", 99)))
    assert addresses_of(punch) == [
        f"192.0.2.1:{punch.port}",
        "192.0.2.2:99",
        f"10.0.0.5:{punch.port}",
    ]
    punch.hole_punch.set_address(Address("192.0.2.3", 7), "stun")
    assert punch.told[-1][0] == ""
    assert addresses_of(punch)[2:] == ["192.0.2.3:7", f"10.0.0.5:{punch.port}"]
    punch.hole_punch.set_address(Address("192.0.2.3", 7), "stun")
    assert len(punch.told) == 2


async def test_the_loopback_address_is_named_only_if_there_is_no_other(make_hole_punch):
    assert addresses_of(punch := make_hole_punch(own=(), advertise=())) == [
        f"{LOOPBACK}:{punch.port}"
    ]
    assert addresses_of(punch := make_hole_punch(advertise=())) == [f"10.0.0.5:{punch.port}"]


async def test_an_address_added_before_the_port_is_open_is_in_the_first_reply(
    closing, make_hole_punch
):
    punch = make_hole_punch()
    punch.hole_punch.end()
    punch.hole_punch.set_address(Address("192.0.2.3", 7), "stun")
    await pause()
    punch.hole_punch.begin(Factory(), "why", lambda: None)
    assert "192.0.2.3:7" in addresses_of(punch)


async def test_dialling_in_vain_is_reported_once_and_continues(make_hole_punch):
    punch = make_hole_punch()
    punch.clock.advance(STUCK - 1)
    assert punch.guest.stuck == 0
    punch.clock.advance(1)
    assert punch.guest.stuck == 1
    assert punch.hole_punch.is_open
    punch.clock.advance(60)
    assert punch.guest.stuck == 1


async def test_a_host_that_lets_in_and_vanishes_does_not_make_us_dial_for_ever(make_hole_punch):
    punch = make_hole_punch(seconds=10.0)
    punch.clock.advance(4)
    punch.hole_punch.end()
    assert punch.hole_punch.is_useful()
    await pause()
    punch.hole_punch.begin(Factory(), "why", lambda: punch.over.append(True))
    punch.clock.advance(5.9)
    assert punch.over == []
    punch.clock.advance(0.1)
    assert punch.over == [True]
    punch.hole_punch.end()
    assert not punch.hole_punch.is_useful()
    punch.hole_punch.persistent = True
    assert punch.hole_punch.is_useful()
    punch.over.clear()
    stuck = punch.guest.stuck
    await pause()
    punch.hole_punch.begin(Factory(), "why", lambda: punch.over.append(True))
    assert punch.hole_punch.is_slow
    punch.clock.advance(1000)
    assert (punch.over, punch.guest.stuck) == ([], stuck)  # our player has been told
    punch.hole_punch.end()
    punch.hole_punch.persistent = False
    assert not punch.hole_punch.is_useful()
    punch.guest.was_admitted = True
    assert punch.hole_punch.is_useful()
    punch.guest.was_admitted = False
    punch.hole_punch.renew()
    assert punch.hole_punch.is_useful()


async def test_a_reply_with_only_home_addresses_waits_for_every_answer(make_hole_punch):
    asked = Deferred()
    punch = make_hole_punch(outside=[lambda port: asked], advertise=())
    punch.clock.advance(30)
    assert punch.told == []
    asked.errback(OSError())
    assert addresses_of(punch) == [f"10.0.0.5:{punch.port}"]
    assert [why for why, _ in punch.told] == ["why"]


@pytest.mark.parametrize(
    ("own", "named"), [("203.0.113.5", ()), ("10.0.0.5", (Address("203.0.113.5", 0),))]
)
async def test_a_reply_with_an_outside_address_waits_a_second(make_hole_punch, own, named):
    punch = make_hole_punch(outside=[lambda port: Deferred()], own=(own,), advertise=named)
    punch.clock.advance(ASKING)
    assert addresses_of(punch)[0] == f"203.0.113.5:{punch.port}"


async def test_a_reply_with_one_outside_address_waits_a_second_for_others(make_hole_punch):
    quick, slow = Deferred(), Deferred()
    punch = make_hole_punch(outside=[lambda port: quick, lambda port: slow], advertise=())
    quick.callback(Address("192.0.2.9", 9))
    punch.clock.advance(ASKING - 0.1)
    assert punch.told == []
    punch.clock.advance(0.1)
    assert addresses_of(punch) == ["192.0.2.9:9", f"10.0.0.5:{punch.port}"]
    slow.callback(Address("192.0.2.8", 8))
    assert addresses_of(punch) == ["192.0.2.9:9", "192.0.2.8:8", f"10.0.0.5:{punch.port}"]
    assert [why for why, _ in punch.told] == ["why", ""]


async def test_a_changed_address_replaces_the_old_one(make_hole_punch):
    punch = make_hole_punch(advertise=())
    punch.hole_punch.set_address(Address("192.0.2.9", 9), "stun")
    punch.hole_punch.set_address(Address("192.0.2.9", 10), "stun")
    assert addresses_of(punch) == ["192.0.2.9:10", f"10.0.0.5:{punch.port}"]


async def test_an_address_that_two_sources_named_stays_when_one_of_them_changes_it(
    make_hole_punch,
):
    punch = make_hole_punch(advertise=())
    for source in ("routers", "stun"):
        punch.hole_punch.set_address(Address("192.0.2.9", 9), source)
    punch.hole_punch.set_address(Address("192.0.2.9", 10), "stun")
    assert addresses_of(punch) == ["192.0.2.9:9", "192.0.2.9:10", f"10.0.0.5:{punch.port}"]


async def test_every_address_found_at_an_ip_address_can_be_forgotten(make_hole_punch):
    punch = make_hole_punch(advertise=())
    for source, number in (("routers", 9), ("stun", 10)):
        punch.hole_punch.set_address(Address("192.0.2.9", number), source)
    punch.hole_punch.forget("192.0.2.9")
    punch.hole_punch.set_address(Address("192.0.2.8", 10), "stun")
    assert addresses_of(punch) == ["192.0.2.8:10", f"10.0.0.5:{punch.port}"]


@pytest.mark.parametrize("moves", [False, True])
async def test_an_address_found_in_another_network_is_forgotten(make_hole_punch, moves):
    punch = make_hole_punch(advertise=())
    punch.hole_punch.set_address(Address("192.0.2.9", 9), "stun")
    punch.hole_punch.end()
    await pause()
    punch.hole_punch._network = SimpleNamespace(has_moved=lambda: moves)
    punch.hole_punch.begin(Factory(), "why", lambda: None)
    assert ("192.0.2.9:9" in addresses_of(punch)) is not moves


@pytest.mark.parametrize("answer", [lambda: fail(OSError()), lambda: succeed(Address("::1", 1))])
async def test_an_immediate_answer_or_failure_does_not_delay_the_reply(make_hole_punch, answer):
    punch = make_hole_punch(outside=[lambda port: answer()])
    assert [why for why, _ in punch.told] == ["why"]


async def test_closing_the_port_cancels_the_questions(make_hole_punch):
    asked = Deferred()
    punch = make_hole_punch(outside=[lambda port: asked])
    punch.hole_punch.end()
    assert asked.called
    assert punch.told == []


async def test_a_host_named_by_a_host_name_is_dialled_at_its_ip_address(closing, monkeypatch):
    listening = open_house(closing, a_host(eager=False))
    asked = []

    def resolve(_, host):
        asked.append(host)
        return succeed((LOOPBACK,))

    monkeypatch.setattr(hole_punch_module, "resolve", resolve)
    invite = with_addresses(listening.invite, ("example.invalid", listening.port))
    guest = Guest(invite, after=0.0)
    await guest.join()
    assert asked == ["example.invalid"]


async def test_a_name_resolved_after_the_port_was_closed_is_not_dialled(
    closing, unused_address, monkeypatch
):
    answer, dialled = Deferred(), []
    monkeypatch.setattr(hole_punch_module, "resolve", lambda *_: answer)
    monkeypatch.setattr(hole_punch_module, "Dialling", lambda *given, **_: dialled.append(given))
    punch = SteppedHolePunch(closing, Address("example.invalid", 4466), monkeypatch)
    punch.hole_punch.end()
    answer.callback((LOOPBACK,))
    assert dialled == []


async def test_several_names_of_one_address_are_dialled_as_often_as_one(monkeypatch):
    """Otherwise, an invite with eight names would make us dial an unrelated machine in our network
    eight times as often."""
    clock, dialled = Clock(), []

    def refuse(*_, **__):
        dialled.append(clock.seconds())
        return fail(ConnectionRefusedError())

    monkeypatch.setattr(simultaneous_open, "connect_from", refuse)
    monkeypatch.setattr(hole_punch_module, "resolve", lambda *_: succeed(("192.168.1.9",)))

    async def dials(names):
        dialled.clear()
        here = Address("0.0.0.0", 0)
        invite = invite_to(*((name, 4466) for name in names))
        guest = Guest(invite, clock=clock, advertise=(), address=here)
        guest.hole_punch.begin(Factory(), "why", guest.hole_punch.end)
        for _ in range(1300):
            clock.advance(0.5)
        return len(dialled)

    one = await dials(["one.example"])
    assert 10 < one < 50
    assert await dials([f"name{number}.example" for number in range(8)]) == one


@linux
async def test_two_guests_who_reach_each_other_are_told_that_nobody_hosts(unused_address):
    """Both are told once, whichever guest reaches the other."""
    first = Guest(invite_to(unused_address))
    first.join()
    (address,) = (await first.reply()).addresses
    for _ in range(2):
        error = await join_error(invite_to(address), a_guest(OTHER_KEY))
        assert (error.code, error.sentence) == (BOTH_JOIN.code, BOTH_JOIN.sentence)
    await until(lambda: first.reasons)
    assert first.reasons == [BOTH_JOIN.sentence]
    await first.stop()


async def test_a_guest_from_an_address_not_dialled_does_not_report_two_guests():
    first = Guest(invite_to(("127.0.0.2", 9009)))
    first.join()
    (address,) = (await first.reply()).addresses
    assert (await join_error(invite_to(address), a_guest(OTHER_KEY))).code == BOTH_JOIN.code
    await pause(0.05)
    assert first.reasons == []
    await first.stop()


@linux
async def test_a_guest_on_the_hosts_machine_leaves_the_default_port_to_the_host(
    closing, unused_address, monkeypatch
):
    monkeypatch.setattr(hole_punch_module, "own_hosts", lambda: (LOOPBACK,))
    monkeypatch.setattr(tcp, "DEFAULT_PORT", unused_address.port)
    _, guest = await host_and_cut_off_guest(closing, unused_address, address=None)
    assert guest.hole_punch.is_open
    assert guest.hole_punch._port.getHost().port != unused_address.port
    await guest.stop()


# --- a slow connection, and addresses that lead to the host only later --------------------


class Watched(Dialler):
    """A dialler that keeps the Deferred of each attempt."""

    def __init__(self, *given, **settings):
        super().__init__(*given, **settings)
        object.__setattr__(self, "attempts", [])

    async def connect(self, reactor, address, factory):
        attempt = Deferred.fromCoroutine(super().connect(reactor, address, factory))
        self.attempts.append((address, attempt))
        return await attempt

    def failed(self, address):
        """Return how many attempts to reach this address have failed."""
        return sum(at == address and attempt.called for at, attempt in self.attempts)


async def test_hole_punching_does_not_begin_while_an_attempt_is_connected(closing):
    """The connection is so slow that the TLS handshake takes longer than a guest waits for an
    answer."""
    peers = []
    deaf = reactor.listenTCP(0, collecting(peers, Deaf), interface=LOOPBACK)
    closing.append(deaf.stopListening)
    clock = Clock()
    guest = Guest(invite_to((LOOPBACK, deaf.getHost().port)), clock=clock, after=1.0)
    guest.join()
    await until(lambda: peers and peers[0].heard)
    clock.advance(1.0)
    assert guest.told == []
    clock.advance(Timing().greeting)  # now the attempt fails
    await guest.reply()
    assert guest.hole_punch.is_open
    await guest.stop()


async def test_hole_punching_waits_while_another_address_is_still_being_dialled(
    unused_address, silent_port
):
    clock = Clock()
    invite = invite_to((LOOPBACK, silent_port), unused_address)
    guest = Guest(invite, clock=clock, after=1.0)
    dialler = Watched()
    guest.join(dialler)
    clock.advance(Timing().stagger)
    await until(lambda: dialler.failed(unused_address))
    assert guest.told == []
    clock.advance(1.0)
    assert (await guest.reply()).answers(invite)
    assert guest.told[0][0].startswith("No answer yet from ")
    await guest.stop()


async def test_hole_punching_waits_longer_for_an_onion_address(closing, unused_address):
    """Tor is slow, so a guest with an onion address to try doesn't need a reply as soon."""
    listening = open_house(closing, a_host(eager=False))
    tor = SocksServer(closing, answers=())  # the proxy listens, but never answers
    clock = Clock()
    invite = with_addresses(listening.invite, unused_address, ONION)
    guest = Guest(invite, clock=clock, after=1.0)
    dialler = Watched(tor=(tor.address,))
    guest.join(dialler)
    clock.advance(Timing().stagger)
    await until(lambda: dialler.failed(unused_address) and tor.said)
    clock.advance(1.0)
    assert guest.told == []
    clock.advance(connector_module.ONION_PATIENCE)
    await guest.reply()
    await guest.stop()


@pytest.mark.parametrize(
    ("host", "pauses"),
    [
        ("gin.example", [15, 30, 60, 60, 60]),  # the name may resolve to any address
        ("192.168.1.1", [15, 30, 60, 120, 240]),
        ("203.0.113.4", [15, 15, 15, 15, 15]),
    ],
)
def test_only_a_public_address_is_redialled_at_a_constant_rate(host, pauses):
    clock, dialled = Clock(), []
    invite = Invite(bytes(16), bytes(10), (Address(host, 4466),))
    context = AttemptContext(clock, invite, a_guest(), Timing(), Dialler())
    connector = connector_module.Connector(context)
    connector._dial = dialled.append
    for count, seconds in enumerate(pauses):
        connector._dial_later(Address(host, 4466))
        clock.advance(seconds - 1)
        assert len(dialled) == count
        clock.advance(1)
        assert len(dialled) == count + 1


async def guest_of_an_onion(invite, unused_address, tor):
    """Return a guest that has failed to connect to one address but also has an onion address, with
    its clock and its dialler."""
    clock, dialler = Clock(), Watched(tor=(tor.address,))
    guest = Guest(with_addresses(invite, unused_address, ONION), clock=clock, after=0.0)
    guest.join(dialler)
    clock.advance(0.0)
    clock.advance(Timing().stagger)
    await guest.reply()
    return guest, clock, dialler


async def test_an_onion_address_is_redialled_during_hole_punching(closing, unused_address):
    """The host's program has been restarted, and its onion service is back."""
    listening = open_house(closing, a_host(eager=False))
    gone = b"\x05\x04\x00\x01\0\0\0\0\0\0"
    tor = SocksServer(closing, replies=(gone, gone, OK), leads_to=listening.port)
    guest, clock, dialler = await guest_of_an_onion(listening.invite, unused_address, tor)
    for number in (1, 2):
        await until(lambda n=number: dialler.failed(ONION) == n)
        clock.advance(connector_module.REDIAL)
    await guest.joined
    assert len(tor.asked) == 3


async def test_an_onion_address_is_not_redialled_while_an_attempt_at_it_runs(
    closing, unused_address
):
    """Otherwise, each failure would add another pair of attempts."""
    listening = open_house(closing, a_host(eager=False))
    tor = SocksServer(closing, replies=(b"",))
    guest, clock, dialler = await guest_of_an_onion(listening.invite, unused_address, tor)
    await until(lambda: len(tor.asked) == 1)
    clock.advance(connector_module.ONION_PATIENCE)
    await until(lambda: len(tor.asked) == 2)
    clock.advance(ONION_SECONDS - connector_module.ONION_PATIENCE)
    await until(lambda: dialler.failed(ONION) == 1)
    clock.advance(connector_module.REDIAL)
    await pause()
    assert len(tor.asked) == 2
    clock.advance(ONION_SECONDS)
    await until(lambda: dialler.failed(ONION) == 2)
    clock.advance(connector_module.REDIAL)
    await until(lambda: len(tor.asked) == 3)
    await guest.stop()
