"""The page of an evening: several matches, each as in a page of its own, with their totals on top.

Rule 1: each match is an article with the HTML of match_page. All of them can be read without a
        script, one below the other. The script shows one and hides the others.
Rule 2: a page has each id only once. So the ids of the first match begin with m1-, and so on. The
        script strips this prefix from the ids of the match that it shows, and then finds
        everything in that match as in a page of its own.
Rule 3: the page is made from its logs alone, so anybody can make it again from them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ginpeer.page.match_page import (
    CHECKED_MANY,
    SURE,
    VERIFY_MANY,
    PageTexts,
    filled,
    framed,
    long_class,
    match_class,
    match_content,
    match_heading,
    part,
    text,
    title_mark,
)

_REFERENCE = re.compile(r' (id|for|aria-labelledby)="')
"""Where a match's HTML names an id. Text from outside never contains =, which ``text`` escapes."""


@dataclass(frozen=True, slots=True)
class PairSum:
    """The totals of two players over all their matches with each other; the leader comes first."""

    names: tuple[str, str]
    matches: str
    """How many matches there are, in words."""
    won: tuple[int, int]
    points: tuple[str, str]


@dataclass(frozen=True, slots=True)
class EveningTexts:
    """The texts above the matches of an evening."""

    begun: str
    """How many matches there are, and when they began."""
    heading: tuple[str, ...]
    """Words and names in turn, beginning with words."""
    title: str
    pairs: tuple[PairSum, ...]
    notes: tuple[str, ...]
    """Which matches aren't counted, and why."""


Match = tuple[dict[str, Any], PageTexts]
"""A match's verdict document and its texts."""


def evening_page(
    evening: EveningTexts, matches: Sequence[Match], logs: Sequence[bytes], version: str
) -> bytes:
    """Return the page of these matches in UTF-8. The same arguments give the same bytes."""
    verdicts = [verdict for verdict, _ in matches]
    names = [name for _, texts in matches for name in texts.names]
    is_sound = all(verdict["verdict"] == "valid" for verdict in verdicts)
    content = {
        "begun": text(evening.begun),
        "heading": _heading(evening.heading),
        "sums": _sums(evening.pairs),
        "notes": "\n".join(f'<p class="sub note">{text(note)}</p>' for note in evening.notes),
        "links": "\n".join(
            f'<li><a href="#m{at}">{match_heading(*match)}</a></li>'
            for at, match in enumerate(matches, 1)
        ),
        "matches": "\n".join(_article(at, *match) for at, match in enumerate(matches, 1)),
        "verify": VERIFY_MANY,
    }
    signed = "signed logs of" if is_sound else "logs of"
    frame = {
        "title": text(f"{title_mark(verdicts)}{evening.title}, gin rummy"),
        "kind": f"evening{long_class(names)}",
        "skip": "matches",
        "skipto": "the matches",
        "content": filled(part("evening.html"), content),
        "carries": f"This page contains the {signed} {len(logs)} matches, "
        f"{sum(map(len, logs)):,} bytes.",
        "sure": SURE.format("evening.html"),
        "file": "evening.html",
        "checked": CHECKED_MANY,
        "commands": "The commands <code>replay</code>, <code>analyse</code> and "
        "<code>export</code> read one match at a time: choose a match, save its log, and name that "
        "file.",
        "save": "Save the log of this match",
        "what": "The logs, separated by commas",
    }
    return framed(frame, logs, version, styles=("page.css", "evening.css"))


def _heading(parts: Sequence[str]) -> str:
    """Return words and names in turn as HTML."""
    if len(parts) == 1:
        return text(parts[0])
    kinds = ("span", "bdi")
    return " ".join(
        f"<{kinds[at % 2]}>{text(part)}</{kinds[at % 2]}>" for at, part in enumerate(parts) if part
    )


def _sums(pairs: Sequence[PairSum]) -> str:
    """Return a table of the matches won and the points of each pair of players. If there are
    several pairs, each has a heading."""
    groups = []
    for pair in pairs:
        names = " and ".join(f"<bdi>{text(name)}</bdi>" for name in pair.names)
        heading = f'<tr><th colspan="3" scope="rowgroup">{names}, {text(pair.matches)}</th></tr>'
        rows = [
            f'<tr><th scope="row"><bdi>{text(name)}</bdi></th><td>{won}</td><td>{text(points)}</td>'
            for name, won, points in zip(pair.names, pair.won, pair.points, strict=True)
        ]
        groups.append(
            f"<tbody>{heading if len(pairs) > 1 else ''}{'</tr>'.join(rows)}</tr></tbody>"
        )
    if not groups:
        return ""
    return (
        '<table class="sums"><thead><tr><th scope="col"><span class="vh">Player</span></th>'
        '<th scope="col">Matches won</th><th scope="col">Points</th></tr></thead>'
        f"{''.join(groups)}</table>"
    )


def _article(at: int, verdict: dict[str, Any], texts: PageTexts) -> str:
    content = match_content(verdict, texts, 'div class="sections"')
    own = _REFERENCE.sub(rf"\g<0>m{at}-", content)
    kind = match_class(verdict, texts)
    return f'<article id="m{at}" class="{kind}" aria-label="Match {at}">\n{own}\n</article>'
