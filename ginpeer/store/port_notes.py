# What the routers may have open for one port of ours, so that the next start can take it back after
# a crash. A file for each port: whoever listens there is the only one who asks for it.

"""The notes of what stands open at routers, one file for each port of ours."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ginpeer.store import files
from ginpeer.store.errors import store_error

_MAX_FILE_BYTES: Final = 1 << 14
_NAME: Final = re.compile(r"port-([1-9][0-9]{0,4})\.json", re.ASCII)


class MappingNotes:
    """The notes in a home that may not be there yet."""

    def __init__(self, home: Path) -> None:
        self._folder = home / "routers"

    def ports(self) -> Iterator[int]:
        """The ports of which there is a note."""
        try:
            names = sorted(path.name for path in self._folder.iterdir())
        except OSError:
            return
        for name in names:
            found = _NAME.fullmatch(name)
            if found is not None and int(found[1]) <= 0xFFFF:
                yield int(found[1])

    def read(self, port: int) -> str | None:
        """The note of this port; None if there is none, or none that can be read: then the routers
        close it when its time is over."""
        try:
            return files.read_small(self._path(port), _MAX_FILE_BYTES).decode("ascii", "replace")
        except OSError:
            return None

    def write(self, port: int, text: str) -> None:
        """Durable when it returns. Raises `StoreError`."""
        files.make_folder(self._folder)
        files.write_atomically(self._path(port), text.encode("ascii"), replace=True)

    def forget(self, port: int) -> None:
        """There is nothing open any more. Raises `StoreError`."""
        try:
            files.unlink(self._path(port))
        except FileNotFoundError:
            return
        except OSError as why:
            raise store_error("remove", self._path(port), why) from why

    def _path(self, port: int) -> Path:
        return self._folder / f"port-{port}.json"
