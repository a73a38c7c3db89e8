"""Our player leaves: with Ctrl-C, because the program was told to end, or with the terminal.

# Rule 1: Ctrl-C clears a half-typed line. On an empty line it asks whether to leave. Pressed again,
# it leaves with a goodbye; pressed once more during that, it ends the program. If nobody can be
# asked, it leaves at once.
# Rule 2: if the terminal is gone, the other player hears nothing of it, and waits.
# Rule 3: nothing here has to end by itself: the last resort (cli.match.process) stands behind it.
"""

from __future__ import annotations

from typing import Protocol

from cli.match.contact import Sessions
from cli.match.match_end import MatchEnd
from cli.table.table import HumanTable
from ginpeer.net.interfaces import CloseReason

INTERRUPTED = 130


class ExitRequests(Protocol):
    """What the program does when it is told to end."""

    @property
    def has_left(self) -> bool:
        """Whether our player wants to leave, or is gone."""

    def interrupt(self) -> None:
        """Handle Ctrl-C."""

    def leave(self) -> None:
        """Leave, because somebody wants the program to end."""

    def hang_up(self) -> None:
        """Leave without a word to the other player, because the terminal is gone."""


class Interrupts:
    """Lets a player leave the match; in a club, the Club does that."""

    def __init__(self, end: MatchEnd, table: HumanTable | None, sessions: Sessions) -> None:
        """*table*: None where the bot plays for us."""
        self._end = end
        self._table = table
        self._sessions = sessions
        self._told = False

    @property
    def has_left(self) -> bool:
        """Whether our player wants to leave, or is gone."""
        return self._told or (self._table is not None and self._table.leaving)

    def interrupt(self) -> None:
        """Handle Ctrl-C."""
        if self.has_left:
            self._end.status = INTERRUPTED
            self._end.halt()
        elif self._table is not None:
            self._table.interrupt()
        else:
            self.leave()

    def leave(self) -> None:
        """Leave, because somebody wants the program to end."""
        self._told = True
        session = self._sessions.current
        if self._table is not None:
            self._table.leave()
        elif self._end.waits or session is None:
            self._end.nobody_came()
        elif not session.done.called:
            session.leave()
        elif not self._end.is_over:  # the last guest only lacked the end of an old match
            self._end.nobody_came()

    def hang_up(self) -> None:
        """Leave without a word to the other player, because the terminal is gone."""
        self._told = True
        session = self._sessions.current
        if session is not None and session.ending is None:
            session.cut(CloseReason("hung-up", "The terminal was closed; the log is kept."))
        else:
            self.leave()
