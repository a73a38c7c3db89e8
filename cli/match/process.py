"""The program that runs a match: reactor, signals, and its end when memory runs out.

# Rule 1: Twisted's reactor is installed only when a match is to be played.
# Rule 2: the reactor would swallow what is raised at the beginning; it is raised again when the
#         reactor has stopped.
# Rule 3: without memory nothing can be ended in good order: a frame or a sentence takes memory as
#         well. So the program says one line and ends at once. What was stored is durable.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final

from cli.failure import OUR_FAULT
from cli.match.last_resort import LastResort
from cli.match.reactor import install_reactor, obey_signals
from ginpeer.net.close_reasons import is_out_of_memory

_OUT_OF_MEMORY: Final = (
    b"ginpeer: this program has run out of memory; what was stored is safe. (out-of-memory)\n"
)


class Process:
    """One run of the reactor."""

    def __init__(self) -> None:
        self.reactor = install_reactor()
        self._last_resort: LastResort | None = None
        self._restore: Callable[[], None] = lambda: None

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

        def dropped(loop: Any, context: dict[str, Any]) -> None:
            self.heed(context.get("exception"))

        self._restore = restore
        self.reactor.callWhenRunning(start)
        last = self._last_resort = LastResort(self.reactor, restore)
        obey_signals(self.reactor, interrupt, leave, hang_up, last)
        loop = getattr(self.reactor, "_asyncioEventloop", None)
        if loop is not None:
            loop.set_exception_handler(dropped)
        self.reactor.run(installSignalHandlers=False)  # they are ours
        if failed:
            raise failed[0]

    def heed(self, error: BaseException | None) -> None:
        """End the program at once if this error, wherever it was caught, says that memory has run
        out (Rule 3)."""
        if error is None or not is_out_of_memory(error):
            return
        try:
            os.write(2, _OUT_OF_MEMORY)  # first, for it needs no memory
            self._restore()
        finally:
            os._exit(OUR_FAULT)

    def stop(self) -> None:
        """The match is over."""
        if self._last_resort is not None:
            self._last_resort.ending()
        if self.reactor.running:
            self.reactor.stop()
