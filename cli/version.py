"""Which ginpeer this is: for --version, and for the other player's program."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed


def version() -> str:
    """The version of the installed package, or "unknown" in a bare checkout."""
    try:
        return installed("ginpeer")
    except PackageNotFoundError:
        return "unknown"
