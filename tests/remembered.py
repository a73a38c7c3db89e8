"""Compute the arithmetic behind proofs and signatures, and the values of choices, only once.

The suite verifies the same logs again and again, and scalar multiplication took a third of its
time. It is a pure function, so libsodium's result for each input is stored and reused; so is
OpenSSL's verdict on each signature. The checks above, in protocol/crypto, run as usual. The pure
group and the toy group of the tests aren't affected. In the same way, the values of all choices
that an analysis finds in a position are stored; the bots and the tests of the adviser still compute
theirs. The parser of the command line, too, is built only once.

The workers of a run verify the same golden logs and record the same matches, so each writes its
sums, which take nearly all of that time, to a file that the others read.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from cli import main, parser
from cli.terminal.help_layout import HelpLayout
from ginpeer.analysis import decisions
from protocol.crypto import identity
from protocol.crypto.group_sodium import SodiumGroup

MOST = 2**17  # results of each kind: about 30 MB, more than a worker needs


class VerifyingKey:
    """An Ed25519 key that remembers which signatures it has accepted or refused."""

    from_bytes = staticmethod(identity.Ed25519PublicKey.from_public_bytes)

    def __init__(self, key: Ed25519PublicKey) -> None:
        self.verify_whole = key.verify
        self.is_good: dict[bytes, bool] = {}

    @classmethod
    @functools.lru_cache(64)
    def from_public_bytes(cls, public: bytes) -> VerifyingKey:
        return cls(cls.from_bytes(public))

    def verify(self, signature: bytes, message: bytes) -> None:
        digest = hashlib.blake2b(signature + message, digest_size=32).digest()
        if digest not in self.is_good:
            with contextlib.suppress(InvalidSignature):
                self.verify_whole(signature, message)
                self.is_good[digest] = True
            self.is_good.setdefault(digest, False)
        if not self.is_good[digest]:
            raise InvalidSignature


class Sums:
    """Sums by the hash of their terms, shared by all processes that use the same file."""

    RECORD = 64  # the hash and the sum; short enough to be written in one piece

    def __init__(self, shared: Path | None = None) -> None:
        self.known: dict[bytes, bytes] = {}
        self.file = -1
        self.read = 0
        if shared is not None:
            self.file = os.open(shared, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)

    def get(self, key: bytes) -> bytes | None:
        if key not in self.known and self.file >= 0:
            self._read_on()
        return self.known.get(key)

    def add(self, key: bytes, total: bytes) -> None:
        self.known[key] = total
        if self.file >= 0:
            os.write(self.file, key + total)

    def _read_on(self) -> None:
        """Read what this or any other process has written since the last call."""
        length = os.fstat(self.file).st_size - self.read
        if length < self.RECORD:
            return
        read = os.pread(self.file, length - length % self.RECORD, self.read)
        self.read += len(read)
        for at in range(0, len(read), self.RECORD):
            self.known[read[at : at + 32]] = read[at + 32 : at + self.RECORD]


def remember(shared: Path | None = None) -> None:
    """Make every SodiumGroup, every key and every analysis of this process remember results. Call
    this once.

    *shared*: a file in which the workers of a run share their sums.
    """
    identity.Ed25519PublicKey = VerifyingKey  # type: ignore[misc, assignment]
    whole, sums = SodiumGroup.multi_multiply, Sums(shared)

    def multi_multiply(
        self: SodiumGroup, scalars: Sequence[int], elements: Sequence[bytes]
    ) -> bytes:
        if len(scalars) < 2:
            return whole(self, scalars, elements)
        data = b"".join([*elements, *(scalar.to_bytes(32, "little") for scalar in scalars)])
        key = hashlib.blake2b(data, digest_size=32).digest()
        total = sums.get(key)
        if total is None:
            total = whole(self, scalars, elements)
            sums.add(key, total)
        return total

    SodiumGroup.multi_multiply = multi_multiply  # type: ignore[method-assign]
    for name in ("add", "subtract", "multiply", "base_multiple", "is_canonical"):
        setattr(SodiumGroup, name, functools.lru_cache(MOST)(getattr(SodiumGroup, name)))
    for name in ("choices", "draw_values"):
        setattr(decisions, name, functools.lru_cache(MOST)(getattr(decisions, name)))
    main.parser = _parser  # type: ignore[attr-defined]


@functools.cache
def _built_parser() -> Any:
    return parser.parser()


def _parser() -> Any:
    """Return the parser of the command line, which is built only once: argparse takes longer to
    declare all options than most commands take to run."""
    top = _built_parser()
    for each in top.commands.values():
        each.formatter_class = HelpLayout  # not that of an earlier --help-all
    return top
