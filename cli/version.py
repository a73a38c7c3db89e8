"""Which ginpeer this is: for --version, and for the other player's program."""

from __future__ import annotations


def version() -> str:
    """What ginpeer.__version__ says; imported only by who wants to know."""
    from ginpeer import __version__

    return __version__
