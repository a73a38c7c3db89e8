"""Which program this is: its version, and the command that starts it, as our sentences show it.

Rule 1: a command that our player is told to type contains the home that was given to this
        program, so that it can be pasted. A command that a friend is told to type doesn't,
        because it is for another machine.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping

_MAX_SHOWN = 1_000
"""How many characters of the command are shown."""


def version() -> str:
    """Return ginpeer.__version__, which is imported only when it is needed."""
    from ginpeer import __version__

    return __version__


def own_command(home: str | None, environ: Mapping[str, str] = os.environ) -> str:
    """Return the command that starts this program with its home, from any folder: "ginpeer", or
    "ginpeer --home /srv/gin" if *home* or a relative GINPEER_HOME was given."""
    from ginpeer.names import safe

    if home is None:
        named = os.path.expanduser(environ.get("GINPEER_HOME", ""))
        if not named or os.path.isabs(named):
            return "ginpeer"
        home = named
    folder = quoted(os.path.abspath(os.path.expanduser(home)))
    return safe(f"ginpeer --home {folder}", _MAX_SHOWN)


def quoted(argument: str) -> str:
    """Return an argument, quoted for the user's shell."""
    if sys.platform == "win32":
        import subprocess

        return subprocess.list2cmdline([argument])
    return shlex.quote(argument)
