"""What a page shows, read off its bytes as page.js reads it off the document: what the verifier in
it compares with the log, without a browser."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

from tests.page.pages import drawn

_VOID = frozenset(("meta", "link", "input", "br", "path", "use"))
_ENDS = {"li": ("li",), "th": ("th", "td"), "td": ("th", "td"), "tr": ("th", "td", "tr")}


class _Element:
    def __init__(self, tag: str, attrs: dict[str, str | None], above: _Element | None) -> None:
        self.tag, self.attrs, self.above = tag, attrs, above
        self.inside: list[_Element | str] = []

    @property
    def kinds(self) -> list[str]:
        return (self.attrs.get("class") or "").split()

    @property
    def text(self) -> str:
        return "".join(each if isinstance(each, str) else each.text for each in self.inside)

    def all(self, tag: str = "", kind: str = "") -> list[_Element]:
        found = []
        for each in self.inside:
            if isinstance(each, _Element):
                if (not tag or each.tag == tag) and (not kind or kind in each.kinds):
                    found.append(each)
                found += each.all(tag, kind)
        return found


class _Document(HTMLParser):
    """As much of HTML as a page of ours uses: li, tr, th and td may be left open."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.top = self.at = _Element("", {}, None)
        self.feed(page.decode("utf-8"))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        while self.at.tag in _ENDS.get(tag, ()):
            self._up()
        made = _Element(tag, dict(attrs), self.at)
        self.at.inside.append(made)
        if tag not in _VOID:
            self.at = made

    def handle_endtag(self, tag: str) -> None:
        if tag in _VOID:
            return
        while self.at.tag not in (tag, ""):
            self._up()
        self._up()

    def handle_data(self, data: str) -> None:
        self.at.inside.append(data)

    def _up(self) -> None:
        if self.at.above is not None:
            self.at = self.at.above


def shown(page: bytes) -> dict[str, Any]:
    """What page.js hands to the verifier."""
    data, top = drawn(page), _Document(page).top
    cells = _cells(top)
    (moves,) = (each for each in top.all("section") if each.attrs.get("id") == "moves")
    return {
        "names": data["names"],
        "isMahjong": data["mahjong"],
        "hands": [{k: v for k, v in hand.items() if k != "steps"} for hand in data["hands"]],
        "steps": list(_steps(moves, data)),
        "shown": {
            "the score sheet": cells("sheet"),
            "the account": cells("account"),
            "names and keys": cells("players"),
        },
    }


def _words(elements: list[_Element]) -> list[str]:
    return [" ".join(each.text.split()) for each in elements]


def _within(element: _Element) -> list[_Element]:
    return [each for each in element.inside if isinstance(each, _Element)]


def _cells(top: _Element) -> Any:
    def of(kind: str) -> list[str]:
        rows = [row for table in top.all("table", kind) for row in table.all("tr")]
        return _words([cell for row in rows for cell in _within(row)])

    return of


def _steps(moves: _Element, data: dict[str, Any]) -> Any:
    last = None
    for part in moves.all("details"):
        group = str(part.attrs["id"])
        hand = next((each for each in data["hands"] if f"h{each['n']}" == group), None)
        state: dict[str, Any] | None = None
        pile = ""
        for at, row in enumerate(part.all("li")):
            lines = [each.strip() for each in row.inside if isinstance(each, str)]
            change = {} if hand is None else hand["steps"][at]
            if "p" in change:
                gone, come = re.fullmatch(r"(\d+)(.*)", change["p"]).groups()  # type: ignore[union-attr]
                pile = pile[: len(pile) - int(gone)] + come
            if "s" in change or state:
                state = {**(state or {}), **change, "pile": pile}
            step: dict[str, Any] = {"group": group, "lines": lines}
            step["state"] = last if group == "end" else state
            if "c" in change:
                step["card"] = change["c"]
            if "a" in change:
                step["actor"] = change["a"]
            step["hides"] = change["a"] if change.get("d") else -1
            yield step
        last = state or last
