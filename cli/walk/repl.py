"""Walk through a match at a terminal or a pipe: read lines and print answers, until the player
quits.

All input and output goes through one Console (cli.terminal.console), which reads in another thread.
No reactor runs, so the lines wait in a queue for the main thread.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Any

from cli.terminal.console import Console
from cli.terminal.line_input import EndOfInput, InputEvent, Key, TypedLine
from cli.walk.commands import BEGIN, Answers, completions

PROMPT = "> "
KEYS = {Key.RIGHT: "next", Key.LEFT: "back", Key.HOME: "start", Key.END: "end"}
"""The commands that these keys enter on an empty line, where they can't move the cursor."""
_WAKE_EVERY = 0.2 if sys.platform == "win32" else None
"""Seconds that a wait for input lasts (None: no limit). On Windows, Ctrl-C acts only after it."""


class Repl:
    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._calls: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._console = Console(sys.stdin, sys.stdout, self._call_in_main)
        self._interrupted = False

    def _call_in_main(self, call: Callable[..., Any], *given: Any) -> None:
        self._calls.put(lambda: call(*given))

    def run(self, *heading: str) -> None:
        """Walk until the player quits. Raises KeyboardInterrupt and output errors."""
        console = self._console
        console.print(*heading, *((BEGIN,) if console.interactive else ()), *self._answers.here())
        if console.broken is None:
            with self._left_as_found():
                console.start(self._take, self._stop, complete=completions, instead=KEYS)
                console.prompt(PROMPT)
                while not self._answers.over:
                    with contextlib.suppress(queue.Empty):
                        self._calls.get(timeout=_WAKE_EVERY)()
        if console.broken is not None:
            raise console.broken

    def _take(self, event: InputEvent) -> bool:
        match event:
            case _ if self._answers.over:
                pass
            case TypedLine(text):
                self._console.keep(text)
                self._console.print(*self._answers.to(text))
                if self._answers.over:
                    self._console.prompt("")
            case EndOfInput():
                self._stop()
            case _:
                self._console.print("That line is too long. It was ignored.")
        return True

    def _stop(self) -> None:
        self._answers.over = True

    def _interrupt(self, *_: object) -> None:
        """Handle Ctrl-C after the current call, so that a key being processed isn't lost. If Ctrl-C
        is pressed again before then, interrupt that call, which may take too long."""
        if self._interrupted:
            raise KeyboardInterrupt
        self._interrupted = True
        self._calls.put(self._clear_or_end)

    def _clear_or_end(self) -> None:
        if not self._console.clear_typed():
            raise KeyboardInterrupt
        self._interrupted = False

    @contextlib.contextmanager
    def _left_as_found(self) -> Iterator[None]:
        """Restore the terminal at the end, even if a signal ends the program."""

        def end(number: int, _: object) -> None:
            # First do what needs no output: if the terminal accepts none, the next signal ends us.
            self._console.restore()
            signal.signal(number, signal.SIG_DFL)
            with contextlib.suppress(RuntimeError):  # the signal came in the middle of a write
                self._console.close()
            os.kill(os.getpid(), number)

        numbers = [signal.SIGTERM] + ([] if sys.platform == "win32" else [signal.SIGHUP])
        before = [(number, signal.signal(number, end)) for number in numbers]
        before.append((signal.SIGINT, signal.signal(signal.SIGINT, self._interrupt)))
        try:
            yield
        finally:
            self._console.close()
            for number, handler in before:
                signal.signal(number, handler)
