"""Lines that a person types at a prompt, before there is a match and its console.

# Rule 1: nothing is read beyond the line that is asked for: what stands behind it is for the
# console (cli.terminal.console). A terminal that edits its own lines hands over one of them for
# each read, if nothing of ours is buffered.
# Rule 2: no prompt stands in the middle of what is pasted.
"""

from __future__ import annotations

import select
import sys
from collections.abc import Callable, Iterator

from cli.terminal.console import is_terminal
from cli.terminal.line_input import EndOfInput, LineSplitter, TypedLine
from cli.terminal.lines import print_lines

_CHUNK = 16 * 1024
_PAUSE = 0.05
"""Seconds without a further line after which a paste is over."""


def can_ask() -> bool:
    """Whether a person sits at both ends."""
    return is_terminal(sys.stdin) and is_terminal(sys.stdout)


def asked_lines(prompt: Callable[[], str]) -> Iterator[str]:
    """The lines that are typed, until Ctrl-D. Raises KeyboardInterrupt.

    Only where ``can_ask``.
    """
    raw = getattr(getattr(sys.stdin, "buffer", None), "raw", None)
    reader = LineSplitter(sys.stdin.encoding or "utf-8")
    while raw is not None:
        try:
            if not _more_waits():
                print(prompt(), end="", flush=True)
            data = raw.read(_CHUNK) or b""
        except KeyboardInterrupt:
            print()
            raise
        except OSError:  # EIO: the terminal is gone
            data = b""
        for event in reader.feed(data):
            match event:
                case TypedLine(text):
                    yield text
                case EndOfInput():
                    print()
                    return
                case _:
                    print_lines("That line is too long; it was not read.")


def _more_waits() -> bool:
    """Whether the next line is there already."""
    if sys.platform == "win32":  # which can wait for sockets alone
        return False
    return bool(select.select([sys.stdin], [], [], _PAUSE)[0])
