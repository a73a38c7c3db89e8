"""What `ginpeer` alone says at a terminal below its first help: which match can go on.

# Rule 1: it is there at once. No log is judged, and neither Twisted nor the table is imported.
# Rule 2: whatever hinders it says nothing: nobody has asked.
"""

from __future__ import annotations

import os
import time

from cli.words.own_command import own_command
from cli.words.put_aside import goes_on_by
from ginpeer.keeper.matches import latest_going
from ginpeer.store.acquaintances import Acquaintances
from ginpeer.store.errors import StoreError
from ginpeer.store.home import Home


def how_to_go_on(given: str | None) -> str:
    """The latest match that goes on, as a row of the first help; empty if there is none. *given*:
    the home that was named."""
    try:
        home = Home.locate(given, os.environ)
        stored = latest_going(home)
        if stored is None:
            return ""
        known = Acquaintances.of(home, time.time)
        return goes_on_by(stored, known, own_command(given, os.environ))
    except (StoreError, OSError, ValueError):
        return ""
