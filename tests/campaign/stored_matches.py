"""Play enough matches on an in-memory disk for the campaigns that test the store."""

import os
import random
import time

from ginpeer.rules.ruleset import parse_ruleset
from protocol.messages import Disclosure
from tests.faults.disk import in_memory
from tests.faults.stored import Broken, Match
from tests.toy_group import toy_group

RULE_SETS = (
    "standard target=10",
    "oklahoma target=10",
    "mahjong target=1",
    "classic target=10 next-dealer=loser",
    "around-the-corner target=10",
    "standard target=10 first-dealer=guest knock-limit=second-deck",
)
"""Short matches: the store doesn't care what is played, and every operation of a match counts."""


def play_matches(play, counts, what, wanted, *, group=toy_group, say=None):
    """Call *play* with a number, rules and an empty folder until this many of *what* are
    counted."""
    number = 0
    with group():
        while counts[what] < wanted:
            rules = RULE_SETS[number % len(RULE_SETS)]
            with in_memory() as folder:
                play(number, rules, folder)
            number += 1
            if say is not None:
                say(f"{number} matches, the last by {rules}: {counts[what]} {what}")
    return counts


class TriedMatch:
    """One match in which every step is tried. *every*: try one place in this many, at random."""

    def __init__(self, folder, seed, rules, *, counts, every=1):
        self.rng = random.Random(seed)
        self.folder = folder
        self.counts = counts
        self.every = every
        self.match = Match(folder, seed, parse_ruleset(rules), self.rng.choice((*Disclosure,)))

    def ended(self):
        """Count the match. Raises Broken if it hasn't finished."""
        if not all(player.seat.table.finished for player in self.match.players):
            raise Broken("the match did not end")
        self.counts["matches"] += 1


def sampled(rng, every):
    """Yield ascending numbers from 1 on: on average one in *every*, at random."""
    number = 1 + rng.randrange(every)
    while True:
        yield number
        number += 1 + rng.randrange(2 * every - 1)


def by_hand(campaign):
    """Run *campaign*, printing its progress; return its counts, or print the reason for a failure
    and return None."""
    begun = time.monotonic()
    try:
        counts = campaign(lambda line: print(line, flush=True))
    except Broken as why:
        print(f"it does not hold: {why}", flush=True)
        return None
    for what, count in sorted(counts.items()):
        print(f"{what}: {count}")
    print(f"{time.monotonic() - begun:.0f} s, {os.cpu_count()} cores")
    return counts
