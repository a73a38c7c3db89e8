"""What happens when the memory runs out while a match is played.

# To end a match in good order takes memory as well: for a sentence, for a frame on the stack. So a
# piece of address space is kept from the beginning, never touched, and given back by whoever
# notices first that there is no more. With it the session ends as with every fault of our own
# (class C): the wire is cut, the player gets a sentence, the log stays as it was stored.
#
# Rule 1: the first notice counts, wherever it comes from: a session, the event loop, a thread, a
#         signal. Python raises MemoryError in the middle of anything, and much of what catches
#         errors drops them.
# Rule 2: from then on the program ends, whatever else goes wrong: after _ENDING seconds without the
#         usual way, and a signal to end ends it at once.
# Rule 3: nothing is sent any more. What was stored is stored.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any, Final

from cli.failure import OUR_FAULT
from ginpeer.net.close_reasons import is_out_of_memory

_LINE: Final = (
    b"ginpeer: this program has run out of memory; what was stored is safe. (out-of-memory)\n"
)
_RESERVE: Final = 16 * 1024 * 1024
"""Bytes of address space, which is what a limit counts; untouched, they are no memory."""
_ENDING: Final = 5.0  # seconds


class Reserve:
    """Address space for the end. *ran_out* is called once, when it has been given back; from then
    on it is ``gone``."""

    def __init__(self, ran_out: Callable[[], None]) -> None:
        self._ran_out = ran_out
        self._kept: mmap.mmap | None = None
        self.gone = False
        with contextlib.suppress(OSError, MemoryError):  # then what there is must do
            self._kept = mmap.mmap(-1, _RESERVE)

    def heed(self, error: BaseException | None) -> None:
        """Whatever was caught somewhere: give the reserve back if it says that memory is short."""
        if error is not None and is_out_of_memory(error):
            self.give_back()

    def give_back(self) -> None:
        """Memory has run out."""
        if self.gone:
            return
        self.gone = True
        kept, self._kept = self._kept, None
        if kept is not None:
            kept.close()
        _end_in_any_case()
        self._ran_out()

    def watch(self, reactor: Any) -> None:
        """Hear of what the event loop, Twisted and threads catch and drop."""
        from twisted.logger import globalLogPublisher

        def logged(event: Any) -> None:
            failure = event.get("log_failure")
            self.heed(None if failure is None else failure.value)

        def dropped_by_loop(loop: Any, context: dict[str, Any]) -> None:
            self.heed(context.get("exception"))

        def dropped_by_thread(about: Any) -> None:
            self.heed(about.exc_value)

        def unraisable(about: Any) -> None:
            self.heed(about.exc_value)

        observer: Any = logged
        globalLogPublisher.addObserver(observer)
        loop = getattr(reactor, "_asyncioEventloop", None)
        if loop is not None:
            loop.set_exception_handler(dropped_by_loop)
        threading.excepthook = dropped_by_thread
        sys.unraisablehook = unraisable

    def close(self) -> None:
        """The match has ended, in whatever way."""
        if self._kept is not None:
            self._kept.close()
            self._kept = None


def _end_in_any_case() -> None:
    """Rule 2. Not on Windows, which has no such timer."""
    if sys.platform == "win32":
        return
    for name in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(name, _end_now)
    signal.signal(signal.SIGALRM, _end_now)
    signal.setitimer(signal.ITIMER_REAL, _ENDING, 1.0)


def _end_now(number: int, frame: object) -> None:
    """Without another thought: what was stored is durable."""
    try:
        os.write(2, _LINE)
    finally:
        os._exit(OUR_FAULT)
