"""The reactor of a program that plays: installed when a match is to be played, told of signals."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any

from cli.match.last_resort import LastResort


def install_reactor() -> Any:
    """Twisted's asyncio reactor, on a selector loop: the one that it can use on every system."""
    from twisted.internet import asyncioreactor
    from twisted.internet.error import ReactorAlreadyInstalledError
    from twisted.logger import globalLogBeginner, textFileLogObserver

    try:
        asyncioreactor.install(asyncio.SelectorEventLoop())  # type: ignore[no-untyped-call]
    except ReactorAlreadyInstalledError:
        pass
    else:
        # Without a beginning, Twisted prints every critical event with its traceback.
        debug = os.environ.get("GINPEER_DEBUG") and sys.stderr is not None
        observers: list[Any] = [textFileLogObserver(sys.stderr)] if debug else []
        globalLogBeginner.beginLoggingTo(observers, redirectStandardIO=False, discardBuffer=True)
        from twisted.internet import reactor as installed

        pool: Any = installed.getThreadPool()
        pool.threadFactory = _Unwaited
    from twisted.internet import reactor

    return reactor


class _Unwaited(threading.Thread):
    """Looks something up, a name or a route, which nothing can stop. The end of the program does
    not wait for it: a name server that is silent keeps such a thread for half a minute."""

    def __init__(self, **how: Any) -> None:
        super().__init__(daemon=True, **how)

    def join(self, timeout: float | None = None) -> None:
        """The reactor's pool calls this at its end."""


def obey_signals(
    reactor: Any,
    interrupt: Callable[[], None],
    leave: Callable[[], None],
    hang_up: Callable[[], None],
    last_resort: LastResort | None = None,
) -> None:
    """Ctrl-C interrupts; who tells us to end lets us leave; who closes our terminal has not said
    that the player wants to leave. All are called in a turn of the reactor. *last_resort*: ends a
    program that does not answer."""
    calls = {"SIGINT": interrupt, "SIGTERM": leave, "SIGHUP": hang_up}
    last = LastResort(reactor) if last_resort is None else last_resort

    def obey(call: Callable[[], None]) -> None:
        last.heard()
        call()

    def told(number: int, _: object) -> None:
        name = signal.Signals(number).name
        if name != "SIGINT":
            _stay_going()
        last.signalled(number, ends=name != "SIGINT")
        reactor.callFromThread(obey, calls[name])

    for name in calls:
        number = getattr(signal, name, None)
        # nohup, and shells that start us in the background, want some of them ignored
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, told)
    if sys.platform == "win32":
        _stay_wakeful(reactor)


def _stay_going() -> None:
    """Who is to end is not stopped any more for touching a terminal in the background: a shell's
    kill lets go on whom Ctrl-Z has stopped, and not a second time."""
    if sys.platform != "win32":
        signal.signal(signal.SIGTTIN, signal.SIG_IGN)
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)


def _stay_wakeful(reactor: Any) -> None:
    """Windows does not interrupt a select() for Ctrl-C; so it never lasts long."""
    reactor.callLater(0.2, _stay_wakeful, reactor)
