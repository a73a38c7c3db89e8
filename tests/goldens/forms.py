"""The output of each command on a log, run in this process as `ginpeer` would run it."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

from cli.main import main
from cli.program import version
from ginpeer.page.frame import source_hash
from tests import page_build

FORMS: dict[str, tuple[str, ...]] = {
    "verify": ("verify", "{log}"),
    "verify-json": ("verify", "--json", "{log}"),
    "replay": ("replay", "{log}"),
    "replay-words": ("replay", "--words", "--full", "{log}"),
    "replay-events": ("replay", "--events", "{log}"),
    "analyse": ("analyse", "--all", "{log}"),
    "analyse-json": ("analyse", "--json", "{log}"),
    "gin": ("export", "--as", "text", "{log}"),
    "steps": ("export", "--as", "json", "{log}"),
    "page": ("export", "--as", "html", "{log}"),
}


def printed(name: str, log: bytes, folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the name of each form of a log, and its output, whose last line is the exit status."""
    path = folder / f"{name}.ginlog"
    path.write_bytes(log)
    for form, arguments in FORMS.items():
        text = run([each.format(log=path.name) for each in arguments], folder)
        yield form, _comparable(text) if form == "page" else text
    path.unlink()


def _comparable(page: str) -> str:
    """Return a page without the parts that every page of a version has in common: the packed
    script, which has its own tests, the hash of the script, and the version."""
    packed = page_build.PACKED.read_text("ascii")
    page = page.replace(packed, "").replace(source_hash(page_build.BUILT.read_text("utf-8")), "")
    return page.replace(f"ginpeer {version()}", "ginpeer VERSION")


def run(arguments: list[str], folder: Path) -> str:
    """Run a command in *folder*, with an empty home there and the clock in UTC."""
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", newline="", write_through=True)
    environ = {
        "COLUMNS": "80",
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
        "LOGNAME": "ada",
        "GINPEER_HOME": "home",
    }
    with (
        mock.patch.dict(os.environ, environ),
        chdir(folder),
        redirect_stdout(out),
        redirect_stderr(out),
    ):
        status = main(arguments)
    return f"{out.buffer.getvalue().decode()}[exit status {status}]\n"
