"""Measure what a refusal costs in processor time, with and without proofs.

Run by hand, on a quiet machine: ``python -m tests.campaign.costs [--rounds 15]``.

- Structural refusals: every entry of tests/fuzz/rejects.py, signed and unsigned, up to the largest
  size, goes through Referee.admit, and every frame below through the decoder. Each is timed three
  times (processor time), and the fastest run counts. The result is the slowest refusal.
- Bad proofs: every kind of proof, corrupted in several ways, is compared with the honest entry in
  the same place. The two take turns; the ratio of the medians counts.

Not measured: the pure-Python protobuf and group, which are slower, and the cost of TLS.
"""

import gc
import sys
import time
from statistics import median

from ginpeer.referee.transitions import RefusedEntry
from protocol.frames import MAX_FRAME, FrameReader, MalformedFrame, decode_frame, enclose
from tests.campaign.command import options, result
from tests.fuzz.proofs import pairs
from tests.fuzz.rejects import rejects
from tests.protocol.wire import END_GROUP, GROUP, LENGTH, VARINT, field, tag, varint

STRUCTURAL_MS = 5.0
BAD_TO_GOOD = 1.1


def largest_frames():
    """Return frames of the largest size, by their content."""
    size = MAX_FRAME - 20
    small = {
        "empty hellos": field(1, LENGTH, b""),
        "hellos with an empty position": field(1, LENGTH, field(3, LENGTH, b"")),
        "pings": field(5, 1, bytes(8)),
        "unknown numbers": field(50, VARINT, 1),
        "unknown messages": field(50, LENGTH, field(50, LENGTH, b"")),
        "unknown groups": tag(50, GROUP) + tag(50, END_GROUP),
        "open groups": tag(50, GROUP),
        "empty chats": field(4, LENGTH, b""),
    }
    frames = {name: one * (size // len(one)) for name, one in small.items()}
    versions = {"small": b"\1", "large": varint(2**32 - 1)}
    for name, one in versions.items():
        packed = field(1, LENGTH, one * (size // len(one)))
        frames[f"{name} versions"] = field(1, LENGTH, packed)
    frames["empty positions"] = field(1, LENGTH, field(3, LENGTH, b"") * (size // 2))
    frames["letters"] = field(4, LENGTH, b"x" * size)
    frames["letters of three bytes"] = field(4, LENGTH, b"\xe2\x99\xa5" * (size // 3))
    frames["a sentence"] = field(7, LENGTH, field(1, LENGTH, b"x") + field(2, LENGTH, b"x" * size))
    frames["an entry"] = field(3, LENGTH, b"x" * size)
    return {name: frame[:MAX_FRAME] for name, frame in frames.items()}


def processor_ms(task, runs=3):
    """Return this thread's processor time for *task*, in milliseconds: the fastest of *runs*."""
    least = float("inf")
    for _ in range(runs):
        begun = time.thread_time()
        task()
        least = min(least, time.thread_time() - begun)
    return 1000 * least


def through_the_door(frame):
    try:
        for body in FrameReader().feed(enclose(frame)):
            decode_frame(body)
    except MalformedFrame as garbled:
        return garbled.code
    return ""


def admitted(match, k, raw):
    """Return the code of the refusal, or "" if the entry is admitted."""
    try:
        match.referee_at(k).admit(raw)
    except RefusedEntry as refused:
        return refused.code
    return ""


def structural():
    """Return (milliseconds, what) for every refusal, slowest first."""
    times = []
    for reject in rejects():
        if not admitted(reject.match, reject.k, reject.raw):
            raise AssertionError(f"{reject.name} was admitted as entry {reject.k}")
        taken = processor_ms(lambda one=reject: admitted(one.match, one.k, one.raw))
        times.append((taken, f"{reject.name} as entry {reject.k}"))
    for name, frame in largest_frames().items():
        taken = processor_ms(lambda one=frame: through_the_door(one))
        times.append((taken, f"a frame of {name}"))
    return sorted(times, reverse=True)


def bad_against_good(rounds):
    """Return (ratio, milliseconds of the honest entry, what) for every bad proof, the worst ratio
    first."""
    ratios = []
    for pair in pairs():
        code = admitted(pair.match, pair.k, pair.bad)
        if code != "bad-proof":
            raise AssertionError(f"{pair.name} is {code or 'admitted'}")
        good, bad, honest = [], [], pair.match.entries[pair.k]
        for _ in range(rounds):
            good.append(processor_ms(lambda: admitted(pair.match, pair.k, honest), 1))  # noqa: B023
            bad.append(processor_ms(lambda: admitted(pair.match, pair.k, pair.bad), 1))  # noqa: B023
        ratios.append((median(bad) / median(good), median(good), pair.name))
    return sorted(ratios, reverse=True)


def main():
    args = options(__doc__, rounds=(15, "for each pair of proofs")).parse_args()
    gc.disable()
    times = structural()
    for taken, name in times[:10]:
        print(f"{taken:8.2f} ms      {name}", flush=True)
    ratios = bad_against_good(args.rounds)
    for ratio, good, name in ratios[:12]:
        print(f"{ratio:8.3f}         {name} (good: {good:.1f} ms)", flush=True)
    slowest, worst = times[0][0], ratios[0][0]
    result(
        f"slowest structural refusal of {len(times)}",
        f"{slowest:.2f} ms ({times[0][1]})",
        f"under {STRUCTURAL_MS:g} ms",
    )
    result(
        f"bad proof to good one, worst of {len(ratios)}",
        f"{worst:.3f} ({ratios[0][2]})",
        f"at most {BAD_TO_GOOD}",
    )
    return 0 if slowest < STRUCTURAL_MS and worst <= BAD_TO_GOOD else 1


if __name__ == "__main__":
    sys.exit(main())
