"""The process that runs a match: reactor, signals, and how it always ends.

Rule 1: Twisted's reactor is installed only when a match is to be played. It would swallow an
  error raised at startup, so we raise that error again when the reactor has stopped.
Rule 2: a program that is told to end does so, whatever it is doing. Stored data is always durable,
  so the program may end at any time. The last resort prints, sends and stores nothing, because
  whatever blocks the program may block that, too. It restores the terminal only as far as possible
  without a write, which could block forever.
Rule 3: without memory, the program can't end cleanly: even sending a frame takes memory. So it
  prints one line and ends at once.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Protocol

from cli.program import OUR_FAULT, OUT_OF_MEMORY
from ginpeer.net.close_reasons import is_out_of_memory
from ginpeer.net.interfaces import Clock

_LAST_LINE = f"ginpeer: {OUT_OF_MEMORY}\n".encode("ascii")


class ExitRequests(Protocol):
    """What the program does when it is asked to end."""

    @property
    def has_left(self) -> bool:
        """Whether our player wants to leave, or has left."""

    def interrupt(self) -> None:
        """Handle Ctrl-C."""

    def leave(self) -> None:
        """Leave, because the program was asked to end."""

    def hang_up(self) -> None:
        """Leave without telling the other player, because the terminal is gone."""


class Process:
    def __init__(self) -> None:
        self.reactor = install_reactor()
        self._last_resort: LastResort | None = None
        self._restore: Callable[[], None] = lambda: None
        self._stops = False

    def run(
        self,
        begin: Callable[[], None],
        exits: ExitRequests,
        restore: Callable[[], None] = lambda: None,
    ) -> None:
        """Run until `stop` is called. Raises what *begin* raised. *restore*: puts the terminal back
        as it was if the program is cut short."""
        failed: list[BaseException] = []

        def start() -> None:
            try:
                begin()
            except Exception as error:  # any; raised again below, outside the reactor (rule 1)
                failed.append(error)
                self.reactor.stop()

        self._restore = restore
        self.reactor.callWhenRunning(start)
        last = self._last_resort = LastResort(self.reactor, restore)
        obey_signals(self.reactor, exits.interrupt, exits.leave, exits.hang_up, last)
        self._heed_dropped()
        try:
            self.reactor.run(installSignalHandlers=False)  # we have installed our own
        except MemoryError as error:  # raised in the event loop, which has ended because of it
            self.heed(error)
        if failed:
            raise failed[0]

    def _heed_dropped(self) -> None:
        """Pass to `heed` the errors that the event loop, Twisted and threads drop."""
        from twisted.logger import globalLogPublisher

        def logged(event: dict[str, Any]) -> None:
            failure = event.get("log_failure")
            self.heed(None if failure is None else failure.value)

        globalLogPublisher.addObserver(logged)  # type: ignore[arg-type]
        loop = getattr(self.reactor, "_asyncioEventloop", None)
        if loop is not None:
            loop.set_exception_handler(lambda loop, context: self.heed(context.get("exception")))

        def in_thread(dropped: threading.ExceptHookArgs) -> None:
            self.heed(dropped.exc_value)
            threading.__excepthook__(dropped)

        def unraisable(dropped: Any) -> None:
            self.heed(dropped.exc_value)
            sys.__unraisablehook__(dropped)

        threading.excepthook, sys.unraisablehook = in_thread, unraisable

    def heed(self, error: BaseException | None) -> None:
        """End the program at once if this error means that memory has run out (rule 3)."""
        if not is_out_of_memory(error):
            return
        try:
            os.write(2, _LAST_LINE)  # first, because it needs no memory
            self._restore()
        finally:
            os._exit(OUR_FAULT)

    def stop(self) -> None:
        if self._last_resort is not None:
            self._last_resort.note_ending()
        if self.reactor.running and not self._stops:
            self._stops = True
            self.reactor.stop()


# --- the reactor and signals


def _steady_clock() -> Callable[[], float]:
    """Return a clock that can't be set and, where possible, runs while the machine sleeps."""
    if sys.platform == "linux":
        return partial(time.clock_gettime, time.CLOCK_BOOTTIME)
    if sys.platform == "darwin":  # time.monotonic() stops during sleep there
        return partial(time.clock_gettime, time.CLOCK_MONOTONIC)
    return time.monotonic


def install_reactor() -> Any:
    """Install and return Twisted's asyncio reactor, on a selector loop, which works everywhere."""
    from twisted.internet import asyncioreactor
    from twisted.internet.error import ReactorAlreadyInstalledError
    from twisted.logger import globalLogBeginner, textFileLogObserver

    try:
        asyncioreactor.install(asyncio.SelectorEventLoop())  # type: ignore[no-untyped-call]
    except ReactorAlreadyInstalledError:
        pass
    else:
        # If logging isn't started, Twisted prints every critical event with its traceback.
        debug = os.environ.get("GINPEER_DEBUG") and sys.stderr is not None
        observers: list[Any] = [textFileLogObserver(sys.stderr)] if debug else []
        globalLogBeginner.beginLoggingTo(observers, redirectStandardIO=False, discardBuffer=True)
        from twisted.internet import reactor as installed

        running: Any = installed
        running.seconds = _steady_clock()  # setting the wall clock back would stop all timers
        running.getThreadPool().threadFactory = _AbandonedThread
    from twisted.internet import reactor

    return reactor


class _AbandonedThread(threading.Thread):
    """A thread that looks up a name or a route, and can't be stopped. The program ends without
    waiting for it: a silent name server would delay the end for half a minute."""

    def __init__(self, **how: Any) -> None:
        super().__init__(daemon=True, **how)

    def join(self, timeout: float | None = None) -> None:
        """Do nothing. The reactor's thread pool calls this when it stops."""


def obey_signals(
    reactor: Any,
    interrupt: Callable[[], None],
    leave: Callable[[], None],
    hang_up: Callable[[], None],
    last_resort: LastResort | None = None,
) -> None:
    """Call *interrupt* on Ctrl-C, *leave* when the program is told to end, and *hang_up* when its
    terminal is closed, each in a turn of the event loop."""
    # Ctrl-Break on Windows is SIGBREAK.
    calls = {"SIGINT": interrupt, "SIGTERM": leave, "SIGHUP": hang_up, "SIGBREAK": leave}
    obeyed = {getattr(signal, name): call for name, call in calls.items() if hasattr(signal, name)}
    last = LastResort(reactor) if last_resort is None else last_resort

    def obey(call: Callable[[], None]) -> None:
        last.note_heard()
        call()

    def on_signal(number: int, _: object) -> None:
        if number != signal.SIGINT:
            _ignore_stop_signals()
        last.signalled(number, ends=number != signal.SIGINT)
        reactor.callFromThread(obey, obeyed[number])

    for number in obeyed:
        # nohup, and shells that start us in the background, set some of these to be ignored
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, on_signal)
    _wake_often(reactor)


def _ignore_stop_signals() -> None:
    """Ignore the signals that stop a background program when it uses its terminal. A shell's kill
    continues a program that Ctrl-Z has stopped, but only once."""
    if sys.platform != "win32":
        signal.signal(signal.SIGTTIN, signal.SIG_IGN)
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)


def _wake_often(reactor: Any) -> None:
    """Keep each wait of the event loop short. On Windows, Ctrl-C doesn't interrupt a wait.
    Elsewhere, a wait doesn't count the time that the machine sleeps, although our timers do."""
    reactor.callLater(0.2 if sys.platform == "win32" else 5.0, _wake_often, reactor)


# --- the last resort

REPEATED_REQUEST = 2.0
"""Once a request to end has been pending for this many seconds, another signal ends the program at
once. Before that, it counts as the same request: when a terminal closes, both the kernel and the
shell send a signal, and a service manager sends SIGTERM and SIGHUP."""

MUST_END_WITHIN = 10.0
"""Seconds within which the program ends after SIGTERM or SIGHUP, whatever it is doing. A goodbye
that nobody receives may take up to twice Timing.closing (ginpeer.net.connection) of that, and
closing ports and onion services about two seconds."""

_DIED = 128
"""Added to the signal's number, this is the status that shells report for a killed program."""


class LastResort:
    """Ends the program if it doesn't end by itself."""

    def __init__(self, clock: Clock, restore: Callable[[], None] = lambda: None) -> None:
        self._clock = clock
        self._restore = restore
        self._ending: float | None = None  # when the program began to end
        self._unheard: float | None = None

    def signalled(self, number: int, *, ends: bool) -> None:
        """Note a signal; called from its handler. *ends*: whether it asks the program to end."""
        now = self._clock.seconds()
        for since in (self._ending, self._unheard):
            if since is not None and now - since >= REPEATED_REQUEST:
                self._end(number)
        if self._unheard is None:
            self._unheard = now
        if ends:
            self.note_ending()
            self._end_later(number)

    def note_heard(self) -> None:
        self._unheard = None

    def note_ending(self) -> None:
        if self._ending is None:
            self._ending = self._clock.seconds()

    def _end_later(self, number: int) -> None:
        """Set a timer that ends the program even if the main thread waits for a thread, or for a
        terminal that accepts no output: signal handlers still run then. Windows has no such
        timer."""
        if sys.platform != "win32" and signal.getitimer(signal.ITIMER_REAL)[0] == 0:
            signal.signal(signal.SIGALRM, lambda *_: self._end(number))
            signal.setitimer(signal.ITIMER_REAL, MUST_END_WITHIN)

    def _end(self, number: int) -> None:
        with suppress(Exception):  # any error is ignored at this point
            self._restore()
        os._exit(_DIED + number)
