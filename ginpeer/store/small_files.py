"""A player's preferences and name, kept for the next time. Losing them does no harm.

The short names of stored matches, and how they stay the same.

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

Notes on open port mappings, the key of our onion service, and the cookie of Tor.
"""

from __future__ import annotations

import json
import os
import re
import socket
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Final

from ginpeer.store import files
from ginpeer.store.files import StoreError, printable
from ginpeer.store.json_files import plain, read_json, read_record, remove, within, write_json
from ginpeer.store.match_files import NAME_DIGITS
from protocol.messages import clean_name

_SETTINGS: Final = "settings.json"
_MAX_SETTINGS: Final = 4096
_MAX_LEVEL: Final = 9  # there may be fewer levels; then the best one plays


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one home. A setting that can't be read has its default."""

    words: bool = False  # whether cards are read out in words
    name: Annotated[str, clean_name] = ""
    """The name that our player wants, fit to be signed, or empty."""
    brief: bool = False  # whether a turn is described in as few words as possible
    hand: bool = True  # whether the question of what to discard shows the hand
    lines: bool = True  # whether blank lines separate turns, and ruled lines separate hands
    pace: bool = True  # whether to pause after each hand, for a moment or until Enter is pressed
    confirm: bool = True  # whether we ask before a discard that looks like a slip
    bell: bool = False  # whether the terminal rings when our turn comes after a wait
    four_colours: bool = False  # whether each suit has its own colour
    level: Annotated[int, within(0, _MAX_LEVEL)] = 0
    """The bot's level in the next practice; 0 until the first practice is over."""
    won: bool | None = None
    """Whether our player won the last practice; None if there was none, or if it
    didn't count for the level."""
    stun: bool | None = None
    """Whether we may ask public STUN servers for our address; None until our player has
    answered."""


DEFAULT_SETTINGS: Final = Settings()  # the settings until a player changes them


def read_settings(home: Path) -> Settings:
    return read_record(Settings, home / _SETTINGS, _MAX_SETTINGS, lenient=True) or DEFAULT_SETTINGS


def change_settings(home: Path, **changes: Any) -> None:
    settings = read_settings(home)
    changed = replace(settings, **changes)
    if changed != settings:
        files.make_folder(home)
        write_json(home / _SETTINGS, plain(changed))


# --- short names -----------------------------------------------------------

_SHORT_NAMES: Final = "short_names.json"
_SHORT: Final = 6
"""How many digits of a log's name usually distinguish it from all earlier logs. In about one of
thirty homes with a thousand logs each, two logs have the same first six digits."""
_MAX_KEPT: Final = 50_000
_MAX_SHORT_NAMES: Final = 2 * 1024 * 1024  # 24 for each name
_NAME: Final = re.compile(rf"[0-9a-f]{{{NAME_DIGITS}}}")


class ShortNames:
    def __init__(self, home: Path) -> None:
        self._path = home / _SHORT_NAMES
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
        kept = read_json(self._path, _MAX_SHORT_NAMES)
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


# --- network files ---------------------------------------------------------

# The files that a home keeps about the network, and the cookie of this machine's Tor.
#
# - The mappings that routers may have open for a port of ours, so that the next start can release
#   them after a crash: one file for each port. Only the program that listens on a port reads its
#   file.
# - The key of our onion service: text, two lines, private.
#
#     ginonion1
#     <base64 of 64 bytes: scalar and PRF secret, as Tor writes them>
#
#   A thief of this key can impersonate our address, but still lacks the identity key; so we don't
#   seal it with the passphrase.


_MAX_NOTE_BYTES: Final = 1 << 14
_NOTE_NAME: Final = re.compile(r"port-([1-9][0-9]{0,4})\.json", re.ASCII)

COOKIE_BYTES: Final = 32

_MAX_KEY_FILE_BYTES: Final = 256
_KEY: Final = re.compile(r"ginonion1\r?\n([A-Za-z0-9+/]{85}[AQgw]==)[\r\n]*", re.ASCII)


class MappingNotes:
    def __init__(self, home: Path) -> None:
        self._folder = home / "routers"

    def ports(self) -> Iterator[int]:
        try:
            names = sorted(path.name for path in self._folder.iterdir())
        except OSError:
            return
        for name in names:
            found = _NOTE_NAME.fullmatch(name)
            if found is not None and int(found[1]) <= 0xFFFF:
                yield int(found[1])

    def read(self, port: int) -> str | None:
        """Return the note on this port, or None if it can't be read. Without a note, routers close
        the port only when its lease expires."""
        try:
            return files.read_small(self._path(port), _MAX_NOTE_BYTES).decode("ascii", "replace")
        except OSError:
            return None

    def write(self, port: int, text: str) -> None:
        """Store the note durably. Raises `StoreError`."""
        files.make_folder(self._folder)
        files.write_atomically(self._path(port), text.encode("ascii"), replace=True)

    def forget(self, port: int) -> None:
        remove(self._path(port))
        if not any(self.ports()):
            files.remove_folder(self._folder)

    def _path(self, port: int) -> Path:
        return self._folder / f"port-{port}.json"


class OnionKeyFile:
    def __init__(self, home: Path) -> None:
        self.path = home / "onion.key"

    def load(self) -> str | None:
        """Return the key in Tor's form, or None if there is none yet. Raises `StoreError`."""
        data = files.read_stored(self.path, _MAX_KEY_FILE_BYTES, private=True)
        if data is None:
            return None
        found = _KEY.fullmatch(data.decode("ascii", "replace"))
        if found is None:
            raise StoreError(
                "bad-onion-key-file",
                f"{printable(self.path)} is damaged. Restore it, or move it away to get a new "
                "onion address.",
            )
        return found[1]

    def keep(self, key: str) -> None:
        """Store a new key, unless a key is already stored. Raises `StoreError`."""
        files.make_folder(self.path.parent)
        files.write_atomically(self.path, f"ginonion1\n{key}\n".encode("ascii"), replace=False)


def read_cookie(path: str, port: int) -> bytes:
    """Read the cookie of a Tor that listens on *port* of 127.0.0.1 and names this file
    (control-spec, 3.21). Raises OSError or ValueError for an untrustworthy file.

    While Tor isn't running, anybody can listen there, name a file of their own, and prove that they
    know its content. So the file counts only if `_check_owner` trusts it.
    """
    if not Path(path).is_absolute() or path.startswith(("\\\\", "//")):
        raise ValueError("the path isn't absolute")
    if path.startswith(("/proc/", "/sys/", "/dev/")):
        raise ValueError("it belongs to the kernel")
    cookie = files.read_small(
        Path(path), COOKIE_BYTES, check=lambda status: _check_owner(status, port)
    )
    if len(cookie) != COOKIE_BYTES:
        raise ValueError("it's too short for a cookie")
    return cookie


_SYSTEM_ACCOUNTS: Final = 1000
"""User ids below this belong to root and to programs that the system has installed, like debian-tor
(login.defs). No person can get one."""


def _check_owner(status: os.stat_result, port: int) -> None:
    """Raise ValueError unless the file is Tor's, as far as its owner and mode can show.

    It must be owned by root, by us, or by the user who listens on *port* if that is a system
    account. Nobody else may be able to write it or read it, except that a file owned by root or a
    system account may be readable by its group, as on Debian. Windows has neither owner nor mode,
    so there the file's own permissions decide what we can read.
    """
    if sys.platform == "win32":
        return
    owner, ours = status.st_uid, os.geteuid()
    if owner not in (0, ours) and not (owner < _SYSTEM_ACCOUNTS and owner == _listening_user(port)):
        raise ValueError("it belongs to a user that isn't Tor's")
    if status.st_mode & (0o077 if owner == ours != 0 else 0o027):
        raise ValueError("others can read or write it")


def _listening_user(port: int) -> int | None:
    """Return the id of the user who listens on *port* of 127.0.0.1 (proc(5), /proc/net/tcp)."""
    try:
        rows = [line.split() for line in Path("/proc/net/tcp").read_text("ascii").splitlines()[1:]]
    except (OSError, ValueError):
        return None
    loopback = int.from_bytes(socket.inet_aton("127.0.0.1"), sys.byteorder)
    for host in (loopback, 0):  # a listener on all addresses gets the rest
        for row in rows:
            if row[1:2] == [f"{host:08X}:{port:04X}"] and row[3] == "0A":  # it listens
                return int(row[7])
    return None
