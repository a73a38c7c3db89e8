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

import argparse
import multiprocessing
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.fuzz.frames import Odd
from tests.fuzz.inputs import TARGETS, outcome, views

CHUNK = 2_000


def chunk(name, seed, number, count):
    """So many of one kind: what came of them."""
    rng = random.Random(f"inputs {name} {seed} {number}")
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        return Counter(outcome(name, rng, Path(folder)) for _ in range(count))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--each", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    args = parser.parse_args()
    begun, total = time.monotonic(), 0
    views()  # once, before the processes part
    try:
        with multiprocessing.get_context("fork").Pool(args.processes) as pool:
            for name in TARGETS:
                sizes = [min(CHUNK, args.each - at) for at in range(0, args.each, CHUNK)]
                work = [(name, args.seed, number, size) for number, size in enumerate(sizes)]
                met = sum(pool.starmap(chunk, work, chunksize=1), Counter())
                total += met.total()
                common = ", ".join(f"{what} {count}" for what, count in met.most_common(6))
                print(f"{time.monotonic() - begun:.0f} s: {name}: {common}", flush=True)
    except Odd as odd:
        print(f"failed: {odd}")
        return 1
    print(
        f"result: things that people give, read or refused in a sentence | {total} of "
        f"{len(TARGETS)} kinds | {args.each} each | seed {args.seed}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
