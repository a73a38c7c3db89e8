"""What people give, 200,000 of each kind: invites, rules, addresses, names, lines, keys, files.

Run by hand: ``python -m tests.campaign.inputs [--each N] [--seed S] [--processes 2]``. Sound ones
with characters, words, numbers and structure changed, sound letters around senseless invites, and
any bytes and characters at all, as tests/fuzz/inputs.py makes them: codes of invites, texts of
rules, addresses, players' names, lines at the table (read, and asked of a view of a match, in words
too), keys in pieces, known_peers.json, the notes beside a match and on its closing, seeds files.
Checked: each is read, or refused with a listed code (for rules and lines: any) and a printable
sentence; what is read can be written, and is the same when it is read again; a file that cannot be
understood is left as it is; and nothing else is raised. Not checked: that what is read is what was
meant. *S* decides everything.
"""

import random
import sys
from collections import Counter

from tests.campaign.chunks import met_by, numbered, pool, unless_odd
from tests.campaign.command import options, result, timed
from tests.faults.disk import in_memory
from tests.fuzz.inputs import TARGETS, outcome, views

CHUNK = 2_000


def chunk(name, seed, number, count):
    """So many of one kind: what came of them."""
    rng = random.Random(f"inputs {name} {seed} {number}")
    with in_memory() as folder:
        return Counter(outcome(name, rng, folder) for _ in range(count))


def main():
    args = options(__doc__, each=200_000, seed=1, processes=2).parse_args()
    say, total = timed(), 0
    views()  # once, before the processes part
    with pool(args.processes) as workers:
        for name in TARGETS:
            work = [(name, args.seed, *some) for some in numbered(args.each, CHUNK)]
            met = met_by(workers, chunk, work)
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
    sys.exit(unless_odd(main))
