"""What a guest that was admitted may send in the middle of a real match.

Each misdeed ends its session as class A with its own code and leaves the log unchanged. Then the
honest guest comes back and plays on, and at the end the match is finished with equal logs.
"""

from math import inf

from twisted.internet import reactor
from twisted.internet.task import Clock

from ginpeer.net.connection import Timing
from ginpeer.net.connector import connect
from ginpeer.rules.ruleset import parse_ruleset
from ginpeer.seat.seat import Options
from protocol.frames import MAX_FRAME, Chat, EntryFrame, Hello, Ping, Pong, Welcome
from tests.net.players import NetPlayer
from tests.net.support import AnyTLS, introduced, open_house, pause, rude_guest, until
from tests.toy_group import toy_group


class Table:
    """A match that waits for its guest, and an impostor who has the guest's own key."""

    def __init__(self, closing, folder, rules):
        options = Options(parse_ruleset(rules))
        self.host, self.guest = (
            NetPlayer(role, folder, "misdeeds", options) for role in ("host", "guest")
        )
        self.clock = Clock()
        self.closing = closing
        self.host.players = []  # open_house stores its Party here
        self.listening = open_house(
            closing, self.host, clock=self.clock, timing=Timing(admissions=inf)
        )
        closing.append(self._close)

    async def _close(self):
        self.host.keeper.close()
        self.guest.keeper.close()

    async def play(self, choices=None):
        """Let the honest guest connect, and leave after making this many choices."""
        guest = self.guest
        guest.leaves_at = None if choices is None else guest.chosen + choices
        session = await connect(reactor, self.listening.invite, guest.side)
        await session.done
        await self.alone()

    async def alone(self):
        """Wait until no guest is seated any more."""
        await until(lambda: self.host.away and not self.listening._connections)

    async def impostor(self):
        """Return a peer that was let in with the guest's key and has received the whole log."""
        tls = AnyTLS(self.guest.identity)
        peer = await rude_guest(self.closing, self.listening.port, tls)
        introduced(peer, self.host.identity, self.guest.identity)
        peer.send(Hello((1,), b"", None, "misdeed 1"))
        await until(lambda: len(peer.frames) == 1 + len(self.host.entries))
        return peer


def sends(*frames):
    async def misdeed(table, peer):
        peer.send(*frames)

    return misdeed


def sends_bytes(data):
    async def misdeed(table, peer):
        peer.send_bytes(data)

    return misdeed


def announces(length):
    return sends_bytes(length.to_bytes(4, "big") + b"and what follows")


async def repeats_an_entry(table, peer):
    peer.send(*[EntryFrame(table.host.entries[0])] * 2)  # the first misdeed is ignored, once


async def sends_a_byte_a_second(table, peer):
    for second in range(60):
        peer.send_bytes(b"\0\0\1\0"[second : second + 1] or b"x")
        if second % 20 == 0:
            await pause()
        table.clock.advance(1)


async def says_nothing(table, peer):
    table.clock.advance(59.9)
    await pause()
    assert not table.host.away
    table.clock.advance(0.1)


MISDEEDS = {
    "a length of 0": (announces(0), "frame-empty"),
    "a length of the cap and one": (announces(MAX_FRAME + 1), "frame-too-large"),
    "a length of 2^31": (announces(2**31), "frame-too-large"),
    "a length of 2^32 - 1": (announces(2**32 - 1), "frame-too-large"),
    "a byte a second": (sends_a_byte_a_second, "peer-silent"),
    "silence": (says_nothing, "peer-silent"),
    "chat without end": (sends(*[Chat("spam")] * 200), "flood"),
    "pings without end": (sends(*[Ping(1)] * 20), "flood"),
    "a pong for nothing": (sends(Pong(0)), "pong-unasked"),
    "another hello": (sends(Hello((1,), b"", None, "x")), "frame-unexpected"),
    "a welcome": (sends(Welcome(1, None, "x", bytes(64))), "frame-unexpected"),
    "an entry of no meaning": (sends(EntryFrame(b"no entry")), "not-an-entry"),
    "an entry twice": (repeats_an_entry, "duplicate"),
    "a frame of no meaning": (sends_bytes(b"\0\0\0\x02\xff\xff"), "frame-not-canonical"),
}


async def test_the_match_continues_after_every_misdeed(closing, tmp_path):
    with toy_group():
        table = Table(closing, tmp_path, "standard hands=6")  # long enough for all misdeeds
        host = table.host
        await table.play(choices=2)
        for name, (misdeed, code) in MISDEEDS.items():
            log = host.log
            peer = await table.impostor()
            ended = len(host.closed)
            await misdeed(table, peer)
            await until(lambda: peer.lost and len(host.closed) > ended)  # noqa: B023
            closed = host.closed[-1]
            assert (closed.code, closed.failure) == (code, "A"), name
            await table.alone()
            assert host.log == log, name
            assert not host.evidence, name
            await table.play(choices=2)
            assert len(host.log) > len(log), name
            assert host.log.startswith(log), name
        await table.play()
        assert host.finished
        assert host.log == table.guest.log
