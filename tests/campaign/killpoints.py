"""Kill processes at every disk operation, and whenever they send or show something.

Run by hand: ``python -m tests.campaign.killpoints [--kills 5000] [--real 300] [--seed S]``. Two
players whose homes are real folders play matches under many rules, one step after another. Before
each step, forked processes try it again and again. Each kills itself with SIGKILL, at the first
point of the step, then at the second, and so on: before and after each operation on the disk, in
the middle of each write, and before and after each entry that is sent or shown. The process reports
what it sends or shows through a pipe, at that very moment.

Then everything it had sent or shown must be in the store, and the log may hold only what was really
signed. The match continues from there, with the opponent's running process, which got some of what
was sent, or with its store. Both logs must come to the same valid end. No place of the log may be
signed twice with different bytes. Now and then the process that reopens the store is killed, too,
at each of its operations.

Most matches are played in the toy group of tests/toy_group.py, because the store is under test;
*--real* kills happen in matches with ristretto255. Two other campaigns: crash_images.py tests what
a power cut leaves, and kills.py kills whole commands at random moments.
"""

import contextlib
import gc
import random
import signal
import sys
from collections import Counter

from ginpeer.store import Home, Journal
from tests.campaign.command import options, result
from tests.campaign.stored_matches import TriedMatch, by_hand, play_matches, sampled
from tests.faults.children import die, forked, in_child
from tests.faults.disk import Disk, faulty
from tests.faults.stored import (
    Broken,
    Told,
    after_restart,
    check_kept,
    check_reopens,
    check_signed_once,
    logs_in,
    some,
)
from tests.toy_group import toy_group

KILLS = 5_000
REAL_KILLS = 300
REOPENING_SHARE = 0.03
PATIENCE = 120  # seconds for a forked process, which takes a few hundredths of one


class Countdown:
    """A counter that kills this process at the n-th thing reported to it, counted from 1."""

    def __init__(self, number, report):
        self.left = number
        self.report = report

    def point(self, kind):
        self.left -= 1
        if self.left == 0:
            self.report(f"kill {kind}\n".encode())
            die()


class Kills(TriedMatch):
    """One match, in which processes first try each step and die."""

    def __init__(self, *match, **how):
        super().__init__(*match, **how)
        self.played_on = set()  # the states that kills have left in this step

    def play(self, most):
        """Play the match, with at most this many kills."""
        began = self.counts["kills"]
        for player, act in self.match.steps():
            self.match.let_go()
            self.played_on.clear()
            for number in sampled(self.rng, self.every):
                if self.counts["kills"] - began >= most or not self.kill(player, act, number):
                    break
            self.match.take_up()
            act()
        self.match.let_go()
        self.ended()

    def kill(self, player, act, number):
        """Let a process die at this point of the step; return whether there was such a point."""
        with self.match.put_back(self.folder):
            said, died = forked(lambda tell: self.live(player, act, number, tell))
            told, point = _heard(said)
            if died == 0:
                if point is not None or b"Traceback" in said:
                    raise Broken(f"{self.match.seed}: {said.decode('utf-8', 'replace')[-3000:]}")
                return False
            if died != signal.SIGKILL or point is None:
                raise Broken(f"{self.match.seed}: it died of {died} by itself")
            self.counts["kills"] += 1
            self.counts[f"killed {point}"] += 1
            try:
                self.check(player, told)
            except Exception as why:
                what = f"{self.match.seed}, killed {point}, number {number} of a step of the "
                raise Broken(f"{what}{('host', 'guest')[player.role]}: {why}") from why
        return True

    def live(self, player, act, number, report):
        """Do the step in the forked process, and die at this point of it."""
        signal.alarm(PATIENCE)
        countdown = Countdown(number, report)
        rng = random.Random(f"{self.match.seed}/{number}")

        def tell(kind, data):
            countdown.point(f"before {kind}")
            report(b"%s %s\n" % (kind.encode(), data.hex().encode()))
            countdown.point(f"after {kind}")

        def before(operation):
            countdown.point(f"before {operation.kind}")
            if operation.kind == "write" and len(operation.data) > 1:
                countdown.left -= 1
                if countdown.left == 0:
                    countdown.left = 1  # after this part of it
                    return rng.randrange(1, len(operation.data))
            return None

        def after(operation):
            countdown.point(f"after {operation.kind}")

        disk = Disk(player.home.path.parent)
        with faulty(disk):
            self.match.take_up()
            player.tell, disk.before, disk.after = tell, before, after
            act()

    def check(self, player, told):
        """Open what the dead process left, and play on with it."""
        role, home = player.role, player.home.path
        everything = Told([*self.match.told[role].items, *told.items])
        if self.rng.random() < REOPENING_SHARE:
            self.kill_reopening(home)
        signed = None if player.seat is None else player.seat.entries
        self.check_left(home, signed, everything)
        carried = some(self.rng, told.of("send"))
        seed = f"{self.match.seed}/again {self.rng.random()}"
        state = (role, len(carried), _contents(home))
        if state in self.played_on:
            return
        self.played_on.add(state)
        how = self.rng.choice(("runs on", "restarted"))
        chooses = self.rng.random() < 0.5
        self.counts["played on"] += 1
        self.counts[f"played on, the other {how}"] += 1
        in_child(lambda: self.go_on(player, everything, carried, how == "runs on", seed, chooses))

    def check_left(self, home, known, everything):
        """Check that the home still has everything, and nothing that wasn't signed."""
        check_kept(home, everything)
        stored = max(logs_in(home).values(), key=len, default=())
        # The dead process had entries that this one has never seen, except those it sent or showed.
        check_reopens(home, stored, everything)
        if known is not None and tuple(known) != stored[: len(known)]:
            raise Broken("what was stored before the step is not there any more")
        check_signed_once([*stored, *everything.of("send", "show")])

    def go_on(self, player, everything, carried, runs_on, seed, chooses):
        """Play on to the end, on both sides, in a forked process."""
        signal.alarm(PATIENCE)
        other = self.match.players[1 - player.role]
        live = other.seat if runs_on else None
        if live is not None and other.keeper.stored is not None:
            other.take_up()
            for raw in carried:
                other.receive(raw)
            other.let_go()
        homes = tuple(one.home.path for one in self.match.players)
        restarted = after_restart(
            homes, self.match, seed, live=live, alive=other.role, chooses=chooses
        )
        check_kept(player.home.path, everything)
        check_kept(other.home.path, self.match.told[other.role])
        signed = everything.of("send", "show") + self.match.told[other.role].of("send", "show")
        for more, home in zip(restarted.told, homes, strict=True):
            check_kept(home, more)
            signed += more.of("send", "show")
        check_signed_once(signed)

    def kill_reopening(self, home):
        """Kill the process that reopens the match, too, at its first operation, then the next, and
        so on."""
        paths = [match.path for match in Home(home).logs()]
        for path in paths:
            number = 1
            while True:
                _, died = forked(lambda _, n=number, p=path: _reopen_and_die(home.parent, p, n))
                if died != signal.SIGKILL:
                    break
                self.counts["kills"] += 1
                self.counts["killed in reopening"] += 1
                number += 1


def _reopen_and_die(folder, path, number):
    countdown = Countdown(number, lambda data: None)

    def point(operation):
        countdown.point(operation.kind)

    with faulty(Disk(folder, before=point, after=point)), contextlib.suppress(Exception):
        Journal.reopen(path)


def _contents(home):
    """Return the contents of a home, without the random part of names."""
    files = (path for path in home.rglob("*") if path.is_file())
    return frozenset((path.name.split(".tmp")[0][:20], path.read_bytes()) for path in files)


def _heard(said):
    """Return what the dead process had reported as sent or shown, and the point at which it was
    killed."""
    told, point = Told(), None
    for line in said.split(b"\n"):
        kind, _, rest = line.partition(b" ")
        if kind == b"kill":
            point = rest.decode()
        elif rest:
            with contextlib.suppress(ValueError):  # a traceback; the caller looks for one
                told(kind.decode(), bytes.fromhex(rest.decode()))
    return told, point


def run(kills, seed, *, every=1, most=10**9, group=toy_group, say=None):
    """Try at least this many kills; return the counts. Raises Broken at the first failure."""
    counts = Counter()
    gc.freeze()  # don't copy loaded objects into each forked process

    def play(number, rules, folder):
        match = Kills(folder, f"kill {seed}/{number}", rules, counts=counts, every=every)
        match.play(min(most, kills - counts["kills"] if every > 1 else most))

    return play_matches(play, counts, "kills", kills, group=group, say=say)


def main():
    real = (REAL_KILLS, "more, by ristretto255")
    args = options(__doc__, kills=KILLS, real=real, seed=1).parse_args()
    for name, goal, how in (
        ("the toy group", args.kills, {}),
        ("ristretto255", args.real, {"every": 9, "group": contextlib.nullcontext}),
    ):
        counts = by_hand(lambda say, goal=goal, how=how: run(goal, args.seed, say=say, **how))
        if counts is None:
            return 1
        title = f"SIGKILL at an operation or an entry let out, in {name}"
        result(title, counts["kills"], goal, args.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
