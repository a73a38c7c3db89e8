"""Connect a thousand strangers to a host, and measure the effect on a match.

Run by hand on Linux, on a quiet machine: ``python -m tests.campaign.strangers [--idle 1000]
[--entries 1000] [--seed S]``. The host listens in its own process, the strangers connect from
another, and this process is the guest; everything is real, on the loopback. The campaign measures
the time from when one side sends an entry until the other receives it, before any check: first
without strangers, then with strangers that send nothing, and reconnect when they are dropped after
ten seconds.

Checked: p99 is under 100 ms, and the host really holds the idle strangers (open files of its
process). tests/net tests the deadlines for slow strangers, and how a friend connects. *S* decides
the match.
"""

import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, nullcontext
from pathlib import Path

from tests.campaign.reactor_run import exit_status, reactor

# isort: split

from ginpeer.net.connector import connect
from ginpeer.net.limits import MAX_SILENT
from tests.campaign.command import Failed, options, result
from tests.campaign.net_process import Stopwatch, host_and_guest
from tests.net.support import LOOPBACK, pause

RULES = "standard target={}"
BOUND = 0.1
"""Seconds that a move may take at p99."""


def idle(port, count):
    """Hold *count* connections that send nothing; reconnect each one that is dropped.

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


@contextmanager
def strangers_at(port, count):
    """Run a process of idle strangers until the end of the block."""
    command = [sys.executable, "-m", "tests.campaign.strangers", "idle", str(port), str(count)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        try:
            if process.stdout.readline() != b"there\n":
                raise Failed("the strangers do not come")
            yield
        finally:
            process.kill()


async def a_match(folder, seed, points, strangers):
    """Return how long the entries of a match took, with this many idle strangers connected
    throughout, and how many of them the host held before and after. Raises Failed."""
    watch = Stopwatch()
    with host_and_guest(folder, seed, RULES.format(points)) as (host, guest), watch.running():
        before = host.files
        with strangers_at(host.port, strangers) if strangers else nullcontext():
            await pause(1)
            held = [host.files - before]
            session = await connect(reactor, host.invite, guest.side)
            closed = await session.done
            held.append(host.files - before)
        if closed.code not in ("finished", "peer-closed") or not guest.finished:
            raise Failed(f"the match ended with {closed}")
        times = host.stop()
    if min(held) < min(strangers, MAX_SILENT) * 0.9:  # some are just reconnecting
        raise Failed(f"of {strangers} strangers the host holds {held}")
    seconds = [
        came[entry] - at
        for sent, came in ((watch.sent, times["came"]), (times["sent"], watch.came))
        for entry, at in sent.items()
        if entry in came
    ]
    return seconds, held


async def by_hand(args):
    within = True
    for strangers in (0, args.idle):
        seconds, held, number = [], [], 0
        while len(seconds) < args.entries:
            with tempfile.TemporaryDirectory(prefix="strangers-") as folder:
                some, counts = await a_match(Path(folder), f"{args.seed}/{number}", 100, strangers)
            seconds += some
            held += counts
            number += 1
            print(f"{strangers} strangers: {len(seconds)} entries", flush=True)
        cuts = statistics.quantiles(seconds, n=100, method="inclusive")
        p50, p99 = cuts[49], cuts[98]
        result(
            f"an entry from one peer to the other with {strangers} idle strangers",
            f"p50 {p50 * 1000:.1f} ms, p99 {p99 * 1000:.1f} ms "
            f"({len(seconds)} entries, {min(held)} held at least)",
            "p99 under 100 ms",
            args.seed,
        )
        within = within and p99 < BOUND
    return within


def main():
    args = options(
        __doc__,
        idle=(1000, "strangers that say nothing"),
        entries=(1000, "to measure, each way of two"),
        seed=1,
    ).parse_args()
    return exit_status(by_hand(args))


if __name__ == "__main__":
    if sys.argv[1:2] == ["idle"]:
        idle(int(sys.argv[2]), int(sys.argv[3]))
    else:
        sys.exit(main())
