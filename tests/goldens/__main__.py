"""Write the corpus into a folder, or compare it with the folder's files."""

from __future__ import annotations

import argparse
import difflib
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.goldens import forms, homes, logs, sessions, wire
from tests.goldens.sums import SUMS, sum_of
from tests.toy_group import toy_group

SHOWN = 40
"""How many lines of a difference to show per file."""


def corpus(*, typed: bool) -> Iterator[tuple[str, str]]:
    """Yield every file of the corpus: its name and its text."""
    with tempfile.TemporaryDirectory() as folder:
        yield "wire/codes", wire.codes()
        for name, text in wire.helps(Path(folder)):
            yield f"help/{name}", text
        for name, text in wire.simulated():
            yield f"wire/{name}", text
        yield from about(logs.frozen(), Path(folder))
        with toy_group():
            yield from about(logs.played(), Path(folder))
            for form, text in homes.of_many(Path(folder)):
                yield f"home/{form}", text
    if typed:
        yield from sessions.typed()


def about(matches: logs.Logs, folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the output of each command for each of these logs."""
    for name, read in matches.items():
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
    parser.add_argument("--no-sessions", action="store_true", help="leave typed sessions out")
    args = parser.parse_args()
    if args.sums:
        lines = [f"{sum_of(text)}  {name}\n" for name, text in corpus(typed=False)]
        SUMS.write_text("".join(sorted(lines, key=lambda line: line[18:])), "ascii")
        return 0
    if args.folder is None:
        parser.error("name a folder")
    different = count = 0
    for name, text in corpus(typed=not args.no_sessions):
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
