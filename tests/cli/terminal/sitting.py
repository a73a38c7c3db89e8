"""A program to be run on a terminal: it has only a prompt, and prints each line that it reads.

SIGUSR1 makes it print news, and Ctrl-D on an empty line ends it.
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
    calls = queue.SimpleQueue()  # a signal handler may add a call at any moment
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
        with contextlib.suppress(queue.Empty):  # signals may not wake this thread
            call, *arguments = calls.get(timeout=0.05)
            call(*arguments)
    console.close()


if __name__ == "__main__":
    main()
