"""Failures of our own (class C): how they are logged, and how they are told to both players."""

from __future__ import annotations

from twisted.logger import Logger

from ginpeer.net.interfaces import CloseReason
from ginpeer.net.memory import OUT_OF_MEMORY, is_out_of_memory

_log = Logger()


def log_fault(error: Exception, debug: bool) -> None:
    """Called while *error* is handled: one line, and the traceback for those who ask for it."""
    if debug:
        _log.failure("a fault of our own")
    else:
        _log.error("a fault of our own: {kind}", kind=type(error).__name__)


def fault_of(error: Exception) -> CloseReason:
    """How a failure of our own is told: by its own code and sentence if it has them."""
    code = code_of(error)
    if is_out_of_memory(error):
        return CloseReason(
            OUT_OF_MEMORY,
            "This program has run out of memory. Nothing was sent that is not stored, and the log "
            "is kept.",
            "C",
        )
    if code is None:
        return CloseReason(
            "internal-error",
            "This program failed, not the other player; nothing was sent that is not stored, "
            "and the log is kept.",
            "C",
        )
    return CloseReason(code, str(error), "C")


def code_of(error: Exception) -> str | None:
    """The stable code of an error that has one, and with it a sentence for the player."""
    code = getattr(error, "code", None)
    return code if isinstance(code, str) else None
