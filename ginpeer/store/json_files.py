"""The small JSON files of a home: one way to read them, and one to write them.

# Rule 1: a file's size is checked before it is read, and its shape by the module that knows it.
# Rule 2: a file is replaced as a whole, and durable when writing it returns.
# Rule 3: most of these files can be lost without harm, so one that cannot be read or parsed counts
#         as missing. Only for the known peers, and for a match that is to be resumed, that is an
#         error.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ginpeer.store import files
from ginpeer.store.errors import store_error


def read_json(path: Path, limit: int) -> Any:
    """Return the document in a file of at most *limit* bytes; None if no document can be read."""
    try:
        return json.loads(files.read_small(path, limit))
    except (OSError, ValueError, RecursionError):
        return None


def write_json(path: Path, document: object, indent: int | None = 1) -> None:
    """Keep this document in the place of an earlier one. Raises StoreError."""
    data = json.dumps(document, indent=indent).encode("ascii") + b"\n"
    files.write_atomically(path, data, replace=True)


def remove(path: Path) -> None:
    """Remove a file; do nothing if there is none. Raises StoreError."""
    try:
        files.unlink(path)
    except FileNotFoundError:
        return
    except OSError as why:
        raise store_error("remove", path, why) from why
