"""What the network tests share: a small game, a recording player, and a rude peer.

The game is the smallest that a session can carry: the seats write numbered lines in turn. The rude
peer uses real TLS and real frames, and omits whatever a test tells it to.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from unittest import mock

import pytest
from OpenSSL import SSL
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import TCP4ClientEndpoint
from twisted.internet.interfaces import (
    IHandshakeListener,
    IOpenSSLClientConnectionCreator,
    IOpenSSLServerConnectionCreator,
)
from twisted.internet.protocol import DatagramProtocol, Protocol
from twisted.internet.task import deferLater
from twisted.protocols.tls import TLSMemoryBIOFactory
from zope.interface import directlyProvides, implementer, providedBy

from ginpeer.net.acceptor import Acceptor
from ginpeer.net.address import Address
from ginpeer.net.codes import Invite
from ginpeer.net.connector import connect
from ginpeer.net.handshake import ChannelBinding, invite_proof
from ginpeer.net.not_reached import JoinError
from ginpeer.net.session import Side
from ginpeer.net.tcp import ProtocolFactory
from ginpeer.net.tls import ALPN, EXPORTER_BYTES, EXPORTER_LABEL, certificate_of
from ginpeer.seat.seat import Close, Persist, PersistSeed, Send, Show
from protocol.crypto.identity import IdentityKey
from protocol.frames import (
    FrameReader,
    Goodbye,
    Hello,
    Position,
    decode_frame,
    enclose,
    encode_frame,
)

HOST_KEY = IdentityKey(b"h" * 32)
GUEST_KEY = IdentityKey(b"g" * 32)
OTHER_KEY = IdentityKey(b"o" * 32)
SECRET = b"a secret!!"
TABLE = b"t" * 32
LOOPBACK = "127.0.0.1"
HOST, GUEST = 0, 1

linux = pytest.mark.skipif(sys.platform != "linux", reason="tried on Linux alone")


async def pause(seconds=0.005):
    await deferLater(reactor, seconds, lambda: None)


async def until(condition, turns=2000):
    """Run the reactor until *condition* is true."""
    for _ in range(turns):
        if condition():
            return
        await pause()
    raise AssertionError("it never came about")


class Refusal(ValueError):
    code = "bad-line"


class LineSeat:
    """A game in which host and guest write *length* lines in turn. The player chooses each line
    except the first.

    If *asks* is true, the guest is asked whether it wants to play before it writes its first line.
    """

    asks = False

    def __init__(self, seat, length=6):
        self.seat = seat
        self.length = length
        self.lines = []
        self.closed = False

    def start(self):
        if self.seat == HOST:
            yield PersistSeed(TABLE, 0, b"seed")
            yield from self._write("begin")

    def meet(self, theirs):
        return self.start()

    def receive(self, raw):
        if raw != b"%d %s" % (len(self.lines), raw.partition(b" ")[2]) or self._ours():
            self.closed = True
            yield Close("bad-line", "That is not the next line.", "B")
            return
        self.lines.append(raw)
        yield Persist(TABLE, raw)
        yield Show(raw.decode())
        yield from self._finish()

    def sync_pending(self):
        return None

    def play(self, move):
        if not isinstance(move, str):
            raise Refusal("Lines are text.")
        return self._write(move)

    def resign(self):
        raise Refusal("Nobody resigns here.")

    def can_continue(self):
        return 0 < len(self.lines) < self.length

    def agreed(self):
        return len(self.lines) > 1

    def owes_next(self):
        return None if len(self.lines) >= self.length else self._ours()

    def owes_choice(self):
        return not self.closed and bool(self.lines) and self._ours()

    def offer_to_consider(self):
        return "begin" if self.asks and self.seat == GUEST and len(self.lines) == 1 else None

    def accept(self):
        return self._write("accepted")

    def view(self):
        return len(self.lines)

    def _ours(self):
        return len(self.lines) % 2 == self.seat

    def _write(self, text):
        raw = f"{len(self.lines)} {text}".encode()
        self.lines.append(raw)
        yield Persist(TABLE, raw)
        yield Send(raw)
        yield Show(raw.decode())
        yield from self._finish()

    def _finish(self):
        if len(self.lines) == self.length:
            self.closed = True
            yield Close("finished", "All lines are written.", None)


class MemoryJournal:
    """A journal in memory, which fails on demand."""

    def __init__(self):
        self.entries = []
        self.seeds = []
        self.evidence = []
        self.fail_at = None
        self.error = OSError(28, "No space left on device")

    def persist(self, table, entry):
        if len(self.entries) == self.fail_at:
            raise self.error
        self.entries.append(entry)

    def persist_seed(self, table, hand, seed):
        self.seeds.append((table, hand, seed))

    def persist_evidence(self, table, entries):
        self.evidence.append((table, entries))


def recorded(kind):
    """Return a method of a player that only records its argument."""

    def record(self, told):
        self.events.append((kind, told))

    return record


class Recorder:
    """A player that records everything, and plays at once if it is *eager*."""

    def __init__(self, session, eager):
        self.session = session
        self.eager = eager
        self.events = []

    connected, show, consider, chat, pause, proposed, consent, closed = map(
        recorded,
        ("connected", "show", "consider", "chat", "pause", "proposed", "consent", "closed"),
    )

    def choose(self, view):
        self.events.append(("choose", view))
        if self.eager:
            self.session.play("line")

    def all(self, kind):
        return [event for name, event in self.events if name == kind]


@dataclass
class Party:
    """One side of a connection, with everything that a test can check afterwards."""

    seat_number: int
    identity: IdentityKey
    eager: bool = True
    length: int = 6
    position: Position | None = None
    debug: bool = False
    journal: MemoryJournal = field(default_factory=MemoryJournal)
    players: list = field(default_factory=list)
    seats: list = field(default_factory=list)
    known: object = None
    supports: tuple = ()
    bot: bool = False
    end: Callable = lambda refused: ()  # returns the end of a match that is over
    seat_class: type = LineSeat
    player_class: type = Recorder

    @property
    def player(self):
        return self.players[-1]

    @property
    def seat(self):
        return self.seats[-1]

    @property
    def session(self):
        return self.player.session

    @property
    def side(self):
        return Side(
            identity=self.identity,
            software=f"test {self.seat_number}",
            seat_for=self._make_seat,
            player_for=self._make_player,
            journal=self.journal,
            known=self.known,
            position_for=lambda key, claimed: self.position,
            missing_entries=lambda key, claimed, refused: self.end(refused),
            debug=self.debug,
            joins=self.seat_number == GUEST,
            extensions=lambda: self.supports,
            bot=self.bot,
        )

    def _make_seat(self, peer):
        self.seats.append(self.seat_class(self.seat_number, self.length))
        return self.seats[-1]

    def _make_player(self, session):
        self.players.append(self.player_class(session, self.eager))
        return self.players[-1]


def a_host(**settings):
    return Party(HOST, HOST_KEY, **settings)


def a_guest(identity=GUEST_KEY, **settings):
    return Party(GUEST, identity, **settings)


class TimedReactor:
    """The reactor, with a test's clock. The reactor itself handles calls that are due at once, such
    as those that TLS makes."""

    def __init__(self, clock):
        self.clock = clock
        directlyProvides(self, *providedBy(reactor))

    def __getattr__(self, name):
        return getattr(reactor, name)

    def seconds(self):
        return self.clock.seconds()

    def callLater(self, delay, call, *args, **named):
        return (self.clock if delay else reactor).callLater(delay, call, *args, **named)


def timed_by(clock):
    """Return the reactor with this clock, or unchanged if *clock* is None."""
    return reactor if clock is None else TimedReactor(clock)


def open_house(closing, party, secret=SECRET, *, clock=None, **settings):
    """Let a party listen on the loopback until the end of the test."""
    settings.setdefault("address", Address(LOOPBACK, 0))
    listening = Acceptor(timed_by(clock), party.side, secret, **settings)

    async def close():
        await listening.stop()
        for player in party.players:
            await leave(player.session)

    closing.append(close)
    return listening


def acceptor_at(addresses, clock):
    """Return an acceptor that claims to be reachable at these addresses, but doesn't listen."""
    here = Address("0.0.0.0", 4466)
    clock.listenTCP = lambda *_, **more: SimpleNamespace(getHost=lambda: here)
    with mock.patch("ginpeer.net.acceptor.listening_addresses", return_value=addresses):
        return Acceptor(clock, a_host().side, SECRET, address=here)


async def leave(session):
    session.leave()
    await until(lambda: session.done.called)


async def seat_both(closing, host, guest, *, clock=None, **settings):
    """Connect a guest to a host. Return the sessions of host and guest."""
    listening = open_house(closing, host, clock=clock, **settings)
    timing = settings.get("timing")
    session = await connect(timed_by(clock), listening.invite, guest.side, timing=timing)
    closing.append(lambda: leave(session))
    await until(lambda: host.players)
    return host.session, session


def with_addresses(invite, *addresses):
    return replace(invite, addresses=tuple(Address(*address) for address in addresses))


def invite_to(*addresses):
    """Return an invite with the host's key and these addresses."""
    where = tuple(Address(*address) for address in addresses)
    return Invite.of(HOST_KEY.public, SECRET, where)


async def join_error(invite, guest=None, **settings):
    """Return the error with which this guest fails to join."""
    side = (guest or a_guest()).side
    return await failure_of(connect(reactor, invite, side, **settings), JoinError)


async def ended(session):
    """Wait until a session ends. Return the code and the failure class of its reason."""
    closed = await session.done
    return closed.code, closed.failure


# --- the rude peer ---------------------------------------------------------------------


@implementer(IOpenSSLClientConnectionCreator, IOpenSSLServerConnectionCreator)
class AnyTLS:
    """TLS with any settings. By default it behaves correctly, except that it accepts any peer."""

    def __init__(
        self, identity=GUEST_KEY, alpn=(ALPN,), version=SSL.TLS1_3_VERSION, certificate=None
    ):
        self.context = context = SSL.Context(SSL.TLS_METHOD)
        context.set_min_proto_version(version)
        context.set_max_proto_version(version)
        if certificate is not None:
            context.use_certificate(certificate[0])
            context.use_privatekey(certificate[1])
        elif identity is not None:
            context.use_certificate(certificate_of(identity))
            context.use_privatekey(identity.private_key)
        context.set_verify(SSL.VERIFY_PEER, lambda *_: True)
        if alpn:
            context.set_alpn_protos(list(alpn))
            context.set_alpn_select_callback(
                lambda _, offered: (
                    next((x for x in alpn if x in offered), b"") or SSL.NO_OVERLAPPING_PROTOCOLS
                )
            )
        self.session = None

    def clientConnectionForTLS(self, protocol):
        connection = SSL.Connection(self.context, None)
        if self.session is not None:
            connection.set_session(self.session)
        return connection

    def serverConnectionForTLS(self, protocol):
        return SSL.Connection(self.context, None)


def framed(*frames):
    """Return the bytes of these frames, one after another."""
    return b"".join(enclose(encode_frame(frame)) for frame in frames)


def link_of(tls, host_key, guest_key):
    """Return the channel binding of this TLS connection, which both sides know."""
    exporter = tls.export_keying_material(EXPORTER_LABEL, EXPORTER_BYTES)
    return ChannelBinding(exporter, host_key, guest_key)


def proven(hello, secret, link):
    """Return the hello with a proof that its sender knows the secret of the invite."""
    return replace(hello, proof=invite_proof(secret, link, hello))


@implementer(IHandshakeListener)
class RudePeer(Protocol):
    """The other end of a connection, controlled by a test. Its proofs use ``host_key`` and
    ``guest_key``."""

    host_key, guest_key = HOST_KEY, GUEST_KEY

    def __init__(self):
        self.made = False
        self.secured = False
        self.lost = None
        self.frames = []
        self._reader = FrameReader()

    def connectionMade(self):
        self.made = True

    def handshakeCompleted(self):
        self.secured = True

    def dataReceived(self, data):
        self.frames += map(decode_frame, self._reader.feed(data))

    def connectionLost(self, reason):
        self.lost = reason

    def send(self, *frames):
        """Send these frames in one write."""
        self.transport.write(framed(*frames))

    def send_bytes(self, data):
        self.transport.write(data)

    def link(self, host_key=None, guest_key=None):
        host, guest = host_key or self.host_key, guest_key or self.guest_key
        return link_of(self.transport.getHandle(), host.public, guest.public)

    def hello(self, versions=(1,), secret=SECRET, extensions=(), **keys):
        blank = Hello(versions, b"", None, "rude 1", extensions)
        return proven(blank, secret, self.link(**keys))

    async def next_frame(self):
        await until(lambda: self.frames or self.lost)
        assert self.frames, f"closed without a word: {self.lost}"
        return self.frames.pop(0)


def collecting(peers, make=RudePeer):
    """Return a factory that appends its protocols to *peers*."""

    def build(_):
        peers.append(make())
        return peers[-1]

    return ProtocolFactory(build)


class AnsweringDatagrams(DatagramProtocol):
    """A UDP server that sends these answers to each datagram, and lists the senders."""

    def __init__(self, *answers):
        self.answers = answers
        self.heard = []

    def datagramReceived(self, datagram, addr):
        self.heard.append(addr)
        for answer in self.answers:
            self.transport.write(answer, addr)


async def hang_up(peers):
    """Abort the connections of these protocols, and wait until they are gone."""
    for peer in peers:
        if not peer.lost:
            peer.transport.abortConnection()
    await until(lambda: all(peer.lost for peer in peers))


async def rude_guest(closing, port, tls=None, secured=True):
    """Connect to a host; with *tls* False, without TLS."""
    factory = collecting(peers := [])
    if tls is not False:
        factory = TLSMemoryBIOFactory(tls or AnyTLS(), True, factory)
    await TCP4ClientEndpoint(reactor, LOOPBACK, port).connect(factory)
    (peer,) = peers
    closing.append(lambda: hang_up(peers))
    if secured:
        await until(lambda: peer.secured or peer.lost)
    return peer


def introduced(peer, host_key, guest_key):
    """Make the proofs of a rude guest use these keys from now on."""
    peer.host_key, peer.guest_key = host_key, guest_key


async def let_in(closing, host, *frames, asks=()):
    """Admit a rude guest that asks for these extensions and then sends these frames. Return it."""
    guest = await rude_guest(closing, open_house(closing, host).port)
    guest.send(guest.hello(extensions=asks))
    await guest.next_frame()
    guest.send(*frames)
    return guest


async def goodbye_to(guest):
    """Return the code of the goodbye that a rude guest gets."""
    await until(lambda: any(isinstance(frame, Goodbye) for frame in guest.frames))
    return next(frame.code for frame in guest.frames if isinstance(frame, Goodbye))


def rude_host(closing, tls=None):
    """Listen; return the port and the list of peers that connect."""
    factory = collecting(peers := [])
    if tls is not False:
        factory = TLSMemoryBIOFactory(tls or AnyTLS(HOST_KEY), False, factory)
    port = reactor.listenTCP(0, factory, interface=LOOPBACK)
    closing.append(lambda: hang_up(peers))
    closing.append(port.stopListening)
    return port.getHost().port, peers


async def joining_rude_host(closing, tls=None, guest=None, *, clock=None, **settings):
    """Let a guest join a rude host. Return the attempt, and the peer once it has our hello."""
    port, peers = rude_host(closing, tls)
    invite = invite_to((LOOPBACK, port))
    joined = connect(timed_by(clock), invite, (guest or a_guest()).side, **settings)
    await until(lambda: peers and peers[0].frames)
    return joined, peers[0]


async def failure_of(deferred: Deferred, kind):
    """Return the exception of *kind* with which a Deferred must fail."""
    try:
        await deferred
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")
