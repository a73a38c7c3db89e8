"""The mutation sweep: delete every check of the product in turn; do the tests notice?

Run by hand: ``python -m tests.campaign.mutations [--only PREFIX ...] [--tests PATH ...] [--default]
[--jobs N] [--sample N --seed S]``. tests.campaign.mutants says what counts as a check and what
isn't mutated; tests.campaign.mutation_sweep says how a mutant is tried. Groups of tests take turns,
and each gets the mutants that no earlier group has noticed. The tree is copied first, so that you
can continue editing.

A mutant that no test notices is a survivor. equivalent_mutants.txt lists the reviewed survivors,
which make no difference or can't be reached, each with its reason. The exit status is 0 only if
every other mutant was noticed, and none of that list was (otherwise its reason is wrong). With
``--tests`` only these tests run, as one group; with ``--default`` only what runs without --deep.

The stable codes have a table of their own, codes.txt: for each code, one test that notices if the
code changes. ``--codes`` runs just these tests, and ``--write-codes`` rewrites the table from what
the sweep has found.

A mutant counts as noticed if one test fails, or hangs, in a process that is otherwise unchanged,
and passes in such a process with nothing deleted. Programs that a test starts by forking
(tests/cli/started.py) run without the check, too; those that a new interpreter runs don't.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.campaign.command import result
from tests.campaign.mutants import ROOT, all_mutants

EQUIVALENT = Path(__file__).with_name("equivalent_mutants.txt")
CODES = Path(__file__).with_name("codes.txt")
COPIED = ("protocol", "ginpeer", "cli", "tests", "proto", "pyproject.toml", "README.md")

# Tests near the checks come first: those of the two lower layers, of the rules, of both peers; the
# tests that reach a check incidentally come last.
GROUPS = (
    ("tests/crypto", "tests/protocol"),
    ("tests/rules",),
    ("tests/net", "tests/match_store", "tests/record", "tests/store", "tests/tally", "tests/names"),
    ("tests/seat", "tests/referee", "tests/cheating", "tests/matches", "tests/document"),
    ("tests/cli", "tests/faults", "tests/simulator", "tests/fuzz", "tests/stranger"),
    ("tests/adviser", "tests/analysis", "tests/notation", "tests/page", "tests/partnership"),
    ("tests/statistics", "tests/goldens"),
)
# Tests that start interpreters, measure, or run for minutes. No check fires only in these.
NOT_ASKED = (
    "tests/crypto/test_group_loading.py",
    "tests/net/test_guard.py",
    "tests/rules/test_random_play.py",
    "tests/rules/test_match_random.py",
)
SECONDS = 60  # of tests for each mutant, quickest first


def reviewed() -> dict[str, str]:
    """Return the reviewed survivors by key, with the reason why no test can notice."""
    found, reason = {}, ""
    for line in EQUIVALENT.read_text(encoding="utf-8").splitlines():
        if line.startswith("    "):
            found[line.strip()] = reason
        elif line and not line.startswith("#"):
            reason = line
    return found


def code_of(key: str) -> str:
    """Return the stable code that a mutant of the kind "code" replaces; "" for any other kind, and
    for cli, where ``code`` often isn't a stable code."""
    return "" if key.startswith("cli/") else key.partition(": code ")[2].partition(" #")[0]


def noted_codes() -> dict[str, str]:
    """Return the table of codes: for each, a test that notices if it changes."""
    lines = CODES.read_text(encoding="utf-8").splitlines()
    pairs = (line.partition(" ") for line in lines if line and not line.startswith("#"))
    return {code: test for code, _, test in pairs}


def write_codes(keys: list[str], outcome: dict[str, dict]) -> None:
    """Write the first test found for each code; if there is none, keep the code's old line."""
    noted = noted_codes()
    found: dict[str, str] = {}
    for key in keys:
        code, told = code_of(key), outcome.get(key, {})
        if code and told.get("killed"):
            found.setdefault(code, told["by"])
        elif code in noted:
            found.setdefault(code, noted[code])
    head = [line for line in CODES.read_text(encoding="utf-8").splitlines() if line[:1] == "#"]
    text = "".join(f"{line}\n" for line in [*head, *(f"{c} {found[c]}" for c in sorted(found))])
    CODES.write_text(text, encoding="utf-8")


def copy_of_the_tree(into: Path) -> None:
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info", ".hypothesis")
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, into / name, ignore=ignored, symlinks=True)
        else:
            shutil.copy2(source, into / name)


def ask(
    tree: Path,
    number: int,
    tests: tuple[str, ...],
    keys: list[str],
    seconds: float,
    options: tuple[str, ...],
) -> list:
    """Run one process of tests.campaign.mutation_sweep; print its reports as they arrive."""
    out = tree / f"told-{number}.jsonl"
    out.touch()
    there = [path for path in tests if (tree / path.split("::")[0]).exists()]
    order = {
        "mutants": keys,
        "tests": there,
        "options": [*options, *(f"--deselect={path}" for path in NOT_ASKED)],
        "out": str(out),
        "seconds": seconds,
    }
    log = tree / f"said-{number}.txt"
    told = []
    with log.open("wb") as said, out.open(encoding="utf-8") as telling:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.campaign.mutation_sweep"],
            stdin=subprocess.PIPE,
            stdout=said,
            stderr=subprocess.STDOUT,
            cwd=tree,
            env={**os.environ, "PYTHONPATH": str(tree), "PYTHONHASHSEED": "0"},
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps(order).encode())
        process.stdin.close()
        while True:
            ended = process.poll() is not None
            for line in telling:
                told.append(json.loads(line))
                print(f"[{number}] {line}", end="", flush=True)
            if ended:
                break
            time.sleep(1)
    if process.returncode or not any("round" in each for each in told):
        print(log.read_text(encoding="utf-8", errors="replace")[-4000:])
        raise SystemExit(f"the tests of {' '.join(there)} could not be asked")
    return told


def sweep(
    keys: list[str],
    groups: tuple[tuple[str, ...], ...],
    jobs: int,
    seconds: float = SECONDS,
    options: tuple[str, ...] = ("--deep",),
) -> dict[str, dict]:
    """Return the last report about each mutant, by its key."""
    outcome: dict[str, dict] = {}
    with tempfile.TemporaryDirectory(prefix="ginpeer-mutants-") as folder:
        copy_of_the_tree(Path(folder))
        for number, tests in enumerate(groups):
            left = [key for key in keys if not outcome.get(key, {}).get("killed")]
            if not left:
                break
            print(f"{' '.join(tests)}: {len(left)} mutants", flush=True)
            shares = [left[share::jobs] for share in range(jobs)]
            with ThreadPoolExecutor(jobs) as pool:
                asked = [
                    pool.submit(
                        ask, Path(folder), number * jobs + n, tests, share, seconds, options
                    )
                    for n, share in enumerate(shares)
                    if share
                ]
            for told in (each for future in asked for each in future.result() if "key" in each):
                outcome[told["key"]] = told
    return outcome


def ask_codes(keys: list[str], args: argparse.Namespace) -> int:
    """Replace each code wherever it occurs; its test in the table must notice at least once."""
    noted, codes = noted_codes(), sorted({code_of(key) for key in keys} - {""})
    if args.sample is not None:
        codes = sorted(random.Random(args.seed).sample(codes, min(args.sample, len(codes))))
    keys = [key for key in keys if code_of(key) in codes]
    tests = tuple(sorted({noted[code] for code in codes if code in noted}))
    outcome = sweep(keys, (tests,), args.jobs)
    noticed = {code_of(key) for key in keys if outcome.get(key, {}).get("killed")}
    for code in codes:
        if code not in noticed:
            print(f"no test notices: {code} ({noted.get(code, 'not in the table')})")
    seed = args.seed if args.sample is not None else "-"
    what = "stable codes exchanged, each noticed by its test"
    result(what, f"{len(noticed)} of {len(codes)}", "all", seed)
    return 0 if codes and noticed == set(codes) else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", help="keys that begin so: a folder, a module")
    parser.add_argument("--tests", action="append", help="ask these tests and no others")
    parser.add_argument("--default", action="store_true", help="ask only what --deep is not for")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of tests for a mutant")
    parser.add_argument("--sample", type=int, help="this many mutants, chosen at random")
    parser.add_argument("--seed", type=int, default=1, help="of that chance")
    parser.add_argument("--codes", action="store_true", help="each code, by its test in codes.txt")
    parser.add_argument("--write-codes", action="store_true", help="write codes.txt anew")
    args = parser.parse_args()
    keys = [mutant.key for mutant in all_mutants()]
    known = reviewed()
    stale = sorted(set(known) - set(keys))
    for key in stale:
        print(f"no such check any more: {key}")
    keys = [key for key in keys if not args.only or key.startswith(tuple(args.only))]
    if args.codes:
        return ask_codes(keys, args)
    if args.sample is not None:
        keys = random.Random(args.seed).sample(keys, min(args.sample, len(keys)))
    groups = GROUPS if not args.tests else (tuple(args.tests),)
    begun = time.monotonic()
    options = () if args.default else ("--deep",)
    outcome = sweep(keys, groups, args.jobs, args.seconds, options)
    if args.write_codes:
        write_codes(keys, outcome)
    noticed = {key for key in keys if outcome.get(key, {}).get("killed")}
    survivors = [key for key in keys if key not in noticed and key not in known]
    wrong = [key for key in keys if key in noticed and key in known]
    for key in survivors:
        told = outcome.get(key)
        why = "it fires in no test"
        if told is not None:
            why = f"{told['how']}: {told['ran']} of {told['fired']} tests in which it fires"
        print(f"survived: {key} ({why})")
    for key in wrong:
        print(f"listed as equivalent, but {outcome[key]['by']} notices: {key}")
    equivalent = len(keys) - len(noticed) - len(survivors)
    hung = Counter(outcome[key]["how"] for key in noticed)["hung"]
    result(
        "checks deleted, each noticed by a test",
        f"{len(keys)} mutants, {len(noticed)} noticed ({hung} of them by hanging), {equivalent} "
        f"reviewed as equivalent, {len(survivors)} survived, in "
        f"{(time.monotonic() - begun) / 60:.0f} min",
        "0 survive",
        args.seed if args.sample is not None else "-",
    )
    return 1 if survivors or wrong or stale or not keys else 0


if __name__ == "__main__":
    sys.exit(main())
