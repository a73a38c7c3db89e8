"""Cut the connection of one match at every frame: before, inside and after it.

Run by hand: ``python -m tests.campaign.cuts [--rules TEXT] [--matches N] [--seed S]``. Two players
with homes, journals, seats and bots meet over TCP and TLS in one process. There are two ways to
cut:

- *frames*: what a side writes into TLS is cut. Every entry is cut at each of PLACES, in a seeded
  order; the last cut comes after the whole entry. Every second match omits that last cut, so that
  the next entry is cut the first time it is sent, not when it is sent again. Some other frames are
  cut at one of these places in turn, and the greeting at all of them at every hundredth entry. Now
  and then TCP is reset instead of closed.
- *records*: a proxy between the players cuts TCP at TLS records, counted from the start of the
  connection, so this covers the handshake, the greeting and what follows.

After each cut the guest joins again, until both have the whole match. Checked: every session and
every attempt ends as class A with a code of a lost connection; after each, both logs are prefixes
of the log that the same seeds write without a cut; at the end both logs equal that log, byte for
byte, and nobody is convicted. The host lets its guest in however often it reconnects; normally it
would allow that only a few times in a row. Not tried: killing processes (tests/campaign/kills.py).
*S* decides the cards, the moves and the order of the cuts; pings depend on the clock.
"""

import random
import sys
import tempfile
from collections import Counter
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from math import inf
from pathlib import Path
from unittest import mock

from tests.campaign.reactor_run import exit_status, reactor

# isort: split

from twisted.internet.endpoints import TCP4ClientEndpoint, connectProtocol
from twisted.internet.protocol import Factory, Protocol

from ginpeer.net import tls as tls_module
from ginpeer.net.acceptor import Acceptor, HostConnection
from ginpeer.net.address import Address
from ginpeer.net.connection import Timing
from ginpeer.net.connector import connect
from ginpeer.net.not_reached import JoinError
from ginpeer.rules.ruleset import parse_ruleset
from ginpeer.seat.seat import Options
from protocol.frames import PREFIX_BYTES, EntryFrame, Hello, Welcome, decode_frame
from tests.campaign.command import Failed, now_and_then, options, result
from tests.net.players import NetPlayer
from tests.net.support import LOOPBACK, SECRET, pause, with_addresses

RULES = "standard target=100"
MOST = 3  # stop after this many times the requested matches, even if some place is uncut

PLACES = ("before", "one byte", "in the length", "middle", "one byte short", "after")

RECORDS = 16
"""How many records are cut at every place, from the start of a connection and for each side."""

LOST = frozenset({"connection-lost"})
"""How a session may end."""

NOT_LET_IN = LOST | {"table-taken", "tls-failed", "greeting-timeout"}
"""How an attempt to reconnect may end; "table-taken" while the host hasn't noticed the loss yet."""

RESET = 0.15
"""The share of the cuts in which TCP is reset."""


def offset(place, size, header):
    """Return how many of *size* bytes get through. The first *header* bytes are the length
    prefix."""
    return {
        "before": 0,
        "one byte": 1,
        "in the length": header - 1,
        "middle": size // 2,
        "one byte short": size - 1,
        "after": size,
    }[place]


# --- cutting frames ---------------------------------------------------------------------


class FrameKnife:
    """A rule that decides for each written frame whether and where it is cut."""

    def __init__(self, rng, places, limit):
        """*places*: where every entry is cut; the last one is cut last. *limit*: how many frames of
        any other kind are cut, or greetings at each hundredth entry."""
        self.cuts = Counter()
        self.places = Counter()
        self.entries = {}
        self._rng = rng
        self._places = places
        self._limit = limit
        self._others = Counter()
        self._stage = 0
        self.severed = False  # if set, whatever the other end writes is lost too

    def through(self, role, data):
        """Return how many bytes of this frame, written by *role*, get through, or None if it isn't
        cut."""
        frame = decode_frame(data[PREFIX_BYTES:])
        kind = type(frame).__name__
        if isinstance(frame, EntryFrame):
            return self._cut(role, "entry", self._at(frame.entry), data)
        key = (role, kind, self._stage if isinstance(frame, Hello | Welcome) else 0)
        number = self._others[key]
        if number >= self._limit or (kind in ("Chat", "Ping", "Pong") and self._rng.random() < 0.5):
            return None
        self._others[key] += 1
        return self._cut(role, kind, PLACES[number % len(PLACES)], data)

    @property
    def untried(self):
        """Return how many entries have untried places."""
        return sum(bool(places) for places in self.entries.values())

    def _at(self, entry):
        if entry not in self.entries:
            *inner, last = self._places
            self.entries[entry] = [last, *self._rng.sample(inner, len(inner))]
            self._stage = len(self.entries) // 100
        places = self.entries[entry]
        return places.pop() if places else None

    def _cut(self, role, kind, place, data):
        if place is None:
            return None
        self.cuts[f"{role}: {kind}"] += 1
        self.places[place] += 1
        return offset(place, len(data), PREFIX_BYTES)

    def resets(self):
        return self._rng.random() < RESET


@contextmanager
def cutting_frames(knife):
    """Cut every TLS connection in this context where *knife* says."""

    class CutTLS(tls_module._CountedTLS):
        cut = False

        def __init__(self, *arguments, **settings):
            super().__init__(*arguments, **settings)
            knife.severed = False
            self._whole = self.write
            self.write = self._some  # BufferingTLSTransport has put its own there

        def _some(self, data):
            if self.cut:
                return
            role = "host" if isinstance(self.wrappedProtocol, HostConnection) else "guest"
            size = None if knife.severed else knife.through(role, data)
            self._whole(data if size is None else data[:size])
            if size is not None:
                self.cut = knife.severed = True
                self._aggregator.flush()
                if knife.resets():
                    self.transport.abortConnection()
                else:
                    self.transport.loseConnection()

    with mock.patch.object(tls_module._CountedTLSFactory, "protocol", CutTLS):
        yield


# --- cutting records --------------------------------------------------------------------

RECORD_HEADER = 5


class RecordKnife:
    """A rule that steps through sides, records and places in turn, one for each connection."""

    def __init__(self, records, tried=frozenset()):
        """*records*: how many records are cut, from the start of a connection. *tried*: cuts that
        come last, because other matches have already made them."""
        self._plan = [
            (side, number, place)
            for number in range(records)
            for side in ("guest", "host")
            for place in PLACES
        ]
        self._plan.sort(key=lambda cut: cut in tried)
        self._next = 0
        self.cuts = Counter()

    def plan(self):
        """Choose which side's record is cut next, and where."""
        side, number, place = self._plan[self._next % len(self._plan)]
        self._next += 1
        return side, number, place

    def made(self, cut):
        self.cuts[cut] += 1


class _Cable:
    """One connection through the proxy, both ways."""

    def __init__(self, knife, port):
        self._knife = knife
        self._port = port
        self._cut = knife.plan()
        self._ends = {}
        self._early = []
        self._streams = {"guest": _Records(), "host": _Records()}
        self.severed = False

    def connected(self, side, end):
        """Connect the host after the guest, and pass on what the guest has sent meanwhile."""
        self._ends[side] = end
        if side == "guest":
            place = TCP4ClientEndpoint(reactor, LOOPBACK, self._port)
            connectProtocol(place, _End(self, "host")).addErrback(lambda _: self.sever())
            return
        if self.severed:
            end.transport.loseConnection()
        for data in self._early:
            self.came("guest", data)
        self._early.clear()

    def came(self, side, data):
        """Pass on what one side has sent, or as much of it as gets through."""
        if self.severed:
            return
        if "host" not in self._ends:
            self._early.append(data)
            return
        other = self._ends["host" if side == "guest" else "guest"].transport
        if self._cut[0] != side:
            other.write(data)
            return
        _, number, place = self._cut
        through = self._streams[side].before(data, number, place)
        if through is None:
            other.write(data)
        else:
            other.write(data[:through])
            self._knife.made(self._cut)
            self.sever()

    def sever(self):
        """Disconnect both ends, and let nothing more through."""
        if not self.severed:
            self.severed = True
            for end in self._ends.values():
                end.transport.loseConnection()


class _Records:
    """A parser that finds a record in one direction of TLS, whose record headers aren't
    encrypted."""

    def __init__(self):
        self._number = 0
        self._pending = b""  # bytes of the incomplete record

    def before(self, data, number, place):
        """Return how many bytes of *data* precede this place of this record, or None if *data*
        doesn't contain it.

        A cut inside a record waits until the whole record is here.
        """
        held = len(self._pending)
        stream, at = self._pending + data, 0
        while at < len(stream):
            if place == "before" and self._number == number:
                return max(0, at - held)
            size = RECORD_HEADER + int.from_bytes(stream[at + 3 : at + RECORD_HEADER], "big")
            if len(stream) - at < max(size, RECORD_HEADER):
                break
            if self._number == number:
                return max(0, at + offset(place, size, RECORD_HEADER) - held)
            self._number += 1
            at += size
        self._pending = stream[at:]
        return None


class _End(Protocol):
    def __init__(self, cable, side):
        self._cable = cable
        self._side = side

    def connectionMade(self):
        self._cable.connected(self._side, self)

    def dataReceived(self, data):
        self._cable.came(self._side, data)

    def connectionLost(self, reason):
        self._cable.sever()


class _Proxy(Factory):
    noisy = False

    def __init__(self, knife, port):
        self._knife = knife
        self._port = port

    def buildProtocol(self, address):
        return _End(_Cable(self._knife, self._port), "guest")


# --- a match ---------------------------------------------------------------------------


class Match:
    """Two players: one listens, and the other reconnects until everything is played."""

    def __init__(self, folder, seed, rules, chats=0):
        options = Options(parse_ruleset(rules))
        self.players = [NetPlayer(role, folder, seed, options, chats) for role in ("host", "guest")]
        self.joined = self.refused = 0
        self._seen = [0, 0]
        self._whole = None

    async def play(self, whole=None, through=None, timing=None, tell=None):
        """Play to the end; return the log. *whole*: the entries of the same match without a cut.
        *through*: makes a port that forwards to the given one."""
        host, guest = self.players
        timing = replace(timing or Timing(), admissions=inf)
        self._whole = whole
        listening = Acceptor(
            reactor, host.side, SECRET, address=Address(LOOPBACK, 0), timing=timing
        )
        port = listening.port if through is None else through(listening.port)
        invite = with_addresses(listening.invite, (LOOPBACK, port))
        try:
            while not (host.finished and guest.finished):
                await self._connect(invite, timing)
                if tell is not None:
                    tell(self)
        finally:
            await listening.stop()
            for player in self.players:
                player.keeper.close()
        if host.log != guest.log:
            raise Failed("the two logs differ")
        if host.evidence or guest.evidence:
            raise Failed("somebody was convicted")
        return host.log, list(host.entries)

    async def _connect(self, invite, timing):
        """Connect the guest, which plays until the connection is gone on both sides."""
        host, guest = self.players
        try:
            session = await connect(reactor, invite, guest.side, timing=timing)
        except JoinError as error:
            self.refused += 1
            if error.code not in NOT_LET_IN:
                raise Failed(f"not let in: {error.code}: {error.sentence}") from error
            await pause(0.002)
        else:
            self.joined += 1
            await session.done
        for _ in range(4000):
            if host.away and guest.away:
                break
            await pause(0.002)
        else:
            raise Failed("a session never noticed that its connection is gone")
        self._check()

    def _check(self):
        for number, player in enumerate(self.players):
            new, self._seen[number] = player.closed[self._seen[number] :], len(player.closed)
            for closed in new:
                lost = closed.code in LOST and closed.failure == "A"
                done = closed.code in ("finished", "peer-closed") and player.finished
                if not lost and not (done and closed.failure is None):
                    raise Failed(f"the {player.role}'s session ended with {closed}")
            if self._whole is not None and player.entries != self._whole[: len(player.entries)]:
                raise Failed(f"the {player.role}'s log has left the other one")


async def _twice(folder, seed, rules, chats=0, cutting=None, **how):
    """Play the match without a cut, then with cuts; return the entries of the first, and the second
    match. Raises Failed."""
    log, whole = await Match(folder / "uncut", seed, rules, chats).play()
    cut = Match(folder / "cut", seed, rules, chats)
    with cutting or nullcontext():
        again, _ = await cut.play(whole, **how)
    if again != log:
        raise Failed("the log is not the one that is written without a cut")
    return whole, cut


async def match_of_frames(folder, seed, rules, places=PLACES, limit=12, tell=None):
    """Play a match cut at its frames; return the knife and the match. Raises Failed."""
    knife = FrameKnife(random.Random(f"{seed}/frames"), places, limit)
    whole, cut = await _twice(
        folder, seed, rules, 5, cutting_frames(knife), timing=Timing(ping=0.05), tell=tell
    )
    if set(knife.entries) != set(whole) or knife.untried:
        raise Failed("not every entry was cut")
    return knife, cut


async def match_of_records(folder, seed, rules, records=RECORDS, tried=frozenset(), tell=None):
    """Play a match that is cut at its TLS records; return the knife and the match. Raises
    Failed."""
    knife, ports = RecordKnife(records, tried), []

    def through(port):
        ports.append(reactor.listenTCP(0, _Proxy(knife, port), interface=LOOPBACK))
        return ports[0].getHost().port

    try:
        _, cut = await _twice(folder, seed, rules, through=through, tell=tell)
    finally:
        for port in ports:
            await port.stopListening()
    return knife, cut


# --- by hand ---------------------------------------------------------------------------


def _teller(knife):
    return now_and_then(
        lambda match: (
            f"{knife}: {match.joined} connections, {len(match.players[0].entries)} entries"
        )
    )


async def campaign(args):
    entries = cuts = 0
    sums, places = Counter(), Counter()
    for number in range(args.matches):
        with tempfile.TemporaryDirectory(prefix="cuts-") as folder:
            seed = f"{args.seed}/{number}"
            knife, match = await match_of_frames(
                Path(folder),
                seed,
                args.rules,
                PLACES if number % 2 == 0 else PLACES[:-1],
                tell=_teller("frames"),
            )
            entries += len(match.players[0].entries)
        sums += knife.cuts
        places += knife.places
        cuts += sum(knife.cuts.values())
    for what, count in sorted((sums + places).items()):
        print(f"frames: {what}: {count}")
    result(
        "connection cut at every frame of a match, 5 or 6 places each, log the same",
        f"{cuts} cuts, {entries} entries, {args.matches} of {args.matches} matches",
        "every frame",
        args.seed,
    )
    tried, cuts, number = set(), 0, 0
    wanted = RECORDS * 2 * len(PLACES)
    while number < args.matches or (len(tried) < wanted and number < MOST * args.matches):
        with tempfile.TemporaryDirectory(prefix="cuts-") as folder:
            seed = f"{args.seed}/{number}"
            knife, match = await match_of_records(
                Path(folder), seed, args.rules, tried=frozenset(tried), tell=_teller("records")
            )
        number += 1
        tried |= set(knife.cuts)
        cuts += sum(knife.cuts.values())
        print(f"records: match {number}: {match.joined} let in, {match.refused} not", flush=True)
    result(
        "TCP cut at and in TLS records, handshake and greeting too, log the same",
        f"{cuts} cuts, {len(tried)} different",
        f"{wanted} different",
        args.seed,
    )
    return len(tried) == wanted


def main():
    args = options(__doc__, rules=RULES, matches=4, seed=1).parse_args()
    return exit_status(campaign(args))


if __name__ == "__main__":
    sys.exit(main())
