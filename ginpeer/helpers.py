"""Processes that help to verify a long log, one for each additional core.

Threads don't help: they wait for each other between the many short calls of the group. So every
process applies all entries, and verifies only its share of the proofs (`Referee.admit_all`).

Rule 1: a helper can't change the verdict. If it can't be started, ends early, takes too long or
        says anything unexpected, nothing that it had to verify counts as proven, and the referee
        verifies it itself.
Rule 2: a helper answers each batch, once it has verified its share, with the hash of the batch's
        last entry. That hash covers the whole history, so no answer can be for other entries.
Rule 3: a helper must run the same files with the same group; otherwise it confirms nothing.
Rule 4: a helper gets entries and answers with hashes. It prints nothing and leaves no file behind.

On Windows, no helper is started: each would leave a copy of libsodium in the temporary folder
(protocol/crypto/group_sodium.py).
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from queue import SimpleQueue
from threading import Event, Thread, Timer
from typing import IO, TYPE_CHECKING, Any, Final, NoReturn, TypeAlias, cast

import ginpeer
import protocol

# Our other modules are imported where they are used: a helper can then read batches while it
# imports them.
if TYPE_CHECKING:
    from ginpeer.referee.referee import Share

MOST: Final = 3
"""The maximum number of helpers. Each uses about 55 MiB and also applies all entries."""

PATIENCE: Final = 60.0
"""How many seconds to wait for a helper. A batch usually takes less than one."""

_PROGRAM: Final = """\
import json, sys
sys.path[:] = json.loads(sys.stdin.buffer.readline())
from ginpeer.helpers import help_verify
help_verify(sys.stdin.buffer, sys.stdout.buffer)
"""

_STARTED: Final = b"+"

_Batches: TypeAlias = "SimpleQueue[tuple[list[int], list[bytes]]]"


def start_helpers(verified: Sequence[bytes]) -> Sequence[Process]:
    """Start a helper for each additional core, up to MOST, or as many as can be started.
    *verified*: the entries before the first batch (`referee.Helpers`)."""
    from protocol.crypto.group_sodium import CORES

    helpers: list[Process] = []
    if _is_interpreter():
        same = _same_program()
        try:
            for _ in range(min(CORES - 1, MOST)):
                helpers.append(Process(same, verified))
        except Exception:  # a lack of processes, memory or threads
            return helpers
        except BaseException:
            for helper in helpers:
                helper.end()
            raise
    return helpers


def _is_interpreter() -> bool:
    """Return whether this process was started as a Python interpreter, so that another can be:
    the program isn't frozen or embedded in another one."""
    name = os.path.basename(sys.executable or "").lower()
    is_frozen = getattr(sys, "frozen", False)
    return name.startswith(("python", "pypy")) and not is_frozen and sys.platform != "win32"


def _same_program() -> list[str | None]:
    """Return what a helper must have in common with the process that it helps."""
    from protocol.crypto import group

    return [ginpeer.__version__, ginpeer.__file__, protocol.__file__, group.backend_name()]


class Process:
    """A helper, as the process that it helps sees it (`referee.Helper`)."""

    def __init__(self, same: list[str | None], verified: Sequence[bytes]) -> None:
        """Start it. Raises what Popen raises."""
        self._process = subprocess.Popen(  # noqa: S603 - it is this program
            # -I: import from nowhere but the given path. -B: write no compiled modules.
            [sys.executable, "-I", "-B", "-c", _PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._stdin = cast("IO[bytes]", self._process.stdin)
        self._stdout = cast("IO[bytes]", self._process.stdout)
        self._is_started = False
        path = [each for each in sys.path if isinstance(each, str) and os.path.isabs(each)]
        self._works = self._tell(path) and self._tell(same)
        self._works = self._works and self._tell([[], *map(len, verified)], *verified)

    def send(self, entries: Sequence[bytes], share: Share) -> bool:
        place = [share.index, share.processes, share.turn]
        return self._works and self._tell([place, *map(len, entries)], *entries)

    def confirms(self, head: bytes) -> bool:
        return self._has_started() and self._hear(len(head)) == head

    def end(self) -> None:
        # Now it would end by itself, once libsodium is loaded. Killed before that, it might leave a
        # file in the temporary folder.
        with suppress(OSError, RuntimeError), self._patience():
            self._stdin.close()
        self._has_started()
        self._process.kill()
        self._process.wait()
        self._stdout.close()

    def _has_started(self) -> bool:
        """Wait until it has imported everything. Return whether it has."""
        self._is_started = self._is_started or self._hear(len(_STARTED)) == _STARTED
        return self._is_started

    def _tell(self, numbers: list[Any], *entries: bytes) -> bool:
        """Send a line of JSON, and the entries whose lengths it gives. Return whether that
        worked."""
        with suppress(OSError, RuntimeError), self._patience():
            self._stdin.writelines([json.dumps(numbers).encode(), b"\n", *entries])
            self._stdin.flush()
            return True
        return False

    def _hear(self, length: int) -> bytes:
        """Return this many bytes of its answers; fewer if it has ended."""
        with suppress(RuntimeError), self._patience():
            return self._stdout.read(length)
        return b""

    @contextmanager
    def _patience(self) -> Iterator[None]:
        """Kill the process if this block takes too long. Raises RuntimeError if no thread can be
        started for that."""
        timer = Timer(PATIENCE, self._process.kill)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()


def help_verify(source: IO[bytes], sink: IO[bytes]) -> NoReturn:
    """Verify shares of the batches from *source*. End the process if a batch is invalid, or when
    *source* ends."""
    try:
        for name in ("SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP"):  # they are for the other process
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), signal.SIG_IGN)
        same, (_, verified) = json.loads(source.readline()), _read_batch(source)
        batches: _Batches = SimpleQueue()
        is_loaded = Event()
        Thread(target=_read, args=(source, batches, is_loaded), daemon=True).start()
        is_same = same == _same_program()  # this loads libsodium
        is_loaded.set()
        if is_same:
            _verify_shares(verified, batches, sink)
    finally:
        os._exit(0)


def _read(source: IO[bytes], batches: _Batches, is_loaded: Event) -> None:
    """Read batches as they come, so that the other process never has to wait."""
    try:
        while True:
            batches.put(_read_batch(source))
    finally:
        is_loaded.wait()  # or a file might stay in the temporary folder
        os._exit(0)


def _read_batch(source: IO[bytes]) -> tuple[list[int], list[bytes]]:
    place, *lengths = json.loads(source.readline())
    return place, [source.read(length) for length in lengths]


def _verify_shares(verified: list[bytes], batches: _Batches, sink: IO[bytes]) -> None:
    from ginpeer.referee.referee import Referee, Share

    sink.write(_STARTED)
    sink.flush()
    referee = Referee()
    referee.admit_all(verified, verified=len(verified))
    while True:
        place, entries = batches.get()
        referee.admit_share(entries, Share(*place))
        sink.write(referee.table.head)
        sink.flush()
