"""A file that a command writes because its name was typed: whole or not at all, and none is written
over unasked."""

from __future__ import annotations

import os
from pathlib import Path

from cli.commands.home_and_log import store_failures
from cli.failure import USAGE, Failure
from ginpeer.names.shown import safe
from ginpeer.store import files


def writable_target(named: str, *, replace: bool) -> Path:
    """Where it will be written, behind links. Raises Failure, before anything is done, where it is
    there and may not be written over, or is no file."""
    try:
        target = Path(os.path.realpath(named))
        if not os.path.lexists(target):
            return target
    except ValueError as why:  # a NUL, or a character that no file name can have
        raise Failure("usage", f"{safe(named, 200)} cannot be a file's name.", USAGE) from why
    if not target.is_file():
        raise Failure("not-a-file", f"{safe(named, 200)} is not a file that can be written over.")
    if not replace:
        raise _exists(named)
    return target


def write_file(named: str, data: bytes | memoryview, replace: bool) -> None:
    """Write it. Raises Failure."""
    target = writable_target(named, replace=replace)
    with store_failures():
        if not files.write_atomically(target, data, replace=replace):
            raise _exists(named)


def _exists(named: str) -> Failure:
    return Failure("file-exists", f"{safe(named, 200)} exists already; --replace writes over it.")
