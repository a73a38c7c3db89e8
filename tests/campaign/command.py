"""What the commands of all campaigns share: their options, progress and results."""

import argparse
import time

_RESULT = "result: "


class Failed(Exception):
    """Something happened that must not."""


def options(doc, /, **defaults):
    """Return a parser for options. Each is given as a default (a number or a string), or as a pair
    of a default and a help text.

    *doc*: the module's docstring; its first line describes the command.
    """
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    for name, default in defaults.items():
        value, told = default if isinstance(default, tuple) else (default, None)
        parser.add_argument(f"--{name}", type=type(value), default=value, help=told)
    return parser


def result(what, reached, goal, seed=None):
    """Print one row of the table of results. *seed*: None if the result doesn't depend on
    chance."""
    cells = (what, reached, goal, "-" if seed is None else f"seed {seed}")
    print(_RESULT + " | ".join(map(str, cells)), flush=True)


def read_result(line):
    """Return the four cells of a row printed by `result`, or None for any other line."""
    if not line.startswith(_RESULT):
        return None
    return [cell.strip() for cell in line.removeprefix(_RESULT).split("|")]


def timed():
    """Return a function that prints the seconds since this call, followed by a line."""
    begun = time.monotonic()
    return lambda line: print(f"{time.monotonic() - begun:.0f} s: {line}", flush=True)


def now_and_then(line, seconds=10):
    """Return a function that prints what *line* returns for its arguments, at most once in this
    many seconds."""
    told = [time.monotonic()]

    def tell(*arguments):
        if time.monotonic() - told[0] > seconds:
            told[0] = time.monotonic()
            print(line(*arguments), flush=True)

    return tell
