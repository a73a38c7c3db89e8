"""Check that a log gets the same verdict under any Python, libraries and environment.

Run by hand: ``python -m tests.campaign.same_verdict [--seed S]``. The logs are the golden ones
(whole matches, evidence, forgeries) and broken copies of them (tests/fuzz/logs.py). The settings
are

    python, -O, -OO              protobuf's back-ends upb and python      libsodium, plain Python
    locales C, POSIX, C.UTF-8, tr_TR.UTF-8 (which is built for this, if its source is installed)
    PYTHONHASHSEED 0, 1, random  PYTHONUTF8 0, 1                          three time zones
    a terminal of 20 columns, of 200

Under each of them, in its own process, ``verify --json`` and ``verify`` must print the same bytes
and end with the same status, for every log. Every combination of settings is tried on 40 logs whose
verdict needs no proof of a shuffle. On all logs we try every pair of values of two settings, and
all twelve combinations of optimisation, protobuf and group. Each process reports what it really ran
under, which is checked, too. *S* decides what is broken, and how settings are combined.

Not checked: other versions of Python and of the libraries, other systems and processors.
"""

import contextlib
import hashlib
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ginpeer.referee.referee import judge
from ginpeer.store import UnreadableLog, read_log
from tests.campaign.command import options, result
from tests.fuzz.logs import Sound
from tests.fuzz.logs import broken as broken_log

ROOT = Path(__file__).parent.parent.parent
GOLDEN = ROOT / "tests" / "vectors" / "logs" / "v1"

TURKISH = "tr_TR.UTF-8"

SETTINGS = {
    "optimised": ("", "-O", "-OO"),
    "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": ("upb", "python"),
    "GINPEER_GROUP": ("sodium", "pure"),
    "LC_ALL": ("C", "POSIX", "C.UTF-8", TURKISH),
    "PYTHONHASHSEED": ("0", "1", "random"),
    "PYTHONUTF8": ("0", "1"),
    "TZ": ("UTC", "Asia/Kathmandu", "Pacific/Kiritimati"),
    "COLUMNS": ("20", "200"),
}
HEAVY = ("optimised", "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION", "GINPEER_GROUP")
BROKEN, QUICK = 60, 40

# Judges the logs listed in the file that its argument names, one by one, as `ginpeer verify` does.
# At the end, it writes to standard error what it ran under.
_VERIFIER = """
import json, locale, sys, time
from cli.main import main
with open(sys.argv[1]) as named:
    names = named.read().split()
for name in names:
    for option in (["--json"], []):
        status = main(["verify", *option, name])
        print("status", status)
from google.protobuf.internal import api_implementation
from protocol.crypto import group
json.dump([sys.flags.optimize, api_implementation.Type(), group._backend.name,
           sys.flags.utf8_mode, time.tzname[0], sys.flags.hash_randomization,
           locale.setlocale(locale.LC_CTYPE)], sys.stderr)
"""


@dataclass(frozen=True)
class Setting:
    """One value for each of the settings."""

    values: tuple[str, ...]

    def __getitem__(self, name):
        return self.values[list(SETTINGS).index(name)]

    def run(self, folder, names):
        """Return what `verify` prints about these logs, and what it ran under."""
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "LINES": "5"}
        environment.pop("LANG", None)
        environment |= dict(zip(list(SETTINGS)[1:], self.values[1:], strict=True))
        if self["LC_ALL"] == TURKISH and has_turkish(folder):
            environment["LOCPATH"] = str(folder)
        listed = folder / "names"
        listed.write_text("\n".join(names))
        options = [self["optimised"]] if self["optimised"] else []
        done = subprocess.run(
            [sys.executable, *options, "-c", _VERIFIER, str(listed)],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
        )
        if done.returncode:
            return f"exit status {done.returncode}: {done.stderr.decode('utf-8', 'replace')}"
        *said, ran_under = done.stderr.decode().splitlines()
        wrong = self.did_not_apply(json.loads(ran_under), has_turkish(folder))
        if wrong:
            return f"not what was asked for: {wrong}"
        return done.stdout, tuple(said)

    def did_not_apply(self, ran_under, is_turkish_there):
        optimised, protobuf, group, utf8, zone, randomised, kind = ran_under
        expected = {
            "optimised": (len(self["optimised"].strip("-")), optimised),
            "protobuf": (self["PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION"], protobuf),
            "group": (self["GINPEER_GROUP"], group),
            "utf8": (int(self["PYTHONUTF8"]), utf8),
            "hashes": (int(self["PYTHONHASHSEED"] != "0"), randomised),
            "Turkish": (self["LC_ALL"] == TURKISH and is_turkish_there, kind == TURKISH),
            "zone": (self["TZ"] == "UTC", zone == "UTC"),
        }
        return {name: pair for name, pair in expected.items() if pair[0] != pair[1]}

    def __str__(self):
        return " ".join(filter(None, self.values))


def has_turkish(folder):
    """Return whether the locale was built. If its source is missing, localedef leaves its folder
    empty, and the C library then uses no locale for it."""
    made = folder / TURKISH / "LC_CTYPE"
    return made.is_file() and made.stat().st_size > 0


def product() -> Iterator[Setting]:
    """Yield every combination of settings."""
    for values in itertools.product(*SETTINGS.values()):
        yield Setting(values)


def pairwise(rng) -> list[Setting]:
    """Return settings in which every pair of values of two settings occurs, and every combination
    of the costly ones."""
    of_each = [[(name, value) for value in SETTINGS[name]] for name in SETTINGS]
    missing = {
        frozenset(pair)
        for one, other in itertools.combinations(of_each, 2)
        for pair in itertools.product(one, other)
    }
    heavy = list(itertools.product(*(SETTINGS[name] for name in HEAVY)))
    chosen = []
    while missing or len(chosen) < len(heavy):
        fixed = heavy[len(chosen) % len(heavy)]
        tries = [_completed(fixed, rng) for _ in range(60)]
        chosen.append(max(tries, key=lambda setting: len(_pairs(setting) & missing)))
        missing -= _pairs(chosen[-1])
    return chosen


def _completed(fixed, rng):
    rest = [rng.choice(values) for values in list(SETTINGS.values())[len(HEAVY) :]]
    return Setting((*fixed, *rest))


def _pairs(setting):
    values = list(zip(SETTINGS, setting.values, strict=True))
    return {frozenset(pair) for pair in itertools.combinations(values, 2)}


# --- the logs --------------------------------------------------------------------------------


def broken(rng, count) -> Iterator[tuple[str, bytes]]:
    """Yield broken golden logs: a name, and the bytes of the file."""
    short = ("disclosed-after-hand", "resigned", "second-deck", "mahjong", "never-disclosed")
    logs = [Sound.read(GOLDEN / f"{name}.ginlog") for name in short]
    for number in range(count):
        yield f"broken-{number}", broken_log(rng.choice(logs), logs, rng)


def _needs_no_shuffle(path):
    """Return whether the verdict comes within four entries, none of which proves a shuffle."""
    try:
        entries = read_log(path).entries
    except UnreadableLog:
        return True
    return len(entries) <= 4 or judge(entries[:4]).entries < 4


def lay_out(folder, seed, count):
    """Write the logs to a folder; return all names, and the names of those judged quickly."""
    rng = random.Random(seed)
    with contextlib.suppress(OSError):  # if there is no localedef
        make = ["localedef", "-i", "tr_TR", "-f", "UTF-8", str(folder / TURKISH)]
        subprocess.run(make, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for path in GOLDEN.glob("*.ginlog"):
        shutil.copy(path, folder)
    for name, data in broken(rng, count):
        (folder / f"{name}.ginlog").write_bytes(data)
    paths = sorted(folder.glob("*.ginlog"))
    return [path.name for path in paths], [p.name for p in paths if _needs_no_shuffle(p)]


# --- the run ---------------------------------------------------------------------------------


class Compared:
    """The first answer about some logs, and which settings answered differently."""

    def __init__(self, folder, names):
        self.folder = folder
        self.names = names
        self.first = None
        self.count = 0

    def differs(self, setting):
        """Return what is wrong under this setting, or None if it prints the same as the others."""
        answer = setting.run(self.folder, self.names)
        self.count += 1
        if isinstance(answer, str):
            return answer
        if self.first is None:
            self.first = answer
        if answer != self.first:
            return f"other output, SHA-256 {hashlib.sha256(answer[0]).hexdigest()}"
        return None


def main():
    args = options(__doc__, seed=1).parse_args()
    rng, failed = random.Random(args.seed), 0
    folder = Path(tempfile.mkdtemp(prefix="same-"))
    try:
        every, quick = lay_out(folder, args.seed, BROKEN)
        print(f"{len(every)} logs, {len(quick)} of them without a shuffle", flush=True)
        quick = rng.sample(quick, QUICK)
        for names, settings in ((every, pairwise(rng)), (quick, list(product()))):
            compared = Compared(folder, names)
            for setting in settings:
                wrong = compared.differs(setting)
                failed += wrong is not None
                if wrong is not None:
                    print(f"{setting}: {wrong}", flush=True)
                elif compared.count % 50 == 0 or names is every:
                    print(f"{compared.count} of {len(settings)} settings", flush=True)
            what = f"{len(names)} logs judged alike under {compared.count} settings"
            result(what, f"{failed} differed", "none", args.seed)
    finally:
        shutil.rmtree(folder)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
