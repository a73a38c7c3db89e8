"""How arguments are declared: as text, much as --help-all shows them. Also the options that several
groups of commands share.

    FRIEND?
        an argument that may be left out; LOG+ takes one or more, FILE* any number
    --listen HOST:PORT rare
        an option with a value, which only --help-all shows; without a value, it is a flag
    --tor
        what --help-all says about it
        In brief: what --help says instead
    --advertise HOST:PORT repeatable
        an option whose values are collected
    --hand N either
    --step STEP either
        neighbouring options that exclude each other

cli.terminal.help_layout says what --help leaves out.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping
from typing import Any

AddCommand = Callable[..., argparse.ArgumentParser]
"""Adds a command. It takes a name, a description and an epilog, or details, which only --help-all
shows, and *arguments*; it returns the command's parser."""


# --- typed values ------------------------------------------------------------------------


def _number(low: int, high: int, error: str = "") -> Callable[[str], int]:
    """Return a parser for whole numbers from *low* to *high*, written with no more digits than
    *high* has."""
    digits = len(str(high))

    def read(text: str) -> int:
        if text.isascii() and text.isdigit() and len(text) <= digits and low <= int(text) <= high:
            return int(text)
        raise argparse.ArgumentTypeError(error or f"must be a number from {low} to {high}")

    return read


LEVELS = 6  # how many the bot has; this package doesn't import ginpeer.adviser.levels (rule 2)
level = _number(1, LEVELS)


def _day(text: str) -> str:
    """Read a calendar day, "2026-11-22"."""
    from datetime import date

    try:
        if re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII):
            return date.fromisoformat(text).isoformat()
    except ValueError:
        pass
    raise argparse.ArgumentTypeError("must be a date like 2026-11-22")


def _folder(text: str) -> str:
    if text:
        return text
    raise argparse.ArgumentTypeError("must name a folder")


def rule_words(text: str) -> str:
    """Spell rules as their parser does: "Oklahoma, box = 20" becomes "oklahoma box=20"."""
    return re.sub(r"\s*=\s*", "=", text.replace(",", " ").lower())


_TYPES: Mapping[str, Callable[[str], Any]] = {
    "--friends": _number(1, 3),
    "--hand": _number(1, 999_999, "must be a number, 1 or higher"),
    "--level": level,
    "--limit": _number(1, 999_999, "must be a number, 1 or higher"),
    "--matches": _number(1, 9_999),
    "--tables": _number(1, 99),
    "DATE": _day,
    "DIR": _folder,
    "OTHER": rule_words,
    "PORT": _number(1, 0xFFFF),
    "POINTS": _number(1, 10_000),  # as for a match's target (ginpeer.rules.parameters)
    "RULES": rule_words,
    "SECONDS": _number(0, 999_999, "must be a number of seconds"),
}
"""The functions that read values, by option or by the value's name in help. Other values are
text."""

_MORE: Mapping[str, Mapping[str, Any]] = {
    "--as": {"dest": "format", "choices": ("text", "html", "json", "svg")},
    "--disclose": {"choices": ("after-match", "after-hand", "never")},
    "--friends": {"default": 1},
    "--home": {"default": argparse.SUPPRESS},  # None would hide a --home before the command
    "FILE*": {"default": []},
    "RULES+": {"default": ["standard"]},
}
"""Further settings for argparse, by option or value."""

_IN_WORDS = frozenset({"INVITE", "INVITE|FRIEND", "OTHER", "RULES"})
"""Values of several words, which help shows without "..." after them."""

_FILES = {"bash": "_shtab_compgen_files", "zsh": "_files", "fish": "__fish_complete_path"}
_FOLDERS = {
    "bash": "_shtab_compgen_dirs",
    "zsh": "_files -/",
    "fish": "__fish_complete_directories",
}
_COMPLETED_BY = {"FILE": _FILES, "LOG": _FILES, "DIR": _FOLDERS}
"""How a shell completes a value; shtab reads this when it generates share/."""


def declare_arguments(
    command: argparse.ArgumentParser, text: str, *, briefly: bool = False
) -> None:
    """Add the arguments that this text declares. *briefly*: whether to leave out rare options, and
    explain some of the others in brief, as --help does (cli.terminal.help_layout)."""
    either = None
    for block in re.findall(r"^\S.*(?:\n .*)*", text, re.MULTILINE):
        head, *lines = block.split("\n")
        explained, _, brief = " ".join(map(str.strip, lines)).partition(" In brief: ")
        words = head.split()
        marks = {word for word in words if word in ("repeatable", "either", "rare")}
        names = [word.rstrip(",") for word in words if word.startswith("-")]
        values = [word for word in words if not word.startswith("-") and word not in marks]
        value = values[0].rstrip("?*+") if values else ""
        count = values[0][len(value) :] if values else ""
        option = names[-1] if names else ""
        how: dict[str, Any] = {"help": explained}
        if value:
            how["metavar"] = tuple(values) if len(values) > 1 else value
            how["nargs"] = len(values) if len(values) > 1 else count or None
            how["type"] = _TYPES.get(option, _TYPES.get(value))
        if "repeatable" in marks:
            how["action"] = "extend" if count else "append"
        elif not value:
            how["action"] = "store_true"
        if not names:
            several = value in _COMPLETED_BY and count in ("+", "*")
            names = [value.partition("|")[0].lower() + "s" * several]
        either = (either or command.add_mutually_exclusive_group()) if "either" in marks else None
        for known in (option, value + count):
            how |= _MORE.get(known, {})
        added = vars((either or command).add_argument(*names, **how))
        added["in_words"] = count in ("+", "*") and value in _IN_WORDS
        added["rare"] = briefly and "rare" in marks
        if briefly and brief:
            added["brief"] = brief
        if value in _COMPLETED_BY:
            added["complete"] = _COMPLETED_BY[value]


# --- shared options ----------------------------------------------------------------------

RULES = """\
--rules RULES+
    names from ginpeer rules --list and changes to them, in any order, like: oklahoma hollywood
    target=150 (default: standard)
    In brief: the rules to play by, such as: oklahoma target=150 (default: standard)
"""

JSON = """\
--json
    print JSON instead of text
"""

REPLACE = """\
--replace
    overwrite FILE if it exists
"""
