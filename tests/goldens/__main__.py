"""Write the corpus to a folder, compare it with the folder's files, or update its hashes."""

from __future__ import annotations

import argparse
import difflib
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.goldens import forms, homes, logs, sessions, wire
from tests.goldens.sums import SUMS, sum_of, sums
from tests.toy_group import toy_group

SHOWN = 40
"""How many lines of a difference to show per file."""


def corpus(only: str = "", *, typed: bool) -> Iterator[tuple[str, str]]:
    """Yield every file of the corpus whose name begins with *only*: its name and its text."""
    for name, text in _made(only, typed=typed):
        if name.startswith(only):
            yield name, text


def _made(only: str, *, typed: bool) -> Iterator[tuple[str, str]]:
    """Yield at least the files that `corpus` needs, and skip the work for others if possible."""

    def wanted(folder: str) -> bool:
        return folder.startswith(only) or only.startswith(folder)

    with tempfile.TemporaryDirectory() as folder:
        if wanted("wire/"):
            yield "wire/codes", wire.codes()
        if wanted("help/"):
            for name, text in wire.helps(Path(folder)):
                yield f"help/{name}", text
        if wanted("wire/seed-"):
            for name, text in wire.simulated():
                yield f"wire/{name}", text
        yield from about(logs.frozen(), Path(folder), wanted)
        with toy_group():
            yield from about(logs.played(), Path(folder), wanted)
            if wanted("home/"):
                for form, text in homes.of_many(Path(folder)):
                    yield f"home/{form}", text
    if typed and wanted("sessions/"):
        yield from sessions.typed()


def about(
    matches: logs.Logs, folder: Path, wanted: Callable[[str], bool]
) -> Iterator[tuple[str, str]]:
    """Yield the output of each command for each of these logs that is *wanted*."""
    for name, read in matches.items():
        if not wanted(f"logs/{name}/"):
            continue
        log = read()
        yield f"logs/{name}/log", f"{log.hex()}\n"
        for form, text in forms.printed(name, log, folder):
            yield f"logs/{name}/{form}", text
        if name in logs.seeds():
            for form, text in homes.of_one(name, log, folder):
                yield f"logs/{name}/{form}", text


def difference(name: str, before: str, after: str) -> str:
    """Return the beginning of a unified diff."""
    lines = difflib.unified_diff(
        before.splitlines(),
        after.splitlines(),
        f"{name} (before)",
        f"{name} (now)",
        lineterm="",
        n=1,
    )
    shown = [line[:400] for line, _ in zip(lines, range(SHOWN), strict=False)]
    return "\n".join(shown)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.goldens", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="where the corpus is")
    parser.add_argument("--compare", action="store_true", help="compare instead of writing")
    parser.add_argument("--sums", action="store_true", help=f"write {SUMS.name} instead")
    parser.add_argument(
        "--only", default="", metavar="PREFIX", help="only files whose name begins so, like help/"
    )
    parser.add_argument("--no-sessions", action="store_true", help="leave typed sessions out")
    args = parser.parse_args()
    if args.sums:
        kept = {name: each for name, each in sums().items() if not name.startswith(args.only)}
        made = {name: sum_of(text) for name, text in corpus(args.only, typed=False)}
        lines = [f"{each}  {name}\n" for name, each in sorted((kept | made).items())]
        SUMS.write_text("".join(lines), "ascii")
        return 0
    if args.folder is None:
        parser.error("name a folder")
    different = count = 0
    for name, text in corpus(args.only, typed=not args.no_sessions):
        path = args.folder / name
        count += 1
        if not args.compare:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8", newline="")
            continue
        before = path.read_bytes().decode() if path.exists() else ""
        if before != text:
            different += 1
            print(difference(name, before, text), flush=True)
    print(f"{count} files{f', {different} of them different' if args.compare else ''}")
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(main())
