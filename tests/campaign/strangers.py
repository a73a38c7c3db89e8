"""Connect a thousand strangers to a host: the effect on a match, and how a friend gets in.

Run by hand on Linux, on a quiet machine: ``python -m tests.campaign.strangers [--idle 1000]
[--entries 1000] [--joins 50] [--seed S]``. A host listens in its own process, strangers connect
from a second process, and the guest is this one, with real homes, journals, seats, bots, TCP and
TLS on the loopback. Measured:

- *a move*: the time of each entry from when one side sends it until the other receives it, before
  any check, and without the time that anybody takes to think or to prove. First without strangers,
  then with strangers who say nothing, are dropped after ten seconds and reconnect.
- *memory*: the growth of the host's resident set for each stranger that says nothing and for each
  that begins TLS and stops.
- *deadline*: the longest that any stranger was held: silent, with one byte a second, with
  unfinished TLS, with finished TLS and a hello that comes a byte a second.
- *a friend*: how long joining takes while as many idle strangers are there as fit, and while others
  connect as fast as they can, say nothing or begin TLS, leave and reconnect.

Checked: p99 of a move is under 100 ms; the idle strangers are really held (open files of the host's
process); every stranger is dropped within its deadline; the friend gets in at the first attempt
while as many idle strangers are there as fit, and in at most ten attempts while others come and go;
the host's process survives, and ends well. All strangers share the friend's address, which is worse
than real life: strangers at other addresses are kept apart from the friend
(tests/net/test_entrance.py). *S* decides the match.
"""

import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from tests.campaign.reactor_run import exit_status, reactor

# isort: split

from OpenSSL import SSL

from ginpeer.net.connection import Timing
from ginpeer.net.connector import connect
from ginpeer.net.limits import MAX_GREETERS, MAX_SILENT
from ginpeer.net.not_reached import JoinError
from tests.campaign.command import Failed, options, result
from tests.campaign.floods import STRANGER, Flooder
from tests.campaign.net_process import Stopwatch, host_and_guest
from tests.net.players import NetPlayer
from tests.net.support import LOOPBACK, pause

RULES = "standard target={}"
BOUND = 0.1
"""Seconds that a move may take at p99."""

ATTEMPTS = 10

LATE = 3.0
"""Seconds after the deadline by which a stranger must be gone, because a busy machine is slow."""


# --- the strangers' process ------------------------------------------------------------


def idle(port, count):
    """Hold *count* connections that say nothing; a dropped one reconnects.

    They connect one by one, so that they aren't all dropped at once ten seconds later.
    """
    selector = selectors.DefaultSelector()

    def come():
        stranger = socket.socket()
        stranger.setblocking(False)
        stranger.connect_ex((LOOPBACK, port))
        selector.register(stranger, selectors.EVENT_READ)

    for _ in range(count):
        come()
        time.sleep(0.009)
    print("there", flush=True)
    while True:
        for key, _ in selector.select():
            selector.unregister(key.fileobj)
            key.fileobj.close()
            come()


def churn(port, first):
    """Connect as fast as possible, say *first*, and leave; 200 at a time."""
    print("there", flush=True)
    while True:
        crowd = []
        for _ in range(200):
            stranger = socket.socket()
            stranger.settimeout(1)
            crowd.append(stranger)
            with suppress(OSError):
                stranger.connect((LOOPBACK, port))
                stranger.sendall(first)
        for stranger in crowd:
            stranger.close()


class Strangers:
    """A process of strangers, which runs from entering the context until leaving it."""

    def __init__(self, kind, port, *arguments):
        command = [sys.executable, "-m", "tests.campaign.strangers", kind, str(port)]
        self._command = [*command, *map(str, arguments)]

    def __enter__(self):
        self._process = subprocess.Popen(self._command, stdout=subprocess.PIPE)
        if self._process.stdout.readline() != b"there\n":
            raise Failed("the strangers do not come")
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()


# --- what is measured ------------------------------------------------------------------


async def play(host, guest):
    """Play one match; the guest is let in at once. Raises Failed."""
    session = await connect(reactor, host.invite, guest.side)
    closed = await session.done
    if closed.code not in ("finished", "peer-closed") or not guest.finished:
        raise Failed(f"the match ended with {closed}")


def transits(one, other):
    """Return the seconds from sending to arrival, for all entries with both times known."""
    return [
        there["came"][entry] - at
        for here, there in ((one, other), (other, one))
        for entry, at in here["sent"].items()
        if entry in there["came"]
    ]


def p99(seconds):
    return statistics.quantiles(seconds, n=100, method="inclusive")[98]


async def a_match(folder, seed, points, strangers):
    """Return how long the entries of a match took, with this many idle strangers there all the
    time."""
    watch, held = Stopwatch(), []
    with host_and_guest(folder, seed, RULES.format(points)) as (host, guest):
        with watch.running():
            if strangers:
                before = host.files
                with Strangers("idle", host.port, strangers):
                    await pause(1)
                    held.append(host.files - before)
                    await play(host, guest)
                    held.append(host.files - before)
            else:
                await play(host, guest)
        times = host.stop()
    if strangers and min(held) < min(strangers, MAX_SILENT) * 0.9:  # some are just reconnecting
        raise Failed(f"of {strangers} strangers the host holds {held}")
    return transits({"sent": watch.sent, "came": watch.came}, times), held


def memory(host, count):
    """Return the host's bytes for each silent stranger and for each that begins TLS and stops."""
    before = host.memory()
    with Strangers("idle", host.port, count):
        time.sleep(1)
        silent = (host.memory() - before) / count
    time.sleep(0.5)
    before, crowd = host.memory(), []
    for _ in range(MAX_GREETERS):
        flooder = Flooder(host, STRANGER)
        flooder.begin_tls()
        crowd.append(flooder)
    time.sleep(0.5)
    greeting = (host.memory() - before) / MAX_GREETERS
    for flooder in crowd:
        flooder.close()
    return silent, greeting


def deadlines(host):
    """Return, for each kind of slow stranger, the seconds until the host dropped it."""
    hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"
    silent, one_byte, half = (Flooder(host, STRANGER) for _ in range(3))
    finished, slow_hello = (Flooder(host, STRANGER) for _ in range(2))
    half.sock.sendall(hello)
    finished.begin_tls()
    slow_hello.begin_tls()
    crowd = {
        "silent": silent,
        "a byte a second": one_byte,
        "TLS begun and not finished": half,
        "TLS and nothing more": finished,
        "TLS and a hello of a byte a second": slow_hello,
    }
    begun, ended = time.monotonic(), {}
    for number in range(int(Timing().greeting + LATE) * 20):
        if number % 20 == 0:
            second = number // 20
            with suppress(OSError):
                one_byte.sock.sendall((hello + bytes(100))[second : second + 1])
            with suppress(OSError, SSL.Error):
                slow_hello.tls.send((b"\0\0\0\xc8" + bytes(100))[second : second + 1])
        for kind, stranger in crowd.items():
            if kind not in ended and _gone(stranger.sock):
                ended[kind] = time.monotonic() - begun
        time.sleep(0.05)
    for stranger in crowd.values():
        stranger.close()
    if len(ended) < len(crowd):
        raise Failed(f"still there: {', '.join(set(crowd) - set(ended))}")
    return ended


def _gone(sock):
    """Return whether the host has closed; discard what it sent before."""
    sock.setblocking(False)
    try:
        while sock.recv(65536):
            pass
    except BlockingIOError:
        return False
    except OSError:
        return True
    finally:
        sock.setblocking(True)
    return True


async def friends(host, guest, times):
    """Join this many times; return the seconds and the number of attempts of each."""
    took, attempts = [], []
    for _ in range(times):
        begun, tried = time.monotonic(), 1
        while (session := await _attempt(host, guest)) is None:
            tried += 1
            if tried > ATTEMPTS:
                raise Failed("the friend is kept out")
        took.append(time.monotonic() - begun)
        attempts.append(tried)
        session.leave()
        await session.done
        await pause(0.05)
    return took, attempts


async def _attempt(host, guest):
    try:
        return await connect(reactor, host.invite, guest.side)
    except JoinError as error:
        if error.code not in ("connection-lost", "tls-failed", "table-taken"):
            raise
        return None


async def at_the_door(folder, seed, count, times, slow=True):
    """Return the memory for each stranger, the deadlines, and the joining times among strangers."""
    joins = {}
    with host_and_guest(folder, seed, RULES.format(10_000), _Patient) as (host, guest):
        await friends(host, guest, 2)  # loads whatever is loaded only once
        costs = memory(host, count)
        ended = deadlines(host) if slow else {}
        joins["nobody"] = await friends(host, guest, times)
        with Strangers("idle", host.port, MAX_SILENT + 200):  # more than there is room for
            await pause(1)
            joins["more idle ones than there is room for"] = await friends(host, guest, times)
        for name, first in (("silent", b""), ("beginning TLS", b"\x16\x03\x01")):
            with Strangers("churn", host.port, first.hex()):
                await pause(0.5)
                joins[f"many coming and going, {name}"] = await friends(host, guest, times)
        if not host.alive:
            raise Failed("the host's process has ended")
    return costs, ended, joins


class _Patient(NetPlayer):
    """A player who thinks for longer than anybody waits, so that only joining is measured."""

    def _sit_down(self, session):
        player = super()._sit_down(session)
        player.consider = player.choose = lambda _: None
        return player


# --- by hand ---------------------------------------------------------------------------


def _milliseconds(seconds):
    return f"p50 {statistics.median(seconds) * 1000:.1f} ms, p99 {p99(seconds) * 1000:.1f} ms"


async def by_hand(args):
    held = True
    for strangers in (0, args.idle):
        seconds, there, number = [], [], 0
        while len(seconds) < args.entries:
            with tempfile.TemporaryDirectory(prefix="strangers-") as folder:
                seed = f"{args.seed}/{number}"
                some, counts = await a_match(Path(folder), seed, 100, strangers)
            seconds += some
            there += counts
            number += 1
            print(f"{strangers} strangers: {len(seconds)} entries", flush=True)
        least = f", {min(there)} held at least" if there else ""
        result(
            f"an entry from one peer to the other with {strangers} idle strangers",
            f"{_milliseconds(seconds)} ({len(seconds)} entries{least})",
            "p99 under 100 ms",
            args.seed,
        )
        held = held and p99(seconds) < BOUND
    with tempfile.TemporaryDirectory(prefix="strangers-") as folder:
        (silent, greeting), ended, joins = await at_the_door(
            Path(folder), str(args.seed), args.idle, args.joins
        )
    for kind, took in ended.items():
        print(f"dropped after {took:.1f} s: {kind}")
    for kind, (took, attempts) in joins.items():
        print(
            f"joining with {kind}: {_milliseconds(took)}, {max(took) * 1000:.0f} ms at most, "
            f"{max(attempts)} attempts at most"
        )
        if "idle" in kind and max(attempts) > 1:
            held = False
    worst = max(max(took) for took, _ in joins.values())
    most = max(max(attempts) for _, attempts in joins.values())
    count = sum(len(took) for took, _ in joins.values())
    result(
        "memory of the host for a stranger",
        f"{silent / 1024:.1f} KiB silent, {greeting / 1024:.0f} KiB with TLS",
        "told",
        args.seed,
    )
    result(
        "slow strangers, 5 kinds, until they are dropped",
        f"{max(ended.values()):.1f} s at most",
        f"{Timing().greeting:g} s",
        args.seed,
    )
    result(
        "a friend joins while strangers fill the door",
        f"{worst:.2f} s and {most} attempts at most ({count} times)",
        "10 attempts",
        args.seed,
    )
    return held


def main():
    args = options(
        __doc__,
        idle=(1000, "strangers that say nothing"),
        entries=(1000, "to measure, each way of two"),
        joins=(50, "of a friend, each way of four"),
        seed=1,
    ).parse_args()
    return exit_status(by_hand(args))


if __name__ == "__main__":
    if sys.argv[1:2] == ["idle"]:
        idle(int(sys.argv[2]), int(sys.argv[3]))
    elif sys.argv[1:2] == ["churn"]:
        churn(int(sys.argv[2]), bytes.fromhex(sys.argv[3]))
    else:
        sys.exit(main())
