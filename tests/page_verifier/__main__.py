"""Compares the page's verifier with the program on all golden logs and 500 mutants.

Both must give the same verdict and the same steps. The page must look the same before and after
verifying, and agree with its log.

Run by hand: ``python -m tests.page_verifier [--mutants N] [--seed S] [--matches] [--show]``. It
compares the whole document of PROTOCOL 13 except its sentences. Two in five mutants need no key:
flipped bits, cut files, and entries dropped, swapped or doubled. A cheat has signed the others: one
in five is a knock, a lay or the like with random content. The mutants follow from *S*. Whole
matches are also verified without their last entries; with --matches, sixteen more of several hands,
each by another rule set, which take minutes to play. --show prints the name of each log. The last
line has the seconds that node takes for the golden logs.
"""

import argparse
import random
import sys
from collections import Counter

from ginpeer.record import Record, steps_document
from ginpeer.store import UnreadableLog
from tests.campaign.illegal_entries import real_matches
from tests.matches.golden_logs import FOLDER, GOLDEN
from tests.page.pages import page_of
from tests.page.shown import shown
from tests.page_verifier.compare import (
    differences,
    drawn_differently,
    lacking,
    page,
    parted,
    program,
)
from tests.page_verifier.mutants import claims, cuts, matches, signed, unsigned
from tests.page_verifier.told import facts, told_by_page


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mutants", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--matches", action="store_true")
    parser.add_argument("--show", action="store_true")
    args = parser.parse_args(arguments)
    why = lacking()
    if why:
        print(why, file=sys.stderr)
        return 2
    rng = random.Random(f"page {args.seed}")
    logs = [(name, (FOLDER / f"{name}.ginlog").read_bytes()) for name in GOLDEN]
    goldens = len(logs)
    logs += cuts()
    fifth = args.mutants // 5
    logs += unsigned(rng, 2 * fifth)
    logs += claims(rng, fifth, real_matches())
    logs += signed(rng, args.mutants - 3 * fifth, real_matches())
    if args.matches:
        logs += matches()
    codes, wrong, seconds, hands = Counter(), 0, 0.0, 0
    steps = [_steps_and_page(log) for _, log in logs]
    pages = [each[1] for each in steps]
    compared = 0
    for at, answer in enumerate(page([log for _, log in logs], pages)):
        name, log = logs[at]
        theirs = program(log)
        codes[theirs["code"]] += 1
        if at < goldens:
            seconds += answer["seconds"]
            hands += len(theirs["hands"])
        if args.show:
            print(f"{name}: {theirs['verdict']}, {theirs['code']}, {theirs['entries']} entries")
        unlike = parted(answer["verdict"], theirs)
        if pages[at] is not None:
            compared += pages[at]["moves"].count("\n")
            unlike += differences(told_by_page(answer["told"]), steps[at][0])[:3]
            unlike += [*answer["wrong"], *drawn_differently(answer)]
        if unlike:
            wrong += 1
            print(f"{name}: " + "; ".join(unlike))
    print(f"{goldens} golden logs, {len(logs) - goldens} others: {wrong} differ")
    print(f"{compared} lines of moves in {sum(each is not None for each in pages)} pages compared")
    print(", ".join(f"{code} {count}" for code, count in sorted(codes.items())))
    print(f"{seconds:.1f} s for the golden logs, which have {hands} whole hands")
    return 1 if wrong else 0


def _steps_and_page(log):
    """Return the program's facts about a log, and what its page shows; None for both if it isn't a
    log."""
    try:
        document = steps_document(Record.read(log))
    except UnreadableLog:
        return None, None
    return facts(document), shown(page_of.__wrapped__(log))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
