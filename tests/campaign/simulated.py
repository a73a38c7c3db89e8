"""Simulate matches: two complete peers under a seeded scheduler, and everything that can go wrong.

Run by hand: ``python -m tests.campaign.simulated [--toy 500] [--real 100] [--seed S]``. The matches
have consecutive seeds from S on, first in the toy group, then in the real one. Each seed decides
who plays, by which rules, and what fails when. ``--only SEED [--group real] [--trace]`` replays one
match exactly, and prints its events.

Further scenes, in the toy group, have an option each, and ``--only SEED --scene NAME`` plays one of
them again. ``--evenings 100``: several matches in a row between the same two players
(tests/simulator/evening.py). ``--moving 100``: a host whose address changes in mid-match
(tests/simulator/moving.py). ``--punching 100``: both sides dial (tests/simulator/punching.py).
``--replaying 100``: an evening with a peer that sends old entries again; ``--forgetting 100``: a
match with such a peer, and a player that loses its match files (tests/simulator/replaying.py).

tests/simulator/scenario.py lists the faults, observer.py says what is checked after each event, and
each scene's file says what is checked there. At the end an honest pair must have finished with
equal, VALID logs, and no proof may accuse an honest player. Not checked: TLS and the sockets (see
tests/net and tests.campaign.cuts), the console, two processes on one home at once, and media that
lose synced data. Repeated random values aren't simulated either.
"""

import sys
import time
from collections import Counter

from tests.campaign.command import options, result
from tests.simulator.evening import Evening
from tests.simulator.match import Match, play
from tests.simulator.moving import Moving
from tests.simulator.punching import Punching
from tests.simulator.replaying import Forgetting, Replaying
from tests.simulator.world import Violated

FAULTS = (
    "cut",
    "connection cut",
    "declined",
    "disk: ",
    "host moved",
    "kill -9",
    "left the table",
    "lid closed",
    "lie: ",
    "long delay",
    "match files lost",
    "older copy restored",
    "power cut",
    "resigned",
    "short write",
    "slow network",
    "wall clock set",
)
"""The beginnings of the counts that are faults."""

SCENES = {
    "evenings": (Evening, "evenings"),
    "moving": (Moving, "matches whose host moves"),
    "punching": (Punching, "matches for which both dial"),
    "replaying": (Replaying, "evenings with a peer that replays entries"),
    "forgetting": (Forgetting, "matches whose files vanish, with such a peer"),
}
"""The scenes besides a single match, each with what the results call it."""


def run(name, real, seeds, kinds=(None,), scene=Match):
    """Play these seeds in one group; return the counts and the number of failed matches."""
    counts, ends, failed = Counter(), Counter(), []
    began = time.monotonic()
    for number, seed in enumerate(seeds, 1):
        try:
            outcome = play(seed, real=real, kind=kinds[number % len(kinds)], scene=scene)
        except Violated as why:
            failed.append(seed)
            print(f"{name}: {why}", flush=True)
            continue
        counts.update(outcome.counts)
        counts["events"] += outcome.steps
        ends[outcome.ending] += 1
        ends[f"({outcome.kind})"] += 1
        if number % 50 == 0:
            seconds = time.monotonic() - began
            print(f"{name}: {number} matches in {seconds:.0f} s", flush=True)
    return counts, ends, failed


def faults(counts):
    """Return how many things went wrong."""
    return sum(count for what, count in counts.items() if what.startswith(FAULTS))


def main():
    toy, real = (500, "matches in the toy group"), (100, "matches in ristretto255")
    scenes = {name: (100, f"{what}, in the toy group") for name, (_, what) in SCENES.items()}
    parser = options(__doc__, toy=toy, real=real, **scenes, seed=1)
    parser.add_argument("--only", type=int, help="play the match of this seed alone")
    parser.add_argument("--group", choices=("toy", "real"), default="toy", help="of that match")
    parser.add_argument("--scene", choices=SCENES, help="and not a match")
    parser.add_argument("--trace", action="store_true", help="print its events")
    args = parser.parse_args()
    if args.only is not None:
        scene, _ = SCENES.get(args.scene, (Match, ""))
        outcome = play(args.only, real=args.group == "real", trace=args.trace, scene=scene)
        print(f"{outcome.kind}: {outcome.ending} after {outcome.seconds:.0f} simulated seconds")
        print(f"digest {outcome.digest}")
        return 0
    reached = True
    for name, real, wanted, goal, scene in (
        ("toy group", False, args.toy, 500, Match),
        ("real group", True, args.real, 100, Match),
        *((what, False, getattr(args, name), 100, scene) for name, (scene, what) in SCENES.items()),
    ):
        if not wanted:
            reached = False
            continue
        first = args.seed + (args.toy if real else 0)
        counts, ends, failed = run(name, real, range(first, first + wanted), scene=scene)
        for what, count in sorted({**counts, **ends}.items()):
            print(f"{name}: {what}: {count}")
        what = "matches" if scene is Match else name
        held = f"{wanted - len(failed)} of {wanted} {what}"
        about = f"matches, {name}" if scene is Match else name
        result(
            f"simulated faulty {about}: every invariant held",
            f"{held}, {faults(counts)} faults, {counts['events']} events",
            goal,
            args.seed,
        )
        reached = reached and not failed and wanted >= goal
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
