"""Questions asked before there is a match with its console: for a passphrase, or for pasted lines.

House rules

1. A passphrase is never an argument or the value of an environment variable, because other
   programs can read both. A program names a file in GINPEER_PASSPHRASE_FILE; /dev/fd/3 works, too.
2. A passphrase is asked for on the terminal itself, before anything else is printed there, even
   if standard input is a file of moves. Without a terminal, nobody is asked: on a pipe, the first
   move would be taken for the passphrase.
3. No error contains what was typed.
4. Only the line that was asked for is read; the rest is for the console (cli.terminal.console). A
   terminal that edits its own lines returns one line for each read, as long as we don't buffer.
5. No prompt is printed in the middle of a paste.
"""

from __future__ import annotations

import contextlib
import getpass
import os
import select
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from cli.program import Failure, failures_of
from cli.terminal.console import is_terminal
from cli.terminal.line_input import EndOfInput, LineSplitter, TypedLine
from cli.terminal.output import print_lines
from ginpeer.names import safe
from ginpeer.store import StoreError
from ginpeer.store.identity_file import check_new_passphrase

FILE_VARIABLE = "GINPEER_PASSPHRASE_FILE"
TRIES = 3  # how often a person may type a passphrase; checking one takes a third of a second

AGAIN = frozenset({"wrong-passphrase", "bad-passphrase"})
"""Codes after which a person at a terminal may simply try again."""

_MAX_FILE_BYTES = 8192

T = TypeVar("T")


# --- passphrases ------------------------------------------------------------------------


def ask_passphrase(environ: Mapping[str, str] = os.environ, what: str = "your key") -> str:
    """Return the passphrase for *what*, from FILE_VARIABLE's file or typed. Raises Failure."""
    named = environ.get(FILE_VARIABLE)
    return _in_file(named) if named else _ask(f"Passphrase for {what} (hidden): ")


def ask_new_passphrase(environ: Mapping[str, str] | None) -> str:
    """Return a new passphrase, from FILE_VARIABLE's file or typed twice. If *environ* is None, it
    must be typed. Raises Failure."""
    named = None if environ is None else environ.get(FILE_VARIABLE)
    if named:
        return _in_file(named)

    otherwise = "" if environ is None else _BY_FILE

    def asked() -> str:
        first = _ask("New passphrase (hidden): ", otherwise)
        with failures_of(StoreError):
            check_new_passphrase(first)
        if _ask("Repeat it: ", otherwise) != first:
            raise Failure("bad-passphrase", "The passphrases don't match.")
        return first

    return with_retries(asked)


def with_retries(asked: Callable[[], T]) -> T:
    """Return what *asked* returns, calling it up to TRIES times if a passphrase isn't accepted."""
    for _ in range(TRIES - 1):
        try:
            return asked()
        except Failure as why:
            if why.code not in AGAIN:
                raise
            print_lines(f"{why.sentence} Try again.", stream=sys.stderr)
    return asked()


_BY_FILE = f"Without a terminal, set {FILE_VARIABLE} to the name of a file that contains it."


def _ask(prompt: str, otherwise: str = _BY_FILE) -> str:
    """Return what is typed at a terminal. *otherwise*: how to do without a terminal, or empty."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", getpass.GetPassWarning)  # it would echo the passphrase
            return getpass.getpass(prompt)
    except UnicodeError:
        raise Failure(
            "bad-passphrase", "That passphrase contains characters that can't be read."
        ) from None
    except (getpass.GetPassWarning, EOFError, OSError):
        told = otherwise or "You can type a new one only at a terminal."
        raise Failure("no-passphrase", f"ginpeer needs a passphrase. {told}") from None


def _in_file(named: str) -> str:
    """Return the content of the file *named*, without its final line break. Raises Failure."""
    try:
        with open(named, "rb") as file:
            data = file.read(_MAX_FILE_BYTES + 1)
        if len(data) > _MAX_FILE_BYTES:
            raise ValueError
        text = data.decode("utf-8-sig")  # Windows editors add a byte order mark
    except OSError as why:
        reason = why.strerror or type(why).__name__
        raise Failure(
            "no-passphrase",
            f"{FILE_VARIABLE} names {safe(named, 200)}, which can't be read: {reason}.",
        ) from None
    except ValueError:  # too long, not UTF-8, or a file name with a NUL
        raise Failure(
            "bad-passphrase",
            f"{FILE_VARIABLE} names {safe(named, 200)}, which isn't a line of text.",
        ) from None
    return text.removesuffix("\n").removesuffix("\r")


# --- lines ------------------------------------------------------------------------------

_CHUNK = 16 * 1024
_PAUSE = 0.05  # a paste is over after this many seconds without another line


def can_ask() -> bool:
    return is_terminal(sys.stdin) and is_terminal(sys.stdout)


def asked_lines(prompt: Callable[[], str]) -> Iterator[str]:
    """Yield the lines that a person types, until Ctrl-D. Raises KeyboardInterrupt."""
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
                    print_lines("That line is too long. It was ignored.")


def discard_typed() -> None:
    """Discard what has been typed or pasted but not yet read, if the system can do that."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import termios  # Windows has none

        termios.tcflush(sys.stdin, termios.TCIFLUSH)


def _more_waits() -> bool:
    """Return whether the next line has already arrived."""
    if sys.platform == "win32":  # where select() waits only for sockets
        return False
    return bool(select.select([sys.stdin], [], [], _PAUSE)[0])
