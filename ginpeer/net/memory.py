"""Which errors say that the memory has run out, whoever has noticed it."""

from __future__ import annotations

import errno

from OpenSSL.SSL import Error as SSLError

OUT_OF_MEMORY = "out-of-memory"


def is_out_of_memory(error: BaseException) -> bool:
    """Python's own error, the system's, or OpenSSL's, which arrives as one of TLS."""
    match error:
        case MemoryError():
            return True
        case OSError(errno=errno.ENOMEM):
            return True
        case SSLError():
            return "malloc failure" in str(error)
        case _:
            return False
