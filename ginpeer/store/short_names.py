"""What each stored match is called for short, now and later.

# Rule 1: of matches that begin alike, the one that was there first has the shorter name, whatever
#         the other's host has chosen as its table's id. Our notes say when a match began; a match
#         without notes comes after all that have some, for it may have come at any time.
# Rule 2: where that leaves anything open, the name is remembered from the first listing on: for
#         each log without notes, and for all that begin alike. So nothing depends on the times of a
#         file, which change when a home is copied.
# Rule 3: a remembered name stays when its log is gone, so that no other match takes it, and the log
#         has it again when it is restored.
# Rule 4: the memory is bounded, and never fails a list. If it cannot be kept, or was deleted, a
#         match that begins as another does, one of them without notes, may be renamed; no other.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Final

from ginpeer.store import files
from ginpeer.store.errors import StoreError
from ginpeer.store.json_files import read_json
from ginpeer.store.match_files import NAME_DIGITS

_FILE: Final = "short_names.json"
_SHORT: Final = 6
"""Digits of a name that are told where they tell the log from all that were there before: two of a
thousand logs share them once in thirty homes."""
_MAX_KEPT: Final = 50_000
_MAX_BYTES: Final = 2 * 1024 * 1024  # 24 for each
_NAME: Final = re.compile(rf"[0-9a-f]{{{NAME_DIGITS}}}")


class ShortNames:
    """The short names of the matches in a home."""

    def __init__(self, home: Path) -> None:
        self._path = home / _FILE
        self._stamp: tuple[int, int, int] | None = None
        self._digits: dict[str, int] = {}  # of those that are remembered
        self._unkept = False

    def called(
        self, names: Collection[str], noted: Collection[str], begun: Callable[[str], int | None]
    ) -> dict[str, str]:
        """Return the short names of the logs with these names. *noted*: those with notes; *begun*:
        when a match was begun, as its notes say, in seconds since 1970, or None if they can't be
        read. It is asked only about logs that begin alike."""
        kept = self._kept()
        alike: dict[str, list[str]] = {}
        for name in {*names, *kept}:
            alike.setdefault(name[:_SHORT], []).append(name)
        digits: dict[str, int] = {}
        for group in alike.values():
            digits |= _told_apart(group, kept, begun)
        new = {
            name: digits[name]
            for name in names
            if name not in kept and (name not in noted or len(alike[name[:_SHORT]]) > 1)
        }
        self._keep(new, names)
        return {name: name[: digits[name]] for name in names}

    def _kept(self) -> Mapping[str, int]:
        """For each remembered match, how many digits its short name has."""
        try:
            held = os.stat(self._path)
        except OSError:
            self._stamp, self._digits = None, {}
            return self._digits
        stamp = (held.st_ino, held.st_mtime_ns, held.st_size)
        if stamp != self._stamp:
            self._stamp, self._digits = stamp, self._read()
        return self._digits

    def _read(self) -> dict[str, int]:
        """Read what is remembered, without impossible entries: two with the same short name, or a
        name that isn't part of a log's."""
        kept = read_json(self._path, _MAX_BYTES)
        found: dict[str, int] = {}
        taken = set()
        for name, count in kept.items() if isinstance(kept, dict) else ():
            usable = type(count) is int and _SHORT <= count <= NAME_DIGITS
            if usable and _NAME.fullmatch(name) and name[:count] not in taken:
                found[name] = count
                taken.add(name[:count])
        return found

    def _keep(self, new: Mapping[str, int], names: Collection[str]) -> None:
        """Remember these, too. Past the limit, drop names whose logs no longer exist."""
        if not new or self._unkept:
            return
        try:
            with files.locked(self._path.with_suffix(".lock")):
                kept = {**new, **self._read()}  # what another process has called so stays
                if len(kept) > _MAX_KEPT:
                    here = set(names)
                    kept = {name: kept[name] for name in kept if name in here}
                if len(kept) > _MAX_KEPT:
                    return
                data = json.dumps(kept, sort_keys=True, indent=0).encode() + b"\n"
                files.write_atomically(self._path, data, replace=True)
        except StoreError:
            self._unkept = True  # it is not tried again for each list


def _told_apart(
    group: list[str], kept: Mapping[str, int], begun: Callable[[str], int | None]
) -> dict[str, int]:
    """How many digits the short name of each of these names has, which begin alike."""
    digits = {name: kept[name] for name in group if name in kept}
    new = [name for name in group if name not in kept]
    since = {name: begun(name) for name in new} if len(group) > 1 else dict.fromkeys(new)
    for name in sorted(since, key=lambda name: (since[name] is None, since[name] or 0, name)):
        digits[name] = next(
            count
            for count in range(_SHORT, NAME_DIGITS + 1)
            if not any(old.startswith(name[:count]) for old in digits)
        )
    return digits
