"""Cut the power at every operation of whole matches, and reopen what a disk may still hold.

Run by hand: ``python -m tests.campaign.crash_images [--images 20000] [--seed S]``. Two players
whose homes are real folders play matches under many rules, from their first start to the end. Every
third match ends with an illegal entry, which is kept as evidence. Before and after each operation
on one of the disks, the campaign writes some images of what a power cut may leave there
(tests/faults/disk.py).

Each image is opened as a new process would open it. The identity, the keys met, the seeds and every
entry that was sent or shown must be there, and the log may hold only what was really signed. One
image in seventeen is played to the end with the opponent's store, which also lost its power or was
only restarted, or with the opponent's running process. Both logs must then be equal and valid, and
no place of the log may have two signatures of one player.

Matches are played in the toy group of tests/toy_group.py, because the store is under test. Not
tried: syncs that fail (full_disk), media that lie about a sync, and damage to durable data.
"""

import contextlib
import random
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path

from ginpeer.store import Journal
from tests.campaign.command import options, result
from tests.campaign.stored_matches import TriedMatch, by_hand, play_matches
from tests.faults.children import in_child
from tests.faults.disk import Disk, faulty
from tests.faults.stored import (
    HOST,
    Broken,
    after_restart,
    check_kept,
    check_reopens,
    check_signed_once,
    illegal_entry,
    some,
)

IMAGES = 20_000
PLAYED_ON = 1_000
PER_POINT = 3
SHARE_PLAYED_ON = 0.06


class Cuts(TriedMatch):
    """One match, and the power cuts in it."""

    def __init__(self, folder, seed, rules, *, per_point, share, keep=False, **how):
        """*keep*: keep an image that fails, for inspection."""
        super().__init__(folder, seed, rules, **how)
        self.per_point = per_point
        self.share = share
        self.keep = keep
        self.disks = [Disk(folder / name) for name in ("host", "guest")]
        self.sent_before = 0
        self.convicted = False
        for role, disk in enumerate(self.disks):
            disk.before = disk.after = lambda operation, role=role: self.cut(role, operation)

    def play(self, illegal_at=None):
        """Play the whole match. If *illegal_at* is given, the first choice after this many steps is
        illegal and ends the match."""
        with faulty(*self.disks), contextlib.ExitStack() as stack:
            for number, (player, act) in enumerate(self.match.steps()):
                stack.callback(player.let_go)
                illegal = illegal_at is not None and number >= illegal_at
                if illegal and act == player.decide and player.seat.owes_choice():
                    other = self.match.players[1 - player.role]
                    raw = illegal_entry(player)
                    self.convicted = True
                    self.do(other, lambda other=other, raw=raw: other.receive(raw))
                    if other.closed is None or other.closed.failure != "B":
                        raise Broken("an illegal entry was not convicted")
                    self.counts["evidence"] += 1
                    return
                self.do(player, act)
        self.ended()

    def do(self, player, act):
        self.sent_before = len(self.match.told[player.role].of("send"))
        act()

    def cut(self, role, operation):
        """Cut the power here, or skip this point. The disk of *role* calls this before and after
        each operation."""
        if self.rng.randrange(self.every):
            return
        self.counts["points"] += 1
        self.counts[f"at {operation.kind}"] += 1
        for _ in range(self.per_point):
            with tempfile.TemporaryDirectory(dir=self.folder) as scratch:
                self.look_at(role, operation, Path(scratch))

    def look_at(self, role, operation, scratch):
        try:
            self.check(role, scratch)
        except Exception as why:
            kept = "another run"
            if self.keep:
                kept = tempfile.mkdtemp(prefix="crash-image-")
                shutil.copytree(scratch, kept, dirs_exist_ok=True)
            told = type(why).__name__
            raise Broken(
                f"{self.match.seed}, at {operation.kind} {operation.path.name} "
                f"of the {('host', 'guest')[role]}: {told}: {why}; see {kept}"
            ) from why

    def check(self, role, scratch):
        player, told = self.match.players[role], self.match.told[role]
        image = self.disks[role].crash(self.rng, scratch / "image")
        home = image / "home"
        entries = () if player.seat is None else player.seat.entries
        self.counts["images"] += 1
        check_reopens(home, entries, told)
        if self.rng.random() < self.share and not self.convicted:
            self.play_on(role, home, scratch)

    def play_on(self, role, home, scratch):
        """Play on with this home to the end of the match, on both sides."""
        other = self.match.players[1 - role]
        theirs = scratch / "other"
        how = self.rng.choice(("restarted", "cut", "runs on"))
        if how == "cut":
            theirs = self.disks[other.role].crash(self.rng, theirs) / "home"
            check_kept(theirs, self.match.told[other.role])
        elif other.home.path.exists():
            shutil.copytree(other.home.path, theirs)
        homes = (home, theirs) if role == HOST else (theirs, home)
        seed = f"{self.match.seed}/again {self.rng.random()}"
        chooses = self.rng.random() < 0.5
        self.counts[f"played on, the other {how}"] += 1
        self.counts["played on"] += 1
        if how == "runs on" and other.seat is not None:
            sent = self.match.told[role].of("send")[self.sent_before :]
            carried = some(self.rng, sent)
            in_child(lambda: self.go_on_with(other, carried, homes, seed, chooses))
        else:
            self.finish(homes, seed, chooses=chooses)

    def go_on_with(self, other, carried, homes, seed, chooses):
        """Play on with the opponent's running process, in a new process, on a copy of its files."""
        theirs = homes[other.role]
        self.match.let_go()
        if other.keeper.stored is not None:
            path = theirs / "matches" / other.keeper.stored.path.name
            other.keeper.stored = Journal.reopen(path)
            for raw in carried:
                other.receive(raw)
            other.let_go()
        live = other.seat
        self.finish(homes, seed, live=live, alive=other.role, chooses=chooses)

    def finish(self, homes, seed, **how):
        restarted = after_restart(homes, self.match, seed, **how)
        signed = []
        for told, more, home in zip(self.match.told, restarted.told, homes, strict=True):
            check_kept(home, told)
            check_kept(home, more)
            signed += told.of("send", "show") + more.of("send", "show")
        check_signed_once(signed)


def run(images, seed, *, per_point=PER_POINT, share=SHARE_PLAYED_ON, every=1, keep=False, say=None):
    """Try at least this many images; return the counts. Raises Broken at the first failure."""
    counts = Counter()

    def play(number, rules, folder):
        cuts = Cuts(
            folder,
            f"crash {seed}/{number}",
            rules,
            per_point=per_point,
            share=share,
            counts=counts,
            every=every,
            keep=keep,
        )
        rng = random.Random(f"{seed}/{number}")
        cuts.play(rng.randint(20, 120) if number % 3 == 1 else None)

    return play_matches(play, counts, "images", images, say=say)


def main():
    args = options(__doc__, images=IMAGES, seed=1).parse_args()
    counts = by_hand(lambda say: run(args.images, args.seed, keep=True, say=say))
    if counts is None:
        return 1
    reached = counts["played on"] >= PLAYED_ON or args.images < IMAGES
    goals = {"images": ("images of a power cut", args.images)}
    goals["played on"] = ("images of a power cut, played to the end", PLAYED_ON)
    for what, (title, goal) in goals.items():
        result(title, counts[what], goal, args.seed)
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
