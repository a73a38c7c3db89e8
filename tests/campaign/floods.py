"""Send a host a gigabyte from hostile peers, and measure what it costs the host.

Run by hand on Linux: ``python -m tests.campaign.floods [--mib M] [--attempts N] [--seed S]``. A
host in its own process listens on the loopback. One flooder after another sends it all it can: a
stranger before TLS, a stranger in TLS, and a guest that was let in. A flooder that is cut off
reconnects and continues, until it has passed this many MiB to its own system to send, or has made
this many connections. Checked for each kind of flood: the peak of the host's resident memory grows
by at most 32 MiB; each connection ends with the listed code; and the stored log is unchanged. After
all floods an honest guest is let in with the same invite and the match is played to its end. *S*
decides what is random in the bytes.
"""

import random
import socket
import struct
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.campaign.reactor_run import exit_status, reactor

# isort: split

from OpenSSL import SSL

from ginpeer.net.connector import connect
from ginpeer.net.tls import key_of
from protocol.frames import (
    Chat,
    EntryFrame,
    FrameReader,
    Goodbye,
    Hello,
    Ping,
    Pong,
    Welcome,
    decode_frame,
)
from tests.campaign.command import Failed, now_and_then, options, result
from tests.campaign.net_process import MIB, host_and_guest
from tests.net.key_updates import KeyUpdates
from tests.net.support import LOOPBACK, OTHER_KEY, AnyTLS, framed, link_of, pause, proven

RULES = "standard target=1"
STRANGER = OTHER_KEY
GROWTH = 32 * MIB
PIECE = 256 * 1024
STUCK = 15
"""Seconds after which a flooder whose bytes nobody reads reconnects."""


class Flooder:
    """One blocking connection to the host, controlled by a hostile peer."""

    def __init__(self, host, identity, receives=None):
        """*receives*: the size of its receive buffer, in bytes."""
        self.sock = socket.socket()
        if receives is not None:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receives)
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", STUCK, 0))
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", STUCK, 0))
        self.sock.connect((LOOPBACK, host.port))
        self.sent = 0
        self._host = host
        self._identity = identity

    def begin_tls(self):
        tls = AnyTLS(self._identity)
        self.updates = KeyUpdates(tls.context)
        self.tls = SSL.Connection(tls.context, self.sock)
        self.tls.set_connect_state()
        self.tls.do_handshake()

    def hello(self):
        """Return a hello that the host accepts."""
        invite = self._host.invite
        link = link_of(
            self.tls,
            key_of(self.tls.get_peer_certificate(as_cryptography=True)),
            self._identity.public,
        )
        return proven(Hello((1,), b"", None, "flood 1"), invite.secret, link)

    def greet(self):
        """Greet the host and be let in. Return the host's offer. Raises Failed."""
        self.begin_tls()
        self.tls.sendall(framed(self.hello()))
        reader, frames = FrameReader(), []
        while len(frames) < 2:
            frames += map(decode_frame, reader.feed(self.tls.recv(65536)))
            if isinstance(frames[0], Goodbye):
                raise Failed(f"not let in: {frames[0].code}")
        if not isinstance(frames[0], Welcome) or not isinstance(frames[1], EntryFrame):
            raise Failed(f"an odd welcome: {frames}")
        return frames[1].entry

    def pour(self, data, enough):
        """Send *data* repeatedly, into TLS if it has begun, until *enough* was sent or the host
        cuts us off."""
        send = self.tls.send if hasattr(self, "tls") else self.sock.send
        whole = data * max(1, PIECE // len(data))
        with suppress(OSError, SSL.Error):
            while self.sent < enough:
                at = 0
                while at < len(whole):
                    sent = send(whole[at : at + 16384])
                    at += sent
                    self.sent += sent

    def pour_raw(self, pieces, enough):
        """Send what *pieces* yields, bypassing TLS."""
        with suppress(OSError):
            while self.sent < enough:
                self.sock.sendall(data := pieces())
                self.sent += len(data)

    def close(self):
        self.sock.close()


@dataclass(frozen=True)
class Kind:
    """One kind of flood. *run* gets a flooder that has just connected, a random generator and how
    many bytes are left to send. *codes*: how a connection of this kind may end at the host."""

    name: str
    run: object
    codes: frozenset


def before_tls(make):
    return lambda flooder, rng, enough: flooder.pour(make(rng), enough)


def in_tls(make):
    def run(flooder, rng, enough):
        flooder.begin_tls()
        flooder.pour(make(rng), enough)

    return run


def as_guest(make):
    return lambda flooder, rng, enough: flooder.pour(make(flooder.greet(), rng), enough)


def key_updates(flooder, rng, enough):
    """Flood as a guest that reads nothing: each update makes the host's TLS write one of its
    own."""
    flooder.greet()
    flooder.updates.sent = 1
    flooder.pour_raw(lambda: b"".join(flooder.updates.record() for _ in range(2000)), enough)


def half_frames(flooder, rng, enough):
    """Send almost the largest frame, and then nothing."""
    flooder.greet()
    half = (131_072).to_bytes(4, "big") + rng.randbytes(131_000)
    flooder.tls.sendall(half)
    flooder.sent += len(half)


def tls_record(kind, size, rng):
    return bytes([kind, 3, 3]) + size.to_bytes(2, "big") + rng.randbytes(size)


ANY_TLS_END = frozenset({"failed tls-failed", "failed connection-lost", "failed greeting-timeout"})
GARBLED = frozenset({"failed frame-malformed", "failed frame-too-large", "failed frame-unexpected"})
FLOOD = frozenset({"closed flood A"})

BEFORE_TLS = (
    Kind("zeros", before_tls(lambda rng: bytes(PIECE)), ANY_TLS_END),
    Kind("random bytes", before_tls(lambda rng: rng.randbytes(PIECE)), ANY_TLS_END),
    Kind("an HTTP request", before_tls(lambda rng: b"GET / HTTP/1.1\r\nX: y\r\n\r\n"), ANY_TLS_END),
    Kind(
        "handshake records",
        before_tls(lambda rng: b"\x16\x03\x01\x40\x00\x01\x00\xff\xff" + bytes(16380)),
        ANY_TLS_END,
    ),
    Kind("application data", before_tls(lambda rng: tls_record(23, 16384, rng)), ANY_TLS_END),
)

IN_TLS = (
    Kind("zeros", in_tls(lambda rng: bytes(PIECE)), frozenset({"failed frame-empty"})),
    Kind("random bytes", in_tls(lambda rng: rng.randbytes(PIECE)), GARBLED),
    Kind("chat", in_tls(lambda rng: framed(Chat("let me in"))), GARBLED),
    Kind("entries", in_tls(lambda rng: framed(EntryFrame(rng.randbytes(4000)))), GARBLED),
    Kind(
        "hello without the secret",
        in_tls(lambda rng: framed(Hello((1,), rng.randbytes(32), None, "flood 1"))),
        frozenset({"failed invite-wrong"}),
    ),
)

AS_GUEST = (
    Kind("chat", as_guest(lambda _, rng: framed(Chat("spam" * 125))), FLOOD),
    Kind("pings", as_guest(lambda _, rng: framed(Ping(7))), FLOOD),
    Kind("pongs", as_guest(lambda _, rng: framed(Pong(7))), frozenset({"closed pong-unasked A"})),
    Kind(
        "the host's own offer",
        as_guest(lambda offer, rng: framed(EntryFrame(offer))),
        frozenset({"closed duplicate A"}),
    ),
    Kind(
        "entries of no meaning",
        as_guest(lambda _, rng: framed(EntryFrame(rng.randbytes(100_000)))),
        frozenset({"closed not-an-entry A"}),
    ),
    Kind("hellos", as_guest(lambda _, rng: framed(Hello((1,), bytes(32), None, "flood 1"))),
         frozenset({"closed frame-unexpected A"})),
    Kind("random bytes", as_guest(lambda _, rng: rng.randbytes(PIECE)),
         frozenset({"closed frame-too-large A", "closed frame-malformed A"})),
    Kind("key updates", key_updates,
         frozenset({"closed peer-not-reading A", "closed connection-lost A"})),
    Kind("half frames", half_frames, frozenset({"closed connection-lost A"})),
)  # fmt: skip


@dataclass
class Reached:
    """The results for one kind of flood."""

    kind: str
    sent: int = 0
    connections: int = 0
    growth: int = 0


def flood(host, identity, kind, amount, attempts, rng, tell):
    """Send *amount* bytes of this kind; return the outcome. Raises Failed."""
    reached, log = Reached(kind.name), host.log
    before, told = host.memory(), len(host.said)
    host.forget_peak()
    while reached.sent < amount and reached.connections < attempts:
        flooder = Flooder(host, identity)
        reached.connections += 1
        said = len(host.said)
        try:
            kind.run(flooder, rng, amount - reached.sent)
        except Failed as why:
            if "table-taken" not in str(why):
                raise
        except SSL.Error:
            pass
        finally:
            reached.sent += flooder.sent
            flooder.close()
        if not host.wait_for(lambda lines, said=said: len(lines) > said):
            raise Failed(f"{kind.name}: the connection did not end, or the host did")
        tell(reached)
    reached.growth = host.memory("VmHWM") - before
    ends = set(host.said[told:]) - {"failed table-taken"}
    if not ends <= kind.codes:
        raise Failed(f"{kind.name}: ended with {sorted(ends - kind.codes)}")
    if host.log != log and log:
        raise Failed(f"{kind.name}: the log has changed")
    if reached.growth > GROWTH:
        raise Failed(f"{kind.name}: {reached.growth / MIB:.1f} MiB more memory")
    return reached


async def honest_match(host, guest):
    """Let the guest in as usual, and play the match to its end."""
    for _ in range(2000):
        session = await connect(reactor, host.invite, guest.side)
        await session.done
        if guest.finished:
            break
        await pause(0.01)
    await pause(0.2)
    if not guest.finished or guest.log != host.log:
        raise Failed("the honest match was not played to its end")


async def campaign(folder, seed, amount, attempts, tell=lambda reached: None):
    """Run all floods, each of *amount* bytes; return the outcome of each part. Raises Failed."""
    rng = random.Random(f"floods {seed}")
    parts = []
    with host_and_guest(folder, seed, RULES) as (host, guest):
        warm = Flooder(host, guest.identity)  # loads whatever is loaded only once
        warm.greet()
        warm.close()
        if not host.wait_for(lambda lines: "closed connection-lost A" in lines):
            raise Failed("the host does not notice that a guest has gone")
        for name, kinds in (
            ("a stranger before TLS", BEFORE_TLS),
            ("a stranger in TLS", IN_TLS),
            ("a guest that was let in", AS_GUEST),
        ):
            share = -(-amount // len(kinds))
            for kind in kinds:
                who = guest.identity if kinds is AS_GUEST else STRANGER
                reached = flood(host, who, kind, share, attempts, rng, tell)
                parts.append((name, reached))
        await honest_match(host, guest)
        host.stop()
    return parts


def _so_far(reached):
    return f"{reached.kind}: {reached.sent / MIB:.0f} MiB, {reached.connections} connections"


async def by_hand(args):
    tell, amount = now_and_then(_so_far), args.mib * MIB
    with tempfile.TemporaryDirectory(prefix="floods-") as folder:
        parts = await campaign(Path(folder), str(args.seed), amount, args.attempts, tell)
    for name in dict.fromkeys(name for name, _ in parts):
        of_it = [reached for part, reached in parts if part == name]
        for reached in of_it:
            print(f"{name}: {_so_far(reached)}, {reached.growth / MIB:.1f} MiB more memory")
        sent = sum(reached.sent for reached in of_it)
        most = max(reached.growth for reached in of_it)
        count = sum(reached.connections for reached in of_it)
        sent = f"{sent / MIB:.0f} MiB sent, {count} connections, {len(of_it)} kinds"
        what = f"flood by {name}, memory that the host needs for it"
        result(what, f"{most / MIB:.1f} MiB ({sent})", "32 MiB", args.seed)
    return True


def main():
    mib = (1024, "for each of the three flooders")
    attempts = (3000, "connections for each kind")
    args = options(__doc__, mib=mib, attempts=attempts, seed=1).parse_args()
    return exit_status(by_hand(args))


if __name__ == "__main__":
    sys.exit(main())
