"""The lab: ``python -m tests.lab [SCENE ...] [--list] [--keep]``.

Builds homes, routers and an Internet out of network namespaces, plays a match in each scene with
the real commands, and prints a table. Needs Linux, root and nft; some scenes need Debian's
miniupnpd-nftables and tor as well. Nothing leaves the machine. The exit status is 0 if every scene
came out as expected, 1 if one did not, 2 if the lab cannot be built here.
"""

from __future__ import annotations

import argparse
import shutil
import signal
import sys
import tempfile
from pathlib import Path

from tests.lab.namespaces import LabError, alone, lacking, take_down
from tests.lab.play import Played, play
from tests.lab.scenes import SCENES, scenes_named
from tests.lab.table import expectation, row, text


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.lab", description=__doc__)
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help="all of them, if none is named")
    parser.add_argument("--list", action="store_true", help="name the scenes, and play none")
    parser.add_argument("--keep", action="store_true", help="keep the players' homes and output")
    asked = parser.parse_args()
    if asked.list:
        for scene in SCENES:
            print(f"{scene.name:20} {scene.title}")
        return 0
    try:
        scenes = scenes_named(asked.scenes)
    except ValueError as error:
        parser.error(str(error))
    missing = lacking()
    if missing is not None:
        print(missing, file=sys.stderr)
        return 2
    # When terminated, the lab takes its namespaces down, as after Ctrl-C.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    folder = Path(tempfile.mkdtemp(prefix="ginlab-"))
    rows: list[Played] = []
    failed = False
    try:
        with alone():
            try:
                for scene in scenes:
                    failed |= not _one(scene, folder / scene.name, rows)
            finally:
                take_down()
    except LabError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nCtrl-C: the rest is not played.", file=sys.stderr)
        failed = True
    finally:
        if asked.keep:
            print(f"kept: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
        if rows:
            print(f"\n{text(rows)}")
    return 1 if failed else 0


def _one(scene, folder: Path, rows: list[Played]) -> bool:
    """Play one scene; return whether it had the expected outcome."""
    without = [program for program in scene.needs if shutil.which(program) is None]
    if without:
        print(f"{scene.name}: not played, {', '.join(without)} is not installed", flush=True)
        return False
    folder.mkdir()
    try:
        played = play(scene, folder)
    except LabError as error:
        print(f"{scene.name}: the lab failed: {error}", flush=True)
        return False
    rows.append(played)
    print(f"{scene.name}: {' | '.join(row(played)[1:])}", flush=True)
    if played.as_expected():
        return True
    print(
        f"  expected: {expectation(played)}; {played.why_not or 'the logs are as they should be'}"
    )
    for name, lines in (("host", played.host), ("guest", played.guest)):
        print("".join(f"  {name}> {line}\n" for line in lines), end="", flush=True)
    return False


if __name__ == "__main__":
    sys.exit(main())
