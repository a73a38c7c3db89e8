"""Compare the page's verifier with the program on all golden logs and 500 mutants.

Both must give the same verdict and the same steps. The page must look the same before and after
verifying, and agree with its log.

Run by hand: ``python -m tests.page_verifier [--mutants N] [--seed S]``. It compares the whole
document of PROTOCOL 13 except its sentences. Two in five mutants need no key
(tests.campaign.same_verdict). A cheat has signed the others: one in five has a knock, a lay or the
like with random content. *S* decides the mutants. Whole matches are also verified without their
last entries. The last line says how many seconds node takes for the golden logs.
"""

import random
import sys
from collections import Counter

from tests.campaign.command import options
from tests.campaign.illegal_entries import real_matches
from tests.campaign.same_verdict import broken
from tests.matches.golden_logs import FOLDER, GOLDEN
from tests.page.pages import page_of
from tests.page.shown import shown
from tests.page_verifier.compare import compared, lacking, program
from tests.page_verifier.mutants import claims, cuts, signed


def main():
    args = options(__doc__, mutants=500, seed=1).parse_args()
    why = lacking()
    if why:
        print(why, file=sys.stderr)
        return 2
    rng, fifth = random.Random(f"page {args.seed}"), args.mutants // 5
    logs = [(name, (FOLDER / f"{name}.ginlog").read_bytes()) for name in GOLDEN]
    logs += [*cuts(), *broken(rng, 2 * fifth), *claims(rng, fifth, real_matches())]
    logs += signed(rng, args.mutants - 3 * fifth, real_matches())
    files = [log for _, log in logs]
    is_log = [program(log)["verdict"] != "unreadable" for log in files]
    pages = [shown(page_of(log)) if is_log[at] else None for at, log in enumerate(files)]
    codes, wrong, seconds = Counter(), 0, 0.0
    for at, (verdict, answer, unlike) in enumerate(compared(files, pages)):
        codes[verdict["code"]] += 1
        seconds += answer["seconds"] if at < len(GOLDEN) else 0
        if unlike:
            wrong += 1
            print(f"{logs[at][0]}: {'; '.join(unlike)}")
    print(f"{len(GOLDEN)} golden logs, {len(logs) - len(GOLDEN)} others: {wrong} differ")
    print(", ".join(f"{code} {count}" for code, count in sorted(codes.items())))
    print(f"{seconds:.1f} s for the golden logs")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
