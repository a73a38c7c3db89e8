"""The page's verifier and the program on all golden logs and 500 mutants: the same verdict, the
same steps, the same page drawn before it is judged as after, and nothing in the page of any of them
that the page itself would not believe.

Run by hand: ``python -m tests.page_verifier [--mutants N] [--seed S] [--matches] [--show]``.
Compared is the whole document of PROTOCOL 13 but for its sentences. Two in five mutants need no
key: bits flipped, files cut, entries dropped, swapped, doubled. The others a cheating player has
signed: one in five a knock, a lay or the like with anything in it. *S* decides them. Besides, whole
matches are judged without their last entries, and with --matches sixteen of several hands, by as
many rule sets, which take minutes to play. --show names every log. The last line has the seconds
that the golden logs take in node.
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
    """What the program tells of a log, and what its page shows; None where it is no log at all."""
    try:
        document = steps_document(Record.read(log))
    except UnreadableLog:
        return None, None
    return facts(document), shown(page_of.__wrapped__(log))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
