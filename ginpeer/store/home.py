"""The folder with all of one player's files."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ginpeer.names import KnownNames
from ginpeer.store import files
from ginpeer.store.files import StoreError, UnreadableLog, printable
from ginpeer.store.identity_file import IdentityFile, Passphrase
from ginpeer.store.json_files import decode, plain
from ginpeer.store.log import message_in, open_log
from ginpeer.store.match_files import (
    EVIDENCE_SUFFIXES,
    LOG_SUFFIX,
    NAME_DIGITS,
    NOTES_SUFFIX,
    SEEDS_SUFFIX,
    MatchNotes,
    file_stem,
    read_notes,
    read_seeds,
)
from ginpeer.store.peers import KnownPeers
from protocol.crypto.identity import IdentityKey
from protocol.messages import Accept, Offer

if TYPE_CHECKING:
    from ginpeer.store.log_index import LogIndex

R = TypeVar("R")

_LOG_NAME: Final = re.compile(rf"[0-9a-f]{{{NAME_DIGITS}}}{re.escape(LOG_SUFFIX)}")
_SHORT: Final = 6
"""How many digits of a log's name usually distinguish it from all others. Of homes
with a thousand logs, about one in thirty has two logs with the same first six digits."""
_SHOWN: Final = 5  # how many matches a sentence names
_LATEST: Final = 9_999_999_999.0  # seconds since 1970; in the year 2286


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A log in our home."""

    name: str
    path: Path
    modified: float
    short: str  # its short name
    stamp: str = ""  # changes when the file is written to; empty if unknown


class Home:
    """A home folder. Nothing is created on disk until there is something to store. Methods that
    list the matches, or read the key or the known peers, raise `StoreError`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.index: LogIndex | None = None
        self._notes: dict[str, tuple[str, MatchNotes | None]] = {}  # by the log's name

    @classmethod
    def locate(cls, given: str | None, environ: Mapping[str, str]) -> Home:
        """Return the home at `given` (from --home), else at GINPEER_HOME, else where the system
        keeps user data. Raises `StoreError`."""
        chosen = given or environ.get("GINPEER_HOME")
        try:
            if chosen:
                if b"\0" in os.fsencode(chosen):
                    raise StoreError(
                        "home-unusable", f"{printable(chosen)} isn't a valid folder name."
                    )
                path = Path(chosen)  # Path("./~") is Path("~"), so test what was typed
                return cls((path.expanduser() if chosen[0] == "~" else path).absolute())
            from platformdirs import user_data_path

            return cls(user_data_path("ginpeer", appauthor=False).absolute())
        except (OSError, RuntimeError, UnicodeError) as why:  # no such user, no current folder
            raise StoreError(
                "no-home", "ginpeer couldn't find a folder for its files. Name one with --home."
            ) from why

    def remember(self) -> None:
        """Use a cache of what was read from this home's logs (ginpeer.store.log_index)."""
        from ginpeer.store.log_index import LogIndex  # loads SQLite, which few commands need

        self.index = LogIndex(self.path)

    def cache(self, log: StoredMatch, record: Any) -> None:
        """Cache a dataclass of facts from a log. List the log before you read it."""
        if self.index is not None:
            said = json.dumps(plain(record))
            self.index.note(type(record).__name__, log.name, log.stamp, said)

    def cached(self, log: StoredMatch, kind: type[R]) -> R | None:
        """Return the up-to-date record of this *kind* cached for this log, or None."""
        index, key = self.index, (kind.__name__, log.name, log.stamp)
        said = None if index is None else index.lookup(*key)
        if said is not None:
            with suppress(ValueError, RecursionError):
                return decode(kind, json.loads(said))
        return None

    def save_cache(self) -> None:
        if self.index is not None:
            self.index.flush()

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
        """Return our key; the first time, create it from `rng`. Without `passphrase`, a sealed key
        can't be opened."""
        file = self.identity_file
        files.make_folder(self.path)
        key = file.load(passphrase)
        if key is None:
            self.hide_from_git()
            file.create(IdentityKey.generate(rng), None, rng)  # unless another process is faster
            key = file.load(passphrase)
        if key is None:
            raise StoreError("bad-identity-file", f"{printable(file.path)} keeps disappearing.")
        # If a process died while creating the key, a power cut could still lose its name.
        with files.store_errors("keep", file.path):
            files.sync_folder(self.path)
        return key

    def hide_from_git(self) -> None:
        """Keep this home out of a Git repository that contains it. Call this before storing a key.
        Raises `StoreError`."""
        path = self.path / ".gitignore"
        if not os.path.lexists(path):
            files.make_folder(self.path)
            files.write_atomically(path, b"*\n", replace=False)

    # --- peers and matches -------------------------------------------------------------

    def known_peers(self, now: Callable[[], float]) -> KnownPeers:
        return KnownPeers(self.path / "known_peers.json", now)

    def known_names(self, now: Callable[[], float]) -> KnownNames:
        """Return the keys that this home knows: our own, and those of players we have met. A log
        proves what a key has signed, but not whose key it is. The home need not exist."""
        return KnownNames(self._own_key(), self.known_peers(now).peer_names())

    def _own_key(self) -> bytes | None:
        """Return our public key, or None. If our key is sealed, read it from our latest match."""
        try:
            key = self.identity_file.load(None)
        except StoreError as why:
            if why.code != "no-passphrase":
                raise
        else:
            return None if key is None else key.public
        for match in self.logs():
            notes = self.notes(match)
            if notes is not None:
                with suppress(UnreadableLog), open_log(match.path) as log:
                    found = own_key_in(notes, log)
                    if found is not None:
                        return found
        return None

    def logs(self) -> tuple[StoredMatch, ...]:
        """Return the stored matches, latest first."""
        found: dict[str, tuple[Path, os.stat_result]] = {}
        with (
            files.store_errors("list", self.matches),
            suppress(FileNotFoundError),  # nothing was stored yet
            os.scandir(self.matches) as held,
        ):
            for entry in held:
                if _LOG_NAME.fullmatch(entry.name) and entry.is_file():
                    with suppress(FileNotFoundError):  # an offer that was dropped
                        status = os.stat(entry.path)
                        found[entry.name[:NAME_DIGITS]] = (Path(entry.path), status)
        for name in self._notes.keys() - found.keys():
            del self._notes[name]
        short = _short_names(found)
        logs = (
            StoredMatch(name, path, _modified(status), short[name], _stamp_of(status))
            for name, (path, status) in found.items()
        )
        return tuple(sorted(logs, key=lambda match: (-match.modified, match.name)))

    def log_of(self, table: bytes) -> Path | None:
        """Return the path of the log with this table id, or None. The log may be damaged."""
        path = self.matches / (file_stem(table) + LOG_SUFFIX)
        with files.store_errors("list", self.matches):
            return path if files.is_file(path) else None

    def stored_at(self, path: Path) -> StoredMatch | None:
        """Return the stored match whose log is this file, or None."""
        if path.parent != self.matches:
            return None
        return next((match for match in self.logs() if match.path == path), None)

    def short_name(self, path: Path) -> str:
        """Return the short name of a stored log, or its whole name if logs can't be listed."""
        with suppress(StoreError):
            match = self.stored_at(path)
            if match is not None:
                return match.short
        return path.stem

    def notes(self, match: StoredMatch) -> MatchNotes | None:
        """Return our notes on a match, or None if they can't be read. They are cached in memory
        until their file changes, because a search for one player's matches reads all notes."""
        try:
            held = os.stat(str(match.path).removesuffix(LOG_SUFFIX) + NOTES_SUFFIX)
        except OSError:
            return None
        stamp = _stamp_of(held)
        known = self._notes.get(match.name)
        if known is None or known[0] != stamp:
            known = self._notes[match.name] = (stamp, read_notes(match.path))
        return known[1]

    def seeds(self, table: bytes) -> Mapping[int, bytes]:
        """Return our hand seeds for this table, by hand number; empty if we didn't play. They
        reveal our cards, so never show them. Raises `StoreError` if they can't be read."""
        path = self.matches / (file_stem(table) + SEEDS_SUFFIX)
        return read_seeds(path)[0] if os.path.lexists(path) else {}

    def lost_log(self, name: str) -> bool:
        """Return whether the log of this match is missing, while its notes or seeds still exist."""
        path = self.matches / name
        if os.path.lexists(path.with_suffix(LOG_SUFFIX)):
            return False
        beside = (path.with_suffix(suffix) for suffix in (NOTES_SUFFIX, SEEDS_SUFFIX))
        return any(map(os.path.lexists, beside))

    def unreadable(self, peer: bytes | None = None) -> StoredMatch | None:
        """Return the latest match that may be with this peer and may continue, but whose log or
        notes we have no permission to read; None if there is none."""
        for match in self.logs():
            notes = self.notes(match)
            is_other = notes is not None and peer not in (None, notes.peer)
            if is_other or self.evidence_beside(match.path):
                continue
            both = (match.path, match.path.with_suffix(NOTES_SUFFIX))
            if any(os.path.lexists(path) and not os.access(path, os.R_OK) for path in both):
                return match
        return None

    def state_of(self, name: str) -> object:
        """Return a value that changes whenever the log, seeds or notes of this match change."""
        stamps = []
        for suffix in (LOG_SUFFIX, SEEDS_SUFFIX, NOTES_SUFFIX):
            try:
                stamps.append(_stamp_of(os.stat(self.matches / f"{name}{suffix}")))
            except OSError:
                stamps.append("")
        return stamps

    def evidence_beside(self, log: Path) -> tuple[Path, ...]:
        """Return the evidence files beside this log, without listing the folder. Raises
        `StoreError` if that can't be determined."""
        beside = (log.with_name(log.stem + suffix) for suffix in EVIDENCE_SUFFIXES)
        with files.store_errors("read", log):
            return tuple(filter(files.is_file, beside))

    def logs_named(self, text: str) -> tuple[StoredMatch, ...]:
        """Return the matches whose names begin with this text, latest first."""
        return tuple(match for match in self.logs() if text and match.name.startswith(text))

    def log_named(self, text: str) -> StoredMatch | None:
        """Return the match whose name begins with `text`, or None. Raises `StoreError` with code
        ambiguous-log if there are several."""
        found = self.logs_named(text)
        if len(found) > 1:
            names = ", ".join(match.short for match in found[:_SHOWN])
            more = " and others" if len(found) > _SHOWN else ""
            raise StoreError(
                "ambiguous-log",
                f"{len(found)} stored matches start with {text}: {names}{more}. Type more of the "
                "name.",
            )
        return found[0] if found else None


def own_key_in(notes: MatchNotes, entries: Iterable[bytes]) -> bytes | None:
    """Return our public key in a match, or None if its first two entries don't contain it."""
    for message in map(message_in, islice(entries, 2)):
        if isinstance(message, Offer if notes.role == "host" else Accept):
            return message.key
    return None


def _short_names(names: Iterable[str]) -> dict[str, str]:
    """Return the shortest prefix, of at least six digits, that distinguishes each name."""
    digits = dict.fromkeys(names, _SHORT)
    for one, other in pairwise(sorted(digits)):
        alike = zip(one, other, strict=True)
        needed = next(at for at, (a, b) in enumerate(alike, 1) if a != b)
        digits[one], digits[other] = max(digits[one], needed), max(digits[other], needed)
    return {name: name[:count] for name, count in digits.items()}


def _modified(status: os.stat_result) -> float:
    """Return the modification time, limited to what our calendars and notes can hold."""
    return min(max(0.0, status.st_mtime), _LATEST)


def _stamp_of(status: os.stat_result) -> str:
    return f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino}"
