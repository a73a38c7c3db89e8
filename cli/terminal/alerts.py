"""The bell and the window's title, which call a player who looks elsewhere.

# House rules
#
# 1. A title is one of ours, an AlertState. It never contains a peer's words, a name or a card: a
#    window manager, a shell and anybody looking over the shoulder can read it.
# 2. Pipes get nothing, and no terminal gets a title that may show its codes as letters.
# 3. The bell rings once for a question, however often it is asked again: after each line that is
#    typed, and after each return of a player who comes and goes.
# 4. At the end the title is cleared, and the old one is back if the terminal has kept it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum

from cli.terminal.console import Console
from ginpeer.net.interfaces import Clock

LONG = 2.0
"""Seconds of waiting after which a player may be looking elsewhere."""

_BELL = "\a"
# Operating system command 2, the window's title, ended by ST (xterm control sequences). The bell
# would end it too, and ring where the rest is not understood.
_TITLE = "\x1b]2;{}\x1b\\"
_PUT_BY, _PUT_BACK = "\x1b[22;2t", "\x1b[23;2t"  # the old title; ignored where it is not known

_TITLELESS = re.compile(r"$|dumb|unknown|network|ansi|linux|fbterm|cons\d|vt\d|sun|eterm|emacs")
"""Names (TERM) of terminals without a title, consoles and editors among them."""


class AlertState(Enum):
    """Whether our player is asked something; the value is the window's title."""

    NOTHING = "waiting - ginpeer"
    QUESTION = "a question - ginpeer"
    TURN = "your turn - ginpeer"


class Alerts:
    """The bell and the title of one person's terminal. They call a player who looks elsewhere."""

    def __init__(self, console: Console, clock: Clock, bell: Callable[[], bool]) -> None:
        """*bell*: returns whether the bell may ring."""
        self._console = console
        self._clock = clock
        self._bell = bell
        self._asked = AlertState.NOTHING
        self._since = clock.seconds()  # that nothing is asked
        self._titled = False
        self._last: object = None  # question that was asked

    def tell(self, asked: AlertState, question: object = None) -> None:
        """Set what is asked now, which may be the same as before. *question*: which question it is;
        one that compares equal is the same question."""
        before, self._asked = self._asked, asked
        if asked is AlertState.NOTHING and before is not asked:
            self._since = self._clock.seconds()
        waited = before is AlertState.NOTHING and self._clock.seconds() - self._since >= LONG
        news = question is None or question != self._last
        if waited and asked is not AlertState.NOTHING and news and self._bell():
            self._console.signal(_BELL)
        if asked is not AlertState.NOTHING:
            self._last = question
        if before is not asked or not self._titled:
            self._show(asked)

    def answered(self) -> None:
        """Treat whatever is asked next as a new question, because our player has answered."""
        self._last = None

    def _show(self, asked: AlertState) -> None:
        if _TITLELESS.match(self._console.kind) is None:
            put_by = "" if self._titled else _PUT_BY
            self._titled = True
            self._console.signal(put_by + _TITLE.format(asked.value))

    def close(self) -> None:
        """Clear the title."""
        if self._titled:
            self._console.signal(_TITLE.format("") + _PUT_BACK)
            self._titled = False
