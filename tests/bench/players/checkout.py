"""Run the bot of another version from its own sources: a process started in a checkout of that
version is asked for each move. The engine there must support the same rules as ours."""

from __future__ import annotations

import pickle
import subprocess
import sys
from functools import cache
from pathlib import Path

from ginpeer.rules import Move, View, parse_move
from tests.bench.players.reference import Choose

_ASKED = """
import pickle, sys
try:
    from ginpeer.adviser.advise import choose
except ImportError:  # an older version
    try:
        from ginpeer.adviser import choose
    except ImportError:  # before version 1.6
        from ginpeer.bot import choose
while True:
    print(choose(pickle.load(sys.stdin.buffer)), flush=True)
"""


def is_checkout(folder: str) -> bool:
    return any((Path(folder) / "ginpeer" / name).is_dir() for name in ("adviser", "bot"))


@cache
def choose_of(folder: str) -> Choose:
    """Return the bot of the checkout in this folder. Its process ends with ours."""
    if not is_checkout(folder):
        raise FileNotFoundError(f"{folder} isn't a checkout of ginpeer")
    asked = subprocess.Popen(
        [sys.executable, "-c", _ASKED],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )

    def choose(view: View) -> Move:
        if asked.stdin is None or asked.stdout is None:
            raise AssertionError("both are pipes")
        asked.stdin.write(pickle.dumps(view))
        asked.stdin.flush()
        return parse_move(asked.stdout.readline().decode().strip())

    return choose
