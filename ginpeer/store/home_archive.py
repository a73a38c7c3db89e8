"""Packs a copy of a home, with its key, into one file sealed with a passphrase, and unpacks it.

The format of the file:

  ginhome1
  three lines that seal the key of this file, as in ginpeer.store.identity_file
  the files, encrypted with that key: ChaCha20-Poly1305 with a nonce of zeros (the key is used
  once); everything before them is authenticated with them

Decrypted, each file is a line with its name, its modification time (in seconds since 1970) and its
length, followed by its bytes.

A copy can come from anybody, so nothing is parsed before the whole file is authenticated with the
passphrase, and no name becomes a path unless it matches _MEMBER. It is unpacked only into an empty
home and only as a whole: into a folder beside the home, which is then renamed to the home's name.
So nothing is overwritten, and a crash never leaves half a home, only such a folder, which the next
attempt removes. Its settings and friends are trusted, including the STUN servers to ask and the
proxy to use. Anyone who restores a copy knows its passphrase, and so trusts its maker.
"""

from __future__ import annotations

import contextlib
import glob
import os
import re
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from ginpeer.store import files
from ginpeer.store.archive_file import BadArchive
from ginpeer.store.files import StoreError, printable
from ginpeer.store.identity_file import COST, Passphrase, SealedKey, check_new_passphrase, parse_key
from ginpeer.store.log import MAX_LOG_BYTES
from ginpeer.store.match_files import (
    CLOSING_SUFFIX,
    EVIDENCE_SUFFIXES,
    LOG_SUFFIX,
    NAME_DIGITS,
    NOTES_SUFFIX,
    SEEDS_SUFFIX,
)
from ginpeer.store.peers import MAX_FILE_BYTES
from protocol.crypto.identity import IdentityKey

MAGIC: Final = b"ginhome1\n"
_KEY: Final = "identity.pem"
_BOTS_KEY: Final = f"bot/{_KEY}"
_MAX_BYTES: Final = 1024 * 1024 * 1024
_MAX_MEMBERS: Final = 50_000
_MAX_SMALL: Final = MAX_FILE_BYTES  # the longest file that isn't a log: known_peers.json
_NONCE: Final = bytes(12)
_SUFFIXES: Final = (LOG_SUFFIX, *EVIDENCE_SUFFIXES, SEEDS_SUFFIX, NOTES_SUFFIX, CLOSING_SUFFIX)
_MEMBER: Final = re.compile(  # short_names.json: written by versions up to 1.21
    r"(?:bot/)?(?:"
    r"identity\.pem|known_peers\.json|settings\.json|short_names\.json|stun-servers\.txt"
    rf"|matches/[0-9a-f]{{{NAME_DIGITS}}}(?:{'|'.join(map(re.escape, _SUFFIXES))}))"
)
_MAX_HEAD: Final = 1024
_HEAD: Final = re.compile(rb"([a-z0-9_./-]{1,80}) (0|[1-9][0-9]{0,9}) (0|[1-9][0-9]{0,9})\n")
_LATEST: Final = 9_999_999_999


def pack_home(home: Path, passphrase: str, rng: Callable[[int], bytes]) -> bytes:
    """Return an archive of the home and of the practice bot's home. Raises StoreError, and
    BadArchive if the archive couldn't be unpacked again."""
    check_new_passphrase(passphrase)
    packed = bytearray()
    for number, name in enumerate(_members(home), 1):
        with files.store_errors("read", home / name):
            data = files.read_small(home / name, _longest(name))
            modified = min(max(0, int((home / name).stat().st_mtime)), _LATEST)
        packed += f"{name} {modified} {len(data)}\n".encode() + data
        if number > _MAX_MEMBERS or len(packed) > _MAX_BYTES:
            raise BadArchive(
                "Your home is too large for one file, which can hold at most "
                f"{_MAX_MEMBERS} files and {_MAX_BYTES} bytes."
            )
    _read(packed)
    key = IdentityKey(rng(32))
    head = MAGIC + SealedKey.seal(key, passphrase, rng, COST).encode()
    box = ChaCha20Poly1305(key.secret_seed).encrypt(_NONCE, packed, head)
    del packed
    return head + box


def _members(home: Path) -> Iterator[str]:
    for folder in (home, home / "matches", home / "bot", home / "bot" / "matches"):
        with files.store_errors("list", folder):
            names = sorted(path.relative_to(home).as_posix() for path in _listed(folder))
        yield from (name for name in names if _MEMBER.fullmatch(name))


def _listed(folder: Path) -> tuple[Path, ...]:
    """Return the paths in a folder; none if it doesn't exist. Raises OSError."""
    try:
        return tuple(folder.iterdir())
    except FileNotFoundError:
        return ()


def is_home_copy(path: Path) -> bool:
    try:
        with os.fdopen(files.open_for_reading(path), "rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except (OSError, ValueError):
        return False


def unpack_home(home: Path, copy: Path, passphrase: Passphrase) -> int:
    """Unpack a copy into an empty home, and return the number of logs in it, not counting the
    bot's. Raises BadArchive, or StoreError with a code such as home-not-empty, home-unusable (a
    disk is mounted there) or wrong-passphrase. In either case, nothing has changed."""
    _check_empty(home)
    with files.store_errors("find", home):
        home = home.resolve()  # only a folder can be replaced, not a link to it
    if os.path.ismount(home):
        raise StoreError(
            "home-unusable",
            f"A disk is mounted at {printable(home)}, so ginpeer can't put a new folder there. "
            "With --home, name a folder on that disk instead.",
        )
    held = _read(_decrypted(copy, passphrase))
    _sweep(home)
    beside = _beside(home, secrets.token_hex(8))
    _, key = held.pop(_KEY)
    try:
        with files.store_errors("write", home):
            folders = {beside, *((beside / name).parent for name in held)}
            for folder in folders:
                files.make_folder(folder)
            files.write_new(beside / ".gitignore", b"*\n")
            for name, (modified, content) in held.items():
                files.write_new(beside / name, content, modified * 10**9)
            for folder in folders:
                files.sync_folder(folder)
            files.write_atomically(beside / _KEY, key, replace=False)
            files.put_folder(beside, home)
    finally:
        files.remove_folder(beside)
    logs = (name for name in held if name.startswith("matches/") and name.endswith(LOG_SUFFIX))
    return sum(name.count(".") == 1 for name in logs)


def _beside(home: Path, digits: str) -> Path:
    return home.with_name(f"{home.name}.{digits}.tmp")


def _sweep(home: Path) -> None:
    """Remove the folders left behind by interrupted attempts to unpack into this home."""
    pattern = _beside(Path(glob.escape(home.name)), "[0-9a-f]" * 16).name
    for left in home.parent.glob(pattern):
        aside = _beside(home, secrets.token_hex(8))
        if left.is_dir() and not left.is_symlink():  # a link may be somebody else's trap
            with contextlib.suppress(OSError):
                # If another program is still unpacking there, its whole unpacking now fails.
                files.put_folder(left, aside)
                files.remove_folder(aside)


def _check_empty(home: Path) -> None:
    with files.store_errors("list", home):
        held = _listed(home)
    if held:
        raise StoreError(
            "home-not-empty",
            f"{printable(home)} isn't empty, and ginpeer overwrites nothing in it. Name a new "
            "folder with --home, or move this one away.",
        )


def _decrypted(copy: Path, passphrase: Passphrase) -> bytes:
    """Return the decrypted contents of a copy. Its length and its first lines are checked before
    anybody is asked for the passphrase, and before the rest is read."""
    try:
        with (
            files.store_errors("read", copy),
            os.fdopen(files.open_for_reading(copy), "rb") as file,
        ):
            size = files.size_of(file.fileno())
            if size > _MAX_HEAD + _MAX_BYTES:
                raise BadArchive("The file is longer than a copy of a home can be.")
            head = b"".join(file.readline(_MAX_HEAD // 4) for _ in range(4))
            try:
                sealed = SealedKey.parse(head.removeprefix(MAGIC))
            except ValueError as why:
                raise BadArchive(f"The file {why}.") from None
            key = sealed.unseal(passphrase())
            return ChaCha20Poly1305(key.secret_seed).decrypt(_NONCE, file.read(size), head)
    except InvalidTag:
        raise BadArchive("The file is damaged or incomplete.") from None


def _read(data: bytes | bytearray) -> dict[str, tuple[int, memoryview]]:
    """Return the files of a decrypted copy by name, with their times. Raises BadArchive."""
    held: dict[str, tuple[int, memoryview]] = {}
    at = 0
    while at < len(data):
        head = _HEAD.match(data, at)
        name = "" if head is None else head[1].decode("ascii")
        if head is None or not _MEMBER.fullmatch(name) or name in held:
            raise BadArchive("The file contains something that doesn't belong in a copy of a home.")
        start, size = head.end(), int(head[3])
        if size > min(_longest(name), len(data) - start) or len(held) >= _MAX_MEMBERS:
            raise BadArchive("The file contains too many files, or one that is too long.")
        held[name] = int(head[2]), memoryview(data)[start : start + size]
        at = start + size
    if _KEY not in held:
        raise BadArchive("The file contains no key.")
    for name in filter(held.get, (_KEY, _BOTS_KEY)):
        try:
            parse_key(bytes(held[name][1]))  # doesn't unlock a key that has its own passphrase
        except ValueError as why:
            raise BadArchive(f"The stored {name} {why}.") from why
    return held


def _longest(name: str) -> int:
    return MAX_LOG_BYTES if name.endswith(LOG_SUFFIX) else _MAX_SMALL
