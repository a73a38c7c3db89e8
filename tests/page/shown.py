"""Read from a page's bytes what the page shows without scripts, as proof.js reads it from the
document to compare it with the log."""

from __future__ import annotations

import html
import re
from typing import Any


def shown(page: bytes) -> dict[str, Any]:
    """Return what proof.js passes to compare.js."""
    whole = page.decode("utf-8")
    entries, moves = _texts(r'<div id="list" data-entries="(\d+)">.*?<pre>(.*?)</pre>', whole)[0]
    (players,) = re.findall(r'<table class="players">(.*?)</table>', whole, re.S)
    (heading,) = re.findall(r"<h1>(.*?)</h1>", whole, re.S)
    return {
        "names": [
            name
            for role in ("host", "guest")
            for (name,) in _texts(rf'<bdi class="{role}">(.*?)</bdi>', heading)
        ],
        "heading": " ".join(_text(r"^(.*)$", heading).split()),
        "rules": _text(r'<p class="kind">(.*?)</p>', whole),
        "ruleText": "".join(text for (text,) in _texts(r'<code id="rules">(.*?)</code>', whole)),
        "summary": " ".join(
            " ".join(part)
            for part in [
                _text(r'<div class="sub" id="summary">(.*?)</div>', whole).split(),
                _text(r'<p class="sub" id="said">(.*?)</p>', whole).split(),
            ]
            if part
        ),
        "finding": _text(r'<p class="finding">(.*?)</p>', whole),
        "entries": int(entries),
        "players": [
            " ".join(cell.split())
            for (cell,) in _texts(r"<t[hd]\b[^>]*>([^\n]*?)(?=<t|</t)", players)
        ],
        "moves": moves,
    }


def _text(pattern: str, whole: str) -> str:
    ((found,),) = _texts(pattern, whole)
    return found


def _texts(pattern: str, whole: str) -> list[tuple[str, ...]]:
    """Return the texts of the pattern's groups, without tags."""
    found = re.findall(pattern, whole, re.S)
    rows = [row if isinstance(row, tuple) else (row,) for row in found]
    return [tuple(html.unescape(re.sub(r"<[^>]*>", "", each)) for each in row) for row in rows]
