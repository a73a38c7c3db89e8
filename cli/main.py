"""The command `ginpeer`: arguments, exit statuses, and how every error is reported.

House rules

1. Help imports nothing heavy. Each command's module, and with it Twisted, protobuf and the
   crypto, is imported only when that command runs.
2. No traceback ever reaches a player. An expected error ends the program with a sentence and a
   stable code; any other error with one line and status 70 (GINPEER_DEBUG=1 shows the traceback).
3. An exit status means the same in every command, so that scripts can rely on it: 1 and 3 are
   verdicts on a match, never ordinary errors.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from cli.parser import FIRST_STEPS, one_line, parser
from cli.program import INTERRUPTED, OUR_FAULT, OUT_OF_MEMORY, USAGE, Failure
from cli.terminal.help_layout import wrap_help

PIPE_CLOSED = 141  # as shells report SIGPIPE


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; never raises."""
    try:
        _hold_standard_files()
        _make_output_safe()
        status = _run(argv)
        _flush_output()  # a closed pipe or a full disk can still be reported here
        return status
    except Failure as failure:
        return _say(f"{failure.sentence} ({failure.code})", failure.status)
    except KeyboardInterrupt:
        return _say("stopped.", INTERRUPTED)
    except MemoryError:
        return _say(OUT_OF_MEMORY, OUR_FAULT)
    except Exception as error:  # the last resort: report any other error in one line
        if _is_closed_pipe(error):
            _discard(sys.stdout)
            return PIPE_CLOSED
        return _unexpected(error)
    finally:
        _let_go_of_output()


def _run(argv: Sequence[str] | None) -> int:
    top = parser()
    try:
        args = top.parse_args(_with_whole_invite(sys.argv[1:] if argv is None else argv))
    except SystemExit as stop:  # --help and --version
        return stop.code if isinstance(stop.code, int) else 0
    args.home = getattr(args, "home", None)
    if args.command is None:
        print(wrap_help(FIRST_STEPS), end="", file=sys.stderr, flush=True)
        if sys.stderr is not None and sys.stderr.isatty():
            row = _latest_unfinished(args.home)
            print(wrap_help(row) if row else "", end="", file=sys.stderr)
        return USAGE
    if args.command == "help":
        return _run(["--help"] if args.about is None else [args.about, "--help"])
    return body_of(args.command)(args)


def _latest_unfinished(named: str | None) -> str:
    """Return the row of the main help that says how to continue the latest unfinished match; "" if
    there is none. *named*: the home that was given.

    Nobody has asked for this row, so it must be quick (no log is verified, and neither Twisted nor
    the table is imported), and after any error it is "".
    """
    from cli.program import own_command
    from cli.text.shelved_match import resume_row
    from ginpeer.match_store.matches import latest_active_match
    from ginpeer.store import Home, StoreError

    try:
        home = Home.locate(named, os.environ)
        stored = latest_active_match(home)
        if stored is None:
            return ""
        known = home.known_names(time.time)
        return resume_row(stored, known, own_command(named))
    except (StoreError, OSError, ValueError):
        return ""


_MODULES = {
    **dict.fromkeys(("host", "join", "resume"), "play"),
    "analyse": "replay",
    "id": "friends",
}
"""The module of each command whose module has a different name."""


def body_of(command: str) -> Callable[[Namespace], int]:
    """Return the function that runs a command. Import its module only now."""
    module = import_module(f"cli.commands.{_MODULES.get(command, command)}")
    body: Callable[[Namespace], int] = getattr(module, f"run_{command}")
    return body


_PIECE = re.compile(r"-(?![hv]$)[a-z2-7][a-z2-7-]*", re.ASCII | re.IGNORECASE)
"""Matches the rest of an invite that was broken before a hyphen. It never matches an option: those
are -h and -v, or begin with two hyphens."""


_BEGUN = re.compile(r"[^a-z0-9]*(invite:)?gin1(-|$)", re.ASCII | re.IGNORECASE)


def _with_whole_invite(argv: Sequence[str]) -> list[str]:
    """Return the arguments with the pieces of a broken invite joined again."""
    joined: list[str] = []
    invite = False  # whether the last word is an invite, or its beginning
    for word in argv:
        if invite and _PIECE.fullmatch(word):
            joined[-1] += word
            continue
        begun = _BEGUN.match(word) is not None
        more = word == "-" or not word.startswith("-")
        invite = any(each in joined for each in ("join", "host", "link")) and (
            begun or (invite and more)
        )
        joined.append(word)
    return joined


def _hold_standard_files() -> None:
    """Open the null device for each of the descriptors 0 to 2 that our parent has closed.

    Otherwise the next file to be opened, perhaps a log, would get one of these numbers, and what a
    library prints as the program ends would go into that file. Python's own stream for a closed
    descriptor is None, so Python writes nothing there.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number


_STD_OUTPUT_HANDLE = -11
_VIRTUAL_TERMINAL = 4  # a console in this mode processes escape sequences


def _make_output_safe() -> None:
    """Print characters that the terminal's encoding lacks as escapes, instead of failing. Make a
    Windows console process colour codes; if it can't, print none."""
    if sys.stdout is not None:
        reconfigure = getattr(sys.stdout, "reconfigure", None)  # a test's stream may lack it
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
    if sys.platform == "win32":
        import ctypes

        kernel, mode = ctypes.windll.kernel32, ctypes.c_ulong()
        console = kernel.GetStdHandle(_STD_OUTPUT_HANDLE)
        can_read = kernel.GetConsoleMode(console, ctypes.byref(mode))
        if not (can_read and kernel.SetConsoleMode(console, mode.value | _VIRTUAL_TERMINAL)):
            os.environ.setdefault("NO_COLOR", "1")


def _flush_output() -> None:
    """Flush standard output. Raises OSError, except if the terminal is gone: then nobody could read
    the output, so the exit status shouldn't change."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        if error.errno != errno.EIO or not stat.S_ISCHR(os.fstat(sys.stdout.fileno()).st_mode):
            raise


def _is_closed_pipe(error: Exception) -> bool:
    """Return whether this error means that nobody reads our output any more (Windows: EINVAL)."""
    if sys.platform != "win32" or not isinstance(error, OSError) or error.errno != errno.EINVAL:
        return isinstance(error, BrokenPipeError)
    with contextlib.suppress(AttributeError, ValueError):  # there may be no standard output
        try:
            sys.stdout.flush()  # the output is still in the buffer, so this fails again
        except OSError:
            return stat.S_ISFIFO(os.fstat(sys.stdout.fileno()).st_mode)
    return False


def _let_go_of_output() -> None:
    """Drop output that couldn't be written, for example because the terminal is gone. Otherwise
    writing would fail again when the interpreter exits, which would change our exit status to 120.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            _discard(stream)


def _discard(stream: Any) -> None:
    """Make the interpreter flush the remaining output to the null device when it exits."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except (AttributeError, OSError, ValueError):
        return


def _unexpected(error: Exception) -> int:
    if os.environ.get("GINPEER_DEBUG"):
        import traceback

        traceback.print_exception(error)
    if isinstance(error, OSError) and error.strerror:
        what = f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    else:
        what = f"{type(error).__name__}: {error}"
    return _say(
        f"something went wrong on this machine: {one_line(what)} "
        "What was stored is safe. GINPEER_DEBUG=1 shows where it happened.",
        OUR_FAULT,
    )


def _say(line: str, status: int) -> int:
    """Write a line to standard error, if it isn't closed, and return the status."""
    try:
        from cli.terminal.output import print_lines

        if sys.stderr is not None:  # print_lines would write to standard output instead
            print_lines(f"ginpeer: {line}", stream=sys.stderr)
    except (OSError, ValueError):
        _discard(sys.stderr)
    return status
