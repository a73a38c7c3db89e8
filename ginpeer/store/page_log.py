# A log in a page.
#
# A page of a match (ginpeer.page) carries its log in an element of its own:
#
#   <script type="text/plain" id="ginpeer-log"> base64 (RFC 4648, 4) </script>
#
# A page may come from anybody, as a log may. It is not HTML that is read here, only bytes: exactly
# one such element is in the file, with base64 in its one canonical form and white space within;
# everything else is passed over. So a page that a browser or a mail program has written anew can
# still be read, and of two elements it is never asked which one a browser would take.
#
# The file is read twice, a chunk at a time: once to find the element, to see that it is well-formed
# and how long the log is; then by the log's reader, as far as it asks. What a page of the largest
# size costs of memory is a chunk, as with a log.

"""The log that a page carries: how it stands there, and reading it back."""

from __future__ import annotations

import binascii
import io
from base64 import b64encode
from collections.abc import Iterator
from typing import BinaryIO, Final

from ginpeer.store.errors import UnreadableLog, shown
from protocol.entry import MAX_LOG_BYTES

MAX_PAGE_BYTES: Final = 2 * MAX_LOG_BYTES  # base64 takes 1.35 of them; the rest is small
_OPENS: Final = b'<script type="text/plain" id="ginpeer-log">'
_CLOSES: Final = b"</script>"
_SPACE: Final = b" \t\r\n"
_CHUNK: Final = 64 * 1024
_ROW: Final = 76 * 3 // 4


def log_element(log: bytes) -> str:
    """The element with this log, in rows of 76 letters."""
    rows = [b64encode(log[at : at + _ROW]).decode("ascii") for at in range(0, len(log), _ROW)]
    return "\n".join([_OPENS.decode("ascii"), *rows, _CLOSES.decode("ascii")])


def is_page(beginning: bytes) -> bool:
    """Whether a file that begins so can only be a page: a log begins otherwise."""
    return beginning.removeprefix(b"\xef\xbb\xbf").lstrip(_SPACE)[:1] == b"<"


def log_in_page(file: BinaryIO, name: str) -> tuple[BinaryIO, int]:
    """The log in a page, and how many bytes it has. *file* can be read from any place, and is read
    from its beginning. Raises UnreadableLog where it does not carry exactly one, and OSError."""
    start = _only_place(file, name)
    size = 0
    for part in _decoded(file, start, name):
        size += len(part)
        if size > MAX_LOG_BYTES:
            raise UnreadableLog(
                "log-too-large", f"The log in {shown(name)} has more than {MAX_LOG_BYTES} bytes."
            )
    if not size:
        raise UnreadableLog("empty-log", f"The log in {shown(name)} is empty.")
    return io.BufferedReader(_Decoding(_decoded(file, start, name))), size


def _only_place(file: BinaryIO, name: str) -> int:
    """Where the one log in it begins."""
    found: list[int] = []
    file.seek(0)
    at, kept = 0, b""
    while chunk := file.read(_CHUNK):
        window = kept + chunk
        base = at - len(kept)
        place = window.find(_OPENS)
        while place >= 0:
            found.append(base + place + len(_OPENS))
            place = window.find(_OPENS, place + 1)
        at += len(chunk)
        kept = window[1 - len(_OPENS) :]
        if at > MAX_PAGE_BYTES:
            raise UnreadableLog(
                "page-too-large",
                f"{shown(name)} has more than {MAX_PAGE_BYTES} bytes, which is the most that the "
                "page of a match has.",
            )
        if len(found) > 1:
            raise UnreadableLog(
                "page-with-two-logs", f"{shown(name)} is a page with more than one log."
            )
    if not found:
        raise UnreadableLog(
            "page-without-log", f"{shown(name)} is a page, and carries no log of ginpeer."
        )
    return found[0]


def _decoded(file: BinaryIO, start: int, name: str) -> Iterator[bytes]:
    """What stands there in base64, part by part, up to the end of the element."""
    file.seek(start)
    letters, ended = b"", False
    while not ended:
        chunk = file.read(_CHUNK)
        read, ends, rest = chunk.partition(b"<")
        ended = bool(ends)
        if ended:
            rest += file.read(len(_CLOSES))
        letters += read.translate(None, _SPACE)
        whole = len(letters) if ended else (len(letters) - 1) // 4 * 4
        if not chunk or (ended and not rest.startswith(_CLOSES[1:])):
            raise _damaged(name)
        if whole > 0:
            part, letters = letters[:whole], letters[whole:]
            yield _strictly(part, name, last=ended)


def _strictly(part: bytes, name: str, *, last: bool) -> bytes:
    """Base64 in its one canonical form; only the last part may end in padding."""
    try:
        decoded = binascii.a2b_base64(part, strict_mode=True)
    except ValueError:
        raise _damaged(name) from None
    if b64encode(decoded) != part or (not last and part.endswith(b"=")):
        raise _damaged(name)
    return decoded


def _damaged(name: str) -> UnreadableLog:
    return UnreadableLog(
        "page-log-damaged", f"The log in {shown(name)} is damaged: it is not whole base64."
    )


class _Decoding(io.RawIOBase):
    """What is decoded, as a file."""

    def __init__(self, parts: Iterator[bytes]) -> None:
        self._parts = parts
        self._left = b""

    def readable(self) -> bool:
        return True

    def readinto(self, into: bytearray | memoryview) -> int:  # type: ignore[override]
        if not self._left:
            self._left = next(self._parts, b"")
        size = min(len(into), len(self._left))
        into[:size] = self._left[:size]
        self._left = self._left[size:]
        return size
