"""Signed but illegal entries, 200,000 of them, to the referee and the seat at every kind of place.

Run by hand: ``python -m tests.campaign.illegal_entries [--entries N] [--real N] [--seed S]
[--processes 2]``. Matches of several rule sets are played, most in the toy group of
tests/toy_group.py, some in the real one. In places of them, each kind of entry as often, come
entries that tests/fuzz/entries.py makes: every kind of message, fields changed or of other hands
and matches, encodings that are not canonical, bytes changed, other tables, numbers and histories,
second entries, what nobody signed. Checked of each refusal: the class and a listed code, a
sentence, the signer named and nobody else, table and log as they were; after every 25 the honest
entry is admitted. One in twenty also goes to the other player's seat, which stores nothing of it,
sends nothing, closes, and keeps the proof of class B. Only refused entries are counted. Not
checked: that the code is the fittest of those that would do. *S* decides every entry; the matches
are always the same.
"""

import argparse
import itertools
import multiprocessing
import random
import sys
import time
from collections import Counter
from contextlib import nullcontext

from ginpeer.referee.violations import Violation
from tests.cheating.cheat import laid_off, one_hand
from tests.fuzz.entries import (
    CLASS_A,
    CLASS_B,
    Forger,
    honest_admitted,
    judged,
    matches,
    refused_by_seat,
    signer_of,
)
from tests.fuzz.frames import Odd
from tests.matches.variants import mahjong, second_deck
from tests.toy_group import toy_group

AT_ONE_PLACE = 25
TO_THE_SEAT = 20
"""One entry in so many."""
LEGAL, SEAT, PLACES = "legal after all", "also to the seat", "places"


def real_matches():
    """In the group that is really played in."""
    return [one_hand(), laid_off(), mahjong(), second_deck()]


def at_place(recorded, rng, met):
    """Illegal entries in one place of one match, and then the honest one."""
    match = rng.choice(recorded)
    forger = Forger(match, recorded, rng)
    k = forger.place()
    referee = match.referee_at(k)
    for _ in range(AT_ONE_PLACE):
        raw, by = forger.entry(k)
        signer = signer_of(match, raw)
        by = by if signer is None else signer
        by = 0 if k == 0 else by  # whoever signs the first entry is the host
        error = judged(match, referee, k, raw, by)
        if error is None:
            met[LEGAL] += 1
            referee = match.referee_at(k)
            continue
        met["B " * isinstance(error, Violation) + error.code] += 1
        if rng.random() * TO_THE_SEAT < 1:
            refused_by_seat(match, k, raw, error, by)
            met[SEAT] += 1
    honest_admitted(match, referee, k)
    met[PLACES] += 1


def refused(met):
    return sum(count for code, count in met.items() if code not in (LEGAL, SEAT, PLACES))


class Campaign:
    """The matches of one group, recorded once; `chunk` is one part of the work."""

    def __init__(self, record, group=nullcontext):
        self._group = group
        with group():
            self.matches = record()

    def chunk(self, seed, number, places):
        met, rng = Counter(), random.Random(f"illegal {seed} {number}")
        with self._group():
            for _ in range(places):
                at_place(self.matches, rng, met)
        return met


_campaigns = {}


def _chunk(name, seed, number, places):
    """For a process of its own: the matches have come along with the fork."""
    return _campaigns[name].chunk(seed, number, places)


def run(name, entries, seed, processes, tell):
    """Until so many have been refused. Raises Odd."""
    met, numbers = Counter(), itertools.count()
    with multiprocessing.get_context("fork").Pool(processes) as pool:
        while refused(met) < entries:
            work = [(name, seed, f"{name} {next(numbers)}", 20) for _ in range(4 * processes)]
            for counts in pool.starmap(_chunk, work, chunksize=1):
                met += counts
            tell(met)
    return met


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--entries", type=int, default=200_000, help="illegal ones in all")
    parser.add_argument("--real", type=int, default=6_000, help="of these, in the real group")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    args = parser.parse_args()
    begun, told = time.monotonic(), [0]

    def tell(met):
        if refused(met) >= told[0] + 10_000:
            told[0] = refused(met)
            print(f"{time.monotonic() - begun:.0f} s: {refused(met)} refused", flush=True)

    _campaigns["real"] = Campaign(real_matches)
    _campaigns["toy"] = Campaign(matches, toy_group)
    try:
        real = run("real", args.real, args.seed, args.processes, tell)
        print(f"{refused(real)} in the real group", flush=True)
        told[0] = 0
        toy = run("toy", args.entries - refused(real), args.seed, args.processes, tell)
    except Odd as odd:
        print(f"failed: {odd}")
        return 1
    met = real + toy
    for code, count in sorted(met.items()):
        print(f"{count:>8}  {code}")
    unmet = sorted(CLASS_B - {code[2:] for code in met if code.startswith("B ")})
    print(f"codes of class B not met here: {', '.join(unmet) or 'none'}")
    print(f"codes of class A not met here: {', '.join(sorted(CLASS_A - set(met))) or 'none'}")
    print(
        f"result: illegal entries refused, log unchanged, honest entry admitted after | "
        f"{refused(met)} ({refused(real)} in the real group, {met[SEAT]} also to the seat, "
        f"{met[PLACES]} places) | {args.entries} | seed {args.seed}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
