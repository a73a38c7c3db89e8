"""Style, scripts and verifier, as they lie in this package, and how a page carries them."""

from __future__ import annotations

import pkgutil
import re
import zlib
from base64 import b85decode, b85encode

_VERIFIER = "dist/verifier.js"


def part(name: str) -> str:
    """One of this package's own files, as page.css: without the indentation and the lines that only
    comment, which nobody reads in a page."""
    content = pkgutil.get_data("ginpeer.page", name)
    if content is None:
        raise FileNotFoundError(f"{name} is missing from this installation")
    lines = (line.strip() for line in content.decode("utf-8").splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("// "))


def verifier() -> str | None:
    """The second verifier, which runs in the page; None where this installation has none. As it is
    built, byte for byte."""
    try:
        content = pkgutil.get_data("ginpeer.page.verifier", _VERIFIER)
    except (OSError, ImportError):
        return None
    return None if content is None else content.decode("utf-8")


_SIGNS = bytes.maketrans(b"<>&", b",.:")
_LETTERS = bytes.maketrans(b",.:", b"<>&")


def packed(name: str, content: str) -> str:
    """The element in which a page carries this, half as long: deflate (RFC 1950), in base 85 with
    the signs of RFC 1924 but for those that mean something in HTML. Base64 takes 1/15 more."""
    letters = b85encode(zlib.compress(content.encode("utf-8"), 9)).translate(_SIGNS).decode("ascii")
    return f'<script type="text/plain" id="packed-{name}">{letters}</script>'


_PACKED = re.compile(rb'(<script type="text/plain" id="packed-[a-z]+">)([^<>&]*)(?=</script>)')


def is_same_page(page: bytes, own: bytes) -> bool:
    """Whether *page* equals *own*, a page of ours, once both are unpacked: on another machine, zlib
    may pack the same content into different bytes."""
    theirs, ours = _PACKED.split(page), _PACKED.split(own)
    if len(theirs) != len(ours):
        return False
    pairs = enumerate(zip(theirs, ours, strict=True))
    return all(a == b or (at % 3 == 2 and _packs(a, _unpacked(b))) for at, (a, b) in pairs)


def _unpacked(letters: bytes) -> bytes:
    return zlib.decompress(b85decode(letters.translate(_LETTERS)))


def _packs(letters: bytes, content: bytes) -> bool:
    """Whether this is the content packed. What would take more room is not unpacked, and what is
    longer than any packing needs is not even decoded: that takes 30 times its size."""
    if len(letters) > 2 * len(content) + 100:
        return False
    stream = zlib.decompressobj()
    try:
        found = stream.decompress(b85decode(letters.translate(_LETTERS)), len(content) + 1)
    except (ValueError, zlib.error):
        return False
    return found == content and stream.eof and not stream.unused_data
