"""The program that runs a match: reactor, signals, and the memory for its end.

# Rule 1: Twisted's reactor is installed only when a match is to be played.
# Rule 2: the reactor would swallow what is raised at the beginning; it is raised again when the
# reactor has stopped.
"""

from __future__ import annotations

from collections.abc import Callable

from cli.match.last_resort import LastResort
from cli.match.out_of_memory import Reserve
from cli.match.reactor import install_reactor, obey_signals


class Process:
    """One run of the reactor. ``reserve`` is told of every error that may mean that memory is
    short."""

    def __init__(self, out_of_memory: Callable[[], None]) -> None:
        """*out_of_memory* ends the match, wherever the memory ran out; the session may know nothing
        of it."""
        self.reactor = install_reactor()
        self._out_of_memory = out_of_memory
        self.reserve = Reserve(lambda: self.reactor.callLater(0, out_of_memory))
        self._last_resort: LastResort | None = None

    def run(
        self,
        begin: Callable[[], None],
        *,
        interrupt: Callable[[], None],
        leave: Callable[[], None],
        hang_up: Callable[[], None],
        restore: Callable[[], None] = lambda: None,
    ) -> None:
        """Run until `stop`. Raises what *begin* has raised. *interrupt*, *leave*, *hang_up*: what
        signals ask for (cli/match/reactor.py). *restore*: leaves the terminal as it was found, when
        the program ends in the middle of something."""
        failed: list[BaseException] = []

        def start() -> None:
            try:
                begin()
            except Exception as error:  # any: raised again below, out of the reactor (Rule 2)
                failed.append(error)
                self.reactor.stop()

        self.reactor.callWhenRunning(start)
        last = self._last_resort = LastResort(self.reactor, restore)
        obey_signals(self.reactor, interrupt, leave, hang_up, self.reserve.heed, last)
        self.reserve.watch(self.reactor)
        try:
            self.reactor.run(installSignalHandlers=False)  # they are ours
        except MemoryError as error:  # in the middle of the event loop, which has ended by that
            self.reserve.heed(error)
            self._out_of_memory()
        finally:
            self.reserve.close()
        if failed:
            raise failed[0]

    def stop(self) -> None:
        """The match is over."""
        if self._last_resort is not None:
            self._last_resort.ending()
        if self.reactor.running:
            self.reactor.stop()
