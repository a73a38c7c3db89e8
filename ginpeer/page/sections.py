"""The texts that a page shows, and the sections that work without a script: every move in words,
the score sheet, who played, and what is proven.

# Rule 1: everything from outside the package passes through text(), even if somebody has cleaned it
#         before.
# Rule 2: a template is filled in one pass, so that inserted text is never searched for slots.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ginpeer.referee.table import ROLES

# --- HTML -----------------------------------------------------------------------------

_SLOT = re.compile(r"\{\{([a-z]+)\}\}")


def text(plain: str) -> str:
    """Return plain text as HTML, also for a quoted attribute. ``=`` is escaped, so that no name
    can look like the tag of the log (ginpeer.store.page_log)."""
    return html.escape(plain, quote=True).replace("=", "&#61;")


def filled(template: str, slots: Mapping[str, str]) -> str:
    """Return the template with its slots filled by HTML. Raises KeyError for a slot without a
    value."""
    return _SLOT.sub(lambda found: slots[found[1]], template)


# --- the texts of a page --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HandTexts:
    """One hand in words."""

    dealt: tuple[str, ...]
    """The dealt cards, as far as they are known."""
    result: str
    """How it ended, or where it stopped if it isn't over."""


@dataclass(frozen=True, slots=True)
class PageTexts:
    """A match in words: plain text, in which names are already harmless (ginpeer.names.quoting).
    The page escapes all of it once more."""

    names: tuple[str, str]
    """Host and guest, as they appear in sentences."""
    verdict: str
    """The verdict on the log, in one line."""
    reasons: tuple[str, ...]
    """Why the log isn't valid, and who owes what."""
    rules: str
    """The name of the rules."""
    begun: str | None
    """When the match began, by the host's clock."""
    cards: tuple[str, ...]
    """For each player, whether the cards are shown, and why."""
    proven: tuple[str, str]
    """What the log proves, and what it doesn't."""
    steps: Mapping[int, tuple[str, ...]]
    """The lines for each step, by the number of its entry; steps without text are absent."""
    hands: tuple[HandTexts, ...]
    account: tuple[str, ...]
    """The account of the match, or the current score."""


# --- the sections ---------------------------------------------------------------------

WORDS = {
    "valid": "VALID",
    "illegal": "ILLEGAL",
    "forged": "FORGED OR DAMAGED",
    "incomplete": "INCOMPLETE",
    "unreadable": "CANNOT BE READ",
    "unproven": "UNPROVEN",
}
"""A verdict as headings show it; unproven is what somebody has typed."""


def paragraphs(lines: Iterable[str]) -> str:
    return "\n".join(f"<p>{text(line)}</p>" for line in lines)


def claims(lines: Iterable[str]) -> str:
    """Return lines that begin with the kind of claim they make, like "Proven: ...", as
    paragraphs."""
    parts = (line.partition(":") for line in lines)
    return "\n".join(f"<p><b>{text(kind)}:</b>{text(rest)}</p>" for kind, _, rest in parts)


def moves(steps: dict[str, Any], texts: PageTexts) -> str:
    """Return every move, in a section for each hand that can be folded and has an id like h3;
    page.js calls its seventh step h3s7."""
    groups: list[tuple[str, str, list[dict[str, Any]], tuple[str, ...]]]
    groups = [("h0", "Before the first hand", steps["opening"], ())]
    for hand, words in zip(steps["hands"], texts.hands, strict=True):
        number = hand["number"]
        groups.append((f"h{number}", f"Hand {number}", hand["steps"], (*words.dealt, words.result)))
    groups.append(("end", "After the last hand", steps["closing"], ()))
    return "\n".join(_group(*group, texts, group[0] == "h1") for group in groups)


def _group(
    group: str,
    title: str,
    steps: list[dict[str, Any]],
    words: tuple[str, ...],
    texts: PageTexts,
    unfolded: bool,
) -> str:
    told = [lines for step in steps if (lines := texts.steps.get(step["entry"]))]
    if not told:
        return ""
    *dealt, result = words or ("",)
    deal = "".join(f'<p class="deal">{text(line)}</p>' for line in dealt)
    rows = "\n".join("<li>" + "<br>".join(map(text, lines)) for lines in told)
    return (
        f'<details id="{group}"{" open" if unfolded else ""}>'
        f"<summary><b>{text(title)}</b> <span>{text(result)}</span></summary>\n"
        f"{deal}<ol>\n{rows}\n</ol></details>"
    )


# --- the score sheet ---------------------------------------------------------------------


def score_sheet(steps: dict[str, Any], texts: PageTexts) -> str:
    """Return every hand with the points it brought, and the account of each column of each game."""
    verdict = steps["verdict"]
    heads = "".join(f'<th scope="col">{text(name)}' for name in texts.names)
    rows = "\n".join(_rows(steps, texts))
    sheet = (
        '<table class="sheet"><caption>Hand by hand: the points of each, and what they add up to'
        f'</caption><thead><tr><th scope="col">Hand<th scope="col">How it ended{heads}</thead>'
        f"<tbody>\n{rows}\n</tbody></table>"
    )
    over = [
        (game, column)
        for game in verdict["games"]
        for column in game["columns"]
        if column["over"] or any(column["score"][role]["hands_won"] for role in ROLES)
    ]
    if not over:
        return sheet
    one = len(verdict["games"]) == 1 and len(verdict["games"][0]["columns"]) == 1
    parts = "\n".join(_account(game, column, one) for game, column in over)
    total = ""
    if verdict["decided"] and not one and verdict["score"] is not None:
        cells = "".join(f"<td>{_number(verdict['score'][role]['total'])}" for role in ROLES)
        total = f'<tfoot><tr><th scope="row">Grand totals{cells}</tfoot>'
    return (
        f'{sheet}\n<table class="account"><caption>The account</caption>'
        f'<thead><tr><th scope="col"><span class="vh">Item</span>{heads}</thead>\n'
        f"{parts}{total}</table>"
    )


def _rows(steps: dict[str, Any], texts: PageTexts) -> Iterator[str]:
    before = dict.fromkeys(ROLES, 0)
    for hand, words in zip(steps["hands"], texts.hands, strict=True):
        cells = ""
        for role in ROLES:
            sums = hand["score"]
            brought = sums[role] - before[role]
            counts = f"{_number(brought)} <small>{_number(sums[role])}</small>"
            cells += "<td>" if hand["result"] is None else f"<td>{counts}"
            before[role] = sums[role]
        number = hand["number"]
        dealer = text(texts.names[ROLES.index(hand["dealer"])])
        yield (
            f'<tr><th scope="row"><a href="#h{number}">{number}</a>'
            f"<td>{text(words.result)} <small>Dealt by {dealer}.</small>{cells}"
        )


_ITEMS = (
    ("hand_points", "From hands"),
    ("shutout", "Shutout"),
    ("game_bonus", "Game bonus"),
    ("boxes", "Boxes"),
    ("total", "Total"),
)


def _account(game: dict[str, Any], column: dict[str, Any], one: bool) -> str:
    rows = []
    if not one:
        which = f"Game {game['number']}"
        which += f", column {column['number']}" if len(game["columns"]) > 1 else ""
        rows.append(f'<tr><th scope="rowgroup" colspan="3">{which}')
    for item, title in _ITEMS:
        values = [column["score"][role][item] for role in ROLES]
        if values == [None, None] or (values == [0, 0] and item in ("shutout", "game_bonus")):
            continue
        won = [column["score"][role]["hands_won"] for role in ROLES]
        cells = "".join(
            f"<td>{_number(value)}" + (f" <small>{count} won</small>" if item == "boxes" else "")
            for value, count in zip(values, won, strict=True)
        )
        kind = ' class="total"' if item == "total" else ""
        rows.append(f'<tr{kind}><th scope="row">{title}{cells}')
    return "<tbody>" + "\n".join(rows) + "</tbody>\n"


def _number(value: int | None) -> str:
    """Return the number with a true minus sign, which is as wide as a digit and is read aloud."""
    return "" if value is None else str(value).replace("-", "\N{MINUS SIGN}")


# --- what is proven ----------------------------------------------------------------------


def players(verdict: dict[str, Any]) -> str:
    """Return the table of players: each name is a claim, each key is proven."""
    rows = []
    for player in verdict["players"]:
        name, key = player["name"], player["fingerprint"]
        said = "nobody yet" if name is None else f"<bdi>{text(name)}</bdi>"
        rows.append(
            f'<tr><th scope="row">{text(player["role"].capitalize())}<td>{said}'
            f"<td><code>{text(key or 'none yet')}</code>"
        )
    return (
        '<table class="players"><caption>Who played</caption><thead><tr><th scope="col">'
        '<span class="vh">Role</span><th scope="col">Name, as claimed'
        f'<th scope="col">Key, proven by its signatures</thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )
