"""Pages for tests: of golden logs, and of a match between two whose names are markup."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b85decode
from functools import cache
from typing import Any

from cli.text import page_texts
from ginpeer.page import whole
from ginpeer.record import Record
from ginpeer.rules import parse_ruleset
from ginpeer.store.log import log_bytes
from tests.matches.golden_logs import FOLDER
from tests.matches.recorded import plain_player
from tests.matches.table_pair import TablePair

HOSTILE = (
    "</script><img src=x onerror=alert(1)>{{log}}<!--'\"&lt;\\u003c]]>",
    "\u05e9\u05dc\u05d5\u05dd<b id=table>\u202f*/</style><svg onload=alert(2)>".replace(
        "\u202f", " "
    ),
)
"""Two names that could be signed, of up to 64 bytes."""


@cache
def golden(name: str) -> bytes:
    """A golden log."""
    return (FOLDER / f"{name}.ginlog").read_bytes()


@cache
def hostile() -> bytes:
    """The log of a match between those two."""
    pair = TablePair("hostile", parse_ruleset("standard target=1"), names=HOSTILE)
    return log_bytes(tuple(pair.play(plain_player).host.stored))


@cache
def page_of(log: bytes) -> bytes:
    """Its page, as `ginpeer export` makes it."""
    return page_texts.page_of(Record.read(log))


_SIGNS = bytes.maketrans(b",.:", b"<>&")


def unpacked(page: bytes, name: str) -> str:
    """What lies in a page packed under this name."""
    found = re.search(rb'id="packed-%s">([^<]*)<' % name.encode(), page)
    assert found, name
    return zlib.decompress(b85decode(found[1].translate(_SIGNS))).decode("utf-8")


def repacked(page: bytes, name: str, content: str) -> bytes:
    """The page with something else in the place of that."""
    old = whole.packed(name, unpacked(page, name)).encode()
    assert page.count(old) == 1
    return page.replace(old, whole.packed(name, content).encode())


def drawn(page: bytes) -> Any:
    """The steps from which a page draws the table."""
    return json.loads(unpacked(page, "steps"))
