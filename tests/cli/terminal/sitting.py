"""A program with a prompt and nothing behind it, to be run on a terminal: it says what it has read.

SIGUSR1 is news, and Ctrl-D on an empty line the end.
"""

import contextlib
import queue
import signal
import sys

from cli.terminal.console import Console
from cli.terminal.line_input import TypedLine

NEWS = "Bob draws, discards 8d; 20 left."
PROMPT = "draw> "


def main():
    calls = queue.SimpleQueue()  # which a signal may put something into at any moment
    console = Console(sys.stdin, sys.stdout, lambda *call: calls.put(call))
    ended = []

    def take(event):
        if isinstance(event, TypedLine):
            console.print(f"read: {event.text}")
        else:
            ended.append(event)
        return True

    signal.signal(signal.SIGUSR1, lambda *_: calls.put((console.print, NEWS)))
    console.prompt(PROMPT)
    console.start(take, lambda: ended.append(None))
    while not ended:
        with contextlib.suppress(queue.Empty):  # a signal that another thread gets wakes nobody
            call, *arguments = calls.get(timeout=0.05)
            call(*arguments)
    console.close()


if __name__ == "__main__":
    main()
