"""The folder in which everything of one player lies."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ginpeer.store import files
from ginpeer.store.errors import StoreError, shown, store_error
from ginpeer.store.identity_file import IdentityFile, Passphrase
from ginpeer.store.journal import (
    EVIDENCE_SUFFIXES,
    LOG_SUFFIX,
    NAME_DIGITS,
    NOTES_SUFFIX,
    SEEDS_SUFFIX,
    MatchNotes,
    Role,
    TableJournal,
    file_stem,
    read_notes,
)
from ginpeer.store.peers import KnownPeers
from ginpeer.store.seeds import read_seeds
from protocol.crypto.identity import IdentityKey

_NOT_FOR_GIT: Final = ".gitignore"
_LOG_NAME: Final = re.compile(rf"[0-9a-f]{{{NAME_DIGITS}}}{re.escape(LOG_SUFFIX)}")
_SHORT_NAME: Final = re.compile(rf"[0-9a-f]{{1,{NAME_DIGITS}}}")


_SHORT: Final = 6
"""Digits of a name that are told where they tell the log from all others: two of a thousand logs
share them once in thirty homes."""


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A log in our home: its name, where it is, when it was last written to, and ``short``, as much
    of the name as tells it from all others there."""

    name: str
    path: Path
    modified: float
    short: str


class Home:
    """A home folder. Nothing is made on disk before something is to be kept in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._notes: dict[str, tuple[tuple[int, int, int], MatchNotes | None]] = {}  # by log

    @classmethod
    def locate(cls, given: str | None, environ: Mapping[str, str]) -> Home:
        """`given` (from --home), else GINPEER_HOME, else the system's place for user data."""
        chosen = given or environ.get("GINPEER_HOME")
        try:
            if chosen:
                if b"\0" in os.fsencode(chosen):
                    raise StoreError("home-unusable", f"{shown(chosen)} cannot be a folder's name.")
                return cls(Path(chosen).expanduser().absolute())
            from platformdirs import user_data_path

            return cls(user_data_path("ginpeer", appauthor=False).absolute())
        except (OSError, RuntimeError, UnicodeError) as why:  # no such user, no current folder
            raise StoreError("no-home", "No folder for ginpeer's files is known.") from why

    @property
    def matches(self) -> Path:
        return self.path / "matches"

    # --- the identity key --------------------------------------------------------------

    @property
    def identity_file(self) -> IdentityFile:
        return IdentityFile(self.path / "identity.pem")

    def identity(
        self, rng: Callable[[int], bytes], passphrase: Passphrase | None = None
    ) -> IdentityKey:
        """Our key, made from `rng` the first time. Raises `StoreError`.

        `passphrase` is asked if the key is sealed with one; without it there is nobody to ask.
        """
        file = self.identity_file
        files.make_folder(self.path)
        key = file.load(passphrase)
        if key is not None:
            self._keep_name(file.path)
            return key
        # First: whoever keeps a home in a folder under version control has no moment in which the
        # key could be added to it.
        files.write_atomically(self.path / _NOT_FOR_GIT, b"*\n", replace=False)
        key = IdentityKey.generate(rng)
        if file.create(key, None, rng):
            return key
        other = file.load(passphrase)  # another process was faster
        if other is None:
            raise StoreError("bad-identity-file", f"{shown(file.path)} comes and goes.")
        return other

    def _keep_name(self, path: Path) -> None:
        """A process that died while it made the key may have left a name that a power cut takes."""
        try:
            files.sync_folder(self.path)
        except OSError as why:
            raise store_error("keep", path, why) from why

    # --- peers and matches -------------------------------------------------------------

    def known_peers(self, now: Callable[[], float]) -> KnownPeers:
        return KnownPeers(self.path / "known_peers.json", now)

    def new_journal(self, role: Role, name: str, now: Callable[[], float]) -> TableJournal:
        """Where a new match will be stored, once there is something to store."""
        return TableJournal(self.matches, role, name, now)

    def logs(self) -> tuple[StoredMatch, ...]:
        """The stored matches, the latest first. Raises `StoreError`."""
        found: list[tuple[str, Path, float]] = []
        try:
            with os.scandir(self.matches) as held:
                for entry in held:
                    if _LOG_NAME.fullmatch(entry.name) and entry.is_file():
                        with suppress(FileNotFoundError):  # an offer that came to nothing
                            modified = os.stat(entry.path).st_mtime
                            found.append((entry.name[:NAME_DIGITS], Path(entry.path), modified))
        except FileNotFoundError:
            return ()
        except OSError as why:
            raise store_error("list", self.matches, why) from why
        for name in self._notes.keys() - {name for name, _, _ in found}:
            del self._notes[name]
        digits = _digits_to_tell_apart([name for name, _, _ in found])
        logs = (StoredMatch(*each, short=each[0][:digits]) for each in found)
        return tuple(sorted(logs, key=lambda match: (-match.modified, match.name)))

    def log_of(self, table: bytes) -> Path | None:
        """The log of the match with this id, which may be damaged; None where there is none. No
        other one is looked at. Raises `StoreError`."""
        path = self.matches / (file_stem(table) + LOG_SUFFIX)
        try:
            return path if path.is_file() else None
        except OSError as why:
            raise store_error("list", self.matches, why) from why

    def short_name(self, path: Path) -> str:
        """What the log in this file is called for short: see StoredMatch. All of its name where the
        others cannot be listed."""
        try:
            return next(match.short for match in self.logs() if match.path == path)
        except (StopIteration, StoreError):
            return path.stem

    def notes(self, match: StoredMatch) -> MatchNotes | None:
        """Our side's notes on a match; None where there are none that can be read.

        They are kept in memory for as long as their file is the same: whoever looks for one
        player's matches asks for those of all.
        """
        try:
            held = os.stat(str(match.path).removesuffix(LOG_SUFFIX) + NOTES_SUFFIX)
        except OSError:
            return None
        stamp = (held.st_ino, held.st_mtime_ns, held.st_size)
        known = self._notes.get(match.name)
        if known is None or known[0] != stamp:
            known = self._notes[match.name] = (stamp, read_notes(match.path))
        return known[1]

    def seeds(self, table: bytes) -> Mapping[int, bytes]:
        """Our hand seeds for this table, by hand number; empty where we did not play.

        Raises `StoreError` if there are some that cannot be read. They show our cards: they are
        for our own eyes.
        """
        path = self.matches / (file_stem(table) + SEEDS_SUFFIX)
        return read_seeds(path)[0] if os.path.lexists(path) else {}

    def evidence(self, match: StoredMatch) -> tuple[Path, ...]:
        """The evidence kept beside a match."""
        return self.evidence_beside(match.path)

    def evidence_beside(self, log: Path) -> tuple[Path, ...]:
        """The evidence kept beside this log. The folder is not read: it may hold many."""
        beside = (log.with_name(log.stem + suffix) for suffix in EVIDENCE_SUFFIXES)
        return tuple(path for path in beside if path.is_file())

    def log_named(self, text: str) -> StoredMatch | None:
        """The one match whose short name begins with `text`; None if `text` is no such name.

        Raises `StoreError` with code ambiguous-log if there are several.
        """
        if not _SHORT_NAME.fullmatch(text):
            return None
        found = [match for match in self.logs() if match.name.startswith(text)]
        if len(found) > 1:
            raise StoreError(
                "ambiguous-log", f"{len(found)} stored matches begin with {text}; type more of it."
            )
        return found[0] if found else None


def _digits_to_tell_apart(names: Sequence[str]) -> int:
    """As many for each name, so that they stand below each other in a list."""
    for digits in range(_SHORT, NAME_DIGITS):
        if len({name[:digits] for name in names}) == len(names):
            return digits
    return NAME_DIGITS
