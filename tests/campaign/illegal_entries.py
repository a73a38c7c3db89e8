"""Give 200,000 signed but illegal entries to the referee and the seat, at every kind of place.

Run by hand: ``python -m tests.campaign.illegal_entries [--entries N] [--real N] [--seed S]
[--processes 2]``. tests/fuzz/entries.py makes them, at places of matches by several rule sets, each
kind of entry equally often. Checked for each refusal: the class and a listed code, a sentence, that
only the signer is named, and an unchanged table and log. After every 25 the honest entry is
admitted. One in twenty also goes to the opponent's seat, which stores and sends nothing of it,
closes, and keeps the proof of class B. Only refused entries are counted. Not checked: that the code
is the most fitting one. *S* decides every entry; the matches are always the same.
"""

import random
import sys
from collections import Counter
from contextlib import nullcontext
from functools import cache

from ginpeer.referee.transitions import Violation
from tests.campaign.chunks import exit_status_of, sum_until
from tests.campaign.command import now_and_then, options, result
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
from tests.matches.variants import mahjong, second_deck
from tests.toy_group import toy_group

AT_ONE_PLACE = 25
TO_THE_SEAT = 20
"""One entry in this many also goes to the opponent's seat."""
LEGAL, SEAT, PLACES = "legal after all", "also to the seat", "places"


@cache
def real_matches():
    """Return matches in the real group."""
    return [one_hand(), laid_off(), mahjong(), second_deck()]


@cache
def toy_matches():
    return matches()


def at_place(recorded, rng, met):
    """Try illegal entries at one place of one match, and then the honest entry."""
    match = rng.choice(recorded)
    forger = Forger(match, recorded, rng)
    k = forger.place()
    referee = match.referee_at(k)
    for _ in range(AT_ONE_PLACE):
        raw, by = forger.entry(k)
        signer = signer_of(match, raw)
        by = by if signer is None else signer
        by = 0 if k == 0 else by  # the signer of the first entry is the host
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


def chunk(toy, record, seed, number, places):
    """Do one part of the work on the matches that *record* makes, in the toy group or the real
    one."""
    met, rng = Counter(), random.Random(f"illegal {seed} {number}")
    with toy_group() if toy else nullcontext():
        recorded = record()
        for _ in range(places):
            at_place(recorded, rng, met)
    return met


def run(toy, record, entries, args):
    """Run until this many entries have been refused. Raises Odd."""
    with toy_group() if toy else nullcontext():
        record()  # once, before the processes fork
    say = now_and_then(lambda met: f"{refused(met)} refused")
    return sum_until(
        lambda met: refused(met) >= entries,
        args.processes,
        chunk,
        lambda number: (toy, record, args.seed, f"{'toy' if toy else 'real'} {number}", 20),
        say,
    )


def main():
    args = options(
        __doc__,
        entries=(200_000, "illegal ones in all"),
        real=(6_000, "of these, in the real group"),
        seed=1,
        processes=2,
    ).parse_args()
    real = run(False, real_matches, args.real, args)
    met = real + run(True, toy_matches, args.entries - refused(real), args)
    for code, count in sorted(met.items()):
        print(f"{count:>8}  {code}")
    unmet = sorted(CLASS_B - {code[2:] for code in met if code.startswith("B ")})
    print(f"codes of class B not met here: {', '.join(unmet) or 'none'}")
    print(f"codes of class A not met here: {', '.join(sorted(CLASS_A - set(met))) or 'none'}")
    of_these = f"{refused(real)} in the real group, {met[SEAT]} also to the seat"
    result(
        "illegal entries refused, log unchanged, honest entry admitted after",
        f"{refused(met)} ({of_these}, {met[PLACES]} places)",
        args.entries,
        args.seed,
    )
    return 0


if __name__ == "__main__":
    sys.exit(exit_status_of(main))
