"""The golden logs of tests/vectors/logs/v1, with their verdicts and checksums.

They are frozen, and the verdict on them must stay the same (PROTOCOL 7.4). `freeze` adds a log,
whose entries can be made with tests/matches/scenes.py and tests/cheating.
"""

from __future__ import annotations

import hashlib
import io
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

from cli.main import main
from ginpeer.rules.ruleset import PRESETS

FOLDER = Path(__file__).parent.parent / "vectors" / "logs" / "v1"
SUMS = FOLDER / "SHA256SUMS"


def sums() -> dict[str, str]:
    """Return the SHA-256 of every golden file, by its name."""
    lines = SUMS.read_text("ascii").splitlines()
    return {name: digest for digest, name in (line.split("  ") for line in lines)}


GOLDEN = [name.removesuffix(".ginlog") for name in sums() if name.endswith(".ginlog")]
EVIDENCE = [name for name in GOLDEN if name.startswith("evidence-")]
WHOLE = (
    *PRESETS,
    *("resigned", "resumed", "never-disclosed", "disclosed-after-hand", "second-deck", "void-hand"),
)
NOT_KEPT = {"log-too-large": "it takes more than 64 MiB, or more than 131,072 entries that hold"}
"""Codes of PROTOCOL 11.1 and 11.2 that no golden log has, with the reason."""


def verdict_on(name: str) -> tuple[int, str]:
    """Return the exit status and output of `ginpeer verify --json` on a golden log."""
    out, err = io.StringIO(), io.StringIO()
    with chdir(FOLDER), redirect_stdout(out), redirect_stderr(err):
        status = main(["verify", "--json", f"{name}.ginlog"])
    assert not err.getvalue()
    return status, out.getvalue()


def sha256_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def freeze(name: str, log: bytes) -> None:
    """Write a new golden log, its verdict, and their checksums."""
    paths = [FOLDER / f"{name}.ginlog", FOLDER / f"{name}.json"]
    assert name not in GOLDEN
    paths[0].write_bytes(log)
    _, document = verdict_on(name)
    paths[1].write_text(document, "ascii")
    with SUMS.open("a", encoding="ascii") as file:
        file.writelines(f"{sha256_of(path)}  {path.name}\n" for path in paths)
