"""What strangers can cost us, and what only the right guest can do."""

import gc
import socket
import weakref
from dataclasses import replace
from types import SimpleNamespace

import pytest
from twisted.internet import reactor
from twisted.internet.task import Clock

from ginpeer.net import connection as connection_module
from ginpeer.net.acceptor import END_GIVEN, HostConnection
from ginpeer.net.access_policy import SingleGuestPolicy
from ginpeer.net.connection import MAX_GREETING, MAX_OUTGOING, Timing
from ginpeer.net.connector import connect
from ginpeer.net.handshake import (
    ChannelBinding,
    GreetingRefused,
    check_welcome,
    common_extensions,
    welcome_statement,
)
from ginpeer.net.not_reached import JoinError
from ginpeer.seat.seat import Send
from protocol.entry import entry_hash
from protocol.frames import (
    Chat,
    EntryFrame,
    Goodbye,
    Hello,
    Pause,
    Ping,
    Pong,
    Position,
    Welcome,
)
from tests.net.key_updates import KeyUpdates
from tests.net.support import (
    GUEST_KEY,
    HOST_KEY,
    OTHER_KEY,
    SECRET,
    TABLE,
    AnyTLS,
    LineSeat,
    a_guest,
    a_host,
    ended,
    failure_of,
    join_error,
    joining_rude_host,
    leave,
    open_house,
    pause,
    proven,
    rude_guest,
    until,
)
from tests.refusals import code_of

# --- the greeting's statements, without a network --------------------------------------

LINK = ChannelBinding(b"e" * 32, HOST_KEY.public, GUEST_KEY.public)
HELLO = Hello((1, 2), b"", Position(TABLE, 1, b"h" * 32), "guest 1")
HELLO = proven(HELLO, SECRET, LINK)
WELCOME = Welcome(1, None, "host 1", bytes(64))
WELCOME = replace(WELCOME, signature=HOST_KEY.sign(welcome_statement(LINK, HELLO, WELCOME)))
NO_PROOF, WRONG_PROOF = replace(HELLO, proof=b""), replace(HELLO, proof=bytes(32))
OTHER_LINK = replace(LINK, guest_key=OTHER_KEY.public)
OTHER_HELLO = proven(HELLO, SECRET, OTHER_LINK)

OTHER_LINKS = {
    "another connection": replace(LINK, exporter=b"f" * 32),
    "another host": replace(LINK, host_key=OTHER_KEY.public),
    "another guest": OTHER_LINK,
    "roles exchanged": ChannelBinding(LINK.exporter, GUEST_KEY.public, HOST_KEY.public),
}
EDITED_HELLOS = {
    "a version removed": replace(HELLO, versions=(1,)),
    "a version added": replace(HELLO, versions=(1, 2, 3)),
    "the position edited": replace(HELLO, position=None),
    "the software edited": replace(HELLO, software="guest 2"),
    "an extension added": replace(HELLO, extensions=(1,)),
    "no proof": NO_PROOF,
    "another proof": WRONG_PROOF,
}


def refusal(call, *arguments, **changes):
    return code_of(GreetingRefused, call, *arguments, **changes)


@pytest.mark.parametrize("link", OTHER_LINKS.values(), ids=OTHER_LINKS.keys())
def test_a_greeting_is_worthless_on_another_connection(link):
    assert refusal(SingleGuestPolicy(SECRET).admit, HELLO, link) == "invite-wrong"
    assert refusal(check_welcome, link, HELLO, WELCOME) == "welcome-forged"


@pytest.mark.parametrize("hello", EDITED_HELLOS.values(), ids=EDITED_HELLOS.keys())
def test_an_edited_hello_is_noticed_by_both(hello):
    assert refusal(SingleGuestPolicy(SECRET).admit, hello, LINK) == "invite-wrong"
    assert refusal(check_welcome, LINK, hello, WELCOME) == "welcome-forged"


@pytest.mark.parametrize(
    "welcome",
    [
        replace(WELCOME, version=2),
        replace(WELCOME, position=Position(TABLE, 1, b"h" * 32)),
        replace(WELCOME, software="host 2"),
        replace(WELCOME, extensions=(1,)),
        replace(WELCOME, signature=bytes(64)),
        replace(WELCOME, signature=OTHER_KEY.sign(welcome_statement(LINK, HELLO, WELCOME))),
    ],
)
def test_an_edited_welcome_is_noticed(welcome):
    assert refusal(check_welcome, LINK, HELLO, welcome) == "welcome-forged"


def check_signed(hello, **changes):
    """Check a welcome that the host has signed with these changes."""
    welcome = replace(WELCOME, **changes)
    welcome = replace(welcome, signature=HOST_KEY.sign(welcome_statement(LINK, hello, welcome)))
    check_welcome(LINK, hello, welcome)


def test_a_host_may_not_choose_a_version_that_nobody_offered():
    check_signed(HELLO, version=2)
    assert refusal(check_signed, HELLO, version=3) == "version-mismatch"


def test_a_host_names_the_extensions_that_both_sides_support():
    assert common_extensions(replace(HELLO, extensions=(1, 2, 9)), (2, 3, 9)) == (2, 9)
    assert common_extensions(HELLO, (2,)) == ()


def test_a_host_may_not_name_an_extension_that_the_guest_does_not_support():
    def judge(asked, named):
        check_signed(replace(HELLO, extensions=asked), extensions=named)

    judge((2, 3), (2,))
    judge((2, 3), ())
    assert refusal(judge, (2, 3), (2, 4)) == "extensions-malformed"
    assert refusal(judge, (), (2,)) == "extensions-malformed"


def test_an_invite_admits_only_one_key():
    door = SingleGuestPolicy(SECRET)
    door.admit(HELLO, LINK)
    door.occupied = False
    assert refusal(door.admit, OTHER_HELLO, OTHER_LINK) == "invite-used"
    # The guest that was connected returns.
    assert door.admit(NO_PROOF, LINK) == 1


def test_a_wrong_proof_reveals_nothing_about_the_table_and_uses_nothing_up():
    door = SingleGuestPolicy(SECRET)
    door.occupied = True
    assert refusal(door.admit, WRONG_PROOF, LINK) == "invite-wrong"
    assert refusal(door.admit, HELLO, LINK) == "table-taken"
    door.occupied = False
    door.admit(HELLO, LINK)


def test_an_expected_key_needs_no_invite_and_then_holds_the_table():
    door = SingleGuestPolicy(SECRET, [GUEST_KEY.public])
    assert door.admit(NO_PROOF, LINK) == 1
    door.occupied = False
    # The table belongs to another player.
    assert refusal(door.admit, OTHER_HELLO, OTHER_LINK) == "not-expected"
    assert door.admit(NO_PROOF, LINK) == 1


def test_an_expected_key_is_no_longer_expected_once_the_invite_is_used():
    door = SingleGuestPolicy(SECRET, [OTHER_KEY.public])
    door.admit(HELLO, LINK)
    door.occupied = False
    assert refusal(door.admit, NO_PROOF, OTHER_LINK) == "not-expected"
    assert door.admit(NO_PROOF, LINK) == 1


def test_an_invite_admits_nobody_if_only_expected_keys_are_allowed():
    """The invite only tells where we are. A peer learns no more from a correct proof than from a
    wrong one."""
    door = SingleGuestPolicy(SECRET, [OTHER_KEY.public], nobody_else=True)
    for hello in (HELLO, WRONG_PROOF):
        assert refusal(door.admit, hello, LINK) == "not-expected"
    assert door.admit(HELLO, OTHER_LINK) == 1


def test_a_guest_over_the_admission_limit_uses_nothing_up():
    answers = iter([False, True])
    door = SingleGuestPolicy(SECRET, may_admit=lambda: next(answers))
    assert refusal(door.admit, WRONG_PROOF, LINK) == "invite-wrong"
    assert refusal(door.admit, HELLO, LINK) == "table-taken"
    assert door.admit(HELLO, LINK) == 1
    assert refusal(door.admit, HELLO, LINK) == "table-taken"  # the seat is taken


def test_the_door_reopens_if_nothing_was_begun_with_an_expected_guest():
    door = SingleGuestPolicy(SECRET, [OTHER_KEY.public, GUEST_KEY.public])
    door.admit(NO_PROOF, OTHER_LINK)
    door.occupied = False
    door.reopen()
    assert door.admit(NO_PROOF, LINK) == 1
    door.occupied = False
    assert refusal(door.admit, NO_PROOF, OTHER_LINK) == "not-expected"


def test_a_guest_that_used_the_invite_may_return_even_if_nothing_was_begun():
    door = SingleGuestPolicy(SECRET)
    door.admit(HELLO, LINK)
    door.occupied = False
    door.reopen()
    assert door.admit(NO_PROOF, LINK) == 1  # the same key, which may come back


def test_incompatible_versions_are_distinguished_from_a_bad_invite():
    hello = replace(HELLO, versions=(2, 3))
    hello = proven(hello, SECRET, LINK)
    assert refusal(SingleGuestPolicy(SECRET).admit, hello, LINK) == "version-mismatch"


# --- the same over a real connection ---------------------------------------------------


async def test_a_returning_guest_replaces_its_own_connection(closing):
    """The guest returns before the host has noticed that the first connection is dead, as after a
    change of network. This lets nobody else in."""
    clock, host = Clock(), a_host(eager=False)
    listening = open_house(closing, host, clock=clock)
    first = await connect(reactor, listening.invite, a_guest(eager=False).side)
    await until(lambda: len(host.players) == 1)
    earlier = host.session
    clock.advance(Timing().greeting)  # earlier, it might be an attempt at another address
    coming = connect(reactor, listening.invite, a_guest(eager=False).side)
    await until(lambda: clock.advance(0) or coming.called)
    second = await coming
    assert (await first.done).code == "connection-lost"
    assert (await earlier.done).code == "peer-came-back"
    await until(lambda: len(host.players) == 2)
    assert [closed.code for closed in host.players[0].all("closed")] == ["peer-came-back"]
    assert host.players[1].session.ending is None
    assert (await join_error(listening.invite, a_guest(OTHER_KEY))).code == "invite-used"
    assert second.ending is None


async def test_a_guest_that_comes_and_goes_is_admitted_a_limited_number_of_times(closing):
    clock, host, timing = Clock(), a_host(eager=False), Timing(admissions=3)
    listening = open_house(closing, host, clock=clock, timing=timing)

    async def come_and_go():
        session = await connect(reactor, listening.invite, a_guest(eager=False).side)
        await leave(session)
        await until(lambda: not listening._connections)

    for _ in range(3):
        await come_and_go()
    for _ in range(2):
        error = await failure_of(come_and_go(), JoinError)
        assert error.code == "table-taken"
        await until(lambda: not listening._connections)
    assert len(host.players) == 3  # the two refused ones reached no player
    clock.advance(timing.admitted_every)
    await come_and_go()
    error = await failure_of(come_and_go(), JoinError)
    assert error.code == "table-taken"


@pytest.mark.parametrize(("secret", "refused"), [(SECRET, False), (SECRET[::-1], True)])
async def test_a_guest_whose_match_is_over_here_gets_the_end_and_is_not_admitted(
    closing, secret, refused
):
    turned_away = []
    host = a_host(end=lambda told: (b"the end",) if told is refused else ())
    listening = open_house(closing, host, turned_away=turned_away.append)
    guest = await rude_guest(closing, listening.port)
    guest.send(proven(HELLO, secret, guest.link()))
    welcome, entry, goodbye = [await guest.next_frame() for _ in range(3)]
    assert welcome.position == Position(TABLE, 2, entry_hash(b"the end"))
    assert (entry.entry, goodbye.code) == (b"the end", "finished")
    await until(lambda: turned_away)
    assert turned_away[0].code == END_GIVEN
    assert host.players == []


async def test_a_guest_with_another_version_does_not_get_the_end(closing):
    guest = await rude_guest(closing, open_house(closing, a_host(end=lambda _: (b"the end",))).port)
    guest.send(proven(replace(HELLO, versions=(2,)), SECRET, guest.link()))
    assert (await guest.next_frame()).code == "version-mismatch"


def test_searches_for_the_end_of_a_match_are_limited_in_rate():
    """A search reads a log, and may have to verify it."""
    clock, asked = Clock(), []
    side = replace(a_host().side, missing_entries=lambda *claim: asked.append(claim))
    acceptor = SimpleNamespace(side=side, reactor=clock, timing=Timing())
    connection = HostConnection(acceptor, "", None)
    assert not connection._gives_end(replace(HELLO, position=None), LINK, refused=True)
    assert asked == []
    for passed, allowed in ((0, 10), (30, 11)):
        clock.advance(passed)
        for _ in range(20):
            connection = HostConnection(acceptor, "", None)
            for refused in (False, True):  # they share one search
                assert not connection._gives_end(HELLO, LINK, refused=refused)
        assert len(asked) == 2 * allowed


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        (EntryFrame(b"0 begin"), "frame-unexpected"),
        (Chat("let me in"), "frame-unexpected"),
        (Ping(0), "frame-unexpected"),
        (WELCOME, "frame-unexpected"),
        (EntryFrame(bytes(MAX_GREETING)), "frame-too-large"),
    ],
    ids=["entry", "chat", "ping", "welcome", "large"],
)
async def test_a_stranger_may_send_only_a_hello(closing, frame, code):
    host = a_host()
    listening = open_house(closing, host)
    stranger = await rude_guest(closing, listening.port)
    stranger.send(frame, stranger.hello())
    assert (await stranger.next_frame()).code == code
    await until(lambda: stranger.lost)
    assert stranger.frames == []  # the hello that followed wasn't read
    assert host.players == []


async def a_welcome_guest(closing, host, **settings):
    listening = open_house(closing, host, **settings)
    peer = await rude_guest(closing, listening.port)
    peer.send(peer.hello())
    await until(lambda: len(peer.frames) == 2)  # welcome, and the first line
    peer.frames.clear()
    return peer


@pytest.mark.parametrize(
    ("last", "ending", "heard"),
    [
        ((Chat("one"), Goodbye("left", "Bye.")), ("peer-left", None), ["one"]),
        ((EntryFrame(b"7 wrong"),), ("bad-line", "B"), []),
    ],
    ids=["a goodbye", "a wrong entry"],
)
async def test_frames_after_the_one_that_ends_the_session_are_not_processed(
    closing, last, ending, heard
):
    host = a_host(eager=False)
    peer = await a_welcome_guest(closing, host)
    peer.send(*last, Chat("two"), EntryFrame(b"1 line"))
    peer.send_bytes(b"\xff" * 40)
    assert await ended(host.session) == ending
    assert host.player.all("chat") == heard
    assert host.journal.entries == [b"0 begin"]


async def test_frames_that_arrive_while_we_close_are_not_processed(closing):
    """The frame arrives in a packet after our goodbye, before the connection has closed. A peer
    that neither reads nor closes is cut off."""
    host = a_host(eager=False)
    clock = Clock()
    peer = await a_welcome_guest(closing, host, clock=clock)
    peer.transport.pauseProducing()  # so that the peer doesn't notice that we close
    host.session.leave()
    peer.send(Chat("too late"))
    await pause(0.05)
    assert host.player.all("closed") == []  # we are still waiting for the peer
    clock.advance(3)
    assert (await host.session.done).code == "left"
    assert host.player.all("chat") == []
    peer.transport.resumeProducing()


# --- deadlines -------------------------------------------------------------------------


async def test_a_byte_a_second_does_not_put_off_the_deadline(closing):
    clock = Clock()
    listening = open_house(closing, a_host(), clock=clock)
    stranger = await rude_guest(closing, listening.port)
    for second in range(10):
        stranger.send_bytes(b"\0\0\1\0"[second : second + 1] or b"x")
        await pause(0.01)
        clock.advance(1)
    await until(lambda: stranger.lost)


async def test_a_guest_waits_for_a_silent_host_only_a_limited_time(closing):
    clock = Clock()
    joined, _ = await joining_rude_host(closing, clock=clock)
    clock.advance(10)
    assert (await failure_of(joined, JoinError)).code == "greeting-timeout"


# --- floods ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("frame", "heard"), [(Chat("Buy!"), "chat"), (Pause.DECLINE, "pause")], ids=["chat", "pause"]
)
async def test_reconnecting_does_not_raise_the_limit_of_frames(closing, frame, heard):
    """Otherwise, a peer could send as many frames at once on each new connection."""
    clock = Clock()
    host = a_host(eager=False)
    timing = connection_module.Timing(grid=0)
    listening = open_house(closing, host, clock=clock, timing=timing)
    burst = connection_module.ALLOWED[{"chat": Chat, "pause": Pause}[heard]][0]

    async def say(lines):
        peer = await rude_guest(closing, listening.port)
        met = len(host.players)
        peer.send(peer.hello(), *[frame] * lines, Ping(1))
        await until(lambda: len(host.players) > met and (Pong(1) in peer.frames or peer.lost))
        if not peer.lost:
            peer.transport.abortConnection()
        return (await host.session.done).code

    assert await say(burst) == "connection-lost"
    assert await say(1) == "flood"
    clock.advance(60)
    assert await say(burst // 2) == "connection-lost"
    assert sum(len(player.all("chat")) for player in host.players) <= burst * 3 // 2


class TorrentSeat(LineSeat):
    """A seat that sends *length* large entries on its player's request."""

    sent = 0

    def owes_choice(self):
        return False

    def play(self, move):
        for number in range(self.length):
            self.sent += 1
            yield Send(bytes([number % 256]) * 100_000)


def small_buffers(peer, host, size):
    """Make the system's buffers small at both ends, so that our own buffers fill."""
    for transport, option in (
        (peer.transport, socket.SO_RCVBUF),
        (host.session._wire.transport, socket.SO_SNDBUF),
    ):
        transport.transport.socket.setsockopt(socket.SOL_SOCKET, option, size)


async def a_guest_that_does_not_read(closing, host, **settings):
    peer = await a_welcome_guest(closing, host, **settings)
    small_buffers(peer, host, 131_072)
    peer.transport.pauseProducing()
    return peer


async def test_a_peer_that_never_reads_fills_a_bounded_buffer_and_is_cut_off(closing):
    host = a_host(seat_class=TorrentSeat, length=10**6)
    peer = await a_guest_that_does_not_read(closing, host)
    host.session.play("the torrent")
    assert await ended(host.session) == ("peer-not-reading", "A")
    assert host.seat.sent * 100_000 < MAX_OUTGOING + 2_000_000
    peer.transport.resumeProducing()


class LongLogSeat(TorrentSeat):
    """A seat with a log of 12 MB that the other side lacks, and *length* more entries."""

    def meet(self, theirs):
        for number in range(120):
            yield Send(bytes([number]) * 100_000)


async def a_guest_that_lacks_a_long_log(closing, host):
    """Admit a guest that doesn't read, and whose system has small buffers."""
    listening = open_house(closing, host)
    peer = await rude_guest(closing, listening.port)
    peer.transport.transport.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 131_072)
    peer.send(peer.hello())
    await until(lambda: peer.frames)
    peer.transport.pauseProducing()
    await pause(0.05)
    return peer


async def test_a_long_log_is_sent_as_fast_as_it_is_read_with_the_goodbye_last(closing):
    host = a_host(seat_class=LongLogSeat)
    peer = await a_guest_that_lacks_a_long_log(closing, host)
    wire = host.session._wire
    assert wire._outgoing_bytes > MAX_OUTGOING
    assert host.session.ending is None
    # Nothing has been encoded yet.
    assert all(isinstance(frame, EntryFrame) for frame in wire._outgoing)
    host.session.say("and a word after it")
    host.session.leave()
    peer.transport.resumeProducing()
    await until(lambda: peer.lost)
    _, *entries, chat, goodbye = peer.frames
    assert [entry.entry for entry in entries] == [bytes([n]) * 100_000 for n in range(120)]
    assert (chat, goodbye.code) == (Chat("and a word after it"), "left")
    assert await ended(host.session) == ("left", None)
    assert len(wire._outgoing) == 0


async def test_an_unread_log_uses_no_memory_when_the_table_is_left(closing):
    host = a_host(seat_class=LongLogSeat)
    await a_guest_that_lacks_a_long_log(closing, host)
    wire = host.session._wire
    tcp = wire.transport.transport
    host.session.leave()
    for _ in range(20):
        assert unsent(tcp) < 1_000_000
        await pause()
    assert not host.session.done.called
    wire.transport.abortConnection()
    await host.session.done


async def test_an_unread_long_log_uses_little_more_memory_than_its_size(closing):
    host = a_host(seat_class=LongLogSeat, length=10**6)
    peer = await a_guest_that_lacks_a_long_log(closing, host)
    already_read = 120 * 100_000 - host.session._wire._outgoing_bytes
    host.session.play("the torrent")
    assert await ended(host.session) == ("peer-not-reading", "A")
    assert host.seat.sent * 100_000 <= already_read + MAX_OUTGOING + 100_000
    peer.transport.resumeProducing()


async def test_a_busy_peer_still_gets_our_last_words(closing):
    """The peer starts to read only after we've closed, so closing must not reset the connection."""
    clock = Clock()
    host = a_host(eager=False, length=3)
    peer = await a_welcome_guest(closing, host, clock=clock)
    peer.send(EntryFrame(b"1 line"))
    await until(lambda: len(host.seat.lines) == 2)
    peer.transport.pauseProducing()
    host.session.play("last line")
    await pause(0.05)
    clock.advance(3)
    assert (await host.session.done).code == "finished"
    await pause(0.05)
    peer.transport.resumeProducing()
    await until(lambda: peer.lost)
    assert [type(frame) for frame in peer.frames] == [EntryFrame, Goodbye]


# --- what TLS answers automatically ---------------------------------------------------------


async def a_guest_of_many_key_updates(closing, host):
    """Return the TCP transport of a guest that was admitted and no longer reads, and the source of
    its KeyUpdates."""
    tls = AnyTLS()
    updates = KeyUpdates(tls.context)
    listening = open_house(closing, host)
    peer = await rude_guest(closing, listening.port, tls)
    peer.send(peer.hello())
    await until(lambda: len(peer.frames) == 2)
    small_buffers(peer, host, 8_192)
    updates.sent = 1  # the hello
    tcp = peer.transport.transport
    tcp.pauseProducing()
    return tcp, updates


def unsent(tcp):
    return len(tcp.dataBuffer) - tcp.offset + tcp._tempDataLen


async def test_endless_key_updates_do_not_fill_memory(closing, monkeypatch):
    """OpenSSL answers each one, but the peer reads none of the answers."""
    monkeypatch.setattr(connection_module, "MAX_UNANSWERED", 50_000)
    host = a_host(eager=False)
    tcp, updates = await a_guest_of_many_key_updates(closing, host)
    most, hosts_tcp = 0, host.session._wire.transport.transport
    for _ in range(60):
        tcp.write(b"".join(updates.record() for _ in range(500)))
        await pause()
        most = max(most, unsent(hosts_tcp))
        if host.session.ending:
            break
    assert await ended(host.session) == ("peer-not-reading", "A")
    assert 0 < most < 200_000
    assert host.journal.entries == [b"0 begin"]
    tcp.resumeProducing()


async def test_a_few_key_updates_are_harmless(closing):
    host = a_host(eager=False)
    tcp, updates = await a_guest_of_many_key_updates(closing, host)
    tcp.write(b"".join(updates.record() for _ in range(100)))
    await pause(0.05)
    tcp.resumeProducing()
    await pause(0.05)
    assert host.session.ending is None
    host.session.say("still here")


@pytest.mark.parametrize("welcome", [False, True], ids=["a stranger", "a guest"])
async def test_the_layers_below_a_connection_are_freed_with_it(closing, welcome):
    """If the layers waited for the garbage collector, the buffers of many connections could add
    up."""
    host = a_host(eager=False)
    listening = open_house(closing, host)
    gc.disable()
    try:
        peer = await rude_guest(closing, listening.port)
        (connection,) = listening.strangers
        if welcome:
            peer.send(peer.hello())
            await until(lambda: host.players)
        tls = connection.transport
        below = [weakref.ref(part) for part in (tls, tls.transport, tls.getHandle())]
        del tls
        peer.transport.abortConnection()
        await until(lambda: not listening._connections)
        await pause(0.05)
        assert [part() for part in below] == [None] * 3
    finally:
        gc.enable()
