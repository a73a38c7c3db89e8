"""Two players as real processes, whose homes and output survive when a process is killed."""

import re
import signal
import subprocess
import time
from pathlib import Path

from ginpeer.referee.referee import Finding, judge
from ginpeer.store import Home, MatchNotes, read_log
from ginpeer.store.match_files import SEEDS_HEADER, seed_line
from tests.cli.started import start
from tests.cli.table.script import ginpeer
from tests.free_port import free_port
from tests.matches.recorded import recorded

RULES = "standard hands=1"  # long enough to kill a player in the middle
BEGUN = "^event (?:draw|take) "  # not discard, as the first turn can be a knock
PATIENCE = ("--patience", "60")


class Side:
    """A player's home and processes, one at a time. Their output goes to a file."""

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
            ended = self.process.poll() is not None
            found = re.compile(pattern, re.MULTILINE).search(self.text, since)
            if found:
                return found
            if ended:
                break
            time.sleep(0.02)
        raise AssertionError(f"{pattern!r} was never printed:\n{self.text[-2000:]}")

    def invite(self):
        return self.wait_for(r"^invite: (\S+)$")[1]

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(30)

    def ends(self, seconds=120):
        return self.process.wait(seconds)

    @property
    def logs(self):
        return sorted((self.home / "matches").glob("????????????????.ginlog"))


def begin(host, guest, port):
    """Start a host and its guest, both played by bots."""
    listen = ("--listen", f"127.0.0.1:{port}")
    host.start("host", "--bot", "--name", "Ann", "--rules", RULES, *PATIENCE, *listen)
    guest.start("join", "--bot", "--name", "Ben", *PATIENCE, host.invite())


def store_match(sides, count=None):
    """Store a match between the two players, or its first *count* entries, in their homes. Return
    the port on which the host listened, at 127.0.0.1."""
    played, port = recorded(), free_port()
    where, table = f"127.0.0.1:{port}", played.table.table_id
    for seat, side in enumerate(sides):
        home, other = Home(side.home), played.identities[1 - seat].public
        home.identity(lambda _, seat=seat: played.identities[seat].secret_seed)
        home.known_peers(time.time).remember(other, where, ("Ben", "Ann")[seat])
        home.matches.mkdir()
        log = played.write(home.matches / f"{table.hex()[:16]}.ginlog", played.entries[:count])
        role, name = (("host", "Ann"), ("guest", "Ben"))[seat]
        notes = MatchNotes(table, role, name, other, (where,), 9, listens=None if seat else where)
        log.with_suffix(".match").write_bytes(notes.encode())
        seeds = (seed_line(hand, seed) for hand, seed in played.seeds[seat].items())
        log.with_suffix(".seeds").write_bytes(SEEDS_HEADER + b"".join(seeds))
    return port


def store_broken_off(sides):
    """Store a match whose players were killed in the middle of a hand; return the host's port."""
    return store_match(sides, 20)


def check_both_finished(host, guest):
    """Check that both players finished with the same log of a whole match; return the verdict."""
    assert (host.ends(), guest.ends()) == (0, 0), host.text[-1500:] + guest.text[-1500:]
    assert len(host.logs) == len(guest.logs) == 1
    data = host.logs[0].read_bytes()
    assert data == guest.logs[0].read_bytes()
    verdict = judge(read_log(Path(host.logs[0])).entries)
    assert verdict.finding is Finding.VALID
    return verdict
