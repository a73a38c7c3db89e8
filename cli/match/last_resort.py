"""The last resort: a program that is to end does so, whatever it is doing.

# Rule 1: what was stored is durable at every instant, so the end may come at any. Nothing is said,
#         sent or stored here: what hinders the program may hinder that, too.
# Rule 2: the terminal is left as it was found, as far as that needs no write, which could wait for
#         ever.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from ginpeer.net.interfaces import Clock

AT_ONCE: Final = 2.0
"""Seconds after which a further signal ends the program. One that comes sooner is the same request:
whoever closes a terminal is heard from the kernel and from the shell, a service manager sends
SIGTERM and SIGHUP."""

IN_ANY_CASE: Final = 10.0
"""Seconds after SIGTERM or SIGHUP. A goodbye that nobody takes has twice Timing.closing of them
(ginpeer.net.connection), routers and Tor about two."""

_DIED = 128
"""And the number of the signal: what shells report for who has died of it."""


class LastResort:
    """When the program has to have ended."""

    def __init__(self, clock: Clock, restore: Callable[[], None] = lambda: None) -> None:
        """*restore*: leaves the terminal as it was found; called from a signal."""
        self._clock = clock
        self._restore = restore
        self._ending: float | None = None  # since when, by the clock
        self._unheard: float | None = None

    def signalled(self, number: int, *, ends: bool) -> None:
        """A signal has come; called from its handler. *ends*: it asks for the end, and not only
        whether our player wants that."""
        now = self._clock.seconds()
        if any(since is not None and now - since >= AT_ONCE for since in self._since()):
            self._end(number)
        if self._unheard is None:
            self._unheard = now
        if ends:
            self.ending()
            self._end_later(number)

    def heard(self) -> None:
        """The event loop has come to what the signals ask for."""
        self._unheard = None

    def ending(self) -> None:
        """From now on the program is to end, for whatever reason."""
        if self._ending is None:
            self._ending = self._clock.seconds()

    def _since(self) -> tuple[float | None, float | None]:
        return self._ending, self._unheard

    def _end_later(self, number: int) -> None:
        """Also where the main thread waits for a thread, or for a terminal that takes nothing:
        handlers run there. Windows has no such timer, and sends no such signals."""
        if sys.platform != "win32" and signal.getitimer(signal.ITIMER_REAL)[0] == 0:
            signal.signal(signal.SIGALRM, lambda *_: self._end(number))
            signal.setitimer(signal.ITIMER_REAL, IN_ANY_CASE)

    def _end(self, number: int) -> None:
        with suppress(Exception):  # of whatever kind: it is the end
            self._restore()
        os._exit(_DIED + number)
