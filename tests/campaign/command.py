"""What the commands of all campaigns share: their options, how far they are, and their results."""

import argparse
import time

_RESULT = "result: "


class Failed(Exception):
    """What must not happen."""


def options(doc, /, **defaults):
    """A parser for options that each have a default, a number or a text, or that and a help.

    *doc*: the module's, whose first line describes the command.
    """
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    for name, default in defaults.items():
        value, told = default if isinstance(default, tuple) else (default, None)
        parser.add_argument(f"--{name}", type=type(value), default=value, help=told)
    return parser


def result(what, reached, goal, seed=None):
    """Print one row of the table of results. *seed*: None where there is no chance in it."""
    cells = (what, reached, goal, "-" if seed is None else f"seed {seed}")
    print(_RESULT + " | ".join(map(str, cells)), flush=True)


def read_result(line):
    """The four cells of such a row; None for any other line."""
    if not line.startswith(_RESULT):
        return None
    return [cell.strip() for cell in line.removeprefix(_RESULT).split("|")]


def timed():
    """Gives what prints a line behind the seconds that have passed since now."""
    begun = time.monotonic()
    return lambda line: print(f"{time.monotonic() - begun:.0f} s: {line}", flush=True)


def now_and_then(line, seconds=10):
    """Gives what prints the *line* of its arguments, but not again before so many seconds."""
    told = [time.monotonic()]

    def tell(*arguments):
        if time.monotonic() - told[0] > seconds:
            told[0] = time.monotonic()
            print(line(*arguments), flush=True)

    return tell
