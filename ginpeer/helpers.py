"""Processes that help to verify a long log, one for each further core.

Threads don't help: they wait for each other between the many short calls of the group. So every
process applies all entries, and verifies only its share of the proofs (`Referee.admit_all`).

Rule 1: a helper can only save time. It is this same program with the same group, and imports from
        where this process does. If it can't be started, ends early or says anything unexpected,
        nothing that it had to verify counts as proven, and the referee verifies it itself.
Rule 2: a helper answers each batch, once it has verified its share, with the hash of the batch's
        last entry. That hash covers the whole history, so no answer can be for other entries.
Rule 3: a helper gets entries and answers with hashes. It opens no file, and prints nothing.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import IO, Any, Final, NoReturn, TypeAlias, cast

from ginpeer import __version__

# Further modules of ours are imported only when they are used: a helper begins to read while it
# imports them.

MOST: Final = 3
"""The most helpers. Each takes some 55 MiB of memory, and applies all entries, too."""

_PROGRAM: Final = """\
import json, sys
sys.path[:] = json.loads(sys.stdin.buffer.readline())
from ginpeer.helpers import help_verify
help_verify(sys.stdin.buffer, sys.stdout.buffer)
"""

_Batches: TypeAlias = "SimpleQueue[tuple[int, list[bytes]]]"


def start_helpers(verified: Sequence[bytes]) -> Sequence[Process]:
    """Start a helper for each further core, up to MOST; none if that isn't possible. *verified*:
    the entries before the first batch (`referee.Helpers`)."""
    from protocol.crypto.group_sodium import CORES

    helpers: list[Process] = []
    if not sys.executable or getattr(sys, "frozen", False):  # it isn't the Python interpreter
        return helpers
    processes = min(CORES, MOST + 1)
    with suppress(OSError):
        for index in range(1, processes):
            helpers.append(Process(index, processes, verified))
    return helpers


class Process:
    """A helper, as the process that it helps sees it (`referee.Helper`)."""

    def __init__(self, index: int, processes: int, verified: Sequence[bytes]) -> None:
        """Start the helper that is number *index* of all processes, from 0. Raises OSError."""
        from protocol.crypto import group

        self._process = subprocess.Popen(  # noqa: S603 - it is this program
            [sys.executable, "-I", "-c", _PROGRAM],  # -I: import from nowhere but the given path
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        self._stdin = cast("IO[bytes]", self._process.stdin)
        self._stdout = cast("IO[bytes]", self._process.stdout)
        self._tell([each for each in sys.path if os.path.isabs(each)])
        self._tell([__version__, group.backend_name(), index, processes])
        self.send(verified, 0)

    def send(self, entries: Sequence[bytes], turn: int) -> None:
        self._tell([turn, *map(len, entries)], *entries)

    def confirms(self, head: bytes) -> bool:
        return self._stdout.read(len(head)) == head

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        self._stdout.close()
        with suppress(OSError):  # it may not have read everything
            self._stdin.close()

    def _tell(self, numbers: list[Any], *entries: bytes) -> None:
        """Send a line of JSON, and the entries whose lengths it gives."""
        with suppress(OSError):  # it has ended
            self._stdin.writelines([json.dumps(numbers).encode(), b"\n", *entries])
            self._stdin.flush()


def help_verify(source: IO[bytes], sink: IO[bytes]) -> NoReturn:
    """Run as a helper, until a batch is invalid or *source* ends: nobody needs it then."""
    try:
        version, backend, index, processes = json.loads(source.readline())
        _, verified = _read_batch(source)
        batches: _Batches = SimpleQueue()
        Thread(target=_read, args=(source, batches), daemon=True).start()

        from ginpeer.referee.referee import Referee
        from protocol.crypto import group

        if (version, backend) == (__version__, group.backend_name()):
            referee = Referee()
            referee.admit_all(verified, verified=len(verified))
            while True:
                turn, entries = batches.get()
                referee.admit_share(entries, turn, index, processes)
                sink.write(referee.table.head)
                sink.flush()
    finally:
        os._exit(0)


def _read(source: IO[bytes], batches: _Batches) -> None:
    """Read batches as they come, so that the other process never has to wait."""
    try:
        while True:
            batches.put(_read_batch(source))
    finally:
        os._exit(0)


def _read_batch(source: IO[bytes]) -> tuple[int, list[bytes]]:
    turn, *lengths = json.loads(source.readline())
    return turn, [source.read(length) for length in lengths]
