"""Run protobuf's two back-ends, upb and plain Python, on the same malformed bytes; expect the same
codes.

``python -m tests.fuzz.back_ends KIND SEED COUNT`` prints, as JSON, which back-end it runs on and
the outcome of each sample. This needs another process, because protobuf chooses its back-end when
it is imported.
"""

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

from google.protobuf.internal import api_implementation

from ginpeer.net.connection import MAX_GREETING
from ginpeer.store import read_log
from protocol.entry import NotCanonical, decode_body, encode_body, offered_version
from protocol.frames import MAX_FRAME
from protocol.messages import Malformed
from tests.fuzz.frames import heard, seeded, streams
from tests.fuzz.odd import odd
from tests.fuzz.protobuf import BODY, mutant, spoilt, tree

ROOT = Path(__file__).parents[2]
LOGS = ("one-hand", "second-deck", "mahjong-staged")


def frames(seed, count):
    """Return the decoder's code for each of the first streams, with alternating size limits."""
    given = itertools.islice(streams(seeded(seed)), count)
    return [heard(data, (MAX_GREETING, MAX_FRAME)[at % 2])[0] for at, data in enumerate(given)]


def bodies(seed, count):
    """Return the refusal code of each changed body of a recorded entry, and the version that the
    body offers."""
    rng, recorded = seeded(seed), []
    for name in LOGS:
        entries = read_log(ROOT / "tests" / "vectors" / "logs" / f"{name}.ginlog").entries
        recorded += [tree(raw[:-64], BODY) for raw in entries]
    found = []
    for _ in range(count):
        data = mutant(rng.choice(recorded), rng)
        data = spoilt(data, rng) if rng.random() < 0.1 else data
        found.append([_code(data), offered_version(data)])
    return found


def _code(data):
    try:
        body = decode_body(data)
    except (NotCanonical, Malformed) as refusal:
        return refusal.code
    except Exception as error:  # this test looks for any exception
        raise odd(f"{error!r}", data) from error
    if encode_body(body) != data:
        raise odd("not the one encoding", data)
    return ""


KINDS = {"frames": frames, "bodies": bodies}


def differ(kind, seed, count):
    """Return the numbers of the samples on which the two back-ends differ."""
    environment = {**os.environ, "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": "python"}
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.back_ends", kind, str(seed), str(count)],
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise odd(f"the other back-end fails: {done.stderr[-600:]}", b"")
    other, theirs = json.loads(done.stdout)
    if other == api_implementation.Type():
        raise odd(f"both processes use the {other} back-end", b"")
    ours = KINDS[kind](seed, count)
    return [at for at in range(count) if ours[at] != theirs[at]]


if __name__ == "__main__":
    kind, seed, count = sys.argv[1:]
    print(json.dumps([api_implementation.Type(), KINDS[kind](seed, int(count))]))
