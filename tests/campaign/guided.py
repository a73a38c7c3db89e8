"""Coverage-guided fuzzing of every door for untrusted bytes (tests/fuzz/doors.py).

Run by hand, after `pip install -e '.[fuzz]'`: ``python -m tests.campaign.guided [--doors NAME,..]
[--seconds N] [--seed S] [--processes 2] [--keep 1]``. N: processor seconds for each door. libFuzzer
mutates inputs, and keeps those that reach a line or branch of protocol/, ginpeer/ or cli/ that none
reached before. Checked: what the door itself checks; an exception other than a listed refusal, an
answer that takes over ten seconds, or more than 1 GiB of memory is printed as a finding. With
--keep, the inputs that reached something new join tests/fuzz/corpus, which keeps the shortest, up
to 16 KiB for each door. Without atheris, this says so and ends.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.campaign.command import options, result, timed

PACKAGES = ["protocol", "ginpeer", "cli"]
MOST_KEPT = 16 * 1024
LONGEST_INPUT = 8192
LIMITS = ("-timeout=10", "-rss_limit_mb=1024", f"-max_len={LONGEST_INPUT}", "-verbosity=1")


def inside(name: str, arguments: list[str]) -> None:
    """Run as the process of one door, and never return. *arguments*: those of libFuzzer; the last
    one is a folder."""
    import atheris

    with atheris.instrument_imports(include=PACKAGES):
        from tests.fuzz.doors import DOORS, corpus
    folder, seeds = Path(arguments[-1]), DOORS[name].seeds()  # made before the clock runs
    if not any(folder.iterdir()):
        for number, data in enumerate((*corpus(name), *seeds)):
            (folder / f"seed{number}").write_bytes(data[:LONGEST_INPUT])
    atheris.Setup([f"guided-{name}", *arguments], DOORS[name].take)
    atheris.Fuzz()


def fuzz(name: str, seconds: int, seed: int, keep: bool) -> tuple[str, int, bool]:
    """Fuzz one door. Return a summary, how many inputs were tried, and whether no fault was found.

    libFuzzer measures wall-clock time, so we restart it until the processor time is used up.
    """
    from tests.fuzz.doors import CORPUS, corpus

    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder, "found")
        found.mkdir()
        used, tried, reached = 0.0, 0, "?"
        while used < seconds:
            limits = [f"-max_total_time={max(10, int(seconds - used))}", f"-seed={seed}"]
            places = [f"-artifact_prefix={folder}/", str(found)]
            run = [sys.executable, "-m", "tests.campaign.guided", "--inside", name]
            with Path(folder, "said").open("w+", errors="replace") as said:
                process = subprocess.Popen(
                    [*run, *LIMITS, *limits, "-print_final_stats=1", *places],
                    stdout=subprocess.DEVNULL,
                    stderr=said,
                )
                _, status, usage = os.wait4(process.pid, 0)
                said.seek(0)
                text = said.read()
            used += usage.ru_utime + usage.ru_stime
            seed += 1
            tried += int((re.findall(r"number_of_executed_units: *(\d+)", text) or [0])[-1])
            reached = (re.findall(r" cov: (\d+)", text) or [reached])[-1]
            if status:
                faults = "\n".join(text.splitlines()[-60:])
                return f"{name}: a fault after {tried} inputs\n{faults}", tried, False
        new = {each.read_bytes() for each in found.iterdir() if not each.name.startswith("seed")}
        kept, size = [], 0
        for data in sorted(new | set(corpus(name)), key=lambda data: (len(data), data)):
            size += 2 * len(data) + 1
            if data and size <= MOST_KEPT:
                kept.append(data)
        if keep:
            CORPUS.mkdir(exist_ok=True)
            text = "".join(f"{data.hex()}\n" for data in kept)
            (CORPUS / f"{name}.hex").write_text(text)
    return f"{name}: {tried} inputs in {used:.0f} s, {reached} edges, {len(kept)} kept", tried, True


def main() -> int:
    if sys.argv[1:2] == ["--inside"]:
        inside(sys.argv[2], sys.argv[3:])
    args = options(
        __doc__,
        doors=("", "names, with commas between; all if none"),
        seconds=(3600, "for each door"),
        seed=1,
        processes=2,
        keep=(0, "1 renews tests/fuzz/corpus"),
    ).parse_args()
    if importlib.util.find_spec("atheris") is None:
        print("atheris is not installed: pip install -e '.[fuzz]'")
        return 1
    from tests.fuzz.doors import DOORS

    names = args.doors.split(",") if args.doors else list(DOORS)
    say, whole, inputs, held = timed(), 0, 0, True
    with ThreadPoolExecutor(args.processes) as threads:
        jobs = [threads.submit(fuzz, n, args.seconds, args.seed, bool(args.keep)) for n in names]
        for job in jobs:
            line, tried, sound = job.result()
            say(line)
            inputs, held, whole = inputs + tried, held and sound, whole + sound
    result(
        "coverage-guided fuzzing: doors without a fault",
        f"{whole} of {len(names)}, {inputs} inputs, {args.seconds} s each",
        "all",
        args.seed,
    )
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
