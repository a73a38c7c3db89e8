"""The short names of stored matches, and how they stay the same.

Rule 1: of matches whose ids begin with the same digits, the earliest has the shortest name,
        whatever table id the host of another match has chosen. Our notes say when a match began.
        Matches without notes come last, since they may have been added at any time.
Rule 2: names that can't be decided by our notes alone are remembered once they have been listed:
        those of logs without notes, and of logs whose ids begin with the same digits. So nothing
        depends on a file's times, which change when a home is copied.
Rule 3: a remembered name stays reserved after its log is deleted, so that no other match takes it
        and the log gets it back when it is restored.
Rule 4: the file of remembered names is bounded, and never makes a list fail. If it can't be stored,
        or was deleted, a match may be renamed only if another's id begins with the same digits and
        one of them has no notes.
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
"""How many digits of a log's name usually distinguish it from all earlier logs. In about one of
thirty homes with a thousand logs each, two logs have the same first six digits."""
_MAX_KEPT: Final = 50_000
_MAX_BYTES: Final = 2 * 1024 * 1024  # 24 for each name
_NAME: Final = re.compile(rf"[0-9a-f]{{{NAME_DIGITS}}}")


class ShortNames:
    def __init__(self, home: Path) -> None:
        self._path = home / _FILE
        self._stamp: tuple[int, int, int] | None = None
        self._digits: dict[str, int] = {}  # of the remembered names
        self._unkept = False

    def names_for(
        self, names: Collection[str], noted: Collection[str], begun: Callable[[str], int | None]
    ) -> dict[str, str]:
        """Return the short names of these logs. *noted*: those with notes. *begun*: returns when a
        match began according to its notes, in seconds since 1970, or None if they can't be read. It
        is called only for logs whose names begin alike."""
        kept = self._kept()
        alike: dict[str, list[str]] = {}
        for name in {*names, *kept}:
            alike.setdefault(name[:_SHORT], []).append(name)
        digits: dict[str, int] = {}
        for group in alike.values():
            digits |= _digits_of(group, kept, begun)
        new = {
            name: digits[name]
            for name in names
            if name not in kept and (name not in noted or len(alike[name[:_SHORT]]) > 1)
        }
        self._keep(new, names)
        return {name: name[: digits[name]] for name in names}

    def _kept(self) -> Mapping[str, int]:
        """Return for each remembered match how many digits its short name has."""
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
        """Read the remembered names. Skip invalid ones and repeated short names."""
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
        """Remember the *new* names too. Past the limit, drop names whose logs no longer exist."""
        if not new or self._unkept:
            return
        try:
            with files.locked(self._path.with_suffix(".lock")):
                kept = {**new, **self._read()}  # names that another process has remembered stay
                if len(kept) > _MAX_KEPT:
                    here = set(names)
                    kept = {name: kept[name] for name in kept if name in here}
                if len(kept) > _MAX_KEPT:
                    return
                data = json.dumps(kept, sort_keys=True, indent=0).encode() + b"\n"
                files.write_atomically(self._path, data, replace=True)
        except StoreError:
            self._unkept = True  # don't try again for each list


def _digits_of(
    group: list[str], kept: Mapping[str, int], begun: Callable[[str], int | None]
) -> dict[str, int]:
    """Return how many digits the short name of each of these names, which begin alike, has."""
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
