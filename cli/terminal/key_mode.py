"""Key mode, in which a terminal passes on each key and echoes none. It lasts even if the program is
stopped and continued.

A signal handler never changes the screen, because the signal may come in the middle of a write. The
main loop does it.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

if sys.platform != "win32":
    import termios


@dataclass(eq=False)
class KeyMode:
    """A terminal in key mode (termios, without ICANON and ECHO), until `end`."""

    _fd: int
    _before: list[Any]
    _on_stop: Callable[[], None]
    _on_continue: Callable[[], None]

    @classmethod
    def begin(
        cls, fd: int, on_stop: Callable[[], None], on_continue: Callable[[], None]
    ) -> KeyMode | None:
        """Switch the terminal to key mode. Return None if that isn't possible, as on Windows.

        *on_stop* is called on Ctrl-Z, and must let the main loop call `stop`. *on_continue* is
        called when the program continues after any stop and has the terminal back. Both are called
        from a signal handler.
        """
        if sys.platform == "win32":
            return None
        try:
            mode = cls(fd, termios.tcgetattr(fd), on_stop, on_continue)
            mode._enter()
        except termios.error:
            return None
        atexit.register(mode.restore)
        signal.signal(signal.SIGTSTP, mode._on_sigtstp)
        signal.signal(signal.SIGCONT, mode._on_sigcont)
        return mode

    def end(self) -> None:
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        signal.signal(signal.SIGCONT, signal.SIG_DFL)
        self.restore()
        atexit.unregister(self.restore)

    def stop(self) -> None:
        """Stop the program, with the terminal as it was found. Return when the program continues,
        or at once if no shell could continue it."""
        self.restore()
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)  # returns here after SIGCONT
        signal.signal(signal.SIGTSTP, self._on_sigtstp)
        self._take_back()

    def _enter(self) -> None:
        mode = termios.tcgetattr(self._fd)
        mode[3] &= ~(termios.ICANON | termios.ECHO)
        mode[6][termios.VMIN], mode[6][termios.VTIME] = 1, 0
        termios.tcsetattr(self._fd, termios.TCSANOW, mode)

    def restore(self) -> None:
        """Leave the terminal as it was found. A signal handler may call this. If we are in the
        background, the terminal stays as the shell has set it."""
        if not self._is_the_shells():
            with contextlib.suppress(termios.error, OSError):
                termios.tcsetattr(self._fd, termios.TCSANOW, self._before)

    def _is_the_shells(self) -> bool:
        try:
            return os.tcgetpgrp(self._fd) != os.getpgrp()
        except OSError:  # gone, or not a terminal with a foreground
            return False

    def _take_back(self) -> bool:
        """Enter key mode again, whatever the shell has set. Return False in the background, because
        the terminal isn't ours; the shell sends another signal when it is."""
        try:
            if os.tcgetpgrp(self._fd) != os.getpgrp():
                return False
            self._enter()
        except (termios.error, OSError):
            return False
        return True

    def _on_sigtstp(self, number: int, _: object) -> None:
        self._on_stop()

    def _on_sigcont(self, number: int, _: object) -> None:
        if self._take_back():
            self._on_continue()
