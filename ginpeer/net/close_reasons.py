"""Reasons for closing a connection, in words: goodbyes to and from a peer, and our own faults.

A failure of our own (class C) is logged here, and gets a code and a sentence for our player.
"""

from __future__ import annotations

import errno

from OpenSSL.SSL import Error as SSLError
from twisted.logger import Logger

from ginpeer.names import in_quotes
from ginpeer.net.handshake import REFUSALS
from ginpeer.net.interfaces import CloseReason
from protocol.frames import MAX_SENTENCE, PAUSED, Goodbye, MalformedFrame

_log = Logger()

GOODBYES = frozenset(REFUSALS) | {
    *("after-the-end", "bad-encoding", "bad-proof", "bad-signature", "closed", "declined"),
    *("duplicate", "finished", "flood", "frame-empty", "frame-not-canonical", "frame-too-large"),
    *("frame-unexpected", "kept", "left", "log-full", "signed-twice"),
    *("log-withheld", "other-match", "out-of-turn", PAUSED, "pong-unasked", "rules-unsupported"),
    *("takes-up-stored", "welcome-forged", "wrong-previous", "wrong-sequence", "wrong-table"),
}
"""Goodbye codes that we know. They only state a reason, so our sentences may show them unquoted."""

SAID = " Their message: "  # before the words that the other player typed

OUT_OF_MEMORY = "out-of-memory"

_SAVED = "Each of your moves was saved before it was sent, and the log is kept."


def goodbye_for(code: str, sentence: str) -> Goodbye:
    """Return a goodbye with this code and sentence. If either is unusable, use the code ``closed``
    and no sentence."""
    try:
        return Goodbye(code, sentence[:MAX_SENTENCE])
    except MalformedFrame:
        return Goodbye("closed", "")


def said_by(goodbye: Goodbye) -> str:
    """Return a peer's sentence and code. A code that we don't know is quoted as well, so that one
    like (you-won-224-to-82) can't pass for a statement of ours."""
    if goodbye.code in GOODBYES:
        return f"{in_quotes(goodbye.sentence)} ({goodbye.code})"
    return in_quotes(f"{goodbye.sentence} ({goodbye.code})")


def log_fault(error: Exception, debug: bool) -> None:
    """Log an error that is being handled: one line, plus its traceback if *debug*."""
    if debug:
        _log.failure("an error on our side")
    else:
        _log.error("an error on our side: {kind}", kind=type(error).__name__)


def fault_of(error: Exception) -> CloseReason:
    """Return the close reason for a failure of our own, with the error's code and sentence, if
    any."""
    code = code_of(error)
    if is_out_of_memory(error):
        return CloseReason(OUT_OF_MEMORY, f"ginpeer ran out of memory. {_SAVED}", "C")
    if code is None:
        return CloseReason(
            "internal-error", f"ginpeer failed; your opponent did nothing wrong. {_SAVED}", "C"
        )
    return CloseReason(code, str(error), "C")


def code_of(error: Exception) -> str | None:
    """Return the stable code of an error, if any. Such an error has a sentence for the player."""
    code = getattr(error, "code", None)
    return code if isinstance(code, str) else None


def is_out_of_memory(error: BaseException | None) -> bool:
    """Return whether this error means that Python, the system or OpenSSL has run out of memory."""
    match error:
        case MemoryError() | OSError(errno=errno.ENOMEM):
            return True
        case SSLError():
            return "malloc failure" in str(error)
    return False
