"""Play whole matches under every preset: two processes, TLS, both logs compared and verified.

Run by hand: ``python -m tests.campaign.matches [--matches 10] [--rules TEXT ...]``. Every match is
one ``ginpeer demo``, which ends with status 0 only if both logs are identical and valid. It prints
one line for each rule set; the last line and the exit status say whether all succeeded.
"""

import subprocess
import sys
import time

from tests.campaign.command import options, result
from tests.campaign.rule_sets import RULE_SETS


def play(rules):
    """Play one match; return whether it was valid, the demo's last line, and the seconds it
    took."""
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "cli", "demo", "--rules", rules],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    said = (done.stdout if done.returncode == 0 else done.stderr or done.stdout).strip()
    valid = done.returncode == 0 and "\nVALID: " in done.stdout
    return valid, said.splitlines()[-1] if said else "nothing", time.monotonic() - begun


def main():
    parser = options(__doc__, matches=(10, "of each rule set"))
    parser.add_argument("--rules", action="append", help="this rule set; can be given again")
    args = parser.parse_args()
    failed = 0
    rule_sets = args.rules or RULE_SETS
    for rules in rule_sets:
        times = []
        for number in range(1, args.matches + 1):
            valid, said, seconds = play(rules)
            times.append(seconds)
            if not valid:
                failed += 1
                print(f"{rules}: match {number} was not valid: {said}", flush=True)
        times.sort()
        print(
            f"{rules}: {args.matches} matches; {times[0]:.1f}, {times[len(times) // 2]:.1f}, "
            f"{times[-1]:.1f} seconds (least, median, most)",
            flush=True,
        )
    print("all valid" if not failed else f"{failed} not valid")
    played = len(rule_sets) * args.matches
    result(
        "whole matches between two processes, both logs the same and valid",
        f"{played - failed} of {played}, {len(rule_sets)} rule sets",
        "all",
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
