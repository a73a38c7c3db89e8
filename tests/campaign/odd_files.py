"""Give odd files to each command that reads logs; every command must end at once.

Run by hand: ``python -m tests.campaign.odd_files [--only NAME ...]``. Pipes, devices, sockets,
folders, circular links, empty sparse files of 10 GB, files of the largest size filled with noise,
and files that change while they are read. Each is given to the real ``ginpeer verify``, ``replay``,
``analyse`` and ``tally``, as text and as JSON, in its own process; some are placed in a home for
``logs``. Checked for each: the exit status, the code, that there is one sentence (one document in
JSON) and no traceback; that it took less than 2 seconds; and that the process used less than 100
MiB. Not checked: logs that are valid for a long stretch, whose proofs take the time they need.

The time is the median of three runs, because another process may have used the machine during one
of them.
"""

import contextlib
import json
import os
import pty
import random
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ginpeer.store.log import MAGIC, MAX_ENTRIES, MAX_ENTRY_BYTES, MAX_LOG_BYTES
from tests.campaign.command import options, result

ROOT = Path(__file__).parent.parent.parent
LOG = ROOT / "tests" / "vectors" / "logs" / "one-hand.ginlog"
COMMANDS = (
    ("verify",),
    ("verify", "--json"),
    ("replay",),
    ("replay", "--values"),
    ("analyse",),
    ("analyse", "--json"),
    ("tally",),
)

SECONDS = 2.0
MEBIBYTES = 100
RUNS = 3

# We can't measure the memory of our own child: what the kernel reports starts with our memory,
# because the child is a copy of us until it runs another program. So a small process runs in
# between.
_BETWEEN = """
import json, resource, subprocess, sys, time
begun = time.monotonic()
done = subprocess.run(sys.argv[2:], capture_output=True, timeout=float(sys.argv[1]),
                      stdin=sys.stdin)
seconds = time.monotonic() - begun
most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
json.dump([done.returncode, done.stdout.decode("utf-8", "replace"),
           done.stderr.decode("utf-8", "replace"), seconds, most], sys.stdout)
"""


@dataclass(frozen=True)
class Ended:
    """How a command ended, how long it took, and its peak memory."""

    status: int
    out: str
    err: str
    seconds: float
    mebibytes: float


# Drops the capability to read every file.
_AS_ANYBODY = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search")


def can_be_refused():
    """Return whether a process started here can be denied permission to read a file of ours."""
    return os.geteuid() != 0 or shutil.which(_AS_ANYBODY[0]) is not None


def run(arguments, *, stdin=subprocess.DEVNULL, cwd=None, as_anybody=False, **environment):
    """Run `ginpeer` with these arguments in its own process."""
    command = [*_AS_ANYBODY] if as_anybody else []
    command += [sys.executable, "-c", _BETWEEN, "60"]
    command += [sys.executable, "-m", "cli", *map(str, arguments)]
    where = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    done = subprocess.run(command, stdin=stdin, capture_output=True, cwd=cwd, env=where, check=True)
    status, out, err, seconds, most = json.loads(done.stdout)
    per_mebibyte = 2**20 if sys.platform == "darwin" else 2**10
    return Ended(status, out, err, seconds, most / per_mebibyte)


@dataclass(frozen=True)
class OddFile:
    """An odd file. *make* creates it in a folder, and returns the argument that names it.

    *codes* are the codes that a verdict on it may have. *stdin* opens what is piped in.
    """

    make: Callable[[Path], object]
    codes: tuple[str, ...]
    statuses: tuple[int, ...] = (2,)
    stdin: Callable[[], object] | None = None
    as_anybody: bool = False


# --- things that aren't files ----------------------------------------------------------------


def _fifo(folder):
    os.mkfifo(folder / "fifo")
    return folder / "fifo"


def _held_fifo(folder):
    """Return a pipe that another process has open for writing, but writes nothing to."""
    path = _fifo(folder)
    os.open(path, os.O_RDWR | os.O_NONBLOCK)  # until this process ends
    return path


def _socket(folder):
    with socket.socket(socket.AF_UNIX) as listener, contextlib.chdir(folder):
        listener.bind("socket")  # by its short name, because a socket's path may not be long
    return folder / "socket"


def _link(folder, name, target):
    (folder / name).symlink_to(target)
    return folder / name


def _loop(folder):
    _link(folder, "a", "b")
    return _link(folder, "b", "a")


def _terminal(folder):
    return os.ttyname(pty.openpty()[1])


def _locked_away(folder):
    path = folder / "private.ginlog"
    shutil.copy(LOG, path)
    path.chmod(0)
    return path


# --- files of odd sizes ----------------------------------------------------------------------


def _file(*parts, size=None):
    def make(folder):
        path = folder / "odd.ginlog"
        with path.open("wb") as file:
            for part in parts:
                file.write(part)
            if size is not None:
                file.truncate(size)
        return path

    return make


def _record(length):
    return length.to_bytes(4, "big") + random.Random(length).randbytes(length)


def _filled(record):
    """Repeat this record up to the largest size of a log."""

    def make(folder):
        return _file(MAGIC, record * ((MAX_LOG_BYTES - len(MAGIC)) // len(record)))(folder)

    return make


def _repeated_log(flip):
    """Return the log repeated up to the largest size. With *flip*, its first signature is wrong."""

    def make(folder):
        records = bytearray(LOG.read_bytes()[len(MAGIC) :])
        if flip:
            records[4 + int.from_bytes(records[:4], "big") - 1] ^= 1
        times = (MAX_LOG_BYTES - len(MAGIC)) // len(records)
        return _file(MAGIC, bytes(records) * times)(folder)

    return make


# --- files that change -----------------------------------------------------------------------


def _changing(change):
    """Change a log over and over as long as this process lives."""

    def make(folder):
        path = folder / "changing.ginlog"
        whole = LOG.read_bytes()
        path.write_bytes(whole)

        def go_on():
            step = 0
            while folder.exists():
                step += 1
                with contextlib.suppress(OSError), path.open("r+b") as file:
                    change(file, whole, step)
                time.sleep(0.001)

        threading.Thread(target=go_on, daemon=True).start()
        return path

    return make


def _grow(file, whole, step):
    file.seek(0, os.SEEK_END)
    if file.tell() < MAX_LOG_BYTES:
        file.write(whole[len(MAGIC) :])


def _breathe(file, whole, step):
    """Shorten the file by a varying part, and restore it."""
    file.truncate(len(whole) - step * 997 % len(whole))
    file.seek(0)
    file.write(whole)


ANYTHING = (
    "valid",
    "incomplete",
    "torn",
    "empty-log",
    "duplicate",
    "after-the-end",
    "bad-record",
    "log-too-large",
)
"""The possible codes for a file that changes: they depend on the moment."""

ODD = {
    "pipe": OddFile(_fifo, ("not-a-file",)),
    "pipe, opened by a silent writer": OddFile(_held_fifo, ("not-a-file",)),
    "socket": OddFile(_socket, ("not-a-file",)),
    "folder": OddFile(lambda folder: folder, ("not-a-file",)),
    **{
        device: OddFile(lambda _, device=device: device, ("not-a-file",))
        for device in ("/dev/zero", "/dev/full", "/dev/null", "/dev/random", "/dev/tty")
    },
    "terminal": OddFile(_terminal, ("not-a-file",)),
    "/proc/self/mem": OddFile(lambda _: "/proc/self/mem", ("disk-error", "empty-log")),
    "link to itself": OddFile(lambda folder: _link(folder, "me", "me"), ("no-such-log",)),
    "links in a circle": OddFile(_loop, ("no-such-log",)),
    "link to nowhere": OddFile(lambda folder: _link(folder, "l", "nowhere"), ("no-such-log",)),
    "link to a pipe": OddFile(lambda folder: _link(folder, "l", _fifo(folder)), ("not-a-file",)),
    "no file": OddFile(lambda folder: folder / "none", ("no-such-log",)),
    "a file in the place of a folder": OddFile(lambda _: LOG / "inside", ("no-such-log",)),
    "name of 5,000 letters": OddFile(lambda _: "x" * 5000, ("no-such-log",)),
    "name that isn't text": OddFile(lambda _: "\udcff\x1b[31m", ("no-such-log",)),
    "-": OddFile(lambda _: "-", ("no-such-log",), stdin=lambda: LOG.open("rb")),
    "/dev/stdin, a pipe": OddFile(
        lambda _: "/dev/stdin", ("not-a-file",), stdin=lambda: os.fdopen(os.pipe()[0], "rb")
    ),
    "without permission": OddFile(_locked_away, ("no-permission",), as_anybody=True),
    "empty": OddFile(_file(), ("empty-log",)),
    "text": OddFile(_file(b"Dear Ann, this is how it went.\n"), ("not-a-log",)),
    "later format": OddFile(_file(b"ginlog2\n", bytes(1000)), ("too-new",)),
    "10 GB of nothing": OddFile(_file(size=10 * 2**30), ("log-too-large",)),
    "log and 10 GB of nothing": OddFile(
        _file(LOG.read_bytes(), size=10 * 2**30), ("log-too-large",)
    ),
    "one byte too many": OddFile(_file(MAGIC, size=MAX_LOG_BYTES + 1), ("log-too-large",)),
    "64 MiB of zeros": OddFile(_file(MAGIC, size=MAX_LOG_BYTES), ("torn",), (3,)),
    "log and zeros up to 64 MiB": OddFile(
        _file(LOG.read_bytes(), size=MAX_LOG_BYTES), ("torn",), (1,)
    ),
    "64 MiB of text": OddFile(_filled(b"Lorem ipsum "), ("bad-record",)),
    "64 MiB of small records": OddFile(_filled(_record(508)), ("not-canonical",), (1,)),
    "64 MiB of the longest records": OddFile(
        _filled(_record(MAX_ENTRY_BYTES)), ("not-an-entry",), (1,)
    ),
    "64 MiB of the longest entries": OddFile(_filled(_record(65_600)), ("not-canonical",), (1,)),
    "2^17 entries of a byte": OddFile(
        _file(MAGIC, _record(1) * MAX_ENTRIES), ("not-an-entry",), (1,)
    ),
    "2^17 and one entries of a byte": OddFile(
        _file(MAGIC, _record(1) * (MAX_ENTRIES + 1)), ("not-an-entry",), (1,)
    ),
    "record of 4 GiB": OddFile(_file(MAGIC, b"\xff" * 100), ("bad-record",)),
    "64 MiB of a log, its first signature wrong": OddFile(
        _repeated_log(True), ("bad-signature",), (1,)
    ),
    "64 MiB of a log over and over": OddFile(_repeated_log(False), ("duplicate",), (1,)),
    "growing": OddFile(_changing(_grow), ANYTHING, (0, 1, 2, 3)),
    "shrinking and whole again": OddFile(_changing(_breathe), ANYTHING, (0, 1, 2, 3)),
}


# --- judging how a command ended -------------------------------------------------------------


def complaints(odd, command, ended):
    """Yield what is wrong with how a command ended on an odd file."""
    if ended.status not in odd.statuses and not _tally_of_one(command, ended):
        yield f"exit status {ended.status}"
    if "Traceback" in ended.out + ended.err or ended.status == 70:
        yield "an error of ours"
    said = ended.out + ended.err
    if "--json" in command:
        try:
            code = json.loads(ended.out)["code"]
        except (ValueError, KeyError):
            yield "no document"
        else:
            if code not in odd.codes:
                yield f"code {code}"
    elif not _tally_of_one(command, ended) and not _names_one(said, odd.codes):
        yield f"none of its codes: {said[-300:]!r}"
    if any(not (character.isprintable() or character == "\n") for character in said):
        yield "an unprintable character"
    if ended.status == 2 and command == ("verify",) and said.count("\n") != 1 and not ended.out:
        yield f"not one line: {said[-300:]!r}"


def _tally_of_one(command, ended):
    """Return whether a tally of a valid log fails because it is only the log of one table."""
    return command == ("tally",) and ended.status == 2 and "tally-" in ended.err + ended.out


def _names_one(said, codes):
    if "valid" in codes and "Your play cost you" in said:  # analysed, with no verdict printed
        return True
    words = {"valid": "VALID: ", "incomplete": "INCOMPLETE: ", "torn": "of an incomplete entry"}
    return any(f"({code})" in said or words.get(code, code) in said for code in codes)


def try_out(name, *, runs=RUNS, commands=COMMANDS):
    """Yield (command, how it ended with the median time, what is wrong) for one odd file."""
    odd = ODD[name]
    folder = Path(tempfile.mkdtemp(prefix="odd-"))
    folder.chmod(0o755)
    try:
        argument = odd.make(folder)
        for command in commands:
            ended = [_once(odd, command, argument, folder) for _ in range(runs)]
            seconds = statistics.median(one.seconds for one in ended)
            most = max(one.mebibytes for one in ended)
            wrong = [what for one in ended for what in complaints(odd, command, one)]
            yield command, seconds, most, wrong
    finally:
        shutil.rmtree(folder)


def _once(odd, command, argument, folder):
    with open(os.devnull, "rb") if odd.stdin is None else odd.stdin() as stdin:
        return run(
            (*command, argument),
            stdin=stdin,
            cwd="/",
            as_anybody=odd.as_anybody and os.geteuid() == 0,
            GINPEER_HOME=str(folder / "home"),
        )


def listed(names, runs=RUNS):
    """Run `ginpeer logs` on a home that has these odd files as stored matches."""
    folder = Path(tempfile.mkdtemp(prefix="odd-"))
    try:
        matches = folder / "matches"
        matches.mkdir()
        for number, name in enumerate(names):
            made = folder / str(number)
            made.mkdir()
            Path(ODD[name].make(made)).rename(matches / f"{number:016x}.ginlog")
        ended = [run(("logs", "--home", folder)) for _ in range(runs)]
    finally:
        shutil.rmtree(folder)
    wrong = [f"exit status {one.status}" for one in ended if one.status != 0]
    lines = [len(one.out.splitlines()) for one in ended]
    wrong += [f"{count} lines" for count in lines if count != len(names)]
    seconds = statistics.median(one.seconds for one in ended)
    return seconds, max(one.mebibytes for one in ended), wrong


STORED = (
    "10 GB of nothing",
    "64 MiB of zeros",
    "64 MiB of small records",
    "64 MiB of a log, its first signature wrong",
    "2^17 and one entries of a byte",
)


def main():
    parser = options(__doc__)
    parser.add_argument("--only", action="append", choices=tuple(ODD), help="this odd file")
    args = parser.parse_args()
    slowest, largest, count, failed = 0.0, 0.0, 0, 0
    for name in args.only or ODD:
        if ODD[name].as_anybody and not can_be_refused():
            print(f"{name}: not tried, for this user may read every file", flush=True)
            continue
        for command, seconds, most, wrong in try_out(name):
            count += 1
            slowest, largest = max(slowest, seconds), max(largest, most)
            if seconds >= SECONDS:
                wrong.append("too slow")
            if most >= MEBIBYTES:
                wrong.append("too large")
            failed += bool(wrong)
            told = f"{' '.join(command)}: {name}: {seconds:.2f} s, {most:.0f} MiB"
            print(f"{told}{'; ' if wrong else ''}{', '.join(wrong)}", flush=True)
    if not args.only:
        seconds, most, wrong = listed(STORED)
        failed += bool(wrong) or seconds >= SECONDS * len(STORED) or most >= MEBIBYTES
        count, largest = count + 1, max(largest, most)
        print(f"logs: {len(STORED)} of them: {seconds:.2f} s, {most:.0f} MiB {', '.join(wrong)}")
    result(
        f"odd files given to verify, replay, analyse, tally and logs ({count} runs)",
        f"at most {slowest:.2f} s, {largest:.0f} MiB, {failed} wrong",
        f"under {SECONDS:.0f} s, {MEBIBYTES} MiB, none wrong",
        "none",
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
