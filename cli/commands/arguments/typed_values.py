"""How a typed value is read, and what a shell and the help are told of it.

# Rule 1: nothing of ours is imported here.
"""

from __future__ import annotations

import argparse
import re
from datetime import date


def matches(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 4 and int(text)):
        raise argparse.ArgumentTypeError("a number of matches is 1 to 9999")
    return int(text)


def level(text: str) -> int:
    if text not in tuple("12345"):
        raise argparse.ArgumentTypeError("a level is a number from 1 to 5")
    return int(text)


def tables(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 2 and int(text)):
        raise argparse.ArgumentTypeError("a number of tables is 1 to 99")
    return int(text)


def seconds(text: str) -> float:
    if not (text.isascii() and text.isdigit() and len(text) <= 6):
        raise argparse.ArgumentTypeError("patience is a number of seconds")
    return float(text)


def rule_words(text: str) -> str:
    """Rules in the one spelling that is read, for those who type "Oklahoma, box = 20"."""
    return re.sub(r"\s*=\s*", "=", text.replace(",", " ").lower())


def in_words(argument: argparse.Action) -> None:
    """Its words are one thing, be it typed or pasted; read by cli.terminal.help_layout."""
    setattr(argument, "in_words", True)  # noqa: B010 - argparse knows no such field


_COMPLETED_BY = {
    "file": {"bash": "_shtab_compgen_files", "zsh": "_files", "fish": "__fish_complete_path"},
    "directory": {
        "bash": "_shtab_compgen_dirs",
        "zsh": "_files -/",
        "fish": "__fish_complete_directories",
    },
}


def completes(argument: argparse.Action, kind: str) -> None:
    """What a shell offers for it; read by shtab, which makes share/ of this parser."""
    setattr(argument, "complete", _COMPLETED_BY[kind])  # noqa: B010 - argparse knows no such field


def positive(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 6 and int(text) > 0):
        raise argparse.ArgumentTypeError("a hand has a number from 1 on")
    return int(text)


def port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 5 and 0 < int(text) <= 0xFFFF):
        raise argparse.ArgumentTypeError("a port is a number from 1 to 65535")
    return int(text)


def friends(text: str) -> int:
    if text not in ("1", "2", "3"):
        raise argparse.ArgumentTypeError("a link has 1 to 3 friends at its other ends")
    return int(text)


def points(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 6):
        raise argparse.ArgumentTypeError("a target is a number of points")
    return int(text)


def day(text: str) -> str:
    """A day as a calendar has it, "2026-11-22"."""
    try:
        if re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII):
            return date.fromisoformat(text).isoformat()
    except ValueError:
        pass
    raise argparse.ArgumentTypeError("a date is a year, a month and a day, like 2026-11-22")


def how_many(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 6 and int(text) > 0):
        raise argparse.ArgumentTypeError("so many is a number from 1 on")
    return int(text)
