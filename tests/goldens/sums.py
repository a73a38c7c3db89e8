"""The committed hashes of the corpus."""

from __future__ import annotations

import hashlib
from pathlib import Path

SUMS = Path(__file__).with_name("sums.txt")


def sum_of(text: str) -> str:
    """Return the first 16 hex digits of a text's SHA-256, enough to notice accidental changes."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def sums() -> dict[str, str]:
    """Return the committed hash of every file of the corpus, by its name."""
    return {line[18:]: line[:16] for line in SUMS.read_text("ascii").splitlines()}
