"""How this program is called by whoever reads our sentences: a command in them can be pasted.

# Rule 1: what our player is told to type here names the home that was named to this program. What a
# friend is told to type does not: it is another machine's.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping

from ginpeer.names.shown import safe

_LONGEST = 1_000
"""Characters of it that are told."""


def own_command(home: str | None, environ: Mapping[str, str]) -> str:
    """How this program is called, from whatever folder, by whoever has named a home for it."""
    if home is None:
        named = os.path.expanduser(environ.get("GINPEER_HOME", ""))
        if not named or os.path.isabs(named):
            return "ginpeer"
        home = named
    folder = shlex.quote(os.path.abspath(os.path.expanduser(home)))
    return safe(f"ginpeer --home {folder}", _LONGEST)
