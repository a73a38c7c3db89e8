"""Two players as real processes, whose homes and output outlive a kill."""

import atexit
import re
import shutil
import signal
import subprocess
import tempfile
import time
from functools import cache
from pathlib import Path

from ginpeer.referee.referee import Finding, judge
from ginpeer.store import UnreadableLog, read_log
from ginpeer.store.log import log_bytes
from tests.cli.started import start
from tests.cli.table.script import ginpeer
from tests.free_port import free_port

RULES = "standard hands=1"  # long enough to be killed in the middle
BEGUN = "^event (?:draw|take) "  # there may be no discard: the first turn can be a knock
PATIENCE = ("--patience", "60")


class Side:
    """A player's home, and processes run one after another; their output goes to a file."""

    def __init__(self, home):
        self.home = home
        self.out = home.with_suffix(".out")
        self.process = None

    def start(self, *arguments):
        with self.out.open("ab") as out:
            self.process = start(
                ginpeer(self.home, *arguments),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
            )
        return self

    @property
    def text(self):
        return self.out.read_text("utf-8", "replace") if self.out.exists() else ""

    def wait_for(self, pattern, seconds=60, since=0):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            found = re.compile(pattern, re.MULTILINE).search(self.text, since)
            if found:
                return found
            if self.process.poll() is not None and not re.search(pattern, self.text[since:], re.M):
                break
            time.sleep(0.02)
        raise AssertionError(f"{pattern!r} was never printed:\n{self.text[-2000:]}")

    def invite(self, since=0):
        return self.wait_for(r"^invite: (\S+)$", since=since)[1]

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(30)

    def ends(self, seconds=120):
        return self.process.wait(seconds)

    @property
    def stored(self):
        """Return how many entries the player's only log has."""
        try:
            return len(read_log(self.logs[0]).entries) if self.logs else 0
        except UnreadableLog:  # it is just being created
            return 0

    @property
    def logs(self):
        return sorted((self.home / "matches").glob("????????????????.ginlog"))


def begin(host, guest, port, *guests, rules=RULES):
    host.start(
        *("host", "--bot", "--name", "Ann", "--rules", rules, *PATIENCE),
        *("--listen", f"127.0.0.1:{port}"),
    )
    invite = host.invite()
    guest.start("join", "--bot", "--name", "Ben", *PATIENCE, *guests, invite)
    return invite


def kill_both(sides):
    """Fill both homes with a match whose players were killed in the middle; return both sides.

    The match is played once per process; each test gets copies of the files, with their times.
    """
    for side, kept in zip(sides, _broken_off(), strict=True):
        shutil.copytree(kept.home, side.home)
        shutil.copy2(kept.out, side.out)
    return sides


@cache
def _broken_off():
    folder = tempfile.TemporaryDirectory(prefix="ginpeer-broken-off-")
    atexit.register(folder.cleanup)
    sides = Side(Path(folder.name, "ann")), Side(Path(folder.name, "ben"))
    try:
        begin(*sides, free_port())
        sides[1].wait_for(BEGUN)
    finally:
        for side in sides:
            if side.process is not None:
                side.kill()
    return sides


def check_both_finished(host, guest):
    """Check that both ended well, with the same log of a whole match; return the verdict."""
    assert (host.ends(), guest.ends()) == (0, 0), host.text[-1500:] + guest.text[-1500:]
    assert len(host.logs) == len(guest.logs) == 1
    data = host.logs[0].read_bytes()
    assert data == guest.logs[0].read_bytes()
    verdict = judge(read_log(Path(host.logs[0])).entries)
    assert verdict.finding is Finding.VALID
    return verdict


def drop_last_entries(side, entries):
    """Remove the last entries from the log, as if the machine had crashed before writing them."""
    kept = read_log(side.logs[0]).entries[:-entries]
    side.logs[0].write_bytes(log_bytes(kept))


def restart_both(host, guest, hosts, guests):
    """Start both again; a guest that doesn't resume gets the host's new invite."""
    seen = len(host.text)
    host.start(*hosts, "--bot", *PATIENCE, "--listen", "127.0.0.1:0")
    invite = host.invite(seen)
    guest.start(*guests, "--bot", *PATIENCE, *(() if "resume" in guests else (invite,)))
