"""We do no group arithmetic for strangers: no element is decoded or multiplied before a peer is
admitted.

Verifying a shuffle takes a tenth of a second. If strangers without an invite could make us do that,
an attack wouldn't need a flood.
"""

from math import inf

import pytest
from OpenSSL import SSL
from twisted.internet import reactor

from ginpeer.net.connection import Timing
from ginpeer.net.connector import connect
from ginpeer.rules.ruleset import parse_ruleset
from ginpeer.seat.seat import Options
from protocol.crypto import group
from protocol.crypto.identity import IdentityKey
from protocol.frames import Chat, EntryFrame, Goodbye, Hello, Ping, Pong, Position, Welcome
from tests.net.players import NetPlayer
from tests.net.support import (
    OTHER_KEY,
    AnyTLS,
    a_guest,
    introduced,
    join_error,
    open_house,
    rude_guest,
    until,
)
from tests.toy_group import toy_group

NOBODY = IdentityKey(b"n" * 32)


class Table:
    """A host with a match in progress, and its guest, who connects and leaves."""

    def __init__(self, closing, folder):
        options = Options(parse_ruleset("standard target=1"))
        self.host, self.guest = (
            NetPlayer(role, folder, "no group", options) for role in ("host", "guest")
        )
        self.host.players = []  # open_house stores its Party here
        self.listening = open_house(closing, self.host, timing=Timing(admissions=inf))
        closing.append(self._close)

    async def _close(self):
        self.host.keeper.close()
        self.guest.keeper.close()

    async def play(self, choices=None):
        """Let the guest connect, and leave after making this many choices."""
        self.guest.leaves_at = choices
        session = await connect(reactor, self.listening.invite, self.guest.side)
        await session.done
        await until(lambda: self.host.away and not self.listening._connections)


class CountingGroup:
    """The real group, with every call counted."""

    def __init__(self, backend):
        self.calls = 0
        self._backend = backend

    def __getattr__(self, name):
        value = getattr(self._backend, name)
        if not callable(value):
            return value

        def counted(*arguments):
            self.calls += 1
            return value(*arguments)

        return counted


@pytest.fixture
def counting_group(monkeypatch):
    with toy_group():
        backend = CountingGroup(group._backend)
        monkeypatch.setattr(group, "_backend", backend)
        yield backend
        monkeypatch.undo()


def whole(host, entry):
    """Return a position in the host's match that a stranger may know: it claims the whole log, with
    *entry* as the hash of its last entry."""
    return Position(host.keeper.stored.notes.table, len(host.entries) - 1, entry)


STRANGERS_BEFORE_TLS = {
    "nothing": b"",
    "HTTP": b"GET / HTTP/1.1\r\n\r\n",
    "zeros": bytes(5000),
    "a frame without TLS": b"\0\0\0\x04\x22\x02hi",
}
TLS = {
    "no certificate": lambda: AnyTLS(identity=None),
    "TLS 1.2": lambda: AnyTLS(OTHER_KEY, version=SSL.TLS1_2_VERSION),
    "another protocol": lambda: AnyTLS(OTHER_KEY, alpn=(b"h2",)),
}


def frames_of_strangers(host, guest_entries):
    """Return frames that a peer without an invite may send, and the code that answers each."""
    next_entry = guest_entries[-1]
    position = whole(host, bytes(32))
    return {
        "an entry of the match": (lambda peer: [EntryFrame(next_entry)], "frame-unexpected"),
        "the whole log": (lambda peer: map(EntryFrame, guest_entries), "frame-unexpected"),
        "chat": (lambda peer: [Chat("let me in")], "frame-unexpected"),
        "a ping": (lambda peer: [Ping(0)], "frame-unexpected"),
        "a pong": (lambda peer: [Pong(0)], "frame-unexpected"),
        "a welcome": (lambda peer: [Welcome(1, position, "x", bytes(64))], "frame-unexpected"),
        "a wrong proof": (lambda peer: [peer.hello(secret=b"not right!")], "invite-wrong"),
        "a used invite": (lambda peer: [peer.hello(guest_key=OTHER_KEY)], "invite-used"),
        "another key's proof": (lambda peer: [peer.hello(guest_key=NOBODY)], "invite-wrong"),
        "a hello and the log": (
            lambda peer: [Hello((1,), bytes(32), position, "x"), EntryFrame(next_entry)],
            "invite-wrong",
        ),
        "other versions": (lambda peer: [peer.hello(versions=(9,))], "version-mismatch"),
        "a goodbye": (lambda peer: [Goodbye("left", "Bye.")], None),
    }


async def test_no_stranger_makes_us_do_group_arithmetic(closing, tmp_path, counting_group):
    """The match is in progress: the cards are dealt, and the guest is away."""
    table = Table(closing, tmp_path)
    host, guest, listening = table.host, table.guest, table.listening
    await table.play(choices=4)
    assert counting_group.calls > 1000  # calls are counted: these are the deal's
    log, entries = host.log, list(guest.entries)
    counting_group.calls = 0

    for data in STRANGERS_BEFORE_TLS.values():
        stranger = await rude_guest(closing, listening.port, tls=False, secured=False)
        stranger.send_bytes(data)
        if data:
            await until(lambda: stranger.lost)  # noqa: B023
    for tls in TLS.values():
        stranger = await rude_guest(closing, listening.port, tls())
        await until(lambda: stranger.lost)  # noqa: B023
    for name, (make, code) in frames_of_strangers(host, entries).items():
        stranger = await rude_guest(closing, listening.port, AnyTLS(OTHER_KEY))
        introduced(stranger, host.identity, OTHER_KEY)
        stranger.send(*make(stranger))
        if code is not None:
            assert (await stranger.next_frame()).code == code, name
        await until(lambda: stranger.lost)  # noqa: B023
    assert (await join_error(listening.invite, a_guest(NOBODY))).code == "invite-used"

    assert counting_group.calls == 0
    assert host.log == log
    assert host.sessions == 1
    await table.play()
    assert counting_group.calls > 0
    assert host.finished
    assert host.log == guest.log
    assert host.log.startswith(log)
