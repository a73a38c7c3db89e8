"""XML from a router: hostile until read, and then a small tree of names and texts.

# Rule 1: no document type and no entity but XML's own five. Whatever begins with ``<!`` and is no
# comment and no CDATA is refused before the parser sees it: a handler that raises does not stop the
# parser, which would go on to expand entities.
# Rule 2: bytes, depth and elements are bounded. The parser runs in memory that the bytes bound.
# Rule 3: prefixes are dropped. Routers get namespaces wrong, and nothing here depends on them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

from ginpeer.net.mapping.http import MAX_BODY
from ginpeer.net.mapping.refusals import Refusal

MAX_DEPTH = 32  # a device description nests three devices, 12 levels
MAX_ELEMENTS = 4096

_DECLARATION = re.compile(rb"<!(?!--|\[CDATA\[)")


@dataclass(slots=True)
class XmlElement:
    """An element without attributes: its name without prefix, its own text, what is in it."""

    name: str
    text: str = ""
    children: list[XmlElement] = field(default_factory=list)

    def child(self, name: str) -> XmlElement | None:
        """The first of this name."""
        return next((each for each in self.children if each.name == name), None)

    def text_of(self, name: str) -> str:
        """The text of the first child of this name, without spaces around it; "" without one."""
        found = self.child(name)
        return "" if found is None else found.text.strip()

    def walk(self) -> Iterator[XmlElement]:
        """This one and all in it, in the document's order."""
        waiting = [self]
        while waiting:
            element = waiting.pop()
            yield element
            waiting += reversed(element.children)


def read_xml(data: bytes) -> XmlElement:
    """The root of a document. Raises Refusal.

    Whatever encoding it declares, it is taken for UTF-8, and a byte that is none for a mark: what
    we look for are plain letters, and routers declare what they do not keep.
    """
    if len(data) > MAX_BODY:
        raise Refusal("answer-too-long")
    if _DECLARATION.search(data):
        raise Refusal("answer-unreadable")
    reading = _Reading()
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    parser.StartElementHandler = reading.start
    parser.EndElementHandler = reading.end
    parser.CharacterDataHandler = reading.characters
    try:
        parser.Parse(data.strip().decode("utf-8", "replace").encode(), True)
    except expat.ExpatError:
        raise Refusal("answer-unreadable") from None
    return reading.document.children[0]


class _Reading:
    def __init__(self) -> None:
        self.document = XmlElement("")
        self._open = [self.document]
        self._count = 0

    def start(self, name: str, _attributes: Any) -> None:
        self._count += 1
        if len(self._open) > MAX_DEPTH or self._count > MAX_ELEMENTS:
            raise Refusal("answer-too-long")
        element = XmlElement(name.rpartition(":")[2])
        self._open[-1].children.append(element)
        self._open.append(element)

    def end(self, _name: str) -> None:
        self._open.pop()

    def characters(self, text: str) -> None:
        self._open[-1].text += text
