"""Send ten million malformed frames through the decoder that reads every byte from a peer.

Run by hand: ``python -m tests.campaign.frames [--frames N] [--seed S] [--processes 2]``.
tests/fuzz/frames.py makes the bytes: random ones, valid frames with a few bytes changed, and
changes that follow protobuf's structure. Checked: the frame is refused with a listed code and a
sentence, or equals a hand-made encoding of what it decodes to; nothing else is raised.
Only refused frames are counted. One in a thousand also arrives over a whole connection
(tests/fuzz/door.py). Both protobuf back-ends give the same codes for a sample of frames and a
sample of entry bodies. Not tried: TLS records, time (see tests/campaign/costs.py). *S* decides
every byte.
"""

import functools
import itertools
import sys
from collections import Counter

from protocol.frames import MAX_FRAME, Ping
from tests.campaign.chunks import exit_status_of, sum_until
from tests.campaign.command import options, result, timed
from tests.cheating.cheat import ONE_HAND, record
from tests.fuzz.back_ends import differ
from tests.fuzz.door import Sitting, stranger_is_refused
from tests.fuzz.frames import CODES, MAX_GREETING, heard, seeded, streams
from tests.toy_group import toy_group

CHUNK = 50_000
OVER_A_CONNECTION = 1_000
"""One refused frame in this many also arrives over a connection."""
DELIVERED = "over a connection"
DECODED = "sound after all"


@functools.cache
def toy_match():
    return record("m24", ONE_HAND)


def chunk(seed, number, count):
    """Run one part of the campaign; return how often each code occurred."""
    met, rng = Counter(), seeded("frames", seed, number)
    with toy_group():
        for at, data in enumerate(itertools.islice(streams(rng), count)):
            code, given = heard(data, (MAX_GREETING, MAX_FRAME)[at % 2])
            met[code or DECODED] += 1
            if code and at % OVER_A_CONNECTION < 2 and all(type(one) is Ping for one in given):
                _deliver(data, code, given, at % 2, rng)
                met[DELIVERED] += 1
    return met


def _deliver(data, code, given, open_already, rng):
    match = toy_match()
    k = 2 + int(rng.random() * (len(match) - 2))
    if open_already:
        Sitting(match, k).refuses(data, code)
    elif not given:
        stranger_is_refused(Sitting(match, k).side, data, code)


def campaign(frames, seed, processes=1, sample=200_000, tell=lambda met: None):
    """Run until this many frames have been refused. Return the codes, the count, and the sampled
    frames and entry bodies on which the back-ends differ. Raises Odd."""
    size = min(CHUNK, frames)
    met = sum_until(
        lambda met: _refused(met) >= frames,
        processes,
        chunk,
        lambda number: (seed, number, size),
        tell,
    )
    return met, {kind: differ(kind, f"sample {seed}", sample) for kind in ("frames", "bodies")}


def _refused(met):
    return sum(met[code] for code in CODES)


def main():
    args = options(
        __doc__,
        frames=(10_000_000, "malformed ones"),
        seed=1,
        processes=2,
        sample=(200_000, "for the two back-ends"),
    ).parse_args()
    say = timed()
    met, apart = campaign(
        args.frames,
        args.seed,
        args.processes,
        args.sample,
        lambda met: say(f"{_refused(met)} refused"),
    )
    for name, count in met.most_common():
        print(f"{count:>10}  {name}")
    missing = sorted(code for code in CODES if not met[code])
    if missing:
        print(f"never met: {', '.join(missing)}")
    codes = f"{len(CODES) - len(missing)} of {len(CODES)} codes"
    result(
        "malformed frames refused, class A, log unchanged",
        f"{_refused(met)} ({met[DELIVERED]} over a whole connection), {codes}",
        args.frames,
        args.seed,
    )
    for kind, differing in apart.items():
        same = f"{args.sample - len(differing)} of {args.sample}"
        what = f"{kind} with the same code from both of protobuf's back-ends"
        result(what, same, "all", args.seed)
    return 1 if missing or any(apart.values()) else 0


if __name__ == "__main__":
    sys.exit(exit_status_of(main))
