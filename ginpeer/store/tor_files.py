# The key of our onion service, in the home: text, two lines, private.
#
#   ginonion1
#   <base64 of 64 bytes: scalar and PRF secret, as Tor writes them>
#
# Who has it can stand where friends look for us, and would still lack the identity key; so it is
# not put under the passphrase.

"""The files around Tor: the key of our onion service, and the cookie that Tor shows to who may give
it orders."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from ginpeer.store import files
from ginpeer.store.errors import StoreError, shown, store_error

COOKIE_BYTES: Final = 32

_MAX_FILE_BYTES: Final = 256
_KEY: Final = re.compile(r"ginonion1\r?\n([A-Za-z0-9+/]{85}[AQgw]==)[\r\n]*", re.ASCII)


class OnionKeyFile:
    """The file of the key, in a home that may not be there yet."""

    def __init__(self, home: Path) -> None:
        self.path = home / "onion.key"

    def load(self) -> str | None:
        """The key as Tor takes it; None if there is none yet. Raises `StoreError`, with code
        bad-onion-key-file for what is none."""
        try:
            data = files.read_small(self.path, _MAX_FILE_BYTES, private=True)
        except FileNotFoundError:
            return None
        except OSError as why:
            raise store_error("read", self.path, why) from why
        found = _KEY.fullmatch(data.decode("ascii", "replace"))
        if found is None:
            raise StoreError(
                "bad-onion-key-file",
                f"{shown(self.path)} is damaged. Restore it, or move it away to get another onion "
                "address.",
            )
        return found[1]

    def keep(self, key: str) -> None:
        """Keep a new key; one that is there already stays. Raises `StoreError`."""
        files.make_folder(self.path.parent)
        files.write_atomically(self.path, f"ginonion1\n{key}\n".encode("ascii"), replace=False)


def read_cookie(path: str) -> bytes:
    """The cookie of a Tor that says that it lies here (control-spec, 3.21): the 32 bytes of a
    regular file, named from the root on. Raises OSError or ValueError for everything else."""
    if not Path(path).is_absolute() or path.startswith(("\\\\", "//")):
        raise ValueError("the path does not begin at the root of this machine")
    cookie = files.read_small(Path(path), COOKIE_BYTES)
    if len(cookie) != COOKIE_BYTES:
        raise ValueError("it is too short for a cookie")
    return cookie
