"""Kill -9 the programs of a match at random moments, on either side or both, then `resume`.

Run by hand: ``python -m tests.campaign.kills [--kills 200] [--seed S] [--rules TEXT]``. Two bots
play with real processes, TCP and TLS. Now and then one of them, or both, are killed and continue
with ``resume``, until the match is finished. Each match must end with the same bytes in both logs,
a VALID verdict and no evidence; and whatever either side has shown must be in the log, in that
order. The last line and the exit status say whether that was so. *S* decides what is killed and
when, but which point of the match that is depends on the clock.
"""

import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from cli.text.event_lines import event_lines
from ginpeer.referee.referee import Finding, Referee, judge
from ginpeer.store import UnreadableLog, read_log
from tests.campaign.command import Failed, options, result
from tests.free_port import free_port

RULES = "standard target=20"
PATIENCE = ("--bot", "--patience", "300")
NOT_OF_THE_LOG = re.compile(
    r"event (connected|joining|listening|away|still-away|still-waiting|resumed|waiting|info|aside"
    r"|end) "
)
WAITS_AFTER = 10  # seconds; a program that waits for nothing ends within three
LONGEST_WAIT = 300  # seconds
MATCH_SECONDS = 240  # without a kill it takes three


class Side:
    """One player's home, and its processes one after another."""

    def __init__(self, role, home, port):
        self.role = role
        self.home = home
        self.port = port
        self.outputs = []
        self.process = None
        self.started = 0.0

    def start(self, *arguments):
        """Start the program. Each process prints to its own file, because a kill can cut a line
        off."""
        out = self.home.parent / f"{self.role}-{len(self.outputs)}.out"
        self.outputs.append(out)
        self.started = time.monotonic()
        with out.open("wb") as file:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "cli", "--home", str(self.home), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
            )

    def resume(self):
        name = () if not self.logs else (self.logs[0].stem,)
        where = ("--listen", f"127.0.0.1:{self.port}") if self.role == "host" else ()
        self.start("resume", *PATIENCE, *where, *name)

    @property
    def text(self):
        return self.outputs[-1].read_text("utf-8", "replace")

    @property
    def running(self):
        return self.process is not None and self.process.poll() is None

    @property
    def status(self):
        """Return how the process ended, or None while it runs. If it was killed after announcing
        that the match is finished, it has ended: it has nothing to come back for."""
        if self.running:
            return None
        finished = "event end code=finished" in self.text
        return 0 if finished else self.process.returncode

    def kill(self):
        if self.running:
            self.process.send_signal(signal.SIGKILL)
        if self.process is not None:
            self.process.wait(30)

    @property
    def logs(self):
        return sorted((self.home / "matches").glob("????????????????.ginlog"))

    @property
    def entries(self):
        try:
            return read_log(self.logs[0]).entries if self.logs else ()
        except UnreadableLog:  # being created just now
            return ()


def sides_in(folder):
    port = free_port()
    return [Side(role, folder / role, port) for role in ("host", "guest")]


def begun(sides, rules):
    """Start both programs; return the host and the guest."""
    host, guest = sides
    listen = ("--listen", f"127.0.0.1:{host.port}")
    host.start("host", "--name", "Ann", "--rules", rules, *PATIENCE, *listen)
    invite = until(lambda: re.search(r"^invite: (\S+)$", host.text, re.M), host)[1]
    guest.start("join", "--name", "Ben", *PATIENCE, invite)
    return host, guest


def until(found, side):
    """Wait until *found* returns something true, and return it. Check often, as some waits are
    timed."""
    deadline = time.monotonic() + LONGEST_WAIT
    while not (value := found()):
        if time.monotonic() > deadline or not side.running:
            raise Failed(f"the {side.role} did not come so far: {side.text[-500:]}")
        time.sleep(0.005)
    return value


class Match:
    """One match, from the invite to two equal logs."""

    def __init__(self, folder, rules, rng, counts):
        self.folder = folder
        self.rules = rules
        self.rng = rng
        self.counts = counts
        self.sides = sides_in(folder)

    def play(self, kills):
        """Play the match, with at most this many kills."""
        host, guest = begun(self.sides, self.rules)
        # Until the log holds the acceptance, a match can't be resumed: the players would start
        # again.
        until(lambda: len(host.entries) >= 2 and len(guest.entries) >= 2, guest)
        deadline = time.monotonic() + MATCH_SECONDS
        while not self._finished():
            if time.monotonic() > deadline:
                raise Failed("it never ended")
            if kills:
                kills -= 1
                self._kill_somebody()
                deadline = time.monotonic() + MATCH_SECONDS
            else:
                time.sleep(0.05)
            self._bring_back()
        for side in self.sides:
            if side.running and side.process.wait(60) != 0:
                raise Failed(f"the {side.role} ended with {side.process.returncode}")
        self._check()

    def _finished(self):
        return all(side.status == 0 for side in self.sides)

    def _kill_somebody(self):
        chosen = self.rng.choice(([0], [1], [0, 1], [1, 0]))
        time.sleep(self.rng.choice((self.rng.uniform(0, 0.5), self.rng.uniform(0.3, 2))))
        for seat in chosen:
            if self.sides[seat].running:
                self.sides[seat].kill()
                self.counts["kills"] += 1
                self.counts[f"at entry {len(self.sides[seat].entries) // 10 * 10:3}+"] += 1
        time.sleep(self.rng.choice((0, 0, 0.5, 1.5)))

    def _bring_back(self):
        """Restart each process that has ended, even one that has finished if the other hasn't."""
        codes = [side.status for side in self.sides]
        if codes == [0, 0]:
            return
        for side, code in zip(self.sides, codes, strict=True):
            other = self.sides[side is self.sides[0]]
            if code == -signal.SIGKILL:
                side.resume()
                self.counts["resumed"] += 1
            elif code == 0 and self._cannot_finish_alone(other):
                side.resume()
                self.counts["resumed though finished here"] += 1
            elif code not in (None, 0):
                raise Failed(f"the {side.role} ended with {code}: {side.text[-800:]}")

    def _cannot_finish_alone(self, other):
        """Return whether the other side, which isn't connected, lacks the ending that is stored
        here, or has it and waits because it can't know that this side has it, too."""
        if not other.running or "event connected" in other.text:
            return False
        whole = max((side.entries for side in self.sides), key=len)
        waits = time.monotonic() - other.started > WAITS_AFTER
        return waits or len(other.entries) < len(whole)

    def _check(self):
        host, guest = self.sides
        if len(host.logs) != 1 or len(guest.logs) != 1:
            raise Failed("there is more than one log")
        if list(self.folder.glob("*/matches/*evidence*")):
            raise Failed("somebody was convicted")
        if host.logs[0].read_bytes() != guest.logs[0].read_bytes():
            raise Failed("the two logs differ")
        verdict = judge(host.entries)
        if verdict.finding is not Finding.VALID:
            raise Failed(f"the log is {verdict.finding.name}: {verdict.sentence}")
        referee, lines = Referee(), []
        for raw in host.entries:
            lines += event_lines(referee.admit(raw))
        for side in self.sides:
            self._check_shown(side, lines)
        self.counts["matches"] += 1

    def _check_shown(self, side, lines):
        """Check that each entry is shown at most once, in order, and that the log has all of
        them."""
        at = 0
        for out in side.outputs:
            for line in out.read_text("utf-8", "replace").splitlines(keepends=True):
                shown = line.rstrip("\n")
                if not line.startswith("event ") or NOT_OF_THE_LOG.match(line):
                    continue
                if not line.endswith("\n"):
                    continue  # cut off by the kill
                if shown not in lines[at:]:
                    raise Failed(f"shown by the {side.role}, and not in the log: {shown}")
                at = lines.index(shown, at) + 1


def main():
    kills = (200, "processes to kill in all")
    args = options(__doc__, kills=kills, seed=1, rules=RULES).parse_args()
    rng, counts = random.Random(args.seed), Counter()
    failed = number = 0
    while counts["kills"] < args.kills:
        number += 1
        folder = Path(tempfile.mkdtemp(prefix="kills-"))
        match = Match(folder, args.rules, rng, counts)
        try:
            match.play(rng.randint(2, 10))
        except Failed as why:
            failed += 1
            print(f"match {number}: {why}; see {folder}", flush=True)
        else:
            shutil.rmtree(folder)
            print(f"match {number}: {counts['kills']} kills so far", flush=True)
        finally:
            for side in match.sides:
                side.kill()
    for what, count in sorted(counts.items()):
        print(f"{what}: {count}")
    print("all finished, equal and valid" if not failed else f"{failed} of {number} matches failed")
    result(
        "kill -9 of the real command, match gone on with and finished",
        f"{counts['kills']} kills, {counts['matches']} of {number} matches",
        200,
        args.seed,
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
