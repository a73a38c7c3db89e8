"""Run every campaign in turn: ``python -m tests.campaign [NAME ...] [--seed S]``.

Each campaign runs in its own process with its full counts, and can be run alone as ``python -m
tests.campaign.NAME``. Each line ``result: WHAT | REACHED | GOAL | seed S`` that it prints becomes a
row of the final table, which has the format used in README.md in this folder. All of them together
take hours. The exit status is 0 only if every campaign succeeded.
"""

import argparse
import os
import platform
import subprocess
import sys
import time

from tests.campaign.command import read_result

CAMPAIGNS = (
    "frames",
    "illegal_entries",
    "broken_logs",
    "inputs",
    "killpoints",
    "kills",
    "crash_images",
    "full_disk",
    "cuts",
    "simulated",
    "floods",
    "strangers",
    "costs",
    "resuming",
    "odd_files",
    "same_verdict",
    "mutations",
    "random_matches",
    "guided",
)
"""The names of the campaigns. Those that measure time need a quiet machine."""

UNSEEDED = frozenset({"costs", "resuming", "odd_files", "same_verdict", "mutations"})


def run(name, seed):
    """Run one campaign and print its output. Return its results and whether it succeeded."""
    command = [sys.executable, "-m", f"tests.campaign.{name}"]
    if seed is not None and name not in UNSEEDED:
        command += ["--seed", str(seed)]
    results = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            if row := read_result(line):
                results.append(row)
    return results, process.returncode == 0


def commit():
    """Return the name of the checked-out commit, with a mark if the files differ from it."""
    asked = ["git", "describe", "--always", "--dirty", "--abbrev=10"]
    told = subprocess.run(asked, capture_output=True, text=True)
    return told.stdout.strip() or "unknown"


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.campaign", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(CAMPAIGNS)}")
    parser.add_argument("--seed", type=int, help="instead of each campaign's own")
    chosen = parser.parse_args()
    unknown = set(chosen.names) - set(CAMPAIGNS)
    if unknown:
        parser.error(f"no such campaign: {', '.join(sorted(unknown))}")
    rows, failed = [], []
    for name in chosen.names or CAMPAIGNS:
        begun = time.monotonic()
        print(f"== {name}", flush=True)
        results, held = run(name, chosen.seed)
        rows += results
        if not held:
            failed.append(name)
        print(f"== {name}: {time.monotonic() - begun:.0f} s", flush=True)
    print(f"\nCommit {commit()}, Python {platform.python_version()}, {os.cpu_count()} cores\n")
    for cells in (("what", "reached", "goal", "seed"), ("---",) * 4, *rows):
        print("|", " | ".join(cells), "|")
    if failed:
        print(f"\nDid not hold: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
