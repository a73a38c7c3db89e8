"""Judge 100,000 broken log files, and a recorded log with each of its bits flipped.

Run by hand: ``python -m tests.campaign.broken_logs [--files N] [--bits 8] [--seed S] [--processes
2]``. tests/fuzz/logs.py breaks files of matches in the toy group. In one file out of five, a player
has signed two entries for one place. The file tests/vectors/logs/one-hand.ginlog, in the real
group, is tried with each of its bits flipped. Each file is written to disk, then read and judged as
`ginpeer verify` does. Checked: a file is valid only if it equals the original; an independent
reader of the file and the document agrees whether it is forged, incomplete or unreadable, which
entry is named, and how many entries are good; nobody is convicted without having signed two
entries; nothing else is raised. Unchanged entries at the beginning aren't judged again each time,
except in one file out of *UNAIDED*. *S* decides how files are broken.
"""

import itertools
import os
import random
import sys
from collections import Counter
from functools import cache
from pathlib import Path

from ginpeer.referee.referee import Finding
from tests.campaign.chunks import exit_status_of, numbered_sizes, pool, sum_of_chunks
from tests.campaign.command import options, result, timed
from tests.faults.disk import in_memory
from tests.fuzz.entries import Forger, matches
from tests.fuzz.logs import (
    Sound,
    broken,
    check,
    check_signed,
    judged_file,
    odd_file,
    remembered,
    with_signed_entry,
)
from tests.fuzz.odd import Odd
from tests.toy_group import toy_group

RECORDED = Path(__file__).parents[1] / "vectors" / "logs" / "one-hand.ginlog"
LONGEST = 70  # entries
CHUNK = 500
UNAIDED = 100
"""One file in this many is also judged without any remembered results."""
AGAIN = "judged unaided as well"


@cache
def toy_logs():
    """Return the logs. Call this inside the toy group, and before forking, so that the new
    processes already have them."""
    return [Sound.of(match) for match in matches() if len(match) <= LONGEST]


@cache
def recorded_log():
    return Sound.read(RECORDED)


def chunk(seed, number, files):
    """Break this many files; return how often each outcome occurred."""
    met, rng = Counter(), random.Random(f"broken {seed} {number}")
    with toy_group(), in_memory() as folder:
        path, logs = folder / "broken.ginlog", toy_logs()
        for _ in range(files):
            log = rng.choice(logs)
            if rng.random() < 0.2:
                forger = Forger(log.match, [each.match for each in logs], rng)
                k = min(forger.place(), len(log.entries) - 1)
                data, signer = with_signed_entry(log, forger, k)
                found = _judged(path, data, logs, rng, met)
                met[check_signed(data, found, log, k, signer)] += 1
            else:
                data = broken(log, logs, rng)
                met[check(data, _judged(path, data, logs, rng, met), logs)] += 1
    return met


def _judged(path, data, logs, rng, met):
    path.write_bytes(data)
    try:
        with remembered(logs):
            found = judged_file(path)
        if rng.random() * UNAIDED < 1:
            met[AGAIN] += 1
            if judged_file(path) != found:
                raise Odd(f"{found} with remembering, and {judged_file(path)} without")
    except Odd:
        raise
    except Exception as error:  # any exception is a finding
        raise odd_file(f"{error!r}", data) from error
    return found


def flips(first, last, bits):
    """Judge the recorded log with each bit of these bytes flipped, one bit at a time."""
    met, log = Counter(), recorded_log()
    with in_memory() as folder:
        path = folder / "flipped.ginlog"
        path.write_bytes(log.data)
        with path.open("r+b", buffering=0) as file, remembered([log]):
            for place, bit in itertools.product(range(first, last), range(bits)):
                flipped = log.data[place] ^ 1 << bit
                os.pwrite(file.fileno(), bytes([flipped]), place)
                data = log.data[:place] + bytes([flipped]) + log.data[place + 1 :]
                try:
                    found = judged_file(path)
                except Exception as error:
                    raise Odd(f"{error!r} with bit {bit} of byte {place} flipped") from error
                met[check(data, found, [log])] += 1
                os.pwrite(file.fileno(), log.data[place : place + 1], place)
            if judged_file(path)[0] is not Finding.VALID:
                raise Odd("the file is not what it was")
    return met


def main():
    args = options(
        __doc__,
        files=100_000,
        bits=(8, "of each byte of the recorded log"),
        seed=1,
        processes=2,
    ).parse_args()
    say, met, flipped = timed(), Counter(), Counter()
    with toy_group():
        toy_logs()
    size = len(recorded_log().data)
    with pool(args.processes) as workers:
        work = [(args.seed, number, files) for number, files in numbered_sizes(args.files, CHUNK)]
        for at in range(0, len(work), 20):
            met += sum_of_chunks(workers, chunk, work[at : at + 20])
            say(f"{met.total() - met[AGAIN]} files")
        work = [(at, min(at + CHUNK, size), args.bits) for at in range(0, size, CHUNK)]
        for at in range(0, len(work), 8):
            flipped += sum_of_chunks(workers, flips, work[at : at + 8])
            say(f"{flipped.total()} files")
    for what, count in (met + flipped).most_common():
        print(f"{count:>8}  {what}")
    result(
        "broken log files judged rightly, none valid that is not the same",
        f"{met.total() - met[AGAIN]} ({met[AGAIN]} also unaided)",
        args.files,
        args.seed,
    )
    result(
        "bits of a recorded log flipped, found, the entry named",
        f"{flipped.total()} ({size} bytes, {len(recorded_log().entries)} entries)",
        8 * size,
    )
    return 0 if flipped.total() == 8 * size else 1


if __name__ == "__main__":
    sys.exit(exit_status_of(main))
