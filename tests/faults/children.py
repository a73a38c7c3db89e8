"""Run a function in a forked process, which it may kill."""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Callable

from tests.faults.stored import Broken


def in_child(act: Callable[[], object]) -> None:
    """Call *act* in a forked process, so that nothing in this one's memory changes. An exception
    there is raised here as Broken, with its traceback."""
    told, died = forked(lambda tell: act())
    if died or told:
        raise Broken(told.decode("utf-8", "replace") or f"killed by signal {died}")


def forked(act: Callable[[Callable[[bytes], None]], object]) -> tuple[bytes, int]:
    """Run *act* in a forked process. Return what it reported, and the signal that killed it, or 0.

    *act* gets a function that reports bytes; an exception is reported as well, as a traceback.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            try:
                act(lambda data: _tell(writing, data))
            except BaseException:  # the parent raises it again
                _tell(writing, traceback.format_exc().encode())
        finally:
            os._exit(0)  # skip the parent's clean-up
    os.close(writing)
    told = bytearray()
    with os.fdopen(reading, "rb") as pipe:
        told += pipe.read()
    _, status = os.waitpid(child, 0)
    died = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    return bytes(told), died


def die() -> None:
    """Die like a process that is killed, or whose machine stops."""
    os.kill(os.getpid(), signal.SIGKILL)


def _tell(pipe: int, data: bytes) -> None:
    while data:
        data = data[os.write(pipe, data) :]
