"""The mark beside a log which says how many of its entries this program has already verified, so
that resuming need not verify them again.

  .verified   {"version": 1, "entries": their number, "mac": 64 hex digits}

Rule 1: a mark counts only for the very same bytes. Its MAC covers the entries and the version of
        this program, under a key that only our identity key yields. If anything differs, or there
        is no mark, everything is verified again.
Rule 2: a mark is written only for entries that a referee in this process has admitted, or that
        an earlier mark covers.
Rule 3: a mark only lets `Seat.restore` skip signatures and proofs. The rules are applied again, and
        `verify` and `replay` never use it.
Rule 4: a mark is a convenience. If it can't be written, only time is lost.

Whoever can forge the MAC has our identity key, and could play in our name anyway. Whoever can
write to our disk but lacks the key can only delete the mark (PROTOCOL B.11).
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from ginpeer import __version__
from ginpeer.store.errors import StoreError
from ginpeer.store.json_files import of_32_bytes, plain, read_record, within, write_json
from protocol.crypto.hashing import derive_seed, framed_hash
from protocol.crypto.identity import IdentityKey
from protocol.entry import MAX_LOG_ENTRIES

_SUFFIX: Final = ".verified"
_MAX_BYTES: Final = 4096


@dataclass(frozen=True, slots=True)
class _Mark:
    entries: Annotated[int, within(1, MAX_LOG_ENTRIES)]
    mac: Annotated[bytes, of_32_bytes]


def verified_entries(log: Path, entries: Sequence[bytes], identity: IdentityKey) -> int:
    """Return how many entries at the start of this log a valid mark covers; 0 without one."""
    mark = read_record(_Mark, log.with_suffix(_SUFFIX), _MAX_BYTES, version=1)
    if mark is None or mark.entries > len(entries):
        return 0
    expected = _mac(entries[: mark.entries], identity)
    return mark.entries if hmac.compare_digest(mark.mac, expected) else 0


def mark_verified(log: Path, entries: Sequence[bytes], identity: IdentityKey) -> None:
    with suppress(OSError, StoreError):
        mark = _Mark(len(entries), _mac(entries, identity))
        write_json(log.with_suffix(_SUFFIX), {"version": 1, **plain(mark)})


def _mac(entries: Sequence[bytes], identity: IdentityKey) -> bytes:
    verified = framed_hash(
        "verified-entries",
        ("software", __version__.encode("ascii")),
        *(("entry", entry) for entry in entries),
    )
    return derive_seed(identity.secret_seed, "verified-log", verified)
