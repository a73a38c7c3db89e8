"""Try 200,000 inputs of each kind: invites, rules, addresses, names, lines, keys, files.

Run by hand: ``python -m tests.campaign.inputs [--each N] [--seed S] [--processes 2]``.
tests/fuzz/inputs.py makes them. Checked: each input is read, or refused with a listed code (for
rules and lines: any) and a printable sentence; what is read can be written, and is the same when
read again; a file that can't be understood is left unchanged; nothing else is raised. Not checked:
that an input is read as its author meant it. *S* decides everything.
"""

import random
import sys
from collections import Counter

from tests.campaign.chunks import exit_status_of, numbered_sizes, pool, sum_of_chunks
from tests.campaign.command import options, result, timed
from tests.faults.disk import in_memory
from tests.fuzz.inputs import TARGETS, outcome, views

CHUNK = 2_000


def chunk(name, seed, number, count):
    """Try this many inputs of one kind; return how often each outcome occurred."""
    rng = random.Random(f"inputs {name} {seed} {number}")
    with in_memory() as folder:
        return Counter(outcome(name, rng, folder) for _ in range(count))


def main():
    args = options(__doc__, each=200_000, seed=1, processes=2).parse_args()
    say, total = timed(), 0
    views()  # once, before the processes fork
    with pool(args.processes) as workers:
        for name in TARGETS:
            work = [(name, args.seed, *some) for some in numbered_sizes(args.each, CHUNK)]
            met = sum_of_chunks(workers, chunk, work)
            total += met.total()
            common = ", ".join(f"{what} {count}" for what, count in met.most_common(6))
            say(f"{name}: {common}")
    result(
        "things that people give, read or refused in a sentence",
        f"{total} of {len(TARGETS)} kinds",
        f"{args.each} each",
        args.seed,
    )
    return 0


if __name__ == "__main__":
    sys.exit(exit_status_of(main))
