"""Fill the disk, or make it fail, at each operation of whole matches, then make it work again.

Run by hand: ``python -m tests.campaign.full_disk [--faults 3000] [--seed S]``. As in killpoints,
forked processes first try each step of a match. Their disk fails at the first operation, then at
the second, and so on: no space or no quota left (from then on, for every operation that needs
space), a write that stores a part and then finds no space, an error of the medium (once, or for
everything from then on).

Each time the step ends with a failure of our own (class C), a StoreError with the right code and
one sentence; or it succeeds, because it didn't need the failed operation. What was sent or shown is
stored. Then the disk works again, and the match continues as after a restart, to the same valid end
on both sides. The machine isn't restarted: data that a failed sync has dropped is lost to the
medium unless it is written again. So the power is cut at some of the operations that follow, and
even then whatever was sent or shown is stored.

Matches are played in the toy group of tests/toy_group.py, because the store is under test.
"""

import errno
import gc
import os
import signal
import sys
from collections import Counter

from ginpeer.store import StoreError
from tests.campaign.command import options, result
from tests.campaign.stored_matches import TriedMatch, by_hand, play_matches, sampled
from tests.faults.children import forked
from tests.faults.disk import Disk, faulty
from tests.faults.stored import (
    Broken,
    Told,
    check_signed_once,
    restart_without_reboot,
)

FAULTS = 3_000
PATIENCE = 120  # seconds for a forked process, which takes a few hundredths of one
NEED_SPACE = frozenset({"create", "write", "mkdir", "link", "rename"})

KINDS = {
    "no space": (errno.ENOSPC, "disk-full"),
    "no quota": (errno.EDQUOT, "disk-full"),
    "part of a write": (errno.ENOSPC, "disk-full"),
    "an error": (errno.EIO, "disk-error"),
    "an error from here on": (errno.EIO, "disk-error"),
}


class Fault:
    """A hook that makes the n-th operation fail, counted from 1, and later ones too if its kind
    says so."""

    def __init__(self, kind, number):
        self.kind = kind
        self.left = number
        self.happened = False

    def before(self, operation):
        self.left -= 1
        if self.left > 0 or (self.kind == "an error" and self.left < 0):
            return None
        if self.kind not in ("an error", "an error from here on"):
            if operation.kind not in NEED_SPACE:
                return None
            if self.kind == "part of a write" and self.left == 0 and len(operation.data) > 1:
                self.happened = True
                return len(operation.data) // 2
        self.happened = True
        raise OSError(KINDS[self.kind][0], os.strerror(KINDS[self.kind][0]))


class Full(TriedMatch):
    """One match, in which every step fails first."""

    def play(self):
        for player, act in self.match.steps():
            self.match.let_go()
            for number in sampled(self.rng, self.every):
                if not self.fail(player, act, number):
                    break
            self.match.take_up()
            act()
        self.match.let_go()
        self.ended()

    def fail(self, player, act, number):
        """Make one operation of the step fail in a forked process; return whether the step has that
        many."""
        kind = self.rng.choice((*KINDS,))
        with self.match.put_back(self.folder):
            said, died = forked(lambda tell: self.live(player, act, Fault(kind, number), tell))
        if died or b"Traceback" in said:
            who = f"{self.match.seed}, {kind} at {number} of a step of {player.role}"
            raise Broken(f"{who}: {died} {said.decode('utf-8', 'replace')[-3000:]}")
        outcome = said.decode()
        if outcome == "no such operation":
            return False
        self.counts["faults"] += 1
        self.counts[f"{kind}: {outcome}"] += 1
        return True

    def live(self, player, act, fault, report):
        """Do the failing step, and what comes after it, in the forked process."""
        signal.alarm(PATIENCE)
        told = Told([*self.match.told[player.role].items])
        disk = Disk(player.home.path.parent)
        outcome = "was not needed"
        with faulty(disk):
            self.match.take_up()
            player.tell, disk.before = told, fault.before
            try:
                act()
            except StoreError as why:
                outcome = why.code
                _check_failure(why, KINDS[fault.kind][1], fault)
            disk.before = None
            self.match.let_go()
        if fault.left > 0:
            report(b"no such operation")
            return
        other = self.match.players[1 - player.role]
        live = other.seat if fault.left % 2 else None
        again = restart_without_reboot(self.match, player.role, disk, told, self.rng, live)
        signed = told.of("send", "show") + self.match.told[other.role].of("send", "show")
        check_signed_once([*signed, *(e for more in again for e in more.of("send", "show"))])
        report(outcome.encode())


def _check_failure(why, code, fault):
    if not fault.happened:
        raise Broken(f"it failed without a reason: {why}") from why
    if why.code != code:
        raise Broken(f"{why.code} was told instead of {code}") from why
    if "\n" in why.sentence or not why.sentence.endswith("."):
        raise Broken(f"this is no sentence: {why.sentence}") from why


def run(faults, seed, *, every=1, say=None):
    """Try at least this many faults; return the counts. Raises Broken at the first failure."""
    counts = Counter()
    gc.freeze()  # don't copy loaded objects into each forked process

    def play(number, rules, folder):
        Full(folder, f"full {seed}/{number}", rules, counts=counts, every=every).play()

    return play_matches(play, counts, "faults", faults, say=say)


def main():
    args = options(__doc__, faults=FAULTS, seed=1).parse_args()
    counts = by_hand(lambda say: run(args.faults, args.seed, say=say))
    if counts is None:
        return 1
    title = "full or failing disks at an operation, gone on from"
    result(title, counts["faults"], args.faults, args.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
