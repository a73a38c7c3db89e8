"""Measure how long a player waits after a kill: `ginpeer resume` against `verify` of the same log.

Run by hand, on a quiet machine: ``python -m tests.campaign.resuming [--rounds 8]``. Two bots play a
long match with real processes, TCP and TLS. About once a hand both are killed, and each comes back
with ``resume``: the host first, until it listens with its seat restored; then the guest, until it
has resumed the match with the host. Each is timed from the start of the process. So is ``ginpeer
verify`` of the same log, just before. The result is the time that resuming takes beyond verifying.
Both verify every proof, so it shows the cost of everything else.

At the end the match is finished, and both logs must be equal and valid. Not measured: a host that
isn't back yet (a guest retries with growing pauses), and a machine that was off.
"""

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ginpeer.referee.referee import Finding, judge
from tests.campaign.command import Failed, options, result
from tests.campaign.kills import LONGEST_WAIT, begun, sides_in, until

RULES = "standard hands={}"
GOAL = 1.0
"""Seconds beyond verifying."""

A_HAND = 45  # how many entries the log grows by between rounds


def verifying(side):
    """Return the seconds that ``ginpeer verify`` takes for this side's log."""
    begun = time.monotonic()
    command = [sys.executable, "-m", "cli", "verify", str(side.logs[0])]
    done = subprocess.run(command, capture_output=True, check=False, timeout=LONGEST_WAIT)
    if done.returncode != 3:
        raise Failed(f"verify ended with {done.returncode}")
    return time.monotonic() - begun


def resuming(side, sign):
    """Return the seconds from the start of ``ginpeer resume`` until it prints *sign*; it keeps
    running."""
    begun = time.monotonic()
    side.resume()
    until(lambda: f"event {sign} " in side.text, side)
    return time.monotonic() - begun


def one_round(host, guest):
    """Kill both, and bring both back; return the seconds to resume and to verify, for host and
    guest."""
    for side in (host, guest):
        side.kill()
    verified = [verifying(side) for side in (host, guest)]
    took = [resuming(host, "listening"), resuming(guest, "resumed")]
    return list(zip(took, verified, strict=True))


def play(folder, rounds, tell=print):
    """Return the seconds that each resume takes beyond verifying. Raises Failed."""
    sides, figures, grown = sides_in(folder), [], 0
    try:
        host, guest = begun(sides, RULES.format(rounds + 2))
        for number in range(1, rounds + 1):
            grown = max(grown + A_HAND, len(guest.entries) + 1)
            until(lambda grown=grown: len(guest.entries) >= grown, guest)
            for side, (took, verified) in zip(sides, one_round(host, guest), strict=True):
                figures.append(took - verified)
                tell(
                    f"round {number}, {len(side.entries)} entries: the {side.role} resumed in "
                    f"{took:.2f} s; verify takes {verified:.2f} s"
                )
        for side in sides:
            if side.process.wait(LONGEST_WAIT) != 0:
                raise Failed(f"the {side.role} ended with {side.process.returncode}")
        if host.logs[0].read_bytes() != guest.logs[0].read_bytes():
            raise Failed("the two logs differ")
        if judge(host.entries).finding is not Finding.VALID:
            raise Failed("the log is not valid")
    finally:
        for side in sides:
            side.kill()
    return figures


def main():
    args = options(__doc__, rounds=(8, "how often both sides are killed")).parse_args()
    folder = Path(tempfile.mkdtemp(prefix="resuming-"))
    try:
        figures = play(folder, args.rounds, lambda line: print(line, flush=True))
    except Failed as why:
        print(f"{why}; see {folder}", flush=True)
        return 1
    shutil.rmtree(folder)
    worst, middle = max(figures), statistics.median(figures)
    result(
        "resume after a kill, beyond the time to verify the log",
        f"{worst:.2f} s at worst, median {middle:.2f} s, {len(figures)} resumes",
        f"under {GOAL:g} s",
        "none",
    )
    return 0 if worst < GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
