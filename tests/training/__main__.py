"""`python -m tests.training [NAME ...]`: learn the adviser's values again, and write them to the
folder from which they are shipped. This needs a C compiler, and takes about ten minutes for each
NAME on one core.

Afterwards, `python -m tests.training --plays` prints the digests that tests/adviser/test_values.py
expects, and `python -m tests.bench.players` measures how strong the values are.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import ginpeer.adviser
from tests.training.plans import LESSONS, learn, plays

SHIPPED = Path(ginpeer.adviser.__file__).parent


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.training", description=__doc__)
    parser.add_argument("name", nargs="*", choices=[*LESSONS, []], metavar="NAME")
    parser.add_argument("--hands", type=int, help="in the place of each lesson's own number")
    parser.add_argument("--to", type=Path, default=SHIPPED, help="the folder to write to")
    parser.add_argument("--plays", action="store_true", help="only say how the shipped files play")
    options = parser.parse_args()
    for name in options.name or LESSONS:
        if not options.plays:
            content = learn(name, options.hands)
            (options.to / f"{name}.values").write_bytes(content)
            print(content.partition(b"\n")[0].decode())
        if options.to == SHIPPED:
            print(f'    "{name}": "{plays(name)}",')


main()
