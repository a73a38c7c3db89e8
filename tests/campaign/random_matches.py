"""Compare the verdicts of program and page on matches under random rules, some with lies.

Run by hand: ``python -m tests.campaign.random_matches [--matches N] [--lies N] [--seed S]
[--processes 2]``. tests/page_verifier/random_matches.py plays in the toy group, and lies. The
page's verifier was written from PROTOCOL.md and RULES.md alone. It must find the same verdict,
score and steps in each log. Needs node and the modules of ginpeer/page/verifier. *S* seeds
everything.
"""

import random
import sys
from collections import Counter

from tests.campaign.chunks import exit_status_of, numbered_sizes, pool
from tests.campaign.command import options, result, timed
from tests.page_verifier.random_matches import compare, false_logs, honest_log, lacking_sources
from tests.toy_group import toy_group

CHUNK = 50
MATCHES_OF_LIES = 5


def honest(chunk):
    seed, number, count = chunk
    with toy_group():
        return compare([honest_log(f"{seed} {number} {each}") for each in range(count)])


def false(chunk):
    seed, number, count = chunk
    with toy_group():
        rng = random.Random(f"lies {seed} {number}")
        return compare(false_logs(rng, MATCHES_OF_LIES, count // MATCHES_OF_LIES))


def run(chunk, what, args, total):
    met, say = Counter(), timed()
    with pool(args.processes) as workers:
        work = [(args.seed, number, size) for number, size in numbered_sizes(total, CHUNK)]
        for number, found in enumerate(workers.imap_unordered(chunk, work), 1):
            met += found
            if number % 10 == 0:
                say(f"{number * CHUNK} {what}")
    for code, count in met.most_common():
        print(f"{count:>8}  {code}")
    return met


def main():
    args = options(__doc__, matches=3000, lies=10_000, seed=1, processes=2).parse_args()
    why = lacking_sources()
    if why:
        print(why, file=sys.stderr)
        return 2
    met = run(honest, "matches", args, args.matches)
    hands = met.pop("hands")
    result(
        "matches by random rules: program and page find the same verdict, score and steps",
        f"{met.total()}, {hands} hands",
        args.matches,
        args.seed,
    )
    met = run(false, "lies", args, args.lies)
    del met["hands"]
    result(
        "signed lies in such matches: the same verdict, score and steps",
        met.total(),
        args.lies,
        args.seed,
    )
    return 0


if __name__ == "__main__":
    sys.exit(exit_status_of(main))
