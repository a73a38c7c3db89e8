"""Writes logs into a page, and reads them back.

A page of a match (ginpeer.page) contains its log in a separate element:

  <script type="text/plain" id="ginpeer-log"> base64 (RFC 4648, 4) </script>

Anybody may have made a page, and a browser may have saved it again. This reader and the button in
the page (log_element.js) must find the same log or refuse the page. The button can't see the bytes
of the file, and this reader doesn't parse HTML. So both apply the same rules to text: this reader
to the file, and the button to the document as the browser serializes it.

Rule 1: the name ginpeer-log occurs in one tag only. Every `id=` with that name counts, however
        it is quoted and capitalised, even if written with character references, and wherever it is:
        in an element, a comment, a template, an attribute. Text that ginpeer.page.frame.text has
        escaped never contains it.
Rule 2: that tag is a script tag with two attributes: this id and this type. It isn't inside another
        tag or a comment: there is a `>` between the last `<` before it and the tag.
Rule 3: between that tag and the end of the element, there is only white space and base64 in its
        one canonical form.
Rule 4: a page of an evening has one such block for each match, and a comma between two blocks.
        There are at most MAX_LOGS blocks, and each must begin as a signed log does.

Rule 1 counts at least every element to which a browser gives this id. A browser drops some text
while it reads, such as the attributes of an end tag. Only this reader sees that text, and may then
refuse a page that the button accepts.
"""

from __future__ import annotations

import binascii
import html
import re
from base64 import b64encode, encodebytes
from typing import Final

from ginpeer.store.files import PageOfSeveral, UnreadableLog, printable
from protocol.entry import MAX_LOG_BYTES

MAX_PAGE_BYTES: Final = 2 * MAX_LOG_BYTES  # base64 takes 1.35 times a log; the rest is small
MAX_LOGS: Final = 20  # matches in the page of an evening; log_element.js has the same limit
_NAME: Final = "ginpeer-log"
_OPENS: Final = f'<script type="text/plain" id="{_NAME}">'
_CLOSES: Final = "</script>"
_MAGIC: Final = b"ginlog1\n"  # the same as in ginpeer.store.log
_SPACE: Final = b" \t\r\n"
_LONGEST_TAG: Final = 1_000

_SPELT: Final = "".join(f"(?:{sign}|&#0*{ord(sign)};?|&#x0*{ord(sign):x};?)" for sign in _NAME)
_NAMED: Final = re.compile(
    rf"id[\t\n\f\r ]*=[\t\n\f\r ]*(?:[\"']|&[^;<>]{{1,9}};)?{_SPELT}".encode(), re.I
)
_TAG: Final = re.compile(rb"<script(?=[\t\n\f\r /])((?:[^\"'>]|\"[^\"]*\"|'[^']*')*)>", re.I)
_ATTRIBUTE: Final = re.compile(
    r"([^\t\n\f\r />][^\t\n\f\r />=]*)(?:[\t\n\f\r ]*=[\t\n\f\r ]*"
    r"(?:\"([^\"]*)\"|'([^']*)'|([^\t\n\f\r >\"'][^\t\n\f\r >]*)))?"
)
_END: Final = re.compile(rb"</script[\t\n\f\r />]", re.I)


def log_element(*logs: bytes) -> str:
    """Return the element with these logs, in lines of 76 characters."""
    blocks = (encodebytes(log).decode("ascii").rstrip() for log in logs)
    return "\n".join([_OPENS, "\n,\n".join(blocks), _CLOSES])


def is_page(beginning: bytes) -> bool:
    """Return whether this is the beginning of a page; no log begins like that."""
    return beginning.removeprefix(b"\xef\xbb\xbf").lstrip(_SPACE)[:1] == b"<"


def log_in_page(page: bytes, name: str) -> bytes:
    """Return the log in a page of one match. Raises PageOfSeveral, or UnreadableLog, for example
    if the log is itself a page."""
    logs = logs_in_page(page, name)
    if len(logs) > 1:
        raise PageOfSeveral(name, page, logs)
    if is_page(logs[0]):
        raise UnreadableLog("not-a-log", f"The log in {printable(name)} is another page.")
    return logs[0]


def logs_in_page(page: bytes, name: str) -> tuple[bytes, ...]:
    """Return the logs in a page, in order. Raises UnreadableLog."""
    if len(page) > MAX_PAGE_BYTES:
        raise UnreadableLog(
            "page-too-large",
            f"{printable(name)} has more than {MAX_PAGE_BYTES} bytes, too many for a match page.",
        )
    start = _start(page, name)
    end = page.find(b"<", start)
    if end < 0 or not _END.match(page, end):
        raise _damaged(name)
    blocks = page[start:end].translate(None, _SPACE).split(b",", MAX_LOGS)
    if len(blocks) > MAX_LOGS:
        raise UnreadableLog(
            "page-too-large",
            f"{printable(name)} has more than {MAX_LOGS} logs, too many for a page.",
        )
    if blocks == [b""]:
        raise UnreadableLog("empty-log", f"The log in {printable(name)} is empty.")
    logs = tuple(_log_of(letters, name) for letters in blocks)
    if len(logs) > 1 and not all(log.startswith(_MAGIC) for log in logs):
        raise _damaged(name)
    return logs


def _log_of(letters: bytes, name: str) -> bytes:
    try:
        log = binascii.a2b_base64(letters, strict_mode=True)
    except ValueError:
        raise _damaged(name) from None
    if b64encode(log) != letters:
        raise _damaged(name)
    if len(log) > MAX_LOG_BYTES:
        raise UnreadableLog(
            "log-too-large", f"The log in {printable(name)} has more than {MAX_LOG_BYTES} bytes."
        )
    return log


def _start(page: bytes, name: str) -> int:
    """Return where the content of the log's element begins. Raises UnreadableLog."""
    first = _NAMED.search(page)
    tag = None if first is None else _container(page, first.start())
    if first is not None and _NAMED.search(page, first.end() if tag is None else tag.end()):
        raise UnreadableLog(
            "page-with-two-logs", f"{printable(name)} is a page with more than one log."
        )
    if tag is None:
        raise UnreadableLog(
            "page-without-log", f"{printable(name)} is a page without a ginpeer log."
        )
    return tag.end()


def _container(page: bytes, named: int) -> re.Match[bytes] | None:
    """Return the tag around this offset if it opens the log's element, or else None."""
    start = page.rfind(b"<", 0, named)
    tag = _TAG.match(page, start, start + _LONGEST_TAG) if start >= 0 else None
    is_free = page.rfind(b"<", 0, start) < page.rfind(b">", 0, start)
    if tag is None or tag.end() <= named or not is_free:
        return None
    attributes: dict[str, str] = {}
    for key, *values in _ATTRIBUTE.findall(tag[1].decode("utf-8", "replace")):
        attributes.setdefault(key.lower(), html.unescape("".join(values)))
    return tag if attributes == {"type": "text/plain", "id": _NAME} else None


def _damaged(name: str) -> UnreadableLog:
    return UnreadableLog(
        "page-log-damaged",
        f"The log in {printable(name)} is damaged: its base64 is incomplete or invalid.",
    )
