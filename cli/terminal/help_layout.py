"""The layout of help, wrapped between words to the terminal's width.

Rule 1: a pipe counts as 80 columns wide unless COLUMNS says otherwise, and so does a terminal
  that doesn't report its width.
Rule 2: a word that is wider than its row stays in one piece, so that it can be copied. Words are
  split only at spaces: a hyphen is part of an option's name.
Rule 3: the usage line shows what must be typed, and "[OPTION ...]" once. Each option is listed
  below it with its explanation, so that a screen reader speaks each option once.
Rule 4: --help fits a screen of 80 columns and 24 rows. If a command has details, --help leaves
  them and the rare options out, and explains some of the others in brief; --help-all shows
  everything.
"""

from __future__ import annotations

import argparse
import re
import shutil
from collections.abc import Iterable
from textwrap import wrap
from typing import Any

_ASIDE = 24  # the column in which explanations begin; on narrow terminals, a third of the width
_BELOW = " " * 6  # the indent of an explanation that doesn't fit beside what it explains


def argument_text(action: argparse.Action) -> str:
    """Return the name of an argument, or of an option's value, as in "LOG ..."; "" for a flag."""
    if action.nargs == 0:
        return ""
    name = action.metavar or action.dest
    if isinstance(name, tuple):
        return " ".join(name)
    if action.nargs in ("+", "*") and not getattr(action, "in_words", False):
        name += " ..."
    return f"[{name}]" if action.nargs in ("?", "*") else name


class Details(str):
    """The text at the end of a command's help, if only --help-all shows it."""


class HelpLayout(argparse.HelpFormatter):
    """Lays out the help of one command. An empty line in a description begins a new paragraph."""

    everything = False  # whether to show rare options and details, too

    def __init__(self, prog: str, **more: Any) -> None:
        columns = _columns()
        super().__init__(prog, width=columns, max_help_position=min(_ASIDE, columns // 3), **more)

    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[Any],
        prefix: str | None = None,
    ) -> None:
        typed = (argument_text(action) for action in actions if not action.option_strings)
        told = " ".join([self._prog, "[OPTION\N{NO-BREAK SPACE}...]", *typed])
        rows = wrap(f"usage: {told}", self._width, subsequent_indent=" " * len("usage: "))
        told = "\n".join(rows).removeprefix("usage: ").replace("\N{NO-BREAK SPACE}", " ")
        super().add_usage(told, actions, groups, prefix)

    def add_text(self, text: str | None) -> None:
        left_out = isinstance(text, Details) and not self.everything
        super().add_text(f"For the rest: {self._prog} --help-all" if left_out else text)

    def add_argument(self, action: argparse.Action) -> None:
        if self.everything or not getattr(action, "rare", False):
            super().add_argument(action)

    def _get_help_string(self, action: argparse.Action) -> str | None:
        return action.help if self.everything else getattr(action, "brief", action.help)

    def start_section(self, heading: str | None) -> None:
        super().start_section("arguments" if heading == "positional arguments" else heading)

    def _format_args(self, action: argparse.Action, default_metavar: str) -> str:
        return argument_text(action)

    def _split_lines(self, text: str, width: int) -> list[str]:
        return _rows(text, width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        paragraphs = (_rows(each, width, indent, indent) for each in text.split("\n\n"))
        return "\n\n".join("\n".join(rows) for rows in paragraphs)


class WholeHelpLayout(HelpLayout):
    everything = True


def wrap_help(text: str) -> str:
    """Wrap the main help: paragraphs, and items. An item is indented by two spaces, and has two
    spaces or more before its explanation. Lines with a deeper indent belong to the item above
    them."""
    columns = _columns()
    rows: list[str] = []
    for block in _blocks(text):
        item = re.fullmatch(r"(  \S.*? {2,})(\S.*)", block)
        if item is None:
            rows += _rows(block, columns) or [""]
        elif len(item[1]) <= columns // 2:
            rows += _rows(item[2], columns, item[1], " " * len(item[1]))
        else:
            rows += [item[1].rstrip(), *_rows(item[2], columns, _BELOW, _BELOW)]
    return "\n".join(rows) + "\n"


def _blocks(text: str) -> list[str]:
    """Return each heading, paragraph, item and empty line as one piece."""
    blocks: list[str] = []
    for line in text.splitlines():
        begins_item = re.match(r"  \S", line)
        if line and not begins_item and blocks and blocks[-1] and not blocks[-1].endswith(":"):
            blocks[-1] += f" {line.strip()}"
        else:
            blocks.append(line)
    return blocks


def _rows(text: str, columns: int, first: str = "", later: str = "") -> list[str]:
    return wrap(
        " ".join(text.split()),
        columns,
        initial_indent=first,
        subsequent_indent=later,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _columns() -> int:
    """Return the terminal's width minus one: after a full row, some terminals add an empty row."""
    return max(shutil.get_terminal_size().columns - 1, 1)
