"""Our identity key on disk, plain or sealed with a passphrase.

Plain: PKCS8 in PEM, not encrypted, as OpenSSL writes it. Sealed: three lines of text,

  ginkey1
  scrypt 17 8 1 <salt: 32 hex digits>
  chacha20-poly1305 <the encrypted key (32 bytes) and the tag (16 bytes): 96 hex digits>

The passphrase, as `normalised` returns it, goes through scrypt (RFC 7914) with N = 2^17, r = 8 and
p = 1, the minimum that OWASP recommends for storing passwords. A guess costs 128 MiB and a third of
a second, and so does opening the file. Each sealing draws a new salt, so the derived key is used
only once, and the nonce of ChaCha20-Poly1305 (RFC 8439) is 12 zeros, as in age. Every byte before
the hex digits of the last line is authenticated with them. PKCS8 has its own encryption; we
rejected it, because its readers accept the costs from the file without a check.

Rule 1: whatever replaces the file contains the same key, has been opened once in memory, and
        replaces the file in one step. At no moment is the file missing or half written.
Rule 2: if the file is sealed, we leave no plain copy beside it. A crash can leave one under a
        temporary name; we delete it when the sealed file is created or opened.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import sys
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from ginpeer.store import files
from ginpeer.store.files import StoreError, printable
from protocol.crypto.identity import IdentityKey

MIN_PASSPHRASE: Final = 8
"""The minimum length of a new passphrase, in characters (NIST SP 800-63B, section 5.1.1.1)."""
MAX_PASSPHRASE: Final = 1024
COST: Final = 17  # log2 of scrypt's N; memory in bytes is 1024 times N

_COSTS: Final = range(14, 21)  # a file that somebody else has put there costs at most 1 GiB
_BLOCK_SIZE, _PARALLEL = 8, 1
_SALT_BYTES: Final = 16
_KEY_BYTES: Final = 32
_NONCE: Final = bytes(12)
_MAX_FILE_BYTES: Final = 4096
_MAGIC: Final = b"ginkey"
_SEALED: Final = re.compile(  # Windows may have changed the line ends of a copy
    rb"ginkey1\r?\nscrypt ([1-9][0-9]) 8 1 ([0-9a-f]{32})\r?\n"
    rb"chacha20-poly1305 ([0-9a-f]{96})[\r\n]*"
)

Passphrase = Callable[[], str]


@dataclass(frozen=True, slots=True)
class SealedKey:
    """The contents of a sealed key's file: log2 of scrypt's N, the salt, and the ciphertext."""

    cost: int
    salt: bytes
    box: bytes

    @classmethod
    def seal(
        cls, key: IdentityKey, passphrase: str, rng: Callable[[int], bytes], cost: int
    ) -> SealedKey:
        sealed = cls(cost, rng(_SALT_BYTES), b"")
        box = sealed._cipher(passphrase).encrypt(_NONCE, key.secret_seed, sealed._header())
        return replace(sealed, box=box)

    @classmethod
    def parse(cls, data: bytes) -> SealedKey:
        """Parse a sealed key's file. Raises ValueError, which says what is wrong with the file."""
        if not data.startswith(_MAGIC + b"1\n") and not data.startswith(_MAGIC + b"1\r\n"):
            raise ValueError("was protected by an unknown version of ginpeer")
        fields = _SEALED.fullmatch(data)
        if fields is None:
            raise ValueError("is damaged")
        cost, salt, box = (field.decode("ascii") for field in fields.groups())
        if int(cost) not in _COSTS:
            raise ValueError("needs an unusual amount of memory to unlock")
        return cls(int(cost), bytes.fromhex(salt), bytes.fromhex(box))

    def unseal(self, passphrase: str) -> IdentityKey:
        """Open the key. Raises `StoreError` (wrong-passphrase, bad-passphrase, out-of-memory)."""
        try:
            return IdentityKey(self._cipher(passphrase).decrypt(_NONCE, self.box, self._header()))
        except InvalidTag:
            raise StoreError("wrong-passphrase", "That is the wrong passphrase.") from None

    def encode(self) -> bytes:
        return self._header() + self.box.hex().encode("ascii") + b"\n"

    def _header(self) -> bytes:
        """Return everything before the ciphertext, which is authenticated with it."""
        kdf = f"scrypt {self.cost} {_BLOCK_SIZE} {_PARALLEL} {self.salt.hex()}"
        return f"ginkey1\n{kdf}\nchacha20-poly1305 ".encode("ascii")

    def _cipher(self, passphrase: str) -> ChaCha20Poly1305:
        words, n = normalised(passphrase), 2**self.cost
        try:
            scrypt = Scrypt(salt=self.salt, length=_KEY_BYTES, n=n, r=_BLOCK_SIZE, p=_PARALLEL)
            return ChaCha20Poly1305(scrypt.derive(words))
        except MemoryError:
            raise StoreError(
                "out-of-memory",
                f"Locking or unlocking your key takes {n // 1024} MiB of memory, and there "
                "isn't that much free at the moment.",
            ) from None


class IdentityFile:
    """The file that holds our key, in a home that may not exist yet."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def is_sealed(self) -> bool | None:
        """Return whether a passphrase is needed; None if there is no key. Raises `StoreError`."""
        data = self._read()
        return None if data is None else data.startswith(_MAGIC)

    def load(self, passphrase: Passphrase | None) -> IdentityKey | None:
        """Return the key, or None if there is none yet. *passphrase* is called only if it is
        needed. Raises `StoreError`, with codes like wrong-passphrase, no-passphrase (*passphrase*
        is None) and out-of-memory."""
        data = self._read()
        if data is None:
            return None
        try:
            stored = parse_key(data)  # first, so that nobody types a passphrase in vain
        except ValueError as why:
            raise StoreError(
                "bad-identity-file",
                f"{printable(self.path)} {why}. Restore it, or move it away to start with a new "
                "identity.",
            ) from why
        if isinstance(stored, IdentityKey):
            return stored
        if passphrase is None:
            raise StoreError("no-passphrase", f"{printable(self.path)} needs its passphrase.")
        key = stored.unseal(passphrase())
        self._sweep()
        return key

    def create(self, key: IdentityKey, passphrase: str | None, rng: Callable[[int], bytes]) -> bool:
        """Store a new key. Return False if a key is already stored."""
        files.make_folder(self.path.parent)
        return files.write_atomically(self.path, _encoded(key, passphrase, rng), replace=False)

    def replace(
        self, key: IdentityKey, passphrase: str | None, rng: Callable[[int], bytes]
    ) -> None:
        """Seal the stored key, or unseal it if *passphrase* is None. Raises `StoreError`; even then
        the file is whole (rule 1). The old file's bytes may still be recoverable from the disk."""
        if self.path.is_symlink():  # replacing the link would leave the key where it is
            raise StoreError(
                "identity-is-link",
                f"{printable(self.path)} is only a link to your key; move the file itself there "
                "first.",
            )
        data = _encoded(key, passphrase, rng)
        with files.locked(self._lock):
            files.write_atomically(self.path, data, replace=True)
        if passphrase is not None:
            self._sweep()

    def access_warnings(self) -> tuple[str, ...]:
        """Return a sentence for each way in which other users of this machine have access to the
        key. If the file was readable for them, reading it has made it private, if possible."""
        found: list[str] = []
        if sys.platform == "win32":
            return ()
        with contextlib.suppress(OSError):  # if it was removed, the next reader reports that
            folder, key = os.stat(self.path.parent).st_mode, os.stat(self.path)
            # In a sticky folder, like /tmp, others can replace only their own files.
            if folder & (stat.S_IWGRP | stat.S_IWOTH) and not folder & stat.S_ISVTX:
                found.append(
                    f"Others on this machine can change {printable(self.path.parent)}, so they "
                    "could replace your key. To prevent that, run chmod go-w on it."
                )
            if key.st_mode & 0o077:
                found.append(f"Others on this machine can read your key in {printable(self.path)}.")
            if key.st_uid not in (os.geteuid(), 0):
                found.append(f"Your key in {printable(self.path)} belongs to another user.")
        return tuple(found)

    @property
    def _lock(self) -> Path:
        return self.path.with_suffix(".lock")

    def _read(self) -> bytes | None:
        data = files.read_stored(self.path, _MAX_FILE_BYTES)
        if data is None and self.path.is_symlink():
            raise StoreError(
                "bad-identity-file", f"{printable(self.path)} is a link to a missing file."
            )
        return data

    def _sweep(self) -> None:
        """Delete copies of the key that a crash may have left under a temporary name."""
        with files.store_errors("delete a copy of", self.path):
            if not files.temporaries(self.path):
                return
            with files.locked(self._lock):  # otherwise another process may be about to rename one
                for left in files.temporaries(self.path):
                    with contextlib.suppress(FileNotFoundError):
                        files.unlink(left)


def parse_key(data: bytes) -> IdentityKey | SealedKey:
    """Parse a key file. Raises ValueError, which says what is wrong with the file."""
    if data.startswith(_MAGIC):
        return SealedKey.parse(data)
    try:
        loaded = load_pem_private_key(data, password=None)
    except Exception as why:  # ValueError, TypeError (encrypted), UnsupportedAlgorithm
        raise ValueError("isn't an identity key") from why
    if not isinstance(loaded, Ed25519PrivateKey):
        raise ValueError("isn't an identity key")
    return IdentityKey(loaded.private_bytes_raw())


def normalised(passphrase: str) -> bytes:
    """Return the passphrase in NFKC, as UTF-8, for scrypt. So it doesn't matter whether an accent
    was typed as part of its letter or after it, since both look the same (NIST SP 800-63B, section
    5.1.1.2). Raises `StoreError` (bad-passphrase) for an empty passphrase, one that is too long,
    and one with control characters."""
    text = unicodedata.normalize("NFKC", passphrase)
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in text):
        raise StoreError(
            "bad-passphrase",
            "A passphrase can contain only characters, not keys like the arrows or Escape.",
        )
    if not text:
        raise StoreError("bad-passphrase", "Type a passphrase.")
    if len(text) > MAX_PASSPHRASE:
        most = f"A passphrase can have at most {MAX_PASSPHRASE} characters."
        raise StoreError("bad-passphrase", most)
    return text.encode()


def check_new_passphrase(passphrase: str) -> None:
    """Reject an unsuitable new passphrase. A character that this Python doesn't know may get a
    different NFKC form in an update, which would lock out the owner of the key. Raises `StoreError`
    (bad-passphrase)."""
    text = normalised(passphrase).decode()
    if any(unicodedata.category(character) == "Cn" for character in text):
        raise StoreError(
            "bad-passphrase",
            "That passphrase contains a character that is too new for this machine; choose "
            "another.",
        )
    if len(text) < MIN_PASSPHRASE:
        raise StoreError(
            "bad-passphrase",
            f"A passphrase needs at least {MIN_PASSPHRASE} characters; four or five unrelated "
            "words make a good one.",
        )


def _encoded(key: IdentityKey, passphrase: str | None, rng: Callable[[int], bytes]) -> bytes:
    if passphrase is None:
        return key.private_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    check_new_passphrase(passphrase)
    data = SealedKey.seal(key, passphrase, rng, COST).encode()
    sealed = SealedKey.parse(data)
    if sealed.unseal(passphrase).public != key.public:
        raise StoreError("sealing-failed", "The protected key couldn't be unlocked again.")
    return data
