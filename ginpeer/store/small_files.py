"""Small files of a home: the settings; notes on the port mappings that routers may have for us, so
that the next start can release them after a crash; and the key of our onion service. Also reads
the cookie of this machine's Tor.

Losing any of them does no harm, except that a lost onion key means a new address."""

from __future__ import annotations

import os
import re
import socket
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Final

from ginpeer.store import files
from ginpeer.store.files import StoreError, printable
from ginpeer.store.json_files import plain, read_record, remove, within, write_json
from protocol.messages import clean_name

_SETTINGS: Final = "settings.json"
_MAX_SETTINGS: Final = 4096
_MAX_LEVEL: Final = 9  # there may be fewer levels; then the best one plays


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one home. A setting that can't be read gets its default value."""

    words: bool = False  # whether cards are read out in words
    name: Annotated[str, clean_name] = ""
    """The name that our player has chosen, valid in a signed message; or empty."""
    brief: bool = False  # whether a turn is described in as few words as possible
    hand: bool = True  # whether the hand is shown when we ask what to discard
    lines: bool = True  # whether blank lines separate turns, and ruled lines separate hands
    pace: bool = True  # whether to pause after each hand, for a moment or until Enter is pressed
    confirm: bool = True  # whether we ask before a discard that looks like a slip
    bell: bool = False  # whether the terminal rings when our turn comes after a wait
    four_colours: bool = False  # whether each suit has its own colour
    level: Annotated[int, within(0, _MAX_LEVEL)] = 0
    """The bot's level in the next practice; 0 until the first practice is over."""
    won: bool | None = None  # whether our player won the last practice, if it counted for the level
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


# --- port mappings, the key of our onion service, Tor's cookie -------------------------

_MAX_NOTE_BYTES: Final = 1 << 14
_NOTE_NAME: Final = re.compile(r"port-([1-9][0-9]{0,4})\.json", re.ASCII)
COOKIE_BYTES: Final = 32
_MAX_KEY_FILE_BYTES: Final = 256
_KEY: Final = re.compile(r"ginonion1\r?\n([A-Za-z0-9+/]{85}[AQgw]==)[\r\n]*", re.ASCII)


class MappingNotes:
    """Notes on port mappings, one file per port. Only the program that listens on a port reads its
    file."""

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
        """Return the note on this port, or None if it can't be read. Without a note, the router
        closes the port only when its lease expires."""
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
    """The key of our onion service: two lines of text, "ginonion1" and the base64 of its scalar and
    PRF secret, as Tor writes them. It isn't sealed with the passphrase: somebody who steals it can
    answer at our address, but can't sign with our identity key."""

    def __init__(self, home: Path) -> None:
        self.path = home / "onion.key"

    def load(self) -> str | None:
        """Return the key in Tor's format, or None if there is none yet. Raises `StoreError`."""
        data = files.read_stored(self.path, _MAX_KEY_FILE_BYTES)
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
    """Read the cookie file that was named by the Tor listening on *port* of 127.0.0.1
    (control-spec, 3.21). Raises OSError or ValueError if the file can't be trusted.

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
"""User ids below this belong to root and to system services, like debian-tor (login.defs). No
person gets one."""


def _check_owner(status: os.stat_result, port: int) -> None:
    """Raise ValueError if the file's owner or mode shows that it may not be Tor's.

    It must be owned by root, by us, or by the user who listens on *port* if that is a system
    account. Nobody else may be able to read or write it, except that a file owned by root or a
    system account may be readable by its group, as on Debian. Windows has no such owner and mode,
    so nothing is checked there.
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
    for host in (loopback, 0):  # otherwise, a listener on all addresses
        for row in rows:
            if row[1:2] == [f"{host:08X}:{port:04X}"] and row[3] == "0A":  # TCP_LISTEN
                return int(row[7])
    return None
